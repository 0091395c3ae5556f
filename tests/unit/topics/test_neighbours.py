"""Exact neighbours against a full sort, ties among them, and those of a subset."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biasatlas.topics import neighbours as module
from biasatlas.topics.neighbours import exact_neighbours, subset_neighbours


def brute_force(vectors: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Sort all cosines of each row; of equal ones the lower number first, the row itself ahead."""
    unit = vectors.astype(np.float64) / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosine = np.round(unit @ unit.T, 9)
    np.fill_diagonal(cosine, 2)
    found = np.argsort(-cosine, axis=1, kind="stable")[:, :k]
    np.fill_diagonal(cosine, 1)
    return found, 1 - np.take_along_axis(cosine, found, axis=1)


def whole_vectors(n: int, seed: int) -> np.ndarray:
    """Small whole numbers on two axes of four: many rows are equal, and many equally near."""
    return np.random.default_rng(seed).integers(1, 3, size=(n, 2)) @ np.array(
        [[1, 0, 1, 0], [0, 1, 0, 1]]
    ).astype(np.float32)


def test_by_hand():
    vectors = np.array([[1, 0], [0, 2], [3, 3], [5, 0]], dtype=np.float32)
    near = exact_neighbours(vectors, 3)
    assert near.indices.tolist() == [[0, 3, 2], [1, 2, 0], [2, 0, 1], [3, 0, 2]]
    half = 1 - np.sqrt(0.5)
    expected = [[0, 0, half], [0, half, 1], [0, half, half], [0, 0, half]]
    np.testing.assert_allclose(near.distances, expected, atol=1e-6)
    assert near.distances[:, 0].tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("n", [1, 2, 5, 40, 700, 1_300])
def test_the_same_as_a_full_sort(n):
    vectors = np.random.default_rng(n).normal(size=(n, 24)).astype(np.float32)
    near = exact_neighbours(vectors, 15)
    indices, distances = brute_force(vectors, min(15, n))
    assert near.indices.tolist() == indices.tolist()
    np.testing.assert_allclose(near.distances, distances, atol=1e-6)


def test_of_equally_near_rows_the_lower_number_comes_first():
    # Every row is one of two unit vectors: each has hundreds of copies, far more than k.
    vectors = np.eye(2, dtype=np.float32)[np.random.default_rng(1).integers(0, 2, 900)]
    near = exact_neighbours(vectors, 6)
    indices, _ = brute_force(vectors, 6)
    assert near.indices.tolist() == indices.tolist()
    assert (near.distances == 0).all()


def test_blocks_change_nothing(monkeypatch):
    vectors = np.random.default_rng(0).normal(size=(300, 8)).astype(np.float32)
    whole = exact_neighbours(vectors, 7)
    monkeypatch.setattr(module, "BLOCK", 37)
    parts = exact_neighbours(vectors, 7)
    assert parts.indices.tolist() == whole.indices.tolist()
    np.testing.assert_allclose(parts.distances, whole.distances, atol=1e-6)


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 90), st.integers(1, 20), st.integers(0, 10_000))
def test_rows_and_distances_hold_together(n, k, seed):
    vectors = whole_vectors(n, seed)
    near = exact_neighbours(vectors, k)
    assert near.indices.shape == (n, min(k, n))
    assert near.indices[:, 0].tolist() == list(range(n))
    assert (np.diff(near.distances, axis=1) >= 0).all()
    assert all(len(set(row)) == len(row) for row in near.indices.tolist())


@pytest.mark.parametrize("share", [0.05, 0.6, 1.0])
def test_a_subset_has_the_neighbours_that_it_would_find_itself(share):
    rng = np.random.default_rng(2)
    vectors = rng.normal(size=(400, 12)).astype(np.float32)
    rows = rng.permutation(400)[: int(400 * share)]
    whole = exact_neighbours(vectors, 30)
    part = subset_neighbours(whole, vectors, rows, 10)
    alone = exact_neighbours(vectors[rows], 10)
    assert part.indices.tolist() == alone.indices.tolist()
    np.testing.assert_allclose(part.distances, alone.distances, atol=1e-6)
