"""Find female and male terms in passages, as whole words.

The stated rule
---------------
- A term is found where it stands between word boundaries. A boundary is any place that is not
  between two letters, marks, digits or zero-width joiners of any script: ``hé`` does not hold
  ``he``. Apostrophes, straight or curly, and hyphens are none of these, so they end a word:
  ``Men's`` holds ``men``, ``mother-in-law`` holds ``mother``. The modifier letter U+02BC is a
  letter. An underscore, and any other connector, is read as a space.
- With ``hyphen_is_letter`` a hyphen is a letter: ``mother-in-law`` is one word.
- A term is a word or a phrase. Between two words of a phrase the text has any run of white space,
  connectors and hyphens (with ``hyphen_is_letter``: no hyphens) where the term has one:
  ``ex girlfriend`` is found in ``ex-girlfriend``; and one apostrophe, straight or curly, where
  the term has one. Any other sign in a term is an error, as no text could match it.
- Case is nothing: characters are compared in the simple case folding of Unicode, one to one
  (``ς`` is ``σ``, ``ẞ`` is ``ß``, ``ss`` is not). In Turkish and Azerbaijani ``I`` is ``ı`` and
  ``İ`` is ``i``. How accents are encoded is nothing either: texts are compared in form NFC.
- Occurrences do not overlap: from left to right, the longest term at a place is taken.
- Soft hyphens and variation selectors are nothing; U+2010 and U+2011 are hyphens; dashes are not,
  they end a word, as all other signs do.
- Chinese, Japanese, Thai and other languages that write no spaces need spaces put between their
  words before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from biasatlas.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from biasatlas.lexicons.gender_terms import GenderTerms

GENDERS = ("female", "male", "both", "neither")
BOTH_RULES = ("exclude", "majority", "duplicate")


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

    Raises
    ------
    InputError
        For terms that no text can hold, and for two that are one to the search, as ``ex wife``
        and ``ex-wife``, on different sides.
    """
    from biasatlas.lexicons.term_search import as_text, find_terms

    _check_sides(terms, hyphen_is_letter)
    series = as_text(texts)
    hits = find_terms(
        series,
        [*terms.female, *terms.male],
        language=terms.language,
        hyphen_is_letter=hyphen_is_letter,
    )
    return _tabulate(len(series), hits, terms)


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


def _check_sides(terms: GenderTerms, hyphen_is_letter: bool) -> None:
    from biasatlas.lexicons.term_search import parse_terms

    both = (*terms.female, *terms.male)
    keys = parse_terms(both, language=terms.language, hyphen_is_letter=hyphen_is_letter)
    female = dict(zip(keys, terms.female, strict=False))
    problems = [
        f"the female term {female[key]!r} and the male term {term!r} are one to the search"
        for key, term in zip(keys[len(terms.female) :], terms.male, strict=True)
        if key in female
    ]
    if problems:
        raise InputError(problems)


def _tabulate(n: int, hits: pl.DataFrame, terms: GenderTerms) -> pl.DataFrame:
    import polars as pl

    frame = pl.DataFrame({"row": pl.arange(n, eager=True)})
    names = pl.Series([*terms.female, *terms.male], dtype=pl.String)
    is_female = hits["term"] < len(terms.female)
    hits = hits.with_columns(names.gather(hits["term"]).alias("term"))
    for gender, own in (("female", is_female), ("male", ~is_female)):
        grouped = (
            hits.filter(own)
            .group_by("row", "term")
            .agg(pl.len().cast(pl.Int64).alias("count"))
            .sort("row", "term")
            .group_by("row", maintain_order=True)
            .agg(
                pl.col("term").alias(f"{gender}_terms"),
                pl.col("count").sum().alias(f"{gender}_count"),
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
