"""Replies of a chat kept between runs, so that nothing is asked twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from biasatlas.language_models.chat import Chat, Message, Reply, reply_key
from biasatlas.language_models.store import ReplyStore


class ReplyCache:
    """A chat's replies, kept as soon as they come. A context manager.

    Parameters
    ----------
    path : str, Path or None
        File of a ReplyStore; None keeps replies in memory only.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self._store = ReplyStore(path)
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
        """Close the file."""
        self._store.close()

    def ask(
        self, chat: Chat, messages: Sequence[Message], schema: Mapping[str, Any] | None = None
    ) -> str:
        """Take a reply from the cache, or ask for it."""
        key = reply_key(chat, messages, schema)
        reply = self._store.get(key)
        if reply is None:
            reply = self._store.add(key, Reply(chat.ask(messages, schema)))
            self.asked += 1
        else:
            self.from_cache += 1
        return reply.text
