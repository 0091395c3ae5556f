"""The passages of a region: accounting, parts, samples, odd regions."""

from __future__ import annotations

from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biasatlas.corpora.build import PASSAGE_COLUMNS, build_region
from biasatlas.corpora.counts import COUNT_COLUMNS
from biasatlas.corpora.prepare import DOCUMENT_COLUMNS
from biasatlas.errors import InputError

AFRICA = {"name": "africa", "continent": "Africa"}


def total(counts: pd.DataFrame, item: str, unit: str = "document") -> int:
    return int(counts.loc[(counts["item"] == item) & (counts["unit"] == unit), "n"].sum())


def documents_of(rows: list[tuple[str, str, str, str]]) -> pl.DataFrame:
    """Rows are (document, country, date, text)."""
    return pl.DataFrame(
        [(d, c, "", "paper", date, text, "column") for d, c, date, text in rows],
        schema=dict.fromkeys(DOCUMENT_COLUMNS, pl.String),
        orient="row",
    )


def text_of(tag: str, sentences: int) -> str:
    return " ".join(f"Passage {tag} number {i} says one more thing." for i in range(sentences))


def check_identity(counts: pd.DataFrame) -> None:
    assert list(counts.columns) == list(COUNT_COLUMNS)
    for _, group in counts.groupby(["country", "source", "rule", "unit"]):
        read = group.loc[group["item"] == "read", "n"].sum()
        assert read == group.loc[group["item"] != "read", "n"].sum()


def test_parts_are_disjoint_and_by_date() -> None:
    rows = [(f"d{i}", "GHA", f"2017-01-{9 - i:02d}", text_of(str(i), 30)) for i in range(7)]
    rows.append(("d7", "KEN", "", text_of("1", 30)))  # a copy of d1, undated
    documents = documents_of(rows)
    earlier, a = build_region(documents, AFRICA, part="earlier")
    later, b = build_region(documents, AFRICA, part="later")
    every, c = build_region(documents, AFRICA)
    assert sorted(later["document"].unique()) == ["d0", "d1"]
    assert sorted(earlier["document"].unique()) == ["d2", "d3", "d4", "d5", "d6"]
    assert not set(earlier["text"]) & set(later["text"])
    assert sorted([*earlier["id"], *later["id"]]) == every["id"].tolist()
    assert list(every.columns) == list(PASSAGE_COLUMNS)
    assert every["words"].dtype == "int64"
    assert (every["words"] == every["text"].str.split().str.len()).all()
    assert total(c, "dropped_duplicate") == 1
    assert total(a, "kept") == 5
    assert total(a, "other_part") == 2
    for counts in (a, b, c):
        check_identity(counts)


@pytest.mark.parametrize("part", ["all", "earlier", "later"])
def test_empty_region(part: str) -> None:
    documents = documents_of([("d", "FRA", "", text_of("x", 30))])
    for given_documents in (documents, documents.head(0)):
        passages, counts = build_region(given_documents, AFRICA, part=part)
        assert passages.empty
        assert list(passages.columns) == list(PASSAGE_COLUMNS)
        assert passages["words"].dtype == "int64"
        full, _ = build_region(documents, {"name": "e", "countries": ["FR"]})
        assert passages.dtypes.equals(full.dtypes)
        assert total(counts, "kept", "passage") == 0
        assert ((counts["item"] == "kept") & (counts["n"] == 0)).any()
        assert (counts["region"] == "africa").all()
        check_identity(counts)


def test_one_document_region_and_large_document() -> None:
    documents = documents_of([("d", "GHA", "", text_of("x", 25_000))])
    assert len(documents["text"][0]) > 1_000_000
    later, _ = build_region(documents, AFRICA, part="later")
    earlier, counts = build_region(documents, AFRICA, part="earlier")
    assert later.empty
    assert earlier["words"].sum() == 200_000
    assert total(counts, "kept") == 1


