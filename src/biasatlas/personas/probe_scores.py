"""Whether a model expects a woman rather after female topics: scores of the probe."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from biasatlas.personas.deals import correlate, deal_test
from biasatlas.personas.intervals import NONE, Interval, resample
from biasatlas.personas.scores import Settings, finish_scores, scored_sources
from biasatlas.personas.topic_counts import ALL

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Booleans = NDArray[np.bool_]

KEY = ["language", "region", "source", "model", "template"]
TOPIC = ["language", "region", "source", "topic", "model"]


def score_probe(
    probe: pd.DataFrame, *, thin_topics: int, bootstrap: int, permutations: int, seed: int
) -> pd.DataFrame:
    """Score the probe by model, region and template.

    Parameters
    ----------
    probe : DataFrame
        Table persona_probe.
    thin_topics, bootstrap, permutations, seed : int
        As in `biasatlas.personas.scores.score_personas`.

    Returns
    -------
    DataFrame
        Table persona_probe_scores: a row for each language, region and `all`, source, model,
        and template and `all`.

    Notes
    -----
    A topic counts with its difference d, log p of the female less log p of the male
    continuation. In the rows of all templates d is the mean over the templates of which the
    model says anything; a topic that lacks one of these is left out, for templates differ in
    level.

    - `effect`: of one region mean of female less mean of male topics. Of `all` the mean of the
      regions' effects, each weighted by ``n_f n_m / (n_f + n_m)``, so that a region's level is no
      effect; `auc` likewise compares topics of one region only. `mean_female` and `mean_male`
      are plain means over topics.
    - Interval of the effect: bootstrap over topics (`biasatlas.personas.intervals`), none with
      fewer than five topics of a gender.
    - `mismatch`: against the mean of the region's neutral topics; a topic exactly there does not
      lean.
    - p deals genders to the female and male topics; the correlation takes every topic with log
      odds, those without a gender too, and stands in refused rows as well, as counts and
      `mean_neutral` do.
    """
    settings = Settings(thin_topics, bootstrap, permutations, seed)
    return finish_scores("persona_probe_scores", _rows(probe, settings), "template")


def _rows(probe: pd.DataFrame, settings: Settings) -> Iterator[dict[str, Any]]:
    import pandas as pd

    both = pd.concat([probe, _over_templates(probe)], ignore_index=True)
    # The order of the rows decides sums to the last bit.
    both = both.sort_values(["region", "topic_gender", "topic"], kind="stable")
    for language, part in both.groupby("language", sort=True):
        sources = scored_sources(probe, str(language))
        regions = sorted(part["region"].unique())
        for (model, template), cell in part.groupby(["model", "template"], sort=True):
            shown = cell[(cell["source"] == "neutral") & cell["difference"].notna()]
            for source in sources:
                told = cell[cell["source"] == source]
                for region in [*regions, ALL]:
                    within = told if region == ALL else told[told["region"] == region]
                    beside = shown if region == ALL else shown[shown["region"] == region]
                    values = dict(
                        zip(KEY, (language, region, source, model, template), strict=True)
                    )
                    yield values | _score(within, beside, settings)


def _over_templates(probe: pd.DataFrame) -> pd.DataFrame:
    """Rows of all templates: the mean difference, where none of the model's is missing."""
    groups = [probe[column] for column in ("language", "model", "template")]
    said = probe[probe["difference"].notna().groupby(groups).transform("any")]
    # Templates in one order, so that the order of the rows reaches no bit of the mean.
    said = said.sort_values("template", kind="stable")
    mean = said.groupby(TOPIC)["difference"].agg(lambda values: values.mean(skipna=False))
    rest = probe.drop(columns=["template", "difference"]).drop_duplicates(TOPIC)
    joined = rest.merge(mean.reset_index(), on=TOPIC, how="left")
    return joined.assign(template=ALL, difference=joined["difference"].astype("float64"))


