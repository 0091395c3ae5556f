"""u_mass as gensim computes it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from biasatlas.tokens import topic_tokens
from biasatlas.topics.coherence import EPSILON, u_mass


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


@pytest.mark.parametrize("seed", range(5))
def test_u_mass_equals_gensim(seed):
    from gensim.corpora import Dictionary
    from gensim.models import CoherenceModel

    rng = np.random.default_rng(seed)
    letters = "abcdefghij"
    vocabulary = [f"wort{one}{other}" for one in letters[:4] for other in letters]
    vocabulary += ["été", "дом"]
    weights = rng.random(len(vocabulary)) ** 3
    texts = [
        " ".join(rng.choice(vocabulary, rng.integers(1, 30), p=weights / weights.sum()))
        for _ in range(120)
    ]
    held = sorted({token for text in texts for token in topic_tokens(text)})
    topics = {number: list(rng.choice(held, 10, replace=False)) for number in range(6)}
    tokens = [topic_tokens(text) for text in texts]
    dictionary = Dictionary(tokens)
    reference = CoherenceModel(
        topics=list(topics.values()),
        corpus=[dictionary.doc2bow(some) for some in tokens],
        dictionary=dictionary,
        coherence="u_mass",
        topn=10,
    ).get_coherence_per_topic()
    assert list(u_mass(topics, texts).values()) == pytest.approx(reference, abs=1e-9)


def test_a_word_of_no_passage_is_an_error():
    with pytest.raises(ValueError, match="no passage holds: emu, yak"):
        u_mass({0: ["yak", "cat", "emu"]}, ["cat dog"])


def test_no_topics():
    assert u_mass({}, ["cat"]) == {}
    assert u_mass({}, []) == {}
