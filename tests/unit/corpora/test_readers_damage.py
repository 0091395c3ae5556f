"""Files that break off, are corrupt or are made to fill the memory."""

from __future__ import annotations

import gzip
import json
import random
import re
import tracemalloc
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from reading import read_rows

from biasatlas.corpora.readers import read_source
from biasatlas.corpora.readers.batches import Limits
from biasatlas.errors import InputError

KEEP = Limits(damaged="keep")
# Twenty lines a part, and the last one of a part goes on in the next.
LINES = [f"line {i} of the text" for i in range(200)]
RAW = "\n".join(LINES).encode() + b"\n"
PARTS = [RAW[i : i + 400] for i in range(0, len(RAW), 400)]

Counts = Counter[tuple[str, str, str]]


def read(
    path: Path, limits: Limits = KEEP, reader: str = "lines", **options: Any
) -> tuple[list[tuple[str, str]], Counts]:
    rows, counts = read_rows(reader, path, options, limits)
    return [(row["document"], row["text"]) for row in rows], counts


def whole(raw: bytes) -> list[tuple[str, str]]:
    """Give what the reader of lines must give of a text that breaks off."""
    return [(f"x-{i}", line.decode()) for i, line in enumerate(raw.split(b"\n")[:-1], 1)]


def check(path: Path, raw: bytes, caplog: pytest.LogCaptureFixture) -> None:
    """Check both ways of a file of which `raw` can be had."""
    with pytest.raises(InputError, match=rf"{path.name}: cannot be read to its end.*damaged: keep"):
        read(path, Limits())
    assert not caplog.records
    for batch_mb in (0.0001, 1):
        rows, counts = read(path, Limits(damaged="keep", batch_mb=batch_mb))
        assert rows == whole(raw)
        cut = int(not raw.endswith(b"\n") and raw != b"")
        damaged = [key for key in counts if key[0] == "damaged"]
        assert len(damaged) == 1
        assert damaged[0][1] == "file"
        assert damaged[0][2].startswith(f"{path.name}: cannot be read to its end (")
        assert counts["dropped_damaged", "document", ""] == cut
        assert len([key for key in counts if counts[key]]) == 1 + cut
    messages = [record.getMessage() for record in caplog.records]
    assert len(messages) == 2
    assert all(message.startswith(f"{path}: cannot be read") for message in messages)


