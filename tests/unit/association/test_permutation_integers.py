"""Permutation p-values of whole numbers against an independent count in integers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from biasatlas.association import permutation_test


def integer_counts(pooled: np.ndarray, size: int, threshold: int) -> tuple[int, int]:
    """Count the subsets with sum >= threshold and > threshold, in integers of any length.

    The number of subsets of each size and sum is a field of one long integer.
    """
    assert min(pooled) >= 0
    words = len(pooled)
    field = math.comb(words, size).bit_length() + 1
    by_size = [1] + [0] * size
    for seen, score in enumerate(pooled):
        for taken in range(min(size, seen + 1), max(0, size - words + seen), -1):
            by_size[taken] += by_size[taken - 1] << (field * int(score))
    at_least, above = (by_size[size] >> (field * (threshold + extra)) for extra in (0, 1))
    # Modulo 2**field - 1 a number is the sum of its fields.
    return at_least % ((1 << field) - 1), above % ((1 << field) - 1)


def integer_case(half: int, largest: int, deviations: float, seed: int):
    """Sets of integers whose X is so many deviations above what chance gives."""
    rng = np.random.default_rng(seed)
    pooled = rng.integers(0, largest + 1, 2 * half)
    deviation = pooled.std() * math.sqrt(half / 2)
    target = pooled.sum() / 2 + deviations * deviation
    x, y = list(pooled[:half]), list(pooled[half:])
    for _ in range(100_000):
        if sum(x) >= target:
            break
        one, two = rng.integers(half, size=2)
        if x[one] < y[two]:
            x[one], y[two] = y[two], x[one]
    return np.array(x), np.array(y)


@pytest.mark.parametrize("half", [12, 20, 25])
@pytest.mark.parametrize(("largest", "deviations"), [(4, -0.5), (999, 0.5), (999, 3.0)])
def test_exact_p_equals_counts_in_integers(half, largest, deviations):
    x, y = integer_case(half, largest, deviations, seed=half)
    counts = integer_counts(np.concatenate([x, y]), half, int(x.sum()))
    total = math.comb(2 * half, half)
    result = permutation_test(x / 7, y / 7)
    assert result.method == "exact"
    assert (result.p_value, result.p_strict) == tuple(count / total for count in counts)


@pytest.mark.parametrize(("n_x", "n_y"), [(9, 30), (27, 13)])
def test_exact_two_sided_p_of_unequal_sets(n_x, n_y):
    x, y = integer_case(20, 400, 1.0, seed=n_x)
    pooled = np.concatenate([x, y])[: n_x + n_y]
    total, spread = math.comb(n_x + n_y, n_x), pooled.sum() * n_x
    # |n sum_X - n_x sum| reaches the observed value on either side.
    far = abs((n_x + n_y) * int(pooled[:n_x].sum()) - int(spread))
    above = -(-(int(spread) + far) // (n_x + n_y))
    below = (int(spread) - far) // (n_x + n_y)
    count = integer_counts(pooled, n_x, above)[0] + total - integer_counts(pooled, n_x, below)[1]
    assert permutation_test(pooled[:n_x], pooled[n_x:]).p_two_sided == count / total


@pytest.mark.parametrize(
    ("half", "largest", "deviations", "expected"),
    [
        (40, 500, 1.2, 1e-1),
        (100, 250, 1.0, 1e-1),
        (100, 250, 3.5, 1e-4),
        (50, 1000, 6.6, 1e-12),
        (50, 2500, 7.85, 1e-20),
    ],
)
def test_band_holds_counts_in_integers(half, largest, deviations, expected):
    x, y = integer_case(half, largest, deviations, seed=half)
    at_least, above = integer_counts(np.concatenate([x, y]), half, int(x.sum()))
    p, strict = (count / math.comb(2 * half, half) for count in (at_least, above))
    assert 0.01 * expected < p < 10 * expected
    result = permutation_test(x / 3, y / 3, relative_width=0.01)
    assert result.method == ("certified" if expected > 1e-3 else "certified_tail")
    assert result.p_strict <= strict < p <= result.p_value
    assert result.p_upper - result.p_lower <= 0.01 * p
    if expected == 1e-1:
        # The mirror image: p near 1 is as wide as what is left of it.
        mirrored = permutation_test(y / 3, x / 3, relative_width=0.01)
        assert mirrored.p_value == 1 - result.p_strict
        assert mirrored.p_two_sided == result.p_two_sided
