"""One folder of an archive from the web: its members are not to be trusted."""

from __future__ import annotations

import gzip
import logging
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from biasatlas.assets.asset import Asset
from biasatlas.assets.members import is_pickle, is_safe_member
from biasatlas.assets.sources.attempt import SourceError, one_line

log = logging.getLogger(__name__)

MOST_MEMBERS = 100_000
_MEGABYTE = 1_000_000
# An entry's size is "about": four times as much, or 16 MB, is still taken for the thing itself.
_UNPACKED_FACTOR, _UNPACKED_LEAST = 4, 16 * _MEGABYTE
# The folder may be a small part of its archive, which has to be read through.
_READ_FACTOR, _READ_LEAST = 100, 2_000 * _MEGABYTE
# Headers of tar are read at once, into memory.
_MOST_AT_ONCE = 16 * _MEGABYTE
_PIECE_BYTES = 1 << 20
_BROKEN = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    gzip.BadGzipFile,
    EOFError,
    RuntimeError,
    ValueError,
    OverflowError,
)


@dataclass(frozen=True)
class _Entry:
    """A member as the archive tells of it."""

    name: str
    kind: str
    size: int
    open: Callable[[], IO[bytes]]


def most_unpacked(asset: Asset) -> int:
    """Bytes beyond which what was unpacked cannot be the asset, by its ``size_mb``."""
    return max(int(_UNPACKED_FACTOR * asset.size_mb * _MEGABYTE), _UNPACKED_LEAST)


def unpack(archive: Path, folder: str, target: Path, asset: Asset) -> None:
    """Write one folder of a .tar.gz or .zip archive to `target`, under its own name.

    Hidden files are left out, and files that may hold a pickle with a warning.

    Parameters
    ----------
    archive : Path
        The archive; its first bytes say which of the two it is.
    folder : str
        Path of the folder inside the archive, with ``/``.
    target : Path
        The asset's folder: a member ``top/data/a.json`` of ``top/data`` becomes ``data/a.json``.
    asset : Asset
        Its members, when known, are the only ones written; its size limits what may come out.

    Raises
    ------
    SourceError
        For a name that would leave the target anywhere in the archive, a link or device in the
        folder, a name that stands twice, too many or too large members, an archive that is
        damaged or cut short, and a folder or member that is not in it.
    """
    try:
        written, pickles, tops = _write_members(archive, folder, target, asset)
    except _BROKEN as error:
        raise SourceError(
            f"the archive is damaged, cut short or unreadable: {one_line(error)}"
        ) from error
    if pickles:
        log.warning("left out, as they may hold a pickle: %s", ", ".join(pickles))
    missing = [member for member in asset.members if member not in written]
    if missing:
        raise SourceError(f"the archive holds no {', '.join(missing)}")
    if not written:
        held = ", ".join(sorted(tops)) or "nothing"
        raise SourceError(f"the archive holds no file in a folder {folder!r}; at its top: {held}")


def _write_members(
    archive: Path, folder: str, target: Path, asset: Asset
) -> tuple[set[str], list[str], set[str]]:
    """Names written, names left out as pickles, and a few of the names at the archive's top."""
    above = len(folder) - len(folder.rpartition("/")[2])
    written: set[str] = set()
    pickles: list[str] = []
    tops: set[str] = set()
    total, most = 0, most_unpacked(asset)
    for entry in _list_entries(archive, asset):
        path = entry.name.removeprefix("./").removesuffix("/")
        if path in ("", "."):
            continue
        if not is_safe_member(path):
            raise SourceError(f"the archive holds an unsafe member: {entry.name!r}")
        if len(tops) < 5:
            tops.add(path.split("/")[0])
        name = path[above:]
        if not path.startswith(f"{folder}/") or entry.kind == "folder":
            if path == folder and entry.kind != "folder":
                raise SourceError(f"{folder!r} is not a folder in the archive")
            continue
        if entry.kind != "file":
            raise SourceError(f"the archive holds a link or device: {path!r}")
        if name in written:
            raise SourceError(f"the archive holds {path!r} twice")
        hidden = any(part.startswith(".") for part in name.split("/"))
        if hidden or (asset.members and name not in asset.members):
            continue
        if is_pickle(name):
            pickles.append(name)
            continue
        total += entry.size
        if total > most:
            raise SourceError(
                f"{folder!r} unpacks to more than {most / _MEGABYTE:g} MB, the most that the "
                "catalogue's size_mb allows"
            )
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        with entry.open() as packed, (target / name).open("wb") as stream:
            shutil.copyfileobj(packed, stream, _PIECE_BYTES)
        written.add(name)
    return written, pickles, tops


def _list_entries(archive: Path, asset: Asset) -> Iterator[_Entry]:
    with archive.open("rb") as stream:
        magic = stream.read(4)
    most = max(int(_READ_FACTOR * asset.size_mb * _MEGABYTE), _READ_LEAST)
    if magic[:2] == b"\x1f\x8b":
        entries = _list_tar(archive, most)
    elif magic[:2] == b"PK":
        entries = _list_zip(archive)
    else:
        raise SourceError(f"is neither a .tar.gz nor a .zip archive; it begins with {magic!r}")
    for count, entry in enumerate(entries, start=1):
        if count > MOST_MEMBERS:
            raise SourceError(f"the archive holds more than {MOST_MEMBERS} members")
        yield entry


class _LimitedGzip(gzip.GzipFile):
    """Refuses to read a header that would fill the memory."""

    def read(self, size: int | None = -1) -> bytes:
        if size is None or not 0 <= size <= _MOST_AT_ONCE:
            raise SourceError("the archive holds a header of many megabytes")
        return super().read(size)


def _list_tar(archive: Path, most_read: int) -> Iterator[_Entry]:
    too_large = SourceError(f"the archive unpacks to more than {most_read / _MEGABYTE:g} MB")
    with (
        _LimitedGzip(archive, "rb") as stream,
        tarfile.open(fileobj=stream, mode="r:", encoding="utf-8") as tar,
    ):
        for member in tar:
            if member.size < 0 or stream.tell() + member.size > most_read:
                raise too_large
            kind = "file" if member.isreg() else "folder" if member.isdir() else "other"
            yield _Entry(member.name, kind, member.size, partial(_open, tar, member))
        # To the end, where gzip's checksum stands.
        while stream.read(_PIECE_BYTES):
            if stream.tell() > most_read:
                raise too_large


def _open(tar: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    stream = tar.extractfile(member)
    if stream is None:
        raise SourceError(f"the archive gives no bytes for {member.name!r}")
    return stream


def _list_zip(archive: Path) -> Iterator[_Entry]:
    with zipfile.ZipFile(archive) as packed:
        for member in packed.infolist():
            form = stat.S_IFMT(member.external_attr >> 16)
            regular = form in (0, stat.S_IFREG)
            kind = "folder" if member.is_dir() else "file" if regular else "other"
            yield _Entry(member.filename, kind, member.file_size, partial(packed.open, member))
