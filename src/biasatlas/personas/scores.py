"""How often the personas of a model have the other gender than the topic."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from biasatlas.association.multiplicity import add_q
from biasatlas.personas.deals import correlate, deal_test, within_effect
from biasatlas.personas.intervals import (
    NONE,
    Interval,
    combine,
    log_odds_ratio,
    mean_interval,
    near_edge,
    resample,
    wilson_mean,
    woolf,
)
from biasatlas.personas.topic_counts import ALL

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Booleans = NDArray[np.bool_]

PAIRED = ("own", "paper")
KEY = ["language", "region", "source", "model", "prompt"]


@dataclass(frozen=True)
class Settings:
    """How scores are made; the configuration's page says what each key does."""

    thin_topics: int
    bootstrap: int
    permutations: int
    seed: int


class Neutral(NamedTuple):
    """Neutral topics of one region or all: how many, the mean share of female, its interval."""

    n: int
    mean: float
    interval: Interval


NO_NEUTRAL = Neutral(0, math.nan, NONE)


def score_personas(
    topics: pd.DataFrame, *, thin_topics: int, bootstrap: int, permutations: int, seed: int
) -> pd.DataFrame:
    """Score every model in every region, and in all regions of a language together.

    Parameters
    ----------
    topics : DataFrame
        Table persona_topics.
    thin_topics : int
        Fewer scored topics of a gender make a row thin, as does the want of a region with both.
    bootstrap, permutations : int
        Draws behind intervals, and behind p where the deals are too many to be counted.
    seed : int

    Returns
    -------
    DataFrame
        Table persona_scores: a row for each language, region with topics (neutral ones too) and
        `all`, source, model, and prompt form of the model and `all`. Pairs of the run are scored
        in every language, published ones where there are any.

    Notes
    -----
    A topic counts with its share of female among decided replies, s; its mismatch is 1 - s on a
    female topic and s on a male one. Every topic weighs the same, however many of its replies are
    decided.

    - ``expected = mean over topics of (1 - neutral_female or neutral_female of its region)``. For
      `all`, `neutral_female` is the mean over the neutral topics of the regions that have scored
      topics; a region's topics are compared with its own.
    - `log_odds_ratio`: of the sums of s over female and over male topics, half a topic added to
      each cell.
    - Intervals: `biasatlas.personas.intervals`. With fewer than five topics of a gender, topics
      that are all alike, or mismatches (or matches) that add up to less than one topic, Wilson's
      takes the place of the bootstrap; of the log odds ratio it is Woolf's, also where a cell
      adds up to less than one topic. Neutral topics of the same text are one unit over regions.
      That of the excess joins those of mismatch and neutral shares, the latter as if all regions
      erred alike.
    - `effect`: mean share of female on female less that on male topics within regions, what p
      tests. Over regions with unlike numbers of each gender `log_odds_ratio`, which pools them,
      may have the other sign.
    - p and correlation: `biasatlas.personas.deals`. q: rows of status ok of a language, source and
      prompt; the rows of single regions are a family, those of `all` another. q of the correlation
      likewise, whatever the status.
    - In a refused row only counts and the neutral topics are filled in.
    """
    settings = Settings(thin_topics, bootstrap, permutations, seed)
    return finish_scores("persona_scores", _rows(topics, settings), "prompt")


def finish_scores(table: str, rows: Iterator[dict[str, Any]], form: str) -> pd.DataFrame:
    """Give rows their q, the columns of the table and their order.

    Parameters
    ----------
    table : str
    rows : iterator of dict
    form : str
        Column of the prompt form, or of what stands for it.
    """
    import pandas as pd

    from biasatlas.tables.schemas import DTYPES, find_table
    from biasatlas.tables.storage import empty_table

    frame = pd.DataFrame(list(rows))
    if frame.empty:
        return empty_table(table)
    if table == "persona_scores":
        frame = _add_prompt_range(frame)
    frame = frame.assign(whole=frame["region"] == ALL)
    family = ["language", "source", form, "whole"]
    frame = add_q(frame, "p_value", "q_value", family)
    # The correlation stands in thin and refused rows too.
    linked = add_q(frame.assign(status="ok"), "correlation_p", "correlation_q", family)
    frame = frame.assign(correlation_q=linked["correlation_q"])
    columns = find_table(table).columns
    frame = frame[[column.name for column in columns]]
    frame = frame.astype({column.name: DTYPES[column.kind] for column in columns})
    return frame.sort_values(list(find_table(table).key), kind="stable", ignore_index=True)


def scored_sources(frame: pd.DataFrame, language: str) -> list[str]:
    """Sources that a language is scored for.

    The run's own pairs are looked for in every language, so that a language without one says
    so; the published ones exist in some languages only.
    """
    there = set(frame.loc[frame["language"] == language, "source"])
    own = "own" in set(frame["source"]) or not set(frame["source"]) & set(PAIRED)
    return [*(["own"] if own else []), *(["paper"] if "paper" in there else [])]


