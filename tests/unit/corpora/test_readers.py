"""All readers: good files, and every way in which a file can be bad."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from biasatlas.corpora.readers import READERS, read_source
from biasatlas.corpora.readers.common import COLUMNS, decode
from biasatlas.corpora.readers.news import iso_date, outlet_of
from biasatlas.corpora.readers.ungdc import join_lines
from biasatlas.corpora.salutations import strip_salutations
from biasatlas.errors import InputError

DATA = Path(__file__).parents[2] / "data" / "corpora"
SPEECH = (DATA / "NGA_50_1995.txt").read_bytes()


def make_tar(path: Path, members: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz" if path.suffix == ".gz" else "w:xz") as archive:
        for name, raw in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(raw)
            archive.addfile(info, io.BytesIO(raw))
    return path


def news_zip(tmp_path: Path) -> Path:
    path = tmp_path / "NewsArticles.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(DATA / "news_tiny.csv", "NewsArticles.csv")
    return path


def test_unknown_reader() -> None:
    with pytest.raises(InputError, match="allowed: lines, news, table, ungdc"):
        read_source("pdf", "x")


@pytest.mark.parametrize("reader", sorted(READERS))
def test_missing_and_empty_file_and_bad_option(reader: str, tmp_path: Path) -> None:
    suffix = {"news": ".zip", "lines": ".txt", "table": ".csv", "ungdc": ".tar.gz"}[reader]
    path = tmp_path / f"corpus{suffix}"
    with pytest.raises(InputError, match=f"corpus{suffix}: file not found"):
        read_source(reader, path, {"text": "text"} if reader == "table" else {})
    path.write_bytes(b"")
    with pytest.raises(InputError, match="empty"):
        read_source(reader, path, {"text": "text"} if reader == "table" else {})
    with pytest.raises(InputError, match="option 'colour' is unknown"):
        read_source(reader, path, {"colour": 1})


def test_news(tmp_path: Path) -> None:
    frame, counts = read_source("news", news_zip(tmp_path), {})
    assert tuple(frame.columns) == COLUMNS
    assert frame["document"].to_list() == ["news-1", "news-2", "news-3", "news-4"]
    assert frame["date"].to_list() == ["2017-02-07", "", "2017-03-01", "2017-03-02"]
    assert frame["source"].to_list() == ["ABC News", "Al Jazeera", "RTE", "BBC"]
    assert frame["outlet_country"].to_list() == ["USA", "QAT", "IRL", "GBR"]
    assert 'an impasse," Sen. Smith' in frame["text"][0]
    assert frame["text"][3] == ""
    assert counts["read", "document"] == 4
    assert counts["repaired_quotes", "document"] == 2


def test_news_bad_files(tmp_path: Path) -> None:
    path = news_zip(tmp_path)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(InputError, match=r"NewsArticles.zip: cannot be read to its end"):
        read_source("news", path, {})
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("id,body\n1,a\n")
    with pytest.raises(InputError, match=r"no column article_id.*it has id, body"):
        read_source("news", wrong, {})


def test_outlets_and_dates() -> None:
    assert outlet_of("http://www.example.org/x") == ("example.org", "")
    assert outlet_of("") == ("unknown", "")
    assert iso_date("2017/12/31") == "2017-12-31"
    assert iso_date("2017/13/31") == ""


def test_lines_plain_and_gz(tmp_path: Path) -> None:
    options = {"name": "abc", "source": "ABC", "outlet_country": "AU"}
    frame, counts = read_source("lines", DATA / "lines_tiny.txt", options)
    assert frame["document"].to_list() == ["abc-1", "abc-3"]
    assert frame["outlet_country"].to_list() == ["AUS", "AUS"]
    assert counts["read", "document"] == 2
    packed = tmp_path / "lines.txt.gz"
    packed.write_bytes(gzip.compress((DATA / "lines_tiny.txt").read_bytes()))
    assert read_source("lines", packed, options)[0].equals(frame)
    packed.write_bytes(packed.read_bytes()[:-12])
    with pytest.raises(InputError, match=r"lines.txt.gz: cannot be read to its end"):
        read_source("lines", packed, options)


def test_lines_not_utf8_and_large(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"caf\xe9 na\xefve\n" + "caf\u00e9".encode() + b"\n" + b"word " * 200_000)
    frame, counts = read_source("lines", path, {})
    assert frame["text"][:2].to_list() == ["caf\u00e9 na\u00efve", "caf\u00e9"]
    assert counts["decoded_by_fallback", "document"] == 1
    assert len(frame["text"][2]) == 999_999


def test_decode() -> None:
    assert decode(b"\xef\xbb\xbfa") == ("a", False)
    assert decode(b"\x93a\x94") == ("\u201ca\u201d", True)
    assert decode(b"\x81\xe9") == ("\x81\u00e9", True)
    assert decode("a\u00e9".encode("utf-16")) == ("a\u00e9", False)


ROWS = [
    {"key": "a", "body": "Text one", "land": "NA", "when": "2020-01-02"},
    {"key": "b", "body": "Text two", "land": "Viet Nam", "when": "1999"},
    {"key": "c", "body": "", "land": "Atlantis", "when": "soon"},
]
OPTIONS = {"text": "body", "id": "key", "country": "land", "date": "when", "name": "t"}


FILES = ["t.csv", "t.tsv", "t.jsonl", "t.csv.gz", "t.jsonl.gz", "t.parquet"]


@pytest.mark.parametrize("name", FILES)
def test_table_formats(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    frame = pl.DataFrame(ROWS)
    if "parquet" in name:
        frame.write_parquet(path)
    else:
        if "jsonl" in name:
            raw = "\n".join(json.dumps(row) for row in ROWS).encode()
        else:
            raw = frame.write_csv(separator="\t" if "tsv" in name else ",").encode()
        path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    documents, counts = read_source("table", path, OPTIONS)
    assert documents["document"].to_list() == ["t-a", "t-b", "t-c"]
    assert documents["country"].to_list() == ["NAM", "VNM", ""]
    assert documents["date"].to_list() == ["2020-01-02", "1999", ""]
    assert counts["country_unknown", "document"] == 1
    assert counts["read", "document"] == 3


@pytest.mark.parametrize(
    ("name", "raw", "options", "message"),
    [
        ("t.csv", b"a,b\n1,2\n", {"text": "body"}, r"t.csv: no column 'body'.*it has a, b"),
        ("t.csv", b"a,b\n1,2\n", {}, "option text is required.*it has a, b"),
        ("t.csv", b"a,b\n1,2,3\n", {"text": "a"}, "not a readable table"),
        ("t.csv", b"a,i\n1,2\n3,2\n", {"text": "a", "id": "i"}, "'t-2' comes twice"),
        ("t.jsonl", b'{"a": 1}\n{oops\n[1]\n', {"text": "a"}, "2 problems"),
        ("t.jsonl", b'{"a": 1}\n{oops\n', {"text": "a"}, "line 2: is not JSON"),
        ("t.parquet", b"PAR1 oops", {"text": "a"}, "not a readable parquet"),
        ("t.xlsx", b"x", {"text": "a"}, "allowed: csv, tsv, jsonl, parquet"),
        ("t.csv.gz", gzip.compress(b"a\n1\n")[:-9], {"text": "a"}, "cannot be read to its end"),
        ("t.csv.gz", b"a\n1\n", {"text": "a"}, "cannot be read to its end"),
    ],
)
def test_table_bad(
    name: str, raw: bytes, options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(raw)
    with pytest.raises(InputError, match=message):
        read_source("table", tmp_path / name, options)


def test_table_lone_surrogate(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text('{"a": "x \\ud800 y"}\n')
    assert read_source("table", tmp_path / "t.jsonl", {"text": "a"})[0]["text"][0] == "x ? y"


MEMBERS = {
    "TXT/Session 50 - 1995/NGA_50_1995.txt": SPEECH,
    "TXT/Session 50 - 1995/._NGA_50_1995.txt": b"\x00\x05",
    "TXT/Session 45 - 1990/YUG_45_1990.txt": b"La paix \xe9ternelle est un but.",
    "TXT/Session 66 - 2011/EU_66_2011.txt": b"The Union speaks.",
    "TXT/README.txt": b"about",
    "../../USA_50_1995.txt": b"evil",
}


def check_speeches(frame: pl.DataFrame, counts: dict[tuple[str, str], int]) -> None:
    assert frame["document"].to_list() == ["EU_66_2011", "NGA_50_1995", "YUG_45_1990"]
    assert frame["country"].to_list() == ["", "NGA", "SRB"]
    assert frame["date"].to_list() == ["2011", "1995", "1990"]
    assert frame["text"][1].startswith("Women farmers carry the burden of the self-determination")
    assert "the government must hear them, before it plans anything" in frame["text"][1]
    assert frame["text"][2] == "La paix \u00e9ternelle est un but."
    assert counts["read", "document"] == 3
    assert counts["decoded_by_fallback", "document"] == 1
    assert counts["with_salutation", "document"] == 1
    # 16 + 6 words of two sentences, and "Sir,"
    assert counts["dropped_salutation", "word"] == 23


@pytest.mark.parametrize("name", ["u.tar.gz", "u.tar.xz"])
def test_ungdc_tar(name: str, tmp_path: Path) -> None:
    frame, counts = read_source("ungdc", make_tar(tmp_path / name, MEMBERS), {})
    check_speeches(frame, counts)
    assert counts["skipped_not_a_speech", "document"] == 2
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_ungdc_folder_and_zip(tmp_path: Path) -> None:
    inside = {name: raw for name, raw in MEMBERS.items() if ".." not in name}
    folder = tmp_path / "corpus"
    path = tmp_path / "u.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, raw in inside.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(raw)
            archive.writestr(name, raw)
    check_speeches(*read_source("ungdc", folder, {}))
    check_speeches(*read_source("ungdc", path, {}))


@pytest.mark.parametrize("name", ["u.tar.gz", "u.tar.xz"])
def test_ungdc_truncated(name: str, tmp_path: Path) -> None:
    path = make_tar(tmp_path / name, MEMBERS)
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 3 // 4])
    with pytest.raises(InputError, match=rf"{name}: cannot be read to its end"):
        read_source("ungdc", path, {})


def test_ungdc_without_speech_or_twice(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no speech named like"):
        read_source("ungdc", make_tar(tmp_path / "a.tar.gz", {"x.txt": b"a"}), {})
    twice = make_tar(tmp_path / "b.tar.gz", {"a/NGA_50_1995.txt": b"a", "b/NGA_50_1995.txt": b"b"})
    with pytest.raises(InputError, match=r"NGA_50_1995\.txt comes twice"):
        read_source("ungdc", twice, {})


def test_join_lines() -> None:
    assert join_lines("one\ntwo\r\nthree\n\nfour") == "one two three\n\nfour"
    assert join_lines("there-\nfore the super-\nPowers, self-\nrule") == (
        "therefore the super-Powers, self-rule"
    )
    assert join_lines("there\u00acfore") == "therefore"


def test_salutations() -> None:
    speech = (
        "I congratulate Mr. Smith on his election. His qualities are known. I thank the "
        "Secretary-General for his efforts. Peace is not the absence of war. He who sows reaps."
    )
    text, n = strip_salutations(speech)
    assert text == "Peace is not the absence of war. He who sows reaps."
    assert n == 3
    later = "Peace is near. " * 20 + "We congratulate the people of Namibia."
    assert strip_salutations(later) == (later, 0)
    assert strip_salutations("") == ("", 0)
