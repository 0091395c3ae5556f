"""What all readers share: bytes to text, broken archives to one clear message."""

from __future__ import annotations

import codecs
import logging
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.errors import InputError

if TYPE_CHECKING:
    from biasatlas.corpora.readers.batches import Report

logger = logging.getLogger(__name__)

_CACHE = 50_000


def check_file(path: Path, *, folder: bool = False) -> None:
    """Refuse a path that is missing, empty, of the wrong kind, or not to be read."""
    try:
        status = path.stat()
    except PermissionError as error:
        raise InputError(f"{path}: no permission to reach it") from error
    except OSError as error:
        raise InputError(
            f"{path}: file not found; put it there or correct the path in the config"
        ) from error
    is_folder = path.is_dir()
    if is_folder and not folder:
        raise InputError(f"{path}: is a folder; give a file")
    if not os.access(path, os.R_OK | os.X_OK if is_folder else os.R_OK):
        raise InputError(f"{path}: no permission to read it")
    if not is_folder and status.st_size == 0:
        raise InputError(f"{path}: the file is empty; fetch it again")


def walk_files(root: Path, report: Report) -> Iterator[Path]:
    """Give the files in a folder and all folders below, in no certain order.

    Links to folders are not followed, so that no circle can come of them, nor links to files that
    lead out of the folder or nowhere. Counted, unit file: ``skipped_link`` and ``skipped_hidden``
    (a hidden folder counts as one).

    Raises
    ------
    InputError
        A folder that cannot be opened.
    """
    inside = root.resolve()
    for parent, folders, names in os.walk(root, onerror=_no_entry):
        at = Path(parent)
        hidden = {name for name in (*folders, *names) if name.startswith(".")}
        links = {name for name in folders if (at / name).is_symlink()} - hidden
        links |= {name for name in set(names) - hidden if not _leads_inside(at / name, inside)}
        report.count("skipped_hidden", len(hidden), unit="file")
        report.count("skipped_link", len(links), unit="file")
        folders[:] = [name for name in folders if name not in hidden and name not in links]
        yield from (at / name for name in names if name not in hidden and name not in links)


def _no_entry(error: OSError) -> None:
    reason = "no permission to open it" if isinstance(error, PermissionError) else error.strerror
    raise InputError(f"{error.filename}: the folder cannot be read ({reason})") from error


def _leads_inside(file: Path, inside: Path) -> bool:
    if not file.is_symlink():
        return True
    target = file.resolve()
    return target.is_relative_to(inside) and target.is_file()


def given_country(reader: str, options: Mapping[str, Any], key: str) -> str:
    """Turn an option that is one country for all documents into ISO3.

    Raises
    ------
    InputError
        It names no country.
    """
    from biasatlas.corpora.regions import nearest, resolve_country

    value = str(options.get(key) or "").strip()
    code = resolve_country(value)
    if value and not code:
        raise InputError(
            f"reader {reader}: option {key}: country {value!r} is unknown; give ISO2, ISO3 or a "
            f"name{nearest(value)}"
        )
    return code


def check_pattern(
    reader: str, options: Mapping[str, Any], key: str, *, group: str
) -> re.Pattern[str] | None:
    """Compile an option that is a regular expression with one group, or a group of that name.

    Raises
    ------
    InputError
        It is no regular expression, or it is not clear which group is meant.
    """
    given = str(options.get(key) or "")
    if not given:
        return None
    try:
        pattern = re.compile(given)
    except re.error as error:
        raise InputError(
            f"reader {reader}: option {key}: {given!r} is not a regular expression ({error})"
        ) from error
    if group not in pattern.groupindex and pattern.groups != 1:
        raise InputError(
            f"reader {reader}: option {key}: {given!r} has {pattern.groups} groups; it must have "
            f"one, (...), or one named (?P<{group}>...)"
        )
    return pattern


def pattern_group(pattern: re.Pattern[str] | None, text: str, group: str) -> str:
    """Search a pattern of `check_pattern` and give its group; "" where nothing is found."""
    match = pattern.search(text) if pattern is not None else None
    if match is None:
        return ""
    return match[group if group in match.re.groupindex else 1] or ""


class Column:
    """A column of values that are read once each; what cannot be read is empty.

    Parameters
    ----------
    read : callable
        Gives what a value says, "" for nothing.
    longest : int
        A longer value says nothing, and is neither read nor kept: a column of texts, named by
        mistake, must not be held.
    """

    def __init__(self, read: Callable[[str], str], longest: int) -> None:
        self._read, self._longest = read, longest
        self._known: dict[str, str] = {"": ""}

    def read(self, values: Sequence[str]) -> tuple[list[str], list[str]]:
        """Give what the values of one batch say, and those that say nothing without being blank."""
        if len(self._known) > _CACHE:
            self._known = {"": ""}
        for value in set(values).difference(self._known):
            if len(value) <= self._longest:
                self._known[value] = self._read(value)
        found = [self._known.get(value, "") for value in values]
        if "" not in found:
            return found, []
        unread = [v.strip() for v, said in zip(values, found, strict=True) if not said]
        return found, [value for value in unread if value]


class Countries:
    """A column of countries: each distinct value is resolved once, unknown ones are counted.

    Parameters
    ----------
    path : Path
        For the warning.
    report : Report
        Counts ``country_unknown``, one rule a distinct value (the first 20) and ``others``.
    """

    def __init__(self, path: Path, report: Report) -> None:
        from biasatlas.corpora.regions import MOST_NAME, resolve_country

        self._path, self._report = path, report
        self._column = Column(resolve_country, MOST_NAME)
        self._rules: dict[str, str] = {}
        self._n = 0

    def resolve(self, values: Sequence[str]) -> list[str]:
        """Give the ISO3 codes of one batch, "" for what names no country."""
        codes, unknown = self._column.read(values)
        for value in unknown:
            self._report.count("country_unknown", rule=self._rule(value))
        self._n += len(unknown)
        return codes

    def _rule(self, value: str) -> str:
        from biasatlas.corpora.readers.batches import MOST_RULES, OTHER_RULES
        from biasatlas.corpora.regions import MOST_NAME, nearest

        key = value[: MOST_NAME + 1]
        if key not in self._rules:
            if len(self._rules) >= MOST_RULES:
                return OTHER_RULES
            near = nearest(value).replace(";", ":", 1) if len(value) <= MOST_NAME else ""
            self._rules[key] = repr(value[:60]) + near
        return self._rules[key]

    def warn(self) -> None:
        """Warn once of all values that name no country."""
        if self._n:
            logger.warning(
                "%s: %d documents name a country that is unknown: %s; give ISO2, ISO3 or English "
                "names; these documents have no country",
                self._path, self._n, "; ".join(self._rules.values()),
            )  # fmt: skip


def decode(raw: bytes) -> tuple[str, bool]:
    """Decode bytes as UTF-8 (or UTF-16 with its mark), else as Windows-1252, else Latin-1.

    Returns
    -------
    text : str
    fallback : bool
        True when the bytes were not valid Unicode, so that the text is a guess.
    """
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return raw.decode("utf-16", errors="replace"), False
    try:
        return raw.decode("utf-8-sig"), False
    except UnicodeDecodeError:
        pass
    try:
        return raw.decode("cp1252"), True
    except UnicodeDecodeError:
        return raw.decode("latin-1"), True
