"""The wanted columns of a table: checked, turned into text, built into batches."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.corpora.readers.batches import Limits, Report, make_batch
from biasatlas.corpora.readers.common import Countries, given_country
from biasatlas.corpora.readers.dates import Dates, given_format
from biasatlas.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

logger = logging.getLogger(__name__)

COLUMN_OPTIONS = ("text", "id", "title", "country", "region", "source", "date")
# Rows after which a column of text that no JSON object had, or that never held text, is an error;
# the other columns, which may be rare, are looked for to the end.
SURE = 1000


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
                    f"{self.path}: no column {column!r} (option {key}){where}{name_columns(columns)}"
                    + (f"; nearest: {near[0]}" if near else "")
                    + guess_separator(self.path, columns)
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
        if before < len(rows) and self._n + before < SURE:
            self._any = True
        self._n += len(rows)
        n_other = is_text.count(False)
        if not n_other and self._any:
            return rows
        if n_other and not self._n_other:
            self._first, values = rows[is_text.index(False)]
            self._example = json.dumps(values[self.at], default=str)[:60]
        self._n_other += n_other
        if self._n >= SURE and not self._any:
            self._refuse(f"the first {SURE} rows")
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


def name_columns(columns: Sequence[str]) -> str:
    """Say for a message which columns a table has."""
    return f"; it has {', '.join(columns[:100]) or 'none'}"


def guess_separator(path: Path, columns: Sequence[str]) -> str:
    """Guess the separator of a csv whose header is a single column."""
    if len(columns) != 1 or ".csv" not in (suffix.lower() for suffix in path.suffixes):
        return ""
    found = [(sign, name) for sign, name in ((";", "';'"), ("\t", "a tab")) if sign in columns[0]]
    return f"; is the separator {found[0][1]}? (option separator)" if found else ""
