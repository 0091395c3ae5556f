"""Tables with a column of text: csv, tsv, jsonl or parquet."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.corpora.readers.batches import Limits, Report, check_options, make_batch
from biasatlas.corpora.readers.common import Countries, check_file, given_country
from biasatlas.corpora.readers.dates import Dates, given_format
from biasatlas.corpora.readers.delimited import Records
from biasatlas.corpora.readers.streams import iter_lines
from biasatlas.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

logger = logging.getLogger(__name__)

COLUMN_OPTIONS = ("text", "id", "title", "country", "region", "source", "date")
OPTIONS = (*COLUMN_OPTIONS, "name", "outlet_country", "date_format", "separator")
FORMATS = ("csv", "tsv", "jsonl", "ndjson", "parquet")
# A row is longer than its text: in JSON a letter may take six bytes, in csv a quote takes two.
_JSON_PER_TEXT = 4
_ROW_PER_TEXT = 2
_ROW_MORE = 1 << 16
# Rows after which a column of text that no JSON object had, or that never held text, is an error;
# the other columns, which may be rare, are looked for to the end.
_SURE = 1000
_SHOWN = 20


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
            f"{_has(header := _header(path, kind, separator, limits))}{_hint(path, header)}"
        )
    table = Table(path, options, limits, report)
    return _read(table, kind, separator)


def _read(table: Table, kind: str, separator: str) -> Iterator[pa.RecordBatch]:
    from biasatlas.corpora.readers.parquet import read_parquet

    if kind == "parquet":
        yield from read_parquet(table)
    elif kind in ("csv", "tsv"):
        yield from _read_delimited(table, separator)
    else:
        yield from _read_json(table)
    table.texts.warn()
    table.countries.warn()
    table.dates.warn()


@dataclass
class Table:
    """What the steps of one table share."""

    path: Path
    options: Mapping[str, Any]
    limits: Limits
    report: Report

    def __post_init__(self) -> None:
        self.wanted = {
            key: str(self.options[key]) for key in COLUMN_OPTIONS if self.options.get(key)
        }
        self.name = str(self.options.get("name") or self.path.name.split(".")[0])
        self.outlet_country = given_country("table", self.options, "outlet_country")
        self.countries = Countries(self.path, self.report)
        self.dates = Dates(self.path, self.report, given_format("table", self.options))
        if "text" in self.wanted:
            self.texts = _Texts(self.path, self.report, self.wanted)

    def check(self, columns: Sequence[str], where: str = "") -> None:
        """Refuse columns that the table does not have."""
        problems = []
        for key, column in self.wanted.items():
            if column not in columns:
                near = get_close_matches(column, columns, n=1)
                problems.append(
                    f"{self.path}: no column {column!r} (option {key}){where}{_has(columns)}"
                    + (f"; nearest: {near[0]}" if near else "")
                    + _hint(self.path, columns)
                )
        if problems:
            raise InputError(problems)

    def batches(self, rows: list[tuple[int, list[Any]]]) -> Iterator[pa.RecordBatch]:
        """Build a batch from (number, values of the wanted columns); none of no rows."""
        rows = self.texts.keep(rows)
        at = self.texts.at
        kept = [row for row in rows if not _longer(row[1][at], self.limits.document_bytes)]
        self.report.count("dropped_too_long", len(rows) - len(kept))
        if kept:
            numbers = [number for number, _ in kept]
            columns = zip(*(values for _, values in kept), strict=True)
            yield self.batch(numbers, dict(zip(self.wanted, columns, strict=True)))

    def batch(self, numbers: Sequence[int], columns: Mapping[str, Any]) -> pa.RecordBatch:
        """Build a batch; values that are no text become text."""
        found: dict[str, Any] = {
            key: values if key == "text" and not isinstance(values, tuple) else as_texts(values)
            for key, values in columns.items()
        }
        ids = found.pop("id", numbers)
        found["document"] = [f"{self.name}-{i}" for i in ids]
        if "country" in found:
            found["country"] = self.countries.resolve(found["country"])
        if "date" in found:
            found["date"] = self.dates.parse(found["date"])
        sources = found.get("source")
        found["source"] = [s or self.name for s in sources] if sources is not None else self.name
        return make_batch({**found, "outlet_country": self.outlet_country})


class _Texts:
    """The column of text: a list or an object in it is no text, and a name may be mistaken."""

    def __init__(self, path: Path, report: Report, wanted: Mapping[str, str]) -> None:
        self._column, self._path, self._report = wanted["text"], path, report
        self.at = list(wanted).index("text")
        self._n = self._n_other = self._first = 0
        self._example = ""
        self._any = False

    def keep(self, rows: list[tuple[int, list[Any]]]) -> list[tuple[int, list[Any]]]:
        """Leave out and count the rows whose text is none."""
        is_text = [not isinstance(values[self.at], list | dict) for _, values in rows]
        before = is_text.index(True) if True in is_text else len(rows)
        if before < len(rows) and self._n + before < _SURE:
            self._any = True
        self._n += len(rows)
        n_other = is_text.count(False)
        if not n_other and self._any:
            return rows
        if n_other and not self._n_other:
            self._first, values = rows[is_text.index(False)]
            self._example = json.dumps(values[self.at], default=str)[:60]
        self._n_other += n_other
        if self._n >= _SURE and not self._any:
            self._refuse(f"the first {_SURE} rows")
        self._report.count("dropped_not_text", n_other)
        return [row for row, kept in zip(rows, is_text, strict=True) if kept]

    def warn(self) -> None:
        """Warn once of rows without text, at the end; refuse when there were no others."""
        if self._n_other and not self._any:
            self._refuse("all rows")
        if self._n_other:
            logger.warning(
                "%s: column %r (option text) holds a list or an object, no text, in %d rows, "
                "first in row %d (%s); left out",
                self._path, self._column, self._n_other, self._first, self._example,
            )  # fmt: skip

    def _refuse(self, where: str) -> None:
        raise InputError(
            f"{self._path}: column {self._column!r} (option text) holds lists or objects in "
            f"{where}, such as {self._example} in row {self._first}; name a column of text"
        )


def as_texts(values: Sequence[Any]) -> list[str]:
    """Turn values of any type into text; a missing one is empty."""
    return [v if type(v) is str else "" if v is None else str(v) for v in values]


def _longer(text: Any, most: int) -> bool:
    if not isinstance(text, str) or len(text) * 4 <= most:
        return False
    return len(text) > most or len(text.encode("utf-8", "replace")) > most


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


def _has(columns: Sequence[str]) -> str:
    return f"; it has {', '.join(columns[:100]) or 'none'}"


def _hint(path: Path, columns: Sequence[str]) -> str:
    """Guess the separator of a csv whose header is a single column."""
    if len(columns) != 1 or _kind(path) != "csv":
        return ""
    found = [(sign, name) for sign, name in ((";", "';'"), ("\t", "a tab")) if sign in columns[0]]
    return f"; is the separator {found[0][1]}? (option separator)" if found else ""


def _header(path: Path, kind: str, separator: str, limits: Limits) -> list[str]:
    """Give a table's columns for a message; for JSON those of the first object."""
    if kind == "parquet":
        from biasatlas.corpora.readers.parquet import open_parquet

        with open_parquet(path) as file:
            return list(file.schema_arrow.names)
    if kind in ("csv", "tsv"):
        return _records(path, separator, limits, Report()).header
    for block in iter_lines(path, limits, Report()):
        for line in block.texts.to_pylist():
            with suppress(ValueError, RecursionError):
                row = _parse(line)
                if isinstance(row, dict):
                    return list(row)
    return []


