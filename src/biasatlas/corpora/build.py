"""The two steps of the corpus stage: documents with a country, then passages of a region."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.corpora.boilerplate import drop_boilerplate
from biasatlas.corpora.cleaning import clean
from biasatlas.corpora.counts import count_frame, count_region, count_row
from biasatlas.corpora.gazetteer import (
    GIVEN,
    MOST,
    NONE,
    NOWHERE,
    TIE,
    assign_country,
    load_gazetteer,
)
from biasatlas.corpora.passages import cut_passages
from biasatlas.corpora.readers import read_source
from biasatlas.corpora.regions import resolve_regions
from biasatlas.corpora.sampling import is_duplicate, sample
from biasatlas.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

logger = logging.getLogger(__name__)

DOCUMENT_COLUMNS = ("document", "country", "region", "source", "date", "text", "rule")
PASSAGE_COLUMNS = ("id", "document", "country", "source", "date", "text", "words")
# Beyond this share of the words the rule may have eaten the corpus itself.
MUCH_BOILERPLATE = 0.1
PARTS = ("all", "earlier", "later")
RULES = {
    MOST: "most mentioned country",
    TIE: "tie: country of the outlet",
    NONE: "no country named: country of the outlet",
    NOWHERE: "",
}


def prepare_documents(
    sources: Sequence[tuple[str, str | Path, Mapping[str, Any]]],
    language: str,
    gazetteer_path: str | Path | None,
    *,
    min_words: int = 30,
    boilerplate_documents: int | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read, repair and clean all sources and give each document its country.

    Parameters
    ----------
    sources : sequence of (reader, path, options)
        As in `read_source`.
    language : str
        ISO 639 code, for messages.
    gazetteer_path : str, Path or None
        Gazetteer of that language; None when the documents carry countries or regions.
    min_words : int
        A shorter document is dropped: no passage of it could stay.
    boilerplate_documents : int or None
        As in `drop_boilerplate`.

    Returns
    -------
    documents : pandas.DataFrame
        document, country, region, source, date, text, rule (how the country was found);
        sorted by document.
    counts : pandas.DataFrame
        `COUNT_COLUMNS` with region "". For each source, read = kept + all dropped_* (unit
        document). Rows of other items (decoded_by_fallback, ...) tell what else was done to
        the text and are not part of that sum.

    Raises
    ------
    InputError
        Problems of the readers; a document id that two sources share; no source.
    """
    import polars as pl

    documents, extra = _read_all(sources, language)
    documents = documents.with_columns(clean(documents["title"]), clean(documents["text"]))
    before = int(documents["text"].str.count_matches(r"\S+").sum())
    documents, boilerplate = drop_boilerplate(documents, boilerplate_documents)
    if sum(boilerplate.values()) > MUCH_BOILERPLATE * before:
        logger.warning(
            "%d of %d words are dropped as boilerplate: their sentences stand in %d or more "
            "documents of one source; passages.boilerplate_documents sets that number",
            sum(boilerplate.values()), before, boilerplate_documents,
        )  # fmt: skip
    extra += [
        count_row(source=source, item="dropped_boilerplate", unit="word", n=n)
        for source, n in boilerplate.items()
    ]
    documents = _judge_documents(documents, gazetteer_path, min_words)
    counts = [
        count_row(source=source, item=item, n=n, rule=rule)
        for source, item, rule, n in documents.group_by("source", "fate", "rule").len().rows()
    ]
    counts += [
        count_row(source=source, item="read", n=n)
        for source, n in documents.group_by("source").len().rows()
    ]
    kept = documents.filter(pl.col("fate") == "kept").select(DOCUMENT_COLUMNS)
    return kept.to_pandas(), count_frame(counts + extra)


def _read_all(
    sources: Sequence[tuple[str, str | Path, Mapping[str, Any]]], language: str
) -> tuple[pl.DataFrame, list[dict[str, Any]]]:
    """Read all sources into one frame, and what their readers counted beside documents."""
    import polars as pl

    if not sources:
        raise InputError(f"language {language}: no source is given")
    frames: list[pl.DataFrame] = []
    extra: list[dict[str, Any]] = []
    for reader, path, options in sources:
        frame, counted = read_source(reader, path, options)
        given = "country of the speaker" if reader == "ungdc" else "column"
        frames.append(frame.with_columns(pl.lit(given).alias("given_rule")))
        name = str(options.get("name") or reader)
        extra += [
            count_row(source=name, item=item, unit=unit, n=n)
            for (item, unit), n in counted.items()
            if item != "read"
        ]
        logger.info("%s: %s documents from %s", language, frame.height, path)
    documents = pl.concat(frames).sort("document")
    repeated = documents.filter(pl.col("document").is_duplicated())["document"]
    if len(repeated):
        raise InputError(
            f"language {language}: document {repeated[0]!r} comes from two sources; give each "
            "source a name of its own (option name)"
        )
    return documents, extra


def _judge_documents(
    documents: pl.DataFrame, gazetteer_path: str | Path | None, min_words: int
) -> pl.DataFrame:
    """Add the columns fate and rule, and the country where it was open."""
    import polars as pl

    gazetteer = load_gazetteer(gazetteer_path) if gazetteer_path is not None else None
    words = pl.col("text").str.count_matches(r"\S+")
    long_enough = documents.filter(words >= min_words)
    doubles = long_enough.filter(is_duplicate(long_enough, id_column="document"))["document"]
    assigned = assign_country(documents, gazetteer)
    fate = (
        pl.when(pl.col("text") == "").then(pl.lit("dropped_empty"))
        .when(words < min_words).then(pl.lit("dropped_short"))
        .when(pl.col("document").is_in(doubles.implode())).then(pl.lit("dropped_duplicate"))
        .when((pl.col("country") == "") & (pl.col("region") == ""))
        .then(pl.lit("dropped_no_country"))
        .otherwise(pl.lit("kept"))
    )  # fmt: skip
    rule = (
        pl.when(pl.col("how") == GIVEN)
        .then(pl.col("given_rule"))
        .otherwise(pl.col("how").replace(RULES))
    )
    return assigned.with_columns(fate.alias("fate")).with_columns(
        pl.when(pl.col("fate") == "kept").then(rule).otherwise(pl.lit("")).alias("rule")
    )


def build_region(
    documents: pd.DataFrame,
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
    documents : pandas.DataFrame
        As from `prepare_documents`.
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
    frame = pl.from_pandas(documents[list(DOCUMENT_COLUMNS)]).cast(pl.String).fill_null("")
    inside, outside = _choose_documents(frame, region)
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


def _choose_documents(
    frame: pl.DataFrame, region: Mapping[str, Any]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Split the documents into the region's and the others, which get a fate."""
    import polars as pl

    belongs = (pl.col("region") == region["document_label"]) | (
        (pl.col("region") == "") & pl.col("country").is_in(region["countries"])
    )
    inside = frame.filter(belongs)
    outside = frame.filter(~belongs).with_columns(
        pl.lit("").alias("country"), pl.lit("dropped_other_region").alias("fate")
    )
    if region["top_countries"]:
        ranked = inside.group_by("country").len().sort(["len", "country"], descending=[True, False])
        top = ranked["country"].head(region["top_countries"])
        is_top = pl.col("country").is_in(top.implode())
        minor = inside.filter(~is_top).with_columns(pl.lit("dropped_other_country").alias("fate"))
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
