"""One interface for all companion measures: a value, its interval over words, what is neutral."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from biasatlas.association.companions.ect import ect
from biasatlas.association.companions.mac import mac
from biasatlas.association.companions.ripa import ripa
from biasatlas.association.companions.rnd import rnd

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Measure = Callable[["Floats", "Floats", "Floats", "Floats"], "Floats"]

MEASURES: Mapping[str, Measure] = MappingProxyType(
    {"ripa": ripa, "rnd": rnd, "ect": ect, "mac": mac}
)
NEUTRAL: Mapping[str, float] = MappingProxyType(
    {"ripa": 0.0, "rnd": 0.0, "ect": 1.0, "mac": 1.0, "pmi": 0.0}
)
# Numbers that the words of a batch of replicates may hold together.
BATCH = 2_000_000


@dataclass(frozen=True)
class Companion:
    """A measure of one test.

    Attributes
    ----------
    measure : str
    value : float
        NaN where it is undefined.
    low, high : float
        Interval; NaN where no replicate has a value.
    neutral : float
        The value that means no bias.
    n_words : int
        Words used.
    undefined : int
        Bootstrap replicates without a value, which the interval leaves out.
    """

    measure: str
    value: float
    low: float
    high: float
    neutral: float
    n_words: int
    undefined: int = 0


def measure_words(
    x: Floats,
    y: Floats,
    a: Floats,
    b: Floats,
    *,
    measures: Sequence[str] = tuple(MEASURES),
    replicates: int = 2_000,
    level: float = 0.95,
    seed: int = 0,
) -> list[Companion]:
    """Take the vector measures of one test, with percentile intervals over words.

    Every replicate draws the words of all four sets anew, with replacement; all measures see the
    same draws. The interval speaks of other words of the same kind. At a nominal 95% it covers
    less with short lists, and it is not centred for ECT (docs/companions.md).

    Parameters
    ----------
    x, y, a, b : ndarray, shape (n, d)
        Raw word vectors.
    measures : sequence of str
        Names from ``MEASURES``.
    replicates : int
        Bootstrap replicates.
    level : float
        Nominal coverage.
    seed : int
        Seed of the draws.

    Returns
    -------
    list of Companion
        In the order of `measures`.

    Raises
    ------
    ValueError
        When a vector is zero or not finite.
    """
    sets = [np.asarray(one, dtype=np.float64) for one in (x, y, a, b)]
    rng = np.random.default_rng(seed)
    draws = [rng.integers(len(one), size=(replicates, len(one))) for one in sets]
    n_words = sum(map(len, sets))
    batch = max(1, BATCH // (n_words * sets[0].shape[1]))
    drawn: dict[str, list[Floats]] = {name: [] for name in measures}
    for start in range(0, replicates, batch):
        here = [one[draw[start : start + batch]] for one, draw in zip(sets, draws, strict=True)]
        for name in measures:
            drawn[name].append(MEASURES[name](*here))
    return [
        summarise(name, MEASURES[name](*sets), np.concatenate(drawn[name]), n_words, level)
        for name in measures
    ]


def summarise(
    name: str, value: Floats | float, replicates: Floats, n_words: int, level: float
) -> Companion:
    """Make a companion of a value and its bootstrap replicates, shape (n,)."""
    defined = replicates[~np.isnan(replicates)]
    low, high = float("nan"), float("nan")
    if defined.size:
        low, high = map(float, np.quantile(defined, [(1 - level) / 2, (1 + level) / 2]))
    undefined = replicates.size - defined.size
    return Companion(name, float(value), low, high, NEUTRAL[name], n_words, undefined)
