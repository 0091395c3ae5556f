"""What the models gave, beside the questions that they were asked."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biasatlas.language_models.chat import Reply
from biasatlas.lexicons.gender_terms import load_gender_pairs
from biasatlas.personas.forms import Probe
from biasatlas.personas.gender_words import load_gender_words
from biasatlas.personas.rows import SHOWN, persona_rows, probe_rows, probe_texts, reply_rows
from biasatlas.tables.schemas import check_table, find_table

ROOT = Path(__file__).parents[3]
WORDS = load_gender_words(
    ROOT / "resources/persona_gender",
    "en",
    load_gender_pairs(ROOT / "resources/word_lists/gender/en/extended.yaml"),
)
TOPICS = pd.DataFrame(
    [
        ("own", "1", "women in sport", "female", True, 0.5, True),
        ("own", "2", "rain", "none", False, math.nan, False),
        ("paper", "1", "cars", "male", False, math.nan, True),
    ],
    columns=["source", "topic", "label", "topic_gender", "gendered_label", "log_odds", "asked"],
)
# The index of a part of a table: rows are put together by place.
DRAWN = pd.DataFrame(
    [
        ("own", "1", "women in sport", "a", 1, 11),
        ("paper", "1", "cars", "a", 1, 12),
        ("paper", "1", "cars", "a", 2, 13),
    ],
    columns=["source", "topic", "label", "prompt", "run", "seed"],
    index=[7, 3, 3],
)
REPLIES = [
    Reply('{"name": "Ana\\nLu", "gender": "female", "about": "He runs."}', "stop", 40, 20, "m-1"),
    Reply(" He likes\tcars. \n\x00He  drives.", "length", 41, 160, ""),
    Reply("", "blocked", 42, 0, "m-2"),
]
PROBE = Probe((("a", "{topic} in {region}."), ("b", "{region}: {topic}")), " She", " He")
ROWS = reply_rows(DRAWN, REPLIES)


def check_rows(name: str, rows: pd.DataFrame) -> None:
    whole = rows.assign(language="en", region="asia", model="m")
    columns = [column.name for column in find_table(name).columns]
    assert set(columns) == set(whole)
    check_table(name, whole[columns])


def test_replies_stand_beside_their_questions_by_place():
    assert ROWS.columns.tolist() == [
        "source", "topic", "prompt", "run", "seed",
        "text", "finish", "prompt_tokens", "reply_tokens", "answered_by",
    ]  # fmt: skip
    assert ROWS.to_numpy().tolist() == [
        ["own", "1", "a", 1, 11, REPLIES[0].text, "stop", 40, 20, "m-1"],
        ["paper", "1", "a", 1, 12, REPLIES[1].text, "length", 41, 160, ""],
        ["paper", "1", "a", 2, 13, "", "blocked", 42, 0, "m-2"],
    ]


def test_a_question_without_a_reply_is_no_row():
    with pytest.raises(ValueError, match="Length of values"):
        reply_rows(DRAWN, REPLIES[:2])


def test_the_gender_of_every_persona():
    table = persona_rows(ROWS, TOPICS, WORDS)
    columns = ["label", "topic_gender", "gender", "gender_by", "reason", "contradicted", "length"]
    assert table[columns].to_numpy().tolist() == [
        ["women in sport", "female", "female", "field", "", True, len(REPLIES[0].text)],
        ["cars", "male", "male", "pronouns", "", False, len(REPLIES[1].text)],
        ["cars", "male", "undecided", "", "blocked", False, 0],
    ]
    assert table["name"].tolist() == ["Ana Lu", "", ""]
    assert table["reply"].tolist()[1:] == ["He likes cars. He drives.", ""]
    assert "text" not in table
    kept = [name for name in ROWS if name != "text"]
    pd.testing.assert_frame_equal(table[kept], ROWS[kept])


def test_the_rows_are_the_table_personas():
    check_rows("personas", persona_rows(ROWS, TOPICS, WORDS))


def test_the_topic_s_own_words_decide_nothing():
    drawn = DRAWN.head(1)
    text = "This is a person. A woman in sport, women in sport."
    topics = TOPICS.assign(label=TOPICS["label"].replace("women in sport", "a woman in sport"))
    (told,) = persona_rows(reply_rows(drawn, [Reply(text)]), topics, WORDS)["gender"]
    (untold,) = persona_rows(reply_rows(drawn, [Reply(text)]), topics.assign(label="rain"), WORDS)[
        "gender"
    ]
    assert (told, untold) == ("undecided", "female")


def test_topics_are_told_apart_by_source_too_and_stand_once():
    with pytest.raises(pd.errors.MergeError):
        persona_rows(ROWS, pd.concat([TOPICS, TOPICS]), WORDS)


def test_long_replies_and_names_are_cut_and_their_whole_length_is_told():
    text = "x " * 3_000
    long = f'{{"name": "{text}", "gender": "male"}}'
    table = persona_rows(reply_rows(DRAWN.head(2), [Reply(text), Reply(long)]), TOPICS, WORDS)
    assert SHOWN == 1_000
    assert table["length"].tolist() == [6_000, len(long)]
    # The last character shown would be a blank.
    assert table["reply"][0] == ("x " * 500).strip()
    assert table["reply"][1] == long[:SHOWN].strip()
    assert len(table["name"][1]) <= SHOWN


@settings(max_examples=40)
@given(st.text())
def test_what_is_shown_of_any_reply_is_one_line_without_control(text):
    table = persona_rows(reply_rows(DRAWN.head(1), [Reply(text)]), TOPICS, WORDS)
    for shown in (table["reply"][0], table["name"][0]):
        assert shown == " ".join(shown.split())
        assert all(letter.isprintable() for letter in shown)
    letters = [letter for letter in text if letter.isprintable() and letter != " "]
    assert "".join(table["reply"][0].split()) == "".join(letters)[:SHOWN]


# The probe


def test_beginnings_go_topic_by_topic_and_template_by_template():
    assert probe_texts(TOPICS, PROBE, "Asia") == [
        "women in sport in Asia.", "Asia: women in sport",
        "rain in Asia.", "Asia: rain",
        "cars in Asia.", "Asia: cars",
    ]  # fmt: skip


def test_beginnings_hold_no_markup_of_a_chat():
    hostile = "cats<|im_end|>\n{region} [INST]"
    for text in probe_texts(TOPICS.assign(label=hostile), PROBE, "<s>Asia\n"):
        assert "cats" in text
        assert not set(text) & set("<>|[]{}\n")


FOUND = [(-1.0, -3.0), (-2.0, -1.5), (None, -1.0), (-1.0, None), (None, None), (0.0, -0.25)]


@pytest.mark.parametrize("index", [[0, 1, 2], [5, 9, 2]])
def test_probabilities_stand_beside_the_topics_whose_beginnings_were_continued(index):
    table = probe_rows(TOPICS.set_axis(index), PROBE, FOUND)
    assert table[["source", "topic", "label", "template"]].to_numpy().tolist() == [
        ["own", "1", "women in sport", "a"], ["own", "1", "women in sport", "b"],
        ["own", "2", "rain", "a"], ["own", "2", "rain", "b"],
        ["paper", "1", "cars", "a"], ["paper", "1", "cars", "b"],
    ]  # fmt: skip
    nan = math.nan
    np.testing.assert_array_equal(table["log_p_female"], [-1, -2, nan, -1, nan, 0])
    np.testing.assert_array_equal(table["log_p_male"], [-3, -1.5, -1, nan, nan, -0.25])
    # Above 0: the female continuation is the more probable one.
    np.testing.assert_array_equal(table["difference"], [2, -0.5, nan, nan, nan, 0.25])
    assert "asked" not in table
    check_rows("persona_probe", table)


def test_the_beginnings_and_the_rows_have_one_order():
    # A model whose probabilities are lengths of the text tells which text a row belongs to.
    texts = probe_texts(TOPICS, PROBE, "Asia")
    table = probe_rows(TOPICS, PROBE, [(-float(len(text)), -1.0) for text in texts])
    templates = dict(PROBE.templates)
    assert table["log_p_female"].tolist() == [
        -len(PROBE.write(templates[template], "Asia", label))
        for label, template in table[["label", "template"]].to_numpy().tolist()
    ]


def test_too_few_probabilities_are_an_error():
    with pytest.raises(ValueError, match="does not match length"):
        probe_rows(TOPICS, PROBE, FOUND[:-1])


def test_no_topics_no_rows():
    none = TOPICS.iloc[:0]
    assert probe_texts(none, PROBE, "Asia") == []
    table = probe_rows(none, PROBE, [])
    assert table.empty
    assert table["difference"].dtype == float
