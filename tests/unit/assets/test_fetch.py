"""A local copy, and the message when nothing helps."""

from __future__ import annotations

import gzip
import io
import pickle
import shutil
from collections import namedtuple
from pathlib import Path

import pytest

from biasatlas.assets.asset import WebSource
from biasatlas.assets.fetch import AssetError, fetch
from biasatlas.assets.place import destination

from .conftest import TINY, FakePip, make_asset, only, reason, sha256


def test_local_copy_is_the_only_source_and_a_copy(tmp_path: Path) -> None:
    own = tmp_path / "mine.txt"
    own.write_bytes(b"content")
    record = fetch(make_asset(sources=(TINY,)), tmp_path / "out.txt", local_path=own)
    assert record.source == "path:mine.txt"
    assert record.version == ""
    assert record.verified
    (tmp_path / "out.txt").write_bytes(b"changed")
    assert own.read_bytes() == b"content"


def test_local_copy_of_other_bytes_is_recorded_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    own = tmp_path / "mine.txt"
    own.write_bytes(b"other")
    record = fetch(make_asset(), tmp_path / "out.txt", local_path=own)
    assert record.sha256 == {"": sha256(b"other")}
    assert not record.verified
    assert [r.levelname for r in caplog.records] == ["WARNING"]
    assert sha256(b"other") in caplog.text


