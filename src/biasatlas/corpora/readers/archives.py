"""Members of a folder, zip or tar, one after another in memory; nothing is ever written."""

from __future__ import annotations

import gzip
import logging
import lzma
import os
import posixpath
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from biasatlas.assets.members import is_safe_member
from biasatlas.corpora.readers.batches import Limits, Report
from biasatlas.corpora.readers.common import check_file
from biasatlas.corpora.readers.streams import DamagedError, open_stream
from biasatlas.errors import InputError

logger = logging.getLogger(__name__)

ENDINGS = (".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.zst", ".zip")
_STEP = 1 << 18
# Names and attributes that a tar puts before a member; a longer one is no honest archive's.
_MOST_HEADER = 1 << 20
_BLOCK = 512
_FAULTS = (
    DamagedError, EOFError, zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile,
    struct.error, OSError, NotImplementedError, ValueError, OverflowError, RecursionError,
)  # fmt: skip
# Other methods unpack a few bytes to gigabytes at one go.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# Header in front of a zip's member: flags, method, checksum, sizes, lengths of name and extras.
_LOCAL = struct.Struct("<6sHH4xIIIHH")
_IN_64_BITS = 0xFFFFFFFF


def iter_members(
    path: Path,
    wanted: Callable[[str], bool],
    limits: Limits,
    report: Report,
    *,
    max_bytes: int,
) -> Iterator[tuple[str, bytes]]:
    """Give the members of a folder or archive that are wanted.

    Parameters
    ----------
    path : Path
        A folder, or a file with one of `ENDINGS`.
    wanted : callable
        Is asked with a member's name, ``/`` between folders. Names that begin with ``._`` (of
        macOS's archives) are never asked for.
    limits : Limits
        ``max_unpacked_gb`` holds for all that is unpacked, in a tar also what is not wanted.
    report : Report
        Counts, unit file: ``skipped_unsafe_name`` (absolute, with ``..``, a drive or a
        backslash), ``skipped_link`` (in a folder only those that lead out of it) and
        ``skipped_special`` (devices and the like), and ``damaged``: then the members before the
        fault are given, and of a zip also those behind a member that is damaged.
    max_bytes : int
        Largest member that is accepted.

    Yields
    ------
    name, raw : str, bytes
        In order of name (folder, zip) or as they come (tar).

    Raises
    ------
    InputError
        No such path, no permission, another ending, a damaged archive with ``damaged: fail``, a
        wanted member that is too big or encrypted, or too much in all.
    """
    job = _Job(path, wanted, limits, report, max_bytes)
    try:
        check_file(path, folder=True)
        name = path.name.lower()
        if path.is_dir():
            yield from _from_folder(job)
        elif name.endswith(".zip"):
            yield from _from_zip(job)
        elif name.endswith(ENDINGS):
            yield from _from_tar(job)
        else:
            raise InputError(f"{path}: give a folder or a file ending in {', '.join(ENDINGS)}")
    except PermissionError as error:
        raise InputError(f"{error.filename or path}: no permission to read it") from error
    except OSError as error:
        raise InputError(f"{error.filename or path}: cannot be read ({error})") from error


@dataclass
class _Job:
    """One call of `iter_members`."""

    path: Path
    wanted: Callable[[str], bool]
    limits: Limits
    report: Report
    max_bytes: int
    unpacked: int = 0
    _warned: set[str] = field(default_factory=set)

    def takes(self, name: str, size: int) -> bool:
        """Decide about an ordinary file, by its name and the size that its header gives."""
        if not is_safe_member(name):
            self.skip("skipped_unsafe_name", name, "has an unsafe name")
            return False
        if posixpath.basename(name).startswith("._") or not self.wanted(name):
            return False
        if size > self.max_bytes:
            raise InputError(
                f"{self.path}: {name} has {size} bytes; at most {self.max_bytes} are read"
            )
        return True

    def skip(self, item: str, name: str, why: str) -> None:
        """Count a member that is never used; the first of its kind is warned of."""
        self.report.count(item, unit="file")
        if item not in self._warned:
            self._warned.add(item)
            logger.warning(
                "%s: %r %s and is not used; all such are counted as %s", self.path, name, why, item
            )

    def unpack(self, n: int) -> None:
        """Count unpacked bytes and stop at the limit."""
        self.unpacked += n
        if self.unpacked > self.limits.unpacked_bytes:
            raise InputError(
                f"{self.path}: unpacks to more than {self.limits.max_unpacked_gb:g} GB; raise "
                "documents.max_unpacked_gb if the file is what it should be"
            )

    def damage(self, error: BaseException, member: str = "") -> None:
        """Report a fault; without a member the archive cannot be read beyond it."""
        text = str(error) or type(error).__name__
        if member:
            text = f"{member} cannot be unpacked ({text})"
        elif not isinstance(error, DamagedError):
            text = f"cannot be read to its end ({text})"
        self.report.damage(self.path, text, self.limits)


