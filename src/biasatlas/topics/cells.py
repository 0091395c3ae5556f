"""Nearly exact nearest neighbours of many unit vectors, without comparing all with all.

UMAP's own search (pynndescent) is as good and as fast, but compiles for 22 s in every process,
which is more than this whole search takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from biasatlas.topics.neighbours import BLOCK, Neighbours, search_all, unit_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Integers = NDArray[np.int64]

# Cells, and how many of them each row looks into.
N_CELLS, PROBED = 128, 16
# Rounds of looking through the neighbours of neighbours.
ROUNDS = 2


def cell_neighbours(embeddings: Floats, k: int) -> Neighbours:
    """Find nearly all of the k nearest rows of each row by cosine.

    Rows are put into cells round centres, and each row is compared with the rows of the cells
    whose centres are nearest to it (an inverted file: Jegou et al. 2011). Then each row looks
    through the neighbours of its neighbours (Dong et al. 2011). No random numbers: the same rows
    give the same neighbours.

    Parameters
    ----------
    embeddings : ndarray, shape (n, d)
        Rows other than zero; their length does not matter.
    k : int
        Neighbours, the row itself among them; at most n are given.

    Returns
    -------
    Neighbours
        Exact where n is so small that every row looks into every cell.
    """
    unit = unit_rows(embeddings)
    n = len(unit)
    k = min(k, n)
    # Cells of fewer rows than k would leave a row with too few neighbours.
    centres = _centres(unit, max(1, min(N_CELLS, n // (2 * k))))
    indices = np.zeros((n, k), dtype=np.int32)
    # A copy of a row is as near as the row itself, which must stand first.
    indices[:, 0] = np.arange(n)
    cosines = np.full((n, k), -np.inf, dtype=np.float32)
    cosines[:, 0] = np.inf
    liked = _liked(unit, centres)
    for one in range(len(centres)):
        members = np.flatnonzero(liked[:, 0] == one)
        rows = np.ascontiguousarray(unit[members].T)
        visitors = np.flatnonzero((liked == one).any(axis=1))
        for start in range(0, len(visitors), BLOCK):
            part = visitors[start : start + BLOCK]
            _take(unit[part] @ rows, part, members, indices, cosines)
    for _ in range(ROUNDS):
        indices, cosines = _look_through(unit, indices, cosines)
    short = np.flatnonzero(np.isneginf(cosines[:, -1]))
    distances = np.maximum(np.float32(0), 1 - cosines)
    distances[:, 0] = 0
    if short.size:
        whole = search_all(unit, short, k)
        indices[short], distances[short] = whole.indices, whole.distances
    return Neighbours(indices, distances)


def _centres(unit: Floats, n_cells: int) -> Floats:
    """Centres of cells by spherical k-means on evenly spaced rows, 64 a cell."""
    sample = unit[np.linspace(0, len(unit) - 1, min(len(unit), 64 * n_cells)).astype(int)]
    centres = sample[np.linspace(0, len(sample) - 1, n_cells).astype(int)].copy()
    for _ in range(10):
        nearest = (sample @ centres.T).argmax(axis=1)
        for one in np.unique(nearest):
            mean = sample[nearest == one].sum(axis=0)
            centres[one] = mean / max(float(np.linalg.norm(mean)), 1e-12)
    return centres


def _liked(unit: Floats, centres: Floats) -> Integers:
    """The nearest centres of each row, the nearest first."""
    some = min(PROBED, len(centres))
    liked = np.empty((len(unit), some), dtype=np.int64)
    for start in range(0, len(unit), 8192):
        likeness = unit[start : start + 8192] @ centres.T
        liked[start : start + 8192] = np.argsort(-likeness, axis=1, kind="stable")[:, :some]
    return liked


@njit(inline="always")
def _insert(indices, cosines, row, other, cosine):  # type: ignore[no-untyped-def]
    """Put a neighbour into its place, behind equally near ones; the last one falls out."""
    place = indices.shape[1] - 1
    while place > 1 and cosines[row, place - 1] < cosine:
        cosines[row, place] = cosines[row, place - 1]
        indices[row, place] = indices[row, place - 1]
        place -= 1
    cosines[row, place] = cosine
    indices[row, place] = other


@njit(cache=True)
def _take(similarity, rows, members, indices, cosines):  # type: ignore[no-untyped-def]
    """Take those members of a cell that are nearer than the neighbours found before."""
    k = indices.shape[1]
    for one in range(len(rows)):
        row = rows[one]
        for other in range(len(members)):
            cosine = similarity[one, other]
            if cosine > cosines[row, k - 1] and members[other] != row:
                _insert(indices, cosines, row, members[other], cosine)


# Not all of fastmath, which would do away with infinities.
@njit(fastmath={"reassoc", "contract"}, cache=True)
def _look_through(unit, indices, cosines):  # type: ignore[no-untyped-def]
    """Each row's k nearest among its neighbours and theirs; the arrays given stay as they are."""
    n, k = indices.shape
    width = unit.shape[1]
    better, nearer = indices.copy(), cosines.copy()
    seen = np.full(n, -1, np.int64)
    for row in range(n):
        for place in range(k):
            seen[indices[row, place]] = row
        for place in range(1, k):
            for step in range(1, k):
                other = indices[indices[row, place], step]
                if seen[other] == row:
                    continue
                seen[other] = row
                cosine = np.float32(0)
                for d in range(width):
                    cosine += unit[row, d] * unit[other, d]
                if cosine > nearer[row, k - 1]:
                    _insert(better, nearer, row, other, cosine)
    return better, nearer
