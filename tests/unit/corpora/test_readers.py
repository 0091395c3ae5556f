"""All readers: how they are called, and what is the same in all of them."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from biasatlas.corpora.readers import GIVEN_RULES, READERS, read_source
from biasatlas.corpora.readers.batches import COLUMNS, Limits, Report, make_batch, schema
from biasatlas.corpora.readers.common import check_pattern, decode, pattern_group
from biasatlas.corpora.readers.dates import parse_date
from biasatlas.corpora.regions import resolve_country, resolve_regions, suggest_countries
from biasatlas.errors import InputError

SUFFIXES = {
    "folder": "", "geowac": ".NG.txt", "lines": ".txt", "news": ".zip", "reddit": ".jsonl",
    "table": ".csv", "ungdc": ".tar.gz",
}  # fmt: skip
OPTIONS: dict[str, dict[str, Any]] = {"table": {"text": "text"}}


def test_unknown_reader() -> None:
    allowed = "folder, geowac, lines, news, reddit, table, ungdc"
    with pytest.raises(InputError, match=f"reader 'pdf' is unknown; allowed: {allowed}"):
        read_source("pdf", "x")
    assert sorted(READERS) == sorted(SUFFIXES) == sorted(GIVEN_RULES)
    assert GIVEN_RULES["table"] == "column"
    assert GIVEN_RULES["geowac"] == "file name"


@pytest.mark.parametrize("reader", sorted(READERS))
def test_missing_and_empty_file_and_bad_option(reader: str, tmp_path: Path) -> None:
    path = tmp_path / f"corpus{SUFFIXES[reader]}"
    with pytest.raises(InputError, match=f"corpus{SUFFIXES[reader]}: file not found"):
        list(read_source(reader, path, OPTIONS.get(reader)))
    if reader == "folder":
        path.mkdir()
    else:
        path.write_bytes(b"")
    with pytest.raises(InputError, match=r"empty|holds no file ending in \.txt"):
        list(read_source(reader, path, OPTIONS.get(reader)))
    with pytest.raises(InputError, match="option 'colour' is unknown"):
        list(read_source(reader, path, {"colour": 1}))


NOBODY = """
import os, sys
sys.path[:] = sys.argv[4:]
reader, path = sys.argv[1:3]
options = {"text": "text"} if reader == "table" else {}
from biasatlas.corpora.readers import read_source, resolve_reader
from biasatlas.errors import InputError
import pyarrow.parquet, pyarrow.compute, isal.isal_zlib, zstandard
import biasatlas.corpora.regions
resolve_reader(reader)
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
    list(read_source(reader, path, options))
except InputError as error:
    print(error)
