"""Whether a model's folder is whole: what a broken download or half a copy leaves out."""

from __future__ import annotations

import json
from pathlib import Path

_TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model")
_POINTER = b"version https://git-lfs"
# A header lists the arrays; safetensors itself allows 100 MB.
_MOST_HEADER_BYTES = 100_000_000


def find_model_faults(folder: Path) -> list[str]:
    """Say what is missing or cut short in a folder of weights in safetensors.

    Parameters
    ----------
    folder : Path
        As the hub, transformers or sentence-transformers lay it out.

    Returns
    -------
    list of str
        One line a fault, in order; empty for a whole model.
    """
    weights = sorted(folder.rglob("*.safetensors"))
    if not weights:
        return ["holds no safetensors weights (a pickle such as pytorch_model.bin is not read)"]
    faults = []
    for path in weights:
        name = path.relative_to(folder).as_posix()
        faults += [f"{name} {fault}" for fault in _find_weight_faults(path)]
        if not (path.parent / "config.json").is_file():
            faults.append(f"no config.json beside {name}")
    faults += _find_missing_parts(folder) + _find_missing_modules(folder)
    if not any(any(folder.rglob(pattern)) for pattern in _TOKENIZERS):
        faults.append(f"no tokenizer: none of {', '.join(_TOKENIZERS)}")
    if not any(any(folder.rglob(name)) for name in ("tokenizer.json", "merges.txt")):
        faults += ["no merges.txt beside vocab.json"] if any(folder.rglob("vocab.json")) else []
    return faults


def _find_weight_faults(path: Path) -> list[str]:
    size = path.stat().st_size
    with path.open("rb") as stream:
        start = stream.read(8)
        length = int.from_bytes(start, "little")
        if (start + stream.read(len(_POINTER) - 8)).startswith(_POINTER):
            return ["is a pointer of Git LFS, not the weights"]
        if len(start) < 8 or length > min(size - 8, _MOST_HEADER_BYTES):
            return [f"is no safetensors file, or is cut short ({size} bytes)"]
        stream.seek(8)
        try:
            header = json.loads(stream.read(length))
            ends = [entry["data_offsets"][1] for name, entry in header.items() if name[:2] != "__"]
            expected = 8 + length + max(ends, default=0)
        except (ValueError, AttributeError, LookupError, TypeError):
            return ["has a header that cannot be read"]
    if size != expected:
        return [f"is cut short or damaged: {size} bytes, its header tells of {expected}"]
    return []


def _find_missing_parts(folder: Path) -> list[str]:
    """Weights in several files: the index names them."""
    faults = []
    for index in sorted(folder.rglob("*.safetensors.index.json")):
        names = _read_json(index, "weight_map")
        if not isinstance(names, dict):
            faults.append(f"{index.name} cannot be read")
            continue
        for name in sorted({str(name) for name in names.values()}):
            if not (index.parent / name).is_file():
                faults.append(f"no {name}, which {index.name} names")
    return faults


def _find_missing_modules(folder: Path) -> list[str]:
    """The steps of a sentence encoder that have a config of their own."""
    path = folder / "modules.json"
    if not path.is_file():
        return []
    modules = _read_json(path)
    if not isinstance(modules, list):
        return ["modules.json cannot be read"]
    faults = []
    for module in modules:
        kind, place = (str(module.get(key, "")) for key in ("type", "path"))
        needed = kind.rpartition(".")[2] in ("Pooling", "Dense")
        if needed and not (folder / place / "config.json").is_file():
            faults.append(f"no {place}/config.json, which modules.json names")
    return faults


def _read_json(path: Path, key: str | None = None) -> object:
    """Content of a file, or of one key of it; None when it cannot be read."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if key is None:
        return content if all(isinstance(entry, dict) for entry in content) else None
    return content.get(key) if isinstance(content, dict) else None
