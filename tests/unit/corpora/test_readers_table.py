"""The reader of tables: csv, tsv, jsonl and parquet."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections import Counter
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reading import read_rows

from biasatlas.corpora.readers.batches import Limits, Report
from biasatlas.corpora.readers.common import Countries
from biasatlas.corpora.readers.dates import Dates
from biasatlas.errors import InputError

KEEP = Limits(damaged="keep")
ROWS = [
    {"key": "a", "body": "Text one", "land": "NA", "when": "2020-01-02"},
    {"key": "b", "body": "Text two", "land": "Viet Nam", "when": "1999"},
    {"key": "c", "body": "", "land": "Atlantis", "when": "soon"},
]
OPTIONS = {"text": "body", "id": "key", "country": "land", "date": "when", "name": "t"}
FILES = [
    "t.csv", "t.tsv", "t.jsonl", "t.ndjson", "t.csv.gz", "t.tsv.zst", "t.jsonl.gz", "t.jsonl.zst",
    "t.parquet",
]  # fmt: skip


def read(
    path: Path, options: dict[str, Any], limits: Limits | None = None
) -> tuple[list[dict[str, str]], Counter[tuple[str, str, str]]]:
    return read_rows("table", path, options, limits)


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write a table of the format that the path's ending tells."""
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=2)
        return path
    if "json" in path.name:
        raw = "\n".join(json.dumps(row) for row in rows).encode()
    else:
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, list(rows[0]), delimiter="\t" if "tsv" in path.name else ",")
        writer.writeheader()
        writer.writerows(rows)
        raw = text.getvalue().encode()
    packed = {".gz": gzip.compress, ".zst": zstandard.compress}.get(path.suffix)
    path.write_bytes(packed(raw) if packed else raw)
    return path


