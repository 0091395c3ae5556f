"""Rows of the topic and pair tables from the files of each region."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

OUTLIERS = "(in no topic)"


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
            "; ".join(some) if isinstance(some, (list, np.ndarray)) else ""
            for some in frame[column]
        ]
    frame["label"] = frame["label"].astype(object).where(frame["topic"] != -1, OUTLIERS)
    frame["top_name"] = frame["top_name"].astype(object).where(frame["top_name"].notna(), "")
    flags = []
    for row in frame.itertuples():
        some = []
        if row.top_document_share > dominant_document_share:
            some.append(f"one document: {row.top_document_share:.0%} of passages")
        if row.top_name_share > dominant_name_share:
            some.append(f"one name: {row.top_name} in {row.top_name_share:.0%} of passages")
        if row.topic != -1 and 0 in (row.n_female, row.n_male):
            some.append("one gender only")
        flags.append("; ".join(some))
    frame["flags"] = flags
    return frame


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
    frame = pairs.copy()
    known = topics.set_index("topic")
    for side in ("female", "male"):
        numbers = frame[f"{side}_topic"]
        for column in ("label", "words", "log_odds", "u_mass"):
            nothing = "" if column in ("label", "words") else float("nan")
            frame[f"{side}_{column}"] = [
                known.at[number, column] if number != -1 else nothing for number in numbers
            ]
    return frame.assign(selection=selection, gap_threshold=threshold)
