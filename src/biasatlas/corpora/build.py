"""The second step of the corpus stage: the passages of a region."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from biasatlas.corpora.counts import count_region
from biasatlas.corpora.passages import cut_passages
from biasatlas.corpora.regions import resolve_regions
from biasatlas.corpora.sampling import is_duplicate, sample
from biasatlas.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

logger = logging.getLogger(__name__)

PASSAGE_COLUMNS = ("id", "document", "country", "source", "date", "text", "words")
PARTS = ("all", "earlier", "later")


def build_region(
    documents: pl.DataFrame | pl.LazyFrame,
    region_spec: Mapping[str, Any],
    *,
    part: str = "all",
    evaluation_share: float = 0.25,
    passage_words: int = 100,
    min_words: int = 30,
    per_country: int | None = None,
    max_passages: int | None = None,
    seed: int = 0,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Cut the documents of one region into passages, and take its earlier or later part.

    Sorted by (date, document), the last `evaluation_share` of a region's documents are the later
    part; undated ones sort first. Documents are never split, and duplicate passages are dropped
    across the whole region before, so that no text stands in both parts.

    Parameters
    ----------
    documents : polars.DataFrame or LazyFrame
        As from `prepare_documents`; of a lazy one only the region's own texts are read.
    region_spec : mapping
        As in `resolve_regions`; a label that documents carry goes before their country.
    part : {"all", "earlier", "later"}
    evaluation_share : float
        In [0, 1]; rounded half up to documents, but at least one of two or more if above 0.
    passage_words, min_words : int
        As in `cut_passages`.
    per_country, max_passages : int, optional
        Most passages a country, and then in the region, by `sample`.
    seed : int
        Seed of the samples.

    Returns
    -------
    passages : pandas.DataFrame
        `PASSAGE_COLUMNS`, sorted by id; empty but correctly typed when nothing is left.
    counts : pandas.DataFrame
        `COUNT_COLUMNS`. For each unit (document, passage, word), read = the sum of all other
        items. A document counts as kept when one of its passages is.

    Raises
    ------
    InputError
        A bad value or region (all at once).
    """
    import polars as pl

    _check_arguments(part, evaluation_share, passage_words, min_words, per_country, max_passages)
    region = resolve_regions([region_spec])[0]
    inside, outside = _choose_documents(documents.lazy(), region)
    if inside.is_empty() and outside.height:
        _warn_of_nothing(region, outside)
    passages = _cut(inside, passage_words, min_words)
    in_part = _part_of(inside, part, evaluation_share)
    passages = passages.with_columns(
        pl.when(pl.col("fate") != "kept").then(pl.col("fate"))
        .when(pl.col("document").is_in(in_part.implode())).then(pl.lit("kept"))
        .otherwise(pl.lit("other_part")).alias("fate")
    )  # fmt: skip
    passages = _sample(passages, per_country, max_passages, seed)
    counts = count_region(region["name"], inside, outside, passages)
    kept = passages.filter(pl.col("fate") == "kept").select(PASSAGE_COLUMNS).sort("id")
    return kept.to_pandas(), counts


def _check_arguments(
    part: str,
    evaluation_share: float,
    passage_words: int,
    min_words: int,
    per_country: int | None,
    max_passages: int | None,
) -> None:
    problems: list[str] = []
    if part not in PARTS:
        problems.append(f"part {part!r} is unknown; allowed: {', '.join(PARTS)}")
    if not 0 <= evaluation_share <= 1:
        problems.append(f"evaluation_share {evaluation_share} must lie between 0 and 1")
    smallest = {
        "passage_words": passage_words,
        "min_words": min_words,
        "per_country": per_country,
        "max_passages": max_passages,
    }
    problems += [
        f"{key} {value} must be at least 1"
        for key, value in smallest.items()
        if value is not None and value < 1
    ]
    if problems:
        raise InputError(problems)


def _warn_of_nothing(region: Mapping[str, Any], outside: pl.DataFrame) -> None:
    """Say which labels and countries the documents have, where none is the region's."""
    found = []
    for column, name in (("region", "labels"), ("given", "countries")):
        counts = outside.filter(outside[column] != "")[column].value_counts()
        most = counts.sort(["count", column], descending=[True, False])[column].head(8)
        if len(most):
            found.append(f"{name} {', '.join(most)}")
    wanted = ", ".join([repr(region["document_label"]), *region["countries"][:8]])
    logger.warning(
        "region %s has no document: none of %d has %s; the documents have %s",
        region["name"], outside.height, wanted, " and ".join(found) or "neither",
    )  # fmt: skip


def _choose_documents(
    documents: pl.LazyFrame, region: Mapping[str, Any]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Split the documents into the region's and the others, which get a fate."""
    import polars as pl

    belongs = (pl.col("region") == region["document_label"]) | (
        (pl.col("region") == "") & pl.col("country").is_in(region["countries"])
    )
    inside = documents.filter(belongs).collect()
    outside = (
        documents.filter(~belongs)
        .select(pl.exclude("text"))
        .collect()
        .with_columns(
            given=pl.col("country"), country=pl.lit(""), fate=pl.lit("dropped_other_region")
        )
    )
    if region["top_countries"]:
        ranked = inside.group_by("country").len().sort(["len", "country"], descending=[True, False])
        top = ranked["country"].head(region["top_countries"])
        is_top = pl.col("country").is_in(top.implode())
        minor = (
            inside.filter(~is_top)
            .drop("text")
            .with_columns(given=pl.col("country"), fate=pl.lit("dropped_other_country"))
        )
        inside, outside = inside.filter(is_top), pl.concat([outside, minor])
    return inside.sort("document"), outside


def _part_of(inside: pl.DataFrame, part: str, share: float) -> pl.Series:
    """Give the ids of the documents of one part."""
    ordered = inside.sort("date", "document")["document"]
    if part == "all":
        return ordered
    n = len(ordered)
    later = int(n * share + 0.5)
    if share > 0 and n > 1:
        later = max(later, 1)
    return ordered.tail(later) if part == "later" else ordered.head(n - later)


def _cut(inside: pl.DataFrame, passage_words: int, min_words: int) -> pl.DataFrame:
    """Cut into passages with an id and a first fate: kept, dropped_short, dropped_duplicate."""
    import polars as pl

    cut = cut_passages(inside["text"], passage_words, min_words)
    rows = inside.drop("text").with_columns(pl.Series("row", range(inside.height), dtype=pl.Int64))
    passages = cut.join(rows, on="row", how="left", maintain_order="left").with_columns(
        (pl.col("document") + "#" + pl.col("n").cast(pl.String)).alias("id")
    )
    long_enough = passages.filter(~pl.col("short"))
    doubles = long_enough.filter(is_duplicate(long_enough))["id"]
    return passages.with_columns(
        pl.when("short").then(pl.lit("dropped_short"))
        .when(pl.col("id").is_in(doubles.implode())).then(pl.lit("dropped_duplicate"))
        .otherwise(pl.lit("kept")).alias("fate")
    )  # fmt: skip


def _sample(
    passages: pl.DataFrame, per_country: int | None, max_passages: int | None, seed: int
) -> pl.DataFrame:
    import polars as pl

    drawn = passages.filter(pl.col("fate") == "kept")
    if per_country is not None:
        drawn = sample(drawn, per_country, seed, by="country")
    if max_passages is not None:
        drawn = sample(drawn, max_passages, seed)
    lost = (pl.col("fate") == "kept") & ~pl.col("id").is_in(drawn["id"].implode())
    return passages.with_columns(
        pl.when(lost).then(pl.lit("not_sampled")).otherwise(pl.col("fate")).alias("fate")
    )
