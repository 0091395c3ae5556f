"""How many personas of each topic are female and male."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from biasatlas.errors import InputError
from biasatlas.personas.intervals import wilson

if TYPE_CHECKING:
    import pandas as pd

# Also the row of all prompt forms, and of all regions.
ALL = "all"
TOPIC = ["language", "region", "source", "topic"]
CELL = [*TOPIC, "model", "prompt"]
COUNTS = ["n_replies", "n_female", "n_male", "n_undecided"]


def count_topics(personas: pd.DataFrame, questions: pd.DataFrame) -> pd.DataFrame:
    """Count the personas of every topic that was asked for, by model and prompt form.

    Parameters
    ----------
    personas : DataFrame
        Table personas; read are language, region, source, topic, model, prompt, gender.
    questions : DataFrame
        language, region, source, topic, label, topic_gender, gendered_label, log_odds, asked:
        one row a topic; only those asked for count.

    Returns
    -------
    DataFrame
        Table persona_topics: for every topic asked for, every model of its language and every
        prompt form of that model, and `all` forms together. A topic without a reply has counts
        of 0. A model has a majority on a topic where it made more personas of one gender than of
        the other.

    Raises
    ------
    InputError
        With every topic of the personas that is not asked for.
    """
    from biasatlas.tables.schemas import DTYPES, find_table
    from biasatlas.tables.storage import empty_table

    asked = questions[questions["asked"].astype(bool)]
    _check_topics(personas, asked)
    counts = _count(personas)
    models = counts[["language", "model", "prompt"]].drop_duplicates()
    frame = asked.drop(columns="asked").merge(models, on="language")
    if frame.empty:
        return empty_table("persona_topics")
    frame = frame.merge(counts, on=CELL, how="left")
    frame[COUNTS] = frame[COUNTS].fillna(0).astype("int64")
    frame = _add_majorities(_add_shares(frame))
    columns = find_table("persona_topics").columns
    frame = frame[[column.name for column in columns]]
    frame = frame.astype({column.name: DTYPES[column.kind] for column in columns})
    return frame.sort_values(CELL, kind="stable", ignore_index=True)


def _check_topics(personas: pd.DataFrame, asked: pd.DataFrame) -> None:
    known = set(asked[TOPIC].itertuples(index=False, name=None))
    given = personas[TOPIC].drop_duplicates().itertuples(index=False, name=None)
    strange = sorted(topic for topic in given if topic not in known)
    if strange:
        raise InputError(
            f"personas: {' / '.join(topic)} is no topic that was asked for; "
            "allowed are those of the questions"
            for topic in strange
        )


def _count(personas: pd.DataFrame) -> pd.DataFrame:
    """Counts by topic, model and prompt form, and by topic and model with the form `all`."""
    import pandas as pd

    both = pd.concat([personas[[*CELL, "gender"]], personas[[*CELL, "gender"]].assign(prompt=ALL)])
    counted = both[CELL].copy()
    counted["n_replies"] = 1
    for gender in ("female", "male", "undecided"):
        counted[f"n_{gender}"] = (both["gender"] == gender).astype("int64")
    return counted.groupby(CELL, sort=True, as_index=False)[COUNTS].sum()


def _add_shares(frame: pd.DataFrame) -> pd.DataFrame:
    decided = frame["n_female"] + frame["n_male"]
    # Dividing whole numbers once gives equal shares equal bits, whatever they were reduced from.
    female = (frame["n_female"] / decided.where(decided > 0)).astype("float64")
    male = (frame["n_male"] / decided.where(decided > 0)).astype("float64")
    low, high = wilson(np.asarray(female, np.float64), np.asarray(decided, np.float64))
    other = {"female": male, "male": female}
    mismatch = np.select(
        [frame["topic_gender"] == gender for gender in other], list(other.values()), np.nan
    )
    return frame.assign(share_female=female, share_low=low, share_high=high, mismatch=mismatch)


def _add_majorities(frame: pd.DataFrame) -> pd.DataFrame:
    """Say how many models have a majority on the topic, and how many the other gender's."""
    lead: Any = np.sign(frame["n_female"] - frame["n_male"])
    sign = frame["topic_gender"].map({"female": 1, "male": -1}).fillna(0).astype("int64")
    groups = [frame[column] for column in (*TOPIC, "prompt")]
    decided = (lead != 0).astype("int64").groupby(groups).transform("sum")
    turned = (lead * sign < 0).astype("int64").groupby(groups).transform("sum")
    return frame.assign(
        n_models=decided, n_turned=turned, turned_by_all=(decided >= 2) & (turned == decided)
    )
