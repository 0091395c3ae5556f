"""Female-male topic pairs of a region, by one-to-one matching and by the paper's gaps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from biasatlas.topics.gaps import gaps, passes
from biasatlas.topics.matching import match_by_strength
from biasatlas.topics.pair_thresholds import Deals, count_by_chance, deal_genders, vary_threshold
from biasatlas.topics.stability import was_assessed

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from biasatlas.topics.pair_support import Recurrence

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

GENDERS = ("female", "male")
PAIR_COLUMNS = (
    "selection",
    "rank",
    "female_topic",
    "male_topic",
    "support",
    "support_low",
    "support_high",
    "n_draws",
    "support_tested",
    "support_topics",
    "gap_same",
    "gap_cross",
    "passes_gap",
    "n_candidates",
    "n_passing",
    "chance_passing",
    "chance_low",
    "chance_high",
    "note",
)
CANDIDATE_COLUMNS = {
    "female_topic": "int64",
    "male_topic": "int64",
    "gap_same": "float64",
    "gap_cross": "float64",
    "weight": "float64",
    "support": "float64",
    "support_tested": "float64",
    "chosen": "bool",
}


@dataclass(frozen=True)
class PairSettings:
    """How pairs are chosen; the configuration's page says what each key does."""

    rule: str
    threshold: float
    candidates: int
    top: int
    seed: int
    deals: int = 9_999


class Pairs(NamedTuple):
    """Frames of `find_pairs`."""

    pairs: pd.DataFrame
    candidates: pd.DataFrame
    thresholds: pd.DataFrame


def find_pairs(
    topics: pd.DataFrame,
    embeddings: Floats,
    she: Floats,
    he: Floats,
    recurrence: Recurrence,
    settings: PairSettings,
) -> Pairs:
    """Choose the female-male topic pairs of one region by both selections.

    matching: genders as tested (`gender_tested`), only stable topics where stability was
    assessed, the most coherent of each gender; each in at most one pair, like strength with like
    (products of absolute log odds), strongest pair first. gap: Borah et al. 4.2, genders by
    their rule (`gender_paper`), the most coherent of each; all pairs under the threshold, by
    mean u_mass.

    Parameters
    ----------
    topics : DataFrame
        The region's topics without -1: `topic`, `gender_tested`, `gender_paper`, `log_odds`,
        `u_mass`, `p_min_female`, `p_min_male`, `p_needed` from `align_topics` (or
        `tell_genders`), and the columns of `assess_topics`.
    embeddings : ndarray, shape (n_topics, d)
        Topic embeddings, rows as in `topics`.
    she, he : ndarray, shape (d,)
    recurrence : Recurrence
        From `follow_topics`.
    settings : PairSettings

    Returns
    -------
    Pairs
        `pairs`: one row a pair, `PAIR_COLUMNS`, the matching first; a selection without a pair
        has one row of rank 0 whose `note` says why; otherwise it says what the whole selection
        left out. `support`, `support_topics` and `support_tested` are `paired_again`,
        `leaning_again` and `tested_again` of `recurrence`, shares of its `n_draws` refits;
        `support_low` and `support_high` are a 95% Wilson interval. A gap pair has
        `support_topics` alone: refits have no probabilities, so whether the paper's rule would
        join the two again cannot be said.
        `candidates`: every female and male topic that the matching could have joined.
        `thresholds`: the candidates of the paper's selection at other rules and thresholds.
    """
    import pandas as pd

    # With the most coherent first, the candidates are the first of each gender.
    order = np.lexsort((topics["topic"].to_numpy(), -topics["u_mass"].to_numpy(dtype=np.float64)))
    topics = topics.iloc[order].reset_index(drop=True)
    embeddings = embeddings[order]
    same, cross = gaps(embeddings, embeddings, she, he) if len(topics) else (np.empty((0, 0)),) * 2
    region = _Region(topics, same, cross, recurrence, settings)
    matching, gap = region.matching(), region.gap()
    strength = topics["log_odds"].abs().to_numpy(dtype=np.float64)
    matched = match_by_strength(strength[matching.female], strength[matching.male])
    passing = passes(same, cross, settings.threshold, settings.rule)
    under = _by_coherence(topics["u_mass"].to_numpy(dtype=np.float64), gap, passing)
    rows = region.rows(matching, matched[: settings.top], passing)
    chosen = {(row["female_topic"], row["male_topic"]) for row in rows}
    rows += region.rows(gap, under[: settings.top], passing)
    return Pairs(
        pd.DataFrame(rows, columns=list(PAIR_COLUMNS)),
        region.candidates(matching, chosen),
        vary_threshold(same, cross, gap.female, gap.male, gap.deals, settings.threshold),
    )


