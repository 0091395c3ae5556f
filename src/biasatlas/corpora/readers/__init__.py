"""Readers: one small module a source format, all with the same result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.corpora.readers.lines import read_lines
from biasatlas.corpora.readers.news import read_news
from biasatlas.corpora.readers.table import read_table
from biasatlas.corpora.readers.ungdc import read_ungdc
from biasatlas.errors import InputError

if TYPE_CHECKING:
    import polars as pl

Reader = Callable[[Path, Mapping[str, Any]], "tuple[pl.DataFrame, dict[tuple[str, str], int]]"]

READERS: dict[str, Reader] = {
    "lines": read_lines,
    "news": read_news,
    "table": read_table,
    "ungdc": read_ungdc,
}


def read_source(
    reader: str, path: str | Path, options: Mapping[str, Any] | None = None
) -> tuple[pl.DataFrame, dict[tuple[str, str], int]]:
    """Read one source into a frame of documents.

    Parameters
    ----------
    reader : str
        A key of `READERS`.
    path : str or Path
        File or folder, as the reader asks.
    options : mapping, optional
        Options of that reader; ``name`` is the prefix of the document ids in all of them.

    Returns
    -------
    documents : polars.DataFrame
        One row a document, all text: document, title, text, country (ISO3 or ""), region,
        source, outlet_country (ISO3 or ""), date ("yyyy-mm-dd", "yyyy" or ""). A date that is
        only a year sorts before every full date of that year.
    counts : dict
        ``{(item, unit): n}``; ``("read", "document")`` is always there.

    Raises
    ------
    InputError
        Unknown reader or option, missing, empty or broken file, missing column.
    """
    if reader not in READERS:
        raise InputError(f"reader {reader!r} is unknown; allowed: {', '.join(sorted(READERS))}")
    return READERS[reader](Path(path), options or {})
