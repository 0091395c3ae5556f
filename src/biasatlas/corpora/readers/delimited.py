"""Rows of delimited text (csv, tsv), and what is done with broken ones."""

from __future__ import annotations

import csv
import logging
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

from biasatlas.corpora.readers.batches import Limits, Report
from biasatlas.corpora.readers.streams import Lines
from biasatlas.errors import InputError

logger = logging.getLogger(__name__)

_SHOWN = 5
_WHY = {
    "dropped_ragged_row": "do not have the header's number of fields",
    "dropped_broken_quote": "have a quote that is not closed, or closed before the field ends",
    "dropped_too_long": "are longer than documents.max_document_mb allows, or a quote in them is "
    "not closed",
}


class _LongRowError(Exception):
    """A row that is longer than allowed."""


class Records:
    r"""Rows of a csv file, one at a time, by the standard library's parser.

    Quotes are strict: a quoted field ends at a quote before the separator or the line's end. So a
    quote that is never closed is found at the next one, and cannot take the rows in between with
    it: its line alone is dropped, and reading goes on with the next. A carriage return inside a
    line becomes a space.

    Parameters
    ----------
    path : Path
        For messages.
    lines : Lines
        The file's lines.
    separator : str
        One character.
    most : int
        Longest row. A longer one is passed over without being held.
    limits, report
        As in `read_source`. Counted: ``dropped_ragged_row``, ``dropped_broken_quote``,
        ``dropped_too_long``, ``dropped_damaged``.

    Attributes
    ----------
    header : list of str
    number : int
        Of the row given last, from 1; rows that were dropped have numbers too.
    """

    def __init__(
        self, path: Path, lines: Lines, separator: str, most: int, limits: Limits, report: Report
    ) -> None:
        # The parser has one limit for the whole process, 128 KB; here a row's length is watched.
        csv.field_size_limit(2**31 - 1)
        self._path, self._limits, self._report, self._most = path, limits, report, most
        self._lines = lines
        self._source = _numbered(lines)
        self._again: deque[tuple[int, str]] = deque()
        self._held: list[tuple[int, str]] = []
        self._length = 0
        self._gap = False
        self._ended = False
        self._quoted = ""
        self._expected = 1
        self._n = dict.fromkeys(_WHY, 0)
        self._dropped: dict[str, list[int]] = {item: [] for item in _WHY}
        self._parser = csv.reader(_Feed(self.next_line), delimiter=separator, strict=True)
        self.number = -1
        self.header: list[str] = next(self._rows(), [])
        if not self.header:
            raise InputError(f"{path}: holds no text; fetch it again")
        self.number = 0

    def __iter__(self) -> Iterator[list[str]]:
        width = len(self.header)
        for row in self._rows():
            if self._gap:
                # a line of it was too long, and is counted
                continue
            if len(row) != width:
                self._drop("dropped_ragged_row", self._held[0][0])
            else:
                yield row
        for item, first in self._dropped.items():
            if first:
                logger.warning(
                    "%s: %d rows %s; left out, first in lines %s",
                    self._path, self._n[item], _WHY[item], ", ".join(map(str, first)),
                )  # fmt: skip

    def next_line(self) -> str:
        """Give the parser the next line of a row.

        Raises
        ------
        StopIteration
            At the file's end.
        _LongRowError
            The row is too long.
        """
        entry = self._again.popleft() if self._again else next(self._source, None)
        if entry is None:
            self._ended = True
            raise StopIteration
        at, line = entry
        if at > self._expected:
            # lines that were too long to be held
            self._gap = self._gap or bool(self._held)
            self.number += 0 if self._held else at - self._expected
        self._expected = at + 1
        self._held.append(entry)
        self._length += len(line)
        if self._length > self._most and len(self._held) > 1:
            self._back(1)
            raise _LongRowError
        if "\r" in line:
            body = line.rstrip("\r\n")
            line = body.replace("\r", " ") + line[len(body) :]
        quoted, self._quoted = self._quoted, ""
        return quoted + line

    def _rows(self) -> Iterator[list[str]]:
        while True:
            self._held.clear()
            self._length, self._gap = 0, False
            try:
                row = next(self._parser)
            except StopIteration:
                return
            except _LongRowError:
                self.number += 1
                self._drop("dropped_too_long", self._held[0][0])
                if not self._skip_row(self._held[0][0]):
                    return
                continue
            except csv.Error:
                self.number += 1
                if self._ended:
                    self._unclosed()
                else:
                    self._drop("dropped_broken_quote", self._held[0][0])
                    self._back(len(self._held) - 1)
                continue
            if row:
                self.number += 1
                yield row

    def _skip_row(self, first: int) -> bool:
        """Pass over the rest of a quoted field and its row, in parts that can be held.

        Returns False at the file's end.
        """
        while True:
            self._held.clear()
            self._length = 0
            # the parser is made to believe that the field begins here
            self._quoted = '"'
            try:
                next(self._parser)
            except _LongRowError:
                continue
            except csv.Error:
                if self._ended:
                    self._never_closed(first)
                    return False
                self._back(len(self._held) - 1)
            except StopIteration:
                return False
            return True

    def _back(self, n: int) -> None:
        """Put the last lines back, to be read again."""
        if n:
            self._again.extendleft(reversed(self._held[-n:]))
            self._expected = self._again[0][0]

    def _unclosed(self) -> None:
        """Handle the end of the file inside a quoted field."""
        if self._lines.damaged:
            # the row that the damage cut off, unless its last line counts as that already
            self._report.count("dropped_damaged", int(not self._lines.cut))
            return
        self._never_closed(self._held[0][0])
        self._report.count("dropped_damaged")
        self._back(len(self._held) - 1)
        self._ended = False

    def _never_closed(self, first: int) -> None:
        reason = f"a quote in the row that begins in line {first} is never closed"
        self._report.damage(self._path, reason, self._limits)

    def _drop(self, item: str, line: int) -> None:
        self._report.count(item)
        self._n[item] += 1
        if len(self._dropped[item]) < _SHOWN:
            self._dropped[item].append(line)


class _Feed:
    """An iterator that calls a function; unlike a generator it goes on after an error."""

    def __init__(self, call: Callable[[], str]) -> None:
        self._call = call

    def __iter__(self) -> _Feed:
        return self

    def __next__(self) -> str:
        return self._call()


def _numbered(lines: Lines) -> Iterator[tuple[int, str]]:
    for block in lines:
        yield from enumerate(block.texts.to_pylist(), block.first)
