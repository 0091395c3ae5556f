"""Folders of archives and files packed by gzip, from a server on the loopback address."""

from __future__ import annotations

import gzip
import io
import random
import tarfile
import warnings
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biasatlas.assets.asset import Asset, WebSource
from biasatlas.assets.fetch import AssetError, fetch
from biasatlas.assets.place import destination
from biasatlas.assets.sources import archive as archives
from biasatlas.assets.sources import gunzip
from biasatlas.assets.sources.attempt import SourceError
from biasatlas.assets.sources.gunzip import GunzipWriter

from .conftest import make_asset, only, reason, sha256

Members = list[tuple[str, bytes | str]]
GOOD: Members = [
    ("top/README.md", b"outside"),
    ("top/data/a.json", b"a"),
    ("top/data/ar_all/weat1.json", b"b"),
    ("top/database/c.json", b"a folder whose name begins alike"),
]


def make_tar(members: Members) -> bytes:
    """Archive as GitHub makes it; a text instead of bytes is what a link points to."""
    buffer = io.BytesIO()
    head = {"comment": "45d32351c44d7e3efa5d626d54f53816b6c2f5db"}
    with tarfile.open(fileobj=buffer, mode="w:gz", pax_headers=head) as tar:
        for name, content in members:
            info = tarfile.TarInfo(name)
            if name.endswith("/"):
                info.type = tarfile.DIRTYPE
                tar.addfile(info)
            elif isinstance(content, str):
                info.type, info.linkname = tarfile.SYMTYPE, content
                tar.addfile(info)
            else:
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def make_zip(members: Members) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, content in members:
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            kind = 0o120000 if isinstance(content, str) else 0o040000 if name[-1] == "/" else 0
            info.external_attr = (kind | 0o644) << 16
            archive.writestr(info, content)
    return buffer.getvalue()


Make = Callable[[Members], bytes]
both = pytest.mark.parametrize("make", [make_tar, make_zip], ids=["tar", "zip"])


def lists(url: str, **changes: object) -> Asset:
    values = {"kind": "folder", "sha256": None, "unverified": True, **changes}
    return make_asset(sources=(WebSource(f"{url}/archive", unpack="top/data"),), **values)


def vectors(url: str, **changes: object) -> Asset:
    source = WebSource(f"{url}/cc.bin.gz", decompress="gzip")
    return make_asset(sources=(source,), **changes)


def refused(asset: Asset, place: Path) -> str:
    """Why an asset is refused; nothing may stand there, nor anything half made beside it."""
    with pytest.raises(AssetError) as error:
        fetch(asset, place / "asset")
    assert only(place) == []
    return reason(error, 1)


@both
def test_folder_of_an_archive_stands_under_its_own_name(
    tmp_path: Path, web: tuple[str, Path], make: Make
) -> None:
    url, served = web
    served.joinpath("archive").write_bytes(make([("top/", b""), ("top/data/", b""), *GOOD]))
    record = fetch(lists(url), tmp_path / "out" / "weathub")
    assert only(tmp_path / "out") == [
        "weathub",
        "weathub/data",
        "weathub/data/a.json",
        "weathub/data/ar_all",
        "weathub/data/ar_all/weat1.json",
    ]
    hashes = {"data/a.json": sha256(b"a"), "data/ar_all/weat1.json": sha256(b"b")}
    assert record.sha256 == hashes
    assert record.source == f"{url}/archive#unpack=top/data"
    assert record.bytes == 2
    assert not record.verified
    assert fetch(lists(url, sha256=hashes, unverified=False), tmp_path / "out" / "b").verified


@both
def test_known_members_alone_are_written_and_checked(
    tmp_path: Path, web: tuple[str, Path], make: Make
) -> None:
    url, served = web
    served.joinpath("archive").write_bytes(make(GOOD))
    one = lists(url, sha256={"data/a.json": sha256(b"a")}, unverified=False)
    assert list(fetch(one, tmp_path / "one").sha256) == ["data/a.json"]
    wrong = lists(url, sha256={"data/a.json": sha256(b"x")}, unverified=False)
    assert "data/a.json: sha256 expected" in refused(wrong, tmp_path / "out")
    none = lists(url, sha256={"data/none.json": sha256(b"x")}, unverified=False)
    assert "the archive holds no data/none.json" in refused(none, tmp_path / "out")


