"""Intervals with topics as their units: bootstrap over topics, Wilson, and sums of both."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Booleans = NDArray[np.bool_]

LEVEL = 0.95
# Quantile of the normal distribution at 97.5%.
Z = 1.959963984540054
# With fewer units in a group a bootstrap covers 67 to 92% where it says 95%.
FEWEST = 5
# A spread below this is rounding.
ROUNDING = 1e-12


class Interval(NamedTuple):
    """Both ends; NaN where there is none."""

    low: float
    high: float


NONE = Interval(math.nan, math.nan)


def wilson(shares: Floats, n: Floats) -> tuple[Floats, Floats]:
    """95% Wilson intervals of shares.

    Parameters
    ----------
    shares : ndarray, shape (k,)
        Shares, which need not be a whole number of the n: the mean of numbers from 0 to 1 has at
        most the variance of a share, so with these the interval is too wide rather than too
        narrow.
    n : ndarray, shape (k,)
        Units behind each; with 0 the ends are NaN.

    Notes
    -----
    ``(p + z^2 / 2n -+ z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n)``

    References
    ----------
    Wilson 1927, Probable inference, Journal of the American Statistical Association 22(158).
    """
    shares = np.asarray(shares, dtype=np.float64)
    n = np.asarray(n, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        each = Z**2 / n
        half = Z * np.sqrt(shares * (1 - shares) / n + each / (4 * n))
        low = (shares + each / 2 - half) / (1 + each)
        high = (shares + each / 2 + half) / (1 + each)
    known = n > 0
    # At a share of 0 or 1 rounding would leave the ends a hair beside it.
    low = np.where(shares == 0, 0.0, np.clip(low, 0, 1))
    high = np.where(shares == 1, 1.0, np.clip(high, 0, 1))
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


def near_edge(total: float, n: int) -> bool:
    """Whether shares, or what they lack of 1, add up to less than one topic.

    There a bootstrap shows little of what other topics would do: with a true mean of 0.05 over
    20 topics it covers 84%, and a log odds ratio less yet.
    """
    return min(total, n - total) < 1


def mean_interval(values: Floats, draws: Resamples | None) -> tuple[Interval, str]:
    """Interval of the mean of shares, and its name: bootstrap, or Wilson's where that fails.

    Parameters
    ----------
    values : ndarray, shape (n,)
        Between 0 and 1.
    draws : Resamples or None
    """
    total = math.fsum(values.tolist())
    if draws is None or near_edge(total, values.size):
        return wilson_mean(values), "wilson"
    return draws.interval(draws.sums(values) / values.size, values), "bootstrap"


def wilson_mean(values: Floats) -> Interval:
    """Wilson interval of the mean of numbers from 0 to 1, each of them one unit."""
    low, high = wilson(np.array([values.mean()]), np.array([values.size]))
    return Interval(float(low[0]), float(high[0]))


def log_odds_ratio(first: Floats, n_first: int, second: Floats, n_second: int) -> Floats:
    """Log odds ratio of two sums of shares, half a unit added to each of the four cells.

    ``log((a + .5) (n_2 - b + .5) / ((n_1 - a + .5) (b + .5)))``, so that it is finite always.
    """
    odds_first = (first + 0.5) / (n_first - first + 0.5)
    odds_second = (second + 0.5) / (n_second - second + 0.5)
    return np.asarray(np.log(odds_first / odds_second), dtype=np.float64)


def woolf(first: float, n_first: int, second: float, n_second: int) -> Interval:
    """Woolf's interval of that log odds ratio, with topics as the counts.

    As with Wilson's, shares of topics vary no more than counts do, so it is rather too wide.
    """
    cells = np.array([first, n_first - first, second, n_second - second]) + 0.5
    half = Z * math.sqrt(float((1 / cells).sum()))
    ratio = float(log_odds_ratio(np.array(first), n_first, np.array(second), n_second))
    return Interval(ratio - half, ratio + half)


def combine(value: float, parts: Iterable[tuple[float, float, Interval]]) -> Interval:
    """Interval of a weighted sum of independent estimates from their own intervals (MOVER).

    Parameters
    ----------
    value : float
        The sum.
    parts : iterable of (factor, estimate, Interval)

    References
    ----------
    Zou & Donner 2008, Construction of confidence limits about effect measures, Statistics in
    Medicine 27(10).
    """
    below = above = 0.0
    for factor, estimate, interval in parts:
        # A factor of 0 takes no part, even where the estimate is unknown.
        if factor:
            ends = sorted((factor * (interval.low - estimate), factor * (interval.high - estimate)))
            below, above = below + ends[0] ** 2, above + ends[1] ** 2
    return Interval(value - math.sqrt(below), value + math.sqrt(above))


@dataclass(frozen=True)
class Resamples:
    """Bootstrap over units within strata, for means of few units.

    In a stratum of n units n - 1 are drawn, and each counts n / (n - 1) times (Rao & Wu 1988):
    drawing n, the variance would be too small by (n - 1) / n. The ends lie at the normal
    distribution's shares beyond Student's t (Hesterberg 2015), with Satterthwaite's degrees of
    freedom, in place of 2.5% and 97.5%.

    Attributes
    ----------
    order : ndarray of int, shape (n,)
        Units stratum by stratum.
    sizes : tuple of int
        Units of each stratum.
    weights : ndarray, shape (draws, n)
        How often each unit counts in each draw; over a stratum they add up to its size.

    References
    ----------
    Rao & Wu 1988, Resampling inference with complex survey data, Journal of the American
    Statistical Association 83(401). Hesterberg 2015, What teachers should know about the
    bootstrap, The American Statistician 69(4).
    """

    order: Integers
    sizes: tuple[int, ...]
    weights: Floats

    def sums(self, values: Floats) -> Floats:
        """Weighted sum of values over all units in every draw, shape (draws,)."""
        return np.asarray(self.weights @ values, dtype=np.float64)

    def interval(self, draws: Floats, influence: Floats) -> Interval:
        """Interval from a statistic's draws.

        Parameters
        ----------
        draws : ndarray, shape (draws,)
        influence : ndarray, shape (n,)
            What one unit adds to the statistic, to first order and but for a constant in each
            stratum.
        """
        from scipy.special import ndtr, stdtrit

        parts = np.split(influence[self.order], np.cumsum(self.sizes)[:-1])
        variances = np.array([part.size * part.var(ddof=1) for part in parts])
        freedom = np.array(self.sizes) - 1.0
        degrees = variances.sum() ** 2 / (variances**2 / freedom).sum()
        tail = float(ndtr(-stdtrit(degrees, (1 + LEVEL) / 2)))
        low, high = np.quantile(draws, [tail, 1 - tail])
        return Interval(float(low), float(high))


def resample(
    regions: Integers, groups: Integers, influence: Floats, *, draws: int, seed: int
) -> Resamples | None:
    """Draw units anew within each region and group; None where that says nothing.

    That is so where a group has fewer than five units over all regions, and where the units of
    every stratum are alike, so that every draw gives the same.

    Parameters
    ----------
    regions, groups : ndarray of int, shape (n,)
    influence : ndarray, shape (n,)
        As in `Resamples.interval`.
    draws, seed : int
        The same numbers are used wherever strata have the same sizes.
    """
    if np.unique(groups, return_counts=True)[1].min() < FEWEST:
        return None
    strata = make_strata(regions, groups)
    order = np.argsort(strata, kind="stable")
    counts = np.bincount(strata)
    sizes = tuple(int(size) for size in counts)
    parts = np.split(influence[order], np.cumsum(sizes)[:-1])
    scale = max(float(np.abs(influence).max()), 1.0)
    if all(np.ptp(part) <= ROUNDING * scale for part in parts):
        return None
    weights = np.empty((draws, strata.size))
    weights[:, order] = draw_weights(sizes, draws, seed)
    return Resamples(order, sizes, weights)


def make_strata(regions: Integers, groups: Integers) -> Integers:
    """Number the strata: each region's units of a group, from two units on.

    A single unit would never vary. The single units of a group are put together over regions,
    and where there is but one, it is put to the group's smallest stratum; their differences
    between regions then widen the interval.
    """
    strata = np.unique(np.stack([groups, regions]), axis=1, return_inverse=True)[1].ravel()
    for group in np.unique(groups):
        codes, sizes = np.unique(strata[groups == group], return_counts=True)
        single = codes[sizes == 1]
        if single.size == 0:
            continue
        into = single[0]
        if single.size == 1 and codes.size > 1:
            # The code itself decides between strata of one size, so the order is fixed.
            rest = codes != single[0]
            into = codes[rest][np.argmin(sizes[rest])]
        strata[np.isin(strata, single)] = into
    return np.asarray(np.unique(strata, return_inverse=True)[1], dtype=np.int64)


@lru_cache(maxsize=16)
def draw_weights(sizes: tuple[int, ...], draws: int, seed: int) -> Floats:
    """Weights of `Resamples`, units stratum by stratum, shape (draws, sum of sizes)."""
    rng = np.random.default_rng([seed, 1, *sizes])
    drawn = [
        rng.multinomial(size - 1, np.full(size, 1 / size), size=draws) * (size / (size - 1))
        for size in sizes
    ]
    weights = np.hstack(drawn)
    weights.flags.writeable = False
    return weights