def _rows(topics: pd.DataFrame, settings: Settings) -> Iterator[dict[str, Any]]:
    # The order of the rows decides sums to the last bit.
    topics = topics.sort_values(["region", "topic_gender", "topic"], kind="stable")
    for language, part in topics.groupby("language", sort=True):
        sources = scored_sources(topics, str(language))
        regions = sorted(part["region"].unique())
        for (model, prompt), cell in part.groupby(["model", "prompt"], sort=True):
            shown = cell[cell["source"] == "neutral"]
            neutral = {
                region: _neutral(shown[shown["region"] == region], settings) for region in regions
            }
            for source in sources:
                paired = cell[cell["source"] == source]
                for region in [*regions, ALL]:
                    within = paired if region == ALL else paired[paired["region"] == region]
                    beside = shown if region == ALL else shown[shown["region"] == region]
                    values = dict(zip(KEY, (language, region, source, model, prompt), strict=True))
                    yield values | _score(within, beside, neutral, settings)


def _neutral(topics: pd.DataFrame, settings: Settings) -> Neutral:
    """Mean share of female over neutral topics.

    A text that is asked for in several regions is one unit there: what is odd about it is odd
    everywhere, so as many units as regions would make the interval far too narrow.
    """
    known = topics[topics["share_female"].notna()]
    if known.empty:
        return NO_NEUTRAL
    shares = known["share_female"].to_numpy(dtype=np.float64)
    mean = _mean(shares)
    texts = _codes(known["topic"])
    sums = np.asarray(np.bincount(texts, shares), dtype=np.float64)
    counts = np.asarray(np.bincount(texts), dtype=np.float64)
    each = np.clip(sums / counts, 0, 1)
    influence = (sums - mean * counts) / counts.mean()
    alike = np.zeros(len(counts), dtype=np.int64)
    draws = resample(alike, alike, influence, draws=settings.bootstrap, seed=settings.seed)
    if draws is None or near_edge(math.fsum(each.tolist()), each.size):
        found = wilson_mean(each)
    else:
        found = draws.interval(draws.sums(sums) / draws.sums(counts), influence)
    return Neutral(len(shares), mean, _around(found, mean))


def _codes(column: pd.Series) -> Integers:
    return np.asarray(np.unique(column.to_numpy(str), return_inverse=True)[1], dtype=np.int64)


def _mean(values: Floats) -> float:
    # Exact sums, so that the order of topics reaches no bit.
    return min(max(math.fsum(values.tolist()) / values.size, 0.0), 1.0)


def _around(interval: Interval, value: float) -> Interval:
    """Keep shares within 0 and 1, and the estimate within its interval."""
    return Interval(max(min(interval.low, value), 0.0), min(max(interval.high, value), 1.0))


def _score(
    paired: pd.DataFrame, beside: pd.DataFrame, neutral: dict[str, Neutral], settings: Settings
) -> dict[str, Any]:
    """Score one cell.

    Parameters
    ----------
    paired : DataFrame
        Rows of its female and male topics.
    beside : DataFrame
        Rows of the neutral topics of its regions.
    neutral : dict
        What each region does on neutral topics.
    settings : Settings
    """
    known = paired[paired["share_female"].notna()]
    female = (known["topic_gender"] == "female").to_numpy()
    n_female, n_male = int(female.sum()), int((~female).sum())
    replies, undecided = int(paired["n_replies"].sum()), int(paired["n_undecided"].sum())
    if not known.empty:
        beside = beside[beside["region"].isin(set(known["region"]))]
    lean = _neutral(beside, settings)
    row = {
        "status": "ok",
        "n_female": n_female,
        "n_male": n_male,
        "n_dropped": len(paired) - len(known),
        "n_gendered_labels": int(known["gendered_label"].sum()),
        "n_replies": replies,
        "n_undecided": undecided,
        "undecided": undecided / replies if replies else math.nan,
        "n_neutral": lean.n,
        "neutral_female": lean.mean,
        "neutral_low": lean.interval.low,
        "neutral_high": lean.interval.high,
    }
    if min(n_female, n_male) == 0:
        return row | _REFUSED
    if min(n_female, n_male) < settings.thin_topics:
        row["status"] = "thin"
    shares = known["share_female"].to_numpy(dtype=np.float64)
    found = _mismatch(shares, female, _codes(known["region"]), settings)
    row |= found | _excess(found, known, neutral)
    plain = known[~known["gendered_label"].astype(bool)]
    both = plain["topic_gender"].nunique() == 2
    row["mismatch_plain"] = _mean(plain["mismatch"].to_numpy(np.float64)) if both else math.nan
    tests = _tests(known, shares, female, settings)
    if math.isnan(tests["effect"]):
        row["status"] = "thin"
    return row | tests


