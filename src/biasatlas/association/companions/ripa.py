"""Relational inner product association (Ethayarajh, Duvenaud & Hirst 2019)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biasatlas.association.companions.arrays import NOTHING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def ripa(x: Floats, y: Floats, a: Floats, b: Floats) -> Floats:
    """Mean inner product of X with the direction from B to A, minus that of Y.

    The source takes the first principal component of the differences of word pairs. The sets of
    an association test are not paired, so the direction is that between the two means.

    Parameters
    ----------
    x, y, a, b : ndarray, shape (..., n, d)
        Raw word vectors, not scaled to length one: the length is what RIPA keeps and the cosine
        loses.

    Returns
    -------
    ndarray, shape (...)
        ``mean_x <x, r> - mean_y <y, r>`` with ``r = (mean A - mean B) / ||mean A - mean B||``, in
        the units of the vectors; positive where X goes with A. NaN where the means of A and B
        are the same, so that there is no direction.

    References
    ----------
    Ethayarajh, Duvenaud & Hirst 2019, ACL, doi:10.18653/v1/P19-1166, definition 3.
    """
    mean_a, mean_b = a.mean(axis=-2), b.mean(axis=-2)
    relation = mean_a - mean_b
    length = np.linalg.norm(relation, axis=-1)
    scale = np.linalg.norm(mean_a, axis=-1) + np.linalg.norm(mean_b, axis=-1)
    # The mean of inner products is the inner product with the mean.
    product = ((x.mean(axis=-2) - y.mean(axis=-2)) * relation).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(length > NOTHING * scale, product / length, np.nan)
