"""Model repositories, with the hub's download replaced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from biasatlas.assets.asset import HubSource
from biasatlas.assets.fetch import AssetError, fetch

from .conftest import make_asset, only, reason, sha256


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, list[dict[str, Any]]]:
    """A snapshot as the hub's cache lays it out, links to blobs, and the calls made for it."""
    snapshot = tmp_path / "cache" / "snapshots" / ("c" * 40)
    snapshot.mkdir(parents=True)
    blobs = tmp_path / "cache" / "blobs"
    blobs.mkdir()
    for name in ("model.safetensors", "config.json", "pytorch_model.bin", ".gitattributes"):
        (blobs / name).write_bytes(name.encode())
        (snapshot / name).symlink_to(blobs / name)
    calls: list[dict[str, Any]] = []

    def download(repository: str, **options: Any) -> str:
        calls.append({"repository": repository, **options})
        return str(snapshot)

    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    return snapshot, calls


def test_hub_revision_is_resolved_and_recorded(
    tmp_path: Path, hub: tuple[Path, list[dict[str, Any]]]
) -> None:
    asset = make_asset(
        kind="folder", sources=(HubSource("a/b", None),), sha256=None, unverified=True
    )
    record = fetch(asset, tmp_path / "model")
    assert record.version == "c" * 40
    assert sorted(record.sha256) == ["config.json", "model.safetensors"]
    assert not (tmp_path / "model" / "config.json").is_symlink()
    call = hub[1][0]
    assert call["repository"] == "a/b"
    assert call["revision"] is None
    assert call["allow_patterns"] == ["*.safetensors", "*.json", "*.txt"]
    assert call["local_files_only"] is False


def test_hub_without_safetensors_is_refused(
    tmp_path: Path, hub: tuple[Path, list[dict[str, Any]]]
) -> None:
    (hub[0] / "model.safetensors").unlink()
    asset = make_asset(
        kind="folder", sources=(HubSource("a/b", None),), sha256=None, unverified=True
    )
    with pytest.raises(AssetError) as error:
        fetch(asset, tmp_path / "model")
    assert "holds no safetensors weights" in reason(error, 1)
    assert not (tmp_path / "model").exists()


def test_hub_asks_for_known_members_and_offline_for_the_cache(
    tmp_path: Path, hub: tuple[Path, list[dict[str, Any]]]
) -> None:
    hashes = {"model.safetensors": sha256(b"model.safetensors")}
    asset = make_asset(kind="folder", sources=(HubSource("a/b", "c" * 40),), sha256=hashes)
    record = fetch(asset, tmp_path / "model", offline=True)
    assert record.verified
    assert only(tmp_path / "model") == ["model.safetensors"]
    assert hub[1][0]["allow_patterns"] == ["model.safetensors"]
    assert hub[1][0]["revision"] == "c" * 40
    assert hub[1][0]["local_files_only"] is True


def test_hub_out_of_reach(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> str:
        raise RuntimeError("no\n  network")

    monkeypatch.setattr("huggingface_hub.snapshot_download", fail)
    asset = make_asset(
        kind="folder", sources=(HubSource("a/b", None),), sha256=None, unverified=True
    )
    with pytest.raises(AssetError) as error:
        fetch(asset, tmp_path / "model")
    assert reason(error, 1) == "  1. hf:a/b (current revision): RuntimeError: no network"
