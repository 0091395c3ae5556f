"""A rival of the interval in use: a generalised confidence interval, for interval_coverage.py."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biasatlas.association.scores import effect_sizes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# Trapezoids over a normal density converge fast, and beyond five deviations nothing is left. The
# first is finer for the kink that LEAST_SHARE puts there.
NODES_WITHIN = np.linspace(-5.0, 5.0, 61)
NODES_ATTRIBUTES = np.linspace(-5.0, 5.0, 17)
# Halves the interval to 4e-9.
BISECTIONS = 30
# Taking away all of the within-set variance would put d at its bound, whatever D; a quarter is
# kept, which cost no coverage in simulation (docs/intervals.md).
LEAST_SHARE = 0.25
# A correlation of 1 would leave nothing to integrate over.
MAX_CORRELATION = 0.95


@dataclass(frozen=True)
class Components:
    """Moments of a test whose four sets are samples of words.

    Attributes
    ----------
    difference : float
        ``D = mean_X s - mean_Y s``.
    within : float
        ``W``, variance of s within X and Y, weighted by their shares of the targets.
    noise : float
        Part of `within` that is there only because A and B are short lists: it tends to zero as
        they grow.
    mixing : float
        Product of the shares of X and Y: ``d = D / sqrt(W + mixing D^2)`` in the population.
    targets, attributes, both : float
        Variance of D due to the drawing of target words, of attribute words, and counted in
        either.
    attributes_df : float
        Degrees of freedom of `attributes` (Satterthwaite).
    within_df : float
        Degrees of freedom of `within`: twice its square over its variance.
    correlation : float
        Of the errors of D and W.
    """

    difference: float
    within: float
    noise: float
    mixing: float
    targets: float
    attributes: float
    both: float
    attributes_df: float
    within_df: float
    correlation: float


def effect_size_interval(
    cosines_a: Floats, cosines_b: Floats, n_x: int, *, level: float = 0.95
) -> tuple[float, float]:
    """Generalised confidence interval of d, all four sets being samples of words.

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
        Ends for the d of the whole populations that the four lists stand for. They hold the d of
        the lists and lie within ``N / sqrt(n_x n_y)``, the largest d of any population (2 for
        sets of equal size). NaN where a set has fewer than two words, where a cosine is not
        finite, or where scores do not differ within X or Y.

    Raises
    ------
    ValueError
        When `level` does not lie between 0 and 1.

    Notes
    -----
    Target and attribute words are crossed random effects, so that
    ``Var(D) = targets + attributes - both`` (Owen 2007, Annals of Applied Statistics 1(2)). With
    Z normal and U, V mean chi-squares (the first correlated with Z), the generalised pivots
    (Weerahandi 1993, JASA 88(423)) are ``W* = within / U``,
    ``D* = D - Z sqrt(targets / U + attributes / V - both)`` and
    ``d* = D* / sqrt(max(W* - noise, W* / 4) + mixing D*^2)``; the ends are quantiles of d*. The
    degrees of freedom of U come from the infinitesimal jackknife, those of V from Satterthwaite.
    Where attributes add nothing and X and Y vary alike, this is the interval of the noncentral
    t, exact for normal scores. Coverage as measured: docs/intervals.md.
    """
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; it must lie between 0 and 1")
    cosines_a = np.asarray(cosines_a, dtype=np.float64)
    cosines_b = np.asarray(cosines_b, dtype=np.float64)
    parts = components(cosines_a, cosines_b, n_x)
    if parts is None:
        return math.nan, math.nan
    d = float(effect_sizes(cosines_a.mean(axis=1) - cosines_b.mean(axis=1), n_x))
    low, high = _quantiles(parts, np.array([(1 - level) / 2, (1 + level) / 2]))
    return min(low, d), max(high, d)


def components(cosines_a: Floats, cosines_b: Floats, n_x: int) -> Components | None:
    """Estimate the moments of a test; None where they cannot be.

    Parameters
    ----------
    cosines_a, cosines_b, n_x
        As in `effect_size_interval`.
    """
    n = len(cosines_a)
    sizes = np.array([n_x, n - n_x, cosines_a.shape[1], cosines_b.shape[1]])
    scores = cosines_a.mean(axis=1) - cosines_b.mean(axis=1)
    if sizes.min() < 2 or not np.isfinite(scores).all():
        return None
    x, y = slice(None, n_x), slice(n_x, None)
    shares = sizes[:2] / n
    centred = np.concatenate([scores[x] - scores[x].mean(), scores[y] - scores[y].mean()])
    squares = np.array([np.square(centred[x]).sum(), np.square(centred[y]).sum()])
    variances = squares / (sizes[:2] - 1)
    within = float(shares @ variances)
    # The same bar as for d: below it the spread is rounding.
    if not math.sqrt(within) > 1e-12 * max(float(np.abs(scores).max()), 1e-300):
        return None
    noises = np.array([_noise(cosines_a[rows], cosines_b[rows]) for rows in (x, y)])
    targets, both = float((variances / sizes[:2]).sum()), float((noises / sizes[:2]).sum())
    covariances = [
        error @ error.T / (size * (size - 1))
        for error, size in zip(_errors(cosines_a, cosines_b, centred, n_x), sizes, strict=True)
    ]
    drawn = np.array([covariances[2][0, 0], covariances[3][0, 0]])
    attributes = float(drawn.sum())
    jackknife = np.sum(covariances, axis=0)
    normal = 2 * float(((shares * variances) ** 2 / (sizes[:2] - 1)).sum())
    # With few words the jackknife may miss the tails; normal scores are then the least to assume.
    variance_within = max(normal, float(jackknife[1, 1]))
    variance = float(_variance(targets, attributes, both))
    correlation = float(jackknife[0, 1]) / math.sqrt(variance * variance_within)
    return Components(
        difference=float(scores[x].mean() - scores[y].mean()),
        within=within,
        noise=float(shares @ noises),
        mixing=float(shares.prod()),
        targets=targets,
        attributes=attributes,
        both=both,
        attributes_df=_satterthwaite(drawn, sizes[2:] - 1),
        within_df=2 * within**2 / variance_within,
        correlation=max(-MAX_CORRELATION, min(MAX_CORRELATION, correlation)),
    )


def _errors(cosines_a: Floats, cosines_b: Floats, centred: Floats, n_x: int) -> list[Floats]:
    """Errors of D and W (rows) that each word of X, Y, A and B causes: infinitesimal jackknife."""
    n_y = len(centred) - n_x
    sign = np.repeat([1.0, -1.0], [n_x, n_y])
    share = np.repeat([n_x, n_y], [n_x, n_y]) / len(centred)
    freedom = np.repeat([n_x - 1, n_y - 1], [n_x, n_y])
    squares = share * centred**2
    targets = np.stack([sign * centred, squares])
    # D and the variance are linear in the means of the columns: each column bears its own part.
    weights = np.stack([sign / np.repeat([n_x, n_y], [n_x, n_y]), 2 * share / freedom * centred])
    errors = [targets[:, :n_x], targets[:, n_x:], weights @ cosines_a, -weights @ cosines_b]
    return [error - error.mean(axis=1, keepdims=True) for error in errors]


def _noise(cosines_a: Floats, cosines_b: Floats) -> float:
    """Variance that the scores of a set have only because A and B are samples."""
    noise = 0.0
    for block in (cosines_a, cosines_b):
        rows, columns = block.shape
        residual = block - block.mean(axis=1, keepdims=True)
        residual = residual - residual.mean(axis=0)
        noise += float(np.square(residual).sum()) / ((rows - 1) * (columns - 1) * columns)
    return noise


def _satterthwaite(variances: Floats, freedoms: NDArray[np.int64]) -> float:
    """Degrees of freedom of a sum of variances; those of all where every one is zero."""
    if not variances.any():
        return float(freedoms.sum())
    return float(variances.sum() ** 2 / (variances**2 / freedoms).sum())


def _variance(targets: Floats | float, attributes: Floats | float, both: float) -> Floats:
    """Variance of D; what both drawings share must not take away more than the lesser one."""
    return np.maximum(np.maximum(targets, attributes), np.add(targets, attributes) - both)


def _quantiles(parts: Components, levels: Floats) -> Floats:
    """Quantiles of d*: Z is integrated in closed form, U and V on a grid; then bisection."""
    from scipy.special import ndtr

    u = _mean_chi_square(parts.within_df, NODES_WITHIN)[:, None]
    v = _mean_chi_square(parts.attributes_df, NODES_ATTRIBUTES)[None, :]
    deviation = np.sqrt(_variance(parts.targets / u, parts.attributes / v, parts.both))
    within = parts.within / u
    spread = np.sqrt(np.maximum(within - parts.noise, LEAST_SHARE * within))
    rest = math.sqrt(1 - parts.correlation**2)
    weights = np.exp(-(NODES_WITHIN[:, None] ** 2 + NODES_ATTRIBUTES**2) / 2)
    weights /= weights.sum()
    # Z given U: normal, with mean correlation * node.
    start = (parts.correlation * NODES_WITHIN[:, None] - parts.difference / deviation) / rest
    slope = spread / deviation / rest
    bound = 1 / math.sqrt(parts.mixing)
    low, high = np.full(len(levels), -bound), np.full(len(levels), bound)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        cohen = middle / np.sqrt(1 - parts.mixing * middle**2)
        below = (weights * ndtr(start + slope * cohen[:, None, None])).sum(axis=(1, 2)) < levels
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2


def _mean_chi_square(df: float, normal: Floats) -> Floats:
    """Values of a chi-square over its df, at the quantiles that normal deviates stand at."""
    from scipy.special import gammaincinv, ndtr

    # Kept off zero, where the variance it divides would be infinite.
    return np.maximum(gammaincinv(df / 2, ndtr(normal)) * 2 / df, 1e-12)
