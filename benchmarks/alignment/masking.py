"""Which topics change when the gender terms are hidden, and how well they are hidden."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from alignment.fits import best_matches
from alignment.rules import call_topics
from biasatlas.encoders.sentence import SentenceEncoder
from biasatlas.lexicons.gender_mask import hidden_terms, mask_gender_terms
from biasatlas.lexicons.term_search import locate_terms
from biasatlas.topics.model import TopicWords

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from alignment.data import Region
    from alignment.fits import Fit
    from biasatlas.lexicons.gender_terms import GenderTerms

    Floats = NDArray[np.float64]
    Strings = NDArray[np.str_]

TITLES = re.compile(r"\b(?:Mr|Mrs|Ms|Miss|Sir|Madam|Lord|Lady|Dame)\b\.? ?")
CAPITALS = re.compile(r"\b[A-Z][\w'’-]*")


@dataclass(frozen=True)
class View:
    """Topics of one view: their words, their gender, and their best match in the other view."""

    words: list[str]
    gender: Strings
    match: Floats
    n_passages: NDArray[np.int64]


def compare_views(
    regions: Sequence[Region],
    fits: Mapping[str, Sequence[Fit]],
    terms: GenderTerms,
    permutations: int,
    rng: np.random.Generator,
) -> list[dict[str, View]]:
    """Match the topics of each region found with gender terms hidden to those with them shown.

    `fits` has those of the view masked and those of the view visible, a region each.
    """
    views: list[dict[str, View]] = [{} for _ in regions]
    for view, other in (("masked", "visible"), ("visible", "masked")):
        called = call_topics(
            [
                (fit, region.female, region.document)
                for fit, region in zip(fits[view], regions, strict=True)
            ],
            permutations,
            rng,
        )
        for number, region in enumerate(regions):
            fit = fits[view][number]
            texts = region.texts
            if view == "masked":
                texts = mask_gender_terms(texts, terms, hyphen_is_letter=False)
            views[number][view] = View(
                top_words(texts, fit),
                called[number]["gender"].to_numpy(),
                best_matches(fit, fits[other][number])[1],
                np.bincount(fit.topic, minlength=fit.n_topics + 1)[:-1],
            )
    return views


def top_words(texts: Sequence[str], fit: Fit, most: int = 5) -> list[str]:
    """First words of each topic."""
    labels = np.where(fit.topic == fit.n_topics, -1, fit.topic)
    words = TopicWords(texts, labels, "en").top(most)
    return [" ".join(some) for _, some in words.groupby("topic")["word"]]


@dataclass(frozen=True)
class Hidden:
    """How well a way to hide the terms hides gender: `auc` of a probe, `cosine` to the original."""

    auc: float
    deviation: float
    cosine: float


def probe_hiding(
    regions: Sequence[Region],
    lists: Sequence[Path],
    encoder: Path,
    *,
    a_gender: int = 250,
    seed: int = 0,
) -> dict[str, Hidden]:
    """Ask a probe for the gender of passages, terms hidden in several ways."""
    rng = np.random.default_rng(seed)
    texts = [text for region in regions for text in region.texts]
    document = np.concatenate(
        [region.document + 1_000_000 * number for number, region in enumerate(regions)]
    )
    female = np.concatenate([region.female for region in regions])
    chosen = np.concatenate(
        [rng.choice(np.flatnonzero(side), a_gender, replace=False) for side in (female, ~female)]
    )
    ways = hide(pl.Series([texts[row] for row in chosen]), lists)
    model = SentenceEncoder(encoder, precision="fp32")
    vectors = {way: model.encode(some, way) for way, some in ways.items()}
    return {
        way: Hidden(
            *probe(found, female[chosen], document[chosen]),
            float((found * vectors["shown"]).sum(axis=1).mean()),
        )
        for way, found in vectors.items()
    }


def hide(texts: pl.Series, lists: Sequence[Path]) -> dict[str, list[str]]:
    """Hide gender terms in several ways; the last two say where the rest of gender stands."""
    own, both = hidden_terms(lists[:1]), hidden_terms(lists)
    removed = mask_gender_terms(texts, both, hyphen_is_letter=False)
    return {
        "shown": texts.to_list(),
        "removed, the run's list": mask_gender_terms(texts, own, hyphen_is_letter=False),
        "**removed, both lists** (a run)": removed,
        "`[MASK]` in their place, both lists": replace_terms(texts, both, "[MASK]"),
        "`person` in their place, both lists": replace_terms(texts, both, "person"),
        "removed, and the titles (Mr, Ms, Sir ...)": [TITLES.sub("", text) for text in removed],
        "removed, and all words with a capital": [CAPITALS.sub("", text) for text in removed],
    }


def replace_terms(texts: pl.Series, terms: GenderTerms, filler: str) -> list[str]:
    """Put a word in the place of each term."""
    searched, places = locate_terms(texts, [*terms.female, *terms.male], language=terms.language)
    replaced = searched.to_list()
    for row, starts, stops in places.group_by("row").agg("start", "stop").iter_rows():
        text = searched[row].encode()
        kept = zip([0, *stops], [*starts, len(text)], strict=True)
        replaced[row] = filler.join(text[start:stop].decode() for start, stop in kept)
    return replaced


def probe(
    vectors: NDArray[np.float32], female: NDArray[np.bool_], document: NDArray[np.int64]
) -> tuple[float, float]:
    """Area under the ROC curve of a logistic probe for gender, over unseen documents.

    Mean and standard deviation over ten repeats of five folds.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import GroupKFold

    areas = []
    for repeat in range(10):
        told = np.empty(len(female))
        folds = GroupKFold(5, shuffle=True, random_state=repeat).split(vectors, groups=document)
        for train, test in folds:
            model = LogisticRegression(C=10.0, max_iter=1_000).fit(vectors[train], female[train])
            told[test] = model.decision_function(vectors[test])
        areas.append(roc_auc_score(female, told))
    return float(np.mean(areas)), float(np.std(areas))
