"""What makes d vary, and whether regions differ by more than that: variance components."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# The level at which a difference of regions is claimed, here as everywhere.
LEVEL = 0.10
# d shrinks with less text, so regions with more than this many times the documents of others
# would differ without a difference.
SIZES = 1.5
NO_VERDICT = "no verdict: "


@dataclass(frozen=True)
class RegionEffects:
    """The d of one test in one region, and what is known of its noise.

    Attributes
    ----------
    mean : float
        Mean d of the models trained on all documents.
    models, resampled : int
        Models on all documents; models, or replicates, on documents drawn with replacement.
    documents : int
        Documents of the region; 0 where unknown.
    var_seed : float
        Variance over seeds; 0 where nothing is random.
    var_noise : float
        Variance of the resampled models: seeds and documents together.
    degrees : int
        Degrees of freedom of var_noise.
    var_words : float
        Variance by the choice of words.
    """

    mean: float
    models: int
    resampled: int
    documents: int
    var_seed: float
    var_noise: float
    degrees: int
    var_words: float

    @classmethod
    def of_models(
        cls, effects: Floats, resampled: Floats, var_words: float, documents: int = 0
    ) -> RegionEffects:
        """Trained models, one a seed; without resampled ones the noise is that of seeds alone."""
        var_seed = _variance(effects)
        held = resampled[np.isfinite(resampled)]
        noisy = held if len(held) > 1 else effects
        return cls(
            mean=float(effects.mean()),
            models=len(effects),
            resampled=len(held),
            documents=documents,
            var_seed=var_seed,
            var_noise=_variance(noisy),
            degrees=len(noisy) - 1,
            var_words=var_words,
        )

    @classmethod
    def of_bootstrap(
        cls, effect: float, documents_sd: float, replicates: int, var_words: float, documents: int
    ) -> RegionEffects:
        """One model in which nothing is random, and a bootstrap over its documents."""
        # However many replicates there are, the variance is known from the documents only.
        degrees = max(min(replicates, documents) - 1, 0)
        variance = documents_sd**2
        return cls(effect, 1, replicates, documents, 0.0, variance, degrees, var_words)


@dataclass(frozen=True)
class Components:
    """Variance components of one test; NaN where they cannot be found."""

    var_region: float
    var_seed: float
    var_documents: float
    var_words: float
    noise_sd: float
    f_statistic: float
    p_value: float


def variance_components(regions: Sequence[RegionEffects]) -> Components:
    """Split the variance of d between regions, seeds, documents and words.

    Parameters
    ----------
    regions : sequence of RegionEffects
        At least two.

    Returns
    -------
    Components
        var_seed is the mean variance within a region over seeds (0 where there is one model and
        nothing random), var_documents what resampling adds to it, and var_region what the region
        means vary beyond the noise of one model, both at least 0. f_statistic and p_value are
        Welch's one-way test of the region means against the noise of *one* model, with the
        variance of each region's resampled models: a mean over seeds hides the noise of the
        documents, and with five models a region forms that use it reject too often where regions
        have unequal noise (docs/stability.md). The test takes it that regions without a
        difference have the same d, which holds only where they have as much text.

    References
    ----------
    Welch 1951, On the comparison of several mean values, Biometrika 38.
    """
    means = np.array([one.mean for one in regions])
    noise = np.array([one.var_noise for one in regions])
    f_statistic, p_value = welch(means, noise, np.array([one.degrees for one in regions]))
    var_seed = float(np.mean([one.var_seed for one in regions]))
    var_noise = float(noise.mean())
    resampled = all(one.resampled > 1 for one in regions)
    return Components(
        var_region=max(_variance(means) - var_noise, 0.0),
        var_seed=var_seed,
        var_documents=max(var_noise - var_seed, 0.0) if resampled else float("nan"),
        var_words=float(np.mean([one.var_words for one in regions])),
        noise_sd=float(np.sqrt(var_noise)),
        f_statistic=f_statistic,
        p_value=p_value,
    )


def welch(means: Floats, variances: Floats, degrees: Floats) -> tuple[float, float]:
    """Welch's test that means with unequal, estimated variances are equal.

    Parameters
    ----------
    means, variances : ndarray, shape (n,)
        The means and the variance of each.
    degrees : ndarray, shape (n,)
        Degrees of freedom of each variance.

    Returns
    -------
    f_statistic, p_value : float
        NaN for fewer than two means or a variance that is zero or unknown.
    """
    from scipy.stats import f

    n = len(means)
    if n < 2 or not (variances > 0).all() or not (degrees > 0).all():
        return float("nan"), float("nan")
    weights = 1 / variances
    share = weights / weights.sum()
    between = (weights * np.square(means - (share * means).sum())).sum() / (n - 1)
    spread = 3 * (np.square(1 - share) / degrees).sum() / (n**2 - 1)
    statistic = between / (1 + 2 * (n - 2) * spread / 3)
    return float(statistic), max(float(f.sf(statistic, n - 1, 1 / spread)), 1e-300)


def words_variance(words: pd.DataFrame) -> float:
    """Jackknife variance of d over the words of its four sets.

    Parameters
    ----------
    words : DataFrame
        The rows of the table `words` of one test on one model.

    Returns
    -------
    float
        Sum over the sets of ``(n - 1) / n * sum (d_i - mean d_i)^2``, d_i being d without word
        i; NaN where one of them is undefined.
    """
    total = 0.0
    for _, some in words.groupby("set"):
        influence = some["influence"].to_numpy(dtype=np.float64)
        n = len(influence)
        total += (n - 1) / n * float(np.square(influence - influence.mean()).sum())
    return total


def verdict(status: str, note: str, q_value: float) -> str:
    """Say whether regions differ by more than the noise; unknown where nothing may be claimed."""
    if status != "ok" or NO_VERDICT in note or not np.isfinite(q_value):
        return "unknown"
    return "exceeds" if q_value <= LEVEL else "within"


def _variance(values: Floats) -> float:
    return float(np.var(values, ddof=1)) if len(values) > 1 else float("nan")
