"""How many pairs pass the paper's rule, and how many would if genders were dealt at random."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from biasatlas.topics.gaps import RULES, passes

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

THRESHOLDS = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1)


class Chance(NamedTuple):
    """Pairs that pass when genders are dealt at random: mean, and the middle 95% of deals."""

    passing: float
    low: float
    high: float


class Deals(NamedTuple):
    """Which topics take part as female and as male in each deal, shape (n_deals, n_topics)."""

    female: NDArray[np.float32]
    male: NDArray[np.float32]


def deal_genders(gender: NDArray[np.str_], most: int, *, deals: int, seed: int) -> Deals:
    """Deal the genders of a region's topics to these topics at random, again and again.

    Each deal keeps the numbers of female, male and other topics, and lets the first `most` of
    each gender take part, as the real candidates were chosen.

    Parameters
    ----------
    gender : ndarray of str, shape (n_topics,)
        female, male or none, the most coherent topic first.
    most : int
        Topics of each gender that take part.
    deals, seed : int
    """
    rng = np.random.default_rng([seed, 2])
    code = np.select([gender == "female", gender == "male"], [1, 2], 0).astype(np.int8)
    dealt = rng.permuted(np.tile(code, (deals, 1)), axis=1)
    chosen = []
    for number in (1, 2):
        mine = dealt == number
        chosen.append((mine & (np.cumsum(mine, axis=1) <= most)).astype(np.float32))
    return Deals(*chosen)


def count_by_chance(passing: NDArray[np.bool_], deals: Deals) -> Chance:
    """Pairs that pass over the deals; NaN where a gender has no topic.

    Parameters
    ----------
    passing : ndarray of bool, shape (n_topics, n_topics)
        Whether the topic of the row as female and that of the column as male pass.
    deals : Deals
    """
    if not deals.female.any() or not deals.male.any():
        return Chance(np.nan, np.nan, np.nan)
    # Sums of zeros and ones stay exact in float32.
    counts = ((deals.female @ passing.astype(np.float32)) * deals.male).sum(axis=1)
    low, high = np.quantile(counts, [0.025, 0.975], method="inverted_cdf")
    return Chance(float(counts.mean(dtype=np.float64)), float(low), float(high))


def vary_threshold(
    same: Floats,
    cross: Floats,
    female: Integers,
    male: Integers,
    deals: Deals,
    threshold: float,
) -> pd.DataFrame:
    """Count the pairs that pass each rule at several thresholds, beside chance.

    Parameters
    ----------
    same, cross : ndarray, shape (n_topics, n_topics)
        Gaps of all topics, the row as female and the column as male.
    female, male : ndarray of int
        Rows of the candidates.
    deals : Deals
        In the same order of topics.
    threshold : float
        The run's own, beside `THRESHOLDS`.

    Returns
    -------
    DataFrame
        rule, threshold, n_candidates, n_passing, chance_passing, chance_low, chance_high.
    """
    import pandas as pd

    rows = []
    for rule in RULES:
        for value in sorted({*THRESHOLDS, threshold}):
            passing = passes(same, cross, value, rule)
            chance = count_by_chance(passing, deals)
            rows.append(
                {
                    "rule": rule,
                    "threshold": value,
                    "n_candidates": len(female) * len(male),
                    "n_passing": int(passing[np.ix_(female, male)].sum()),
                    "chance_passing": chance.passing,
                    "chance_low": chance.low,
                    "chance_high": chance.high,
                }
            )
    return pd.DataFrame(rows)
