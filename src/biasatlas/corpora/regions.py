"""Countries, continents and the regions that a config makes of them."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

CONTINENTS = ("Africa", "Asia", "Europe", "North America", "Oceania", "South America")
# A longer value is a text, and no country's name.
MOST_NAME = 100
_KEYS = ("name", "label", "countries", "continent", "document_label", "top_countries")


@cache
def _table() -> tuple[dict[str, str], ...]:
    """Read country_converter's data file without importing the package.

    Its ``convert`` fails on pandas 3 and takes minutes on long lists.
    """
    spec = find_spec("country_converter")
    if spec is None or not spec.submodule_search_locations:
        raise InputError("the package country_converter is not installed")
    path = Path(next(iter(spec.submodule_search_locations))) / "country_data.tsv"
    with path.open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file, delimiter="\t"))


def continent_table() -> pd.DataFrame:
    """Give every country's code, short name and continent.

    Returns
    -------
    pandas.DataFrame
        ISO3, name_short, Continent_7 (one of `CONTINENTS`), sorted by ISO3. Russia, Cyprus and
        Kosovo are in Europe, Türkiye and the Caucasus in Asia; Central America and the Caribbean
        are in North America.
    """
    import pandas as pd

    rows = [
        (row["ISO3"], row["name_short"], row["Continent_7"])
        for row in _table()
        if row["Continent_7"] in CONTINENTS and not row["obsolete"]
    ]
    return pd.DataFrame(sorted(rows), columns=["ISO3", "name_short", "Continent_7"])


@cache
def _names() -> dict[str, str]:
    rows = [row for row in _table() if not row["obsolete"]]
    names: dict[str, str] = {}
    for column in ("name_official", "ISO2", "name_short", "ISO3"):
        for row in rows:
            # two codes are written as patterns: ^GB$|^UK$
            values = re.findall("[A-Z]{2}", row[column]) if column == "ISO2" else [row[column]]
            names.update({value.casefold(): row["ISO3"] for value in values if value})
    return names | {"uk": "GBR", "us": "USA", "u.s.": "USA", "u.k.": "GBR"}


def resolve_country(name: str) -> str:
    """Turn an ISO2 code, ISO3 code or name of a country into ISO3; "" if it names none.

    A value of more than `MOST_NAME` characters names none.
    """
    return _resolve(name) if len(name) <= MOST_NAME else ""


@lru_cache(maxsize=10_000)
def _resolve(name: str) -> str:
    key = " ".join(name.split()).casefold()
    if not key:
        return ""
    if key in _names():
        return _names()[key]
    if len(key) < 4:
        return ""
    found = {
        row["ISO3"]: match.end()
        for row in _table()
        if row["regex"]
        and not row["obsolete"]
        and (match := re.search(row["regex"], key, re.IGNORECASE))
    }
    if len(found) != 1:
        return ""
    code, end = found.popitem()
    if key[end : end + 1].isalpha():
        # "nigera" begins like Niger, but is nearer to Nigeria
        near = suggest_countries(key, 1, cutoff=0.6)
        return code if near and _names()[near[0].casefold()] == code else ""
    return code


def suggest_countries(name: str, n: int = 3, *, cutoff: float = 0.8) -> list[str]:
    """Give the countries whose names are nearest to a name that `resolve_country` does not know.

    Parameters
    ----------
    name : str
        It is compared with names only: most codes are one letter from several others.
    n : int
        Most suggestions.
    cutoff : float
        Least ratio of `difflib`. At 0.8 a letter or two may be wrong, and a continent or a land
        that never was (Asia, Atlantis) is near to no country.

    Returns
    -------
    list of str
        Short names, nearest first; maybe none.
    """
    key = " ".join(name[: 2 * MOST_NAME].split()).casefold()[:MOST_NAME]
    short = {
        row[column].casefold(): row["name_short"]
        for column in ("name_official", "name_short")
        for row in _table()
        if row[column] and not row["obsolete"]
    }
    near = get_close_matches(key, short, n=4 * n, cutoff=cutoff)
    return list(dict.fromkeys(short[match] for match in near))[:n]


def nearest(name: str) -> str:
    """Give the end of a message about an unknown country: ``; nearest: Nigeria``, or ""."""
    found = suggest_countries(name)
    return f"; nearest: {', '.join(found)}" if found else ""


def resolve_regions(regions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Turn the regions of a config into lists of ISO3 codes.

    Parameters
    ----------
    regions : sequence of mappings
        Each has name, optional label (default: name), and either countries (ISO2, ISO3 or names)
        or continent; optional top_countries: keep only the k countries with most documents.
        document_label: how a column of the documents themselves writes the region (default:
        its name), which goes before countries.

    Returns
    -------
    list of dict
        name, label, countries (sorted ISO3), document_label, top_countries (int or None).

    Raises
    ------
    InputError
        All unknown keys, countries and continents, and countries in two regions, at once.
    """
    problems: list[str] = []
    resolved = [_resolve_region(spec, problems) for spec in regions]
    owner: dict[str, str] = {}
    names: list[str] = []
    for region in resolved:
        if region["name"] in names:
            problems.append(f"region {region['name']}: the name is given twice")
        names.append(region["name"])
        for country in region["countries"]:
            if owner.setdefault(country, region["name"]) != region["name"]:
                problems.append(
                    f"region {region['name']}: {country} is in {owner[country]} already"
                )
    if problems:
        raise InputError(problems)
    return resolved


def _resolve_region(spec: Mapping[str, Any], problems: list[str]) -> dict[str, Any]:
    name = str(spec.get("name") or "")
    at = f"region {name or dict(spec)}"
    if not name:
        problems.append(f"{at}: needs a name")
    problems += [
        f"{at}: key {key!r} is unknown; allowed: {', '.join(_KEYS)}"
        for key in spec
        if key not in _KEYS
    ]
    countries: set[str] = set()
    for given in spec.get("countries") or ():
        code = resolve_country(str(given))
        if not code:
            problems.append(
                f"{at}: country {given!r} is unknown; give ISO2, ISO3 or a name"
                f"{nearest(str(given))}"
            )
        countries |= {code} - {""}
    continent = spec.get("continent")
    if continent and spec.get("countries"):
        problems.append(f"{at}: give countries or continent, not both")
    elif continent and continent not in CONTINENTS:
        problems.append(
            f"{at}: continent {continent!r} is unknown; allowed: {', '.join(CONTINENTS)}"
        )
    elif continent:
        table = continent_table()
        countries |= set(table.loc[table["Continent_7"] == continent, "ISO3"])
    top = spec.get("top_countries")
    if top is not None and (not isinstance(top, int) or isinstance(top, bool) or top < 1):
        problems.append(f"{at}: top_countries {top!r} must be a whole number of at least 1")
    return {
        "name": name,
        "label": str(spec.get("label") or name),
        "countries": sorted(countries),
        "document_label": str(spec.get("document_label") or name),
        "top_countries": top,
    }
