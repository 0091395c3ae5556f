"""The reader of news articles."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path
from typing import Any

import pytest
from reading import read_rows

from biasatlas.corpora.readers import read_source
from biasatlas.corpora.readers.batches import COLUMNS, Limits
from biasatlas.corpora.readers.news import outlet_of
from biasatlas.errors import InputError

DATA = Path(__file__).parents[2] / "data" / "corpora"
CSV = (DATA / "news_tiny.csv").read_bytes()


def news_zip(tmp_path: Path, members: dict[str, bytes] | None = None) -> Path:
    path = tmp_path / "NewsArticles.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, raw in (members or {"NewsArticles.csv": CSV}).items():
            archive.writestr(zipfile.ZipInfo(name), raw)
    return path


def read(
    path: Path, options: dict[str, Any] | None = None, limits: Limits | None = None
) -> tuple[list[dict[str, str]], dict[tuple[str, str], int]]:
    rows, counts = read_rows("news", path, options, limits)
    return rows, {(item, unit): n for (item, unit, _), n in counts.items()}


def check(rows: list[dict[str, str]], counts: dict[tuple[str, str], int]) -> None:
    assert tuple(rows[0]) == COLUMNS
    assert [row["document"] for row in rows] == ["news-1", "news-2", "news-3", "news-4"]
    assert [row["date"] for row in rows] == ["2017-02-07", "", "2017-03-01", "2017-03-02"]
    assert [row["source"] for row in rows] == ["ABC News", "Al Jazeera", "RTE", "BBC"]
    assert [row["outlet_country"] for row in rows] == ["USA", "QAT", "IRL", "GBR"]
    assert 'an impasse," Sen. Smith' in rows[0]["text"]
    assert rows[3]["text"] == ""
    assert counts == {("repaired_quotes", "document"): 2}


def test_zip_folder_and_csv(tmp_path: Path) -> None:
    check(*read(news_zip(tmp_path)))
    assert [file.name for file in tmp_path.iterdir()] == ["NewsArticles.zip"]
    (tmp_path / "folder").mkdir()
    plain, packed = tmp_path / "folder" / "news.csv", tmp_path / "news.csv.gz"
    plain.write_bytes(b"\xef\xbb\xbf" + CSV)
    packed.write_bytes(gzip.compress(CSV))
    for path in (plain.parent, plain, packed):
        check(*read(path))


def test_size_of_batches_changes_nothing(tmp_path: Path) -> None:
    path = news_zip(tmp_path)
    limits = Limits(batch_mb=1e-6)
    assert read(path, limits=limits) == read(path)
    assert len(list(read_source("news", path, limits=limits))) == 3
    assert read(path, {"name": "x"})[0][0]["document"] == "x-1"


def test_too_long_and_not_utf8(tmp_path: Path) -> None:
    rows = b"5,2017/1/1,http://rte.ie/a,T,,caf\xe9\n6,2017/1/1,http://rte.ie/a,T,," + b"x" * 2000
    path = news_zip(tmp_path, {"a/News.CSV": CSV.rstrip() + b"\n" + rows + b"\n"})
    found, counts = read(path, limits=Limits(max_document_mb=0.001))
    assert [row["document"] for row in found] == ["news-1", "news-2", "news-3", "news-4", "news-5"]
    assert found[4]["text"] == "caf\u00e9"
    assert counts["dropped_too_long", "document"] == 1
    assert counts["decoded_by_fallback", "document"] == 1


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (
            {"a.csv": CSV, "b.csv": CSV},
            r"must hold exactly one \.csv file that can be read, found 2",
        ),
        ({"a.txt": CSV}, r"must hold exactly one \.csv file that can be read, found 0"),
        ({"../a.csv": CSV}, r"must hold exactly one \.csv file that can be read, found 0"),
        ({"a.csv": b" \n"}, "holds no text"),
        ({"a.csv": b"id,body\n1,a\n"}, r"no column article_id.*it has id, body"),
        ({"a.csv": CSV + b"1,2,3,4,5,6,7,8\n"}, "is not a readable table"),
    ],
)
def test_bad_content(tmp_path: Path, members: dict[str, bytes], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(news_zip(tmp_path, members))


def test_archive_of_a_mac(tmp_path: Path) -> None:
    check(*read(news_zip(tmp_path, {"__MACOSX/._a.csv": b"\0\5", "a.csv": CSV})))


def test_damage(tmp_path: Path) -> None:
    path = news_zip(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    with pytest.raises(InputError, match=r"NewsArticles.zip: cannot be read to its end"):
        read(path)
    rows, counts = read(path, limits=Limits(damaged="keep"))
    assert counts.pop(("damaged", "file")) == 1
    check(rows, counts)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="must hold exactly one"):
        read(path, limits=Limits(damaged="keep"))
    path.write_bytes(whole.replace(b"impasse", b"impassE"))
    with pytest.raises(InputError, match=r"NewsArticles\.csv cannot be unpacked \(Bad CRC-32"):
        read(path)
    with pytest.raises(InputError, match="option 'colour' is unknown"):
        read(path, {"colour": "red"})


def test_outlets() -> None:
    assert outlet_of("http://www.example.org/x") == ("example.org", "")
    assert outlet_of("") == ("unknown", "")
    assert outlet_of("http://[x") == ("unknown", "")
