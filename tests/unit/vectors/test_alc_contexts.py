"""Context means, by hand and against a plain loop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasatlas.vectors import WordVectors
from biasatlas.vectors.contexts import find_occurrences, in_chunks, pool, sum_contexts

# "the" has no pretrained vector.
VECTORS = WordVectors(
    ("cat", "sat", "mat", "dog"),
    np.array([[1, 0], [0, 1], [2, 2], [-1, 4]], dtype=np.float32),
)


def test_six_tokens_by_hand():
    found = find_occurrences([["the", "cat", "sat", "the", "mat", "dog"]], VECTORS, 2)
    by_word = {}
    for word, mean in zip(found.word, found.means, strict=True):
        by_word.setdefault(found.words[word], []).append(mean.tolist())
    assert by_word == {
        "the": [[0.5, 0.5], [0.5, 1.75]],  # cat, sat; then cat, sat, mat, dog
        "cat": [[0.0, 1.0]],  # sat: neither "the" adds anything
        "sat": [[1.5, 1.0]],  # cat, mat
        "mat": [[-0.5, 2.5]],  # sat, dog
        "dog": [[2.0, 2.0]],  # mat
    }


def test_no_context_crosses_the_end_of_a_passage():
    found = find_occurrences([["cat", "sat"], ["mat", "dog"]], VECTORS, 5)
    assert found.words == ("cat", "sat", "mat", "dog")
    assert found.means.tolist() == [[0, 1], [1, 0], [-1, 4], [2, 2]]
    assert found.passage.tolist() == [0, 0, 1, 1]


def test_an_occurrence_without_a_context_word_is_not_counted():
    sums = sum_contexts(["cat", "the cat the", "cat sat"], VECTORS, 3)
    # The first "cat" stands alone, the second among words without a vector.
    assert dict(zip(sums.words, sums.counts.tolist(), strict=True)) == {
        "the": 2,
        "cat": 1,
        "sat": 1,
    }
    assert sums.means[sums.words.index("cat")].tolist() == [0, 1]


def test_the_word_itself_is_no_context_of_its_own_but_its_repeat_is():
    found = find_occurrences([["cat", "cat"]], VECTORS, 1)
    assert found.means.tolist() == [[1, 0], [1, 0]]


@pytest.mark.parametrize("passages", [[], [[]], [["the"]]])
def test_nothing_to_find(passages):
    found = find_occurrences(passages, VECTORS, 2)
    assert len(found.word) == 0
    assert found.means.shape == (0, 2)


PASSAGES = st.lists(st.lists(st.sampled_from("the cat sat mat dog".split()), max_size=9))


@given(passages=PASSAGES, window=st.integers(1, 4))
def test_equals_a_plain_loop(passages, window):
    expected = []
    for number, tokens in enumerate(passages):
        for place, token in enumerate(tokens):
            around = tokens[max(place - window, 0) : place] + tokens[place + 1 :][:window]
            known = [VECTORS.matrix[VECTORS.index[w]] for w in around if w in VECTORS]
            if known:
                expected.append((token, number, np.mean(known, axis=0)))
    found = find_occurrences(passages, VECTORS, window)
    assert [found.words[word] for word in found.word] == [one[0] for one in expected]
    assert found.passage.tolist() == [one[1] for one in expected]
    np.testing.assert_allclose(
        found.means, np.array([one[2] for one in expected]).reshape(-1, 2), atol=1e-12
    )


@given(passages=PASSAGES)
def test_wanted_words_have_the_means_that_they_have_among_all(passages):
    whole = find_occurrences(passages, VECTORS, 3)
    part = find_occurrences(passages, VECTORS, 3, {"cat", "dog", "never"})
    chosen = np.array([whole.words[w] in ("cat", "dog") for w in whole.word], dtype=bool)
    assert part.means.tolist() == whole.means[chosen].tolist()
    assert part.passage.tolist() == whole.passage[chosen].tolist()


def test_chunks_hold_every_passage_once_and_change_no_sum(monkeypatch):
    texts = ["the cat sat", "a dog sat", "mat cat dog"] * 3
    assert [len(chunk) for chunk in in_chunks(texts, size=4)] == [4, 4, 1]
    whole = sum_contexts(texts, VECTORS, 2)
    parts = pool([sum_contexts(texts[:4], VECTORS, 2), sum_contexts(texts[4:], VECTORS, 2)])
    assert parts.words == whole.words
    assert parts.counts.tolist() == whole.counts.tolist()
    np.testing.assert_allclose(parts.sums, whole.sums)
    monkeypatch.setattr("biasatlas.vectors.contexts.in_chunks", lambda t: in_chunks(t, size=2))
    small = sum_contexts(texts, VECTORS, 2)
    assert small.words == whole.words
    np.testing.assert_allclose(small.sums, whole.sums)


def test_pool_of_nothing():
    assert pool([]).words == ()