def _from_folder(job: _Job) -> Iterator[tuple[str, bytes]]:
    def fail(error: OSError) -> None:
        raise error

    root = job.path.resolve()
    for folder, folders, files in os.walk(job.path, onerror=fail):
        folders.sort()
        # a linked folder is never entered; what is inside ours comes by its own name
        for linked in (Path(folder, name) for name in folders if Path(folder, name).is_symlink()):
            if root not in linked.resolve().parents:
                job.skip("skipped_link", str(linked.relative_to(job.path)), "leads elsewhere")
        for file in (Path(folder, name) for name in sorted(files)):
            name = file.relative_to(job.path).as_posix()
            if file.is_symlink() and root not in file.resolve().parents:
                job.skip("skipped_link", name, "leads elsewhere")
            elif not file.is_file():
                job.skip("skipped_special", name, "is no ordinary file")
            elif job.takes(name, file.stat().st_size):
                yield name, file.read_bytes()


def _from_zip(job: _Job) -> Iterator[tuple[str, bytes]]:
    try:
        archive = zipfile.ZipFile(job.path)
    except PermissionError:
        raise
    except _FAULTS as error:
        job.damage(error)
        yield from _salvage_zip(job)
        return
    with archive:
        for info in sorted(archive.infolist(), key=lambda info: info.orig_filename):
            name = info.orig_filename.removeprefix("./")
            mode = stat.S_IFMT(info.external_attr >> 16)
            if info.is_dir():
                continue
            if mode == stat.S_IFLNK:
                job.skip("skipped_link", name, "is a link")
            elif mode not in (0, stat.S_IFREG):
                job.skip("skipped_special", name, "is no ordinary file")
            elif job.takes(name, info.file_size):
                try:
                    raw = _unzip(archive, info, job)
                except InputError:
                    raise
                except _FAULTS as error:
                    job.damage(error, name)
                    continue
                yield name, raw


def _unzip(archive: zipfile.ZipFile, info: zipfile.ZipInfo, job: _Job) -> bytes:
    """Unpack one member step by step, so that no more is held than its header says."""
    at = f"{job.path}: {info.orig_filename}"
    if info.flag_bits & 1:
        raise InputError(f"{at} is encrypted; unpack the zip with its password, give the folder")
    if info.compress_type not in _METHODS:
        raise InputError(f"{at} is not packed with deflate, as zip files are; pack it again")
    pieces: list[bytes] = []
    with archive.open(info) as packed:
        while piece := packed.read(_STEP):
            job.unpack(len(piece))
            pieces.append(piece)
    raw = b"".join(pieces)
    if len(raw) != info.file_size:
        raise EOFError(f"{len(raw)} bytes, not {info.file_size}")
    return raw


def _salvage_zip(job: _Job) -> Iterator[tuple[str, bytes]]:
    """Give the whole members of a zip whose list, at its end, is lost, by their own headers.

    It ends at the first member whose header tells no size (it may stand behind the member).
    """
    with job.path.open("rb") as file:
        while (header := file.read(_LOCAL.size)).startswith(b"PK\3\4") and len(header) == 30:
            _, flags, method, crc, n_packed, size, n_name, n_extra = _LOCAL.unpack(header)
            raw_name = file.read(n_name)
            name = raw_name.decode("utf-8" if flags & 0x800 else "cp437", "replace")
            start = file.seek(n_extra, os.SEEK_CUR)
            if flags & 0b1001 or n_packed == _IN_64_BITS or method not in _METHODS:
                return
            if not name.endswith("/") and job.takes(name.removeprefix("./"), size):
                packed = file.read(n_packed)
                try:
                    # one byte more than there should be tells that there are more
                    raw = zlib.decompressobj(-15).decompress(packed, size + 1) if method else packed
                except zlib.error:
                    raw = b""
                job.unpack(len(raw))
                if len(packed) == n_packed and len(raw) == size and zlib.crc32(raw) == crc:
                    yield name.removeprefix("./"), raw
            file.seek(start + n_packed)


