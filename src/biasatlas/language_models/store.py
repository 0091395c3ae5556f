"""A file of replies that is only ever appended to, so that a killed run loses none of them."""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from types import TracebackType
from typing import Any

from biasatlas.errors import InputError
from biasatlas.language_models.chat import Reply

logger = logging.getLogger(__name__)

FINISHES = ("stop", "length", "blocked")
# What a table of 32-bit counts can hold; no reply is near it.
MOST_TOKENS = 2**31 - 1
_FIELDS = {"key", *(one.name for one in fields(Reply))}


class ReplyStore:
    """Replies by the hash of all that decides them: a line of JSON each, on the disk at once.

    Threads may share a store, and processes a file: each line is appended in one write. Where a key
    stands twice the first reply holds. A line that was cut off by a kill, and any that is no reply,
    is left out and stays where it is. The file is made with the first new reply. A context manager.

    Parameters
    ----------
    path : str, Path or None
        None keeps replies in memory only.

    Raises
    ------
    InputError
        When the file cannot be read.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = None if path is None else Path(path)
        self._lock = threading.Lock()
        self._file: int | None = None
        self._known: dict[str, Reply] = {}
        if self.path is not None:
            content = _read(self.path)
            self._known = content.replies
            _say_left_out(content, self.path)

    def __enter__(self) -> ReplyStore:
        """Start."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the file; nothing waits to be written."""
        self.close()

    def __len__(self) -> int:
        """How many replies are known."""
        return len(self._known)

    def get(self, key: str) -> Reply | None:
        """The reply of a key, None where there is none yet."""
        return self._known.get(key)

    def add(self, key: str, reply: Reply) -> Reply:
        """Keep a reply; it is on the disk when this returns.

        Returns
        -------
        Reply
            As it is kept: the earlier one where the key has one; halves of characters, which no
            table can hold, replaced.

        Raises
        ------
        InputError
            When the file cannot be written.
        """
        if reply.finish not in FINISHES:
            raise ValueError(f"finish {reply.finish!r} is none of {FINISHES}")
        reply = _storable(reply)
        with self._lock:
            if key not in self._known:
                if self.path is not None:
                    self._append({"key": key, **asdict(reply)}, self.path)
                self._known[key] = reply
            return self._known[key]

    def close(self) -> None:
        """Close the file; the next reply opens it again."""
        with self._lock:
            if self._file is not None:
                os.close(self._file)
                self._file = None

    def _append(self, row: dict[str, Any], path: Path) -> None:
        data = (json.dumps(row, ensure_ascii=False) + "\n").encode("utf-8")
        try:
            if self._file is None:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
            if not _ends_a_line(self._file):
                data = b"\n" + data
            written = os.write(self._file, data)
            os.fsync(self._file)
        except OSError as error:
            raise InputError(f"{path}: cannot be written ({error.strerror})") from error
        if written < len(data):
            raise InputError(f"{path}: cannot be written (no room); make room and run again")


def stored_count(paths: Iterable[str | Path]) -> int:
    """Replies in some stores; a file that is not there has none.

    One that two processes asked for at the same time counts twice: it was asked for twice.
    """
    return sum(_read(Path(path)).lines for path in paths)


@dataclass
class _Content:
    replies: dict[str, Reply] = field(default_factory=dict)
    lines: int = 0
    foreign: int = 0
    cut_off: bool = False


def _read(path: Path) -> _Content:
    content = _Content()
    try:
        # In bytes: a foreign file need not be UTF-8, and Unicode has line ends of its own.
        with path.open("rb") as file:
            for line in file:
                _read_line(line, content)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    return content


def _read_line(line: bytes, content: _Content) -> None:
    if not line.strip():
        return
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if _is_reply(row):
        content.lines += 1
        key = row.pop("key")
        content.replies.setdefault(key, _storable(Reply(**row)))
    elif line.endswith(b"\n"):
        content.foreign += 1
    else:
        # The last line only: no other has no end.
        content.cut_off = True


def _is_reply(row: Any) -> bool:
    if not isinstance(row, dict) or row.keys() != _FIELDS:
        return False
    texts = all(isinstance(row[name], str) for name in ("key", "text", "answered_by"))
    # bool is an int to isinstance.
    counts = all(type(row[name]) is int for name in ("prompt_tokens", "reply_tokens"))
    return texts and counts and row["finish"] in FINISHES


def _storable(reply: Reply) -> Reply:
    return Reply(
        _whole_characters(reply.text),
        reply.finish,
        min(max(reply.prompt_tokens, 0), MOST_TOKENS),
        min(max(reply.reply_tokens, 0), MOST_TOKENS),
        _whole_characters(reply.answered_by),
    )


def _whole_characters(text: str) -> str:
    """Put U+FFFD for surrogates without their half, as of a reply cut in the middle of an emoji."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _ends_a_line(file: int) -> bool:
    """Whether a new line may begin; not after one that a kill or a full disk cut off."""
    size = os.fstat(file).st_size
    return size == 0 or os.pread(file, 1, size - 1) == b"\n"


def _say_left_out(content: _Content, path: Path) -> None:
    if content.cut_off:
        logger.warning("%s: its last line is cut off and left out; asked again", path.name)
    if content.foreign:
        logger.warning("%s: left out, as no replies: %d lines", path.name, content.foreign)
