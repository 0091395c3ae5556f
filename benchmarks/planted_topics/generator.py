"""Documents that speak of one theme each; how female their passages are hangs on the theme.

The text without its gender terms does not depend on gender, so that with terms hidden one fit of
topics serves any number of draws of gender.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from planted_topics.themes import PLAIN, SLOTS, SURNAMES, TERMS, THEMES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]
    Integers = NDArray[np.int64]

SENTENCES = 6
# Words that come from another theme.
STRAY = 0.15
# Share of female passages where nothing is planted, about as in real news.
BASE = 0.3
# Two passages of one document, and of two documents of one story, agree in gender by these.
WITHIN_DOCUMENT = 0.3
WITHIN_STORY = 0.0
STORY_DOCUMENTS = 6
IN_STORIES = 0.5


@dataclass(frozen=True)
class Corpus:
    """Documents of one region, with a place for every gender term.

    Attributes
    ----------
    themes : list of str
        Themes that the region speaks of; those of `planted` have a gender.
    planted : dict of str to str
        female or male, by theme.
    theme, document, story : ndarray of int, shape (n,)
        Of each passage; a document without a running story is a story of its own.
    templates : list of str, length n
        Passages with ``{who}``, ``{whose}`` and ``{kin}``.
    """

    themes: list[str]
    planted: dict[str, str]
    theme: Integers
    document: Integers
    story: Integers
    templates: list[str]


def write_corpus(
    planted: Mapping[str, str],
    rng: np.random.Generator,
    *,
    documents: int = 300,
    passages: float = 3.0,
    slots: tuple[int, int] = (1, 4),
    themed: bool = True,
) -> Corpus:
    """Write the documents of a region.

    Parameters
    ----------
    planted : mapping of str to str
        Which themes are to be female or male.
    rng : Generator
    documents : int
    passages : float
        Mean passages of a document: one and a Poisson number.
    slots : (int, int)
        Fewest and most sentences of a passage, of six, that hold a gender term.
    themed : bool
        Without, every word is from any theme: a corpus that has no topics.
    """
    themes = list(THEMES)
    theme, story = _draw_stories(documents, len(themes), rng)
    sizes = 1 + rng.poisson(passages - 1.0, documents)
    document = np.repeat(np.arange(documents), sizes)
    names = [rng.choice(SURNAMES, 2, replace=False) for _ in range(story.max() + 1)]
    templates = [
        _write(themes[theme[one]], names[story[one]], slots, themed, rng) for one in document
    ]
    return Corpus(themes, dict(planted), theme[document], document, story[document], templates)


def _draw_stories(
    documents: int, n_themes: int, rng: np.random.Generator
) -> tuple[Integers, Integers]:
    """Theme and story of each document; the documents of a story have one theme."""
    n_stories = int(documents * IN_STORIES) // STORY_DOCUMENTS
    running = np.repeat(np.arange(n_stories), STORY_DOCUMENTS)
    alone = n_stories + np.arange(documents - len(running))
    story = rng.permutation(np.concatenate([running, alone]))
    return rng.integers(n_themes, size=story.max() + 1)[story], story


def _write(
    theme: str,
    names: NDArray[np.str_],
    slots: tuple[int, int],
    themed: bool,
    rng: np.random.Generator,
) -> str:
    n_slots = rng.integers(slots[0], slots[1] + 1)
    with_term = rng.permutation(SENTENCES) < n_slots
    sentences = []
    for has_term in with_term:
        sentence = str(rng.choice(SLOTS if has_term else PLAIN))
        for place in ("{a}", "{b}"):
            stray = not themed or rng.random() < STRAY
            source = str(rng.choice(list(THEMES))) if stray else theme
            sentence = sentence.replace(place, str(rng.choice(THEMES[source])))
        sentences.append(sentence)
    place = int(rng.integers(SENTENCES))
    sentences[place] += f" {names[0]} and {names[1]} were there."
    return " ".join(sentences)


def draw_gender(
    corpus: Corpus,
    odds: float,
    rng: np.random.Generator,
    *,
    within_story: float = WITHIN_STORY,
) -> Bools:
    """Draw which passages are female.

    Parameters
    ----------
    corpus : Corpus
    odds : float
        By this the odds of female are higher in female themes, and lower in male ones.
    rng : Generator
    within_story : float
        Correlation of gender over the documents of a story.

    Returns
    -------
    ndarray of bool, shape (n,)
    """
    base = BASE / (1 - BASE)
    factor = {"female": odds, "male": 1 / odds, "none": 1.0}
    means = np.array([base * factor[corpus.planted.get(theme, "none")] for theme in corpus.themes])
    mean = (means / (1 + means))[corpus.theme]
    for unit, within in ((corpus.story, within_story), (corpus.document, WITHIN_DOCUMENT)):
        mean = _lean(mean, unit, within, rng)
    return rng.random(len(mean)) < mean


def _lean(
    mean: NDArray[np.float64], unit: Integers, within: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Give each unit its own share of female, Beta distributed about its mean."""
    if within == 0:
        return mean
    first = np.unique(unit, return_index=True)[1]
    center = np.clip(mean[first], 1e-6, 1 - 1e-6)
    spread = 1 / within - 1
    return np.asarray(rng.beta(center * spread, (1 - center) * spread)[unit])


def fill(corpus: Corpus, female: Bools, rng: np.random.Generator) -> list[str]:
    """Put gender terms in their places."""
    texts = []
    for template, is_female in zip(corpus.templates, female, strict=True):
        text = template
        for slot, terms in TERMS["female" if is_female else "male"].items():
            while f"{{{slot}}}" in text:
                text = text.replace(f"{{{slot}}}", str(rng.choice(terms)), 1)
        texts.append(text)
    return texts
