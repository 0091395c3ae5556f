"""Posts of Reddit: dumps of submissions (JSON lines or CSV), and what the asset reddit_* fetched."""

from __future__ import annotations

import json
import logging
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.corpora.readers.batches import Limits, Report, check_options, make_batch
from biasatlas.corpora.readers.common import check_file, given_country
from biasatlas.corpora.readers.dates import parse_date
from biasatlas.corpora.readers.delimited import Records
from biasatlas.corpora.readers.streams import PACKED, iter_lines
from biasatlas.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

logger = logging.getLogger(__name__)

OPTIONS = ("name", "source", "regions", "countries", "country", "title_in_text")
_NO_DUMP = (".7z", ".bz2", ".parquet", ".tar", ".tsv", ".xz", ".zip")
_SUBREDDIT = re.compile(r"[a-z0-9_-]+")
# What Reddit leaves of a text that its author, or somebody else, took away.
_GONE = ("[deleted]", "[removed]", "[deleted by user]")
_NEEDED = ("title", "selftext", "subreddit")
# Other subreddits that are told apart for the warning, and named in it.
_MOST_OTHERS = 10_000
_NAMED = 5
# September 2001: a smaller number is a year.
_FIRST_EPOCH = 1e9


def read_reddit(
    path: Path, options: Mapping[str, Any], limits: Limits, report: Report
) -> Iterator[pa.RecordBatch]:
    """Read posts (submissions) with the fields of Reddit's API; authors never leave the reader.

    Parameters
    ----------
    path : Path
        JSON lines, or a ``.csv`` with a header, each plain, ``.gz`` or ``.zst``. Fields: id,
        title, selftext, subreddit, created_utc; all others are passed over.
    options : mapping
        name (id prefix, default ``reddit``); source (default ``Reddit``); regions and countries:
        mappings of subreddit to the region's label and to the country, capitals not minded;
        country: one for all; title_in_text (default true): the text is the title, a blank line
        and the post. With regions or countries, posts of other subreddits are dropped; without
        these and country, the region is the subreddit's name in small letters.
    limits, report
        Counted: ``dropped_removed`` (no text but the title), ``dropped_other_subreddit`` (also
        any line in which no wanted subreddit's name occurs, which is not read further),
        ``skipped_comment``, ``skipped_not_a_post``, ``date_unknown``, ``dropped_damaged`` (no
        JSON object), and what `Lines` and `Records` count.

    Returns
    -------
    iterator of pyarrow.RecordBatch
        As in `read_source`; the date is created_utc's day in UTC. The title's column is empty
        where the text holds the title.

    Raises
    ------
    InputError
        Missing or damaged file, another format, an unknown option or country, a missing column.
    """
    check_options("reddit", options, OPTIONS)
    rest = path.with_suffix("") if path.suffix.lower() in PACKED else path
    if rest.suffix.lower() in _NO_DUMP:
        raise InputError(
            f"{path}: ending {rest.suffix!r}; allowed: JSON lines or .csv, plain, .gz or .zst"
        )
    posts = _Posts(path, _read_places(options), limits, report)
    check_file(path)
    if rest.suffix.lower() == ".csv":
        return posts.batches(_csv_rows(posts))
    return posts.batches(_json_rows(posts))


@dataclass(frozen=True)
class _Places:
    """The options, checked: where posts belong and how they are written."""

    name: str
    source: str
    regions: dict[str, str]
    countries: dict[str, str]
    country: str
    title_in_text: bool

    @property
    def wanted(self) -> frozenset[str]:
        """Subreddits in small letters; none: all are."""
        return frozenset(self.regions) | frozenset(self.countries)

    def of(self, subreddit: str) -> tuple[str, str]:
        """Region's label and country of a post."""
        if self.wanted or self.country:
            region = self.regions.get(subreddit, "")
            return region, self.countries.get(subreddit, self.country)
        return subreddit, ""


