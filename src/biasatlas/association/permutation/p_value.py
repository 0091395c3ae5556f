"""Permutation p-values of an association test over all partitions of X and Y.

Nothing is sampled. Up to `max_exact` words every partition is counted, by meeting in the middle;
beyond, the characteristic function of the sum gives a certified band.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from biasatlas.association.permutation.vaaler import Tail

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

# Sums that differ by less than this share of the scores' scale are ties.
TIE = 1e-12
# Rounding of the scores themselves, in units of their magnitudes.
ROUNDING = 4 * 2.0**-52
# Magnitudes of the scores as integers add up to this.
SCALE = 1 << 60


@dataclass(frozen=True)
class PermutationResult:
    """P-values of one test.

    Attributes
    ----------
    p_value : float
        One-sided, share of partitions whose statistic is at least the observed one. By the
        certified methods its upper bound, so never smaller than the exact p.
    p_strict : float
        The same with *greater than*, as the papers print it; it can be 0. By the certified
        methods its lower bound.
    p_two_sided : float
        Share of partitions whose absolute statistic is at least the observed one (certified:
        upper bound).
    p_lower, p_upper : float
        Band that holds the p-value. Sums within rounding of the observed one are ties; the
        lower end counts none of them but the observed partition, the upper end all. NaN by the
        saddlepoint, which has no band.
    p_min : float
        Smallest p-value that a test of this size can give.
    method : str
        ``exact`` (every partition counted), ``certified`` (characteristic function with Vaaler's
        bounds) or ``certified_tail`` (the same, exponentially tilted); or
        ``saddlepoint`` (`biasatlas.association.permutation.saddlepoint`, an approximation).
    """

    p_value: float
    p_strict: float
    p_two_sided: float
    p_lower: float
    p_upper: float
    p_min: float
    method: str


@dataclass(frozen=True)
class Problem:
    """The test in integers: scores that add up to 0, sorted, of which `size` make the sum."""

    scores: Integers
    size: int
    observed: int
    slack: int


def permutation_test(
    scores_x: Floats,
    scores_y: Floats,
    *,
    max_exact: int = 56,
    relative_width: float = 1e-3,
) -> PermutationResult:
    """Permutation test of ``mean(X) - mean(Y)`` over partitions into |X| and |Y|.

    With the pooled mean removed the statistic is sum_X (1/|X| + 1/|Y|), so sums stand for it and
    sets of unequal size are served.

    Parameters
    ----------
    scores_x, scores_y : ndarray, shape (n_x,) and (n_y,)
        Association scores of the target words.
    max_exact : int
        Number of words up to which every partition is counted; more words are counted too
        where sets of very unequal size make it no longer. 50 words take a third of a second, 56
        a few seconds and 0.8 GB.
    relative_width : float
        Width of the band that the certified methods refine to, relative to p, or to 1 - p
        where the statistic is negative. Partitions that tie with the observed one (repeated
        scores, whole numbers) are within the band, so it can stay wider.

    Returns
    -------
    PermutationResult

    Raises
    ------
    ValueError
        For an empty set, scores that are not finite, or scores that are all equal.
    """
    problem = integer_problem(
        np.sort(np.asarray(scores_x, dtype=np.float64)),
        np.sort(np.asarray(scores_y, dtype=np.float64)),
    )
    if _countable(problem.scores.size, problem.size, max_exact):
        return _exact(problem)
    return _certified(problem, relative_width)


def integer_problem(x: Floats, y: Floats) -> Problem:
    """Put a test's scores in integers, with the band within which sums are ties.

    Parameters
    ----------
    x, y : ndarray, shape (n_x,) and (n_y,)
        Sorted association scores.

    Raises
    ------
    ValueError
        As in `permutation_test`.
    """
    if x.size == 0 or y.size == 0:
        raise ValueError("both target sets need at least one word")
    # Sorted, so that the order of the words does not reach a single bit of the result.
    pooled = np.sort(np.concatenate([x, y]))
    lowest, highest = float(pooled[0]), float(pooled[-1])
    if not (math.isfinite(lowest) and math.isfinite(highest)):  # not-a-number sorts last
        raise ValueError("association scores must be finite")
    largest = max(abs(lowest), abs(highest))
    if highest - lowest <= TIE * largest:
        raise ValueError("all association scores are equal: there is no difference to test")
    exponent = -math.frexp(largest)[1]
    pooled, x = np.ldexp(pooled, exponent), np.ldexp(x, exponent)
    words = pooled.size
    mean = math.fsum(pooled.tolist()) / words
    centred = pooled - mean
    spread = float(np.abs(centred).sum())
    unit = SCALE / words / spread
    scores = np.rint(centred * unit).astype(np.int64)
    total = int(scores.sum())
    # Times the number of words the mean is a whole number too, so the sum is exactly 0.
    scores = scores * words - total
    observed = int(np.rint((x - mean) * unit).astype(np.int64).sum()) * words - x.size * total
    slack = TIE * spread + ROUNDING * float(np.abs(pooled).sum())
    size = x.size
    if 2 * size > words:
        # The sum of X is minus that of Y, and the smaller set makes the shorter lists.
        scores, size = -scores[::-1], words - size
    return Problem(scores, size, observed, int(slack * unit * words))


def _countable(words: int, size: int, max_exact: int) -> bool:
    if words <= max_exact:
        return True
    from biasatlas.association.permutation.meet_in_the_middle import list_length

    # Very unequal sets: as long as their lists are no longer than those of `max_exact` words.
    half, longest = (words + 1) // 2, 2 ** (max_exact // 2)
    largest_class = math.comb(half, min(size, half // 2))
    return largest_class <= longest and list_length(half, size) <= longest


def _exact(problem: Problem) -> PermutationResult:
    from biasatlas.association.permutation.meet_in_the_middle import count_subsets

    scores, size, observed = problem.scores, problem.size, problem.observed
    low, high = observed - problem.slack, observed + problem.slack
    total = math.comb(scores.size, size)
    alike = 2 * size == scores.size
    # The other side of the two-sided p mirrors this one where the sets are of equal size.
    other = None
    if not alike and not low <= 0 <= high:
        other = 1 - low if observed > 0 else -high
    at_least, above, others = count_subsets(scores, size, low, high, other)
    if low <= 0 <= high:
        two_sided = total
    elif observed > 0:
        two_sided = at_least + (at_least if alike else total - others)
    else:
        two_sided = total - above + (total - above if alike else others)
    return PermutationResult(
        p_value=at_least / total,
        p_strict=above / total,
        p_two_sided=min(two_sided, total) / total,
        p_lower=min(above + 1, at_least) / total,
        p_upper=at_least / total,
        p_min=smallest_p(total),
        method="exact",
    )


def _certified(problem: Problem, relative_width: float) -> PermutationResult:
    from biasatlas.association.permutation.vaaler import tail

    scores, size, slack = problem.scores, problem.size, problem.slack
    # With sets of equal size sums are spread alike on both sides of 0.
    alike = 2 * size == scores.size
    if problem.observed < 0 and not alike:
        scores = -scores
    extreme = abs(problem.observed)

    def outer(scores: Integers) -> Tail:
        return tail(scores, size, extreme, slack, relative_width=relative_width)

    near = outer(scores)
    p_min = smallest_p(math.comb(scores.size, size))
    if problem.observed >= 0:
        upper, lower = near.upper, near.lower
    else:
        upper, lower = 1 - near.lower, 1 - near.upper
    far = near if alike or extreme <= slack else outer(-scores)
    two_sided = near.upper + far.upper if extreme > slack else 1.0
    upper = min(max(upper, p_min), 1.0)
    lower = min(max(lower, 0.0), upper)
    return PermutationResult(
        p_value=upper,
        p_strict=lower,
        p_two_sided=min(max(two_sided, upper if problem.observed >= 0 else p_min), 1.0),
        p_lower=min(lower + p_min, upper),
        p_upper=upper,
        p_min=p_min,
        method=near.method,
    )


def smallest_p(partitions: int) -> float:
    """Smallest p of that many partitions, never 0: beyond 1e308 of them it has no number."""
    return max(1 / partitions, sys.float_info.min)
