"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from biasatlas.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


@contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """Give a temporary path beside `path` and rename it when the block succeeds.

    Parameters
    ----------
    path : str or Path
        Where the finished file (or folder) must stand. Missing parents are made.

    Yields
    ------
    Path
        A path of the same suffix in the same folder; write there. When the block
        raises, whatever stands there is removed and `path` is left as it was.

    Raises
    ------
    InputError
        When the disk or the user's share of it is full.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    temporary = folder / path.name
    try:
        yield temporary
        if not temporary.exists():
            raise FileNotFoundError(f"nothing was written for {path}")
        if path.is_dir() and not path.is_symlink():
            if not temporary.is_dir():
                raise InputError(f"{path}: is a folder; a file is to stand there. Move it away")
            shutil.rmtree(path)
        os.replace(temporary, path)
    except Exception as error:
        full = _no_room(error)
        if not full:
            raise
        raise InputError(f"{path}: cannot be written ({full}); make room and run again") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _no_room(error: Exception) -> str:
    """Say in what way there is no room, empty for any other error; polars gives text only."""
    for number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        if getattr(error, "errno", None) == number or f"os error {number})" in str(error):
            return os.strerror(number)
    return ""


def write_text(text: str, path: str | Path) -> None:
    """Write `text` as UTF-8 with Unix line ends, whole or not at all."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def write_parquet(frame: pd.DataFrame | pl.DataFrame, path: str | Path) -> None:
    """Write a frame without its index as zstd Parquet, whole or not at all."""
    import pandas as pd

    with atomic_path(path) as temporary:
        if isinstance(frame, pd.DataFrame):
            frame.to_parquet(temporary, index=False, compression="zstd")
        else:
            frame.write_parquet(temporary, compression="zstd")


def write_csv(frame: pd.DataFrame, path: str | Path) -> None:
    """Write a frame without its index as CSV, whole or not at all.

    Floats are written with the shortest digits that read back to the same value.
    """
    with atomic_path(path) as temporary:
        frame.to_csv(temporary, index=False, lineterminator="\n")