def _read_places(options: Mapping[str, Any]) -> _Places:
    problems: list[str] = []
    regions = _mapping(options, "regions", problems)
    countries = _mapping(options, "countries", problems)
    for subreddit, value in countries.items():
        try:
            countries[subreddit] = given_country("reddit", {"countries": value}, "countries")
        except InputError as error:
            problems += [f"{problem} ({subreddit})" for problem in error.problems]
    country = ""
    try:
        country = given_country("reddit", options, "country")
    except InputError as error:
        problems += error.problems
    title_in_text = options.get("title_in_text", True)
    if not isinstance(title_in_text, bool):
        problems.append(
            f"reader reddit: option title_in_text: {title_in_text!r}; allowed: true, false"
        )
    if problems:
        raise InputError(problems)
    return _Places(
        name=str(options.get("name") or "reddit"),
        source=str(options.get("source") or "Reddit"),
        regions=regions,
        countries=countries,
        country=country,
        title_in_text=bool(title_in_text),
    )


def _mapping(options: Mapping[str, Any], key: str, problems: list[str]) -> dict[str, str]:
    """Read a mapping of subreddits; ``r/Africa`` and ``africa`` are one."""
    given = options.get(key) or {}
    at = f"reader reddit: option {key}"
    if not isinstance(given, Mapping):
        problems.append(f"{at}: {given!r}; a mapping of subreddit to {key} is needed")
        return {}
    mapping: dict[str, str] = {}
    for name, value in given.items():
        subreddit = str(name).strip().lower().removeprefix("/").removeprefix("r/")
        if not _SUBREDDIT.fullmatch(subreddit) or not str(value).strip():
            problems.append(f"{at}: {name!r}: {value!r}; a subreddit and a value are needed")
        elif subreddit in mapping:
            problems.append(f"{at}: subreddit {subreddit!r} is given twice")
        mapping[subreddit] = str(value).strip()
    return mapping


@dataclass
class _Posts:
    """One file's posts on their way into batches."""

    path: Path
    places: _Places
    limits: Limits
    report: Report
    _columns: dict[str, list[str]] = field(default_factory=dict)
    _length: int = 0
    _found: set[str] = field(default_factory=set)
    _others: Counter[str] = field(default_factory=Counter)

    def batches(self, rows: Iterator[tuple[int, Mapping[str, Any]]]) -> Iterator[pa.RecordBatch]:
        """Turn (number, fields) into batches."""
        for number, row in rows:
            self._add(number, row)
            if self._length >= self.limits.batch_bytes:
                yield self._flush()
        if self._columns:
            yield self._flush()
        self._warn()

    def _warn(self) -> None:
        """Warn once of subreddits that no post had: their names may be mistaken."""
        missing = sorted(self.places.wanted - self._found)
        if missing:
            others = ", ".join(f"{name} ({n})" for name, n in self._others.most_common(_NAMED))
            logger.warning(
                "%s: no post is of subreddit %s (options regions, countries)%s",
                self.path, ", ".join(missing), f"; others that were read: {others}" * bool(others),
            )  # fmt: skip

    def _add(self, number: int, row: Mapping[str, Any]) -> None:
        if row.get("title") is None:
            comment = row.get("body") is not None
            self.report.count("skipped_comment" if comment else "skipped_not_a_post")
            return
        subreddit = _text(row, "subreddit").lower()
        if self.places.wanted and subreddit not in self.places.wanted:
            self.report.count("dropped_other_subreddit")
            name = subreddit[:60]
            if name in self._others or len(self._others) < _MOST_OTHERS:
                self._others[name] += 1
            return
        self._found.add(subreddit)
        title, text = _text(row, "title"), _text(row, "selftext")
        if not text or text.lower() in _GONE:
            self.report.count("dropped_removed")
            return
        if self.places.title_in_text:
            title, text = "", f"{title}\n\n{text}" if title else text
        if len(text.encode("utf-8", "replace")) > self.limits.document_bytes:
            self.report.count("dropped_too_long")
            return
        region, country = self.places.of(subreddit)
        values = {
            "document": f"{self.places.name}-{_text(row, 'id') or number}",
            "title": title,
            "text": text,
            "country": country,
            "region": region,
            "date": self._date(row.get("created_utc")),
        }
        for column, value in values.items():
            self._columns.setdefault(column, []).append(value)
        self._length += len(text)

    def _date(self, created: Any) -> str:
        if created is None or created == "":
            return ""
        try:
            seconds = float(created)
            if seconds >= _FIRST_EPOCH:
                return datetime.fromtimestamp(seconds, UTC).date().isoformat()
        except (TypeError, ValueError, OverflowError, OSError):
            pass
        date = parse_date(str(created))
        self.report.count("date_unknown", int(not date))
        return date

    def _flush(self) -> pa.RecordBatch:
        batch = make_batch({**self._columns, "source": self.places.source})
        self._columns, self._length = {}, 0
        return batch


