"""Rows of the topic and pair tables from the files of each region."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

OUTLIERS = "(in no topic)"
# A list of words, made here or read from Parquet; a topic without one has NaN.
LISTS = (list, np.ndarray)
# What a pair's row repeats of each of its topics, and what stands there without a pair.
PAIRED = {"label": "", "words": "", "log_odds": float("nan"), "u_mass": float("nan")}


def topic_rows(
    alignment: pd.DataFrame,
    labels: pd.DataFrame,
    *,
    dominant_document_share: float,
    dominant_name_share: float,
) -> pd.DataFrame:
    """Join the alignment and the description of one region's topics, and flag doubtful ones.

    Parameters
    ----------
    alignment : DataFrame
        From `align_topics`, with `u_mass`.
    labels : DataFrame
        From `describe_topics`.
    dominant_document_share, dominant_name_share : float
        A topic with a larger share of passages from one document, or with one name, is flagged.
    """
    frame = alignment.merge(labels, on="topic", how="left")
    for column in ("words", "keywords"):
        frame[column] = [
            "; ".join(some) if isinstance(some, LISTS) else "" for some in frame[column]
        ]
    frame["label"] = frame["label"].astype(object).where(frame["topic"] != -1, OUTLIERS)
    frame["top_name"] = frame["top_name"].astype(object).where(frame["top_name"].notna(), "")
    frame["flags"] = [
        _flags(row, dominant_document_share, dominant_name_share)
        for row in frame.to_dict("records")
    ]
    return frame.drop(columns=["gender_words", "p_min_female", "p_min_male"])


def _flags(row: Mapping[Any, Any], document_share: float, name_share: float) -> str:
    flags = []
    if row["top_document_share"] > document_share:
        flags.append(f"one document: {row['top_document_share']:.0%} of passages")
    if row["top_name_share"] > name_share:
        flags.append(f"one name: {row['top_name']} in {row['top_name_share']:.0%} of passages")
    if row["topic"] != -1 and 0 in (row["n_female"], row["n_male"]):
        flags.append("one gender only")
    if isinstance(row["gender_words"], LISTS) and len(row["gender_words"]):
        flags.append(f"gender terms among its words: {', '.join(row['gender_words'])}")
    return "; ".join(flags)


def pair_rows(
    pairs: pd.DataFrame, topics: pd.DataFrame, *, selection: str, threshold: float
) -> pd.DataFrame:
    """Add labels, words, log odds and coherence of both topics to one region's pairs.

    Parameters
    ----------
    pairs : DataFrame
        From `find_pairs`.
    topics : DataFrame
        The region's rows of the topic table.
    selection, threshold : str, float
        What chose the pairs, for the table.
    """
    import pandas as pd

    known = {row["topic"]: row for row in topics.to_dict("records")}
    rows = [_pair_row(pair, known) for pair in pairs.to_dict("records")]
    return pd.DataFrame(rows).assign(selection=selection, gap_threshold=threshold)


def _pair_row(pair: dict[Any, Any], known: Mapping[Any, Mapping[Any, Any]]) -> dict[Any, Any]:
    row = dict(pair)
    doubts = []
    for side in ("female", "male"):
        topic = known.get(pair[f"{side}_topic"]) if pair["rank"] else None
        for column, nothing in PAIRED.items():
            row[f"{side}_{column}"] = nothing if topic is None else topic[column]
        # A pair is as doubtful as its topics.
        if topic is not None and topic["flags"]:
            doubts.append(f"{side} topic: {topic['flags']}")
    row["note"] = "; ".join(doubts) or pair["note"]
    return row