_REFUSED = {
    "status": "refused",
    "interval_by": "",
    **dict.fromkeys(
        (
            *("mismatch", "mismatch_low", "mismatch_high", "mismatch_plain"),
            *("expected", "excess", "excess_low", "excess_high"),
            *("female_on_female", "female_on_male", "effect"),
            *("log_odds_ratio", "log_odds_ratio_low", "log_odds_ratio_high"),
            *("p_value", "p_min", "correlation", "correlation_low", "correlation_high"),
            "correlation_p",
        ),
        math.nan,
    ),
}


def _mismatch(
    shares: Floats, female: Booleans, regions: Integers, settings: Settings
) -> dict[str, Any]:
    """Mismatch and log odds ratio with their intervals."""
    n, n_female = len(shares), int(female.sum())
    n_male = n - n_female
    each = np.where(female, 1 - shares, shares)
    mean = _mean(each)
    on_female, on_male = math.fsum(shares[female].tolist()), math.fsum(shares[~female].tolist())
    ratio = float(log_odds_ratio(np.array(on_female), n_female, np.array(on_male), n_male))
    draws = resample(
        regions, female.astype(np.int64), each, draws=settings.bootstrap, seed=settings.seed
    )
    interval, by = mean_interval(each, draws)
    if draws is None or near_edge(on_female, n_female) or near_edge(on_male, n_male):
        ratio_interval = woolf(on_female, n_female, on_male, n_male)
    else:
        first, second = (draws.sums(np.where(mask, shares, 0.0)) for mask in (female, ~female))
        odds = log_odds_ratio(
            np.clip(first, 0, n_female), n_female, np.clip(second, 0, n_male), n_male
        )
        # What a topic adds to the log odds of its gender, to first order.
        slope_female = 1 / (on_female + 0.5) + 1 / (n_female - on_female + 0.5)
        slope_male = 1 / (on_male + 0.5) + 1 / (n_male - on_male + 0.5)
        influence = shares * np.where(female, slope_female, -slope_male)
        ratio_interval = draws.interval(odds, influence)
    interval = _around(interval, mean)
    return {
        "mismatch": mean,
        "mismatch_low": interval.low,
        "mismatch_high": interval.high,
        "interval_by": by,
        "female_on_female": min(on_female / n_female, 1.0),
        "female_on_male": min(on_male / n_male, 1.0),
        "log_odds_ratio": ratio,
        "log_odds_ratio_low": min(ratio_interval.low, ratio),
        "log_odds_ratio_high": max(ratio_interval.high, ratio),
    }


def _excess(
    found: dict[str, Any], known: pd.DataFrame, neutral: dict[str, Neutral]
) -> dict[str, float]:
    """Mismatch expected of a model that answers as on neutral topics, and what goes beyond."""
    n = len(known)
    expected, reach = 0.0, np.zeros(2)
    for region, topics in known.groupby("region", sort=True):
        lean = neutral[str(region)]
        on_female = int((topics["topic_gender"] == "female").sum())
        on_male = len(topics) - on_female
        if lean.n == 0:
            # Nothing is known of this region's lean, so nothing of the whole is.
            empty = ("expected", "excess", "excess_low", "excess_high")
            return dict.fromkeys(empty, math.nan)
        expected += (on_female * (1 - lean.mean) + on_male * lean.mean) / n
        factor = (on_female - on_male) / n
        if factor:
            ends = (factor * (end - lean.mean) for end in lean.interval)
            reach += np.sort(list(ends))
    own = Interval(found["mismatch_low"], found["mismatch_high"])
    excess = found["mismatch"] - expected
    # Regions share the texts of neutral topics, so their errors add up, and not their squares.
    beside = (1.0, 0.0, Interval(float(reach[0]), float(reach[1])))
    interval = combine(excess, [(1.0, found["mismatch"], own), beside])
    return {
        "expected": min(max(expected, 0.0), 1.0),
        "excess": excess,
        "excess_low": max(interval.low, -1.0),
        "excess_high": min(interval.high, 1.0),
    }


def _tests(
    known: pd.DataFrame, shares: Floats, female: Booleans, settings: Settings
) -> dict[str, float]:
    draws = {"permutations": settings.permutations, "seed": settings.seed}
    regions = _codes(known["region"])
    dealt = deal_test(shares, female, regions, **draws)
    odds = known["log_odds"].to_numpy(dtype=np.float64)
    found = correlate(shares, odds, regions, **draws)
    return {
        "effect": float(np.clip(within_effect(shares, female, regions), -1, 1)),
        "p_value": dealt.p_value,
        "p_min": dealt.p_min,
        "correlation": found.value,
        "correlation_low": found.interval.low,
        "correlation_high": found.interval.high,
        "correlation_p": found.p_value,
    }


def _add_prompt_range(frame: pd.DataFrame) -> pd.DataFrame:
    """Say between which values the prompt forms lie, in the rows of all forms."""
    whole = frame["prompt"] == ALL
    groups = [frame[column] for column in KEY[:-1]]
    forms = frame["mismatch"].where(~whole).groupby(groups)
    return frame.assign(
        prompt_low=forms.transform("min").where(whole),
        prompt_high=forms.transform("max").where(whole),
    )
