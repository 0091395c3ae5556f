"""Archives: honest ones, hostile ones and broken ones."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import random
import struct
import tarfile
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biasatlas.corpora.readers.archives import ENDINGS, iter_members
from biasatlas.corpora.readers.batches import Limits, Report
from biasatlas.errors import InputError

KEEP = Limits(damaged="keep")
# Bytes that no compression makes small, so that a cut file still holds whole members.
NOISE = [random.Random(i).randbytes(50_000 + i) for i in range(9)]
MEMBERS = {f"TXT/{i}/m{i}.txt": raw for i, raw in enumerate(NOISE)}
TARS = [ending for ending in ENDINGS if ending != ".zip"]


def make_tar(members: dict[str, bytes], infos: list[tarfile.TarInfo] | None = None) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for info in infos or []:
            archive.addfile(info, io.BytesIO(bytes(info.size)) if info.size else None)
        for name, raw in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(raw)
            archive.addfile(info, io.BytesIO(raw))
    return stream.getvalue()


def pack(ending: str, tar: bytes) -> bytes:
    if ending == ".tar":
        return tar
    if ending == ".tar.xz":
        return lzma.compress(tar)
    if ending == ".tar.zst":
        zstandard = pytest.importorskip("zstandard")
        raw: bytes = zstandard.ZstdCompressor().compress(tar)
        return raw
    return gzip.compress(tar)


def make_zip(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, raw in members.items():
            archive.writestr(zipfile.ZipInfo(name), raw, method)
    return path


def make(tmp_path: Path, ending: str, members: dict[str, bytes]) -> Path:
    path = tmp_path / f"corpus{ending}"
    if ending == ".zip":
        return make_zip(path, members)
    path.write_bytes(pack(ending, make_tar(members)))
    return path


def take(
    path: Path, limits: Limits | None = None, max_bytes: int = 100_000
) -> tuple[dict[str, bytes], Report]:
    report = Report()
    found: dict[str, bytes] = {}
    limits = limits or Limits()
    wanted = lambda name: name.endswith(".txt")  # noqa: E731
    for name, raw in iter_members(path, wanted, limits, report, max_bytes=max_bytes):
        assert name not in found
        found[name] = raw
    return found, report


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_ending_gives_the_members_and_writes_nothing(tmp_path: Path, ending: str) -> None:
    more = {"TXT/about.pdf": b"no", "TXT/._m1.txt": b"no", "empty.txt": b""}
    path = make(tmp_path, ending, MEMBERS | more)
    found, report = take(path)
    assert found == MEMBERS | {"empty.txt": b""}
    assert not report.counts
    assert os.listdir(tmp_path) == [path.name]


def test_folder_and_upper_case_ending(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    for name, raw in MEMBERS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(raw)
    assert list(take(folder)[0]) == list(MEMBERS)
    assert (
        take(make(tmp_path, ".TAR.XZ".lower(), MEMBERS).rename(tmp_path / "C.TAR.XZ"))[0] == MEMBERS
    )


def test_names_that_begin_with_the_folder_itself(tmp_path: Path) -> None:
    for ending in (".tar", ".zip"):
        found, report = take(make(tmp_path, ending, {"./a/b.txt": b"x"}))
        assert found == {"a/b.txt": b"x"}
        assert not report.counts


@pytest.mark.parametrize("ending", [".tar.gz", ".zip"])
def test_unsafe_names_are_never_used(
    tmp_path: Path, ending: str, caplog: pytest.LogCaptureFixture
) -> None:
    unsafe = ["/etc/a.txt", "../a.txt", "a/../../b.txt", "C:/a.txt", "a\\..\\b.txt", "a//b.txt"]
    path = make(tmp_path, ending, {**dict.fromkeys(unsafe, b"evil"), "fine.txt": b"fine"})
    found, report = take(path)
    assert found == {"fine.txt": b"fine"}
    assert report.counts == {("skipped_unsafe_name", "file", ""): len(unsafe)}
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "has an unsafe name" in caplog.text
    assert os.listdir(tmp_path) == [path.name]


def test_links_and_devices_of_a_tar(tmp_path: Path) -> None:
    infos = []
    kinds = (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE)
    for i, kind in enumerate((*kinds, tarfile.DIRTYPE)):
        info = tarfile.TarInfo(f"{i}.txt")
        info.type, info.linkname = kind, "/etc/passwd"
        infos.append(info)
    path = tmp_path / "a.tar"
    path.write_bytes(make_tar({"fine.txt": b"fine"}, infos))
    found, report = take(path)
    assert found == {"fine.txt": b"fine"}
    assert report.counts == {("skipped_link", "file", ""): 2, ("skipped_special", "file", ""): 3}


def test_links_of_a_zip(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, mode in (("link.txt", 0o120777), ("pipe.txt", 0o010644), ("a.txt", 0o100644)):
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            archive.writestr(info, b"/etc/passwd")
    found, report = take(path)
    assert list(found) == ["a.txt"]
    assert report.counts == {("skipped_link", "file", ""): 1, ("skipped_special", "file", ""): 1}


def test_links_of_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    outside = tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    (outside / "secret.txt").write_bytes(b"secret")
    (folder / "a.txt").write_bytes(b"a")
    (folder / "inside.txt").symlink_to("a.txt")
    (folder / "out.txt").symlink_to(outside / "secret.txt")
    (folder / "nowhere.txt").symlink_to("none.txt")
    (folder / "folder").symlink_to(outside)
    (folder / "loop").symlink_to(folder)
    os.mkfifo(folder / "pipe.txt")
    found, report = take(folder)
    assert found == {"a.txt": b"a", "inside.txt": b"a"}
    # the pipe and the link to nothing; the file and the folder outside, and the folder itself
    assert report.counts == {("skipped_special", "file", ""): 2, ("skipped_link", "file", ""): 3}


def test_a_member_that_is_too_big_is_refused(tmp_path: Path) -> None:
    for ending in ENDINGS:
        path = make(tmp_path, ending, {"big.txt": bytes(101), "other.bin": bytes(500)})
        with pytest.raises(InputError, match=r"big\.txt has 101 bytes; at most 100 are read"):
            take(path, max_bytes=100)
        assert take(path, max_bytes=101)[0] == {"big.txt": bytes(101)}


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_sum_of_what_is_unpacked_is_bounded(tmp_path: Path, ending: str) -> None:
    limits = Limits(max_unpacked_gb=2e-5, damaged="keep")
    path = make(tmp_path, ending, {f"{i}.txt": bytes(9_000) for i in range(3)})
    with pytest.raises(InputError, match=r"more than 2e-05 GB; raise documents.max_unpacked_gb"):
        take(path, limits)


def test_what_a_tar_skips_counts_too(tmp_path: Path) -> None:
    path = tmp_path / "bomb.tar.xz"
    path.write_bytes(pack(".tar.xz", make_tar({"bomb.bin": bytes(60_000_000)})))
    tracemalloc.start()
    with pytest.raises(InputError, match="max_unpacked_gb"):
        take(path, Limits(max_unpacked_gb=0.05))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # xz itself looks back 8 MB
    assert peak < 14_000_000


def patch_zip(path: Path, name: str, *, size: int | None = None, flags: int | None = None) -> None:
    """Change what both headers of a member say."""
    raw = bytearray(path.read_bytes())
    for mark, at_flags, at_size, header in ((b"PK\3\4", 6, 22, 30), (b"PK\1\2", 8, 24, 46)):
        start = raw.find(name.encode())
        while raw[start - header : start - header + 4] != mark:
            start = raw.find(name.encode(), start + 1)
        if size is not None:
            struct.pack_into("<I", raw, start - header + at_size, size)
        if flags is not None:
            struct.pack_into("<H", raw, start - header + at_flags, flags)
    path.write_bytes(raw)


@pytest.mark.parametrize("size", [0, 10, 60_000])
def test_zip_header_that_lies_about_the_size(tmp_path: Path, size: int) -> None:
    path = make_zip(tmp_path / "a.zip", {"a.txt": b"a", "lie.txt": NOISE[0], "z.txt": b"z"})
    patch_zip(path, "lie.txt", size=size)
    with pytest.raises(InputError, match=r"lie\.txt cannot be unpacked"):
        take(path)
    found, report = take(path, KEEP)
    assert found == {"a.txt": b"a", "z.txt": b"z"}
    assert [key[:2] for key in report.counts] == [("damaged", "file")]


def test_zip_bomb_is_not_held(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.zip", {"bomb.txt": bytes(80_000_000)})
    patch_zip(path, "bomb.txt", size=100)
    tracemalloc.start()
    found, _ = take(path, KEEP)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == {}
    assert peak < 4_000_000


def test_zip_encrypted_or_packed_otherwise(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.zip", {"a.txt": b"a", "b.bin": b"b"})
    patch_zip(path, "b.bin", flags=1)
    assert take(path)[0] == {"a.txt": b"a"}
    patch_zip(path, "a.txt", flags=1)
    with pytest.raises(InputError, match=r"a\.txt is encrypted; unpack the zip with its password"):
        take(path, KEEP)
    path = make_zip(tmp_path / "b.zip", {"a.txt": b"a"}, zipfile.ZIP_BZIP2)
    with pytest.raises(InputError, match="not packed with deflate"):
        take(path)


def test_zip_with_a_bad_checksum_loses_that_member_only(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = make_zip(tmp_path / "a.zip", MEMBERS, zipfile.ZIP_STORED)
    raw = path.read_bytes()
    path.write_bytes(raw.replace(NOISE[3], b"X" + NOISE[3][1:]))
    with pytest.raises(InputError, match=r"m3\.txt cannot be unpacked \(Bad CRC-32"):
        take(path)
    found, report = take(path, KEEP)
    assert found == {name: raw for name, raw in MEMBERS.items() if "m3" not in name}
    ((item, unit, rule),) = report.counts
    assert (item, unit) == ("damaged", "file")
    assert rule.startswith("a.zip: TXT/3/m3.txt cannot be unpacked (Bad CRC-32")
    assert "what is whole is kept" in caplog.text


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_zip_cut_short_has_lost_its_list(tmp_path: Path, method: int) -> None:
    path = make_zip(tmp_path / "a.zip", {"a/": b"", "../a.txt": b"x"} | MEMBERS, method)
    whole = path.read_bytes()
    n_found = []
    for cut in (-1, -30, -len(NOISE[8]), len(whole) // 2, 200, 40, 12):
        path.write_bytes(whole[:cut])
        with pytest.raises(InputError, match=r"a\.zip: cannot be read to its end .*damaged: keep"):
            take(path)
        found, report = take(path, KEEP)
        assert list(found.items()) == list(MEMBERS.items())[: len(found)]
        assert sum(n for (item, _, _), n in report.counts.items() if item == "damaged") == 1
        n_found.append(len(found))
    assert n_found == [9, 9, 8, 4, 0, 0, 0]


def test_zip_without_its_list_and_with_a_lie(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.zip", {"a.txt": b"a", "lie.txt": bytes(50_000), "z.txt": b"z"})
    whole = path.read_bytes()
    for size in (0, 10, 60_000):
        path.write_bytes(whole)
        patch_zip(path, "lie.txt", size=size)
        path.write_bytes(path.read_bytes()[:-30])
        assert take(path, KEEP)[0] == {"a.txt": b"a", "z.txt": b"z"}
    path.write_bytes(whole)
    patch_zip(path, "lie.txt", flags=8)
    path.write_bytes(path.read_bytes()[:-30])
    assert take(path, KEEP)[0] == {"a.txt": b"a"}
    with pytest.raises(InputError, match="max_unpacked_gb"):
        take(path, Limits(damaged="keep", max_unpacked_gb=1e-10))


@pytest.mark.parametrize("ending", TARS)
def test_tar_cut_short(tmp_path: Path, ending: str) -> None:
    path = make(tmp_path, ending, MEMBERS)
    whole = path.read_bytes()
    n_found = set()
    for part in range(1, 12):
        # before the ten kilobytes of zeros at a tar's end
        path.write_bytes(whole[: (len(whole) - 10_240) * part // 12])
        with pytest.raises(InputError, match=r"cannot be read to its end.*documents.damaged: keep"):
            take(path)
        found, report = take(path, KEEP)
        assert list(found.items()) == list(MEMBERS.items())[: len(found)]
        assert [key[:2] for key in report.counts] == [("damaged", "file")]
        n_found.add(len(found))
    assert max(n_found) >= 6


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_tar_cut_anywhere_gives_whole_members_in_order(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    tar = make_tar(MEMBERS)
    end = tar.rindex(NOISE[8]) + len(NOISE[8])
    end += -end % 512
    cut = data.draw(st.integers(1, len(tar)))
    path = tmp_path_factory.mktemp("tar") / "a.tar"
    path.write_bytes(tar[:cut])
    found, report = take(path, KEEP)
    assert list(found.items()) == list(MEMBERS.items())[: len(found)]
    # all members before the cut, and no damage once the mark of the end (a block) is there
    assert len(found) == sum(tar.index(raw) + len(raw) <= cut for raw in NOISE)
    assert bool(report.counts) == (cut < end + 512)


def test_tar_with_a_damaged_header_or_none_at_the_end(tmp_path: Path) -> None:
    tar = bytearray(make_tar(MEMBERS))
    path = tmp_path / "a.tar"
    path.write_bytes(tar[: tar.index(b"TXT/4/m4.txt")])
    with pytest.raises(InputError, match="it breaks off between two members"):
        take(path)
    tar[tar.index(b"TXT/4/m4.txt") + 150] ^= 1
    path.write_bytes(tar)
    with pytest.raises(InputError, match="cannot be read to its end"):
        take(path)
    assert list(take(path, KEEP)[0]) == list(MEMBERS)[:4]


def test_tar_with_a_bad_checksum_behind_it(tmp_path: Path) -> None:
    path = make(tmp_path, ".tar.gz", MEMBERS)
    raw = bytearray(path.read_bytes())
    raw[-8] ^= 1
    path.write_bytes(raw)
    with pytest.raises(InputError, match="cannot be read to its end"):
        take(path)
    found, report = take(path, KEEP)
    assert found == MEMBERS
    assert report.counts


@pytest.mark.parametrize("size", [b"\xff" * 12, b"\x80" + b"\x7f" * 11, b"77777777777\0"])
def test_tar_header_with_an_impossible_size(tmp_path: Path, size: bytes) -> None:
    tar = bytearray(make_tar({"a.bin": b"a", "b.txt": b"b"}))
    tar[124:136] = size
    tar[148:156] = b" " * 8
    tar[148:156] = b"%06o\0 " % sum(tar[:512])
    path = tmp_path / "a.tar"
    path.write_bytes(tar)
    with pytest.raises(InputError, match="cannot be read to its end"):
        take(path)
    assert take(path, KEEP)[0] == {}


def test_tar_with_a_huge_name(tmp_path: Path) -> None:
    info = tarfile.TarInfo("a.txt")
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        info.pax_headers = {"comment": "x" * 3_000_000}
        archive.addfile(info)
    with pytest.raises(InputError, match="a header of"):
        take(path)


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz", "a.tgz", "a.tar.xz", "a.tar.zst", "a.zip"])
def test_no_archive_at_all(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with pytest.raises(InputError, match="file not found"):
        take(path)
    path.write_bytes(b"")
    with pytest.raises(InputError, match="the file is empty"):
        take(path)
    path.write_bytes(b"This is no archive. " * 100)
    with pytest.raises(InputError, match=r"cannot be read to its end|is not (gzip|Zstandard)"):
        take(path)
    assert take(path, KEEP)[0] == {}


def test_other_ending(tmp_path: Path) -> None:
    path = tmp_path / "a.rar"
    path.write_bytes(b"x")
    with pytest.raises(InputError, match=r"give a folder or a file ending in \.tar"):
        take(path)


@pytest.mark.parametrize(
    ("name", "opener"),
    [("a.zip", "zipfile.ZipFile"), ("a.tgz", "gzip.open"), ("a.tar.xz", "lzma.open"),
     ("folder", "os.scandir")],
)  # fmt: skip
def test_no_permission(
    tmp_path: Path, name: str, opener: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # file modes do not stop an administrator, so the system's answer is made up
    path = tmp_path / name
    if name == "folder":
        path.mkdir()
    else:
        path.write_bytes(b"x")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(opener, refuse)
    with pytest.raises(InputError, match=f"{name}: no permission to read it"):
        take(path, KEEP)