@dataclass(frozen=True)
class Gendered:
    """Differences of female and male topics.

    Attributes
    ----------
    values : ndarray, shape (n,)
    female : ndarray of bool, shape (n,)
    regions : ndarray of int, shape (n,)
        Numbers of `names`.
    names : ndarray of str
    """

    values: Floats
    female: Booleans
    regions: Integers
    names: NDArray[np.str_]

    @classmethod
    def read(cls, topics: pd.DataFrame) -> Gendered:
        """Take them from rows of table persona_probe."""
        names, regions = np.unique(topics["region"].to_numpy(str), return_inverse=True)
        return cls(
            topics["difference"].to_numpy(dtype=np.float64),
            (topics["topic_gender"] == "female").to_numpy(),
            np.asarray(regions, dtype=np.int64),
            names,
        )

    def signs(self) -> Floats:
        """Give the factors of the values in the effect; empty regions and single genders get 0."""
        n_female = np.bincount(self.regions[self.female], minlength=len(self.names))
        n = np.bincount(self.regions, minlength=len(self.names))
        n_male = n - n_female
        weight = n_female * n_male / n
        weight = weight / weight.sum() if weight.any() else weight
        own = np.where(self.female, n_female[self.regions], -n_male[self.regions])
        return np.asarray(weight[self.regions] / own, dtype=np.float64)

    def auc(self) -> float:
        """Share of female-male pairs of one region that the difference orders rightly."""
        right, pairs = 0.0, 0
        for region in range(len(self.names)):
            here = self.regions == region
            f, m = self.values[here & self.female], self.values[here & ~self.female]
            gap = np.subtract.outer(f, m)
            right += float((gap > 0).sum() + 0.5 * (gap == 0).sum())
            pairs += gap.size
        return right / pairs if pairs else math.nan

    def mismatch(self, neutral: dict[str, float]) -> float:
        """Share of topics that lean to the other gender; NaN where a region has no neutral one."""
        level = np.array([neutral.get(str(name), math.nan) for name in self.names])
        lean = self.values - level[self.regions]
        if np.isnan(lean).any():
            return math.nan
        return float(np.where(self.female, lean < 0, lean > 0).mean())


def _score(told: pd.DataFrame, beside: pd.DataFrame, settings: Settings) -> dict[str, Any]:
    """Score one cell.

    Parameters
    ----------
    told : DataFrame
        Rows of all its topics but the neutral ones.
    beside : DataFrame
        Rows of the neutral topics of its regions that have a difference.
    settings : Settings
    """
    known = told[told["difference"].notna()]
    if not known.empty:
        beside = beside[beside["region"].isin(set(known["region"]))]
    paired = known[known["topic_gender"].isin(["female", "male"])]
    scored = Gendered.read(paired)
    n_female, n_male = int(scored.female.sum()), int((~scored.female).sum())
    neutral = {str(name): _mean(part["difference"]) for name, part in beside.groupby("region")}
    row = {
        "status": "thin" if min(n_female, n_male) < settings.thin_topics else "ok",
        "n_female": n_female,
        "n_male": n_male,
        "n_dropped": len(told) - len(known),
        "n_neutral": len(beside),
        "mean_female": _mean(paired.loc[paired["topic_gender"] == "female", "difference"]),
        "mean_male": _mean(paired.loc[paired["topic_gender"] == "male", "difference"]),
        "mean_neutral": _mean(beside["difference"]),
        **_correlation(known, settings),
    }
    if min(n_female, n_male) == 0:
        return row | _REFUSED
    compared = _compare(scored, neutral, settings)
    if math.isnan(compared["effect"]):
        row["status"] = "thin"
    return row | compared


_REFUSED = {
    "status": "refused",
    **dict.fromkeys(
        (
            *("mean_female", "mean_male", "effect", "effect_low", "effect_high"),
            *("auc", "mismatch", "p_value", "p_min"),
        ),
        math.nan,
    ),
}


def _mean(values: pd.Series) -> float:
    return math.fsum(values.tolist()) / len(values) if len(values) else math.nan


def _correlation(known: pd.DataFrame, settings: Settings) -> dict[str, float]:
    found = correlate(
        known["difference"].to_numpy(dtype=np.float64),
        known["log_odds"].to_numpy(dtype=np.float64),
        np.asarray(np.unique(known["region"].to_numpy(str), return_inverse=True)[1], np.int64),
        permutations=settings.permutations,
        seed=settings.seed,
    )
    return {
        "correlation": found.value,
        "correlation_low": found.interval.low,
        "correlation_high": found.interval.high,
        "correlation_p": found.p_value,
    }


def _compare(scored: Gendered, neutral: dict[str, float], settings: Settings) -> dict[str, float]:
    """Compare female with male topics."""
    factors = scored.signs()
    within = bool(factors.any())
    # Without the regions' levels, which the effect does not see, nor may the bootstrap where it
    # puts single topics of several regions together.
    level = np.bincount(scored.regions, scored.values) / np.bincount(scored.regions)
    influence = factors * (scored.values - level[scored.regions])
    effect = math.fsum(influence.tolist()) if within else math.nan
    interval = NONE
    if within:
        draws = resample(
            scored.regions,
            scored.female.astype(np.int64),
            influence,
            draws=settings.bootstrap,
            seed=settings.seed,
        )
        if draws is not None:
            found = draws.interval(draws.sums(influence), influence)
            interval = Interval(min(found.low, effect), max(found.high, effect))
    dealt = deal_test(
        scored.values,
        scored.female,
        scored.regions,
        permutations=settings.permutations,
        seed=settings.seed,
    )
    return {
        "effect": effect,
        "effect_low": interval.low,
        "effect_high": interval.high,
        "auc": scored.auc(),
        "mismatch": scored.mismatch(neutral),
        "p_value": dealt.p_value,
        "p_min": dealt.p_min,
    }
