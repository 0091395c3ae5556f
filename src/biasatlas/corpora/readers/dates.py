"""Dates of documents: the ways in which tables write them, and what cannot be told."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.corpora.readers.common import Column
from biasatlas.errors import InputError

if TYPE_CHECKING:
    from biasatlas.corpora.readers.batches import Report

logger = logging.getLogger(__name__)

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_MONTH = {name: i for i, name in enumerate(_MONTHS, 1)}
_MONTH |= {name[:3]: i for name, i in _MONTH.items()} | {"sept": 9}
_YEAR_FIRST = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:[T ].*)?", re.DOTALL)
_YEAR_MONTH = re.compile(r"(\d{4})[-/](\d{1,2})")
_COMPACT = re.compile(r"(\d{4})(\d\d)(\d\d)")
_EPOCH = re.compile(r"(\d{10})(?:\.\d*)?")
_WEEKDAY = r"(?:[A-Za-z]{3,9},?\s+)?"
_DAY_FIRST = re.compile(
    _WEEKDAY + r"(\d{1,2})(?:st|nd|rd|th)?[\s-]+([A-Za-z]{3,9})\.?,?[\s-]+(\d{4})(?:[,T\s].*)?",
    re.DOTALL,
)
_MONTH_FIRST = re.compile(
    _WEEKDAY + r"([A-Za-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?:[,T\s].*)?",
    re.DOTALL,
)
_DOTS = re.compile(r"\d\.\s?\d")
# Without one of these a format tells no day.
_DAYS = ("%d", "%j", "%c", "%x", "%u", "%w", "%a", "%A")
_DIRECTIVES = "aAbBcdfGHIjmMpSuUVwWxXyYzZ"
# A longer value is a text, and no date.
_MOST_DATE = 100
_EXAMPLES = 5


def parse_date(value: str, fmt: str | None = None) -> str:
    """Turn a date into ``yyyy-mm-dd`` or ``yyyy``.

    Parameters
    ----------
    value : str
        Read without a format: ``2017``; ``2017-02`` (the year alone is kept, no day is made up);
        ``2017-02-07``, also with ``/`` or ``.``, and with a time and zone behind it (the day
        stays as written); ``20170207``; seconds since 1970 (10 digits, the day in UTC);
        ``7 Feb 2017``, ``February 7, 2017``, ``Tue, 07 Feb 2017 10:00:00 GMT`` (English months).
    fmt : str, optional
        A format of `datetime.strptime`; then nothing else is read. A format without a day gives
        the year alone.

    Returns
    -------
    str
        "" where the date cannot be told, does not exist or has over 100 characters. ``02/07/2017`` can be February or
        July, so no date of digits is read that does not begin with the year, not even
        ``13/02/2017``, which would give a column half its dates: say what it is with `fmt`.
    """
    if len(value) > _MOST_DATE or not (value := value.strip()):
        return ""
    if fmt is not None:
        return _with_format(value, fmt)
    if re.fullmatch(r"\d{4}", value, re.ASCII):
        return value
    if match := _YEAR_FIRST.fullmatch(value):
        return _day(match[1], match[3], match[4])
    if match := _COMPACT.fullmatch(value):
        return _day(*match.groups())
    if match := _YEAR_MONTH.fullmatch(value):
        return match[1] if 1 <= int(match[2]) <= 12 else ""
    if match := _EPOCH.fullmatch(value):
        return datetime.fromtimestamp(int(match[1]), UTC).date().isoformat()
    if match := _DAY_FIRST.fullmatch(value):
        return _day(match[3], _MONTH.get(match[2].lower(), 0), match[1])
    if match := _MONTH_FIRST.fullmatch(value):
        return _day(match[3], _MONTH.get(match[1].lower(), 0), match[2])
    return ""


def _with_format(value: str, fmt: str) -> str:
    try:
        found = datetime.strptime(value, fmt).date()
    except (ValueError, re.error):
        return ""
    return found.isoformat() if any(day in fmt for day in _DAYS) else f"{found.year:04d}"


def _day(year: str, month: str | int, day: str) -> str:
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return ""


def given_date(reader: str, options: Mapping[str, Any]) -> str:
    """Turn the option date, which is one date for all documents, into that of `parse_date`.

    Raises
    ------
    InputError
        It cannot be read.
    """
    value = str(options.get("date") or "").strip()
    date = parse_date(value)
    if value and not date:
        raise InputError(
            f"reader {reader}: option date: {value[:_MOST_DATE]!r} cannot be read; write "
            "2017-02-07, or 2017 for the year alone"
        )
    return date


def given_format(reader: str, options: Mapping[str, Any]) -> str | None:
    """Check the option date_format.

    Raises
    ------
    InputError
        It has no directive of `datetime.strptime`, or an unknown one.
    """
    fmt = str(options.get("date_format") or "")
    if not fmt:
        return None
    found = re.findall(r"%(.?)", fmt.replace("%%", ""), re.DOTALL)
    if not found or any(letter not in _DIRECTIVES or not letter for letter in found):
        raise InputError(
            f"reader {reader}: option date_format: {fmt!r} must be made of Python's directives, "
            "such as '%d.%m.%Y' for 07.02.2017"
        )
    return fmt


class Dates:
    """A column of dates: each distinct value is read once, unreadable ones are counted.

    Parameters
    ----------
    path : Path
        For the warning.
    report : Report
        Counts ``date_unknown``.
    fmt : str, optional
        As in `parse_date`.
    """

    def __init__(self, path: Path, report: Report, fmt: str | None = None) -> None:
        self._path, self._report, self._fmt = path, report, fmt
        self._column = Column(lambda value: parse_date(value, fmt), _MOST_DATE)
        self._unread: Counter[str] = Counter()
        self._n = 0

    def parse(self, values: Sequence[str]) -> list[str]:
        """Read the dates of one batch."""
        dates, unread = self._column.read(values)
        self._report.count("date_unknown", len(unread))
        self._n += len(unread)
        for value in (one[:_MOST_DATE] for one in unread):
            if value in self._unread or len(self._unread) < _EXAMPLES:
                self._unread[value] += 1
        return dates

    def warn(self) -> None:
        """Warn once of all dates that could not be read."""
        if self._n:
            written = "%d.%m.%Y" if any(map(_DOTS.search, self._unread)) else "%d/%m/%Y"
            logger.warning(
                "%s: %d dates cannot be read, such as %s; these documents have no date%s",
                self._path, self._n, ", ".join(repr(v[:40]) for v in self._unread),
                f" (date_format {self._fmt!r})" if self._fmt else f"; option date_format, such as "
                f"{written!r}, says how they are written",
            )  # fmt: skip