def _from_tar(job: _Job) -> Iterator[tuple[str, bytes]]:
    members = _tar_members(job)
    while True:
        try:
            member = next(members, None)
        except (InputError, PermissionError):
            raise
        except _FAULTS as error:
            job.damage(error)
            return
        if member is None:
            return
        yield member


def _tar_members(job: _Job) -> Iterator[tuple[str, bytes]]:
    stream = _Forward(_tar_pieces(job.path, job.limits), job)
    with tarfile.open(fileobj=stream, mode="r:") as archive:  # type: ignore[call-overload]
        while (item := archive.next()) is not None:
            # tarfile would keep every header
            archive.members.clear()
            member = _read_member(item, stream, job)
            if member:
                yield member
    stream.finish()


def _read_member(item: tarfile.TarInfo, stream: _Forward, job: _Job) -> tuple[str, bytes] | None:
    name = item.name.removeprefix("./")
    if item.isdir():
        return None
    if item.issym() or item.islnk():
        job.skip("skipped_link", name, "is a link")
    # a sparse file's size says nothing about its bytes
    elif not item.isreg() or item.issparse():
        job.skip("skipped_special", name, "is no ordinary file")
    elif job.takes(name, item.size):
        raw = stream.take(item.size)
        if len(raw) != item.size:
            raise EOFError(f"{name} is cut short")
        return name, raw
    return None


def _tar_pieces(path: Path, limits: Limits) -> Iterator[bytes]:
    if not path.name.lower().endswith((".xz", ".tgz")):
        yield from open_stream(path, limits)
        return
    with lzma.open(path) if path.name.lower().endswith(".xz") else gzip.open(path) as file:
        # unlike read, read1 loses nothing of what comes before a fault
        while piece := file.read1(_STEP):
            yield piece


class _Forward:
    """A tar's bytes as tarfile asks for them: forward only, counted and bounded."""

    def __init__(self, pieces: Iterator[bytes], job: _Job) -> None:
        self._pieces = pieces
        self._job = job
        self._held = b""
        self._start = 0
        self._position = 0
        self._header = b""

    def tell(self) -> int:
        """Number of bytes that have been read or passed over."""
        return self._position

    def seek(self, position: int) -> None:
        """Pass over bytes."""
        if position < self._position:
            raise tarfile.ReadError("a member's size is wrong")
        self._advance(position - self._position, None)

    def read(self, n: int) -> bytes:
        """Read a header, as tarfile does."""
        if n > _MOST_HEADER:
            raise tarfile.ReadError(f"a header of {n} bytes")
        self._header = self.take(n)
        return self._header

    def take(self, n: int) -> bytes:
        """Read bytes; fewer at the end of the file."""
        pieces: list[bytes] = []
        self._advance(n, pieces)
        return b"".join(pieces)

    def finish(self) -> None:
        """Check that tarfile stopped at the mark of the end, and the checksum behind it.

        It also stops, without a word, at a header that is damaged or missing.
        """
        if self._header != bytes(_BLOCK):
            raise tarfile.ReadError("it breaks off between two members")
        while self._advance(_STEP, None):
            pass

    def _advance(self, n: int, pieces: list[bytes] | None) -> int:
        if n < 0:
            raise tarfile.ReadError("a member's size is wrong")
        before = self._position
        while n > 0:
            if self._start == len(self._held):
                self._held, self._start = next(self._pieces, b""), 0
                self._job.unpack(len(self._held))
                if not self._held:
                    break
            piece = self._held[self._start : self._start + n]
            self._start += len(piece)
            self._position += len(piece)
            n -= len(piece)
            if pieces is not None:
                pieces.append(piece)
        return self._position - before
