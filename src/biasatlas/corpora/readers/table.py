"""Tables with a column of text: csv, tsv, jsonl or parquet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.corpora.readers.batches import Limits, Report, check_options
from biasatlas.corpora.readers.common import check_file
from biasatlas.corpora.readers.delimited import Records
from biasatlas.corpora.readers.json_lines import first_keys, read_json
from biasatlas.corpora.readers.parquet import open_parquet, read_parquet
from biasatlas.corpora.readers.streams import iter_lines
from biasatlas.corpora.readers.table_columns import (
    COLUMN_OPTIONS,
    Table,
    guess_separator,
    name_columns,
)
from biasatlas.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

OPTIONS = (*COLUMN_OPTIONS, "name", "outlet_country", "date_format", "separator")
FORMATS = ("csv", "tsv", "jsonl", "ndjson", "parquet")
# A row is longer than its text: a quote takes two bytes, and there are other columns.
_PER_TEXT = 2
_MORE = 1 << 16


def read_table(
    path: Path, options: Mapping[str, Any], limits: Limits, report: Report
) -> Iterator[pa.RecordBatch]:
    """Read documents from a csv, tsv, jsonl (each plain, ``.gz`` or ``.zst``) or parquet file.

    Parameters
    ----------
    path : Path
        The file; its ending tells the format (``.ndjson`` is ``.jsonl``).
    options : mapping
        Names of the file's columns: text (required), id (default: the row's number), title,
        country (ISO2, ISO3 or name), region, source, date; and name (id prefix; default: the
        file's stem), outlet_country (one value for all), date_format (as in `parse_date`) and
        separator (of a csv; default: a comma).
    limits, report
        As in `read_source`. Counted: ``country_unknown`` and ``date_unknown`` (such documents
        have none), ``dropped_ragged_row``, ``dropped_broken_quote``, ``dropped_damaged``,
        ``dropped_too_long``, ``dropped_not_text`` (JSON whose text is a list or an object),
        ``decoded_by_fallback``.

    Returns
    -------
    iterator of pyarrow.RecordBatch
        A row's number counts the rows before it that were dropped, too.

    Raises
    ------
    InputError
        Missing, empty or damaged file, unknown ending, missing column, two columns of one name,
        a line that is no JSON object (with ``damaged: fail``), a column of text that holds lists
        or objects only (JSON: in the first 1,000 rows).
    """
    check_options("table", options, OPTIONS)
    kind = _kind(path)
    separator = str(options.get("separator") or ("\t" if kind == "tsv" else ","))
    if options.get("separator") and (kind != "csv" or len(separator) != 1 or separator in '"\r\n'):
        raise InputError(
            f"{path}: option separator {separator!r} must be one character, and is for .csv files"
        )
    check_file(path)
    if not options.get("text"):
        raise InputError(
            f"{path}: option text is required: the column that holds the text"
            f"{name_columns(header := _header(path, kind, separator, limits))}{guess_separator(path, header)}"
        )
    table = Table(path, options, limits, report)
    return _read(table, kind, separator)


def _read(table: Table, kind: str, separator: str) -> Iterator[pa.RecordBatch]:
    if kind == "parquet":
        yield from read_parquet(table)
    elif kind in ("csv", "tsv"):
        yield from _read_delimited(table, separator)
    else:
        yield from read_json(table)
    table.texts.warn()
    table.countries.warn()
    table.dates.warn()


def _kind(path: Path) -> str:
    suffixes = [suffix.lstrip(".").lower() for suffix in path.suffixes]
    packed = suffixes[-1:] in (["gz"], ["zst"])
    kind = "".join(suffixes[-2:-1] if packed else suffixes[-1:])
    if kind not in FORMATS or (packed and kind == "parquet"):
        raise InputError(
            f"{path}: unknown format {'.'.join(suffixes[-2:])!r}; allowed: {', '.join(FORMATS)}, "
            "all but parquet also with .gz or .zst behind"
        )
    return kind


def _header(path: Path, kind: str, separator: str, limits: Limits) -> list[str]:
    """Give a table's columns for a message; for JSON those of the first object."""
    if kind == "parquet":
        with open_parquet(path) as file:
            return list(file.schema_arrow.names)
    if kind in ("csv", "tsv"):
        return _records(path, separator, limits, Report()).header
    return first_keys(path, limits)


def _records(path: Path, separator: str, limits: Limits, report: Report) -> Records:
    most = _PER_TEXT * limits.document_bytes + _MORE
    lines = iter_lines(path, limits, report, most)
    return Records(path, lines, separator, most, limits, report)


def _read_delimited(table: Table, separator: str) -> Iterator[pa.RecordBatch]:
    records = _records(table.path, separator, table.limits, table.report)
    header = records.header
    named = [name for name in header if name]
    if len(set(named)) < len(named):
        twice = sorted({name for name in named if named.count(name) > 1})
        raise InputError(
            f"{table.path}: column {', '.join(twice)} comes twice in the header; rename one"
        )
    table.check(header)
    at = [header.index(column) for column in table.wanted.values()]
    rows: list[tuple[int, list[Any]]] = []
    length = 0
    for row in records:
        values = [row[i] for i in at]
        rows.append((records.number, values))
        length += sum(map(len, values)) + 1
        if length >= table.limits.batch_bytes:
            yield from table.batches(rows)
            rows, length = [], 0
    yield from table.batches(rows)
