"""Files as they come: plain, gzip or Zstandard, as blocks of bytes or of lines, in flat memory."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, cast

from biasatlas.corpora.readers.batches import Limits, Report
from biasatlas.corpora.readers.common import check_file, decode
from biasatlas.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

PACKED = (".gz", ".zst")
# Packed bytes given to the unpacker at once, as many as unpack to about a megabyte. The most bound
# what one call can unpack to where text is followed by a bomb: 32 KB of gzip to 34 MB, and 8 KB of
# Zstandard (blocks of 128 KB in 4 bytes) to 270 MB.
_LEAST_STEP = 1 << 10
_GZ_STEP = 1 << 15
_ZST_STEP = 1 << 13
_AIM = 1 << 20
# Dumps of Reddit are packed with windows of 2 GB.
_ZST_WINDOW = 2**31
# zlib's number for a gzip header and its check sum
_GZIP = 31
# How a file of each kind begins: Zstandard's frames, and those that its unpackers pass over.
_BEGINS = {
    ".gz": ("gzip", (b"\x1f\x8b",)),
    ".zst": (
        "Zstandard",
        (b"\x28\xb5\x2f\xfd", *(bytes([i]) + b"\x2a\x4d\x18" for i in range(0x50, 0x60))),
    ),
}
_PLAIN_STEP = 1 << 22
_MOST_BLOCK = 16_000_000
_SEARCH = 1 << 17


class DamagedError(Exception):
    """A file breaks off or cannot be unpacked; what came before it has been given."""


class LineBlock(NamedTuple):
    r"""Lines that follow each other.

    Attributes
    ----------
    texts : pyarrow.LargeStringArray
        Each with its line end; the file's last line may have none.
    first : int
        Number of the first line, from 1.
    """

    texts: pa.LargeStringArray
    first: int


def open_stream(path: Path, limits: Limits) -> Iterator[bytes]:
    """Unpack a plain, ``.gz`` or ``.zst`` file piece by piece.

    Members of gzip and frames of Zstandard that follow each other are one text.

    Parameters
    ----------
    path : Path
        The file; its ending tells how it is packed.
    limits : Limits
        Its ``max_unpacked_gb`` is kept.

    Yields
    ------
    bytes
        Pieces of any length; all that could be unpacked before a fault.

    Raises
    ------
    InputError
        No such file, an empty one, no permission, or more bytes than allowed.
    DamagedError
        After the last good piece.
    """
    check_file(path)
    total = 0
    for piece in _pieces(path, limits):
        total += len(piece)
        if total > limits.unpacked_bytes:
            raise InputError(
                f"{path}: unpacks to more than {limits.max_unpacked_gb:g} GB; raise "
                "documents.max_unpacked_gb if the file is what it should be"
            )
        if piece:
            yield piece


class Blocks:
    """Blocks of a file's unpacked bytes.

    Parameters
    ----------
    path : Path
        As in `open_stream`.
    limits : Limits
        A block has about ``batch_mb``, at most 16 MB.
    report : Report
        Learns of damage, after the last good block.

    Attributes
    ----------
    damaged : bool
        True once the file turned out to be damaged (and ``damaged: keep`` is set).
    """

    def __init__(self, path: Path, limits: Limits, report: Report) -> None:
        self.path, self.limits, self.report = path, limits, report
        self.damaged = False

    def __iter__(self) -> Iterator[bytes]:
        size = min(self.limits.batch_bytes, _MOST_BLOCK)
        pieces = open_stream(self.path, self.limits)
        held: list[bytes] = []
        length = 0
        reason = ""
        while True:
            try:
                piece = next(pieces, None)
            except DamagedError as error:
                reason, piece = str(error), None
            if piece is not None:
                held.append(piece)
                length += len(piece)
            if length >= size or (piece is None and length):
                whole = b"".join(held) if len(held) > 1 else held[0]
                held, length = [], 0
                yield from _cut(whole, size)
            if piece is None:
                break
        if reason:
            self.damaged = True
            self.report.damage(self.path, reason, self.limits)


def iter_blocks(path: Path, limits: Limits, report: Report) -> Blocks:
    """Give a file's unpacked bytes block by block; see `Blocks`."""
    return Blocks(path, limits, report)


