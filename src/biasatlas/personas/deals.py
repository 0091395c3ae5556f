"""P-values over topics: the genders dealt anew to them, or their log odds permuted."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from biasatlas.personas.intervals import NONE, Interval, Z

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Booleans = NDArray[np.bool_]

# Topics of one region up to which the words' permutation test counts every deal in no time.
COUNTED = 36
# States of the exact count over several regions; more of them are sampled instead.
STATES = 100_000
# Sums nearer than this, in units of the largest value, are one sum; and are ties.
SAME = 1e-11
TIE = 1e-9
# Deals looked at in one go.
CHUNK = 10_000


class DealTest(NamedTuple):
    """Two-sided p, the smallest there could be, and whether every deal was counted."""

    p_value: float
    p_min: float
    exact: bool


class Correlation(NamedTuple):
    """Spearman's correlation within regions, its interval and its two-sided p."""

    value: float
    interval: Interval
    p_value: float


NO_CORRELATION = Correlation(math.nan, NONE, math.nan)


def deal_test(
    values: Floats, female: Booleans, regions: Integers, *, permutations: int, seed: int
) -> DealTest:
    """Test whether female topics have other values than male ones of the same region.

    Parameters
    ----------
    values : ndarray, shape (n,)
    female : ndarray of bool, shape (n,)
        Both genders occur.
    regions : ndarray of int, shape (n,)
    permutations, seed : int
        Deals drawn where they are too many to be counted; the observed one counts as one more,
        so that ``p = (1 + #) / (1 + permutations)``.

    Notes
    -----
    The statistic is ``T = sum over female topics of (value - mean of the region)``, which is
    ``sum over regions of n_f n_m / n (mean of female - mean of male)``. A deal gives as many
    topics of a region the gender female as have it. p is the share of deals with ``|T|`` at
    least the observed one. For shares of female personas T says the same as the mismatch, which
    is a constant less ``2 T / n``.
    """
    n, k = _sizes(regions, female)
    centred = values - (np.bincount(regions, values) / np.maximum(n, 1))[regions]
    scale = float(np.abs(centred).max())
    total = math.prod(math.comb(a, b) for a, b in zip(n.tolist(), k.tolist(), strict=True))
    p_min = _smallest(total, n, k)
    if scale <= TIE * max(float(np.abs(values).max()), TIE):
        return DealTest(1.0, p_min, exact=True)
    if np.count_nonzero(n) == 1 and values.size <= COUNTED:
        from biasatlas.association.permutation import permutation_test

        counted = permutation_test(values[female], values[~female])
        return DealTest(max(counted.p_two_sided, p_min), p_min, exact=True)
    observed = abs(float(centred[female].sum())) - TIE * scale
    sums = _sums(centred / scale, regions, n, k)
    if sums is not None:
        value, ways = sums
        p = float(ways[np.abs(value) * scale >= observed].sum() / ways.sum())
        return DealTest(min(max(p, p_min), 1.0), p_min, exact=True)
    order = np.argsort(regions, kind="stable")
    layout = tuple((a, b) for a, b in zip(n.tolist(), k.tolist(), strict=True) if a)
    dealt = draw_deals(layout, permutations, seed)
    extreme = sum(
        int((np.abs(dealt[i : i + CHUNK] @ centred[order]) >= observed).sum())
        for i in range(0, permutations, CHUNK)
    )
    p_min = max(p_min, 1 / (1 + permutations))
    return DealTest((1 + extreme) / (1 + permutations), p_min, exact=False)


def within_effect(values: Floats, female: Booleans, regions: Integers) -> float:
    """Mean of female less mean of male topics within regions: T by its largest possible weight.

    ``sum of w (mean of female - mean of male) / sum of w`` with ``w = n_f n_m / n`` of each region;
    NaN where no region has both genders. It has the sign that `deal_test` tests, which a
    difference over all regions together need not have (Simpson 1951).
    """
    n, k = _sizes(regions, female)
    filled = np.maximum(n, 1)
    weight = float((k * (n - k) / filled).sum())
    centred = values - (np.bincount(regions, values) / filled)[regions]
    return math.fsum(centred[female].tolist()) / weight if weight else math.nan


def _sizes(regions: Integers, female: Booleans) -> tuple[Integers, Integers]:
    n = np.bincount(regions)
    return n, np.bincount(regions[female], minlength=n.size)


def _smallest(total: int, n: Integers, k: Integers) -> float:
    from biasatlas.association.permutation.p_value import smallest_p

    # With as many of each gender in every region, a deal and its mirror are equally extreme.
    free = (k > 0) & (k < n)
    mirrored = bool((2 * k[free] == n[free]).all()) and total > 1
    return min(2 * smallest_p(total), 1.0) if mirrored else smallest_p(total)


def _sums(
    values: Floats, regions: Integers, n: Integers, k: Integers
) -> tuple[Floats, Floats] | None:
    """Every sum of a deal and in how many ways it comes; None where they are too many."""
    value, ways = np.zeros(1), np.ones(1)
    for region in np.flatnonzero((k > 0) & (k < n)):
        found = _region_sums(values[regions == region], int(k[region]))
        if found is None or found[0].size * value.size > 10 * STATES:
            return None
        value = np.add.outer(value, found[0]).ravel()
        # As shares: the ways of many regions would leave the range of numbers.
        ways = np.multiply.outer(ways, found[1] / found[1].sum()).ravel()
        _, value, ways = _merge(np.zeros(value.size, dtype=np.int64), value, ways)
        if value.size > STATES:
            return None
    return value, ways


