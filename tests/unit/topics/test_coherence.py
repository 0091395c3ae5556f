"""u_mass and c_v as gensim computes them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from biasatlas.tokens import topic_tokens
from biasatlas.topics.coherence import EPSILON, c_v, u_mass
from biasatlas.topics.sliding_window import count_windows, find_occurrences

WORDS = ["cat", "dog", "emu", "yak", "été", "дом", "घर", "女性"]


def by_gensim(measure, topics, texts, window=None):
    from gensim.corpora import Dictionary
    from gensim.models import CoherenceModel

    tokens = [topic_tokens(text) for text in texts]
    dictionary = Dictionary(tokens)
    model = CoherenceModel(
        topics=[list(words) for words in topics.values()],
        texts=tokens,
        corpus=[dictionary.doc2bow(some) for some in tokens],
        dictionary=dictionary,
        coherence=measure,
        window_size=window,
        topn=max(map(len, topics.values())),
        processes=1,
    )
    return dict(zip(topics, model.get_coherence_per_topic(), strict=True))


def corpus(seed, n_texts=120, longest=30):
    """Random texts and six topics of ten words that they hold."""
    rng = np.random.default_rng(seed)
    letters = "abcdefghij"
    vocabulary = [f"wort{one}{other}" for one in letters[:4] for other in letters]
    vocabulary += ["été", "дом"]
    weights = rng.random(len(vocabulary)) ** 3
    texts = [
        " ".join(rng.choice(vocabulary, rng.integers(1, longest), p=weights / weights.sum()))
        for _ in range(n_texts)
    ]
    held = sorted({token for text in texts for token in topic_tokens(text)})
    return texts, {number: list(rng.choice(held, 10, replace=False)) for number in range(6)}


def count_as_gensim(texts, words, window):
    """Windows moved by one token, without any event, in the way of gensim's accumulator."""
    together, n = np.zeros((len(words), len(words)), dtype=int), 0
    for text in texts:
        tokens = topic_tokens(text)
        windows = [tokens[i : i + window] for i in range(len(tokens) - window + 1)] or [tokens]
        present = set(windows[0])
        for number, some in enumerate(windows):
            if number:
                present.discard(windows[number - 1][0])
                present.add(some[-1])
            here = [place for place, word in enumerate(words) if word in present]
            together[np.ix_(here, here)] += 1
        n += len(windows)
    return together, n


def test_u_mass_by_hand():
    texts = ["cat dog", "cat dog emu", "cat", "emu", "Cats-dog's 2cat"]
    # D(cat) = 3, D(dog) = 3, D(emu) = 2; cat and dog 2, cat and emu 1, dog and emu 1; D = 5.
    terms = [math.log((2 / 5 + EPSILON) / (3 / 5)), math.log((1 / 5 + EPSILON) / (3 / 5))]
    found = u_mass({0: ["cat", "dog"], 3: ["dog", "cat", "emu"], 5: ["cat"]}, texts)
    assert found[0] == pytest.approx(terms[0])
    assert found[3] == pytest.approx((terms[0] + 2 * terms[1]) / 3)
    assert math.isnan(found[5])


def test_words_that_never_meet_are_least_coherent():
    found = u_mass({0: ["cat", "emu"], 1: ["cat", "dog"]}, ["cat dog", "emu"])
    assert found[0] == pytest.approx(math.log(EPSILON / 0.5))
    assert found[0] < found[1] == pytest.approx(0, abs=1e-9)


def test_c_v_by_hand():
    # Windows of two: "cat dog", "dog yak", "emu". P(cat) = 1/3, P(dog) = 2/3, both 1/3.
    found = c_v({0: ["cat", "dog"], 1: ["cat"]}, ["cat dog yak", "emu"], window=2)
    cat = math.log((1 / 3 + EPSILON) / (1 / 9)) / -math.log(1 / 3 + EPSILON)
    dog = math.log((2 / 3 + EPSILON) / (4 / 9)) / -math.log(2 / 3 + EPSILON)
    both = math.log((1 / 3 + EPSILON) / (2 / 9)) / -math.log(1 / 3 + EPSILON)
    total = (cat + both, both + dog)
    cosines = [
        (one * total[0] + other * total[1]) / (math.hypot(one, other) * math.hypot(*total))
        for one, other in ((cat, both), (both, dog))
    ]
    assert found[0] == pytest.approx(sum(cosines) / 2, abs=1e-12)
    assert math.isnan(found[1])


