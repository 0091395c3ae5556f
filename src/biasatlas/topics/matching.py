"""Female and male topics joined one to one, like strength with like."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]


def match_by_strength(female: Floats, male: Floats) -> list[tuple[int, int]]:
    """Join topics one to one so that the sum of the products of their strengths is largest.

    The product, not the sum, prefers like with like: with sums every matching of the same
    topics has the same total.

    Parameters
    ----------
    female, male : ndarray, shape (n_female,) and (n_male,)
        Strength of each topic: its absolute log odds.

    Returns
    -------
    list of (int, int)
        Places in `female` and in `male`, the largest product first.
    """
    from scipy.optimize import linear_sum_assignment

    weight = female[:, None] * male[None, :]
    rows, columns = linear_sum_assignment(weight, maximize=True)
    pairs = list(zip(rows.tolist(), columns.tolist(), strict=True))
    return sorted(pairs, key=lambda ij: (-weight[ij], ij))
