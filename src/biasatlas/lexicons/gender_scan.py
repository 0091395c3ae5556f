"""Find female and male terms in passages, as whole words.

The stated rule
---------------
- A term is found where it stands between word boundaries, whatever its case. A boundary is any
  place that is not between two letters, marks, digits or zero-width joiners of any script:
  ``hé`` does not hold ``he``. Apostrophes, straight or curly, and hyphens are none of these, so
  they end a word: ``Men's`` holds ``men``, ``mother-in-law`` holds ``mother``. An underscore is
  read as a space.
- With ``hyphen_is_letter`` a hyphen is a letter: ``mother-in-law`` is one word.
- Between the words of a phrase stands any run of white space and hyphens (with
  ``hyphen_is_letter``: of white space): ``ex girlfriend`` is found in ``ex-girlfriend``.
- Occurrences do not overlap: from left to right, the longest term at a place is taken.
- A soft hyphen is nothing; U+2010 and U+2011 are hyphens; dashes are not, they end a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from biasatlas.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from biasatlas.lexicons.gender_terms import GenderTerms

GENDERS = ("female", "male", "both", "neither")
BOTH_RULES = ("exclude", "majority", "duplicate")

# Each row: what it is in the text, what the search sees. Long s and the Kelvin sign fold to s, k.
# The emoji selector is a mark, but it is no letter of the word after it.
_VARIANTS = {
    "ſ": "s",
    "\u212a": "k",
    "\u00ad": "",
    "\ufe0f": "",
    "\u2010": "-",
    "\u2011": "-",
}


@dataclass(frozen=True)
class GenderedRows:
    """Which passages are used as which gender.

    Attributes
    ----------
    used : polars.DataFrame
        Columns row (position in the frame, from 0) and gender (female or male), sorted by both.
    n_both : int
        Passages with terms of both genders.
    n_excluded : int
        Those of them that are not used, ties included.
    n_ties : int
        Those of them with as many female as male occurrences (rule ``majority``, else 0).
    """

    used: pl.DataFrame
    n_both: int
    n_excluded: int
    n_ties: int


def scan(
    texts: pl.Series | Iterable[str | None], terms: GenderTerms, *, hyphen_is_letter: bool = False
) -> pl.DataFrame:
    """Find the gender terms of every passage.

    Parameters
    ----------
    texts : polars.Series, pyarrow array, pandas Series or iterable of str, length n
        Passages; None is read as empty.
    terms : GenderTerms
        From `load_gender_pairs`.
    hyphen_is_letter : bool
        Whether ``mother-in-law`` is one word.

    Returns
    -------
    polars.DataFrame
        n rows in the order of `texts`: gender (female, male, both or neither), female_terms and
        male_terms (the distinct terms in alphabetical order), female_count and male_count
        (occurrences).

    Notes
    -----
    Passages in ASCII are searched with ASCII word boundaries, many times faster than Unicode
    ones. In the others every non-ASCII letter is first replaced by an ASCII one, which leaves
    all boundaries where they were. Only terms that are not ASCII need the slow search.
    """
    import polars as pl

    series = _as_series(texts)
    plain = series.str.len_bytes() == series.str.len_chars()
    patterns = _build_patterns([*terms.female, *terms.male], hyphen_is_letter)
    prepared = series.str.replace_all("_", " ", literal=True)
    parts = []
    for is_plain in (True, False):
        rows = (plain if is_plain else ~plain).arg_true()
        part = prepared.gather(rows)
        pattern = patterns[0]
        if not is_plain:
            part = part.str.replace_many(list(_VARIANTS), list(_VARIANTS.values()))
            if patterns[1] is None:
                part = _replace_foreign_letters(part)
            else:
                part = part.str.normalize("NFC").str.replace_all(r"\p{Pc}", " ")
                pattern = patterns[1]
        if pattern is None or part.is_empty():
            continue
        if hyphen_is_letter:
            part = part.str.replace_all("-", "_", literal=True)
        found = part.str.extract_all(pattern)
        parts.append(pl.DataFrame({"row": rows, "found": found}).explode("found").drop_nulls())
    return _tabulate(len(series), parts, terms)


def counts(frame: pl.DataFrame) -> dict[str, int]:
    """Count the passages of a scan that are female, male, both and neither."""
    tally = dict(frame["gender"].value_counts().iter_rows())
    return {gender: int(tally.get(gender, 0)) for gender in GENDERS}


def apply_both_rule(frame: pl.DataFrame, rule: str) -> GenderedRows:
    """Decide what becomes of passages with terms of both genders.

    Parameters
    ----------
    frame : polars.DataFrame
        From `scan`.
    rule : str
        ``exclude``: they are left out. ``majority``: they go with the gender that has more
        occurrences, ties are left out. ``duplicate``: they are used twice, once as each.

    Raises
    ------
    InputError
        For another rule.
    """
    import polars as pl

    if rule not in BOTH_RULES:
        raise InputError(f"gender.both is '{rule}'; allowed: {', '.join(BOTH_RULES)}")
    rows = frame.with_row_index("row").with_columns(pl.col("row").cast(pl.Int64))
    both = rows.filter(pl.col("gender") == "both")
    single = rows.filter(pl.col("gender").is_in(["female", "male"])).select("row", "gender")
    added = single.clear()
    n_ties = n_excluded = 0
    if rule == "exclude":
        n_excluded = len(both)
    elif rule == "majority":
        decided = both.filter(pl.col("female_count") != pl.col("male_count"))
        n_ties = n_excluded = len(both) - len(decided)
        more = pl.when(pl.col("female_count") > pl.col("male_count"))
        gender = more.then(pl.lit("female")).otherwise(pl.lit("male")).alias("gender")
        added = decided.select("row", gender)
    else:
        copies = [both.select("row", pl.lit(gender).alias("gender")) for gender in GENDERS[:2]]
        added = pl.concat(copies)
    used = pl.concat([single, added]).sort("row", "gender")
    return GenderedRows(used, len(both), n_excluded, n_ties)


def _as_series(texts: pl.Series | Iterable[str | None]) -> pl.Series:
    import polars as pl

    if isinstance(texts, pl.Series):
        series = texts
    elif hasattr(texts, "to_numpy"):
        series = pl.Series(texts)
    else:
        series = pl.Series(list(texts), dtype=pl.String, strict=True)
    if series.dtype == pl.Null:
        series = series.cast(pl.String)
    if series.dtype != pl.String:
        raise TypeError(f"texts must be text; found {series.dtype}")
    return series.fill_null("")


def _build_patterns(terms: Sequence[str], hyphen_is_letter: bool) -> tuple[str | None, str | None]:
    """Give the pattern of ASCII terms for ASCII text, and one of all terms if any is not ASCII."""
    # The hyphen is searched as "_", which regex boundaries count as a letter.
    split, gap, gap_ascii = (
        (r"[\s_]+", r"\s+", r"\s+") if hyphen_is_letter else (r"[\s_\-]+", r"[\s\-]+", r"[\s\-]+")
    )
    longest_first = sorted(set(terms), key=lambda term: (-len(term), term))
    ascii_terms = [term for term in longest_first if term.isascii()]

    def join(chosen: Sequence[str], separator: str) -> str:
        phrases = [
            separator.join(_escape(word) for word in re.split(split, term)) for term in chosen
        ]
        return "|".join(phrases)

    fast = rf"(?i-u)\b(?:{join(ascii_terms, gap_ascii)})\b" if ascii_terms else None
    if len(ascii_terms) == len(longest_first):
        return fast, None
    return fast, rf"(?i)\b(?:{join(longest_first, gap)})\b"


def _escape(word: str) -> str:
    return re.sub(r"([!-/:-@\[-^`{-~])", r"\\\1", word.replace("-", "_"))


def _replace_foreign_letters(series: pl.Series) -> pl.Series:
    """Put an ASCII letter for each run of other letters, a space for other spaces and underscores."""
    series = series.str.replace_all(r"[\w--[:ascii:]--\p{Pc}]+", "x")
    return series.str.replace_all(r"[\s\p{Pc}--[:ascii:]]", " ")


def _tabulate(n: int, parts: list[pl.DataFrame], terms: GenderTerms) -> pl.DataFrame:
    import polars as pl

    frame = pl.DataFrame({"row": pl.arange(n, dtype=pl.UInt32, eager=True)})
    empty = pl.DataFrame(schema={"row": pl.UInt32, "found": pl.String})
    hits = pl.concat([empty, *parts])
    # Few distinct spellings are found, so Python's case folding is cheap here.
    spellings = hits["found"].unique().to_list()
    for gender, own in (("female", terms.female), ("male", terms.male)):
        by_key = {_key(term): term for term in reversed(own)}
        known = {text: by_key[_key(text)] for text in spellings if _key(text) in by_key}
        table = pl.DataFrame(
            {"found": list(known), "term": list(known.values())},
            schema={"found": pl.String, "term": pl.String},
        )
        grouped = (
            hits.join(table, on="found")
            .group_by("row")
            .agg(
                pl.col("term").unique().sort().alias(f"{gender}_terms"),
                pl.len().cast(pl.Int64).alias(f"{gender}_count"),
            )
        )
        frame = frame.join(grouped, on="row", how="left", maintain_order="left")
    female, male = pl.col("female_count") > 0, pl.col("male_count") > 0
    gender_column = (
        pl.when(female & male)
        .then(pl.lit("both"))
        .when(female)
        .then(pl.lit("female"))
        .when(male)
        .then(pl.lit("male"))
        .otherwise(pl.lit("neither"))
        .alias("gender")
    )
    no_terms = pl.lit([], dtype=pl.List(pl.String))
    return frame.with_columns(
        pl.col("female_count", "male_count").fill_null(0),
        pl.col("female_terms", "male_terms").fill_null(no_terms),
    ).select(gender_column, "female_terms", "male_terms", "female_count", "male_count")


def _key(text: str) -> str:
    return re.sub(r"[\s\-_]+", " ", text).casefold()
