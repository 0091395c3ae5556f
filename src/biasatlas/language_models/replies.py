"""Replies kept between runs, so that nothing is asked twice."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from biasatlas.files import write_text
from biasatlas.language_models.chat import Chat, Message, reply_key

logger = logging.getLogger(__name__)


class ReplyCache:
    """Replies by the hash of all that decides them, in a JSON file.

    As a context manager it writes the file at the end, also when the block ends early.

    Parameters
    ----------
    path : str, Path or None
        None keeps replies in memory only.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self._path = None if path is None else Path(path)
        self._known = {} if self._path is None else _read(self._path)
        self._new = False
        self.asked = 0
        self.from_cache = 0

    def __enter__(self) -> ReplyCache:
        """Start asking."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Keep what was answered."""
        if self._new and self._path is not None:
            ordered = dict(sorted(self._known.items()))
            write_text(json.dumps(ordered, ensure_ascii=False, indent=0) + "\n", self._path)

    def ask(
        self, chat: Chat, messages: Sequence[Message], schema: Mapping[str, Any] | None = None
    ) -> str:
        """Take a reply from the cache, or ask for it."""
        key = reply_key(chat, messages, schema)
        if key in self._known:
            self.from_cache += 1
        else:
            self._known[key] = chat.ask(messages, schema)
            self._new = True
            self.asked += 1
        return self._known[key]


def _read(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        logger.warning("%s cannot be read (%s); everything is asked anew", path.name, error)
        return {}
    if not isinstance(known, dict) or not all(isinstance(v, str) for v in known.values()):
        logger.warning("%s does not hold replies; everything is asked anew", path.name)
        return {}
    return known
