"""Paired differences: are they as often and as far above zero as below."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# A difference below this is rounding: the two numbers are the same.
SAME = 1e-9


def signed_rank(differences: Floats) -> tuple[float, float]:
    """Two-sided Wilcoxon signed-rank p, and the smallest that so many differences can give.

    Parameters
    ----------
    differences : ndarray, shape (n,)
        One a unit. Differences of 0 say nothing about a direction and are left out.

    Returns
    -------
    p_value, p_min : float
        Exact up to 50 differences (with ties up to 13), beyond that by the normal distribution.
        Both 1 where no difference is left; NaN where there was none.
    """
    from scipy.stats import wilcoxon

    differences = np.asarray(differences, dtype=np.float64)
    if not differences.size:
        return float("nan"), float("nan")
    # Rounded, so that ties do not hang on the last bit.
    moved = np.round(differences[np.abs(differences) > SAME], 9)
    if not moved.size:
        return 1.0, 1.0
    return float(wilcoxon(moved).pvalue), min(1.0, 2.0 ** (1 - len(moved)))
