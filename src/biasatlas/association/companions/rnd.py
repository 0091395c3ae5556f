"""Relative norm distance (Garg, Schiebinger, Jurafsky & Zou 2018)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biasatlas.association.companions.arrays import unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def rnd(x: Floats, y: Floats, a: Floats, b: Floats) -> Floats:
    """How much nearer X stands to A than to B, compared with Y.

    Parameters
    ----------
    x, y, a, b : ndarray, shape (..., n, d)
        Word vectors; they are scaled to length one, the means of A and of B are not.

    Returns
    -------
    ndarray, shape (...)
        ``mean_x r(x) - mean_y r(y)`` with ``r(w) = ||w - mean B|| - ||w - mean A||``; positive
        where X goes with A. The source sums ``||w - mean A|| - ||w - mean B||`` over one set of
        neutral words; here it is a mean, so that the size of a set plays no part, a difference
        of two sets, and of the other sign.

    References
    ----------
    Garg, Schiebinger, Jurafsky & Zou 2018, PNAS 115(16), doi:10.1073/pnas.1720347115, equation 3.
    """
    mean_a, mean_b = unit(a).mean(axis=-2), unit(b).mean(axis=-2)
    return _nearness(unit(x), mean_a, mean_b) - _nearness(unit(y), mean_a, mean_b)


def _nearness(words: Floats, mean_a: Floats, mean_b: Floats) -> Floats:
    to_a = np.linalg.norm(words - mean_a[..., None, :], axis=-1)
    to_b = np.linalg.norm(words - mean_b[..., None, :], axis=-1)
    return np.asarray((to_b - to_a).mean(axis=-1))