def _text(row: Mapping[str, Any], key: str) -> str:
    value = row.get(key)
    return "" if value is None else str(value).strip()


def _json_rows(posts: _Posts) -> Iterator[tuple[int, Mapping[str, Any]]]:
    n_bad = first_bad = 0
    for number, line in _candidates(posts):
        row = _parse(line)
        if isinstance(row, dict):
            yield number, row
            continue
        n_bad += 1
        first_bad = first_bad or number
        posts.report.count("dropped_damaged")
        if posts.limits.damaged == "fail":
            break
    if n_bad:
        lines = "a line is" if n_bad == 1 else f"{n_bad} lines are"
        reason = f"{lines} no JSON object, the first is line {first_bad}"
        posts.report.damage(posts.path, reason, posts.limits)


def _parse(line: str) -> Any:
    """Read a line of JSON; None where it is none."""
    from pydantic_core import from_json

    try:
        return from_json(line)
    except ValueError:
        pass
    try:
        return json.loads(line)  # takes lone surrogates
    # a line may nest deeper than can be read
    except (ValueError, RecursionError):
        return None


def _candidates(posts: _Posts) -> Iterator[tuple[int, str]]:
    """Give the lines in which a wanted subreddit's name occurs, with their numbers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    # Most lines of a dump are of other subreddits: to look for a name is faster than to parse.
    pattern = "|".join(sorted(posts.places.wanted))
    most = _most_line(posts.limits)
    for block in iter_lines(posts.path, posts.limits, posts.report, most):
        numbers = pa.array(range(block.first, block.first + len(block.texts)))
        texts = block.texts
        if pattern:
            blank = pc.match_substring_regex(texts, r"^\s*$")
            found = pc.match_substring_regex(texts, pattern, ignore_case=True)
            others = pc.invert(pc.or_(blank, found))
            posts.report.count("dropped_other_subreddit", pc.sum(others).as_py() or 0)
            texts, numbers = texts.filter(found), numbers.filter(found)
        for number, line in zip(numbers.to_pylist(), texts.to_pylist(), strict=True):
            if line.strip():
                yield number, line


def _csv_rows(posts: _Posts) -> Iterator[tuple[int, Mapping[str, Any]]]:
    most = _most_line(posts.limits)
    lines = iter_lines(posts.path, posts.limits, posts.report, most)
    rows = Records(posts.path, lines, ",", most, posts.limits, posts.report)
    header = _check_header(rows.header, posts.path)
    for row in rows:
        yield rows.number, dict(zip(header, row, strict=True))


def _check_header(row: list[str], path: Path) -> list[str]:
    header = [name.strip().lower() for name in row]
    missing = [name for name in _NEEDED if name not in header]
    if missing:
        raise InputError(f"{path}: no column {', '.join(missing)}; it has {', '.join(row)}")
    return header


def _most_line(limits: Limits) -> int:
    """Longest line: it holds more than the text, whose letters may be written in six bytes."""
    return 4 * limits.document_bytes + (1 << 16)
