"""Counts of personas by topic, by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from biasatlas.errors import InputError
from biasatlas.personas.topic_counts import count_topics
from biasatlas.tables.storage import read_table, write_table

QUESTION = ["language", "region", "source", "topic", "label", "topic_gender", "gendered_label"]


def questions(*rows):
    frame = pd.DataFrame(
        [
            ("en", "Asia", "own", "4", "family, wedding", "female", False, 0.7, True),
            ("en", "Asia", "own", "9", "cricket", "male", False, -0.4, True),
            ("en", "Asia", "own", "11", "roads", "none", False, 0.0, False),
            ("en", "Asia", "neutral", "neutral 1", "reading", "neutral", False, np.nan, True),
            *rows,
        ],
        columns=[*QUESTION, "log_odds", "asked"],
    )
    return frame


def personas(cells):
    """Replies from {(source, topic, model, prompt): "fmu..."}, a letter a reply."""
    names = {"f": "female", "m": "male", "u": "undecided"}
    return pd.DataFrame(
        [
            ("en", "Asia", *cell, run, names[letter])
            for cell, letters in cells.items()
            for run, letter in enumerate(letters, start=1)
        ],
        columns=["language", "region", "source", "topic", "model", "prompt", "run", "gender"],
    )


CELLS = {
    ("own", "4", "a", "x"): "ffmu",
    ("own", "4", "a", "y"): "mmmm",
    ("own", "9", "a", "x"): "uuuu",
    ("own", "9", "a", "y"): "ffmm",
    ("neutral", "neutral 1", "a", "x"): "fm",
    ("neutral", "neutral 1", "a", "y"): "ff",
    ("own", "4", "b", "x"): "mmmf",
    ("own", "9", "b", "x"): "fffu",
    ("neutral", "neutral 1", "b", "x"): "mm",
}


def counted():
    return count_topics(personas(CELLS), questions()).set_index(["topic", "model", "prompt"])


def test_counts_by_hand(tmp_path):
    found = counted()
    columns = ["n_replies", "n_female", "n_male", "n_undecided", "share_female", "mismatch"]
    assert found.loc[("4", "a", "x"), columns].tolist() == pytest.approx([4, 2, 1, 1, 2 / 3, 1 / 3])
    assert found.loc[("4", "a", "all"), columns].tolist() == pytest.approx(
        [8, 2, 5, 1, 2 / 7, 5 / 7]
    )
    assert found.loc[("9", "b", "x"), columns].tolist() == pytest.approx([4, 3, 0, 1, 1, 1])
    undecided = found.loc[("9", "a", "x")]
    assert undecided["n_undecided"] == 4
    assert undecided[["share_female", "share_low", "share_high", "mismatch"]].isna().all()
    assert np.isnan(found.loc[("neutral 1", "b", "x"), "mismatch"])
    # Two models, of which one has two forms; each has the form `all`.
    assert len(found) == 3 * (3 + 2)
    assert "11" not in found.index.get_level_values("topic")
    interval = binomtest(2, 7).proportion_ci(method="wilson")
    assert found.loc[("4", "a", "all"), ["share_low", "share_high"]].tolist() == pytest.approx(
        [interval.low, interval.high]
    )
    whole = count_topics(personas(CELLS), questions())
    write_table("persona_topics", whole, tmp_path / "t.csv")
    pd.testing.assert_frame_equal(read_table("persona_topics", tmp_path / "t.csv"), whole)


def test_topics_that_every_model_turns_around():
    found = counted()
    columns = ["n_models", "n_turned", "turned_by_all"]
    # Topic 4, form x: a is 2 to 1 female, b male. All forms: both male.
    assert found.loc[("4", "b", "x"), columns].tolist() == [2, 1, False]
    assert found.loc[("4", "a", "all"), columns].tolist() == [2, 2, True]
    # Form y was used by one model alone, and one is not every model.
    assert found.loc[("4", "a", "y"), columns].tolist() == [1, 1, False]
    # A tie is no majority, nor are no decided replies.
    assert found.loc[("9", "a", "y"), columns].tolist() == [0, 0, False]
    assert found.loc[("9", "a", "x"), columns].tolist() == [1, 1, False]
    # Of a neutral topic nothing is turned around.
    assert found.loc[("neutral 1", "a", "all"), columns].tolist() == [2, 0, False]


def test_a_topic_without_replies_is_counted_with_none():
    left = {cell: text for cell, text in CELLS.items() if cell != ("own", "9", "b", "x")}
    found = count_topics(personas(left), questions()).set_index(["topic", "model", "prompt"])
    assert found.loc[("9", "b", "x"), ["n_replies", "n_female", "n_models"]].tolist() == [0, 0, 0]


def test_the_order_of_the_replies_is_no_matter():
    replies = personas(CELLS)
    turned = count_topics(replies.iloc[::-1], questions().iloc[::-1])
    pd.testing.assert_frame_equal(turned, count_topics(replies, questions()))


def test_every_strange_topic_is_named():
    cells = CELLS | {("own", "77", "a", "x"): "f", ("own", "11", "a", "x"): "f"}
    with pytest.raises(InputError) as caught:
        count_topics(personas(cells), questions())
    assert [problem.split(" is no")[0] for problem in caught.value.problems] == [
        "personas: en / Asia / own / 11",
        "personas: en / Asia / own / 77",
    ]


def test_no_replies_at_all():
    nothing = count_topics(personas(CELLS).iloc[:0], questions())
    assert nothing.empty
    assert "turned_by_all" in nothing
