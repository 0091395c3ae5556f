"""What the topics and their test find of what is planted, and what they see where nothing is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from alignment.fits import make_fit
from alignment.rules import call_topics, count

from biasatlas.lexicons.gender_mask import mask_gender_terms
from biasatlas.topics.model import TopicSettings, fit_topics
from planted_topics.generator import draw_gender, fill

if TYPE_CHECKING:
    from alignment.fits import Fit
    from numpy.typing import NDArray

    from biasatlas.lexicons.gender_terms import GenderTerms
    from planted_topics.generator import Corpus

    Bools = NDArray[np.bool_]
    Embed = Callable[[Sequence[str]], NDArray[np.float32]]

SETTINGS = TopicSettings(seed=1, language="en")
# The first of 80 topics of one family needs a p of .10 / 80.
PERMUTATIONS = 4_999
# A topic is of the theme that most of its passages have.
MAJORITY = 0.5


@dataclass(frozen=True)
class Found:
    """Counts of topics and themes over draws of gender.

    `called` topics had a gender, `right` of them that of their theme; of `planted` themes
    `recovered` had a topic of the right gender.
    """

    called: int
    right: int
    planted: int
    recovered: int

    def __add__(self, other: Found) -> Found:
        return Found(
            self.called + other.called,
            self.right + other.right,
            self.planted + other.planted,
            self.recovered + other.recovered,
        )


def find_topics(texts: Sequence[str], embed: Embed, terms: GenderTerms | None) -> Fit:
    """Topics of the passages, as a run finds them; without `terms` nothing is hidden."""
    if terms is not None:
        texts = mask_gender_terms(texts, terms, hyphen_is_letter=False)
    assignments, _ = fit_topics(texts, embed(texts), SETTINGS)
    return make_fit(assignments["topic"].to_numpy(), assignments["probability"].to_numpy())


def name_topics(corpus: Corpus, fit: Fit) -> list[str]:
    """Theme of each topic that has one for most of its passages, else nothing."""
    names = []
    for topic in range(fit.n_topics):
        counts = np.bincount(corpus.theme[fit.topic == topic], minlength=len(corpus.themes))
        top = int(counts.argmax())
        names.append(corpus.themes[top] if counts[top] > MAJORITY * counts.sum() else "")
    return names


def judge(corpus: Corpus, names: Sequence[str], genders: NDArray[np.str_], gender: str) -> Found:
    """Hold the topics found to be of one gender against the themes that are."""
    called = [name for name, found in zip(names, genders, strict=True) if found == gender]
    planted = {theme for theme, planted in corpus.planted.items() if planted == gender}
    return Found(
        len(called),
        sum(theme in planted for theme in called),
        len(planted),
        len(planted & set(called)),
    )


def recover(
    corpora: Sequence[Corpus], fits: Sequence[Fit], odds: float, draws: int, seed: int
) -> dict[str, Found]:
    """Draw gender again and again, and judge what is found; by gender, over all regions."""
    rng = np.random.default_rng(seed)
    total = {gender: Found(0, 0, 0, 0) for gender in ("female", "male")}
    names = [name_topics(corpus, fit) for corpus, fit in zip(corpora, fits, strict=True)]
    for _ in range(draws):
        females = [draw_gender(corpus, odds, rng) for corpus in corpora]
        units = [corpus.document for corpus in corpora]
        called = call_topics(list(zip(fits, females, units, strict=True)), PERMUTATIONS, rng)
        for corpus, some, told in zip(corpora, names, called, strict=True):
            for gender in total:
                total[gender] += judge(corpus, some, told["gender"].to_numpy(), gender)
    return total


def discover_nothing(
    corpora: Sequence[Corpus],
    fits: Sequence[Fit],
    draws: int,
    seed: int,
    *,
    within_story: float,
    unit: str = "document",
) -> tuple[int, int, int]:
    """Draw gender where no theme has one.

    Returns
    -------
    any : int
        Draws with a topic, in any region, that is called female or male.
    called, topics : int
        Topics with p < .05, and topics, over all draws.
    """
    rng = np.random.default_rng(seed)
    units = [getattr(corpus, unit) for corpus in corpora]
    some = called = 0
    for _ in range(draws):
        females = [draw_gender(corpus, 1.0, rng, within_story=within_story) for corpus in corpora]
        regions = list(zip(fits, females, units, strict=True))
        told = pd.concat(call_topics(regions, PERMUTATIONS, rng))
        some += bool((told["gender"] != "none").any())
        called += int((told["p_value"] < 0.05).sum())
    return some, called, draws * sum(fit.n_topics for fit in fits)


@dataclass(frozen=True)
class Circular:
    """Topics where no theme has a gender, with gender terms shown and hidden."""

    topics: int
    female: int
    male: int
    # Nine in ten of their passages are female.
    pure: int


def look_for_circles(
    corpora: Sequence[Corpus], embed: Embed, terms: GenderTerms, *, seed: int
) -> dict[str, Circular]:
    """Find topics once with the terms shown and once with them hidden, gender meaning nothing.

    The corpora are the regions of one run; what is found in them is added up.
    """
    females, texts = [], []
    for number, corpus in enumerate(corpora):
        rng = np.random.default_rng(seed + number)
        females.append(draw_gender(corpus, 1.0, rng))
        texts.append(fill(corpus, females[-1], rng))
    units = [corpus.document for corpus in corpora]
    found = {}
    for view, hidden in (("shown", None), ("hidden", terms)):
        fits = [find_topics(some, embed, hidden) for some in texts]
        called = call_topics(list(zip(fits, females, units, strict=True)), PERMUTATIONS, rng)
        genders = pd.concat(called)["gender"]
        pure = 0
        for fit, female in zip(fits, females, strict=True):
            n_female, n = count(fit, female)[:-1], count(fit, np.ones_like(female))[:-1]
            pure += int((n_female >= 0.9 * n).sum())
        found[view] = Circular(
            len(genders), int((genders == "female").sum()), int((genders == "male").sum()), pure
        )
    return found
