"""What is wrong or odd in a gazetteer of country names, name by name."""

from __future__ import annotations

import csv
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from biasatlas.lexicons.strict_yaml import Problem

# Columns whose cells hold names, separated by bars, as biasatlas.corpora.gazetteer reads them.
NAMES = ("names", "demonyms", "abbreviations", "guarded")


def check_gazetteer(path: Path) -> list[Problem]:
    """Check the spelling of a gazetteer's names and that each stands there once.

    Parameters
    ----------
    path : Path
        CSV with the columns iso3, names, demonyms, abbreviations, guarded.

    Returns
    -------
    list of Problem
        Errors: a missing column; a name that is blank, not NFC, has stray or double spaces, or
        stands under two countries. A name that stands twice under one country is a warning.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            rows = [(reader.line_num, row) for row in reader]
    except UnicodeDecodeError:
        return [Problem(path, 0, "not UTF-8; save it as UTF-8")]
    missing = [one for one in ("iso3", *NAMES) if one not in (reader.fieldnames or ())]
    if missing:
        return [Problem(path, 1, f"missing column {', '.join(missing)}")]
    problems: list[Problem] = []
    first: dict[str, tuple[str, int]] = {}
    for line, row in rows:
        for column in NAMES:
            for name in row[column].split("|") if row[column] else ():
                problems += [Problem(path, line, one, column, name) for one in _spelling(name)]
                code, at = first.get(name, (None, 0))
                first.setdefault(name, (row["iso3"], line))
                if code is not None:
                    severity = "warning" if code == row["iso3"] else "error"
                    message = f"repeated: also on line {at}, under {code or 'no country'}"
                    problems.append(Problem(path, line, message, column, name, severity))
    return problems


def _spelling(name: str) -> Iterator[str]:
    if not name.strip():
        yield "an empty name between bars"
    elif name != name.strip():
        yield f"stray white space: {name!r}"
    elif name != " ".join(name.split()):
        yield f"more than one plain space between words: {name!r}"
    composed = unicodedata.normalize("NFC", name)
    if name != composed:
        yield f"not in Unicode form NFC; write {composed!r}"
