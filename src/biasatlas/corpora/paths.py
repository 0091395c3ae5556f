"""Which files a source of the configuration names."""

from __future__ import annotations

import glob
import hashlib
from collections.abc import Sequence
from pathlib import Path


def expand_paths(path: str | Sequence[str]) -> list[str]:
    """List the files and folders that a source names: sorted, each once.

    Parameters
    ----------
    path : str or sequence of str
        Paths, or patterns with ``*``, ``?``, ``[...]`` and ``**``. A path that exists is never
        read as a pattern.
    """
    return sorted({found for one in _listed(path) for found in _expand(one)})


def missing_paths(path: str | Sequence[str]) -> list[str]:
    """List the paths and patterns of a source that name nothing."""
    return [one for one in _listed(path) if not _expand(one)]


def inventory(path: str | Path) -> str:
    """Hash of the names, sizes and times of the files in a folder; empty for a file.

    A folder's own time says nothing of an edit in one of its files.
    """
    folder = Path(path)
    if not folder.is_dir():
        return ""
    lines = [
        f"{file.relative_to(folder).as_posix()} {stat.st_size} {stat.st_mtime_ns}"
        for file in sorted(folder.rglob("*"))
        if file.is_file()
        for stat in [file.stat()]
    ]
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def path_digest(path: str | Path) -> str:
    """What tells a file or folder from another under the same name: sizes and times."""
    folder = inventory(path)
    if folder:
        return folder
    stat = Path(path).stat()
    return f"{stat.st_size} {stat.st_mtime_ns}"


def _listed(path: str | Sequence[str]) -> list[str]:
    return [path] if isinstance(path, str) else list(path)


def _expand(path: str) -> list[str]:
    if Path(path).exists():
        return [path]
    return glob.glob(path, recursive=True) if glob.has_magic(path) else []