def stdlib(packed: bytes) -> bytes:
    """Unpack one member of gzip byte by byte with the standard library, up to its fault."""
    unpacker = zlib.decompressobj(31)
    raw = b""
    for i in range(len(packed)):
        try:
            raw += unpacker.decompress(packed[i : i + 1])
        except zlib.error:
            break
    return raw


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_truncated_gz(share: float, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    packed = gzip.compress(RAW)
    packed = packed[: int(len(packed) * share)]
    path = tmp_path / "x.txt.gz"
    path.write_bytes(packed)
    check(path, stdlib(packed), caplog)


@pytest.mark.parametrize("seed", range(6))
def test_corrupt_gz_in_the_middle(
    seed: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rng = random.Random(seed)
    lines = [f"{rng.getrandbits(200):x}" for _ in range(6000)]
    packed = bytearray(gzip.compress("\n".join(lines).encode(), compresslevel=6))
    at = len(packed) // 2
    packed[at : at + 40] = rng.randbytes(40)
    path = tmp_path / "x.txt.gz"
    path.write_bytes(packed)
    expected = stdlib(bytes(packed)).decode("latin-1")
    with pytest.raises(InputError, match="cannot be read to its end"):
        read(path, Limits())
    rows, counts = read(path)
    # what is undamaged is there, line by line
    good = min(len(rows), expected[: len(expected) // 3].count("\n"))
    assert good > 1000
    assert [text for _, text in rows[:good]] == lines[:good]
    assert sum(n for key, n in counts.items() if key[0] == "damaged") == 1


@pytest.mark.parametrize("fault", [0, 1, 7])
def test_members_of_gz_up_to_a_fault(
    fault: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    members = [gzip.compress(part) for part in PARTS]
    members[fault] = b"\x1f\x8b\xff" + members[fault][3:]
    path = tmp_path / "x.txt.gz"
    path.write_bytes(b"".join(members))
    check(path, b"".join(PARTS[:fault]), caplog)


def test_wrong_check_sum_and_garbage_behind(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "x.txt.gz"
    packed = bytearray(gzip.compress(RAW))
    packed[-8] ^= 1
    path.write_bytes(packed)
    check(path, RAW, caplog)
    caplog.clear()
    path.write_bytes(gzip.compress(RAW) + b"garbage that is no gzip")
    check(path, RAW, caplog)


@pytest.mark.parametrize("name", ["x.txt.gz", "x.txt.zst"])
def test_not_packed_at_all(name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / name
    reason = f"{name}: is not {'gzip' if name.endswith('gz') else 'Zstandard'} (plain text?)"
    for raw in (RAW, b"a\n"):
        path.write_bytes(raw)
        with pytest.raises(InputError, match=re.escape(reason)) as caught:
            read(path, Limits())
        assert "truncated" not in str(caught.value)
        assert read(path) == ([], {("damaged", "file", reason): 1})
    assert reason in caplog.text


@pytest.mark.parametrize("fault", [0, 1, 7])
@pytest.mark.parametrize(
    "harm",
    [lambda f: b"\x28\xb5\x2f\xfd\xff" + f[5:], lambda f: f[:-2] + bytes([f[-2] ^ 1, f[-1]])],
)
def test_frames_of_zst_up_to_a_fault(
    harm: Callable[[bytes], bytes],
    fault: int,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    packer = zstandard.ZstdCompressor(write_checksum=True)
    frames = [packer.compress(part) for part in PARTS]
    frames[fault] = harm(frames[fault])
    path = tmp_path / "x.txt.zst"
    path.write_bytes(b"".join(frames))
    with pytest.raises(InputError, match="cannot be read to its end"):
        read(path, Limits())
    rows, counts = read(path)
    # a wrong check sum is seen when its frame's text has been given
    assert rows in (whole(b"".join(PARTS[:fault])), whole(b"".join(PARTS[: fault + 1])))
    assert sum(n for key, n in counts.items() if key[0] == "damaged") == 1
    assert "what is whole is kept" in caplog.text


@pytest.mark.parametrize("cut", [1, 9, 60])
def test_truncated_zst(cut: int, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    frames = b"".join(map(zstandard.compress, PARTS[:3]))
    path = tmp_path / "x.txt.zst"
    path.write_bytes(frames + zstandard.compress(PARTS[3])[:-cut])
    check(path, b"".join(PARTS[:3]), caplog)


@pytest.mark.parametrize("name", ["t.csv.gz", "t.jsonl.gz"])
def test_damaged_tables(name: str, tmp_path: Path) -> None:
    if "csv" in name:
        raw = "a,b\n" + "".join(f'{i},"text\n{i}"\n' for i in range(50))
        cuts = (
            raw.index("30,"),
            raw.index('"text\n30'),
            raw.index("30,") + 9,
            raw.index("30,") + 10,
        )
    else:
        raw = "".join(json.dumps({"b": f"text\n{i}"}) + "\n" for i in range(50))
        start = raw.index("30") - len('{"b": "text\\n')
        cuts = (start, start + 3, start + 16, start + 17)
    assert raw[: cuts[0]].endswith("\n")
    for cut, lost in zip(cuts, (0, 1, 1, 1), strict=True):
        path = tmp_path / name
        path.write_bytes(gzip.compress(raw[:cut].encode())[:-4])
        with pytest.raises(InputError, match="cannot be read to its end"):
            read(path, Limits(), "table", text="b")
        rows, counts = read(path, KEEP, "table", text="b")
        assert [text for _, text in rows] == [f"text\n{i}" for i in range(30)]
        assert counts["dropped_damaged", "document", ""] == lost
        assert len([key for key in counts if counts[key]]) == 1 + bool(lost)


def test_damaged_parquet(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "t.parquet"
    table = pa.table({"a": [f"text number {i}" for i in range(100)]})
    pq.write_table(table, path, row_group_size=20, write_page_checksum=True, compression="none")
    raw = bytearray(path.read_bytes())
    at = raw.index(b"text number 45")
    raw[at] ^= 1
    path.write_bytes(raw)
    with pytest.raises(InputError, match=r"t\.parquet: cannot be read beyond row 40 "):
        read(path, Limits(batch_mb=0.0001), "table", text="a")
    rows, counts = read(path, Limits(damaged="keep", batch_mb=0.0001), "table", text="a")
    assert [text for _, text in rows] == [f"text number {i}" for i in range(40)]
    assert counts["dropped_damaged", "document", ""] == 60
    assert "cannot be read beyond row 40" in caplog.text


def test_limits_of_parquet(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    texts = ["a" * 1000, "b" * 1001, "c", *["d" * 900] * 50]
    pq.write_table(pa.table({"a": texts}), path, row_group_size=10)
    rows, counts = read(path, Limits(max_document_mb=0.001, batch_mb=0.001), "table", text="a")
    assert [name for name, _ in rows] == ["t-1", *(f"t-{i}" for i in range(3, 54))]
    assert counts == {("dropped_too_long", "document", ""): 1}
    with pytest.raises(InputError, match=r"documents\.max_unpacked_gb"):
        read(path, Limits(max_unpacked_gb=0.00001), "table", text="a")


@pytest.mark.parametrize("column", ["text", "title"])
@pytest.mark.parametrize("typed", [True, False])
def test_a_long_text_that_parquet_holds_once(column: str, typed: bool, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    n = 1500
    long = pa.DictionaryArray.from_arrays(pa.array([0] * n, pa.int32()), pa.array(["ab " * 33_333]))
    other = "title" if column == "text" else "text"
    table = pa.table({column: long, other: [str(i) for i in range(n)]})
    pq.write_table(table, path, store_schema=typed)
    assert path.stat().st_size < 100_000
    usual = pa.default_memory_pool()
    pool = pa.proxy_memory_pool(usual)
    seen: list[int] = []
    texts: list[str] = []

    def take() -> None:
        options = {"text": "text", "title": "title"}
        for batch in read_source("table", path, options, limits=Limits(batch_mb=1)):
            seen.append(batch.nbytes)
            texts.extend(batch[other].to_pylist())

    pa.set_memory_pool(pool)
    try:
        peak = peak_mb(take)
    finally:
        pa.set_memory_pool(usual)
    assert texts == [str(i) for i in range(n)]
    assert max(seen) < 10_000_000
    assert pool.max_memory() + 1e6 * peak < 60_000_000
    with pytest.raises(InputError, match=r"unpacks to more than 0\.1 GB"):
        read(path, Limits(max_unpacked_gb=0.1), "table", text=column)


@pytest.mark.parametrize("error", [MemoryError(), pa.ArrowMemoryError("malloc of size 9 failed")])
def test_parquet_without_memory(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": ["x"]}), path)

    def fail(*_: Any, **__: Any) -> Iterator[pa.RecordBatch]:
        raise error

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", fail)
    for limits in (Limits(), KEEP):
        with pytest.raises(InputError, match=r"t\.parquet: the rows behind row 0 need more memory"):
            read(path, limits, "table", text="a")


def test_a_fault_in_parquet_takes_no_row_of_the_group_before(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    table = pa.table({"a": [f"text number {i}" for i in range(30)]})
    pq.write_table(table, path, row_group_size=10, write_page_checksum=True, compression="none")
    raw = bytearray(path.read_bytes())
    raw[raw.index(b"text number 25")] ^= 1
    path.write_bytes(raw)
    rows, counts = read(path, KEEP, "table", text="a")
    assert [text for _, text in rows] == [f"text number {i}" for i in range(20)]
    assert counts["dropped_damaged", "document", ""] == 10


def peak_mb(work: Callable[[], object]) -> float:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("reader", ["lines", "table"])
def test_a_line_of_100_mb(reader: str, tmp_path: Path) -> None:
    megabyte = gzip.compress(b"x" * 1_000_000)
    first, last = ("one\n", "\ntwo\n") if reader == "lines" else ("a\none\n", "\ntwo\n")
    name = "x.txt.gz" if reader == "lines" else "x.csv.gz"
    path = tmp_path / name
    path.write_bytes(gzip.compress(first.encode()) + megabyte * 100 + gzip.compress(last.encode()))
    limits = Limits(max_document_mb=1, batch_mb=1)
    options = {} if reader == "lines" else {"text": "a"}
    found: list[Any] = []
    peak = peak_mb(lambda: found.extend(read(path, limits, reader, **options)))
    rows, counts = found
    assert [text for _, text in rows] == ["one", "two"]
    assert [name for name, _ in rows] == ["x-1", "x-3"]
    assert counts == {("dropped_too_long", "document", ""): 1}
    assert peak < 25


def test_memory_is_flat(tmp_path: Path) -> None:
    path = tmp_path / "x.txt.gz"
    path.write_bytes(gzip.compress(b"some words of a line\n" * 50_000) * 40)
    n = 0

    def count() -> None:
        nonlocal n
        for batch in read_source("lines", path, limits=Limits(batch_mb=1)):
            n += len(batch)

    assert peak_mb(count) < 20
    assert n == 2_000_000


@pytest.mark.parametrize("name", ["x.txt.gz", "x.txt.zst"])
def test_bomb(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if name.endswith("gz"):
        path.write_bytes(gzip.compress(b"\0" * 1_000_000) * 200)
    else:
        path.write_bytes(zstandard.compress(b"\0" * 200_000_000))
    assert path.stat().st_size < 300_000
    limits = Limits(max_unpacked_gb=0.05, batch_mb=1)

    def refuse() -> None:
        with pytest.raises(InputError, match=rf"{name}: unpacks to more than 0\.05 GB"):
            read(path, limits)

    assert peak_mb(refuse) < 100
