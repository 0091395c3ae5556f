"""Saddlepoint approximation of the permutation p-value: fast, close, and without a bound.

The sum S of a random subset of fixed size has a cumulant generating function that the
elementary-symmetric recurrence gives exactly, so what is left to approximate is one tail of one
sum. Robinson (1982) and Booth & Butler (1990) approximate the condition on the size as well (the
double saddlepoint), which costs as much accuracy as the tail itself. The tail is that of
Lugannani & Rice (1980) with Daniels' (1987) second-order term; near the mean, where its terms
cancel, it is interpolated.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from biasatlas.association.permutation.enumeration import enumerate_subsets
from biasatlas.association.permutation.p_value import (
    PermutationResult,
    integer_problem,
    permutation_test,
    smallest_p,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from biasatlas.association.permutation.p_value import Problem

    Floats = NDArray[np.float64]

# Subsets in the tail that are counted one by one, by Chernoff's bound of their number.
ENUMERABLE = 1 << 17
# More words than this with one and the same score put the sums on a grid.
MOST_ALIKE = 4
# Nearer to the mean than this (standard deviations) the formula's terms cancel.
NEAR = 0.15
NODES = np.array([-0.4, -0.2, 0.2, 0.4])
MOST_STEPS = 60
# Largest exponent between two words.
STEEPEST = 1e5
# Words farther out (standard deviations of the scores), and how many of them, are taken in and left
# out in turn: one such word makes two hills of the distribution of the sum.
OUTLYING = 2.0
MOST_OUTLYING = 4


def saddlepoint_p(scores_x: Floats, scores_y: Floats) -> PermutationResult:
    """Approximate the permutation test of ``mean(X) - mean(Y)`` over partitions.

    Parameters
    ----------
    scores_x, scores_y : ndarray, shape (n_x,) and (n_y,)
        Association scores of the target words.

    Returns
    -------
    PermutationResult
        With method ``saddlepoint`` and no band: `p_lower` and `p_upper` are NaN. The observed
        partition is an atom of which the approximation gives the middle, so `p_value` has half of
        it more and `p_strict` half less. A tail of few partitions (all of a small test) is counted
        instead; where nothing else is needed the method is ``exact`` and the band is there.

    Raises
    ------
    ValueError
        For an empty set, scores that are not finite, or scores that are all equal.

    Notes
    -----
    Words far from the others are taken into the subset and left out in turn, as such a word makes
    two hills of the distribution of the sum. Measured error of `p_value`: docs/association.md.
    Where more than four words share one score the sums lie on a grid, which no smooth
    approximation follows: such a test goes to `permutation_test`, and its method says so.

    References
    ----------
    Lugannani & Rice 1980, Advances in Applied Probability 12(2). Daniels 1987, Tail probability
    approximations, International Statistical Review 55(1). Robinson 1982, JRSS B 44(1). Booth &
    Butler 1990, Biometrika 77(4).
    """
    problem = integer_problem(
        np.sort(np.asarray(scores_x, dtype=np.float64)),
        np.sort(np.asarray(scores_y, dtype=np.float64)),
    )
    if _most_alike(problem) > MOST_ALIKE:
        return permutation_test(scores_x, scores_y)
    observed, alike = problem.observed, 2 * problem.size == problem.scores.size
    sign = 1 if observed >= 0 else -1
    near = _Tail(problem, sign)
    far = near if alike else _Tail(problem, -sign)
    at_least, above = near.at_least, near.above
    if observed < 0:
        at_least, above = 1 - above, 1 - at_least
    p_min = smallest_p(math.comb(problem.scores.size, problem.size))
    p_value = min(max(at_least, p_min), 1.0)
    tied = abs(observed) <= problem.slack
    two_sided = 1.0 if tied else min(near.at_least + far.at_least, 1.0)
    exact = near.counted and (far.counted or tied)
    return PermutationResult(
        p_value=p_value,
        p_strict=min(max(above, 0.0), p_value),
        p_two_sided=max(two_sided, p_value if observed >= 0 else p_min),
        p_lower=min(max(above + p_min, p_min), p_value) if exact else math.nan,
        p_upper=p_value if exact else math.nan,
        p_min=p_min,
        method="exact" if exact else "saddlepoint",
    )


class _Tail:
    """Upper tail of the sum, or of its mirror image, at the observed distance from the mean.

    Attributes
    ----------
    at_least, above : float
        P(S >= T) and P(S > T).
    counted : bool
        Whether the subsets were counted one by one.
    """

    def __init__(self, problem: Problem, sign: int) -> None:
        size, extreme = problem.size, abs(problem.observed)
        number = math.comb(problem.scores.size, size)
        scores = problem.scores if sign > 0 else -problem.scores[::-1]
        values = scores.astype(np.float64)
        unit = math.sqrt(float(np.square(values).mean()))
        log_number = math.log(number)
        middle, log_bound = _upper_tail(values / unit, size, extreme / unit, log_number)
        self.counted = log_number + log_bound < math.log(ENUMERABLE)
        farthest = np.argsort(-np.abs(values), kind="stable")[:MOST_OUTLYING]
        farthest = farthest[np.abs(values[farthest]) > OUTLYING * unit]
        if farthest.size and not self.counted:
            middle = _mixture(values / unit, np.sort(farthest), size, extreme / unit)
        if self.counted:
            low, high = extreme - problem.slack, extreme + problem.slack
            at_least, above = enumerate_subsets(scores, size, low, high)
            self.at_least, self.above = at_least / number, above / number
        else:
            atom = 0.5 * smallest_p(number)
            self.at_least, self.above = min(middle + atom, 1.0), max(middle - atom, 0.0)


def _most_alike(problem: Problem) -> int:
    """Words that share the commonest score, within rounding."""
    ends = np.flatnonzero(np.diff(problem.scores) > problem.slack)
    return int(np.diff([-1, *ends, len(problem.scores) - 1]).max())


@njit(cache=True, nogil=True)
def _upper_tail(scores, size, threshold, log_number):  # type: ignore[no-untyped-def]
    """P(S > T) + P(S = T) / 2 for T >= 0, and the logarithm of Chernoff's bound of it."""
    words = scores.size
    variance = size * (words - size) / (words - 1.0) * np.mean(scores**2)
    deviation = math.sqrt(variance)
    if threshold < NEAR * deviation:
        return _interpolate(scores, size, threshold, deviation, log_number), 0.0
    # Scores less the threshold's share of each word: then the sum has to reach 0.
    centred = scores - threshold / size
    low, high, rate = 0.0, np.inf, threshold / variance
    steepest = STEEPEST / (scores[-1] - scores[0])
    level = math.log(size / (words - size))
    cumulants = np.zeros(5)
    for _ in range(MOST_STEPS):
        level = _cumulants(centred, size, rate, level, log_number, cumulants)
        if cumulants[1] < 0.0:
            low = rate
        else:
            high = rate
        # At the largest sums the rate has no limit; Chernoff's bound is valid at any.
        if rate >= steepest or abs(cumulants[1]) <= 1e-10 * math.sqrt(cumulants[2]):
            break
        following = rate - cumulants[1] / cumulants[2] if cumulants[2] > 0.0 else 2.0 * rate
        if not low < following < high or following > 4.0 * rate:
            following = 0.5 * (low + high) if high < np.inf else 2.0 * rate
        rate = min(following, steepest)
    log_bound = min(cumulants[0], 0.0)
    if rate >= steepest or not cumulants[2] > 0.0:
        return math.exp(log_bound), log_bound
    return min(_lugannani_rice(rate, cumulants), math.exp(log_bound)), log_bound


