"""GeoWAC (Dunn & Adams 2020, arXiv 2004.00809): web text balanced by country, a sample a line."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.corpora.readers.batches import Limits, Report, check_options
from biasatlas.corpora.readers.common import (
    check_file,
    check_pattern,
    given_country,
    pattern_group,
    walk_files,
)
from biasatlas.corpora.readers.dates import given_date
from biasatlas.corpora.readers.lines import line_documents
from biasatlas.corpora.regions import continent_table, nearest, resolve_country
from biasatlas.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

logger = logging.getLogger(__name__)

OPTIONS = ("name", "source", "date", "country", "country_pattern")
_ENDINGS = ("gz", "zst", "txt", "tsv")
_EXAMPLE = r"country_pattern: '_([A-Z]{2})_'"


def read_geowac(
    path: Path, options: Mapping[str, Any], limits: Limits, report: Report
) -> Iterator[pa.RecordBatch]:
    """Read GeoWAC's files of one or more countries, plain, ``.gz`` or ``.zst``.

    Parameters
    ----------
    path : Path
        One file, or a folder whose files (also in folders below, none that is hidden) are read
        sorted by name.
    options : mapping
        name (put before the ids), source (default: GeoWAC), date: one value for all;
        country_pattern: a regular expression that is searched in each file's name and whose
        group (the first, or the one named country) is the country; country: for all files.
        Without both, exactly one part of the file's name between signs that are no letters must
        be a country's code in capitals (ISO2, ISO3) or a country's name.
    limits, report
        As in `read_source`.

    Returns
    -------
    iterator of pyarrow.RecordBatch
        The id is the file's name without endings (with its folders where two files share it)
        and the line's number.

    Raises
    ------
    InputError
        Missing, empty or damaged file; unknown option; file names that tell no country, all at
        once.
    """
    check_options("geowac", options, OPTIONS)
    check_file(path, folder=True)
    pattern = check_pattern("geowac", options, "country_pattern", group="country")
    given = given_country("geowac", options, "country")
    date = given_date("geowac", options)
    if given and pattern:
        raise InputError("reader geowac: give option country or country_pattern, not both")
    files = _files(path, report)
    problems: list[str] = []
    places = {file: given or _country(file, pattern, problems) for file in files}
    if problems:
        raise InputError(problems)
    return _read(path, files, places, {**options, "date": date}, limits, report)


def _read(
    root: Path,
    files: list[Path],
    places: Mapping[Path, str],
    options: Mapping[str, Any],
    limits: Limits,
    report: Report,
) -> Iterator[pa.RecordBatch]:
    before = f"{options['name']}-" if options.get("name") else ""
    shared = Counter(_stem(file) for file in files)
    for file in files:
        stem = _stem(file)
        if shared[stem] > 1:
            # the whole path: b.txt and b.gz of one folder differ only in their endings
            stem = file.relative_to(root).as_posix()
        constants = {
            "country": places[file],
            "source": str(options.get("source") or "GeoWAC"),
            "date": str(options["date"]),
        }
        logger.info("%s: country %s", file, places[file])
        yield from line_documents(file, before + stem, constants, limits, report)


def _files(path: Path, report: Report) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(walk_files(path, report))
    if not files:
        raise InputError(f"{path}: the folder holds no file")
    return files


def _stem(file: Path) -> str:
    name = file.name
    for ending in _ENDINGS:
        name = re.sub(rf"\.{ending}$", "", name, flags=re.IGNORECASE)
    return name


def _country(file: Path, pattern: re.Pattern[str] | None, problems: list[str]) -> str:
    """Find the country in a file's name; what goes wrong is added to the problems."""
    if pattern is None:
        return _guess(file, problems)
    found = pattern_group(pattern, file.name, "country")
    code = resolve_country(found)
    if not found:
        problems.append(f"{file}: country_pattern {pattern.pattern!r} finds nothing in the name")
    elif not code:
        problems.append(f"{file}: country {found!r} is unknown{nearest(found)}")
    return code


def _guess(file: Path, problems: list[str]) -> str:
    parts = [
        part for part in re.split(r"[\W\d_]+", file.name) if part and part.lower() not in _ENDINGS
    ]
    found = find_countries(parts)
    if len(found) == 1:
        return found[0]
    problems.append(
        f"{file}: {'no part' if not found else 'more than one part'} of the name is a country "
        f"({', '.join(parts)}{'; ' if found else ''}{' and '.join(found)}); codes must be "
        f"in capitals; say which part is the country, such as {_EXAMPLE}, or give option country"
    )
    return ""


def find_countries(parts: list[str]) -> list[str]:
    """Give the countries (ISO3) that the words of a file's name spell, each once.

    A name of several words goes before the names in it: Guinea Bissau is not Guinea.
    """
    names = _short_names()
    most = max(len(name) for name in names)
    found: list[str] = []
    at = 0
    while at < len(parts):
        folded = [part.casefold() for part in parts[at : at + most]]
        n = next((n for n in range(len(folded), 0, -1) if tuple(folded[:n]) in names), 0)
        found.append(names[tuple(folded[:n])] if n else _word(parts[at], names))
        at += max(n, 1)
    return [code for code in dict.fromkeys(found) if code]


def _word(word: str, names: Mapping[tuple[str, ...], str]) -> str:
    # short words are codes, in capitals; as "us" or "in" they are English
    if len(word) < 4:
        return resolve_country(word) if word.isupper() else ""
    # "russian" or "indian" are languages or peoples
    folded = word.casefold()
    if any(len(name) == 1 and folded.startswith(name[0]) for name in names):
        return ""
    return resolve_country(word)


@cache
def _short_names() -> dict[tuple[str, ...], str]:
    table = continent_table()
    return {
        tuple(re.findall(r"[^\W\d_]+", name.casefold())): code
        for code, name in zip(table["ISO3"], table["name_short"], strict=True)
    }
