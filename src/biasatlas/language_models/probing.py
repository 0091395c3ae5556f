"""Log probabilities of continuations, asked for and kept as replies are."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from biasatlas.errors import InputError
from biasatlas.language_models.asking import Limits, Question, ask_all
from biasatlas.language_models.chat import Generator, Message, Reply
from biasatlas.language_models.store import ReplyStore


class _Prober:
    """A generator that replies with the log probabilities of options, as JSON."""

    def __init__(self, generator: Generator, options: Sequence[str]) -> None:
        self._generator = generator
        self._options = list(options)

    @property
    def identity(self) -> str:
        """The model, and what is asked of it."""
        return f"{self._generator.identity} continuations {json.dumps(self._options)}"

    @property
    def parallel(self) -> int:
        """As the model's."""
        return self._generator.parallel

    def reply(
        self,
        messages: Sequence[Message],
        schema: Mapping[str, Any] | None = None,
        *,
        seed: int,
        temperature: float,
        max_tokens: int,
    ) -> Reply:
        """Probabilities of the options behind a plain text; nothing is drawn."""
        del schema, seed, temperature, max_tokens
        found = self._generator.continuations(messages[0]["content"], self._options)
        # What is kept is never asked again, so nothing wrong may be.
        if not _are_log_p(found, len(self._options)):
            raise InputError(
                f"the language model gives {str(found)[:80]}, which is no list of "
                f"{len(self._options)} log probabilities"
            )
        return Reply(json.dumps(found))

    def continuations(self, text: str, options: Sequence[str]) -> list[float | None]:
        """As the model's."""
        return self._generator.continuations(text, options)


def probe_all(
    generator: Generator,
    texts: Sequence[str],
    options: Sequence[str],
    store: ReplyStore,
    *,
    limits: Limits,
    already: int = 0,
) -> list[list[float | None]]:
    """Log probability of each option right after each text; nothing known is asked again.

    Parameters
    ----------
    generator : Generator
    texts : sequence of str
        Plain beginnings, no chats.
    options : sequence of str
        Continuations, with the space before them.
    store : ReplyStore
    limits, already
        As in `biasatlas.language_models.asking.ask_all`.

    Returns
    -------
    list of list of float or None
        A list a text, natural logarithms; None where the model cannot say.

    Raises
    ------
    InputError
        As `ask_all`, for a model that gives something else, and for a file of replies that holds
        something else under a key.
    """
    asked = [Question([{"role": "text", "content": text}], None, 0) for text in texts]
    prober = _Prober(generator, options)
    replies = ask_all(
        prober, asked, store, temperature=0, max_tokens=1, limits=limits, already=already
    )
    return [_read(reply.text, len(options), store) for reply in replies]


def _read(text: str, n: int, store: ReplyStore) -> list[float | None]:
    try:
        values = json.loads(text)
    except ValueError:
        values = None
    if not _are_log_p(values, n):
        raise InputError(f"{store.path}: {text[:80]!r} is no list of {n} log probabilities")
    return [None if value is None else float(value) for value in values]


def _are_log_p(values: Any, n: int) -> bool:
    return isinstance(values, list) and len(values) == n and all(map(_is_log_p, values))


def _is_log_p(value: Any) -> bool:
    if value is None:
        return True
    # bool is an int to isinstance.
    number = isinstance(value, float | int) and not isinstance(value, bool)
    return number and math.isfinite(value) and value <= 0
