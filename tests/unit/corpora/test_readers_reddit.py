"""The reader of Reddit's posts."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import read_rows

from biasatlas.corpora.readers.batches import Limits
from biasatlas.errors import InputError

KEEP = Limits(damaged="keep")


def post(identifier: str, subreddit: str = "Africa", **changes: Any) -> dict[str, Any]:
    return {
        "author": "somebody_s_name",
        "created_utc": 1483228799,
        "id": identifier,
        "selftext": f"Text {identifier}",
        "subreddit": subreddit,
        "title": f"Title {identifier}",
    } | changes


def write(path: Path, rows: list[Any]) -> Path:
    if ".csv" in path.name:
        stream = io.StringIO()
        table = csv.DictWriter(stream, list(rows[0]), extrasaction="ignore")
        table.writeheader()
        table.writerows(rows)
        raw = stream.getvalue().encode()
    else:
        raw = "".join(f"{r if isinstance(r, str) else json.dumps(r)}\n" for r in rows).encode()
    if path.suffix == ".gz":
        raw = gzip.compress(raw)
    if path.suffix == ".zst":
        raw = pytest.importorskip("zstandard").ZstdCompressor().compress(raw)
    path.write_bytes(raw)
    return path


def read(
    path: Path, options: dict[str, Any] | None = None, limits: Limits | None = None
) -> tuple[list[dict[str, str]], dict[str, int]]:
    rows, counts = read_rows("reddit", path, options, limits)
    return rows, {item: n for (item, _, _), n in counts.items()}


FILES = ["a.jsonl", "a.jsonl.gz", "a.jsonl.zst", "RS_2019-01.zst", "posts", "a.csv", "a.csv.zst"]


@pytest.mark.parametrize("name", FILES)
def test_formats(name: str, tmp_path: Path) -> None:
    path = write(tmp_path / name, [post("x1"), post("x2", "kenya", selftext='A "b",\r\nc\n\nd')])
    rows, counts = read(path)
    assert rows == [
        {
            "document": "reddit-x1",
            "title": "",
            "text": "Title x1\n\nText x1",
            "country": "",
            "region": "africa",
            "source": "Reddit",
            "outlet_country": "",
            "date": "2016-12-31",
        },
        rows[1],
    ]
    assert rows[1]["region"] == "kenya"
    assert rows[1]["text"].replace("\r", "") == 'Title x2\n\nA "b",\nc\n\nd'
    assert counts == {}
    assert "somebody" not in json.dumps(rows)


def test_names_source_and_title_apart(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [post("x1")])
    (row,), _ = read(path, {"name": "r", "source": "r/africa", "title_in_text": False})
    assert (row["document"], row["source"]) == ("r-x1", "r/africa")
    assert (row["title"], row["text"]) == ("Title x1", "Text x1")


def test_what_is_gone_or_no_post(tmp_path: Path) -> None:
    gone = ["[deleted]", "[removed]", " [Removed] ", "", None, "[deleted by user]", "\n"]
    rows = [post(f"x{i}", selftext=text) for i, text in enumerate(gone)]
    rows += [post("kept", selftext="I was [deleted] once"), {"id": "c1", "body": "A comment"}]
    rows += [{"id": "other"}, post("untitled", title=None), post("bare", title="")]
    found, counts = read(write(tmp_path / "a.jsonl", rows))
    assert [row["document"] for row in found] == ["reddit-kept", "reddit-bare"]
    assert found[1]["text"] == "Text bare"
    assert counts == {"dropped_removed": 7, "skipped_comment": 1, "skipped_not_a_post": 2}


SUBREDDITS = [post("1", "africa"), post("2", "Kenya"), post("3", "ASIA"), post("4", "europe")]


def test_regions_and_countries(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", SUBREDDITS)
    options = {"regions": {"r/Africa": "north", "asia": "asia"}, "countries": {"kenya": "KE"}}
    rows, counts = read(path, options)
    places = [(row["document"], row["region"], row["country"]) for row in rows]
    assert places == [
        ("reddit-1", "north", ""), ("reddit-2", "", "KEN"), ("reddit-3", "asia", ""),
    ]  # fmt: skip
    assert counts == {"dropped_other_subreddit": 1}
    rows, _ = read(path, {"country": "France"})
    assert {(row["region"], row["country"]) for row in rows} == {("", "FRA")}


def test_subreddits_that_no_post_had(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    mentions = [post(f"m{i}", "news", selftext="of Kenia") for i in range(3)]
    mentions += [post("n", "europe", selftext="of Kenia"), {"id": "c", "body": "kenia"}]
    path = write(tmp_path / "a.jsonl", [*SUBREDDITS, *mentions])
    read(path, {"regions": {"africa": "a", "asia": "b"}, "countries": {"kenya": "KE"}})
    assert not caplog.records
    read(path, {"regions": {"africa": "a", "tonga": "b"}, "countries": {"kenia": "KE"}})
    assert len(caplog.records) == 1
    assert "a.jsonl: no post is of subreddit kenia, tonga (options regions, countries)" in (
        caplog.text
    )
    assert "; others that were read: news (3), europe (1)" in caplog.text
    caplog.clear()
    path = write(tmp_path / "a.csv", [post(f"{i}", f"s{i % 7}") for i in range(13)])
    read(path, {"regions": {"africa": "a"}})
    assert "read: s0 (2), s1 (2), s2 (2), s3 (2), s4 (2)\n" in caplog.text


def test_a_line_without_a_wanted_name_is_not_read(tmp_path: Path) -> None:
    lines = ["{ no json", "", "  ", {"id": "c", "body": "x"}, post("5", "europe"), *SUBREDDITS]
    lines += [post("6", "europe", selftext="all of Africa"), {"body": "africa"}, "{africa"]
    path = write(tmp_path / "a.jsonl", lines)
    rows, counts = read(path, {"regions": {"africa": "africa"}}, KEEP)
    assert [row["document"] for row in rows] == ["reddit-1"]
    # no JSON, comment, 5, three of SUBREDDITS, 6
    assert counts["dropped_other_subreddit"] == 7
    assert counts["skipped_comment"] == 1
    assert counts["dropped_damaged"] == 1


@pytest.mark.parametrize(
    ("created", "date", "unknown"),
    [
        (1483228800, "2017-01-01", 0),
        (1483228799.9, "2016-12-31", 0),
        ("1483228800", "2017-01-01", 0),
        ("1483228800.0", "2017-01-01", 0),
        ("2017-02-03 10:00:00", "2017-02-03", 0),
        (2017, "2017", 0),
        (None, "", 0),
        ("", "", 0),
        ("soon", "", 1),
        (1e300, "", 1),
        (float("nan"), "", 1),
        ([1], "", 1),
    ],
)
def test_dates(created: Any, date: str, unknown: int, tmp_path: Path) -> None:
    (row,), counts = read(write(tmp_path / "a.jsonl", [post("1", created_utc=created)]))
    assert row["date"] == date
    assert counts.get("date_unknown", 0) == unknown


def test_bad_lines(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rows = [post("1"), "{broken", post("2"), "[1, 2]", "[" * 100_000, post("3", title="\ud800")]
    path = write(tmp_path / "a.jsonl", rows)
    with pytest.raises(
        InputError, match=r"a\.jsonl: a line is no JSON object, the first is line 2"
    ):
        read(path)
    found, counts = read(path, limits=KEEP)
    assert [row["document"] for row in found] == ["reddit-1", "reddit-2", "reddit-3"]
    assert found[2]["text"] == "?\n\nText 3"
    assert counts == {"dropped_damaged": 3, "damaged": 1}
    assert "3 lines are no JSON object, the first is line 2" in caplog.text


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.jsonl.zst", "a.csv.gz"])
def test_truncated(name: str, tmp_path: Path) -> None:
    rows = [post(str(i), selftext=f"{i} words " * 3000) for i in range(40)]
    path = write(tmp_path / name, rows)
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(InputError, match="cannot be read to its end"):
        read(path)
    found, counts = read(path, limits=KEEP)
    assert [row["text"] for row in found] == [
        f"Title {i}\n\n" + f"{i} words " * 2999 + f"{i} words" for i in range(len(found))
    ]
    assert counts["damaged"] == 1
    assert len(found) + counts.get("dropped_damaged", 0) <= 40


def test_csv_that_is_no_table(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,body\n1,a\n")
    with pytest.raises(InputError, match="no column title, selftext, subreddit; it has id, body"):
        read(path)
    path.write_text("id,title,selftext,subreddit\n1,T,some,asia\n2,T\n3,T,more,asia\n")
    found, counts = read(path)
    assert [row["document"] for row in found] == ["reddit-1", "reddit-3"]
    assert counts == {"dropped_ragged_row": 1}
    path.write_bytes("\ufeffTitle,SELFTEXT,subreddit\nT,some,asia\nT,b\u00e9,asia\n".encode())
    # without an id the row's number stands for it
    assert [row["document"] for row in read(path)[0]] == ["reddit-1", "reddit-2"]


def test_too_long(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [post("1"), post("2", selftext="\u00e9" * 60)])
    found, counts = read(path, limits=Limits(max_document_mb=1e-4))
    assert [row["document"] for row in found] == ["reddit-1"]
    assert counts == {"dropped_too_long": 1}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"subreddits": {}}, "option 'subreddits' is unknown; allowed: countries, country, name"),
        ({"regions": "africa"}, "option regions: 'africa'; a mapping of subreddit to regions"),
        ({"regions": {"africa": ""}}, "'africa': ''; a subreddit and a value are needed"),
        ({"regions": {"a|b": "x"}}, r"'a\|b': 'x'; a subreddit and a value are needed"),
        ({"regions": {"Africa": "a", "r/africa": "b"}}, "subreddit 'africa' is given twice"),
        ({"countries": {"x": "Atlantis"}}, r"option countries: country 'Atlantis'.*\(x\)"),
        ({"country": "Atlantis"}, "option country: country 'Atlantis' is unknown"),
        ({"title_in_text": "no"}, "option title_in_text: 'no'; allowed: true, false"),
    ],
)
def test_bad_options(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        read(write(tmp_path / "a.jsonl", [post("1")]), options)


def test_all_bad_options_at_once(tmp_path: Path) -> None:
    options = {"countries": {"x": "Atlantis", "y": "Utopia"}, "title_in_text": 1}
    with pytest.raises(InputError) as error:
        read(tmp_path / "a.jsonl", options)
    assert len(error.value.problems) == 3


@pytest.mark.parametrize("name", ["RS_2015-01.bz2", "RS_2018.xz", "a.parquet", "a.zip", "a.tsv.gz"])
def test_other_formats(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"allowed: JSON lines or \.csv, plain, \.gz or \.zst"):
        read(tmp_path / name)


_ROWS = st.builds(
    post,
    st.text("abc0", min_size=1, max_size=5),
    st.sampled_from(["Africa", "asia", "europe"]),
    selftext=st.sampled_from(["[removed]", "some words", "caf\u00e9 \u2028 \U0001f600", "a\0b"]),
    title=st.sampled_from([None, "", "Title"]),
)


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(_ROWS, min_size=1, max_size=12), batch=st.sampled_from([1e-6, 5e-5, 16]))
def test_every_post_is_given_or_counted_whatever_the_batches(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]], batch: float
) -> None:
    path = write(tmp_path_factory.mktemp("reddit") / "a.jsonl", rows)
    options = {"regions": {"africa": "a"}, "countries": {"asia": "IN"}}
    found, counts = read(path, options)
    assert read(path, options, Limits(batch_mb=batch)) == (found, counts)
    assert len(found) + sum(counts.values()) == len(rows)
    wanted = [
        row["id"]
        for row in rows
        if row["title"] is not None
        and row["selftext"] != "[removed]"
        and row["subreddit"] != "europe"
    ]
    assert [row["document"].removeprefix("reddit-") for row in found] == wanted