class Lines:
    r"""Lines of a text file as valid UTF-8.

    A line ends with ``\n`` or ``\r\n``; a carriage return alone is part of its line. A byte order
    mark is taken off, and UTF-16 with its mark is read. NUL bytes stay.

    Parameters
    ----------
    path, limits, report
        As in `Blocks`. Counted: ``decoded_by_fallback`` (lines that are no valid UTF-8),
        ``dropped_too_long`` and ``dropped_damaged``.
    max_bytes : int, optional
        Longest line without its end; by default the longest document. A longer line is passed
        over without being held, but has its number.

    Attributes
    ----------
    damaged : bool
        As in `Blocks`.
    cut : bool
        True once an incomplete last line was dropped, which damage left.
    last : int
        Number of lines so far.
    """

    def __init__(
        self, path: Path, limits: Limits, report: Report, max_bytes: int | None = None
    ) -> None:
        self._blocks = Blocks(path, limits, report)
        self._report = report
        self._most = limits.document_bytes if max_bytes is None else max_bytes
        self.cut = False
        self.last = 0

    @property
    def damaged(self) -> bool:
        """Whether the file turned out to be damaged."""
        return self._blocks.damaged

    def __iter__(self) -> Iterator[LineBlock]:
        held: list[bytes] = []
        length = 0
        skipping = False
        for block in _as_utf8(self._blocks):
            start = block.find(b"\n") + 1 if skipping else 0
            if skipping and not start:
                continue
            skipping = False
            end = block.rfind(b"\n", start) + 1
            if end:
                held.append(block[start:end] if start or end < len(block) else block)
                yield from self._lines(b"".join(held) if len(held) > 1 else held[0])
                held, length, start = [], 0, end
            if start < len(block):
                held.append(block[start:])
                length += len(held[-1])
            if length > self._most:
                held, length, skipping = [], 0, True
                self._too_long(1)
        if held and self.damaged:
            self.cut = True
            self._report.count("dropped_damaged")
        elif held:
            yield from self._lines(b"".join(held))

    def _too_long(self, n: int) -> None:
        self.last += n
        self._report.count("dropped_too_long", n)

    def _lines(self, raw: bytes) -> Iterator[LineBlock]:
        """Give the lines of whole-lined bytes, in one block unless some are too long."""
        import numpy as np
        import pyarrow as pa

        codes = np.frombuffer(raw, np.uint8)
        # in parts that stay in the processor's cache
        parts = range(0, len(codes), _SEARCH)
        ends = np.concatenate([np.flatnonzero(codes[i : i + _SEARCH] == 10) + i for i in parts]) + 1
        if not len(ends) or ends[-1] != len(raw):
            ends = np.append(ends, len(raw))
        offsets = np.concatenate([np.zeros(1, np.int64), ends]).astype(np.int64, copy=False)
        lines = pa.LargeBinaryArray.from_buffers(
            pa.large_binary(), len(ends), [None, pa.py_buffer(offsets), pa.py_buffer(raw)]
        )
        lengths = np.diff(offsets)
        lengths[-1] -= raw.endswith(b"\n")
        lengths[:-1] -= 1
        long = np.flatnonzero(lengths > self._most)
        for before, at in pairwise([-1, *long.tolist(), len(lines)]):
            if at > before + 1:
                texts = self._valid(lines.slice(before + 1, at - before - 1))
                first = self.last + 1
                self.last += len(texts)
                yield LineBlock(texts, first)
            if at < len(lines):
                self._too_long(1)

    def _valid(self, lines: pa.LargeBinaryArray) -> pa.LargeStringArray:
        import pyarrow as pa

        try:
            return lines.cast(pa.large_string())
        except pa.ArrowInvalid:
            texts = [decode(line) for line in lines.to_pylist()]
            self._report.count("decoded_by_fallback", sum(guessed for _, guessed in texts))
            return pa.array([text for text, _ in texts], pa.large_string())


def iter_lines(path: Path, limits: Limits, report: Report, max_bytes: int | None = None) -> Lines:
    """Give a text file's lines block by block; see `Lines`."""
    return Lines(path, limits, report, max_bytes)


def _cut(whole: bytes, size: int) -> Iterator[bytes]:
    if len(whole) < 2 * size:
        yield whole
    else:
        for start in range(0, len(whole), size):
            yield whole[start : start + size]


