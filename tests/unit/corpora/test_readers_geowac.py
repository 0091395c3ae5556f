"""The reader of GeoWAC."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
import zstandard
from reading import read_rows

from biasatlas.corpora.readers import read_source
from biasatlas.corpora.readers.batches import Report
from biasatlas.corpora.readers.geowac import find_countries
from biasatlas.errors import InputError


def read(path: Path, **options: str) -> list[tuple[str, str, str]]:
    rows, _ = read_rows("geowac", path, options)
    return [(row["document"], row["text"], row["country"]) for row in rows]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("english NG", ["NGA"]),
        ("eng NGA", ["NGA"]),
        ("eng GB", ["GBR"]),
        ("nigeria web", ["NGA"]),
        ("web us in nz", []),
        ("US", ["USA"]),
        ("English South Africa", ["ZAF"]),
        ("papua new guinea", ["PNG"]),
        ("Guinea Bissau", ["GNB"]),
        ("Nigeria NG", ["NGA"]),
        ("NG GH", ["NGA", "GHA"]),
        ("NG web Ghana", ["NGA", "GHA"]),
        ("russian", []),
        ("indian Indonesian", []),
        ("Turkey", ["TUR"]),
        ("GeoWAC", []),
    ],
)
def test_find_countries(name: str, expected: list[str]) -> None:
    assert find_countries(name.split()) == expected


def test_one_file(tmp_path: Path) -> None:
    path = tmp_path / "english.NG.2.txt.gz"
    path.write_bytes(gzip.compress(b"first sample\n\nthird\n"))
    assert read(path) == [
        ("english.NG.2-1", "first sample", "NGA"), ("english.NG.2-3", "third", "NGA"),
    ]  # fmt: skip
    assert read(path, name="g")[0][0] == "g-english.NG.2-1"
    assert read(path, country="Ghana")[0][2] == "GHA"
    (batch,) = read_source("geowac", path, {"date": "2019"})
    assert batch["source"][0].as_py() == "GeoWAC"
    assert batch["date"][0].as_py() == "2019"


def test_folder(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "a").mkdir()
    (tmp_path / "b" / "eng_GH.txt").write_text("ghana\n")
    (tmp_path / "a" / "eng_GH.txt").write_text("ghana too\n")
    (tmp_path / "eng_NG.gz").write_bytes(gzip.compress(b"nigeria\n"))
    (tmp_path / "eng_KE.txt.zst").write_bytes(zstandard.compress(b"kenya\n"))
    (tmp_path / ".hidden").write_text("x")
    report = Report()
    rows = [
        (row["document"], row["text"], row["country"])
        for batch in read_source("geowac", tmp_path, report=report)
        for row in batch.to_pylist()
    ]
    assert rows == [
        ("a/eng_GH.txt-1", "ghana too", "GHA"),
        ("b/eng_GH.txt-1", "ghana", "GHA"),
        ("eng_KE-1", "kenya", "KEN"),
        ("eng_NG-1", "nigeria", "NGA"),
    ]
    assert report.counts == {("skipped_hidden", "file", ""): 1}


def test_pattern(tmp_path: Path) -> None:
    path = tmp_path / "ES_in_mx.txt"
    path.write_text("hola\n")
    assert read(path, country_pattern=r"_([a-z]{2})\.")[0][2] == "MEX"
    assert read(path, country_pattern=r"(ES).*_(?P<country>..)\.")[0][2] == "MEX"
    with pytest.raises(InputError, match=r"country_pattern '\(q\)' finds nothing in the name"):
        read(path, country_pattern="(q)")
    with pytest.raises(InputError, match=r"ES_in_mx\.txt: country 'ES_in' is unknown"):
        read(path, country_pattern=r"^(.*)_")
    with pytest.raises(InputError, match="is not a regular expression"):
        read(path, country_pattern="(")


def test_one_country_for_a_folder(tmp_path: Path) -> None:
    for name in ("english_a.txt", "eng_NG.txt"):
        (tmp_path / name).write_text("x\n")
    assert [row[2] for row in read(tmp_path, country="Ghana")] == ["GHA", "GHA"]


def test_names_that_tell_no_country(tmp_path: Path) -> None:
    (tmp_path / "eng_NG_GH.txt").write_text("x")
    (tmp_path / "english.txt.gz").write_text("x")
    with pytest.raises(InputError) as caught:
        read(tmp_path)
    two, none = caught.value.problems
    assert "eng_NG_GH.txt: more than one part of the name is a country (eng, NG, GH; NGA and" in two
    assert "english.txt.gz: no part of the name is a country (english); " in none
    assert "such as country_pattern: '_([A-Z]{2})_'" in none
    assert "codes must be in capitals" in none
    assert "or give option country" in none


def test_bad_use(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the folder holds no file"):
        read(tmp_path)
    (tmp_path / "eng_NG.txt").write_text("x")
    with pytest.raises(InputError, match="give option country or country_pattern, not both"):
        read(tmp_path, country="Ghana", country_pattern="_(..)")
    with pytest.raises(InputError, match=r"reader geowac: option date: 'soon' cannot be read"):
        read(tmp_path, date="soon")
    with pytest.raises(InputError, match=r"country 'Nigera' is unknown.*nearest: Nigeria"):
        read(tmp_path / "eng_NG.txt", country="Nigera")
    (tmp_path / "eng_GH.txt").write_text("")
    with pytest.raises(InputError, match=r"eng_GH\.txt: the file is empty"):
        read(tmp_path)
