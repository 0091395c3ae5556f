"""Permutation p-values of an association test over all partitions of X and Y.

Up to `max_exact` words every partition is counted, by meeting in the middle: the scores are
split into two halves, the sums of all subsets of each half are sorted by subset size, and
pairs of sums that reach the observed one are counted by binary search. Beyond, partitions are
drawn at random and the band is a Clopper-Pearson interval at 99.9%.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# Sums that differ by less than this share of the scores' scale are ties.
TIE = 1e-12


@dataclass(frozen=True)
class PermutationResult:
    """P-values of one test.

    Attributes
    ----------
    p_value : float
        One-sided, share of partitions whose statistic is at least the observed one.
    p_strict : float
        The same with *greater than*, as the papers print it; it can be 0.
    p_two_sided : float
        Share of partitions whose absolute statistic is at least the observed one.
    p_lower, p_upper : float
        Band that holds the p-value: when exact, its lower end counts the observed partition
        alone among those within rounding of it; when sampled, Clopper-Pearson 99.9%.
    p_min : float
        Smallest p-value that a test of this size can give.
    method : str
        ``exact`` or ``sampled``.
    """

    p_value: float
    p_strict: float
    p_two_sided: float
    p_lower: float
    p_upper: float
    p_min: float
    method: str


def permutation_test(
    scores_x: Floats,
    scores_y: Floats,
    *,
    max_exact: int = 40,
    samples: int = 99_999,
    seed: int = 0,
) -> PermutationResult:
    """Permutation test of ``mean(X) - mean(Y)`` over partitions into |X| and |Y|.

    Parameters
    ----------
    scores_x, scores_y : ndarray, shape (n_x,) and (n_y,)
        Association scores of the target words.
    max_exact : int
        Largest n_x + n_y for which every partition is counted; 40 takes about a second.
    samples, seed : int
        Random partitions, and their seed, beyond that size.

    Returns
    -------
    PermutationResult

    Raises
    ------
    ValueError
        For an empty set or scores that are not finite.
    """
    x = np.asarray(scores_x, dtype=np.float64)
    y = np.asarray(scores_y, dtype=np.float64)
    if x.size == 0 or y.size == 0:
        raise ValueError("both target sets need at least one word")
    pooled = np.concatenate([x, y])
    if not np.isfinite(pooled).all():
        raise ValueError("association scores must be finite")
    # With the mean removed the statistic is sum_X * (1/n_x + 1/n_y), so sums can stand for it.
    pooled = pooled - pooled.mean()
    observed = float(pooled[: x.size].sum())
    slack = TIE * max(float(np.abs(pooled).sum()), 1e-300)
    if pooled.size <= max_exact:
        return _exact(pooled, x.size, observed, slack)
    return _sampled(pooled, x.size, observed, slack, samples, seed)


def _exact(pooled: Floats, size: int, observed: float, slack: float) -> PermutationResult:
    total = math.comb(pooled.size, size)
    halves = _SubsetSums(pooled)
    at_least = halves.count_at_least(size, observed - slack)
    above = halves.count_at_least(size, observed + slack)
    extreme = abs(observed)
    two_sided = total
    if extreme > slack:
        upper = halves.count_at_least(size, extreme - slack)
        two_sided = upper + total - halves.count_at_least(size, -extreme + slack)
    return PermutationResult(
        p_value=at_least / total,
        p_strict=above / total,
        p_two_sided=two_sided / total,
        p_lower=min(above + 1, at_least) / total,
        p_upper=at_least / total,
        p_min=1 / total,
        method="exact",
    )


class _SubsetSums:
    """Sorted sums of all subsets of two halves of the scores, by subset size."""

    def __init__(self, scores: Floats) -> None:
        # Halves alike in value keep the sums of both of the same magnitude.
        order = np.argsort(scores, kind="stable")
        self.halves = [_sums_by_size(scores[order[start::2]]) for start in (0, 1)]

    def count_at_least(self, size: int, threshold: float) -> int:
        """Number of subsets of `size` scores whose sum is at least `threshold`."""
        first, second = self.halves
        count = 0
        for taken, sums in enumerate(first):
            rest = size - taken
            if 0 <= rest < len(second):
                other = second[rest]
                count += sums.size * other.size
                count -= int(np.searchsorted(other, threshold - sums, side="left").sum())
        return count


def _sums_by_size(scores: Floats) -> list[Floats]:
    by_size = [np.zeros(1)] + [np.empty(0) for _ in scores]
    for score in scores:
        for size in range(len(scores), 0, -1):
            by_size[size] = np.concatenate([by_size[size], by_size[size - 1] + score])
    return [np.sort(sums) for sums in by_size]


def _sampled(
    pooled: Floats, size: int, observed: float, slack: float, samples: int, seed: int
) -> PermutationResult:
    from scipy.stats import binomtest

    rng = np.random.default_rng(seed)
    at_least = above = two_sided = 0
    remaining = samples
    while remaining:
        rows = min(remaining, 10_000)
        # The `size` smallest of independent keys are a uniform subset without replacement.
        chosen = np.argpartition(rng.random((rows, pooled.size)), size - 1, axis=1)[:, :size]
        sums = pooled[chosen].sum(axis=1)
        at_least += int((sums >= observed - slack).sum())
        above += int((sums > observed + slack).sum())
        two_sided += int((np.abs(sums) >= abs(observed) - slack).sum())
        remaining -= rows
    band = binomtest(at_least, samples).proportion_ci(0.999, method="exact")
    total = math.comb(pooled.size, size)
    return PermutationResult(
        p_value=(at_least + 1) / (samples + 1),
        p_strict=above / samples,
        p_two_sided=(two_sided + 1) / (samples + 1),
        p_lower=max(float(band.low), 1 / total),
        p_upper=max(float(band.high), (at_least + 1) / (samples + 1)),
        p_min=1 / (samples + 1),
        method="sampled",
    )
