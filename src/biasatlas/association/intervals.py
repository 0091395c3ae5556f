"""Interval of the effect size over words: a jackknife on Fisher's z."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from biasatlas.association.influence import leave_one_out
from biasatlas.association.scores import effect_sizes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# Keeps Fisher's z finite where leaving a word out separates the sets entirely.
EDGE = 1e-9
# A variance of z below this is rounding.
ROUNDING = 1e-24


def effect_size_interval(
    cosines_a: Floats, cosines_b: Floats, n_x: int, *, level: float = 0.95
) -> tuple[float, float]:
    """Interval of d, all four sets being samples of words.

    Parameters
    ----------
    cosines_a, cosines_b : ndarray, shape (n_x + n_y, n_a) and (n_x + n_y, n_b)
        Cosines of target words (X first) with the words of A and of B.
    n_x : int
        Size of X.
    level : float
        Nominal coverage, between 0 and 1.

    Returns
    -------
    low, high : float
        Ends around d, within ``N / sqrt(n_x n_y)``, the largest d of any population (2 for sets of
        equal size). NaN where a set has fewer than two words, where a cosine is not finite, where
        d is undefined with all words or without one of them, and where no word changes it.

    Raises
    ------
    ValueError
        When `level` does not lie between 0 and 1.

    Notes
    -----
    ``r = d sqrt(n_x n_y) / N`` is, but for ddof, the correlation of the scores with the labels X
    and Y, so the interval is made on ``z = atanh r``, which has no bound. Its variance is the
    jackknife's, ``(n - 1) / n sum (z_i - mean z_i)^2`` over the words of a set, added up over the
    four sets; the quantile is that of t with Satterthwaite's degrees of freedom. Coverage as
    measured, beside eight other intervals: docs/intervals.md.

    References
    ----------
    Efron & Stein 1981, The jackknife estimate of variance, Annals of Statistics 9(3).
    """
    from scipy.special import stdtrit

    if not 0 < level < 1:
        raise ValueError(f"level is {level}; it must lie between 0 and 1")
    cosines_a = np.asarray(cosines_a, dtype=np.float64)
    cosines_b = np.asarray(cosines_b, dtype=np.float64)
    n = len(cosines_a)
    if not (np.isfinite(cosines_a).all() and np.isfinite(cosines_b).all()):
        return math.nan, math.nan
    if min(n_x, n - n_x, cosines_a.shape[1], cosines_b.shape[1]) < 2:
        return math.nan, math.nan
    scale = math.sqrt(n_x * (n - n_x)) / n
    d = float(effect_sizes(cosines_a.mean(axis=1) - cosines_b.mean(axis=1), n_x))
    influence = leave_one_out(cosines_a, cosines_b, n_x)
    sets = (influence.targets[:n_x], influence.targets[n_x:], influence.a, influence.b)
    z_without = [np.arctanh(np.clip((d + one) * scale, EDGE - 1, 1 - EDGE)) for one in sets]
    variances = np.array([(len(z) - 1) * float(np.var(z)) for z in z_without])
    total = variances.sum()
    if not ROUNDING < total < math.inf:
        return math.nan, math.nan
    degrees = total**2 / (variances**2 / [len(z) - 1 for z in z_without]).sum()
    half = float(stdtrit(degrees, (1 + level) / 2) * math.sqrt(total))
    z = math.atanh(d * scale)
    return math.tanh(z - half) / scale, math.tanh(z + half) / scale
