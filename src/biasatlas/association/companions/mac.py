"""Mean average cosine distance (Manzini, Lim, Black & Tsvetkov 2019)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biasatlas.association.companions.arrays import unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def mac(x: Floats, y: Floats, a: Floats, b: Floats) -> Floats:
    """Mean cosine distance of the targets from the attribute sets.

    Parameters
    ----------
    x, y, a, b : ndarray, shape (..., n, d)
        Word vectors; X and Y are taken together, A and B count alike whatever their sizes.

    Returns
    -------
    ndarray, shape (...)
        Mean over w in X and Y and over the two attribute sets of ``mean_v (1 - cos(w, v))``;
        1 where targets and attributes are orthogonal. It has no direction.

    References
    ----------
    Manzini, Lim, Black & Tsvetkov 2019, NAACL, doi:10.18653/v1/N19-1062, section 4.
    """
    targets = unit(np.concatenate([x, y], axis=-2)).mean(axis=-2)
    attributes = (unit(a).mean(axis=-2) + unit(b).mean(axis=-2)) / 2
    # The mean of cosines is the inner product of the means of unit vectors.
    return np.asarray(1.0 - (targets * attributes).sum(axis=-1))
