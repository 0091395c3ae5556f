"""Charts of topics, and the topics that every model turns round."""

from __future__ import annotations

from collections.abc import Callable
from math import nan

import pandas as pd
import pytest

from biasatlas.atlas import persona_topics
from biasatlas.atlas.parts import DataTable
from biasatlas.atlas.topic_marks import TopicLinks
from biasatlas.tables import empty_table

Tables = dict[str, pd.DataFrame]
Make = Callable[..., Tables]
NO_LINKS = TopicLinks({"topics": empty_table("topics")})


def placed(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(place=frame["region"])


def cards_of(frame: pd.DataFrame) -> TopicLinks:
    """Links as if every own topic had a card."""
    own = frame[frame["source"] == "own"].drop_duplicates(["region", "topic"])
    return TopicLinks({"topics": own.assign(topic=own["topic"].astype("int64"))})


def test_a_chart_holds_each_topic_of_a_pair_once_a_model(make_personas: Make) -> None:
    tables = make_personas(models=("alpha", "beta"))
    topics = placed(tables["persona_topics"])
    neutral = persona_topics.neutral_shares(tables["persona_scores"])
    scores = tables["persona_scores"].set_index(["region", "model", "prompt"])
    for (_, region, model), share in neutral.items():
        assert share == scores.loc[(region, model, "all"), "neutral_female"]
    figures = persona_topics.topic_figures(topics, neutral, cards_of(topics))
    assert [figure.title.partition(":")[0] for figure in figures] == ["europe", "north_america"]
    chart = figures[0].chart
    assert chart is not None
    rows = chart["data"]["values"]
    assert len(rows) == 8
    # Female topics first, then by log odds; each model below the one before.
    assert [row["topic"] for row in rows[::2]] == [
        "fashion and style",
        "scottish referendum",
        "criminal justice",
        "football league",
    ]
    assert [row["model"] for row in rows[:2]] == ["alpha", "beta"]
    assert {row["side"] for row in rows[:4]} == {"female topic"}
    assert rows[0]["card"] == "europe/1"
    expected = topics[(topics["label"] == "fashion and style") & (topics["prompt"] == "all")]
    by_model = expected.set_index("model")
    for row in rows[:2]:
        one = by_model.loc[row["model"]]
        assert row["share"] == pytest.approx(one["n_female"] / (one["n_female"] + one["n_male"]))
        assert row["counts"] == f"{one['n_female']} / {one['n_male']} / {one['n_undecided']}"
        assert row["neutral"] == pytest.approx(neutral["en", "europe", row["model"]], abs=1e-8)


def test_a_topic_without_answers_says_so(make_personas: Make) -> None:
    topics = placed(make_personas()["persona_topics"])
    at = topics["label"] == "basketball"
    topics.loc[at, ["share_female", "share_low", "share_high", "mismatch"]] = nan
    figure = persona_topics.topic_figures(topics, {}, NO_LINKS)[1]
    assert figure.chart is not None
    notes = {row["topic"]: row["note"] for row in figure.chart["data"]["values"]}
    assert notes == {"basketball": "no answer tells a gender", "women's march": ""}
    assert figure.table is not None
    marks = {row[1]: row[-1] for row in figure.table.rows}
    assert marks == {"basketball": "–", "women's march": "the label tells a gender"}


def test_long_labels_stay_apart(make_personas: Make) -> None:
    topics = placed(make_personas()["persona_topics"])
    topics["label"] = "the same very long beginning of a label, and then topic " + topics["topic"]
    figure = persona_topics.topic_figures(topics, {}, NO_LINKS)[0]
    assert figure.chart is not None
    names = [row["topic"] for row in figure.chart["data"]["values"]]
    assert len(set(names)) == 4


def test_turned_topics_are_those_that_all_models_turn(make_personas: Make) -> None:
    assert persona_topics.turned_figure(placed(make_personas()["persona_topics"]), NO_LINKS) is None
    topics = placed(make_personas(models=("beta", "gamma"))["persona_topics"])
    turned = topics[(topics["prompt"] == "all") & topics["turned_by_all"]]
    # Both lean against every topic, so that most are turned.
    assert turned["topic"].nunique() >= 3
    figure = persona_topics.turned_figure(topics, NO_LINKS)
    assert figure is not None
    assert figure.table is not None
    shown = {(row[0], row[1]): (row[2], row[3]) for row in figure.table.rows}
    assert set(shown) == set(zip(turned["place"], turned["label"], strict=True))
    assert all({gender, other} == {"female", "male"} for gender, other in shown.values())


def test_no_turned_topic_is_said(make_personas: Make) -> None:
    topics = placed(make_personas(models=("alpha", "beta"))["persona_topics"])
    topics["turned_by_all"] = False
    figure = persona_topics.turned_figure(topics, NO_LINKS)
    assert figure is not None
    assert figure.table is None
    assert figure.caption.startswith("None of ")


def test_neutral_topics_stand_one_by_one(make_personas: Make) -> None:
    topics = placed(make_personas()["persona_topics"])
    table = persona_topics.neutral_table(topics, NO_LINKS)
    assert isinstance(table, DataTable)
    assert len(table.rows) == 5 * 4
    assert [row[1] for row in table.rows[:4]] == [
        "everyday life",
        "the weather",
        "good food",
        "weekend plans",
    ]
    assert all(int(row[3]) + int(row[4]) + int(row[5]) == 7 for row in table.rows)
    assert persona_topics.neutral_table(topics[topics["source"] == "own"], NO_LINKS) is None
