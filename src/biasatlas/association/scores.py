"""WEAT's definitions on arrays (Caliskan, Bryson & Narayanan 2017)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def unit_rows(matrix: Floats) -> Floats:
    """Scale each row to length one.

    Parameters
    ----------
    matrix : ndarray, shape (n, d)

    Raises
    ------
    ValueError
        When a row is zero or not finite: its cosine with anything is undefined.
    """
    matrix = np.asarray(matrix, dtype=np.float64)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    bad = np.flatnonzero(~np.isfinite(lengths[:, 0]) | (lengths[:, 0] == 0))
    if bad.size:
        raise ValueError(f"rows {bad.tolist()} are zero or not finite; they have no cosine")
    return matrix / lengths


def cosines(left: Floats, right: Floats) -> Floats:
    """Cosine of each row of `left` with each row of `right`, shape (n_left, n_right)."""
    return unit_rows(left) @ unit_rows(right).T


def word_associations(targets: Floats, a: Floats, b: Floats) -> Floats:
    """Association of each target word with A rather than B.

    Parameters
    ----------
    targets : ndarray, shape (n, d)
    a, b : ndarray, shape (n_a, d) and (n_b, d)
        Vectors of the attribute sets.

    Returns
    -------
    ndarray, shape (n,)
        ``s(w, A, B) = mean_a cos(w, a) - mean_b cos(w, b)``, equation 3 of the source.
    """
    return cosines(targets, a).mean(axis=1) - cosines(targets, b).mean(axis=1)


def statistic(scores_x: Floats, scores_y: Floats) -> float:
    """Difference of the mean associations of X and Y; sets may differ in size."""
    return float(np.mean(scores_x) - np.mean(scores_y))


def effect_size(scores_x: Floats, scores_y: Floats) -> float:
    """Effect size d: the statistic over the standard deviation of all scores, ddof = 1.

    Only ddof = 1 gives the published values of Caliskan et al. (2017). For two sets of equal
    size n, ``|d| <= 2 sqrt((2n - 1) / 2n)``, just under 2.

    Raises
    ------
    ValueError
        When all scores are equal: d is then undefined.
    """
    scores = np.concatenate([scores_x, scores_y])
    spread = float(np.std(scores, ddof=1))
    if not spread > 1e-12 * max(float(np.abs(scores).max()), 1e-300):
        raise ValueError("all association scores are equal, so d is undefined")
    return statistic(scores_x, scores_y) / spread
