"""Exact nearest neighbours of unit vectors, from matrix products in blocks of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Integers = NDArray[np.int64]

# Rows of a block: the product is fastest here, and a block of 60,000 columns takes 120 MB.
BLOCK = 512
# Columns of a group; only the groups with the largest maxima are looked into.
GROUP = 32
# Above so many rows the search in cells takes less time (docs/topic_speed.md).
EXACT_LIMIT = 20_000


@dataclass(frozen=True)
class Neighbours:
    """The nearest rows of each row, nearest first, itself in front.

    Attributes
    ----------
    indices : ndarray of int32, shape (n, k)
    distances : ndarray of float32, shape (n, k)
        1 - cosine; 0 for the row itself.
    """

    indices: NDArray[np.int32]
    distances: Floats

    def nearest(self, k: int) -> Neighbours:
        """The first k neighbours of each row, itself among them."""
        return Neighbours(self.indices[:, :k], self.distances[:, :k])


def exact_neighbours(embeddings: Floats, k: int) -> Neighbours:
    """Find the k nearest rows of each row by cosine.

    Parameters
    ----------
    embeddings : ndarray, shape (n, d)
        Rows other than zero; their length does not matter.
    k : int
        Neighbours, the row itself among them; at most n are given.

    Returns
    -------
    Neighbours
        Of equally near rows the one with the lower number comes first. The memory beyond the
        result is a block of `BLOCK` x n similarities, whatever n is.
    """
    unit = unit_rows(embeddings)
    n = len(unit)
    return search_all(unit, np.arange(n), min(k, n))


def find_neighbours(embeddings: Floats, k: int) -> Neighbours:
    """Exact neighbours up to `EXACT_LIMIT` rows, nearly exact ones above."""
    if len(embeddings) <= EXACT_LIMIT:
        return exact_neighbours(embeddings, k)
    from biasatlas.topics.cells import cell_neighbours

    return cell_neighbours(embeddings, k)


def subset_neighbours(
    whole: Neighbours, embeddings: Floats, rows: Integers | Sequence[int], k: int
) -> Neighbours:
    """Find the k nearest rows within some of the rows; exact where `whole` is.

    Parameters
    ----------
    whole : Neighbours
        Of all rows, with more than k neighbours: those that are left in the subset are its
        nearest. A row that has too few left is searched anew.
    embeddings : ndarray, shape (n, d)
    rows : sequence of int
        Rows of the subset, in the order in which it has them; no repeats.
    k : int
        Neighbours within the subset, the row itself among them.

    Returns
    -------
    Neighbours
        Numbered within the subset.
    """
    chosen = np.asarray(rows, dtype=np.int64)
    k = min(k, len(chosen))
    place = np.full(len(embeddings), -1, dtype=np.int32)
    place[chosen] = np.arange(len(chosen), dtype=np.int32)
    candidates = place[whole.indices[chosen]]
    left = candidates >= 0
    width = min(k, candidates.shape[1])
    first = np.argsort(~left, axis=1, kind="stable")[:, :width]
    indices = np.zeros((len(chosen), k), dtype=np.int32)
    distances = np.zeros((len(chosen), k), dtype=np.float32)
    indices[:, :width] = np.take_along_axis(candidates, first, axis=1)
    distances[:, :width] = np.take_along_axis(whole.distances[chosen], first, axis=1)
    short = np.flatnonzero(left.sum(axis=1) < k)
    if short.size:
        again = search_all(unit_rows(embeddings[chosen]), short, k)
        indices[short], distances[short] = again.indices, again.distances
    return Neighbours(indices, distances)


def unit_rows(embeddings: Floats) -> Floats:
    """Rows of length 1."""
    rows = np.asarray(embeddings, dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def search_all(unit: Floats, rows: Integers, k: int) -> Neighbours:
    """The k nearest of all rows for those asked for."""
    columns = _padded(unit)
    indices = np.empty((len(rows), k), dtype=np.int32)
    distances = np.empty((len(rows), k), dtype=np.float32)
    for start in range(0, len(rows), BLOCK):
        part = slice(start, start + BLOCK)
        indices[part], distances[part] = _nearest(
            unit[rows[part]], rows[part], columns, len(unit), k
        )
    return Neighbours(indices, distances)


def _padded(unit: Floats) -> Floats:
    """Rows as columns, filled up to whole groups, so that column c is in group c % n_groups."""
    columns = np.zeros((unit.shape[1], -(-len(unit) // GROUP) * GROUP), dtype=np.float32)
    columns[:, : len(unit)] = unit.T
    return columns


def _nearest(
    queries: Floats, own: Integers, columns: Floats, n: int, k: int
) -> tuple[Integers, Floats]:
    """Columns and distances of the k nearest of n; `own` is the column of each query itself."""
    similarity = queries @ columns
    similarity[:, n:] = -np.inf
    # A copy of a row is as near as the row itself, which must stand first.
    similarity[np.arange(len(own)), own] = np.inf
    found = _largest(similarity, k, columns.shape[1] // GROUP)
    distances = np.maximum(0, 1 - np.take_along_axis(similarity, found, axis=1))
    return found, distances


def _largest(similarity: Floats, k: int, n_groups: int) -> Integers:
    """Columns of the k largest values of each row, the largest first, then the lower column.

    The k + 1 largest values lie in the k + 1 groups with the largest maxima, so only these are
    sorted. Where the last value equals the next one the row is sorted whole.
    """
    if k + 1 >= n_groups:
        return np.argsort(-similarity, axis=1, kind="stable")[:, :k]
    maxima = similarity.reshape(len(similarity), GROUP, n_groups).max(axis=1)
    groups = np.argpartition(-maxima, k, axis=1)[:, : k + 1]
    columns = (groups[:, :, None] + n_groups * np.arange(GROUP)).reshape(len(similarity), -1)
    values = np.take_along_axis(similarity, columns, axis=1)
    best = np.argpartition(-values, k, axis=1)[:, : k + 1]
    columns = np.take_along_axis(columns, best, axis=1)
    values = np.take_along_axis(values, best, axis=1)
    order = np.lexsort((columns, -values), axis=1)
    columns = np.take_along_axis(columns, order, axis=1)
    values = np.take_along_axis(values, order, axis=1)
    for row in np.flatnonzero(values[:, k - 1] == values[:, k]):
        equal = np.flatnonzero(similarity[row] >= values[row, k - 1])
        columns[row, :k] = equal[np.argsort(-similarity[row, equal], kind="stable")[:k]]
    return columns[:, :k]