def test_local_folder_without_pickles_and_hidden_files(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    own = tmp_path / "mine"
    (own / ".cache").mkdir(parents=True)
    for name in ("a.json", "b.bin", ".cache/c.json"):
        (own / name).write_bytes(name.encode())
    asset = make_asset(kind="folder", sha256=None, unverified=True)
    record = fetch(asset, tmp_path / "out", local_path=own)
    assert list(record.sha256) == ["a.json"]
    assert "b.bin" in caplog.text
    shutil.rmtree(own / ".cache")
    (own / "a.json").unlink()
    with pytest.raises(AssetError, match="no usable file in mine"):
        fetch(asset, tmp_path / "other", local_path=own)


def test_local_snapshot_with_more_files_passes_the_catalogues_check(tmp_path: Path) -> None:
    own = tmp_path / "mine"
    own.mkdir()
    (own / "a.json").write_bytes(b"a")
    (own / "README.md").write_bytes(b"more")
    asset = make_asset(kind="folder", sha256={"a.json": sha256(b"a")})
    record = fetch(asset, tmp_path / "out", local_path=own)
    assert record.verified
    assert only(tmp_path / "out") == ["a.json"]


@pytest.mark.parametrize(
    ("kind", "give", "expected"),
    [
        ("file", "nothing", "there is no such file or folder"),
        ("file", "folder", "is a folder; a file is needed"),
        ("folder", "file", "is a file; a folder is needed"),
    ],
)
def test_local_copy_of_wrong_kind(tmp_path: Path, kind: str, give: str, expected: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_bytes(b"x")
    asset = make_asset(kind=kind, sha256=None, unverified=True, sources=(TINY,))
    with pytest.raises(AssetError) as error:
        fetch(asset, tmp_path / "out", local_path=tmp_path / give)
    assert reason(error, 1) == f"  1. path:{tmp_path / give}: {expected}"


def test_interrupted_copy_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "mine.txt"
    own.write_bytes(b"content")

    def half(source: Path, target: Path) -> None:
        target.write_bytes(b"con")
        raise KeyboardInterrupt

    monkeypatch.setattr(shutil, "copyfile", half)
    with pytest.raises(KeyboardInterrupt):
        fetch(make_asset(), tmp_path / "out" / "file.txt", local_path=own)
    assert only(tmp_path / "out") == []


def test_all_failed_says_what_was_tried_and_how_to_help(tmp_path: Path, fake_pip: FakePip) -> None:
    fake_pip(None, b"ERROR: no network\n")
    asset = make_asset(sources=(TINY,), path_key="tiny_path", description="A tiny file.")
    with pytest.raises(AssetError) as error:
        fetch(asset, tmp_path / "file.txt")
    pin = "biasatlas-no-such-data==1.0"
    assert str(error.value).splitlines() == [
        "asset tiny could not be fetched. Tried in this order:",
        f"  1. {pin} as installed: not installed in this environment",
        f"  2. pip download {pin}: ERROR: no network",
        "By hand: get tiny (A tiny file) and name it in the config:",
        "  asset_paths:",
        "    tiny: /path/to/the/file",
        "or:",
        "  tiny_path: /path/to/the/file",
    ]
    copy = pickle.load(io.BytesIO(pickle.dumps(error.value)))
    assert str(copy) == str(error.value)


def test_asset_without_source_needs_a_copy(tmp_path: Path) -> None:
    with pytest.raises(AssetError, match="names no source, a local copy is needed"):
        fetch(make_asset(path_key="tiny_path"), tmp_path / "file.txt")


@pytest.mark.parametrize(("free", "room"), [(99_999, False), (100_000, True)])
def test_disk_without_room_is_said_before_anything_is_fetched(
    tmp_path: Path,
    fake_pip: FakePip,
    monkeypatch: pytest.MonkeyPatch,
    free: int,
    room: bool,
) -> None:
    calls = fake_pip({"tiny_data/file.txt": b"content"})
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage(10**9, 0, free))
    asset = make_asset(sources=(TINY,), size_mb=0.1)
    if room:
        assert fetch(asset, tmp_path / "new" / "file.txt").verified
        return
    with pytest.raises(AssetError, match=f"asset tiny: needs about 0 MB in {tmp_path}, where 0 MB"):
        fetch(asset, tmp_path / "new" / "file.txt")
    assert calls == []
    # A copy of the user's counts with its own size.
    own = tmp_path / "mine.txt"
    own.write_bytes(bytes(99_999))
    assert fetch(asset, tmp_path / "copy.txt", local_path=own).bytes == 99_999
    own.write_bytes(bytes(100_000))
    with pytest.raises(AssetError, match="make room and run again"):
        fetch(asset, tmp_path / "copy.txt", local_path=own)


LISTS = make_asset(
    kind="folder",
    sources=(WebSource("https://a.org/b.tar.gz", unpack="top/data"),),
    sha256=None,
    unverified=True,
)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        # The repository, with what else stands in it; its data folder; the same under a new name.
        ("repository", ["README.md", "data/ar_all/weat1.json", "published/a.csv"]),
        ("repository/data", ["data/ar_all/weat1.json"]),
        ("lists", ["data/ar_all/weat1.json"]),
    ],
)
def test_own_folder_instead_of_an_archives_stands_under_its_own_name(
    tmp_path: Path, given: str, expected: list[str]
) -> None:
    for name in (
        "repository/README.md",
        "repository/.git/config",
        "repository/data/ar_all/weat1.json",
        "repository/published/a.csv",
        "lists/ar_all/weat1.json",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"{}")
    record = fetch(LISTS, tmp_path / "out", local_path=tmp_path / given)
    assert list(record.sha256) == expected


@pytest.mark.parametrize("name", ["mine.bin", "mine.bin.gz"])
def test_own_file_instead_of_a_packed_one_may_be_packed(tmp_path: Path, name: str) -> None:
    own = tmp_path / name
    own.write_bytes(gzip.compress(b"content") if name.endswith(".gz") else b"content")
    source = WebSource("https://a.org/cc.bin.gz", decompress="gzip")
    asset = make_asset(sources=(source,))
    place = destination(asset, tmp_path / "out", own)
    record = fetch(asset, place, local_path=own)
    assert record.verified
    assert only(tmp_path / "out") == ["mine.bin"]
    own.write_bytes(gzip.compress(b"content")[:-3])
    if name.endswith(".gz"):
        with pytest.raises(AssetError, match="the gzip file is cut short"):
            fetch(asset, place, local_path=own)
