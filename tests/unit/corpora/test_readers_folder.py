"""The reader of folders of text files."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest
import zstandard
from reading import read_rows

from biasatlas.corpora.readers.batches import Limits
from biasatlas.errors import InputError

Rows = list[dict[str, str]]


def read(
    path: Path, limits: Limits | None = None, **options: str
) -> tuple[Rows, Counter[tuple[str, str, str]]]:
    return read_rows("folder", path, options, limits)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "press"
    (root / "NG" / "deep").mkdir(parents=True)
    (root / "GH").mkdir()
    (root / "NG" / "2017-02-07_a.txt").write_text("one\n\nstill one\n")
    (root / "NG" / "deep" / "20180101_b.txt.gz").write_bytes(gzip.compress(b"caf\xe9"))
    (root / "GH" / "c.TXT.zst").write_bytes(zstandard.compress("\u00e9".encode("utf-16")))
    (root / "GH" / "empty.txt").write_bytes(b"")
    return root


def test_folder(folder: Path) -> None:
    for batch_mb in (0.000001, 0.00003, 16):
        rows, counts = read(folder, Limits(batch_mb=batch_mb), outlet_country="GB")
        assert [(row["document"], row["text"]) for row in rows] == [
            ("GH/c", "\u00e9"),
            ("GH/empty", ""),
            ("NG/2017-02-07_a", "one\n\nstill one\n"),
            ("NG/deep/20180101_b", "caf\u00e9"),
        ]
        assert counts == {("decoded_by_fallback", "document", ""): 1}
        assert {row["outlet_country"] for row in rows} == {"GBR"}
        assert {row["source"] for row in rows} == {"press"}
    assert read(folder, name="n")[0][0]["document"] == "n-GH/c"
    assert read(folder, name="n")[0][0]["source"] == "n"


def test_patterns(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    (folder / "Nigera").mkdir()
    (folder / "Nigera" / "d.txt").write_text("x")
    rows, counts = read(
        folder,
        country_pattern="^(?P<country>[A-Z][A-Za-z]+)/",
        region_pattern="^(N)",
        date_pattern=r"([\d-]{8,10})_",
    )
    assert [(row["country"], row["region"], row["date"]) for row in rows] == [
        ("GHA", "", ""), ("GHA", "", ""), ("NGA", "N", "2017-02-07"), ("NGA", "N", "2018-01-01"),
        ("", "N", ""),
    ]  # fmt: skip
    assert counts["region_pattern_finds_nothing", "document", ""] == 2
    assert counts["date_pattern_finds_nothing", "document", ""] == 3
    unknown = [key for key in counts if key[0] == "country_unknown"]
    assert [counts[key] for key in unknown] == [1]
    assert unknown[0][2].startswith("'Nigera': nearest: Nigeria")
    assert "date_pattern finds nothing in 3 file names, such as GH/c, GH/empty" in caplog.text


def test_what_is_passed_over(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "o.txt").write_text("secret")
    (folder / "link_out.txt").symlink_to(outside / "o.txt")
    (folder / "link_folder").symlink_to(outside)
    (folder / "NG" / "circle").symlink_to(folder)
    (folder / "broken.txt").symlink_to(folder / "nothing.txt")
    (folder / "inside.txt").symlink_to(folder / "NG" / "2017-02-07_a.txt")
    (folder / ".hidden.txt").write_text("x")
    (folder / ".git").mkdir()
    (folder / ".git" / "x.txt").write_text("x")
    (folder / "notes.pdf").write_text("x")
    rows, counts = read(folder)
    assert [row["document"] for row in rows] == [
        "GH/c", "GH/empty", "NG/2017-02-07_a", "NG/deep/20180101_b", "inside",
    ]  # fmt: skip
    assert "secret" not in {row["text"] for row in rows}
    del counts["decoded_by_fallback", "document", ""]
    assert counts == {
        ("skipped_link", "file", ""): 4,
        ("skipped_hidden", "file", ""): 2,
        ("skipped_other_ending", "file", ""): 1,
    }


def test_too_long_and_damaged(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    (folder / "long.txt.gz").write_bytes(gzip.compress(b"x" * 1001))
    (folder / "cut.txt.gz").write_bytes(gzip.compress(b"words " * 100)[:-9])
    with pytest.raises(InputError, match=r"cut\.txt\.gz: cannot be read to its end"):
        read(folder)
    rows, counts = read(folder, Limits(damaged="keep", max_document_mb=0.001))
    assert len(rows) == 4
    assert counts["dropped_too_long", "document", ""] == 1
    assert counts["dropped_damaged", "document", ""] == 1
    assert "cut.txt.gz: cannot be read to its end" in caplog.text


def test_bad_use(folder: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(InputError, match=r"empty: the folder holds no file ending in \.txt"):
        read(empty)
    with pytest.raises(InputError, match="is a file; reader folder takes a folder"):
        read(folder / "NG" / "2017-02-07_a.txt")
    with pytest.raises(InputError, match="give option date or date_pattern, not both"):
        read(folder, date="2017", date_pattern="(x)")
    with pytest.raises(InputError, match=r"option region_pattern: .* has 2 groups"):
        read(folder, region_pattern="(a)(b)")
    with pytest.raises(InputError, match="country 'Nigera' is unknown"):
        read(folder, country="Nigera")
