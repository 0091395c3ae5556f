"""Planted topics: are female and male topics found, and none where there is none?

    python benchmarks/planted_topic_study.py                 # about 7 minutes of one core
    python benchmarks/planted_topic_study.py --draws 10      # a quick look

Prints the Markdown tables of docs/planted_topics.md. Seeds are fixed: the same call prints the same
tables. Embeddings are kept in `--cache`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from alignment.data import Region
from alignment.evidence import any_discovery, shuffle_genders
from alignment.fits import Fit
from alignment.printing import exact, show, show_discoveries
from planted_topics.generator import Corpus, draw_gender, fill, write_corpus
from planted_topics.study import (
    discover_nothing,
    find_topics,
    look_for_circles,
    name_topics,
    recover,
)

from biasatlas.encoders.cache import embed_with_cache
from biasatlas.encoders.sentence import SentenceEncoder
from biasatlas.lexicons.gender_mask import hidden_terms

ROOT = Path(__file__).parents[1]
LISTS = [
    ROOT / "resources/word_lists/gender/en" / name for name in ("bolukbasi52.yaml", "extended.yaml")
]
# In each region three themes are female and three male; no theme in the same way everywhere.
PLANTED = [
    {
        "court": "female",
        "hospital": "female",
        "music": "female",
        "football": "male",
        "banking": "male",
        "army": "male",
    },
    {
        "school": "female",
        "fashion": "female",
        "army": "female",
        "fishing": "male",
        "music": "male",
        "space": "male",
    },
    {
        "farming": "female",
        "banking": "female",
        "religion": "female",
        "weather": "male",
        "cooking": "male",
        "court": "male",
    },
]
ODDS = (2.0, 3.0, 4.0, 6.0)
STORIES = (0.0, 0.1, 0.3, 0.6)


class Embedder:
    """Embeds texts, each once in all runs."""

    def __init__(self, encoder: Path, cache: Path) -> None:
        self._encoder, self._cache = encoder, cache

    def __call__(self, texts: Sequence[str]) -> np.ndarray:
        known = pd.read_parquet(self._cache) if self._cache.is_file() else None
        embeddings, known = embed_with_cache(texts, known, self._make, "passages")
        self._cache.parent.mkdir(parents=True, exist_ok=True)
        known.to_parquet(self._cache)
        return embeddings

    def _make(self) -> SentenceEncoder:
        return SentenceEncoder(self._encoder, precision="fp32")


def show_topics(corpora: Sequence[Corpus], fits: Sequence[Fit]) -> None:
    rows = []
    for number, (corpus, fit) in enumerate(zip(corpora, fits, strict=True), start=1):
        named = [theme for theme in name_topics(corpus, fit) if theme]
        rows.append(
            (
                number,
                len(corpus.templates),
                fit.n_topics,
                f"{len(set(named))} of {len(corpus.themes)}",
                f"{(fit.topic == fit.n_topics).mean():.2f}",
            )
        )
    show(
        "Topics that are found, gender terms hidden",
        ("region", "passages", "topics", "themes with a topic", "passages in no topic"),
        rows,
    )


def show_recovery(corpora: Sequence[Corpus], fits: Sequence[Fit], draws: int) -> None:
    rows = []
    for odds in ODDS:
        found = recover(corpora, fits, odds, draws, seed=1)
        cells = []
        for gender in ("female", "male"):
            one = found[gender]
            cells += [
                f"{one.called / draws:.1f}",
                exact(one.right, one.called),
                exact(one.recovered, one.planted),
            ]
        rows.append((f"{odds:g}", *cells))
    show(
        f"Found of three female and three male themes a region, {draws} draws of gender, the "
        f"{len(corpora)} regions one family",
        (
            "odds",
            "female topics a run",
            "precision",
            "recall",
            "male topics a run",
            "precision",
            "recall",
        ),
        rows,
    )


def show_shuffles(corpora: Sequence[Corpus], fits: Sequence[Fit], times: int) -> None:
    rng = np.random.default_rng(2)
    found = [
        shuffle_genders(
            Region(str(number), [], corpus.document, draw_gender(corpus, 4.0, rng), {}),
            fit,
            times=times,
            permutations=9_999,
            rng=rng,
        )
        for number, (corpus, fit) in enumerate(zip(corpora, fits, strict=True), start=1)
    ]
    show_discoveries([str(number + 1) for number in range(len(found))], any_discovery(found))


def show_circles(corpora: Sequence[Corpus], embed: Embedder) -> None:
    rows = []
    kinds = {
        "18 themes, 1 to 4 gender terms a passage": corpora,
        "no theme, 4 to 6 gender terms a passage": [
            write_corpus(
                {}, np.random.default_rng(100 + n), documents=120, slots=(4, 6), themed=False
            )
            for n in range(len(corpora))
        ],
    }
    terms = hidden_terms(LISTS)
    for kind, some in kinds.items():
        for view, one in look_for_circles(some, embed, terms, seed=0).items():
            called = exact(one.female + one.male, one.topics)
            rows.append((kind, view, one.topics, one.female, one.male, called, one.pure))
    show(
        f"Nothing planted, {len(corpora)} corpora of each kind, one family and added up",
        (
            "corpora",
            "gender terms",
            "topics",
            "called female",
            "called male",
            "called, share (exact 95% interval)",
            "at least nine in ten female",
        ),
        rows,
    )


def show_stories(corpora: Sequence[Corpus], fits: Sequence[Fit], draws: int) -> None:
    rows = []
    for within in STORIES:
        cells: list[str] = []
        for unit in ("document", "story"):
            some, called, topics = discover_nothing(
                corpora, fits, draws, seed=3, within_story=within, unit=unit
            )
            cells += [f"{called / topics:.3f}", exact(some, draws)]
        rows.append((f"{within:g}", *cells))
    show(
        f"Nothing planted, half of the documents in stories of six that lean alike, {draws} draws; "
        f"a run of {len(corpora)} regions, one family",
        (
            "correlation in a story",
            "documents: topics p < .05",
            "documents: any discovery",
            "stories: topics p < .05",
            "stories: any discovery",
        ),
        rows,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=50, help="draws of gender a region and odds")
    parser.add_argument("--shuffles", type=int, default=200, help="also draws without anything")
    parser.add_argument("--encoder", type=Path, default=ROOT / "resources/fetched/minilm_l6_v2")
    parser.add_argument(
        "--cache", type=Path, default=ROOT / "results/benchmarks/planted_embeddings.parquet"
    )
    arguments = parser.parse_args()
    embed = Embedder(arguments.encoder, arguments.cache)
    terms = hidden_terms(LISTS)
    corpora = [
        write_corpus(planted, np.random.default_rng(number))
        for number, planted in enumerate(PLANTED)
    ]
    fits = []
    for number, corpus in enumerate(corpora):
        rng = np.random.default_rng(10 + number)
        texts = fill(corpus, draw_gender(corpus, 1.0, rng), rng)
        fits.append(find_topics(texts, embed, terms))
    show_topics(corpora, fits)
    show_recovery(corpora, fits, arguments.draws)
    show_shuffles(corpora, fits, arguments.shuffles)
    show_stories(corpora, fits, arguments.shuffles)
    show_circles(corpora[:2], embed)


if __name__ == "__main__":
    main()
