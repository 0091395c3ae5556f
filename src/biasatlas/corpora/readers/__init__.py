"""Readers: one small module a source format, all with the same result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.corpora.readers.batches import Limits, Reader, Report
from biasatlas.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

_HERE = "biasatlas.corpora.readers"
# Imported when used: each format needs libraries that the others do without.
READERS: dict[str, str] = {
    "folder": f"{_HERE}.folder:read_folder",
    "geowac": f"{_HERE}.geowac:read_geowac",
    "lines": f"{_HERE}.lines:read_lines",
    "news": f"{_HERE}.news:read_news",
    "reddit": f"{_HERE}.reddit:read_reddit",
    "table": f"{_HERE}.table:read_table",
    "ungdc": f"{_HERE}.ungdc:read_ungdc",
}
# How a document that brings its place got it; "column" for all other readers.
GIVEN_RULES: dict[str, str] = {
    "folder": "file name",
    "geowac": "file name",
    "reddit": "subreddit",
    "ungdc": "country of the speaker",
}
GIVEN_RULES = {name: GIVEN_RULES.get(name, "column") for name in READERS}


def read_source(
    reader: str,
    path: str | Path,
    options: Mapping[str, Any] | None = None,
    *,
    limits: Limits | None = None,
    report: Report | None = None,
) -> Iterator[pa.RecordBatch]:
    """Read one source as batches of documents.

    Parameters
    ----------
    reader : str
        A key of `READERS`.
    path : str or Path
        File or folder, as the reader asks.
    options : mapping
        Options of that reader; ``name`` is the prefix of the document ids in all of them.
    limits : Limits, optional
        Sizes, and what happens to a damaged file.
    report : Report, optional
        Takes the counts of what no batch holds (items ``dropped_*``), and of what was done to
        documents; complete once the last batch is taken.

    Returns
    -------
    iterator of pyarrow.RecordBatch
        The columns of `COLUMNS`, all text: document, title, text, country (ISO3 or ""), region,
        source, outlet_country (ISO3 or ""), date ("yyyy-mm-dd", "yyyy" or ""). Documents without
        text are there too. A date that is only a year sorts before every full date of that year.

    Raises
    ------
    InputError
        Unknown reader or option, missing, empty or broken file, missing column. What only the
        content shows is raised while the batches are taken.
    """
    return resolve_reader(reader)(
        Path(path), options or {}, limits or Limits(), report if report is not None else Report()
    )


def resolve_reader(reader: str) -> Reader:
    """Import the function of a reader.

    Raises
    ------
    InputError
        There is no such reader.
    """
    if reader not in READERS:
        raise InputError(f"reader {reader!r} is unknown; allowed: {', '.join(sorted(READERS))}")
    module, function = READERS[reader].split(":")
    found: Reader = getattr(import_module(module), function)
    return found
