"""Sentences that stand in many documents of one source are dropped, and no other."""

from __future__ import annotations

from collections import Counter

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from biasatlas.corpora.boilerplate import drop_boilerplate

SENTENCES = ["He smiled.", "All rights are reserved.", "ALL rights are reserved.", "One more thing is said.", "It rains in Accra today."]  # fmt: skip


def drop_slowly(rows: list[tuple[str, list[str]]], least: int) -> list[str]:
    counts: Counter[tuple[str, str]] = Counter()
    for source, sentences in rows:
        counts.update({(source, one.lower()) for one in sentences if len(one.split()) >= 3})
    return [
        " ".join(one for one in sentences if counts[source, one.lower()] < least)
        for source, sentences in rows
    ]


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.lists(st.sampled_from(SENTENCES), max_size=5)),
        max_size=12,
    ),
    st.integers(2, 4),
)
def test_as_a_slow_count_of_sentences(rows: list[tuple[str, list[str]]], least: int) -> None:
    schema = {"source": pl.String, "text": pl.String}
    joined = [(source, " ".join(sentences)) for source, sentences in rows]
    frame = pl.DataFrame(joined, schema=schema, orient="row")
    result, words = drop_boilerplate(frame, least)
    assert result["text"].to_list() == drop_slowly(rows, least)
    lost = Counter[str]()
    for (source, before), after in zip(joined, result["text"], strict=True):
        lost[source] += len(before.split()) - len(after.split())
    assert words == dict(+lost)


def test_none_keeps_everything() -> None:
    frame = pl.DataFrame({"source": ["a"] * 9, "text": ["All rights are reserved."] * 9})
    result, words = drop_boilerplate(frame, None)
    assert result.equals(frame)
    assert words == {}


def test_a_large_source_needs_a_share_of_its_documents() -> None:
    texts = [f"Number {n} is told here. He said it again." for n in range(96)]
    texts += ["He left at noon today."] * 4
    frame = pl.DataFrame({"source": ["a"] * 100, "text": texts})
    few, _ = drop_boilerplate(frame, 4, 0.04)
    many, words = drop_boilerplate(frame, 4, 0.05)
    assert few["text"][99] == ""
    assert many["text"][99] == "He left at noon today."
    assert words == {"a": 96 * 4}
