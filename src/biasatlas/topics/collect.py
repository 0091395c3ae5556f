"""Rows of the topic and pair tables from the files of each region."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from biasatlas.topics.stability import RECOVERED, was_assessed

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

OUTLIERS = "(in no topic)"
# A list of words, made here or read from Parquet; a topic without one has NaN.
LISTS = (list, np.ndarray)
TEXTS = ("label", "label_by", "label_phrase", "label_second", "label_note", "top_name")
# What decides flags, or how pairs are found, and stands in no table.
NOT_SHOWN = ["gender_words", "phrases", "examples", "p_min_female", "p_min_male", "gender_tested"]
NOT_SHOWN += ["stable", "map_method"]
# What a pair's row repeats of each of its topics, and what stands there without a pair.
PAIRED = {"label": "", "words": "", "log_odds": float("nan"), "u_mass": float("nan")}


def topic_rows(
    alignment: pd.DataFrame,
    descriptions: pd.DataFrame,
    labels: pd.DataFrame,
    stability: pd.DataFrame,
    places: pd.DataFrame,
    *,
    view: str,
    dominant_document_share: float,
    dominant_name_share: float,
) -> pd.DataFrame:
    """Join all that is known of one region's topics, and flag doubtful ones.

    Parameters
    ----------
    alignment : DataFrame
        From `align_topics`, with coherence.
    descriptions, labels, stability, places : DataFrame
        From `describe_topics`, `label_topics`, `assess_topics` and `map_topics`.
    view : {"masked", "visible"}
        Whether gender terms were hidden from the encoder.
    dominant_document_share, dominant_name_share : float
        A topic with a larger share of passages from one document, or with one name, is flagged.
    """
    frame = alignment
    for other in (descriptions, labels, stability, places):
        frame = frame.merge(other, on="topic", how="left")
    for column in ("words", "keywords"):
        frame[column] = [
            "; ".join(some) if isinstance(some, LISTS) else "" for some in frame[column]
        ]
    for column in TEXTS:
        frame[column] = frame[column].astype(object).where(frame[column].notna(), "")
    frame["label"] = frame["label"].where(frame["topic"] != -1, OUTLIERS)
    frame["stability"] = _stability(frame)
    frame["flags"] = [
        _flags(row, view, dominant_document_share, dominant_name_share)
        for row in frame.to_dict("records")
    ]
    return frame.rename(columns={"x": "map_x", "y": "map_y"}).drop(columns=NOT_SHOWN)


def _stability(frame: pd.DataFrame) -> NDArray[np.str_]:
    known = was_assessed(frame)
    stable = frame["stable"].eq(True).to_numpy()
    return np.select([known & stable, known], ["stable", "unstable"], "unknown")


def _flags(row: Mapping[Any, Any], view: str, document_share: float, name_share: float) -> str:
    flags = []
    if row["stability"] == "unstable":
        flags.append("unstable: seldom found again")
    # What another seed changes as well says nothing of gender terms. NaN, where topics were not
    # found the other way, is not less than anything.
    if row["jaccard_masking"] < RECOVERED and not row["jaccard_seed"] < RECOVERED:
        other = {"masked": "shown", "visible": "hidden"}[view]
        flags.append(f"changes with gender terms {other}")
    if row["top_document_share"] > document_share:
        flags.append(f"one document: {row['top_document_share']:.0%} of passages")
    if row["top_name_share"] > name_share:
        flags.append(f"one name: {row['top_name']} in {row['top_name_share']:.0%} of passages")
    if row["topic"] != -1 and 0 in (row["n_female"], row["n_male"]):
        flags.append("one gender only")
    if isinstance(row["gender_words"], LISTS) and len(row["gender_words"]):
        flags.append(f"gender terms among its words: {', '.join(row['gender_words'])}")
    return "; ".join(flags)


def hierarchy_rows(tree: pd.DataFrame) -> pd.DataFrame:
    """Rows of the hierarchy of one region's topics, from `topic_hierarchy`."""
    rows = tree.assign(n_topics=[len(some) for some in tree["topics"]])
    for column in ("topics", "words"):
        rows[column] = ["; ".join(map(str, some)) for some in tree[column]]
    types = dict.fromkeys(("topics", "words"), "str") | {"n_topics": "int64"}
    return rows.astype(types)


def common_rows(groups: pd.DataFrame, topics: pd.DataFrame, ngrams: pd.DataFrame) -> pd.DataFrame:
    """Rows of the common topics with their genders, kinds and most frequent n-grams.

    Parameters
    ----------
    groups : DataFrame
        From `find_common`.
    topics : DataFrame
        `region`, `topic`, `label`, `gender`, `gender_paper`.
    ngrams : DataFrame
        `region` and the columns of `ngrams_by_topic`.
    """
    key = ["region", "topic"]
    known = topics[[*key, "label", "gender", "gender_paper"]]
    mine = [column for column in known if column in key or column not in groups]
    rows = groups.merge(known[mine], on=key, how="left")
    for n, name in ((1, "unigrams"), (2, "bigrams")):
        some = ngrams[ngrams["n"] == n].sort_values([*key, "rank"], kind="stable")
        joined = some.groupby(key, sort=True)["ngram"].agg("; ".join)
        rows[name] = [joined.get((r, t), "") for r, t in rows[key].itertuples(index=False)]
    return rows


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
    selection : {"matching", "gap"}
        The run's own selection.
    threshold : float
        The paper's, for the table.
    """
    import pandas as pd

    known = {row["topic"]: row for row in topics.to_dict("records")}
    rows = [_pair_row(pair, known) for pair in pairs.to_dict("records")]
    frame = pd.DataFrame(rows).assign(gap_threshold=threshold)
    return frame.assign(primary=frame["selection"] == selection)


def _pair_row(pair: dict[Any, Any], known: Mapping[Any, Mapping[Any, Any]]) -> dict[Any, Any]:
    row = dict(pair)
    doubts = []
    for side in ("female", "male"):
        topic = known.get(pair[f"{side}_topic"]) if pair["rank"] else None
        for column, nothing in PAIRED.items():
            row[f"{side}_{column}"] = nothing if topic is None else topic[column]
        if topic is not None and topic["log_odds"] * {"female": 1, "male": -1}[side] < 0:
            other = {"female": "male", "male": "female"}[side]
            doubts.append(f"{side} topic leans {other} by its log odds")
        # A pair is as doubtful as its topics.
        if topic is not None and topic["flags"]:
            doubts.append(f"{side} topic: {topic['flags']}")
    row["note"] = "; ".join(filter(None, [*doubts, pair["note"]]))
    return row