def _as_utf8(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Take off a byte order mark, and turn UTF-16 into UTF-8 when its mark is there."""
    head = b""
    transcode: codecs.IncrementalDecoder | None = None
    started = False
    for block in blocks:
        if started:
            yield transcode.decode(block).encode() if transcode else block
            continue
        head = head + block if head else block
        if len(head) < len(codecs.BOM_UTF8):
            continue
        started = True
        if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            transcode = codecs.getincrementaldecoder("utf-16")(errors="replace")
            yield transcode.decode(head).encode()
        else:
            yield head.removeprefix(codecs.BOM_UTF8)
        head = b""
    if head:
        yield head
    if transcode:
        yield transcode.decode(b"", final=True).encode()


def _pieces(path: Path, limits: Limits) -> Iterator[bytes]:
    try:
        with path.open("rb", buffering=_PLAIN_STEP) as file:
            if path.suffix.lower() in PACKED:
                yield from _unpack(file, path, limits)
            else:
                step = min(_PLAIN_STEP, limits.batch_bytes)
                while piece := file.read(step):
                    yield piece
    except PermissionError as error:
        raise InputError(f"{path}: no permission to read it") from error
    except OSError as error:
        raise DamagedError(f"cannot be read to its end ({error.strerror or error})") from error


def _unpack(file: IO[bytes], path: Path, limits: Limits) -> Iterator[bytes]:
    import zlib

    from isal import isal_zlib
    from zstandard import ZstdDecompressor, ZstdError

    new: Callable[[], Any]
    if path.suffix.lower() == ".gz":
        most, new = _GZ_STEP, partial(isal_zlib.decompressobj, _GZIP)
    else:
        most, new = _ZST_STEP, ZstdDecompressor(max_window_size=_ZST_WINDOW).decompressobj
    # a class, though its stub says an instance
    isal_error = cast("type[Exception]", isal_zlib.error)
    faults: tuple[type[Exception], ...] = (zlib.error, isal_error, ZstdError)
    unpacker = _Unpacker(new)
    at = 0
    step = _LEAST_STEP
    while packed := file.read(step):
        if not at:
            _check_begin(packed[:4], path, limits)
        try:
            pieces = unpacker.feed(packed)
        except faults as error:
            # The unpackers keep nothing of the step in which they fail.
            if limits.damaged == "keep":
                file.seek(0)
                yield from _rescue(file, at, len(packed), _Unpacker(new), faults)
            raise DamagedError(f"cannot be read to its end ({error})") from error
        yield from pieces
        at += len(packed)
        step = min(2 * step, most) if sum(map(len, pieces)) < _AIM else max(step // 2, _LEAST_STEP)
    if unpacker.open:
        raise DamagedError("cannot be read to its end (it ends in the middle)")


def _check_begin(head: bytes, path: Path, limits: Limits) -> None:
    """Refuse a file that is not packed as its ending says: it is whole, but of another name."""
    kind, begins = _BEGINS[path.suffix.lower()]
    if any(head.startswith(begin[: len(head)]) for begin in begins):
        return
    reason = f"is not {kind} (plain text?)"
    if limits.damaged == "keep":
        raise DamagedError(reason)
    raise InputError(f"{path}: {reason}; take {path.suffix} off its name, or fetch it again")


def _rescue(
    file: IO[bytes], at: int, length: int, unpacker: _Unpacker, faults: tuple[type[Exception], ...]
) -> Iterator[bytes]:
    """Unpack again up to the bytes in which the fault lies, and these one by one."""
    for start in range(0, at, _LEAST_STEP):
        unpacker.feed(file.read(min(_LEAST_STEP, at - start)))
    last = file.read(length)
    for i in range(len(last)):
        try:
            yield from unpacker.feed(last[i : i + 1])
        except faults:
            return


class _Unpacker:
    """Members or frames that follow each other, as one."""

    def __init__(self, new: Callable[[], Any]) -> None:
        self._new = new
        self._member: Any = None
        self._any = False

    @property
    def open(self) -> bool:
        """Whether a member has begun and not ended."""
        return self._member is not None

    def feed(self, packed: bytes) -> list[bytes]:
        """Unpack the next bytes."""
        pieces: list[bytes] = []
        while packed:
            if self._member is None:
                # tapes and some tools fill up with zeros, which gzip allows
                packed = packed.lstrip(b"\0") if self._any else packed
                if not packed:
                    break
                self._member, self._any = self._new(), True
            pieces.append(self._member.decompress(packed))
            if not self._member.eof:
                break
            packed, self._member = self._member.unused_data, None
        return pieces
