"""The draw equals cleaning everything first; batches and order are no matter."""

from __future__ import annotations

from collections import Counter
from unittest import mock

import polars as pl
import pytest
import xxhash
from hypothesis import given, settings
from hypothesis import strategies as st

from biasatlas.corpora.candidates import turn
from biasatlas.corpora.near_duplicates import NearDuplicates
from biasatlas.corpora.readers.batches import COLUMNS
from biasatlas.corpora.sampling import content_keys
from biasatlas.corpora.selection import Draw, draw_documents


def content_key(text: str, seed: int) -> int:
    return xxhash.xxh3_64_intdigest(text.encode(), seed=seed)


WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi".split()


def make(rows: list[dict[str, str]]) -> pl.DataFrame:
    filled = [{**dict.fromkeys(COLUMNS, ""), "given_rule": "column", **row} for row in rows]
    schema = dict.fromkeys((*COLUMNS, "given_rule"), pl.String)
    return pl.DataFrame(filled, schema=schema)


def judge(rows: pl.DataFrame) -> pl.DataFrame:
    """Clean: fold a run of x to nothing; a text of under two words is short."""
    text = pl.col("text").str.replace_all("x+", "").str.strip_chars()
    rows = rows.with_columns(text)
    words = pl.col("text").str.count_matches(r"\S+")
    fate = pl.when(words < 2).then(pl.lit("dropped_short")).otherwise(pl.lit("kept"))
    return rows.with_columns(fate=fate)


def draw_slowly(frame: pl.DataFrame, draw: Draw) -> tuple[list[str], Counter[str]]:
    """Clean everything, then go through all documents in order."""
    counts: Counter[str] = Counter()
    rows = []
    for row in frame.iter_rows(named=True):
        if not row["text"].strip():
            counts["dropped_empty"] += 1
            continue
        place = "=" + row["region"] if row["region"] else row["country"] or "~"
        cleaned = judge(make([row]))
        key = content_key(" ".join(row["text"].lower().split()), draw.seed)
        origin = (row["source"], row["given_rule"], row["country"])
        order = (key, turn(key, place), *origin, row["document"])
        rows.append((order, place, cleaned["text"][0], cleaned["fate"][0]))
    near = NearDuplicates(draw.near_duplicates) if draw.near_duplicates else None
    texts: set[str] = set()
    looked_at: set[tuple[object, ...]] = set()
    n_taken: Counter[str] = Counter()
    taken = []
    for order, place, text, fate in sorted(rows):
        if order[:5] in looked_at:
            counts["dropped_duplicate"] += 1
            continue
        if draw.per_place is not None and place != "~" and n_taken[place] >= draw.per_place:
            counts["not_sampled"] += 1
            continue
        looked_at.add(order[:5])
        if fate == "kept":
            (signature,) = near.signatures([text]) if near else (None,)
            if " ".join(text.split()).casefold() in texts:
                fate = "dropped_duplicate"
            elif near and near.holds(signature):
                fate = "dropped_near_duplicate"
            else:
                texts.add(" ".join(text.split()).casefold())
                if near:
                    near.take(signature)
                n_taken[place] += 1
                taken.append(order[5])
        counts[fate] += 1
    return taken, counts


DOCUMENT = st.fixed_dictionaries(
    {
        "text": st.lists(st.sampled_from([*WORDS[:5], "x", "Alpha"]), max_size=4).map(" ".join),
        "country": st.sampled_from(["NGA", "GHA", ""]),
        "region": st.sampled_from(["", "", "north"]),
        "source": st.sampled_from(["a", "b"]),
    }
)


@settings(max_examples=150, deadline=None)
@given(
    rows=st.lists(DOCUMENT, max_size=60),
    per_place=st.sampled_from([None, 1, 2, 5]),
    near=st.sampled_from([None, 0.6]),
    spare=st.sampled_from([0.0, 0.5, 3.0]),
    size=st.sampled_from([1, 7, 100]),
    chunk=st.sampled_from([1, 3, 2000]),
    shuffle=st.randoms(use_true_random=False),
)
def test_draw_equals_cleaning_everything_first(rows, per_place, near, spare, size, chunk, shuffle):
    rows = [{**row, "document": f"d{i:02}"} for i, row in enumerate(rows)]
    draw = Draw(per_place, seed=3, near_duplicates=near, spare=spare)
    expected, expected_counts = draw_slowly(make(rows), draw)
    shuffle.shuffle(rows)
    frame = make(rows)
    with mock.patch("biasatlas.corpora.selection.CHUNK", chunk):
        documents, counts = draw_documents(lambda: frame.iter_slices(size), judge, draw)
    assert documents["document"].to_list() == expected
    by_item: Counter[str] = Counter()
    for (*_, item), n in counts.items():
        by_item[item] += n
    assert by_item == +expected_counts
    assert sum(counts.values()) == len(rows)


