"""Vectors without what all words share: by hand, by a slow reference, and planted."""

from __future__ import annotations

import statistics

import numpy as np
import pytest

from biasatlas.association.languages.spaces import MIN_WORDS, standardise
from biasatlas.association.scores import effect_size
from biasatlas.vectors import WordVectors


def make(matrix: np.ndarray) -> WordVectors:
    words = tuple(f"w{n:03d}" for n in range(len(matrix)))
    return WordVectors(words, matrix.astype(np.float32))


def test_by_hand():
    # Mean (2, 1), deviations 2 and 1/2; the third dimension says nothing.
    matrix = np.tile([[0.0, 1.5, 7.1], [4.0, 0.5, 7.1]], (MIN_WORDS // 2, 1))
    expected = np.tile([[-1.0, 1.0, 0.0], [1.0, -1.0, 0.0]], (MIN_WORDS // 2, 1))
    result = standardise(make(matrix))
    assert result.matrix == pytest.approx(expected, abs=1e-6)
    assert result.matrix.dtype == np.float32


@pytest.mark.parametrize("shape", [(40, 30), (25, 400)], ids=str)
def test_equals_the_slow_reference(shape):
    rng = np.random.default_rng(0)
    vectors = make(rng.normal(size=shape) * np.linspace(300, 0.01, shape[1]) + 5)
    found = standardise(vectors)
    assert found.words == vectors.words
    for column in range(shape[1]):
        values = [float(value) for value in vectors.matrix[:, column]]
        mean, spread = statistics.fmean(values), statistics.pstdev(values)
        expected = [(value - mean) / spread for value in values]
        assert found.matrix[:, column] == pytest.approx(np.array(expected), abs=1e-5)


def cosines(matrix: np.ndarray) -> np.ndarray:
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return unit @ unit.T


def test_a_cone_is_opened_and_the_contrast_that_is_tested_stays():
    rng = np.random.default_rng(1)
    own = rng.normal(size=(80, 50))
    # X and A (the first and third quarter) lie one way in many dimensions, Y and B the other.
    own += np.repeat([1, -1, 1, -1], 20)[:, None] * np.linspace(0, 1, 50)
    common = rng.normal(size=50)
    cone = own + 60 * common / np.linalg.norm(common)
    # A rogue dimension: large in all words, and larger in some.
    cone[:, 7] += rng.normal(scale=40, size=80) + 100
    raw, opened = make(cone), standardise(make(cone))

    def d(vectors: WordVectors) -> float:
        of_words = cosines(vectors.matrix.astype(np.float64))
        scores = of_words[:40, 40:60].mean(axis=1) - of_words[:40, 60:].mean(axis=1)
        return effect_size(scores[:20], scores[20:])

    above = np.triu_indices(80, 1)
    assert cosines(raw.matrix)[above].mean() > 0.5
    assert abs(cosines(opened.matrix)[above].mean()) < 0.05
    assert d(opened) > 1.7
    assert d(raw) < 1.4


def test_the_order_of_words_changes_no_bit():
    rng = np.random.default_rng(2)
    vectors = make(rng.normal(size=(50, 120)))
    order = rng.permutation(50)
    shuffled = WordVectors(tuple(vectors.words[k] for k in order), vectors.matrix[order])
    assert (standardise(shuffled).matrix == standardise(vectors).matrix[order]).all()


def test_words_all_alike_have_no_direction():
    assert not standardise(make(np.full((MIN_WORDS, 6), 0.1))).matrix.any()
    # Nor those that differ by the last bit.
    near = np.full((MIN_WORDS, 6), 0.1, dtype=np.float32)
    near[::2] = np.nextafter(near[::2], np.float32(1))
    assert not standardise(make(near)).matrix.any()


@pytest.mark.parametrize("n", [0, MIN_WORDS - 1])
def test_too_few_words(n):
    with pytest.raises(ValueError, match=f"{n} words are too few to standardise vectors; 20"):
        standardise(make(np.ones((n, 4))))


def test_words_outside_the_sample_move_nothing_within():
    rng = np.random.default_rng(5)
    vectors = make(rng.normal(size=(40, 12)) + 3)
    sample = set(vectors.words[:25])
    alone = standardise(WordVectors(vectors.words[:25], vectors.matrix[:25]))
    both = standardise(vectors, sample)
    assert (both.matrix[:25] == alone.matrix).all()
    # A sample of which too few have a vector is none.
    assert (
        standardise(vectors, set(vectors.words[:9])).matrix == standardise(vectors).matrix
    ).all()
