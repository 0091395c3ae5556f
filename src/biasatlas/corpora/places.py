"""Words of country names and demonyms, for telling places from persons."""

from __future__ import annotations

import csv
import re
from pathlib import Path


def place_words(path: str | Path) -> frozenset[str]:
    """Capitalised words of all names, demonyms and abbreviations of a gazetteer.

    Parameters
    ----------
    path : str or Path
        CSV with columns iso3, names, demonyms, abbreviations.
    """
    with Path(path).open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file)]
    texts = [row[column] for row in rows for column in ("names", "demonyms", "abbreviations")]
    return frozenset(
        word for text in texts for word in re.findall(r"[^\W\d_]+", text) if word[0].isupper()
    )