def test_only_the_smallest_keys_are_cleaned():
    rows = [{"document": f"d{i}", "text": f"word {i}", "country": "NGA"} for i in range(20_000)]
    cleaned = []

    def watch(chunk: pl.DataFrame) -> pl.DataFrame:
        cleaned.append(chunk.height)
        return judge(chunk)

    frame = make(rows)
    documents, counts = draw_documents(lambda: frame.iter_slices(500), watch, Draw(100, seed=1))
    assert documents.height == 100
    # the first chunk is all that is held: the number asked for and half as many again
    assert sum(cleaned) == 151
    assert counts["", "column", "NGA", "not_sampled"] == 19_900


def test_sources_are_read_again_when_too_few_pass():
    rows = [{"document": f"d{i}", "text": f"x {i}", "country": "NGA"} for i in range(500)]
    rows += [{"document": f"k{i}", "text": f"good {i}", "country": "NGA"} for i in range(20)]
    passes = []

    def batches():
        passes.append(1)
        return make(rows).iter_slices(50)

    documents, counts = draw_documents(batches, judge, Draw(10, seed=1))
    assert documents.height == 10
    assert len(passes) > 1
    smallest = sorted(rows[500:], key=lambda row: content_key(row["text"], 1))[:10]
    assert documents["document"].to_list() == [row["document"] for row in smallest]
    assert sum(counts.values()) == 520


def test_a_larger_draw_only_adds_documents():
    rows = [{"document": f"d{i}", "text": f"word {i}", "country": "NGA"} for i in range(300)]
    frame = make(rows)
    small, large = (
        draw_documents(lambda: frame.iter_slices(40), judge, Draw(k, seed=5))[0]["document"]
        for k in (20, 60)
    )
    assert large.to_list()[:20] == small.to_list()


def test_versions_that_differ_in_white_space_are_one_text():
    """A text in ten such versions is as likely to be drawn as one in a single version."""
    rows = [{"document": f"s{n}", "text": f"single {n}", "country": "NGA"} for n in range(400)]
    rows += [
        {"document": f"c{n}-{m}", "text": f"Cluster {n}" + " " * m, "country": "NGA"}
        for n in range(400)
        for m in range(10)
    ]
    documents, counts = draw_documents(lambda: [make(rows)], judge, Draw(200, seed=1))
    singles = documents["document"].str.starts_with("s").sum()
    assert 70 < singles < 130  # 100 by chance, with a deviation of 6
    assert counts["", "column", "NGA", "dropped_duplicate"] == 9 * (200 - singles)


def test_nothing_to_read_gives_the_columns():
    documents, counts = draw_documents(lambda: [], judge, Draw(5, seed=1))
    assert documents.is_empty()
    assert {"document", "text", "place", "key"} <= set(documents.columns)
    assert not counts


@given(st.lists(st.text(max_size=12)), st.integers(0, 2**63), st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_content_keys_are_those_of_each_text(texts, seed, start):
    series = pl.Series(texts, dtype=pl.String)[start:]
    assert content_keys(series, seed).to_list() == [content_key(t, seed) for t in series]


def test_near_duplicates_share_most_runs_of_words():
    text = [f"w{i}" for i in range(200)]
    other = [*text[:100], "new", *text[101:]]
    far = [*text[:50], *(f"v{i}" for i in range(150))]
    near = NearDuplicates(0.8)
    first, second, third = near.signatures([" ".join(words) for words in (text, other, far)])
    near.take(first)
    assert near.holds(second)  # 191 of 201 runs are common
    assert not near.holds(third)  # 46 of 346


@pytest.mark.parametrize(("common", "held"), [(70, True), (69, False)])
def test_a_text_is_dropped_by_what_it_shares_not_by_an_estimate(common, held):
    for number in range(60):
        near = NearDuplicates(0.7)
        words = [f"w{number}-{i}" for i in range(104)]
        # the beginning of a text of 100 runs that holds so many of them
        whole, beginning = near.signatures([" ".join(words), " ".join(words[: common + 4])])
        near.take(whole)
        assert near.holds(beginning) == held


@pytest.mark.parametrize("text", ["", "one", "one two three"])
def test_short_texts_have_signatures(text):
    near = NearDuplicates(0.8)
    (signature,) = near.signatures([text])
    assert not near.holds(signature)
    near.take(signature)
    assert near.holds(signature)


def test_copies_in_two_countries_go_to_either_by_chance_and_never_to_none():
    rows = [
        {"document": f"{country}{n}", "text": f"word {n}", "country": country}
        for n in range(400)
        for country in ("CAN", "USA", "")
    ]
    documents, _counts = draw_documents(lambda: [make(rows)], judge, Draw(None, seed=1))
    taken = documents["country"].value_counts().sort("country").rows()
    assert [country for country, _ in taken] == ["CAN", "USA"]
    assert all(150 < n < 250 for _, n in taken)  # 200 by chance, with a deviation of 10
