"""The first step of the corpus stage: documents drawn from all sources, cleaned, with a country."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.corpora.boilerplate import drop_boilerplate
from biasatlas.corpora.check import RULES, Check
from biasatlas.corpora.counts import count_frame, count_row
from biasatlas.corpora.gazetteer import load_gazetteer
from biasatlas.corpora.preparation import Preparation
from biasatlas.corpora.readers import GIVEN_RULES, read_source
from biasatlas.corpora.readers.batches import Limits, Report
from biasatlas.corpora.selection import Counts, Draw, draw_documents
from biasatlas.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

logger = logging.getLogger(__name__)

DOCUMENT_COLUMNS = ("document", "country", "region", "source", "date", "text", "rule")
# Beyond these shares a rule may have eaten the corpus itself, or the wrong column is read.
MUCH_BOILERPLATE = 0.1
MUCH_EMPTY = 0.1

Source = tuple[str, "str | Path", Mapping[str, Any]]


def prepare_documents(
    sources: Sequence[Source],
    language: str,
    gazetteer_path: str | Path | None,
    preparation: Preparation | None = None,
) -> tuple[pl.DataFrame, pd.DataFrame]:
    """Read all sources, draw and clean documents, and give each its country.

    Parameters
    ----------
    sources : sequence of (reader, path, options)
        As in `read_source`.
    language : str
        ISO 639 code.
    gazetteer_path : str, Path or None
        Gazetteer of that language; None when the documents carry countries or regions.
    preparation : Preparation, optional

    Returns
    -------
    documents : polars.DataFrame
        document, country, region, source, date, text, rule (how the country was found);
        sorted by document.
    counts : pandas.DataFrame
        `COUNT_COLUMNS` with region "". For each source and country (of the source itself), read
        = kept + not_sampled + all dropped_* (unit document). Rows of other items
        (decoded_by_fallback, ...) tell what else was done and are not part of that sum.

    Raises
    ------
    InputError
        Problems of the readers; a document id that two sources share; no source.
    """
    import polars as pl

    preparation = preparation or Preparation()
    if not sources:
        raise InputError(f"language {language}: no source is given")
    reading = _Reading(sources, preparation.limits)
    draw = Draw(preparation.per_country, preparation.seed, preparation.near_duplicates)
    gazetteer = load_gazetteer(gazetteer_path) if gazetteer_path is not None else None
    check = Check(language, preparation, gazetteer)
    documents, drawn = draw_documents(reading.batches, check, draw)
    documents = documents.sort("document")
    _refuse_repeated(documents, language)
    documents, boilerplate = drop_boilerplate(
        documents, preparation.boilerplate_documents, preparation.boilerplate_share
    )
    _warn(drawn, boilerplate, documents, language)
    documents = _last_fate(documents, preparation.min_words)
    counts = count_frame(
        [*_count_documents(documents, drawn), *reading.counts(), *_boilerplate_rows(boilerplate)]
    )
    kept = documents.filter(pl.col("fate") == "kept").select(DOCUMENT_COLUMNS)
    logger.info("%s: %d documents kept, of %d files", language, kept.height, len(sources))
    return kept, counts


@contextmanager
def _silent() -> Iterator[None]:
    """Let readers say nothing."""
    readers = logging.getLogger("biasatlas.corpora.readers")
    level = readers.level
    readers.setLevel(logging.ERROR)
    try:
        yield
    finally:
        readers.setLevel(level)


class _Reading:
    """The batches of all sources, as often as they are asked for, and what readers counted."""

    def __init__(self, sources: Sequence[Source], limits: Limits) -> None:
        self.sources = sources
        self.limits = limits
        self.reports: list[tuple[str, Report]] = []

    def batches(self) -> Iterator[pl.DataFrame]:
        """Read everything from the beginning."""
        import polars as pl

        opened = []
        problems: list[str] = []
        for reader, path, options in self.sources:
            report = Report()
            try:
                batches = read_source(reader, path, options, limits=self.limits, report=report)
            except InputError as error:
                problems += error.problems
                continue
            opened.append((reader, Path(path).name, batches, report))
        if problems:
            raise InputError(problems)
        # a second reading counts and warns of the same again
        again = bool(self.reports)
        self.reports = [(name, report) for _, name, _, report in opened]
        with _silent() if again else nullcontext():
            for reader, _, batches, _ in opened:
                rule = pl.lit(GIVEN_RULES[reader]).alias("given_rule")
                for batch in batches:
                    frame = pl.from_arrow(batch)
                    assert isinstance(frame, pl.DataFrame)
                    yield frame.with_columns(rule)

    def counts(self) -> list[dict[str, Any]]:
        """Rows of the readers' counts, under the name of the file; dropped ones were read too."""
        rows = []
        for name, report in self.reports:
            for (item, unit, rule), n in report.counts.items():
                rows.append(count_row(source=name, item=item, unit=unit, n=n, rule=rule))
                if item.startswith("dropped_") and unit == "document":
                    rows.append(count_row(source=name, item="read", n=n, rule=rule))
        return rows