@njit(cache=True, nogil=True)
def _mixture(scores, outlying, size, threshold):  # type: ignore[no-untyped-def]
    """The upper tail as the mean over what part of the outlying words is in the subset."""
    words = scores.size
    is_outlying = np.zeros(words, np.bool_)
    is_outlying[outlying] = True
    rest = scores[~is_outlying]
    mean = rest.mean()
    centred = rest - mean
    total = 0.0
    log_all = _log_number(words, size)
    for mask in range(1 << outlying.size):
        left, needed = size, threshold
        for place in range(outlying.size):
            if mask >> place & 1:
                left -= 1
                needed -= scores[outlying[place]]
        if not 0 <= left <= rest.size:
            continue
        needed -= left * mean
        log_number = _log_number(rest.size, left)
        weight = math.exp(log_number - log_all)
        least, most = centred[:left].sum(), centred[rest.size - left :].sum()
        if needed <= least:
            total += weight
        elif needed < most:
            # The sum of a subset is minus that of its complement.
            is_large = 2 * left > rest.size
            values = -centred[::-1] if is_large != (needed < 0.0) else centred
            number = rest.size - left if is_large else left
            tail = _upper_tail(values, number, abs(needed), log_number)[0]
            total += weight * (tail if needed >= 0.0 else 1.0 - tail)
    return total


@njit(cache=True, nogil=True)
def _log_number(words, size):  # type: ignore[no-untyped-def]
    return math.lgamma(words + 1.0) - math.lgamma(size + 1.0) - math.lgamma(words - size + 1.0)


@njit(cache=True, nogil=True)
def _interpolate(scores, size, threshold, deviation, log_number):  # type: ignore[no-untyped-def]
    """The same near the mean: what the tail adds to the normal one, by a cubic through four."""
    level = math.log(size / (scores.size - size))
    places, added = np.empty(NODES.size), np.empty(NODES.size)
    cumulants = np.zeros(5)
    for node in range(NODES.size):
        rate = NODES[node] / deviation
        level = _cumulants(scores, size, rate, level, log_number, cumulants)
        places[node] = cumulants[1] / deviation
        # Of the scores less the mean's share of each word, whose sum has the mean 0.
        cumulants[0] -= rate * cumulants[1]
        added[node] = _lugannani_rice(rate, cumulants) - _normal_tail(places[node])
    place, total = threshold / deviation, 0.0
    for node in range(NODES.size):
        weight = added[node]
        for other in range(NODES.size):
            if other != node:
                weight *= (place - places[other]) / (places[node] - places[other])
        total += weight
    return total + _normal_tail(place)