"""


@pytest.mark.parametrize("reader", ["folder", "geowac", "lines", "table"])
@pytest.mark.parametrize("where", ["file", "folder"])
def test_no_permission(reader: str, where: str, tmp_path: Path) -> None:
    # pytest's own folders are closed to other users
    for parent in (tmp_path, *tmp_path.parents[:2]):
        parent.chmod(0o755)
    folder = tmp_path / "closed"
    folder.mkdir()
    path = folder / f"corpus{SUFFIXES[reader] or '.txt'}"
    path.write_text("text\nsome words\n")
    closed = path if where == "file" else folder
    closed.chmod(0)
    asked = folder if reader == "folder" else path
    try:
        done = subprocess.run(
            [sys.executable, "-c", NOBODY, reader, str(asked), where, *sys.path],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    finally:
        closed.chmod(0o755)
    if "Operation not permitted" in done.stderr and os.geteuid() == 0:
        pytest.skip("the user cannot be changed here")
    assert f"{asked}: no permission" in done.stdout or f"{path}: no permission" in done.stdout, done


def test_make_batch() -> None:
    batch = make_batch({"document": ["a", "b"], "text": ["x", "\ud800y"], "country": "NGA"})
    assert batch.schema.equals(schema())
    assert tuple(batch.schema.names) == COLUMNS
    assert batch.to_pylist()[1] == dict.fromkeys(COLUMNS, "") | {
        "document": "b", "text": "?y", "country": "NGA",
    }  # fmt: skip
    assert make_batch({"document": pa.array(["a"]), "text": pa.array(["x"])})["text"][0].as_py()


def test_report(caplog: pytest.LogCaptureFixture) -> None:
    report = Report()
    report.count("x", 0)
    report.count("x", 2)
    report.count("x", 3)
    assert report.counts == {("x", "document", ""): 5}
    with pytest.raises(InputError, match=r"a/b\.gz: is broken; .*documents\.damaged: keep"):
        report.damage(Path("a/b.gz"), "is broken", Limits())
    report.damage(Path("a/b.gz"), "is broken", Limits(damaged="keep"))
    assert report.counts["damaged", "file", "b.gz: is broken"] == 1
    assert "a/b.gz: is broken; what is whole is kept" in caplog.text


def test_a_report_has_few_rules() -> None:
    report = Report()
    for i in range(30):
        report.damage(Path(f"{i}.gz"), "is broken", Limits(damaged="keep"))
        report.count("damaged", unit="file", rule="0.gz: is broken")
    report.count("other", rule="own")
    assert len(report.counts) == 22
    assert report.counts["damaged", "file", "0.gz: is broken"] == 31
    assert report.counts["damaged", "file", "19.gz: is broken"] == 1
    assert report.counts["damaged", "file", "others"] == 10
    assert report.counts["other", "document", "own"] == 1


@pytest.mark.parametrize("reader", ["folder", "geowac", "lines"])
def test_a_date_for_all_documents(reader: str, tmp_path: Path) -> None:
    path = tmp_path / "corpus.NG.txt"
    path.write_text("some words\n")
    asked = tmp_path if reader == "folder" else path
    for value, expected in ((date(2017, 2, 7), "2017-02-07"), (2017, "2017"), ("2017/2", "2017")):
        (batch,) = read_source(reader, asked, {"date": value})
        assert batch["date"].to_pylist() == [expected]
    message = f"reader {reader}: option date: '07.02.2017' cannot be read; write 2017-02-07, or"
    with pytest.raises(InputError, match=message):
        read_source(reader, asked, {"date": "07.02.2017"})


@pytest.mark.parametrize(
    ("fmt", "good"),
    [("%d.%m.%Y", True), ("%Y", True), ("100%% %Y", True), ("dd.mm.yyyy", False), ("%Q", False),
     ("%%d", False), ("%d.%", False), ("%-d.%m", False)],
)  # fmt: skip
def test_date_format(fmt: str, good: bool, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("some words\n")
    options = {"date_pattern": "(a)", "date_format": fmt}
    if good:
        assert read_source("folder", tmp_path, options)
        return
    with pytest.raises(InputError, match=r"reader folder: option date_format: .*'%d\.%m\.%Y'"):
        read_source("folder", tmp_path, options)


def test_decode() -> None:
    assert decode(b"\xef\xbb\xbfa") == ("a", False)
    assert decode(b"\x93a\x94") == ("\u201ca\u201d", True)
    assert decode(b"\x81\xe9") == ("\x81\u00e9", True)
    assert decode("a\u00e9".encode("utf-16")) == ("a\u00e9", False)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2017", "2017"),
        (" 2017-02-07 ", "2017-02-07"),
        ("2017/2/7", "2017-02-07"),
        ("2017.02.07", "2017-02-07"),
        ("2017-02-07T10:00:00Z", "2017-02-07"),
        ("2017-02-07 23:59:59.5+02:00", "2017-02-07"),
        ("20170207", "2017-02-07"),
        ("1486425600", "2017-02-07"),
        ("1486511999.0", "2017-02-07"),
        ("1486512000", "2017-02-08"),
        ("7 Feb 2017", "2017-02-07"),
        ("7 February 2017", "2017-02-07"),
        ("7th Sept. 2017", "2017-09-07"),
        ("February 7, 2017", "2017-02-07"),
        ("Feb 7 2017 10:00", "2017-02-07"),
        ("Tue, 07 Feb 2017 10:00:00 GMT", "2017-02-07"),
        ("Tuesday, February 7, 2017", "2017-02-07"),
        ("2017-02", "2017"),
        ("2017-13", ""),
        ("2017-02-30", ""),
        ("2017-02/07", ""),
        ("20171340", ""),
        ("02/07/2017", ""),
        ("13/02/2017", ""),
        ("31 Feb 2017", ""),
        ("7 Foo 2017", ""),
        ("soon", ""),
        ("", ""),
        ("12345", ""),
        ("2017-02-071", ""),
        ("2017-02-07" + " " * 90, "2017-02-07"),
        ("2017-02-07" + " " * 91, ""),
    ],
)
def test_parse_date(value: str, expected: str) -> None:
    assert parse_date(value) == expected


def test_parse_date_with_a_format() -> None:
    assert parse_date("02/07/2017", "%d/%m/%Y") == "2017-07-02"
    assert parse_date("02/07/2017", "%m/%d/%Y") == "2017-02-07"
    assert parse_date("2017-02-07", "%d/%m/%Y") == ""
    assert parse_date("02/2017", "%m/%Y") == "2017"
    assert parse_date("x", "%Q") == ""
    assert parse_date("2017/12/31") == "2017-12-31"
    assert parse_date("2017/13/31") == ""


def test_suggest_countries() -> None:
    assert suggest_countries("Nigera")[0] == "Nigeria"
    assert suggest_countries("Phillipines", 1) == ["Philippines"]
    assert suggest_countries("Untied States")[0] == "United States"
    assert suggest_countries("Germny") == ["Germany"]
    for name in ("Atlantis", "AFR", "EUR", "ASIA", "Africa", "Europe", "xqzw", "NGR", "UKK"):
        assert suggest_countries(name) == []
    # "nigera" begins like Niger, "russian" like Russia and like no other
    assert resolve_country("Nigera") == ""
    assert resolve_country("Russian") == "RUS"
    codes = ["GB", "uk", "GR", "EL", "NG", "NA"]
    assert [resolve_country(code) for code in codes] == ["GBR"] * 2 + ["GRC"] * 2 + ["NGA", "NAM"]
    with pytest.raises(InputError, match=r"'Nigera' is unknown; .*; nearest: Nigeria"):
        resolve_regions([{"name": "x", "countries": ["Nigera"]}])


def test_patterns() -> None:
    pattern = check_pattern("r", {"p": r"(\d)(?P<country>[A-Z]+)"}, "p", group="country")
    assert pattern_group(pattern, "1NG", "country") == "NG"
    assert pattern_group(pattern, "NG", "country") == ""
    assert pattern_group(None, "NG", "country") == ""
    for wrong, message in (("(", "not a regular expression"), ("a", "0 groups"), ("(a)(b)", "2 g")):
        with pytest.raises(InputError, match=f"option p: .*{message}"):
            check_pattern("r", {"p": wrong}, "p", group="country")
