"""Which member names are safe to write, and which may hold a pickle."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath

PICKLE_SUFFIXES = (".bin", ".ckpt", ".joblib", ".pickle", ".pkl", ".pt", ".pth")


def is_safe_member(name: str) -> bool:
    """Whether a member's name stays below the folder that it is written to.

    Parameters
    ----------
    name : str
        Name with ``/`` between folders, as in zip archives and repositories.

    Returns
    -------
    bool
        False for an empty or absolute name, a drive, a backslash or a part ``..`` or ``.``.
    """
    if not name or "\\" in name or "\0" in name or PureWindowsPath(name).drive:
        return False
    parts = name.split("/")
    return not PurePosixPath(name).is_absolute() and all(p not in ("", ".", "..") for p in parts)


def is_pickle(name: str) -> bool:
    """Whether a model folder's member may hold a pickle, by its suffix."""
    return name.lower().endswith(PICKLE_SUFFIXES)
