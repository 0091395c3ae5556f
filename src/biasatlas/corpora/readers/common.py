"""What all readers share: bytes to text, broken archives to one clear message."""

from __future__ import annotations

import codecs
import gzip
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.errors import InputError

if TYPE_CHECKING:
    import polars as pl

COLUMNS = (
    "document", "title", "text", "country", "region", "source", "outlet_country", "date",
)  # fmt: skip


def check_options(reader: str, options: Mapping[str, Any], allowed: Iterable[str]) -> None:
    """Refuse option names that the reader does not know."""
    allowed = sorted(allowed)
    problems = [
        f"reader {reader}: option {key!r} is unknown; allowed: {', '.join(allowed)}"
        for key in sorted(options)
        if key not in allowed
    ]
    if problems:
        raise InputError(problems)


def check_file(path: Path, *, folder: bool = False) -> None:
    """Refuse a path that is missing, empty or of the wrong kind."""
    if path.is_dir() and folder:
        return
    if path.is_dir():
        raise InputError(f"{path}: is a folder; give a file")
    if not path.exists():
        raise InputError(f"{path}: file not found; put it there or correct the path in the config")
    if path.stat().st_size == 0:
        raise InputError(f"{path}: the file is empty; fetch it again")


@contextmanager
def broken_as_input_error(path: Path) -> Iterator[None]:
    """Turn the many errors of a broken archive into one that names the file."""
    try:
        yield
    except (
        EOFError,
        zlib.error,
        lzma.LZMAError,
        gzip.BadGzipFile,
        tarfile.TarError,
        zipfile.BadZipFile,
        NotImplementedError,
        OSError,
    ) as error:
        reason = str(error) or type(error).__name__
        raise InputError(
            f"{path}: cannot be read to its end ({reason}); truncated or damaged? Fetch it again"
        ) from error


def read_bytes(path: Path) -> bytes:
    """Read a plain or gzipped (``.gz``) file whole."""
    check_file(path)
    with broken_as_input_error(path):
        raw = path.read_bytes()
        if path.suffix == ".gz":
            raw = gzip.decompress(raw)
    if not raw.strip():
        raise InputError(f"{path}: holds no text; fetch it again")
    return raw


def decode(raw: bytes) -> tuple[str, bool]:
    """Decode bytes as UTF-8 (or UTF-16 with its mark), else as Windows-1252, else Latin-1.

    Returns
    -------
    text : str
    fallback : bool
        True when the bytes were not valid Unicode, so that the text is a guess.
    """
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return raw.decode("utf-16", errors="replace"), False
    try:
        return raw.decode("utf-8-sig"), False
    except UnicodeDecodeError:
        pass
    try:
        return raw.decode("cp1252"), True
    except UnicodeDecodeError:
        return raw.decode("latin-1"), True


def decode_lines(raw: bytes) -> tuple[str, int]:
    """Decode line by line, so that one bad line leaves the others as they are.

    Returns
    -------
    text : str
    n_fallback : int
        Lines that were not valid UTF-8.
    """
    text, fallback = decode(raw)
    if not fallback:
        return text, 0
    lines = [decode(line) for line in raw.split(b"\n")]
    return "\n".join(line for line, _ in lines), sum(bad for _, bad in lines)


def document_frame(columns: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    """Build a frame with all columns of `COLUMNS`; missing ones are empty text."""
    import polars as pl

    n = len(columns["document"])
    # a lone surrogate (possible in JSON) cannot be stored as UTF-8
    data = {
        name: [value.encode("utf-8", "replace").decode("utf-8") for value in columns[name]]
        if name in columns
        else [""] * n
        for name in COLUMNS
    }
    return pl.DataFrame(data, schema=dict.fromkeys(COLUMNS, pl.String))
