"""Vectors without what all words share: by hand, by a slow reference, and planted."""

from __future__ import annotations

import numpy as np
import pytest

from biasatlas.association.languages.spaces import count_components, standardise
from biasatlas.vectors import WordVectors


def make(matrix: np.ndarray) -> WordVectors:
    words = tuple(f"w{n:03d}" for n in range(len(matrix)))
    return WordVectors(words, matrix.astype(np.float32))


def reference(matrix: np.ndarray, removed: int) -> np.ndarray:
    """Mu & Viswanath's steps one by one."""
    centred = matrix - matrix.mean(axis=0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    for direction in directions[:removed]:
        centred = centred - np.outer(centred @ direction, direction)
    return centred


def test_by_hand():
    # The mean is (2, 1); the words differ most along the first axis, which goes.
    vectors = make(np.array([[0.0, 1.0], [4.0, 1.0], [2.0, 2.0], [2.0, 0.0]]))
    expected = [[0, 0], [0, 0], [0, 1], [0, -1]]
    assert standardise(vectors).matrix == pytest.approx(np.array(expected), abs=1e-6)


@pytest.mark.parametrize("shape", [(40, 30), (40, 160), (25, 400)], ids=str)
def test_equals_the_slow_reference(shape):
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=shape) * np.linspace(3, 1, shape[1]) + 5
    vectors = make(matrix)
    removed = count_components(shape[1])
    assert removed == {30: 1, 160: 2, 400: 4}[shape[1]]
    result = standardise(vectors)
    expected = reference(vectors.matrix.astype(np.float64), removed)
    assert result.words == vectors.words
    assert result.matrix.dtype == np.float32
    assert result.matrix == pytest.approx(expected, abs=1e-5)


def test_a_cone_is_opened_and_a_contrast_within_it_stays():
    rng = np.random.default_rng(1)
    own = rng.normal(size=(60, 50))
    own[:30, 0] += 3
    common = rng.normal(size=50)
    cone = own + 30 * common / np.linalg.norm(common)
    # One direction of large spread, such as frequency.
    cone += np.outer(rng.normal(scale=20, size=60), np.eye(50)[7])
    raw, opened = make(cone), standardise(make(cone))

    def mean_cosine(matrix: np.ndarray) -> float:
        unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
        return float((unit @ unit.T)[np.triu_indices(60, 1)].mean())

    assert mean_cosine(raw.matrix) > 0.5
    assert abs(mean_cosine(opened.matrix)) < 0.05
    contrast = opened.matrix[:30].mean(axis=0) - opened.matrix[30:].mean(axis=0)
    assert contrast[0] == pytest.approx(3, abs=0.6)


def test_the_order_of_words_changes_no_bit():
    rng = np.random.default_rng(2)
    vectors = make(rng.normal(size=(50, 120)))
    order = rng.permutation(50)
    shuffled = WordVectors(tuple(vectors.words[k] for k in order), vectors.matrix[order])
    assert (standardise(shuffled).matrix == standardise(vectors).matrix[order]).all()


def test_words_all_alike_but_one():
    matrix = np.ones((4, 6))
    matrix[0] = np.arange(6)
    assert standardise(make(matrix)).matrix == pytest.approx(np.zeros((4, 6)), abs=1e-6)
    assert standardise(make(np.ones((4, 6)))).matrix == pytest.approx(np.zeros((4, 6)), abs=1e-6)


def test_too_few_words():
    with pytest.raises(ValueError, match="11 words are too few to remove 4 common components; 12"):
        standardise(make(np.random.default_rng(3).normal(size=(11, 400))))
    with pytest.raises(ValueError, match="0 words are too few"):
        standardise(make(np.empty((0, 0))))
