"""Files of the web and of data repositories, from a server on the loopback address."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from biasatlas.assets.asset import DoiSource, WebSource
from biasatlas.assets.fetch import AssetError, fetch
from biasatlas.assets.sources import https
from biasatlas.logs import Heartbeat

from .conftest import TINY, FakePip, make_asset, only, reason, sha256


def test_web_file(tmp_path: Path, web: tuple[str, Path]) -> None:
    url, folder = web
    (folder / "file.txt").write_bytes(b"content")
    source = WebSource(f"{url}/file.txt")
    record = fetch(make_asset(sources=(source,)), tmp_path / "out" / "file.txt")
    assert record.source == source.url
    assert only(tmp_path / "out") == ["file.txt"]


def test_wrong_hash_is_a_failure_and_the_next_source_is_tried(
    tmp_path: Path, web: tuple[str, Path], fake_pip: FakePip, caplog: pytest.LogCaptureFixture
) -> None:
    url, folder = web
    (folder / "file.txt").write_bytes(b"wrong")
    fake_pip({"tiny_data/file.txt": b"content"})
    caplog.set_level("INFO")
    asset = make_asset(sources=(WebSource(f"{url}/file.txt"), TINY))
    record = fetch(asset, tmp_path / "file.txt")
    assert record.source == TINY.address
    failed = next(m for m in caplog.messages if "expected" in m)
    assert sha256(b"content") in failed
    assert sha256(b"wrong") in failed
    assert failed.endswith("next: biasatlas-no-such-data==1.0 as installed")


def test_wrong_hash_keeps_what_stands_there(tmp_path: Path, fake_pip: FakePip) -> None:
    (tmp_path / "file.txt").write_bytes(b"before")
    fake_pip({"tiny_data/file.txt": b"wrong"})
    with pytest.raises(AssetError) as error:
        fetch(make_asset(sources=(TINY,)), tmp_path / "file.txt")
    assert f"sha256 expected {sha256(b'content')}, got {sha256(b'wrong')}" in reason(error, 2)
    assert (tmp_path / "file.txt").read_bytes() == b"before"


def test_web_download_is_visible(
    tmp_path: Path,
    web: tuple[str, Path],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    url, folder = web
    (folder / "file.txt").write_bytes(bytes(2_000_000))
    caplog.set_level("INFO")
    monkeypatch.setattr(https, "Heartbeat", partial(Heartbeat, every_seconds=0))
    asset = make_asset(sources=(WebSource(f"{url}/file.txt"),), sha256=sha256(bytes(2_000_000)))
    fetch(asset, tmp_path / "file.txt")
    assert f"{url}/file.txt 0.3 of 2.0 MB" in caplog.messages
    assert f"{url}/file.txt 2.0 of 2.0 MB" in caplog.messages


def test_web_file_missing(tmp_path: Path, web: tuple[str, Path]) -> None:
    url, _ = web
    with pytest.raises(AssetError) as error:
        fetch(make_asset(sources=(WebSource(f"{url}/none.txt"),)), tmp_path / "file.txt")
    assert "HTTPError: 404" in reason(error, 1)


@pytest.fixture
def dataverse(web: tuple[str, Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Dataverse on the loopback address, of which doi.org is said to tell."""
    url, folder = web
    files = [
        {"dataFile": {"filename": f"DATA_1946-{year}.tar.gz", "id": year, "md5": md5}}
        for year, md5 in ((2025, "9a0364b9e99bb480dd25e1f0284c8555"), (2024, "0" * 32))
    ]
    (folder / "api" / "datasets").mkdir(parents=True)
    answer = json.dumps({"data": {"latestVersion": {"files": files}}})
    (folder / "api" / "datasets" / "dataset.json").write_text(answer)
    (folder / "api" / "access" / "datafile").mkdir(parents=True)
    for year in (2025, 2024):
        (folder / "api" / "access" / "datafile" / str(year)).write_bytes(b"content")
    monkeypatch.setattr(
        "pooch.downloaders.doi_to_url", lambda doi, **_: f"{url}/dataset.xhtml?doi={doi}"
    )
    return folder


def test_doi_file_without_known_hash_is_checked_by_the_repositorys(
    tmp_path: Path, dataverse: Path
) -> None:
    source = DoiSource("10.7910/DVN/TEST", "DATA_*2025.t*gz")
    asset = make_asset(sources=(source,), sha256=None, unverified=True)
    record = fetch(asset, tmp_path / "data")
    assert record.version == "DATA_1946-2025.tar.gz"
    assert record.source == "doi:10.7910/DVN/TEST/DATA_*2025.t*gz"
    assert not record.verified
    assert record.sha256 == {"": sha256(b"content")}
    wrong = DoiSource("10.7910/DVN/TEST", "DATA_1946-2024.tar.gz")
    with pytest.raises(AssetError) as error:
        fetch(make_asset(sources=(wrong,), sha256=None, unverified=True), tmp_path / "other")
    assert "expected md5:" + "0" * 32 in reason(error, 1)


@pytest.mark.parametrize(("file", "count"), [("DATA_*", 2), ("none.csv", 0)])
def test_doi_file_name_must_fit_one_file(
    tmp_path: Path, dataverse: Path, file: str, count: int
) -> None:
    source = DoiSource("10.7910/DVN/TEST", file)
    with pytest.raises(AssetError) as error:
        fetch(make_asset(sources=(source,), sha256=None, unverified=True), tmp_path / "data")
    held = "it holds: DATA_1946-2024.tar.gz, DATA_1946-2025.tar.gz"
    assert f"{count} files are named {file!r}; {held}" in reason(error, 1)
