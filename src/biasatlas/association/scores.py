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
    scores = np.concatenate([scores_x, scores_y]).astype(np.float64)
    effect = float(effect_sizes(scores, len(scores_x)))
    if np.isnan(effect):
        raise ValueError("all association scores are equal, so d is undefined")
    return effect


def effect_sizes(scores: Floats, n_x: int) -> Floats:
    """Effect sizes d of many score vectors at once.

    Parameters
    ----------
    scores : ndarray, shape (..., n_x + n_y)
        Association scores of the target words, X first.
    n_x : int
        Size of X.

    Returns
    -------
    ndarray, shape (...)
        ``(mean_X s - mean_Y s) / sd(s)``, ddof = 1; NaN where a set is empty, where a score is
        not finite or where all scores are equal.
    """
    n = scores.shape[-1]
    if not 0 < n_x < n:
        return np.full(scores.shape[:-1], np.nan)
    centred = scores - scores.mean(axis=-1, keepdims=True)
    spread = np.sqrt(np.square(centred).sum(axis=-1) / (n - 1))
    difference = centred[..., :n_x].mean(axis=-1) - centred[..., n_x:].mean(axis=-1)
    # Below this bar the spread is rounding.
    usable = spread > 1e-12 * np.maximum(np.abs(scores).max(axis=-1), 1e-300)
    return np.divide(difference, spread, out=np.full_like(spread, np.nan), where=usable)
