"""Example passages: the nearest ones, of different documents, cut so that a page can show them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from biasatlas.topics.examples import COLUMNS, choose_examples, excerpt


def make_passages(*rows: tuple[str, int, str, str]) -> pd.DataFrame:
    """Passages from (id, topic, document, gender)."""
    frame = pd.DataFrame(rows, columns=["id", "topic", "document", "gender"])
    return frame.assign(country="KEN", text="text of " + frame["id"])


def at(*degrees: float) -> np.ndarray:
    turned = np.deg2rad(degrees)
    return np.stack([np.cos(turned), np.sin(turned)], axis=1).astype(np.float32)


def test_the_nearest_passages_of_different_documents():
    passages = make_passages(
        ("a1", 0, "a", "male"), ("a2", 0, "a", "male"), ("b1", 0, "b", "female"),
        ("c1", 0, "c", "male"), ("d1", 0, "d", "male"), ("e1", 3, "e", "female"),
        ("f1", -1, "f", "male"),
    )  # fmt: skip
    # The mean of topic 0 points to 0 degrees.
    embeddings = at(1, -2, 10, 20, -29, 90, 45)
    found = choose_examples(passages, embeddings)
    assert list(found.columns) == list(COLUMNS)
    assert found[["topic", "rank", "id"]].to_numpy().tolist() == [
        [0, 1, "a1"],
        [0, 2, "b1"],
        [0, 3, "c1"],
        [3, 1, "e1"],
    ]
    assert found["gender"].tolist() == ["male", "female", "male", "female"]
    assert found["document"].tolist() == ["a", "b", "c", "e"]
    assert set(found["country"]) == {"KEN"}
    assert found["text"][0] == "text of a1"


def test_a_second_passage_of_a_document_only_when_no_other_is_left():
    passages = make_passages(
        ("a1", 0, "a", "male"), ("a2", 0, "a", "male"), ("a3", 0, "a", "male"),
        ("b1", 0, "b", "female"),
    )  # fmt: skip
    found = choose_examples(passages, at(2, -4, 8, -50))
    # The two of other documents, then the nearest of the rest; shown nearest first.
    order = np.argsort(-(at(2, -4, 8, -50) @ at(2, -4, 8, -50).mean(axis=0)))
    nearest = [passages["id"][k] for k in order]
    assert found["id"].tolist() == [nearest[0], nearest[1], "b1"]


def test_the_same_text_is_shown_once():
    passages = make_passages(*[(f"p{k}", 0, f"d{k}", "male") for k in range(4)])
    passages["text"] = ["same  text", "same text", "same\ttext", "other"]
    found = choose_examples(passages, at(0, 1, 2, 40))
    assert sorted(found["text"]) == ["other", "same text"]


def test_a_passage_of_both_genders_stands_once():
    passages = make_passages(("a", 0, "a", "female"), ("a", 0, "a", "male"), ("b", 0, "b", "male"))
    found = choose_examples(passages, at(0, 0, 30))
    assert found[["id", "gender"]].to_numpy().tolist() == [["a", "both"], ["b", "male"]]


def test_no_topic_no_rows():
    passages = make_passages(("a", -1, "a", "male"))
    found = choose_examples(passages, at(0))
    assert len(found) == 0
    assert found.dtypes.equals(choose_examples(make_passages(("a", 0, "a", "male")), at(0)).dtypes)


@given(st.permutations(range(7)))
def test_the_order_of_rows_changes_nothing(order):
    passages = make_passages(*[(f"p{k}", k % 2, f"d{k // 3}", "male") for k in range(7)])
    # Equal distances: the id decides.
    embeddings = at(0, 0, 10, 10, -10, -10, 0)
    found = choose_examples(passages, embeddings, top=2)
    again = choose_examples(passages.iloc[order], embeddings[list(order)], top=2)
    pd.testing.assert_frame_equal(again, found)


def test_excerpt_by_hand():
    assert excerpt("short text") == "short text"
    assert excerpt("  two\nlines\t and\r\n more ") == "two lines and more"
    # 9 characters and an ellipsis; the word that ends at the limit stays.
    assert excerpt("twelve letters", 10) == "twelve le…"
    assert excerpt("seven letters", 14) == "seven letters"
    assert excerpt("a long seven letter", 12) == "a long seve…"
    assert excerpt("a long sent in here", 12) == "a long sent…"
    assert excerpt("a long sen tences here", 12) == "a long sen…"


def test_unseen_characters_go_and_joiners_stay():
    assert excerpt("re\u202eversed\u202c") == "reversed"
    assert excerpt("soft\u00adhyphen \ufeffmark\x00\x1b[0m") == "softhyphen mark[0m"
    assert excerpt("می\u200cخواهم क्\u200dष") == "می\u200cخواهم क्\u200dष"


def test_markup_stays_text():
    assert excerpt("<script>alert(1)</script> & more") == "<script>alert(1)</script> & more"


def test_text_without_spaces_is_cut_between_characters():
    assert excerpt("女" * 20, 10) == "女" * 9 + "…"
    # e and its accent are one character; nine places would cut the fifth in two.
    assert excerpt("e\u0301" * 20, 10) == "e\u0301" * 4 + "…"


@given(st.text(max_size=80), st.integers(5, 60))
def test_excerpt_keeps_its_promises(text, length):
    short = excerpt(text, length)
    assert len(short) <= length
    assert not regex.search(r"[\p{Cc}\n\r\t\u202a-\u202e\u2066-\u2069]", short)
    assert short == short.strip()
    whole = excerpt(text, 10**6)
    assert short == whole or whole.startswith(short.removesuffix("…"))
    assert (short == whole) == (len(whole) <= length)


@pytest.mark.parametrize("length", [50, 300])
def test_excerpt_ends_at_a_word(length):
    text = "seven " * 200
    short = excerpt(text, length)
    assert short.endswith("seven…")
    assert len(short) > length - 7
