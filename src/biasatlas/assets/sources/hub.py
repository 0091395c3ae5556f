"""A model repository of the Hugging Face hub: safetensors and text, never a pickle."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

from biasatlas.assets.asset import Asset, HubSource
from biasatlas.assets.model_folder import find_model_faults
from biasatlas.assets.sources.attempt import Attempt, SourceError, copy_folder, one_line

# The three *.model are sentencepiece models: some repositories hold no other tokenizer.
ALLOWED = (
    "*.safetensors",
    "*.json",
    "*.txt",
    "*spiece.model",
    "*sentencepiece*.model",
    "*tokenizer.model",
)
# The same weights for other libraries or at half precision.
IGNORED = ("onnx/*", "openvino/*", "coreml/*", "original/*", "*.fp16.safetensors")


def attempts(source: HubSource, asset: Asset, *, offline: bool) -> list[Attempt]:
    """Download a snapshot to the hub's own cache, which can resume, and copy it.

    Parameters
    ----------
    source : HubSource
        Repository and revision; without one the hub's current commit is taken and returned as
        the version.
    asset : Asset
        Its members, when known, are the only files asked for.
    offline : bool
        Take a snapshot that the cache holds already.

    Returns
    -------
    list of Attempt
        One attempt.
    """
    label = source.address if source.revision else f"{source.address} (current revision)"

    def run(target: Path) -> str:
        snapshot = _snapshot(source, asset.members, offline)
        copy_folder(snapshot, target, asset.members or _wanted(snapshot))
        if not any(target.rglob("*.safetensors")):
            raise SourceError("the repository holds no safetensors weights at this revision")
        # Out of reach, the hub's library gives what the cache holds, be it half a model.
        faults = [] if asset.members else find_model_faults(target)
        if faults:
            raise SourceError("; ".join(faults))
        return snapshot.name

    return [Attempt(label, source.address, run, network=False)]


def _wanted(snapshot: Path) -> tuple[str, ...]:
    """Files of a snapshot that are asked for: other programs may have put more into the cache."""
    names = [path.relative_to(snapshot).as_posix() for path in snapshot.rglob("*")]
    return tuple(
        name
        for name in sorted(names)
        if (snapshot / name).is_file()
        and not any(part.startswith(".") for part in name.split("/"))
        and any(fnmatchcase(name, pattern) for pattern in ALLOWED)
        and not any(fnmatchcase(name, pattern) for pattern in IGNORED)
    )


def _snapshot(source: HubSource, members: tuple[str, ...], offline: bool) -> Path:
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise SourceError("huggingface_hub is not installed in this environment") from None

    try:
        folder = snapshot_download(
            source.repository,
            revision=source.revision,
            allow_patterns=list(members or ALLOWED),
            ignore_patterns=list(IGNORED),
            local_files_only=offline,
        )
    # The hub's errors have no common base: its own, the HTTP library's and the disk's.
    except Exception as error:
        raise SourceError(one_line(error)) from error
    return Path(folder)
