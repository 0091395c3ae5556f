"""Three looks at the rules: another seed, genders held out, genders shuffled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import beta, spearmanr

from alignment.fits import best_matches
from alignment.rules import (
    FDR,
    count,
    document_strata,
    expected_count,
    fisher_p,
    permutation_p,
    score_log_odds,
    score_paper,
    shuffle,
    shuffled_counts,
)
from biasatlas.association.multiplicity import benjamini_hochberg
from biasatlas.topics.alignment import log_odds, tested_gender

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from alignment.data import Region
    from alignment.fits import Fit

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]

MATCH = 0.5
LEAST_HELD_OUT = 5
SCORES = {"log odds": score_log_odds, "paper": score_paper}


def clopper_pearson(hits: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Exact interval of a share."""
    tail = (1 - level) / 2
    low = beta.ppf(tail, hits, n - hits + 1) if hits else 0.0
    high = beta.ppf(1 - tail, hits + 1, n - hits) if hits < n else 1.0
    return float(low), float(high)


@dataclass(frozen=True)
class Repeat:
    """Topics matched over pairs of seeds.

    `matched` of `topics` topics have a match of Jaccard 0.5. Of those the paper's rule is silent
    on `silent`; `agree` has, by rule, how many of the others keep their sign.
    """

    topics: int
    matched: int
    silent: int
    agree: dict[str, int]


def repeat_seeds(region: Region, fits: Sequence[Fit]) -> Repeat:
    """Whether a matched topic has the same sign under another seed."""
    everyone = np.ones(len(region.female), dtype=bool)
    scores = [
        {name: score(fit, region.female, everyone) for name, score in SCORES.items()}
        for fit in fits
    ]
    topics = matched = silent = 0
    agree = dict.fromkeys(SCORES, 0)
    for one, first in enumerate(fits):
        for two in range(one + 1, len(fits)):
            place, jaccard = best_matches(first, fits[two])
            good = jaccard >= MATCH
            topics, matched = topics + first.n_topics, matched + int(good.sum())
            signs = {
                name: (np.sign(scores[one][name][good]), np.sign(scores[two][name][place[good]]))
                for name in SCORES
            }
            speaks = ~np.isnan(signs["paper"][0]) & ~np.isnan(signs["paper"][1])
            silent += int((~speaks).sum())
            for name, (left, right) in signs.items():
                agree[name] += int((left == right)[speaks].sum())
    return Repeat(topics, matched, silent, agree)


def hold_out(
    region: Region, fits: Sequence[Fit], splits: int, rng: np.random.Generator
) -> list[dict[str, Floats]]:
    """For every split of the documents: scores from one half, female share in the other.

    The topics are of all passages; only the genders of the second half are held out.
    Topics with under five passages in the second half, or of one gender in the first, are out.
    The share is less that of the region, so that regions can be pooled.
    """
    found = []
    for number in range(splits):
        fit = fits[number % len(fits)]
        side = rng.permutation(region.document.max() + 1) % 2
        first = side[region.document] == 0
        rows = {name: score(fit, region.female, first) for name, score in SCORES.items()}
        held = count(fit, ~first)[:-1]
        with np.errstate(invalid="ignore", divide="ignore"):
            share = count(fit, ~first & region.female)[:-1] / held
        rows["share"] = share - region.female[~first].mean()
        kept = (held >= LEAST_HELD_OUT) & ~np.isnan(rows["paper"])
        found.append({name: values[kept] for name, values in rows.items()})
    return found


def correlate(splits: Sequence[dict[str, Floats]], name: str) -> tuple[float, float, float]:
    """Spearman's rho of a rule with the held-out share: mean over splits, middle 95% of them."""
    varied = [rows for rows in splits if len({*rows["share"]}) > 1 and len({*rows[name]}) > 1]
    rho = [spearmanr(rows[name], rows["share"]).statistic for rows in varied]
    if not rho:
        return np.nan, np.nan, np.nan
    return float(np.mean(rho)), *(float(end) for end in np.quantile(rho, [0.025, 0.975]))


