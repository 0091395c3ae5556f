"""Plain text with one document a line, for example gensim's ``lee_background.cor``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.corpora.readers.common import (
    check_options,
    decode_lines,
    document_frame,
    read_bytes,
)

if TYPE_CHECKING:
    import polars as pl

OPTIONS = ("name", "source", "country", "outlet_country", "region", "date")


def read_lines(
    path: Path, options: Mapping[str, Any]
) -> tuple[pl.DataFrame, dict[tuple[str, str], int]]:
    """Read a text file, plain or ``.gz``, with one document a line.

    Parameters
    ----------
    path : Path
        The file.
    options : mapping
        name (id prefix; default: the file's stem), source (outlet; default: name), country,
        outlet_country, region, date: one value for all documents.

    Returns
    -------
    documents, counts
        As in `read_source`. The id is the line's number, so blank lines shift nothing.

    Raises
    ------
    InputError
        File missing, empty or truncated; unknown option or country.
    """
    from biasatlas.corpora.regions import resolve_country

    check_options("lines", options, OPTIONS)
    text, fallback = decode_lines(read_bytes(path))
    rows = [(i, line.strip()) for i, line in enumerate(text.split("\n"), 1) if line.strip()]
    name = str(options.get("name") or path.name.split(".")[0])
    n = len(rows)
    frame = document_frame(
        {
            "document": [f"{name}-{i}" for i, _ in rows],
            "text": [line for _, line in rows],
            "country": [resolve_country(str(options.get("country") or ""))] * n,
            "region": [str(options.get("region") or "")] * n,
            "source": [str(options.get("source") or name)] * n,
            "outlet_country": [resolve_country(str(options.get("outlet_country") or ""))] * n,
            "date": [str(options.get("date") or "")] * n,
        }
    )
    return frame, {("read", "document"): n, ("decoded_by_fallback", "document"): fallback}