def _region_sums(values: Floats, k: int) -> tuple[Floats, Floats] | None:
    """Sums of all sets of k of the values, equal values taken at once."""
    _, first, copies = np.unique(np.round(values / SAME), return_index=True, return_counts=True)
    taken, value, ways = np.zeros(1, dtype=np.int64), np.zeros(1), np.ones(1)
    left = values.size
    for one, many in zip(values[first], copies.tolist(), strict=True):
        left -= many
        if taken.size * (many + 1) > 10 * STATES:
            return None
        j = np.arange(many + 1)
        choices = np.array([math.comb(many, i) for i in j.tolist()], dtype=np.float64)
        taken = np.add.outer(taken, j).ravel()
        value = np.add.outer(value, j * one).ravel()
        ways = np.multiply.outer(ways, choices).ravel()
        fits = (taken <= k) & (taken + left >= k)
        taken, value, ways = _merge(taken[fits], value[fits], ways[fits])
        if taken.size > STATES:
            return None
    return value, ways


def _merge(taken: Integers, value: Floats, ways: Floats) -> tuple[Integers, Floats, Floats]:
    """Put states with as many topics and the same sum together."""
    key = taken * (1 << 48) + np.round(value / SAME).astype(np.int64)
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    merged = np.asarray(np.bincount(place.ravel(), ways), dtype=np.float64)
    return taken[first], value[first], merged


@lru_cache(maxsize=4)
def draw_deals(layout: tuple[tuple[int, int], ...], permutations: int, seed: int) -> Booleans:
    """Deal genders: which topics are female, shape (permutations, n), region by region."""
    rng = np.random.default_rng([seed, 2, *(size for pair in layout for size in pair)])
    parts = []
    for n, k in layout:
        places = np.argsort(rng.random((permutations, n)), axis=1)
        parts.append(places < k)
    dealt = np.hstack(parts)
    dealt.flags.writeable = False
    return dealt


def correlate(
    values: Floats, log_odds: Floats, regions: Integers, *, permutations: int, seed: int
) -> Correlation:
    """Spearman's correlation of values with log odds; over several regions, within them.

    Parameters
    ----------
    values, log_odds : ndarray, shape (n,)
        Topics where one is NaN are left out; with fewer than four topics, or where one of both
        does not vary, there is no correlation.
    regions : ndarray of int, shape (n,)
    permutations, seed : int

    Notes
    -----
    Ranks are taken in each region, as shares of its number of topics, and centred there: that
    regions differ in level says nothing of their topics. For one region it is Spearman's
    correlation. The interval is that of Bonett and Wright on Fisher's z, with variance
    ``(1 + r^2 / 2) / (n - 2 - number of regions)``; at a perfect correlation half a step of r is
    taken off. p is the share of permutations within regions with ``|r|`` at least the observed
    one, which counts as one more.

    References
    ----------
    Bonett & Wright 2000, Sample size requirements for estimating Pearson, Kendall and Spearman
    correlations, Psychometrika 65(1).
    """
    known = ~(np.isnan(values) | np.isnan(log_odds))
    if known.sum() < 4:
        return NO_CORRELATION
    order = np.flatnonzero(known)[np.argsort(regions[known], kind="stable")]
    sizes = tuple(np.unique(regions[order], return_counts=True)[1].tolist())
    x, y = (_ranks(column[order], sizes) for column in (values, log_odds))
    norm = math.sqrt(float(x @ x) * float(y @ y))
    if norm <= TIE:
        return NO_CORRELATION
    r = float(np.clip(x @ y / norm, -1, 1))
    drawn = draw_orders(sizes, permutations, seed)
    extreme = sum(
        int((np.abs(y[drawn[i : i + CHUNK]] @ x) >= (abs(r) - TIE) * norm).sum())
        for i in range(0, permutations, CHUNK)
    )
    p_value = (1 + extreme) / (1 + permutations)
    return Correlation(r, spearman_interval(r, len(x), len(sizes)), p_value)


def _ranks(values: Floats, sizes: tuple[int, ...]) -> Floats:
    from scipy.stats import rankdata

    parts = np.split(values, np.cumsum(sizes)[:-1])
    return np.concatenate([(rankdata(part) - (part.size + 1) / 2) / part.size for part in parts])


def spearman_interval(r: float, n: int, n_regions: int = 1) -> Interval:
    """95% interval of Spearman's correlation; without ends where topics are too few."""
    freedom = n - 2 - n_regions
    if freedom < 1:
        return NONE
    edge = 1 - 6 / (n**3 - n)
    inside = float(np.clip(r, -edge, edge))
    half = Z * math.sqrt((1 + inside**2 / 2) / freedom)
    z = math.atanh(inside)
    low, high = math.tanh(z - half), math.tanh(z + half)
    return Interval(min(low, r) if r <= -edge else low, max(high, r) if r >= edge else high)


@lru_cache(maxsize=4)
def draw_orders(sizes: tuple[int, ...], permutations: int, seed: int) -> Integers:
    """Orders of topics within their regions, shape (permutations, n)."""
    rng = np.random.default_rng([seed, 3, *sizes])
    starts = np.cumsum([0, *sizes[:-1]])
    orders = [
        np.argsort(rng.random((permutations, size)), axis=1) + start
        for size, start in zip(sizes, starts, strict=True)
    ]
    drawn = np.hstack(orders)
    drawn.flags.writeable = False
    return drawn
