"""Unpack gzip piece by piece, whatever the size of the file."""

from __future__ import annotations

import zlib
from pathlib import Path
from types import TracebackType

from biasatlas.assets.sources.attempt import SourceError

_PIECE_BYTES = 1 << 20
_GZIP = 31  # what zlib calls a gzip header around a window of 32 kB


class GunzipWriter:
    """Take the bytes of a gzip file as they come and write the file that is packed in them.

    Parameters
    ----------
    target : Path
        File to write.
    most_bytes : int or None
        Unpacked bytes beyond which it stops; None: no limit.
    """

    def __init__(self, target: Path, most_bytes: int | None = None) -> None:
        self._stream = target.open("wb")
        self._most = most_bytes
        self._written = 0
        self._unpacker = zlib.decompressobj(_GZIP)
        self._begun = False

    def __enter__(self) -> GunzipWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stream.close()

    def write(self, packed: bytes) -> int:
        """Unpack the next bytes and write what comes out.

        Raises
        ------
        SourceError
            When they are no gzip, are damaged, or more comes out than is allowed.
        """
        count = len(packed)
        out = b""
        # The unpacker may hold back a part when a whole piece came out of it.
        while packed or len(out) == _PIECE_BYTES:
            if self._unpacker.eof:
                # A gzip file may have several parts, and zeros after the last one.
                packed = packed.lstrip(b"\0")
                if not packed:
                    break
                self._unpacker = zlib.decompressobj(_GZIP)
            try:
                out = self._unpacker.decompress(packed, _PIECE_BYTES)
            except zlib.error as error:
                begun = self._begun or "header" not in str(error)
                what = "is damaged" if begun else "is no gzip file"
                raise SourceError(f"what came {what}: {error}") from error
            self._begun = True
            self._keep(out)
            unpacker = self._unpacker
            packed = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
        return count

    def flush(self) -> None:
        """Nothing to do: the file is whole only when it is finished."""

    def finish(self) -> None:
        """Check that the packed file came whole.

        Raises
        ------
        SourceError
            When its end is missing.
        """
        if not self._unpacker.eof:
            done = f"after {self._written / 1e6:.1f} MB unpacked"
            raise SourceError(f"the gzip file is cut short: it stops {done}")

    def _keep(self, out: bytes) -> None:
        self._written += len(out)
        if self._most is not None and self._written > self._most:
            raise SourceError(
                f"unpacks to more than {self._most / 1e6:g} MB, the most that the catalogue's "
                "size_mb allows"
            )
        self._stream.write(out)


def gunzip_file(source: Path, target: Path) -> None:
    """Unpack a gzip file on disk.

    Parameters
    ----------
    source, target : Path
        Packed file, and where the unpacked one must stand.

    Raises
    ------
    SourceError
        When it is no gzip file, is damaged or cut short.
    """
    with source.open("rb") as stream, GunzipWriter(target) as writer:
        while packed := stream.read(_PIECE_BYTES):
            writer.write(packed)
        writer.finish()
