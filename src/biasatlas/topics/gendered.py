"""The gendered passages of a region: found, counted, and drawn for the topics."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from biasatlas.corpora.sampling import sample
from biasatlas.lexicons.gender_scan import apply_both_rule, scan

if TYPE_CHECKING:
    import pandas as pd

    from biasatlas.lexicons.gender_terms import GenderTerms

logger = logging.getLogger(__name__)


def split_passages(
    passages: pd.DataFrame,
    terms: GenderTerms,
    *,
    both: str,
    hyphen_is_letter: bool,
    max_passages: int | None,
    seed: int,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Find which passages are female or male, and draw those that topics are built on.

    Parameters
    ----------
    passages : DataFrame
        A region's passages: id, document, text, sorted by id.
    terms : GenderTerms
    both : {"exclude", "majority", "duplicate"}
        What becomes of passages with terms of both genders.
    hyphen_is_letter : bool
    max_passages : int or None
        Most passages drawn, by a seeded hash of their text, so that another word list keeps
        most of the draw.
    seed : int

    Returns
    -------
    gender : DataFrame
        id, document, gender (female, male, both, neither), female_terms, male_terms; all passages.
    used : DataFrame
        id, document, gender (female or male); with `duplicate` an id can stand twice.
    """
    import polars as pl

    frame = pl.from_pandas(passages[["id", "document", "text"]].astype("str"))
    found = scan(frame["text"], terms, hyphen_is_letter=hyphen_is_letter)
    rows = apply_both_rule(found, both).used
    gendered = frame[rows["row"].unique().sort().to_list()]
    drawn = gendered if max_passages is None else sample(gendered, max_passages, seed)
    used = (
        frame.with_row_index("row")
        .with_columns(pl.col("row").cast(pl.Int64))
        .join(rows, on="row")
        .filter(pl.col("id").is_in(drawn["id"].implode()))
        .select("id", "document", "gender")
        .sort("id", "gender")
    )
    gender = pl.concat(
        [frame.select("id", "document"), found.select("gender", "female_terms", "male_terms")],
        how="horizontal",
    )
    logger.info(
        "%d of %d passages are gendered, %d are used", len(gendered), len(frame), len(drawn)
    )
    return gender.to_pandas(), used.to_pandas()


def count_gender(
    gender: pd.DataFrame,
    used: pd.DataFrame,
    *,
    both: str,
    warn_below: int,
    warn_female_below: int,
) -> Mapping[str, Any]:
    """Count one region for the gender table, with a warning where it is thin.

    Parameters
    ----------
    gender, used : DataFrame
        From `split_passages`.
    both : str
        The rule that made them.
    warn_below, warn_female_below : int
        A region with fewer gendered, or fewer female, passages is thin.
    """
    n = {
        name: int((gender["gender"] == name).sum())
        for name in ("female", "male", "both", "neither")
    }
    gendered = n["female"] + n["male"]
    warnings = []
    if len(gender) == 0:
        warnings.append("no passage at all")
    elif gendered == 0:
        warnings.append("no gendered passage at all")
    elif gendered < warn_below:
        warnings.append(f"thin: {gendered} gendered passages, under {warn_below}")
    if gendered > 0 and n["female"] < warn_female_below:
        warnings.append(f"thin: {n['female']} female passages, under {warn_female_below}")
    documents = {
        name: int(gender.loc[gender["gender"] == name, "document"].nunique())
        for name in ("female", "male")
    }
    return {
        "passages": len(gender),
        **n,
        "female_share": n["female"] / gendered if gendered else float("nan"),
        "gendered_used": int(used["id"].nunique()),
        "documents_female": documents["female"],
        "documents_male": documents["male"],
        "both_rule": both,
        "warning": "; ".join(warnings),
    }