def test_words_of_one_subject_are_more_coherent_than_words_of_two():
    texts = ["cat dog emu"] * 20 + ["yak été дом"] * 20
    found = c_v({0: ["cat", "dog", "emu"], 1: ["cat", "yak", "dog", "été"]}, texts)
    assert found[0] == pytest.approx(1)
    assert found[1] < 0.9


@pytest.mark.parametrize("seed", range(5))
def test_both_equal_gensim(seed):
    texts, topics = corpus(seed)
    assert u_mass(topics, texts) == pytest.approx(by_gensim("u_mass", topics, texts), abs=1e-12)
    reference = by_gensim("c_v", topics, texts)
    assert c_v(topics, texts) == pytest.approx(reference, abs=1e-12)
    # Texts of up to 300 tokens: shorter and longer than the window of 110.
    texts, topics = corpus(seed, 30, 300)
    assert c_v(topics, texts) == pytest.approx(by_gensim("c_v", topics, texts), abs=1e-12)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from([*WORDS, "other"]), max_size=14), min_size=1, max_size=6),
    st.integers(2, 8),
)
# A word twice in a window, one in each window, texts of no word, shorter and longer ones.
@example([["cat", "dog", "cat", "other", "dog"], [], ["cat"]], 3)
@example([["cat", "dog"] * 7, ["cat", "emu", "cat"]], 2)
def test_c_v_equals_gensim_on_any_texts(tokens, window):
    texts = [" ".join(some) for some in tokens]
    held = [word for word in WORDS if any(word in some for some in tokens)]
    if len(held) < 2:
        return
    topics = {0: held, 1: held[:2]}
    with np.errstate(divide="ignore", invalid="ignore"):
        reference = by_gensim("c_v", topics, texts, window)
        found = c_v(topics, texts, window=window)
    assert found == pytest.approx(reference, abs=1e-12, nan_ok=True)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from([*WORDS, "other"]), max_size=20), max_size=6),
    st.integers(1, 9),
)
def test_windows_are_counted_as_if_moved_one_by_one(tokens, window):
    texts = [" ".join(some) for some in tokens]
    together, n = count_windows(find_occurrences(texts, WORDS), window)
    slowly, n_slowly = count_as_gensim(texts, WORDS, window)
    assert np.array_equal(together, slowly)
    assert n == n_slowly
    whole, n_texts = count_windows(find_occurrences(texts, WORDS), None)
    sets = [[word in some for word in WORDS] for some in tokens]
    held = np.array(sets, dtype=int).reshape(len(texts), len(WORDS))
    assert np.array_equal(whole, held.T @ held)
    assert n_texts == len(texts)


@pytest.mark.parametrize("measure", ["u_mass", "c_v"])
def test_a_word_that_a_topic_holds_twice(measure):
    texts, topics = corpus(1)
    topics = {0: [*topics[0], topics[0][3]]}
    ours = {"u_mass": u_mass, "c_v": c_v}[measure](topics, texts)
    assert ours == pytest.approx(by_gensim(measure, topics, texts), abs=1e-12)


def test_the_order_of_texts_and_words_changes_nothing():
    texts, topics = corpus(2, 60, 200)
    turned = {topic: words[::-1] for topic, words in topics.items()}
    assert c_v(turned, texts[::-1]) == pytest.approx(c_v(topics, texts), abs=1e-13)


def test_the_language_decides_the_tokens():
    texts = ["KIZ KADIN", "KIZ KADIN", "kedi"]
    topics = {0: ["kız", "kadın"]}
    assert u_mass(topics, texts, "tr")[0] == pytest.approx(0, abs=1e-9)
    assert c_v(topics, texts, "tr")[0] == pytest.approx(1)
    with pytest.raises(ValueError, match="no passage holds: kadın, kız"):
        c_v(topics, texts)


@pytest.mark.parametrize("measure", [u_mass, c_v])
def test_a_word_of_no_passage_is_an_error(measure):
    with pytest.raises(ValueError, match="no passage holds: emu, yak"):
        measure({0: ["yak", "cat", "emu"]}, ["cat dog"])


@pytest.mark.parametrize("measure", [u_mass, c_v])
def test_no_topics(measure):
    assert measure({}, ["cat"]) == {}
    assert measure({}, []) == {}
