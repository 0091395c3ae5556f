"""The search in cells against the exact one."""

from __future__ import annotations

import numpy as np
import pytest

from biasatlas.topics import neighbours
from biasatlas.topics.cells import cell_neighbours
from biasatlas.topics.neighbours import exact_neighbours, find_neighbours


def clustered(n: int, seed: int = 0) -> np.ndarray:
    """Overlapping groups in 32 dimensions, rows of any length."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(40, 32))
    rows = centres[rng.integers(0, 40, n)] + rng.normal(scale=0.7, size=(n, 32))
    return (rows * rng.uniform(0.5, 2, size=(n, 1))).astype(np.float32)


@pytest.mark.parametrize("n", [1, 2, 14, 33, 450])
def test_exact_where_every_cell_is_looked_into(n):
    vectors = clustered(n)
    found, exact = cell_neighbours(vectors, 15), exact_neighbours(vectors, 15)
    assert found.indices.tolist() == exact.indices.tolist()
    np.testing.assert_allclose(found.distances, exact.distances, atol=1e-6)


def test_nearly_all_neighbours_among_many_cells():
    vectors = clustered(5_000)
    found, exact = cell_neighbours(vectors, 15), exact_neighbours(vectors, 15)
    shared = [
        len({*a} & {*b})
        for a, b in zip(found.indices.tolist(), exact.indices.tolist(), strict=True)
    ]
    assert np.mean(shared) / 15 > 0.95
    assert (found.distances >= exact.distances - 1e-6).all()


def test_form_of_the_neighbours():
    vectors = clustered(3_000, seed=1)
    near = cell_neighbours(vectors, 12)
    assert near.indices[:, 0].tolist() == list(range(3_000))
    assert (near.distances[:, 0] == 0).all()
    assert (np.diff(near.distances, axis=1) >= 0).all()
    assert all(len(set(row)) == 12 for row in near.indices.tolist())
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosine = (unit[:, None] * unit[near.indices]).sum(axis=2)
    np.testing.assert_allclose(near.distances, 1 - cosine, atol=1e-5)
    again = cell_neighbours(vectors, 12)
    assert np.array_equal(near.indices, again.indices)
    assert np.array_equal(near.distances, again.distances)


def test_copies_beyond_number_have_neighbours_too():
    """All rows of a few kinds: most cells are empty, and one cell holds a third."""
    vectors = np.eye(3, dtype=np.float32)[np.random.default_rng(0).integers(0, 3, 2_000)]
    near = cell_neighbours(vectors, 15)
    assert (near.distances == 0).all()
    assert near.indices[:, 0].tolist() == list(range(2_000))
    assert all(len(set(row)) == 15 for row in near.indices.tolist())
    assert (vectors[near.indices] == vectors[:, None]).all()


def test_the_number_of_rows_decides_which_search(monkeypatch):
    vectors = clustered(1_200)
    exact = exact_neighbours(vectors, 15)
    assert np.array_equal(find_neighbours(vectors, 15).indices, exact.indices)
    monkeypatch.setattr(neighbours, "EXACT_LIMIT", 1_199)
    assert np.array_equal(
        find_neighbours(vectors, 15).indices, cell_neighbours(vectors, 15).indices
    )
