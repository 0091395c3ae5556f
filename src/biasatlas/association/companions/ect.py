"""Embedding coherence test (Dev & Phillips 2019)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biasatlas.association.companions.arrays import correlate, unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# Cosines that agree to this many decimals are ties: a word drawn twice, or two like vectors.
DECIMALS = 12


def ect(x: Floats, y: Floats, a: Floats, b: Floats) -> Floats:
    """Rank correlation between how near the targets stand to A and how near to B.

    Parameters
    ----------
    x, y, a, b : ndarray, shape (..., n, d)
        Raw word vectors; X and Y are taken together.

    Returns
    -------
    ndarray, shape (...)
        Spearman's correlation (ties share their mean rank) of ``cos(w, mean A)`` with
        ``cos(w, mean B)`` over w in X and Y; 1 where A and B order the targets alike. NaN where
        all targets stand equally near to one of the two, or where a mean is zero.

    References
    ----------
    Dev & Phillips 2019, AISTATS, PMLR 89:879-887, "embedding coherence test".
    """
    from scipy.stats import rankdata

    targets = unit(np.concatenate([x, y], axis=-2))
    ranks = []
    for attributes in (a, b):
        mean = attributes.mean(axis=-2)
        length = np.linalg.norm(mean, axis=-1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            cosines = np.einsum("...nd,...d->...n", targets, mean / length)
        ranks.append(rankdata(np.round(cosines, DECIMALS), axis=-1))
    return correlate(*ranks)