@dataclass(frozen=True)
class Shuffled:
    """One region in the data as they are (first row of all) and with genders shuffled.

    Whole documents exchange their genders; the topics stay. `calls` has, by rule, which topics
    are called, shape (1 + times, n_topics); the others are what the test over documents needs.
    """

    n_topics: int
    calls: dict[str, Bools]
    p: Floats
    odds: Floats
    excess: Floats


def shuffle_genders(
    region: Region, fit: Fit, *, times: int, permutations: int, rng: np.random.Generator
) -> Shuffled:
    """Say how often each rule calls a topic when gender has nothing to do with it."""
    strata = document_strata(region.document)
    reference = shuffled_counts(fit, region.female, strata, permutations, rng)
    sizes = np.bincount(fit.topic, minlength=fit.n_topics + 1)
    draws = [region.female, *(shuffle(region.female, strata, rng) for _ in range(times))]
    everyone = np.ones(len(region.female), dtype=bool)
    paper = np.stack([score_paper(fit, female, everyone) for female in draws])
    every = np.stack([count(fit, female) for female in draws])
    counts = every[:, :-1]
    p = permutation_p(counts, reference)
    fisher = fisher_p(counts, sizes[:-1], int(region.female.sum()), len(region.female))
    calls = {
        "bare: more female than male": counts > sizes[:-1] - counts,
        "paper: p_F > p_M": paper > 0,
        "paper: p_F < p_M": paper < 0,
        "Fisher over passages, p < .05": fisher < 0.05,
        "documents, p < .05": p < 0.05,
    }
    return Shuffled(
        fit.n_topics,
        calls,
        p,
        log_odds(every, sizes - every)[:, :-1],
        # Shuffles permute what the data permute, so that one mean serves all.
        counts - expected_count(fit, region.female, region.document),
    )


def tell_together(found: Sequence[Shuffled]) -> list[Bools]:
    """Which topics of each region are female or male, the regions of a row being one family."""
    p = np.concatenate([one.p for one in found], axis=1)
    q = np.stack([benjamini_hochberg(row) for row in p])
    ends = np.cumsum([one.n_topics for one in found])[:-1]
    return [
        tested_gender(some, one.odds, one.excess, FDR) != "none"
        for some, one in zip(np.split(q, ends, axis=1), found, strict=True)
    ]


def tell_beside(found: Sequence[Shuffled], chosen: int) -> Bools:
    """The same for one region that is shuffled while the others keep their genders."""
    fixed = [
        one
        if number == chosen
        else Shuffled(
            one.n_topics,
            {},
            *(np.broadcast_to(part[0], part.shape) for part in (one.p, one.odds, one.excess)),
        )
        for number, one in enumerate(found)
    ]
    return tell_together(fixed)[chosen]


@dataclass(frozen=True)
class Discoveries:
    """Shuffles with any topic called female or male.

    Attributes
    ----------
    shuffles : int
    family : int
        With the topics of all regions as one family, as a run has them.
    alone : int
        With each region as a family of its own.
    beside : int or None
        One family, only this region shuffled.
    """

    shuffles: int
    family: int
    alone: int
    beside: int | None


def any_discovery(found: Sequence[Shuffled]) -> list[Discoveries]:
    """Count the shuffles with a discovery: of each region, and last of a run of all."""
    family = [calls[1:].any(axis=1) for calls in tell_together(found)]
    alone = [tell_together([one])[0][1:].any(axis=1) for one in found]
    beside = [tell_beside(found, number)[1:].any(axis=1) for number in range(len(found))]
    shuffles = len(found[0].p) - 1
    rows = [
        Discoveries(shuffles, int(one.sum()), int(two.sum()), int(three.sum()))
        for one, two, three in zip(family, alone, beside, strict=True)
    ]
    some, other = (int(np.any(hits, axis=0).sum()) for hits in (family, alone))
    return [*rows, Discoveries(shuffles, some, other, None)]