@pytest.mark.parametrize("name", FILES)
def test_formats(name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rows, counts = read(write(tmp_path / name, ROWS), OPTIONS)
    assert [row["document"] for row in rows] == ["t-a", "t-b", "t-c"]
    assert [row["text"] for row in rows] == ["Text one", "Text two", ""]
    assert [row["country"] for row in rows] == ["NAM", "VNM", ""]
    assert [row["date"] for row in rows] == ["2020-01-02", "1999", ""]
    assert [row["source"] for row in rows] == ["t", "t", "t"]
    assert counts == {
        ("country_unknown", "document", "'Atlantis'"): 1,
        ("date_unknown", "document", ""): 1,
    }
    assert "1 documents name a country that is unknown: 'Atlantis'; give" in caplog.text
    assert "1 dates cannot be read, such as 'soon'" in caplog.text


@pytest.mark.parametrize("name", FILES)
def test_rows_without_text_and_numbers_for_ids(name: str, tmp_path: Path) -> None:
    given_rows = [{"body": "" if i % 5 == 0 else f"text {i}", "land": "NG"} for i in range(1, 21)]
    rows, counts = read(write(tmp_path / name, given_rows), {"text": "body", "source": "land"})
    assert [row["text"] for row in rows] == [row["body"] for row in given_rows]
    assert sum(row["text"] == "" for row in rows) == 4
    assert [row["document"] for row in rows] == [f"t-{i}" for i in range(1, 21)]
    assert {row["source"] for row in rows} == {"NG"}
    assert not counts


@pytest.mark.parametrize("name", FILES)
def test_missing_columns(name: str, tmp_path: Path) -> None:
    path = write(tmp_path / name, ROWS)
    with pytest.raises(InputError) as caught:
        read(path, {"text": "bodi", "country": "x"})
    assert len(caught.value.problems) == 2
    has = "it has key, body, land, when"
    assert (
        caught.value.problems[0] == f"{path}: no column 'bodi' (option text); {has}; nearest: body"
    )
    assert caught.value.problems[1] == f"{path}: no column 'x' (option country); {has}"
    with pytest.raises(InputError, match=f"option text is required.*{has}"):
        read(path, {})


@pytest.mark.parametrize(
    ("name", "raw", "options", "message"),
    [
        ("t.csv", b"a,b,a\n1,2,3\n", {"text": "b"}, "column a comes twice in the header"),
        ("t.csv", b"\n\n", {"text": "a"}, "holds no text"),
        ("t.csv.gz", gzip.compress(b"", mtime=0), {"text": "a"}, "holds no text"),
        ("t.jsonl", b"\n \n", {"text": "a"}, "holds no text"),
        ("t.jsonl", b'{"a": 1}\n{oops\n[1]\n', {"text": "a"}, "2 problems"),
        ("t.jsonl", b'{"a": 1}\n\n{oops\n', {"text": "a"}, r"t\.jsonl, line 3: is not JSON"),
        ("t.jsonl", b"x\n" * 30, {"text": "a"}, "21 problems(.|\n)*and 10 more lines"),
        ("t.parquet", b"PAR1 oops", {"text": "a"}, "not a readable parquet"),
        ("t.parquet", b"PAR1 oops", {}, "not a readable parquet"),
        ("t.xlsx", b"x", {"text": "a"}, "allowed: csv, tsv, jsonl, ndjson, parquet"),
        ("t.parquet.gz", b"x", {"text": "a"}, "unknown format 'parquet.gz'"),
        ("t", b"x", {"text": "a"}, "unknown format"),
        ("t.csv", b"a\n1\n", {"text": "a", "separator": "ab"}, "separator 'ab' must be one char"),
        ("t.tsv", b"a\n1\n", {"text": "a", "separator": ";"}, r"is for \.csv files"),
        ("t.csv", b"a\n1\n", {"text": "a", "outlet_country": "Nigera"}, "nearest: Nigeria"),
    ],
)
def test_bad(name: str, raw: bytes, options: dict[str, Any], message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(raw)
    with pytest.raises(InputError, match=message) as caught:
        read(tmp_path / name, options)
    assert "Nigera" in message or "Nigeria" in message or str(tmp_path / name) in str(caught.value)


def test_header_alone_and_unnamed_columns(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n")
    assert read(path, {"text": "a"}) == ([], {})
    path.write_bytes(b",a,\n0,x,\n")
    assert read(path, {"text": "a"})[0][0]["text"] == "x"


def test_csv_as_it_comes(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(
        b"\xef\xbb\xbfid;body\r\n"
        b'1;"two\r\nlines; and ""quotes"""\r\n'
        b"\r\n"
        b'2;5" pipe\r\n'
        b"3;a\rb\x00c\r\n"
        b"4;caf\xe9"
    )
    rows, counts = read(path, {"text": "body", "id": "id", "separator": ";"})
    assert {row["document"]: row["text"] for row in rows} == {
        "t-1": 'two\r\nlines; and "quotes"', "t-2": '5" pipe', "t-3": "a b\x00c",
        "t-4": "caf\u00e9",
    }  # fmt: skip
    assert counts == {("decoded_by_fallback", "document", ""): 1}
    path.write_bytes("a,b\n\u00e9,x\n".encode("utf-16"))
    assert read(path, {"text": "a"})[0][0]["text"] == "\u00e9"


def test_ragged_rows(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "t.csv"
    path.write_text('a,b\n1,one\n2\n3,th,ree\n"4\n4",four\n5,\n,\n7,8,9\n8,last\n')
    rows, counts = read(path, {"text": "b"})
    assert [(row["document"], row["text"]) for row in rows] == [
        ("t-1", "one"), ("t-4", "four"), ("t-5", ""), ("t-6", ""), ("t-8", "last"),
    ]  # fmt: skip
    assert counts == {("dropped_ragged_row", "document", ""): 3}
    assert "3 rows do not have the header's number of fields; left out, first in lines 3, 4, 9" in (
        caplog.text
    )


def test_a_quote_that_is_not_closed_takes_no_other_row(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "t.csv"
    path.write_text('a,b\n1,"one"\n2,"two\n3,three\n4,"four"\n5,"fi"ve\n6,"six"\n')
    rows, counts = read(path, {"text": "b", "id": "a"})
    assert [row["text"] for row in rows] == ["one", "three", "four", "six"]
    assert counts == {("dropped_broken_quote", "document", ""): 2}
    assert "2 rows have a quote that is not closed" in caplog.text
    assert "first in lines 3, 6" in caplog.text


def test_a_quote_that_is_open_at_the_end(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "t.csv"
    path.write_text('a,b\n1,"one"\n2,"two\n3,three\n4,four\n')
    with pytest.raises(InputError, match=r"row that begins in line 3 is never closed"):
        read(path, {"text": "b"})
    rows, counts = read(path, {"text": "b"}, KEEP)
    assert [(row["document"], row["text"]) for row in rows] == [
        ("t-1", "one"), ("t-3", "three"), ("t-4", "four"),
    ]  # fmt: skip
    assert counts["dropped_damaged", "document", ""] == 1
    assert sum(n for (item, _, _), n in counts.items() if item == "damaged") == 1
    assert "line 3 is never closed; what is whole is kept" in caplog.text
    # what is read again may be broken in its own way
    path.write_text('a,b\n2,"two\n3,""x\n4,four\n')
    rows, counts = read(path, {"text": "b"}, KEEP)
    assert [(row["document"], row["text"]) for row in rows] == [("t-3", "four")]
    assert counts["dropped_damaged", "document", ""] == 1
    assert counts["dropped_broken_quote", "document", ""] == 1


def test_long_rows(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "t.csv"
    limits = Limits(max_document_mb=0.001, batch_mb=0.0001, damaged="keep")
    long = 'word ""quoted"", and more\n' * 20_000
    rows = [
        "a,b",
        "1,one",
        f"2,{'x' * 1001}",  # the text is too long
        f"3,{'y' * 200_000}",  # the line is too long to be held
        "4,four",
        f'5,"{long}"',  # the row is
        '6,"six\nsix"',
        f'7,"seven\n{"z" * 200_000}\nend"',  # a line in the middle is
        f'8,"{"p" * 40_000}\n{"q" * 40_000}"',  # the row is, by the line that ends it
        "9,nine",
    ]
    path.write_text("\n".join(rows) + "\n")
    found, counts = read(path, {"text": "b", "id": "a"}, limits)
    assert [row["document"] for row in found] == ["t-1", "t-4", "t-6", "t-9"]
    assert counts == {("dropped_too_long", "document", ""): 5}
    assert "2 rows are longer than documents.max_document_mb allows" in caplog.text
    assert "first in lines 6, 20012" in caplog.text
    numbered, _ = read(path, {"text": "b"}, limits)
    assert [row["document"] for row in numbered] == ["t-1", "t-4", "t-6", "t-9"]
    path.write_text("\n".join([*rows[:5], '5,"' + "word\n" * 20_000]))
    found, counts = read(path, {"text": "b", "id": "a"}, limits)
    assert [row["document"] for row in found] == ["t-1", "t-4"]
    assert counts["dropped_too_long", "document", ""] == 3
    assert "row that begins in line 6 is never closed" in caplog.text


def test_a_row_as_long_as_can_be_held(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    most = 2 * 1000 + (1 << 16)
    for n in range(most - 3, most + 2):
        path.write_text(f'a\n{"x" * n}\n"{"y" * (n - 2)}"\nlast\n')
        rows, counts = read(path, {"text": "a"}, Limits(max_document_mb=0.001))
        assert [row["document"] for row in rows] == ["t-3"]
        assert counts == {("dropped_too_long", "document", ""): 2}


def test_json_as_it_comes(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(
        b'{"a": "x \\ud800 y"}\n{"a": null, "b": NaN}\n\n{"b": 1}\r\n{"a": 3.5}\n'
        b'{"a": "caf\xe9"}\n{"a": "\\u0000"}\n{"a": true}\n{"a": 12345678901234567890123}'
    )
    rows, counts = read(path, {"text": "a"})
    assert [row["text"] for row in rows] == [
        "x ? y", "", "", "3.5", "caf\u00e9", "\x00", "True", "12345678901234567890123",
    ]  # fmt: skip
    assert [row["document"] for row in rows] == [f"t-{i}" for i in range(1, 9)]
    assert counts == {("decoded_by_fallback", "document", ""): 1}


def test_json_bad_lines_are_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "t.jsonl"
    deep = "[" * 100_000
    path.write_text(f'{{"a": "one"}}\n{{oops\n[1]\n{deep}\n{{"a": "five"}}\n')
    for batch_mb in (0.00001, 16):
        limits = Limits(damaged="keep", batch_mb=batch_mb)
        rows, counts = read(path, {"text": "a"}, limits)
        assert [(row["document"], row["text"]) for row in rows] == [("t-1", "one"), ("t-5", "five")]
        assert counts == {("dropped_damaged", "document", ""): 3}
    assert "3 lines are no JSON object and are left out" in caplog.text
    assert "line 2: is not JSON" in caplog.text


def test_json_columns_that_come_late(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    rows = ['{"a": "x"}'] * 1500
    path.write_text("\n".join([*rows, '{"land": "Ghana"}']))
    assert read(path, {"text": "a", "country": "land"})[0][-1]["country"] == "GHA"
    with pytest.raises(InputError, match=r"no column 'b'.*in the first 1000 objects; it has a"):
        read(path, {"text": "b"})
    with pytest.raises(InputError, match=r"no column 'b'.*it has a, land"):
        read(path, {"text": "a", "title": "b"})


def test_json_too_long(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    texts = ["a", "b" * 1000, "c" * 1001, "d" * 100_000, "e", "\u00e9" * 500, "\u00e9" * 501]
    path.write_text("\n".join(json.dumps({"a": text}) for text in texts))
    for batch_mb in (0.00001, 1):
        rows, counts = read(path, {"text": "a"}, Limits(max_document_mb=0.001, batch_mb=batch_mb))
        assert [row["document"] for row in rows] == ["t-1", "t-2", "t-5", "t-6"]
        assert counts == {("dropped_too_long", "document", ""): 3}


def test_countries_with_typos(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    names = ["Nigera", "Ghana", "Nigera", "", *(f"Zq{'x' * i}" for i in range(30))]
    path = write(tmp_path / "t.csv", [{"body": "x", "land": name} for name in names])
    for batch_mb in (0.000001, 16):
        rows, counts = read(path, {"text": "body", "country": "land"}, Limits(batch_mb=batch_mb))
        assert [row["country"] for row in rows[:4]] == ["", "GHA", "", ""]
        rules = {rule: n for (_, _, rule), n in counts.items()}
        nigeria = next(rule for rule in rules if rule.startswith("'Nigera': nearest: Nigeria"))
        assert rules[nigeria] == 2
        assert len(rules) == 21
        assert rules["others"] == 11
    assert "32 documents name a country that is unknown: 'Nigera': nearest: Nigeria" in caplog.text


def test_dates(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = write(
        tmp_path / "t.csv",
        [{"a": "x", "d": d} for d in ["07/02/2017", "13/02/2017", "", "7 Feb 2017", "1486425600"]],
    )
    rows, counts = read(path, {"text": "a", "date": "d"})
    assert [row["date"] for row in rows] == ["", "", "", "2017-02-07", "2017-02-07"]
    assert counts == {("date_unknown", "document", ""): 2}
    assert "2 dates cannot be read, such as '07/02/2017', '13/02/2017'" in caplog.text
    assert "option date_format, such as '%d/%m/%Y'" in caplog.text
    rows, counts = read(path, {"text": "a", "date": "d", "date_format": "%d/%m/%Y"})
    assert [row["date"] for row in rows] == ["2017-02-07", "2017-02-13", "", "", ""]
    assert counts == {("date_unknown", "document", ""): 2}


def test_dates_with_dots(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = write(tmp_path / "t.csv", [{"a": "x", "d": "07.02.2017"}])
    read(path, {"text": "a", "date": "d"})
    assert "option date_format, such as '%d.%m.%Y'" in caplog.text
    rows, _ = read(path, {"text": "a", "date": "d", "date_format": "%d.%m.%Y"})
    assert rows[0]["date"] == "2017-02-07"
    with pytest.raises(InputError, match=r"option date_format: 'dd\.mm\.yyyy' must be"):
        read(path, {"text": "a", "date": "d", "date_format": "dd.mm.yyyy"})


def test_parquet_types(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    columns = {
        "text": pa.array(["a", None, "b"]).dictionary_encode(),
        "id": pa.array([10, 11, 12]),
        "day": pa.array([date(2017, 2, 7), None, date(2018, 1, 1)]),
        "time": pa.array([datetime(2017, 2, 7, 10), None, datetime(2018, 1, 1)]),
        "raw": pa.array([b"caf\xe9", "\u00e9".encode(), None]),
        "n": pa.array([1, None, 3]),
    }
    pq.write_table(pa.table(columns), path, row_group_size=2)
    rows, counts = read(path, {"text": "text", "id": "id", "date": "day", "source": "n"})
    assert [(r["document"], r["text"], r["date"], r["source"]) for r in rows] == [
        ("t-10", "a", "2017-02-07", "1"), ("t-11", "", "", "t"), ("t-12", "b", "2018-01-01", "3"),
    ]  # fmt: skip
    assert not counts
    rows, counts = read(path, {"text": "raw", "date": "time", "title": "text"})
    assert [row["text"] for row in rows] == ["caf\u00e9", "\u00e9", ""]
    assert [row["date"] for row in rows] == ["2017-02-07", "", "2018-01-01"]
    assert [row["title"] for row in rows] == ["a", "", "b"]
    assert counts == {("decoded_by_fallback", "document", ""): 1}
    rows, _ = read(path, {"text": "text", "id": "text"})
    assert [row["document"] for row in rows] == ["t-a", "t-", "t-b"]
    assert [row["text"] for row in read(path, {"text": "n"})[0]] == ["1", "", "3"]


def test_lists_and_objects_are_no_text(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "t.jsonl"
    values = ["one", ["a", "b"], 2, {"c": 1}, None, True, "x" * 2000, []]
    path.write_text("\n".join(json.dumps({"a": value}) for value in values))
    for batch_mb in (0.00001, 16):
        caplog.clear()
        limits = Limits(batch_mb=batch_mb, max_document_mb=0.001)
        rows, counts = read(path, {"text": "a"}, limits)
        assert [(row["document"], row["text"]) for row in rows] == [
            ("t-1", "one"), ("t-3", "2"), ("t-5", ""), ("t-6", "True"),
        ]  # fmt: skip
        assert counts == {
            ("dropped_not_text", "document", ""): 3, ("dropped_too_long", "document", ""): 1,
        }  # fmt: skip
        assert len(caplog.records) == 1
        assert "column 'a' (option text) holds a list or an object, no text, in 3 rows" in (
            caplog.text
        )
        assert 'first in row 2 (["a", "b"])' in caplog.text


@pytest.mark.parametrize(("n", "refused"), [(999, False), (1000, True)])
def test_a_column_of_lists(n: int, refused: bool, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": ["x"]}\n' * n + '{"a": "text"}\n')
    for batch_mb in (0.00001, 16):
        limits = Limits(batch_mb=batch_mb)
        if refused:
            with pytest.raises(InputError, match=r"column 'a' .*in the first 1000 rows, such as"):
                read(path, {"text": "a"}, limits)
        else:
            rows, counts = read(path, {"text": "a"}, limits)
            assert [row["text"] for row in rows] == ["text"]
            assert counts == {("dropped_not_text", "document", ""): n}
    path.write_text('{"a": {"b": "x"}}\n')
    with pytest.raises(InputError, match=r"in all rows, such as \{\"b\": \"x\"\} in row 1"):
        read(path, {"text": "a"})


@pytest.mark.parametrize("value", [["x"], {"b": "x"}])
def test_a_nested_column_of_parquet(value: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": [value, None], "c": ["x", "y"]}), path)
    with pytest.raises(InputError, match=r"column 'a' \(option text\) holds (list|struct)<"):
        read(path, {"text": "a"})
    assert [row["text"] for row in read(path, {"text": "c", "title": "a"})[0]] == ["x", "y"]


@pytest.mark.parametrize(("sign", "name"), [(";", "';'"), ("\t", "a tab")])
def test_another_separator(sign: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(f"id{sign}text\n1{sign}x\n".encode()))
    hint = rf"is the separator {name}\? \(option separator\)"
    for options in ({"text": "text"}, {}):
        with pytest.raises(InputError, match=hint):
            read(path, options)
    assert read(path, {"text": "text", "separator": sign})[0][0]["text"] == "x"
    path.write_bytes(gzip.compress(b"id\n1\n"))
    with pytest.raises(InputError) as caught:
        read(path, {"text": "text"})
    assert "is the separator" not in str(caught.value)


def test_long_values_are_no_country_and_no_date(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    long = "Ghana is a land of " + "gold and " * 2000
    path = write(tmp_path / "t.csv", [{"a": long}, {"a": long}])
    rows, counts = read(path, {"text": "a", "country": "a", "date": "a"})
    assert {(row["country"], row["date"]) for row in rows} == {("", "")}
    assert counts["country_unknown", "document", repr(long[:60])] == 2
    assert counts["date_unknown", "document", ""] == 2
    assert len(caplog.text) < 1000
    report = Report()
    countries, dates = Countries(path, report), Dates(path, report)
    assert countries.resolve([long, "Ghana"]) == ["", "GHA"]
    assert dates.parse([long, "2017"]) == ["", "2017"]
    assert long not in countries._column._known
    assert long not in dates._column._known
    assert all(len(value) <= 101 for value in (*countries._rules, *dates._unread))


CELLS = st.text(st.sampled_from('ab ,;"\n\r\t\u00e9\U0001f600\x00'), max_size=30)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=12), st.sampled_from(FILES))
def test_the_size_of_batches_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, cells: list[tuple[str, str]], name: str
) -> None:
    cells = [(a.replace("\r", ""), b.replace("\r", "")) for a, b in cells]
    path = write(tmp_path_factory.mktemp("t") / name, [{"a": a, "b": b} for a, b in cells])
    expected = [
        (f"t-{i}", b, a) for i, (a, b) in enumerate(cells, 1) if len(b.encode()) <= 40
    ]  # fmt: skip
    long = len(cells) - len(expected)
    for batch_mb in (0.000001, 0.0001, 1, 16):
        limits = Limits(batch_mb=batch_mb, max_document_mb=0.00004)
        rows, counts = read(path, {"text": "b", "title": "a"}, limits)
        assert [(row["document"], row["text"], row["title"]) for row in rows] == expected
        assert counts == ({("dropped_too_long", "document", ""): long} if long else {})


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(st.sampled_from('ab,"\n'), max_size=60), st.sampled_from(["fail", "keep"]))
def test_any_csv_is_read_or_refused_alike(
    tmp_path_factory: pytest.TempPathFactory, raw: str, damaged: Any
) -> None:
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_text("a,b\n" + raw)
    results = []
    for batch_mb in (0.000001, 0.00001, 16):
        try:
            results.append(read(path, {"text": "b"}, Limits(batch_mb=batch_mb, damaged=damaged)))
        except InputError as error:
            assert damaged == "fail"
            results.append(str(error))
    assert results[0] == results[1] == results[2]
    if not isinstance(results[0], str):
        rows, counts = results[0]
        ids = [row["document"] for row in rows]
        assert len(set(ids)) == len(ids)
        # each row is given or counted, and a line that stands for itself never vanishes
        dropped = sum(n for (item, _, _), n in counts.items() if item.startswith("dropped_"))
        assert int(ids[-1][2:]) <= len(ids) + dropped if ids else True
        if '"' not in raw:
            assert len(ids) + dropped == sum(line != "" for line in raw.split("\n"))