@both
@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ([("../up.json", b"x")], "unsafe member: '../up.json'"),
        ([("top/data/../../../up.json", b"x")], "unsafe member: 'top/data/../../../up.json'"),
        ([("/top/data/up.json", b"x")], "unsafe member: '/top/data/up.json'"),
        ([("top/data/link.json", "/etc/passwd")], "a link or device: 'top/data/link.json'"),
        ([("top/data/a.json", b"again")], "holds 'top/data/a.json' twice"),
        ([("top/data", b"a file")], "'top/data' is not a folder in the archive"),
        ([("top/data/a.json/below", b"x")], "FileExistsError|NotADirectoryError"),
        ([("top/data/large.json", bytes(16_000_000))], "unpacks to more than 16 MB"),
    ],
)
def test_members_are_not_trusted(
    tmp_path: Path, web: tuple[str, Path], make: Make, members: Members, expected: str
) -> None:
    url, served = web
    served.joinpath("archive").write_bytes(make(GOOD + members))
    why = refused(lists(url), tmp_path / "out")
    assert any(part in why for part in expected.split("|"))
    assert not (tmp_path / "up.json").exists()


@both
def test_links_elsewhere_hidden_files_and_pickles_are_left_out(
    tmp_path: Path, web: tuple[str, Path], make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    url, served = web
    more: Members = [
        ("top/link", "README.md"),
        ("top/data/.DS_Store", b"x"),
        ("top/data/.git/a.json", b"x"),
        ("top/data/model.pkl", b"x"),
    ]
    served.joinpath("archive").write_bytes(make(more + GOOD))
    record = fetch(lists(url), tmp_path / "out")
    assert list(record.sha256) == ["data/a.json", "data/ar_all/weat1.json"]
    assert "left out, as they may hold a pickle: data/model.pkl" in caplog.text


@both
def test_names_with_a_dot_in_front(tmp_path: Path, web: tuple[str, Path], make: Make) -> None:
    url, served = web
    served.joinpath("archive").write_bytes(make([("./", b""), ("./top/data/a.json", b"a")]))
    assert list(fetch(lists(url), tmp_path / "out").sha256) == ["data/a.json"]


@both
def test_folder_that_is_not_there_and_too_many_members(
    tmp_path: Path, web: tuple[str, Path], make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, served = web
    served.joinpath("archive").write_bytes(make([("b/c.json", b""), ("a/data/c.json", b"")]))
    why = refused(lists(url), tmp_path / "out")
    assert "holds no file in a folder 'top/data'; at its top: a, b" in why
    monkeypatch.setattr(archives, "MOST_MEMBERS", 1)
    assert "holds more than 1 members" in refused(lists(url), tmp_path / "out")


@both
@pytest.mark.parametrize("kept", [0.1, 0.5, 0.9, 0.99])
def test_archive_that_is_cut_short(
    tmp_path: Path, web: tuple[str, Path], make: Make, kept: float
) -> None:
    url, served = web
    noise = random.Random(1).randbytes(200_000)
    whole = make([*GOOD, ("top/data/noise.json", noise), ("top/z.json", noise)])
    served.joinpath("archive").write_bytes(whole[: int(len(whole) * kept)])
    why = refused(lists(url), tmp_path / "out")
    assert "the archive is damaged, cut short or unreadable" in why


@both
def test_archive_with_a_changed_byte(tmp_path: Path, web: tuple[str, Path], make: Make) -> None:
    url, served = web
    noise = random.Random(1).randbytes(200_000)
    whole = bytearray(make([("top/data/noise.json", noise)]))
    whole[len(whole) // 2] ^= 255
    served.joinpath("archive").write_bytes(whole)
    assert "the archive is damaged" in refused(lists(url), tmp_path / "out")


def test_what_is_no_archive(tmp_path: Path, web: tuple[str, Path]) -> None:
    url, served = web
    served.joinpath("archive").write_bytes(b"<html>Sign in</html>")
    assert "is neither a .tar.gz nor a .zip archive" in refused(lists(url), tmp_path / "out")


def test_tar_that_would_fill_disk_or_memory(
    tmp_path: Path, web: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, served = web
    # Far more than the folder, in members that are only read through.
    monkeypatch.setattr(archives, "_READ_LEAST", 1_000_000)
    monkeypatch.setattr(archives, "_READ_FACTOR", 1)
    served.joinpath("archive").write_bytes(make_tar([("top/z", bytes(1_000_000)), *GOOD]))
    assert "the archive unpacks to more than 1 MB" in refused(lists(url), tmp_path / "out")
    served.joinpath("archive").write_bytes(make_tar(GOOD) + gzip.compress(bytes(3_000_000)))
    assert "the archive unpacks to more than 1 MB" in refused(lists(url), tmp_path / "out")
    # A member is refused by the size that it claims, before it is read through.
    claimed = tarfile.TarInfo("top/z")
    claimed.size = 1_000_000
    served.joinpath("archive").write_bytes(gzip.compress(claimed.tobuf()))
    assert "the archive unpacks to more than 1 MB" in refused(lists(url), tmp_path / "out")
    # A name of many megabytes stands in a header, which tarfile reads at once.
    monkeypatch.setattr(archives, "_MOST_AT_ONCE", 20_000)
    served.joinpath("archive").write_bytes(make_tar([("top/data/" + "n" * 30_000, b"")]))
    assert "a header of many megabytes" in refused(lists(url), tmp_path / "out")


def test_devices_are_refused(tmp_path: Path, web: tuple[str, Path]) -> None:
    url, served = web
    for kind in (tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.LNKTYPE):
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
            info = tarfile.TarInfo("top/data/thing")
            info.type, info.linkname = kind, "top/data/a.json"
            tar.addfile(info)
        served.joinpath("archive").write_bytes(buffer.getvalue())
        assert "a link or device: 'top/data/thing'" in refused(lists(url), tmp_path / "out")


def test_packed_file_is_stored_unpacked(tmp_path: Path, web: tuple[str, Path]) -> None:
    url, served = web
    content = random.Random(2).randbytes(3_000_000)
    served.joinpath("cc.bin.gz").write_bytes(gzip.compress(content, 1))
    asset = vectors(url, sha256=sha256(content), size_mb=3)
    record = fetch(asset, destination(asset, tmp_path / "out"))
    assert only(tmp_path / "out") == ["cc.bin"]
    assert (tmp_path / "out" / "cc.bin").read_bytes() == content
    assert record.verified
    assert record.source == f"{url}/cc.bin.gz#decompress=gzip"
    assert record.bytes == 3_000_000


WHOLE = gzip.compress(b"content", mtime=0)
BROKEN = {
    "empty": (b"", "the gzip file is cut short: it stops after 0.0 MB unpacked"),
    "head": (WHOLE[:5], "the gzip file is cut short"),
    "last byte": (WHOLE[:-1], "the gzip file is cut short"),
    "second part": (WHOLE + WHOLE[:-9], "the gzip file is cut short"),
    "checksum": (WHOLE[:-8] + bytes(8), "what came is damaged"),
    "tail": (WHOLE + b"more", "what came is damaged"),
    "page": (b"<html>Sign in</html>", "what came is no gzip file"),
    "bomb": (gzip.compress(bytes(16_000_001), mtime=0), "unpacks to more than 16 MB, the most"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_packed_file_that_is_not_whole(tmp_path: Path, web: tuple[str, Path], case: str) -> None:
    url, served = web
    packed, expected = BROKEN[case]
    served.joinpath("cc.bin.gz").write_bytes(packed)
    assert expected in refused(vectors(url, sha256=None, unverified=True), tmp_path / "out")


def test_packed_file_that_is_missing(tmp_path: Path, web: tuple[str, Path]) -> None:
    assert "HTTPError: 404" in refused(vectors(web[0]), tmp_path / "out")


@settings(max_examples=60, deadline=None)
@given(
    parts=st.lists(st.binary(max_size=300) | st.integers(0, 4000).map(bytes), max_size=4),
    zeros=st.integers(0, 5),
    step=st.integers(1, 700),
    piece=st.sampled_from([1, 7, 256, 1 << 20]),
)
def test_unpacked_as_gzip_does_in_whatever_pieces_it_comes(
    tmp_path_factory: pytest.TempPathFactory,
    parts: list[bytes],
    zeros: int,
    step: int,
    piece: int,
) -> None:
    parts = parts or [b""]
    packed = b"".join(gzip.compress(part) for part in parts) + bytes(zeros)
    target = tmp_path_factory.mktemp("gzip") / "file"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gunzip, "_PIECE_BYTES", piece)
        with GunzipWriter(target) as writer:
            for start in range(0, len(packed), step):
                writer.write(packed[start : start + step])
            writer.finish()
        assert target.read_bytes() == gzip.decompress(packed)
        # Without its last bytes it is not whole.
        with GunzipWriter(target) as writer:
            writer.write(gzip.compress(b"".join(parts))[:-1])
            with pytest.raises(SourceError, match="cut short"):
                writer.finish()


def test_unpacking_never_holds_more_than_a_piece(tmp_path: Path) -> None:
    packer = zlib.compressobj(9, wbits=31)
    packed = b"".join(packer.compress(bytes(1 << 20)) for _ in range(8)) + packer.flush()
    largest = 0

    class Watched(GunzipWriter):
        def _keep(self, out: bytes) -> None:
            nonlocal largest
            largest = max(largest, len(out))
            super()._keep(out)

    with Watched(tmp_path / "file") as writer:
        writer.write(packed)
        writer.finish()
    assert largest == 1 << 20
    assert (tmp_path / "file").stat().st_size == 8 << 20
