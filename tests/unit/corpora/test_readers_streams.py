"""Blocks and lines of files, and the reader of lines."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reading import read_rows

from biasatlas.corpora.readers import read_source
from biasatlas.corpora.readers.batches import Limits, Report
from biasatlas.corpora.readers.streams import iter_blocks, iter_lines
from biasatlas.errors import InputError

DATA = Path(__file__).parents[2] / "data" / "corpora"


def pack(raw: bytes, ending: str) -> bytes:
    if ending == ".gz":
        return gzip.compress(raw)
    return zstandard.compress(raw) if ending == ".zst" else raw


def lines_of(path: Path, limits: Limits | None = None) -> tuple[list[tuple[int, str]], Report]:
    report = Report()
    found: list[tuple[int, str]] = []
    for block in iter_lines(path, limits or Limits(), report):
        found += enumerate(block.texts.to_pylist(), block.first)
    return found, report


def read(path: Path, limits: Limits | None = None) -> tuple[dict[str, str], dict[str, int]]:
    """Give {id: text} and the counts of the reader of lines."""
    rows, counts = read_rows("lines", path, {"name": "x"}, limits)
    found = {row["document"]: row["text"] for row in rows}
    return found, {item: n for (item, _, _), n in counts.items()}


@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
def test_lines(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"lines.txt{ending}"
    path.write_bytes(pack((DATA / "lines_tiny.txt").read_bytes(), ending))
    options = {"name": "abc", "source": "ABC", "outlet_country": "AU", "date": "2017"}
    (batch,) = read_source("lines", path, options)
    rows = batch.to_pylist()
    assert [row["document"] for row in rows] == ["abc-1", "abc-3"]
    assert {row["outlet_country"] for row in rows} == {"AUS"}
    assert {row["source"] for row in rows} == {"ABC"}
    assert {row["date"] for row in rows} == {"2017"}


def test_lines_without_options(tmp_path: Path) -> None:
    path = tmp_path / "file.v1.txt"
    path.write_text("a\n")
    (batch,) = read_source("lines", path)
    assert batch.to_pylist()[0] == {
        "document": "file-1", "title": "", "text": "a", "country": "", "region": "",
        "source": "file", "outlet_country": "", "date": "",
    }  # fmt: skip
    with pytest.raises(InputError, match=r"option country: country 'Nigera' is unknown.*Nigeria"):
        read_source("lines", path, {"country": "Nigera"})


def test_line_ends_and_numbers(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"one\r\n\r\n  \ntwo\rstill two\n\n\nthree \t\n\x00four\x00\nfive")
    found, counts = read(path)
    assert found == {
        "x-1": "one", "x-4": "two\rstill two", "x-7": "three", "x-8": "\x00four\x00", "x-9": "five",
    }  # fmt: skip
    assert counts == {}


def test_space_that_is_not_ascii(tmp_path: Path) -> None:
    spaces = "\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000"
    for space in spaces:
        path = tmp_path / "x.txt"
        path.write_text(f"ab{space}\n{space}b{space}c\n{space}\nd", encoding="utf-8", newline="")
        assert read(path)[0] == {"x-1": "ab", "x-2": f"b{space}c", "x-4": "d"}, ascii(space)
    # edges that share bytes with such space
    path.write_text("\u201cquoted\u201d\n\u3042\u00bf\u2026", encoding="utf-8")
    assert read(path)[0] == {"x-1": "\u201cquoted\u201d", "x-2": "\u3042\u00bf\u2026"}


def test_mixed_encodings(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"caf\xe9 na\xefve\n" + "caf\u00e9".encode() + b"\n\x93q\x94\nplain\n")
    found, counts = read(path)
    assert found == {
        "x-1": "caf\u00e9 na\u00efve", "x-2": "caf\u00e9", "x-3": "\u201cq\u201d", "x-4": "plain",
    }  # fmt: skip
    assert counts == {"decoded_by_fallback": 2}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("batch_mb", [1e-6, 3e-6, 16])
def test_byte_order_marks(encoding: str, batch_mb: float, tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    mark = "\ufeff" if encoding[-2:] in ("le", "be") else ""
    path.write_bytes(f"{mark}\u00e9\u0a0a \U0001f600\r\n\u010a b\n".encode(encoding))
    found, counts = read(path, Limits(batch_mb=batch_mb))
    assert found == {"x-1": "\u00e9\u0a0a \U0001f600", "x-2": "\u010a b"}
    assert counts == {}


@pytest.mark.parametrize("raw", [b"\n", b" \n\t\r\n", b"\xef\xbb\xbf"])
def test_no_text(raw: bytes, tmp_path: Path) -> None:
    for ending in ("", ".gz", ".zst"):
        path = tmp_path / f"x.txt{ending}"
        path.write_bytes(pack(raw, ending))
        with pytest.raises(InputError, match=rf"x\.txt{ending}: holds no text"):
            read(path)


@pytest.mark.parametrize("batch_mb", [0.00001, 0.0001, 1])
def test_too_long(batch_mb: float, tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    limits = Limits(max_document_mb=0.0001, batch_mb=batch_mb)
    lines = ["a", "b" * 100, "c" * 101, "d" * 100, "e" * 1000, "f" * 5000, "", "g", "h" * 500]
    path.write_text("\n".join(lines))
    found, counts = read(path, limits)
    assert found == {"x-1": "a", "x-2": "b" * 100, "x-4": "d" * 100, "x-8": "g"}
    assert counts == {"dropped_too_long": 4}
    path.write_text("\n".join(lines[4:6]))
    assert read(path, limits) == ({}, {"dropped_too_long": 2})


@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
def test_too_much(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.txt{ending}"
    path.write_bytes(pack(b"word\n" * 20_000, ending))
    match = rf"x\.txt{ending}: unpacks to more than 9e-05 GB; .*documents\.max_unpacked_gb"
    with pytest.raises(InputError, match=match):
        read(path, Limits(max_unpacked_gb=0.00009))
    assert len(read(path, Limits(max_unpacked_gb=0.0001))[0]) == 20_000


def test_members_and_frames(tmp_path: Path) -> None:
    parts = [b"one\ntw", b"", b"o\nthree\n", b"four"]
    expected = {"x-1": "one", "x-2": "two", "x-3": "three", "x-4": "four"}
    path = tmp_path / "x.txt.gz"
    path.write_bytes(b"".join(map(gzip.compress, parts)) + b"\0" * 512)
    assert read(path) == (expected, {})
    path = tmp_path / "x.txt.zst"
    # a frame to be skipped, and one that does not tell its length
    skipped = b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc"
    unsized = zstandard.ZstdCompressor().compressobj()
    last = unsized.compress(parts[-1]) + unsized.flush()
    path.write_bytes(skipped + b"".join(map(zstandard.compress, parts[:-1])) + skipped + last)
    assert read(path) == (expected, {})


def test_large_window(tmp_path: Path) -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=31)
    packer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    path = tmp_path / "x.txt.zst"
    path.write_bytes(packer.compress(b"a line\n") + packer.flush())
    assert read(path)[0] == {"x-1": "a line"}


def test_folder_for_a_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder; give a file"):
        read_source("lines", tmp_path)


TEXT = st.lists(
    st.one_of(
        st.text(st.sampled_from("ab \t\r\u00e9\u3000\x00"), max_size=12),
        st.text("x", min_size=95, max_size=105),
    ),
    min_size=1,
    max_size=20,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TEXT, st.sampled_from(["", ".gz", ".zst"]), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_the_size_of_batches_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], ending: str, end: str, last: bool
) -> None:
    path = tmp_path_factory.mktemp("x") / f"x.txt{ending}"
    raw = end.join(lines) + (end if last else "")
    path.write_bytes(pack(raw.encode() or b" ", ending))
    expected: dict[str, str] = {}
    long = 0
    for number, line in enumerate(raw.split("\n"), 1):
        if len(line.encode()) > 100:
            long += 1
        elif line.strip():
            expected[f"x-{number}"] = line.strip()
    for batch_mb in (0.000001, 0.000007, 0.0001, 16):
        limits = Limits(batch_mb=batch_mb, max_document_mb=0.0001)
        if expected or long:
            found, counts = read(path, limits)
            assert found == expected
            assert counts == ({"dropped_too_long": long} if long else {})
        else:
            with pytest.raises(InputError, match="holds no text"):
                read(path, limits)


def test_blocks_are_of_their_size(tmp_path: Path) -> None:
    path = tmp_path / "x.gz"
    raw = bytes(range(256)) * 1000
    path.write_bytes(gzip.compress(raw))
    blocks = list(iter_blocks(path, Limits(batch_mb=0.001), Report()))
    assert b"".join(blocks) == raw
    assert len(blocks) > 200
    assert max(map(len, blocks)) < 2000


def test_lines_keep_their_ends(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"a\r\n\nb")
    assert lines_of(path)[0] == [(1, "a\r\n"), (2, "\n"), (3, "b")]
