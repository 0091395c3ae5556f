"""Which country a text is about: the one that it names most often."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from biasatlas.errors import InputError

if TYPE_CHECKING:
    import polars as pl

COLUMNS = ("iso3", "names", "demonyms", "abbreviations", "guarded")
MOST, TIE, NONE, GIVEN, NOWHERE = (
    "most mentioned",
    "tie -> outlet",
    "none -> outlet",
    "given",
    "no country",
)
# A capitalised word before a guarded name that only opens the sentence.
_OPENERS = re.compile(
    "In|From|To|And|But|The|For|Of|With|While|As|At|Like|Across|Outside|Inside|Since|When|If|"
    "Then|Both|Neighbou?ring|Today|Meanwhile|Even|Although|After|Before"
)


@dataclass(frozen=True)
class Gazetteer:
    """Names of countries as one pattern and a look-up.

    Attributes
    ----------
    pattern : str
        Regular expression in Rust's syntax; longest names first.
    country : dict
        Name to ISO3; "" for phrases that count for no country.
    guarded : dict
        Name to ISO3 for names that count only without a capitalised neighbour.
    """

    pattern: str
    country: dict[str, str]
    guarded: dict[str, str]

    def country_of(self, match: str) -> str:
        """Give the ISO3 code of a matched string, or "" when it counts for no country."""
        if match in self.country:
            return self.country[match]
        if match in self.guarded:
            return self.guarded[match]
        first, _, rest = match.partition(" ")
        return self.guarded.get(rest, "") if _OPENERS.fullmatch(first) else ""


def load_gazetteer(path: str | Path) -> Gazetteer:
    """Read a gazetteer such as ``resources/gazetteer/en.csv``.

    Parameters
    ----------
    path : str or Path
        CSV with the columns of `COLUMNS`; cells hold names separated by ``|``.

    Returns
    -------
    Gazetteer

    Raises
    ------
    InputError
        Missing file or column, bad code, or a name under two countries (all at once).
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: gazetteer not found; correct the path in the config")
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        missing = [column for column in COLUMNS if column not in (reader.fieldnames or ())]
        if missing:
            has = ", ".join(reader.fieldnames or ()) or "none"
            raise InputError(f"{path}: no column {', '.join(missing)}; it has {has}")
        rows = [(reader.line_num, row) for row in reader]
    country: dict[str, str] = {}
    guarded: dict[str, str] = {}
    problems: list[str] = []
    for line, row in rows:
        code = row["iso3"]
        if code and not re.fullmatch(r"[A-Z]{3}", code):
            problems.append(f"{path}, line {line}: iso3 {code!r} must be three capital letters")
        for column in COLUMNS[1:]:
            into = guarded if column == "guarded" else country
            for name in filter(None, (n.strip() for n in (row[column] or "").split("|"))):
                other = country.get(name, guarded.get(name, code))
                if other != code:
                    problems.append(f"{path}, line {line}: {name!r} is under {other!r} already")
                into[name] = code
    if problems:
        raise InputError(problems)
    if not country and not guarded:
        raise InputError(f"{path}: holds no names")
    return Gazetteer(_pattern(country, guarded), country, guarded)


def _pattern(country: dict[str, str], guarded: dict[str, str]) -> str:
    r"""Build the alternation, longest first.

    A guarded name is matched together with a capitalised neighbour, since Rust's engine has no
    look-around. ``\b`` cannot close a name that ends in a point.
    """
    literal = sorted(country, key=lambda name: (-len(name), name))
    names = [re.escape(name) + (r"\b" if name[-1].isalnum() else "") for name in literal]
    if guarded:
        words = "|".join(re.escape(name) for name in sorted(guarded))
        capital = r"[A-Z][\w'.]*"
        names += [rf"(?:{words})\s{capital}", rf"{capital}\s(?:{words})\b", rf"(?:{words})\b"]
    return rf"\b(?:{'|'.join(names)})"


def count_mentions(texts: pl.Series, gazetteer: Gazetteer) -> pl.DataFrame:
    """Count the mentions of each country in each text.

    Parameters
    ----------
    texts : polars.Series of str
        Cleaned texts (single spaces, straight apostrophes).
    gazetteer : Gazetteer

    Returns
    -------
    polars.DataFrame
        row (position of the text), iso3, n (at least 1); sorted by row, then iso3.
    """
    import polars as pl

    found = (
        pl.DataFrame({"row": pl.arange(0, len(texts), eager=True), "text": texts})
        .select("row", pl.col("text").str.extract_all(gazetteer.pattern).alias("match"))
        .explode("match", empty_as_null=True)
        .drop_nulls("match")
        .group_by("row", "match")
        .len("n")
    )
    unique = found["match"].unique().sort()
    codes = pl.DataFrame(
        {"match": unique, "iso3": [gazetteer.country_of(m) for m in unique]},
        schema={"match": pl.String, "iso3": pl.String},
    )
    return (
        found.join(codes, on="match")
        .filter(pl.col("iso3") != "")
        .group_by("row", "iso3")
        .agg(pl.col("n").sum().cast(pl.Int64))
        .sort("row", "iso3")
    )


def assign_country(
    documents: pl.DataFrame, gazetteer: Gazetteer | None, fallback: str = "outlet_country"
) -> pl.DataFrame:
    """Give each document the country that it names most often.

    Parameters
    ----------
    documents : polars.DataFrame
        With title, text, country, region and the column `fallback`. A document that has a
        country or a region of its own keeps it. Titles count as text.
    gazetteer : Gazetteer or None
        None leaves the choice to `fallback`.
    fallback : str
        Column that decides ties and documents that name no country.

    Returns
    -------
    polars.DataFrame
        The documents with country filled and a new column how: ``most mentioned``,
        ``tie -> outlet``, ``none -> outlet``, ``given`` or ``no country`` (nothing named or a
        tie, and no outlet country).
    """
    import polars as pl

    # only documents without a given place are searched
    free = (pl.col("country") == "") & (pl.col("region") == "")
    both = pl.col("title") + " . " + pl.col("text")
    texts = documents.select(t=pl.when(free).then(both).otherwise(pl.lit("")))["t"]
    schema = {"row": pl.Int64, "iso3": pl.String, "n": pl.Int64}
    mentions = count_mentions(texts, gazetteer) if gazetteer else pl.DataFrame(schema=schema)
    top = (
        mentions.filter(pl.col("n") == pl.col("n").max().over("row"))
        .group_by("row")
        .agg(pl.col("iso3").first().alias("top"), pl.len().alias("n_top"))
    )
    joined = documents.with_columns(pl.Series("row", range(documents.height), dtype=pl.Int64)).join(
        top, on="row", how="left", maintain_order="left"
    )
    how = (
        pl.when(~free).then(pl.lit(GIVEN))
        .when(pl.col("n_top") == 1).then(pl.lit(MOST))
        .when(pl.col(fallback) == "").then(pl.lit(NOWHERE))
        .when(pl.col("n_top") > 1).then(pl.lit(TIE))
        .otherwise(pl.lit(NONE))
    )  # fmt: skip
    country = (
        pl.when(~free).then(pl.col("country"))
        .when(pl.col("n_top") == 1).then(pl.col("top"))
        .otherwise(pl.col(fallback))
    )  # fmt: skip
    return joined.with_columns(country.alias("country"), how.alias("how")).drop(
        "row", "top", "n_top"
    )