def _refuse_repeated(documents: pl.DataFrame, language: str) -> None:
    import polars as pl

    repeated = documents.filter(pl.col("document").is_duplicated())["document"]
    if len(repeated):
        raise InputError(
            f"language {language}: document {repeated[0]!r} comes twice; ids must be unique in a "
            "source, and each source needs a name of its own (option name)"
        )


def _warn(
    drawn: Counts, boilerplate: Mapping[str, int], documents: pl.DataFrame, language: str
) -> None:
    """Warn of counts that look like a mistake."""
    items: Counter[str] = Counter()
    for (*_, item), n in drawn.items():
        items[item] += n
    read = sum(items.values())
    if items["dropped_empty"] > MUCH_EMPTY * read:
        logger.warning(
            "%d of %d documents have no text; is the column right?", items["dropped_empty"], read
        )
    if read and not items["kept"]:
        reasons = ", ".join(f"{item} {n}" for item, n in items.most_common(3))
        logger.warning("no document of %d is kept: %s", read, reasons)
    by_text = documents["rule"].is_in([*RULES.values()]).sum() + items["dropped_no_country"]
    if language != "en" and by_text:
        logger.warning(
            "%d documents carry no country, and the names of countries that are looked for in "
            "their text are English ones: of language %s few will be found; give a column or an "
            "option country", by_text, language,
        )  # fmt: skip
    left = int(documents["text"].str.count_matches(r"\S+").sum())
    lost = sum(boilerplate.values())
    if lost > MUCH_BOILERPLATE * (left + lost):
        logger.warning(
            "%d of %d words are dropped as boilerplate: their sentences stand in many documents of "
            "one source; passages.boilerplate_documents and boilerplate_share set how many",
            lost, left + lost,
        )  # fmt: skip


def _last_fate(documents: pl.DataFrame, min_words: int) -> pl.DataFrame:
    """Drop what is too short without its boilerplate."""
    import polars as pl

    short = pl.col("text").str.count_matches(r"\S+") < min_words
    return documents.with_columns(
        fate=pl.when(short).then(pl.lit("dropped_short")).otherwise(pl.lit("kept")),
        rule=pl.when(short).then(pl.lit("")).otherwise("rule"),
    )


def _count_documents(documents: pl.DataFrame, drawn: Counts) -> list[dict[str, Any]]:
    """Rows of what was read, and what became of it; drawn documents by their last fate."""
    read: Counter[tuple[str, str]] = Counter()
    rows = []
    for (source, _, country, item), n in drawn.items():
        read[source, country] += n
        if item != "kept":
            rows.append(count_row(source=source, country=country, item=item, n=n))
    fates = documents.group_by("source", "given_country", "fate", "rule").len()
    rows += [
        count_row(source=source, country=country, item=item, n=n, rule=rule)
        for source, country, item, rule, n in fates.rows()
    ]
    rows += [
        count_row(source=source, country=country, item="read", n=n)
        for (source, country), n in read.items()
    ]
    return rows


def _boilerplate_rows(boilerplate: Mapping[str, int]) -> list[dict[str, Any]]:
    return [
        count_row(source=source, item="dropped_boilerplate", unit="word", n=n)
        for source, n in boilerplate.items()
    ]
