"""Tests of region differences: the project's own, and others for comparison.

Every function gives, for one pair of regions, the difference (first less second) and the
two-sided p of each test.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import norm

from biasatlas.association.companions.pmi import CORRECTION, log_odds_ratio
from biasatlas.association.documents import log_odds
from biasatlas.association.documents.differences import Settings, compare
from biasatlas.association.product import Design

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from biasatlas.vectors.alc import Transform
    from planted.evidence import Evidence

    Floats = NDArray[np.float64]

Found = tuple["Floats", "Floats"]
PERMUTATIONS = 499
# The smallest p is then below the strictest threshold of a family of twelve, .1 / 12.
ALC_PERMUTATIONS = 249
REPLICATES = 500
# Co-occurrences of X with A, X with B, Y with A, Y with B.
SIGNS = np.array([1.0, -1.0, -1.0, 1.0])
# Contexts of X and A lean one way, those of Y and B the other.
LEAN = np.array([1.0, -1.0, 1.0, -1.0])


def alc_effect(
    one: Evidence, other: Evidence, design: Design, transform: Transform, seed: int
) -> Found:
    """Difference of d of à la carte vectors, as the project compares regions."""
    # The interval is not looked at here, so two replicates of it are enough.
    settings = Settings(permutations=ALC_PERMUTATIONS, replicates=2, seed=seed)
    found = compare(one.sums, other.sums, design, transform, settings)
    return found.effects[0] - found.effects[1], found.p_value


def counts(one: Evidence, other: Evidence, seed: int) -> Found:
    """Difference of log odds ratios of co-occurrence counts, documents permuted."""
    return permute(one.cells, other.cells, log_odds_ratio, _log_odds_gradient, seed, False)


def text(one: Evidence, other: Evidence, seed: int) -> Found:
    """The same over its standard error, as the project compares the text of regions."""
    # The interval is not looked at here, so two replicates of it are enough.
    found = log_odds.compare(
        one.cells, other.cells, permutations=PERMUTATIONS, replicates=2, seed=[seed]
    )
    return found.effects[0] - found.effects[1], found.p_value


def counts_bootstrap(one: Evidence, other: Evidence, seed: int) -> Found:
    """The same; p from the normal distribution with the standard deviation of a bootstrap."""
    rng = np.random.default_rng(seed)
    values, variances = [], []
    for cells in (one.cells, other.cells):
        n = len(cells)
        drawn = rng.multinomial(n, np.full(n, 1 / n), size=REPLICATES).astype(np.float64)
        totals = (drawn @ cells.reshape(n, -1)).reshape(-1, *cells.shape[1:])
        values.append(log_odds_ratio(cells.sum(axis=0)))
        variances.append(log_odds_ratio(totals).var(axis=0, ddof=1))
    difference = values[0] - values[1]
    return difference, 2 * norm.sf(np.abs(difference) / np.sqrt(sum(variances)))


def contexts(one: Evidence, other: Evidence, seed: int) -> Found:
    """Difference of how far contexts lean to A, documents permuted.

    The statistic is linear in the contexts: mean context of X less that of Y along the line
    from the pretrained B to A, and mean context of A less that of B along that from Y to X.
    """
    return permute(one.leanings, other.leanings, _lean, _lean_gradient, seed, True)


def permute(
    one: Floats,
    other: Floats,
    value: Callable[[Floats], Floats],
    gradient: Callable[[Floats], Floats],
    seed: int,
    studentised: bool,
) -> Found:
    """Permute documents; the statistic is a smooth function of sums over documents.

    Parameters
    ----------
    one, other : ndarray, shape (n_documents, n_tests, n_sums)
    value, gradient : callable
        Of sums, shape (..., n_tests, n_sums), to (..., n_tests) and to the same shape.
    seed : int
    studentised : bool
        Divide by the standard error (delta method, each document one draw). It is anew worked
        out for each permutation (Chung & Romano 2013), so that regions may differ in spread.
    """
    pooled = np.concatenate([one, other])
    n, n_tests, n_sums = pooled.shape
    labels = _labels(n, len(one), seed)
    squares = np.einsum("dti,dtj->dtij", pooled, pooled).reshape(n, -1)
    difference, variance = np.zeros((2, labels.shape[1], n_tests))
    for sign, drawn in ((1.0, labels), (-1.0, 1.0 - labels)):
        sums = (drawn.T @ pooled.reshape(n, -1)).reshape(-1, n_tests, n_sums)
        difference += sign * value(sums)
        if studentised:
            products = (drawn.T @ squares).reshape(-1, n_tests, n_sums, n_sums)
            slope = gradient(sums)
            variance += np.einsum("pti,ptij,ptj->pt", slope, products, slope, optimize=True)
    if not studentised:
        return _count(difference)
    with np.errstate(invalid="ignore", divide="ignore"):
        return difference[0], _count(difference / np.sqrt(variance))[1]


def _labels(n: int, n_first: int, seed: int) -> Floats:
    """Documents of the first region: as they are, then permuted; shape (n, 1 + n_perm)."""
    rng = np.random.default_rng(seed)
    first = np.zeros((n, 1 + PERMUTATIONS))
    first[:n_first] = 1.0
    first[:, 1:] = rng.permuted(first[:, 1:], axis=0)
    return first


def _count(drawn: Floats) -> Found:
    """First row and how often the others are at least as large."""
    beyond = ~(np.abs(drawn[1:]) < np.abs(drawn[0]) - 1e-12)
    return drawn[0], (1 + beyond.sum(axis=0)) / len(drawn)


def _log_odds_gradient(sums: Floats) -> Floats:
    return SIGNS / (sums + CORRECTION)


def _lean(sums: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return (sums[..., :4] / sums[..., 4:]) @ LEAN


def _lean_gradient(sums: Floats) -> Floats:
    along, n = sums[..., :4], sums[..., 4:]
    return np.concatenate([LEAN / n, -LEAN * along / np.square(n)], axis=-1)


Method = Callable[["Evidence", "Evidence", Design, "Transform", int], Found]
METHODS: Mapping[str, Method] = {
    "ALC, d": alc_effect,
    "contexts, studentised": lambda one, other, _design, _map, seed: contexts(one, other, seed),
    "log odds": lambda one, other, _design, _map, seed: counts(one, other, seed),
    "log odds, studentised": lambda one, other, _design, _map, seed: text(one, other, seed),
    "log odds, bootstrap": lambda one, other, _design, _map, seed: counts_bootstrap(
        one, other, seed
    ),
}