@dataclass(frozen=True)
class _Selection:
    """Who takes part in a selection.

    `female` and `male` are rows of the topics; `eligible` those to which genders are dealt.
    """

    name: str
    gender: NDArray[np.str_]
    female: Integers
    male: Integers
    eligible: Integers
    deals: Deals
    note: str


@dataclass(frozen=True)
class _Region:
    """A region's topics, the most coherent first, with their gaps as female and as male."""

    topics: pd.DataFrame
    same: Floats
    cross: Floats
    recurrence: Recurrence
    settings: PairSettings

    def matching(self) -> _Selection:
        gender = self.topics["gender_tested"].to_numpy(dtype=str)
        assessed = was_assessed(self.topics)
        if not assessed.any():
            note = "stability of topics is unknown: no refits" if len(gender) else ""
            return self._select("matching", gender, np.arange(len(gender)), note)
        stable = self.topics["stable"].to_numpy(dtype=bool)
        left = [(name, int((gender[~stable] == name).sum())) for name in GENDERS]
        some = " and ".join(f"{n} {name}" for name, n in left if n)
        note = f"left out as unstable: {some}" if some else ""
        return self._select("matching", gender, np.flatnonzero(stable), note)

    def gap(self) -> _Selection:
        gender = self.topics["gender_paper"].to_numpy(dtype=str)
        return self._select("gap", gender, np.arange(len(gender)), "")

    def _select(
        self, name: str, gender: NDArray[np.str_], eligible: Integers, note: str
    ) -> _Selection:
        most = self.settings.candidates
        female, male = (eligible[gender[eligible] == one][:most] for one in GENDERS)
        deals = deal_genders(
            gender[eligible], most, deals=self.settings.deals, seed=self.settings.seed
        )
        return _Selection(name, gender, female, male, eligible, deals, note)

    def rows(
        self,
        selection: _Selection,
        chosen: list[tuple[int, int]],
        passing: NDArray[np.bool_],
    ) -> list[dict[str, Any]]:
        """Rows of the pairs at these places among a selection's candidates."""
        counted = passing[np.ix_(selection.female, selection.male)]
        eligible = np.ix_(selection.eligible, selection.eligible)
        chance = count_by_chance(passing[eligible], selection.deals)
        shared = {
            "selection": selection.name,
            "n_draws": self.recurrence.n_draws,
            "n_candidates": counted.size,
            "n_passing": int(counted.sum()),
            "chance_passing": chance.passing,
            "chance_low": chance.low,
            "chance_high": chance.high,
        }
        support = self._support(selection)
        rows = []
        for rank, (i, j) in enumerate(chosen, start=1):
            f, m = int(selection.female[i]), int(selection.male[j])
            low, high = self.recurrence.interval(float(support["support"][i, j]))
            rows.append(
                {
                    **shared,
                    "rank": rank,
                    "female_topic": int(self.topics["topic"].iloc[f]),
                    "male_topic": int(self.topics["topic"].iloc[m]),
                    **{name: float(values[i, j]) for name, values in support.items()},
                    "support_low": low,
                    "support_high": high,
                    "gap_same": float(self.same[f, m]),
                    "gap_cross": float(self.cross[f, m]),
                    "passes_gap": bool(passing[f, m]),
                    "note": selection.note,
                }
            )
        if not rows:
            rows = [{**shared, "rank": 0, **_NO_PAIR, "note": self._why_none(selection)}]
        return rows

    def _support(self, selection: _Selection) -> dict[str, Floats]:
        """How often each two candidates come again, shape (n_female, n_male)."""
        topic = self.topics["topic"].to_numpy()
        two = topic[selection.female], topic[selection.male]
        topics = self.recurrence.leaning_again(*two)
        if selection.name == "gap":
            # Refits have no probabilities, so the paper's rule cannot join topics there.
            unknown = np.full_like(topics, np.nan)
            return {"support": unknown, "support_topics": topics, "support_tested": unknown}
        return {
            "support": self.recurrence.paired_again(*two),
            "support_topics": topics,
            "support_tested": self.recurrence.tested_again(*two),
        }

    def _why_none(self, selection: _Selection) -> str:
        if not len(self.topics):
            return "no pair: the region has no topics"
        missing = [name for name in GENDERS if not len(getattr(selection, name))]
        tail = [selection.note] if selection.note else []
        if not missing:
            n = len(selection.female) * len(selection.male)
            reason = f"none of {n} candidate pairs has a gap under {self.settings.threshold}"
            return "; ".join([f"no pair passes: {reason}", *tail])
        if selection.name == "gap":
            return f"no pair: no topic is {' or '.join(missing)} by the paper's rule"
        told = [name for name in missing if not (selection.gender == name).any()]
        reasons = [f"no topic could be told to be {' or '.join(told)}"] if told else []
        unstable = [name for name in missing if name not in told]
        reasons += [f"no {name} topic is stable" for name in unstable]
        for name in told:
            # Their smallest p would not have been called, whatever their passages are.
            small = int((self.topics[f"p_min_{name}"] > self.topics["p_needed"]).sum())
            if small:
                reasons.append(
                    f"{small} of {len(self.topics)} are too small to be told to be {name}"
                )
        return f"no pair: {'; '.join([*reasons, *tail])}"

    def candidates(self, selection: _Selection, chosen: set[tuple[int, int]]) -> pd.DataFrame:
        """Every female and male topic of a selection, with what speaks for joining them."""
        import pandas as pd

        f = np.repeat(selection.female, len(selection.male))
        m = np.tile(selection.male, len(selection.female))
        topic = self.topics["topic"].to_numpy()
        strength = self.topics["log_odds"].abs().to_numpy(dtype=np.float64)
        support = self._support(selection)
        pairs = list(zip(topic[f].tolist(), topic[m].tolist(), strict=True))
        frame = pd.DataFrame(
            {
                "female_topic": topic[f],
                "male_topic": topic[m],
                "gap_same": self.same[f, m],
                "gap_cross": self.cross[f, m],
                "weight": strength[f] * strength[m],
                "support": support["support"].ravel(),
                "support_tested": support["support_tested"].ravel(),
                "chosen": [pair in chosen for pair in pairs],
            },
            columns=list(CANDIDATE_COLUMNS),
        ).astype(CANDIDATE_COLUMNS)
        return frame.sort_values(["female_topic", "male_topic"], ignore_index=True)


_NO_PAIR = {
    "female_topic": -1,
    "male_topic": -1,
    "support": float("nan"),
    "support_low": float("nan"),
    "support_high": float("nan"),
    "support_topics": float("nan"),
    "support_tested": float("nan"),
    "gap_same": float("nan"),
    "gap_cross": float("nan"),
    "passes_gap": False,
}


def _by_coherence(
    u_mass: Floats, selection: _Selection, passing: NDArray[np.bool_]
) -> list[tuple[int, int]]:
    """Places of the candidates that pass, the largest mean u_mass first."""
    # A topic of one word has no coherence.
    known = np.nan_to_num(u_mass, nan=-np.inf)
    f, m = known[selection.female], known[selection.male]
    under = np.nonzero(passing[np.ix_(selection.female, selection.male)])
    pairs = [(int(i), int(j)) for i, j in zip(*under, strict=True)]
    return sorted(pairs, key=lambda ij: (-(f[ij[0]] + m[ij[1]]), ij))
