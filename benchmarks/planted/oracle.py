"""A reader who knows where the slots are and how documents vary, and nothing else to find."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import norm

from planted.generator import WITHIN, Slots

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def agreement(slots: Slots, n_tests: int) -> tuple[Floats, Floats]:
    """Best estimate of the agreeing share of each test, and the information in it.

    A document with m slots of which k agree has variance m p (1 - p) (1 + (m - 1) rho), so it
    counts with weight 1 / (1 + (m - 1) rho).

    Returns
    -------
    share, information : ndarray, shape (n_tests,)
        The variance of the share is p (1 - p) / information.
    """
    n_documents = len(slots.theme)
    m = np.bincount(slots.document, minlength=n_documents)
    k = np.bincount(slots.document, slots.agrees, minlength=n_documents)
    weight = 1.0 / (1.0 + (m - 1) * WITHIN)
    information = np.bincount(slots.theme, weight * m, minlength=n_tests).astype(np.float64)
    agreeing = np.bincount(slots.theme, weight * k, minlength=n_tests).astype(np.float64)
    return agreeing / information, information


def ask_oracle(regions: Sequence[Slots], n_tests: int) -> tuple[Floats, Floats]:
    """Score test of equal agreement in every pair of regions.

    Returns
    -------
    difference, p_value : ndarray, shape (n_pairs, n_tests)
        First region less second, and the two-sided p.
    """
    found = [agreement(slots, n_tests) for slots in regions]
    differences, p_values = [], []
    for (one, weight_one), (other, weight_other) in combinations(found, 2):
        pooled = (one * weight_one + other * weight_other) / (weight_one + weight_other)
        variance = pooled * (1 - pooled) * (1 / weight_one + 1 / weight_other)
        differences.append(one - other)
        p_values.append(2 * norm.sf(np.abs(one - other) / np.sqrt(variance)))
    return np.array(differences), np.array(p_values)
