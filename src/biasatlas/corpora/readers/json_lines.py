"""JSON lines, one object a row."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.corpora.readers.batches import Limits, Report
from biasatlas.corpora.readers.streams import iter_lines
from biasatlas.corpora.readers.table_columns import SURE, Table
from biasatlas.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

logger = logging.getLogger(__name__)

# A row is longer than its text: a letter may take six bytes, and there are other columns.
_PER_TEXT = 4
_MORE = 1 << 16
_SHOWN = 20


def first_keys(path: Path, limits: Limits) -> list[str]:
    """Give the keys of the first object, for a message."""
    for block in iter_lines(path, limits, Report()):
        for line in block.texts.to_pylist():
            with suppress(ValueError, RecursionError):
                row = _parse(line)
                if isinstance(row, dict):
                    return list(row)
    return []


def read_json(table: Table) -> Iterator[pa.RecordBatch]:
    """Give the objects as batches of documents.

    Raises
    ------
    InputError
        As in `read_table`.
    """
    most = _PER_TEXT * table.limits.document_bytes + _MORE
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


def _parse(line: str) -> Any:
    from pydantic_core import from_json

    try:
        return from_json(line)
    except ValueError:
        return json.loads(line)  # takes lone surrogates, and tells what is wrong


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
        if len(self._seen) < SURE:
            self._seen.update(dict.fromkeys(row))
        if self._n == SURE and self._table.wanted["text"] in self.missing:
            self._table.check(list(self._seen), f" in the first {SURE} objects")

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
