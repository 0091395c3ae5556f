"""Word-bootstrap interval of the effect size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def effect_size_interval(
    cosines_a: Floats,
    cosines_b: Floats,
    n_x: int,
    *,
    replicates: int = 2_000,
    level: float = 0.95,
    seed: int = 0,
) -> tuple[float, float]:
    """Percentile interval of d, with words of all four sets drawn anew with replacement.

    Parameters
    ----------
    cosines_a, cosines_b : ndarray, shape (n_x + n_y, n_a) and (n_x + n_y, n_b)
        Cosines of target words (X first) with the words of A and of B.
    n_x : int
        Size of X.
    replicates : int
        Bootstrap replicates; those in which all scores are equal are left out.
    level : float
        Nominal coverage.
    seed : int
        Seed of the resampling.

    Returns
    -------
    low, high : float
        NaN when no replicate has an effect size.
    """
    rng = np.random.default_rng(seed)
    n_y = len(cosines_a) - n_x
    weights_a = _resample(rng, cosines_a.shape[1], replicates)
    weights_b = _resample(rng, cosines_b.shape[1], replicates)
    weights_x = _resample(rng, n_x, replicates)
    weights_y = _resample(rng, n_y, replicates)
    scores = weights_a @ cosines_a.T - weights_b @ cosines_b.T
    mean_x = (weights_x * scores[:, :n_x]).sum(axis=1)
    mean_y = (weights_y * scores[:, n_x:]).sum(axis=1)
    n = n_x + n_y
    weights = np.hstack([weights_x * n_x, weights_y * n_y])
    mean = (weights * scores).sum(axis=1) / n
    variance = (weights * (scores - mean[:, None]) ** 2).sum(axis=1) / (n - 1)
    usable = variance > 1e-24
    if not usable.any():
        return float("nan"), float("nan")
    effects = (mean_x - mean_y)[usable] / np.sqrt(variance[usable])
    low, high = np.quantile(effects, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _resample(rng: np.random.Generator, n: int, replicates: int) -> Floats:
    """Shares of n words in each replicate, shape (replicates, n); rows sum to 1."""
    return rng.multinomial(n, np.full(n, 1 / n), size=replicates) / n