def test_samples_top_countries_and_own_regions() -> None:
    pairs = [(c, f"{c}{i}") for c in ("GHA", "KEN") for i in range(4)]
    rows = [(name, c, "2017", text_of(name, 30)) for c, name in pairs]
    rows += [("TGO0", "TGO", "2017", text_of("t", 30)), ("FRA0", "FRA", "2017", text_of("f", 30))]
    documents = documents_of(rows)
    spec: dict[str, Any] = AFRICA | {"top_countries": 1}
    passages, counts = build_region(documents, spec, per_country=3, seed=4)
    assert passages["country"].tolist() == ["GHA"] * 3  # tie of GHA and KEN goes to ISO3
    assert total(counts, "dropped_other_country") == 5
    assert total(counts, "dropped_other_region") == 1
    assert total(counts, "not_sampled", "passage") == total(counts, "read", "passage") - 3
    check_identity(counts)
    both, _ = build_region(documents, AFRICA, per_country=3, max_passages=5, seed=4)
    assert len(both) == 5
    shuffled = documents.sample(fraction=1, shuffle=True, seed=1)
    pd.testing.assert_frame_equal(
        both, build_region(shuffled, AFRICA, per_country=3, max_passages=5, seed=4)[0]
    )
    documents = documents.with_columns(region=pl.lit("forum"))
    forum, _ = build_region(documents, {"name": "forum"})
    assert forum["document"].nunique() == 10
    named, _ = build_region(documents, {"name": "africa", "document_label": "forum"})
    assert named["id"].tolist() == forum["id"].tolist()
    assert build_region(documents, AFRICA)[0].empty


def test_a_region_without_a_document_says_what_there_is(caplog) -> None:
    documents = documents_of([("d", "FRA", "", text_of("x", 30)), ("e", "", "", "one")])
    documents = documents.with_columns(region=pl.when(document="e").then(pl.lit("North")).otherwise(pl.lit("")))  # fmt: skip
    build_region(documents, {"name": "north", "document_label": "north"})
    assert "region north has no document: none of 2 has 'north'" in caplog.text
    assert "the documents have labels North and countries FRA" in caplog.text
    caplog.clear()
    build_region(documents, {"name": "e", "countries": ["FR"]})
    assert not caplog.text


def test_bad_arguments() -> None:
    with pytest.raises(InputError, match="4 problems"):
        build_region(
            documents_of([]), AFRICA, part="first", evaluation_share=2, min_words=0, per_country=0
        )


DOCUMENTS = st.lists(
    st.tuples(
        st.sampled_from(["GHA", "KEN", "FRA"]),
        st.sampled_from(["", "2016", "2017-02-01"]),
        st.integers(0, 3),
        st.integers(0, 40),
    ),
    max_size=8,
)


@settings(max_examples=40, deadline=None)
@given(DOCUMENTS, st.floats(0, 1), st.sampled_from(["all", "earlier", "later"]), st.integers(1, 9))
def test_accounting_identity(
    rows: list[tuple[str, str, int, int]], share: float, part: str, cap: int
) -> None:
    documents = documents_of(
        [(f"d{i}", c, date, text_of(str(tag), n)) for i, (c, date, tag, n) in enumerate(rows)]
    )
    arguments: dict[str, Any] = {"evaluation_share": share, "max_passages": cap, "min_words": 50}
    passages, counts = build_region(documents, AFRICA, part=part, **arguments)
    check_identity(counts)
    assert total(counts, "read") == len(rows)
    assert total(counts, "kept", "passage") == len(passages) <= cap
    assert total(counts, "kept", "word") == passages["words"].sum()
    assert total(counts, "kept") == passages["document"].nunique()
    if part != "all":
        other = "later" if part == "earlier" else "earlier"
        rest, _ = build_region(documents, AFRICA, part=other, **arguments)
        assert not set(rest["document"]) & set(passages["document"])
        assert not set(rest["text"]) & set(passages["text"])