@njit(cache=True, nogil=True)
def _lugannani_rice(rate, cumulants):  # type: ignore[no-untyped-def]
    """Upper tail at the mean of the tilted sum, which is 0, with Daniels' second term."""
    w = math.copysign(math.sqrt(max(-2.0 * cumulants[0], 0.0)), rate)
    u = rate * math.sqrt(cumulants[2])
    skew = cumulants[3] / cumulants[2] ** 1.5
    peaked = cumulants[4] / cumulants[2] ** 2
    density = math.exp(-0.5 * w * w) / math.sqrt(2.0 * math.pi)
    first = _normal_tail(w) + density * (1.0 / u - 1.0 / w)
    second = (peaked / 8.0 - 5.0 * skew * skew / 24.0) / u
    second += 1.0 / w**3 - 1.0 / u**3 - 0.5 * skew / (u * u)
    # Far out in an odd distribution the second term may outweigh the first.
    if abs(density * second) > 0.5 * abs(first):
        return max(first, 0.0)
    return max(first + density * second, 0.0)


@njit(cache=True, nogil=True)
def _normal_tail(place):  # type: ignore[no-untyped-def]
    return 0.5 * math.erfc(place / math.sqrt(2.0))


@njit(cache=True, nogil=True)
def _level(scores, size, rate, level, inside):  # type: ignore[no-untyped-def]
    """Find about the level at which the chances, which are filled in, add up to `size`."""
    words = scores.size
    even = math.log(size / (words - size))
    ends = even - rate * scores[0], even - rate * scores[-1]
    low, high = min(ends), max(ends)
    level = min(max(level, low), high)
    for _ in range(MOST_STEPS):
        excess, slope = -float(size), 0.0
        for word in range(words):
            chance = 1.0 / (1.0 + math.exp(-(level + rate * scores[word])))
            inside[word] = chance
            excess += chance
            slope += chance * (1.0 - chance)
        # Any level will do, so one near the right one is enough.
        if abs(excess) < 1e-3 or high - low < 1e-9:
            break
        if excess < 0.0:
            low = level
        else:
            high = level
        following = level - excess / slope if slope > 0.0 else high
        level = following if low < following < high else 0.5 * (low + high)
    return level


@njit(cache=True, nogil=True)
def _cumulants(scores, size, rate, level, log_number, cumulants):  # type: ignore[no-untyped-def]
    """Fill log E exp(rate S) and the first four cumulants of the tilted sum; give the level.

    Words enter with the chances of a logistic whose `level` makes their expected number `size`, so
    that no term of the recurrence is very small. Each chance is a series in the rate, cut after
    its fourth power, and so is the probability of the size: its terms are the moments.
    """
    words = scores.size
    inside = np.empty(words)
    level = _level(scores, size, rate, level, inside)
    series = np.zeros((size + 1, 5))
    series[0, 0] = 1.0
    log_moment = -level * size - log_number
    for word in range(words):
        score, enters = scores[word], inside[word]
        exponent = level + rate * score
        log_moment += max(exponent, 0.0) + math.log1p(math.exp(-abs(exponent)))
        stays = 1.0 / (1.0 + math.exp(exponent))
        one = enters * score
        two, three, four = one * score / 2.0, one * score**2 / 6.0, one * score**3 / 24.0
        for taken in range(min(word + 1, size), max(0, size - words + word), -1):
            p0, p1, p2, p3, p4 = series[taken - 1]
            here = series[taken]
            here[4] = stays * here[4] + enters * p4 + one * p3 + two * p2 + three * p1 + four * p0
            here[3] = stays * here[3] + enters * p3 + one * p2 + two * p1 + three * p0
            here[2] = stays * here[2] + enters * p2 + one * p1 + two * p0
            here[1] = stays * here[1] + enters * p1 + one * p0
            here[0] = stays * here[0] + enters * p0
        for power in range(5):
            series[0, power] *= stays
    total = series[size, 0]
    m1, m2 = series[size, 1] / total, 2.0 * series[size, 2] / total
    m3, m4 = 6.0 * series[size, 3] / total, 24.0 * series[size, 4] / total
    cumulants[0] = log_moment + math.log(total)
    cumulants[1] = m1
    cumulants[2] = m2 - m1 * m1
    cumulants[3] = m3 - 3.0 * m1 * m2 + 2.0 * m1**3
    cumulants[4] = m4 - 4.0 * m1 * m3 - 3.0 * m2 * m2 + 12.0 * m2 * m1**2 - 6.0 * m1**4
    return level
