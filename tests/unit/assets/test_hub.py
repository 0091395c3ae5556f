"""Model repositories, with the hub's download replaced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from biasatlas.assets.asset import HubSource
from biasatlas.assets.fetch import AssetError, fetch
from biasatlas.assets.model_folder import find_model_faults

from .conftest import make_asset, only, reason, sha256, weights

FILES = {
    "model.safetensors": weights(),
    "config.json": b"{}",
    "vocab.txt": b"[UNK]",
    "pytorch_model.bin": b"a pickle",
    ".gitattributes": b"",
}


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, list[dict[str, Any]]]:
    """A snapshot as the hub's cache lays it out, links to blobs, and the calls made for it."""
    snapshot = tmp_path / "cache" / "snapshots" / ("c" * 40)
    snapshot.mkdir(parents=True)
    blobs = tmp_path / "cache" / "blobs"
    blobs.mkdir()
    for name, content in FILES.items():
        (blobs / name).write_bytes(content)
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
    assert sorted(record.sha256) == ["config.json", "model.safetensors", "vocab.txt"]
    assert not (tmp_path / "model" / "config.json").is_symlink()
    call = hub[1][0]
    assert call["repository"] == "a/b"
    assert call["revision"] is None
    patterns = ("*.safetensors", "*.json", "*.txt", "*spiece.model", "*sentencepiece*.model")
    assert call["allow_patterns"] == [*patterns, "*tokenizer.model"]
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
    hashes = {"model.safetensors": sha256(weights())}
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


UNVERIFIED = make_asset(
    kind="folder", sources=(HubSource("a/b", None),), sha256=None, unverified=True
)


def test_hub_takes_only_what_is_asked_for_of_a_cache_that_holds_more(
    tmp_path: Path, hub: tuple[Path, list[dict[str, Any]]]
) -> None:
    names = ("tf_model.h5", "flax_model.msgpack", "spiece.model", "model.model", "rust_model.ot")
    folders = ("onnx", "openvino", "1_Pooling")
    for folder in folders:
        (hub[0] / folder).mkdir()
    for name in (*names, *(f"{folder}/config.json" for folder in folders)):
        (hub[0] / name).write_bytes(b"{}")
    (hub[0] / "model.fp16.safetensors").write_bytes(weights())
    record = fetch(UNVERIFIED, tmp_path / "model")
    whole = ["config.json", "model.safetensors", "spiece.model", "vocab.txt"]
    assert list(record.sha256) == ["1_Pooling/config.json", *whole]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"model.safetensors": weights()[:-1]}, "model.safetensors is cut short or damaged: "),
        ({"model.safetensors": weights()[:20]}, "is no safetensors file, or is cut short (20 "),
        ({"model.safetensors": b""}, "is no safetensors file, or is cut short (0 bytes)"),
        ({"model.safetensors": weights() + b"x"}, "model.safetensors is cut short or damaged: "),
        (
            {"model.safetensors": b"version https://git-lfs.github.com/spec/v1\noid sha256:1"},
            "model.safetensors is a pointer of Git LFS, not the weights",
        ),
        ({"model.safetensors": b"\x04" + bytes(7) + b"nope"}, "has a header that cannot be read"),
        ({"config.json": None}, "no config.json beside model.safetensors"),
        ({"vocab.txt": None}, "no tokenizer: none of tokenizer.json, vocab.txt"),
        ({"vocab.txt": None, "vocab.json": b"{}"}, "no merges.txt beside vocab.json"),
        (
            {
                "model.safetensors.index.json": b'{"weight_map": {"x": "model-1.safetensors", '
                b'"y": "model.safetensors"}}'
            },
            "no model-1.safetensors, which model.safetensors.index.json names",
        ),
        ({"model.safetensors.index.json": b"{"}, "model.safetensors.index.json cannot be read"),
        (
            {
                "modules.json": b'[{"path": "", "type": "a.Transformer"}, '
                b'{"path": "1_Pooling", "type": "a.Pooling"}]'
            },
            "no 1_Pooling/config.json, which modules.json names",
        ),
        ({"modules.json": b"[1]"}, "modules.json cannot be read"),
    ],
)
def test_half_a_model_is_refused_from_the_hub_and_from_a_folder(
    tmp_path: Path,
    hub: tuple[Path, list[dict[str, Any]]],
    change: dict[str, bytes | None],
    expected: str,
) -> None:
    for name, content in change.items():
        (hub[0] / name).unlink(missing_ok=True)
        if content is not None:
            (hub[0] / name).write_bytes(content)
    for given in (None, hub[0]):
        with pytest.raises(AssetError) as error:
            fetch(UNVERIFIED, tmp_path / "model", local_path=given)
        assert expected in reason(error, 1)
        # Nothing else is wrong with it.
        assert ";" not in reason(error, 1)
        assert not (tmp_path / "model").exists()


def test_own_folder_with_a_pickle_only_is_refused(
    tmp_path: Path, hub: tuple[Path, list[dict[str, Any]]]
) -> None:
    (hub[0] / "model.safetensors").unlink()
    with pytest.raises(AssetError) as error:
        fetch(UNVERIFIED, tmp_path / "model", local_path=hub[0])
    assert "holds no safetensors weights (a pickle such as pytorch_model.bin" in reason(error, 1)


def test_conversion_of_a_pull_request_follows_a_main_branch_with_a_pickle_only(
    tmp_path: Path, hub: tuple[Path, list[dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, _ = hub
    main = tmp_path / "cache" / "snapshots" / ("d" * 40)
    main.mkdir()
    (main / "config.json").write_bytes(b"{}")
    monkeypatch.setattr(
        "huggingface_hub.snapshot_download",
        lambda repository, revision, **_: str(main if revision is None else whole),
    )
    sources = (HubSource("a/b", None), HubSource("a/b", "refs/pr/7"))
    asset = make_asset(kind="folder", sources=sources, sha256=None, unverified=True)
    record = fetch(asset, tmp_path / "model")
    assert record.source == "hf:a/b@refs/pr/7"
    # The commit, not the name that may come to mean another one.
    assert record.version == "c" * 40


def test_weights_that_safetensors_writes_are_whole(tmp_path: Path) -> None:
    arrays: dict[str, np.ndarray] = {"a": np.zeros((3, 5), np.float32), "b": np.ones(7, np.int64)}
    save_file(arrays, tmp_path / "model.safetensors", metadata={"format": "pt"})
    (tmp_path / "config.json").write_bytes(b"{}")
    (tmp_path / "spiece.model").write_bytes(b"")
    assert find_model_faults(tmp_path) == []
    with (tmp_path / "model.safetensors").open("r+b") as stream:
        stream.truncate((tmp_path / "model.safetensors").stat().st_size - 1)
    assert len(find_model_faults(tmp_path)) == 1