def _records(path: Path, separator: str, limits: Limits, report: Report) -> Records:
    most = _ROW_PER_TEXT * limits.document_bytes + _ROW_MORE
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


def _parse(line: str) -> Any:
    from pydantic_core import from_json

    try:
        return from_json(line)
    except ValueError:
        return json.loads(line)  # takes lone surrogates, and tells what is wrong


def _read_json(table: Table) -> Iterator[pa.RecordBatch]:
    most = _JSON_PER_TEXT * table.limits.document_bytes + _ROW_MORE
    lines = iter_lines(table.path, table.limits, table.report, most)
    wanted = list(table.wanted.values())
    keys = _Keys(table)
    number = bad = 0
    following = 1
    for block in lines:
        rows: list[tuple[int, list[Any]]] = []
        problems: list[str] = []
        # lines that were too long to be held have numbers too
        number += block.first - following
        following = block.first + len(block.texts)
        for at, line in enumerate(block.texts.to_pylist(), block.first):
            if line.isspace():
                continue
            number += 1
            try:
                row = _parse(line)
            except (ValueError, RecursionError) as error:
                problems.append(f"{table.path}, line {at}: is not JSON ({error})")
                continue
            if not isinstance(row, dict):
                problems.append(f"{table.path}, line {at}: must be a JSON object")
                continue
            if keys.missing:
                keys.add(row)
            rows.append((number, [row.get(key) for key in wanted]))
        _judge(table, problems, first=not bad)
        bad += len(problems)
        yield from table.batches(rows)
    if not number and not lines.damaged and not lines.last - following + 1:
        raise InputError(f"{table.path}: holds no text; fetch it again")
    keys.check()
    if bad:
        logger.warning("%s: %d lines are no JSON object and are left out", table.path, bad)


class _Keys:
    """Which keys the JSON objects had, as long as a wanted one was in none."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._seen: dict[str, None] = {}
        self._n = 0
        self.missing = set(table.wanted.values())

    def add(self, row: Mapping[str, Any]) -> None:
        """Take note of one object."""
        self._n += 1
        self.missing.difference_update(row)
        if len(self._seen) < _SURE:
            self._seen.update(dict.fromkeys(row))
        if self._n == _SURE and self._table.wanted["text"] in self.missing:
            self._table.check(list(self._seen), f" in the first {_SURE} objects")

    def check(self) -> None:
        """Refuse wanted columns that no object had."""
        if self.missing and self._n:
            found = set(self._table.wanted.values()) - self.missing
            self._table.check([*self._seen, *sorted(found.difference(self._seen))])


def _judge(table: Table, problems: list[str], *, first: bool) -> None:
    """Refuse lines that are no JSON objects, or count them."""
    if not problems:
        return
    if table.limits.damaged == "fail":
        more = len(problems) - _SHOWN
        raise InputError(
            problems[:_SHOWN] + ([f"{table.path}: and {more} more lines"] if more > 0 else [])
        )
    table.report.count("dropped_damaged", len(problems))
    if first:
        logger.warning("%s", "; ".join(problems[:3]))
