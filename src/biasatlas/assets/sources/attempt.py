"""One way to get an asset's bytes, and how it says that it failed."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from biasatlas.assets.members import is_pickle

log = logging.getLogger(__name__)


class SourceError(Exception):
    """A source cannot give the asset; the message is one line that says why."""


@dataclass(frozen=True)
class Attempt:
    """One way to get an asset.

    Attributes
    ----------
    label : str
        For messages: what is tried.
    address : str
        For the provenance: where the bytes come from, the same on every machine.
    run : callable
        Writes the file or folder to the path that it is given and returns the version.
        Raises SourceError or OSError.
    network : bool
        Whether it needs the network.
    """

    label: str
    address: str
    run: Callable[[Path], str]
    network: bool


def one_line(error: BaseException, limit: int = 300) -> str:
    """Name of an error and its message on one line of at most `limit` characters."""
    text = " ".join(str(error).split())
    text = text if len(text) <= limit else text[: limit - 3] + "..."
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def copy_folder(source: Path, target: Path, members: tuple[str, ...] = ()) -> None:
    """Copy a model folder without hidden entries and without files that may hold a pickle.

    Parameters
    ----------
    source, target : Path
        Existing folder, and where its copy must stand. Links to files are followed (the hub's
        cache consists of them), links to folders are not.
    members : tuple of str
        Copy these only; empty: every file.

    Raises
    ------
    SourceError
        When a member is missing, or nothing is left to copy.
    """
    found = sorted(
        path.relative_to(source).as_posix()
        for path in source.rglob("*")
        if path.is_file() and not any(p.startswith(".") for p in path.relative_to(source).parts)
    )
    missing = [member for member in members if member not in found]
    if missing:
        raise SourceError(f"no member {', '.join(missing)} in {source.name}")
    wanted = [name for name in found if name in members] if members else found
    pickles = [name for name in wanted if is_pickle(name)]
    if pickles:
        log.warning("left out, as they may hold a pickle: %s", ", ".join(pickles))
    wanted = [name for name in wanted if name not in pickles]
    if not wanted:
        raise SourceError(f"no usable file in {source.name}")
    for name in wanted:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, target / name)
