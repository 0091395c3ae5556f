"""Samples and duplicates do not depend on the order of rows."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasatlas.corpora.sampling import content_keys, is_duplicate, sample


def make(texts: list[str]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "id": [f"d{i:03d}" for i in range(len(texts))],
            "text": texts,
            "country": [("GHA", "KEN")[i % 2] for i in range(len(texts))],
        },
        schema={"id": pl.String, "text": pl.String, "country": pl.String},
    )


def test_key_is_xxh3() -> None:
    # the published value of XXH3_64bits for empty input and seed 0
    texts = pl.Series(["", "a"])
    assert content_keys(texts, 0)[0] == 0x2D06800538D394C2
    assert content_keys(texts, 0)[1] != content_keys(texts, 1)[1]


@given(
    st.lists(st.text(max_size=4), max_size=20), st.integers(0, 6), st.integers(0, 9), st.randoms()
)
def test_order_of_rows_does_not_matter(texts: list[str], k: int, seed: int, random) -> None:
    frame = make(texts)
    order = list(range(len(texts)))
    random.shuffle(order)
    drawn = sample(frame, k, seed, by="country")
    assert drawn.equals(sample(frame[order], k, seed, by="country"))
    assert drawn.group_by("country").len()["len"].max() in (None, *range(k + 1))
    assert drawn.height == sum(min(k, n) for n in frame.group_by("country").len()["len"].to_list())
    assert set(drawn["id"]) <= set(sample(frame, k + 1, seed, by="country")["id"])
    marked = frame.with_columns(is_duplicate(frame)).sort("id")
    shuffled = frame[order]
    assert marked.equals(shuffled.with_columns(is_duplicate(shuffled)).sort("id"))


def test_other_seed_other_sample() -> None:
    frame = make([f"text {i}" for i in range(60)])
    a, b = (sample(frame, 10, seed)["id"].to_list() for seed in (1, 2))
    assert a != b
    assert a == sorted(a)


def test_sample_is_uniform_over_seeds() -> None:
    frame = make([f"text {i}" for i in range(10)])
    hits = sum("d004" in sample(frame, 5, seed)["id"].to_list() for seed in range(400))
    assert hits == pytest.approx(200, abs=45)


def test_duplicates_keep_the_smallest_id() -> None:
    frame = make(["A  b", "a B", "c", "a b"])
    assert is_duplicate(frame).to_list() == [False, True, False, True]
    assert is_duplicate(frame.reverse()).to_list() == [True, False, True, False]
