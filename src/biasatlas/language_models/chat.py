"""What the workflow asks of any language model, and the settings that decide a reply."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

Message = Mapping[str, str]


@dataclass(frozen=True)
class Reply:
    """What a model replied.

    Attributes
    ----------
    text : str
        As it came.
    finish : str
        ``stop``; ``length`` where it was cut off; ``blocked`` where a filter kept it back.
    prompt_tokens, reply_tokens : int
        As the backend counts them; 0 where it does not.
    answered_by : str
        The model that the backend says answered; may be empty.
    """

    text: str
    finish: str = "stop"
    prompt_tokens: int = 0
    reply_tokens: int = 0
    answered_by: str = ""


class Unavailable(Exception):
    """A failure that may pass: too many requests, a server's fault, no connection, a time-out.

    Parameters
    ----------
    reason : str
        What happened, in words for the user.
    wait : float or None
        Seconds that the server asks to wait.
    """

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


class Generator(Protocol):
    """A language model that invents text, sampled at a temperature and nothing else."""

    @property
    def identity(self) -> str:
        """What decides a reply beside question, seed, temperature and length; never a key."""

    @property
    def parallel(self) -> int:
        """How many questions it can be asked at once."""

    def reply(
        self,
        messages: Sequence[Message],
        schema: Mapping[str, Any] | None = None,
        *,
        seed: int,
        temperature: float,
        max_tokens: int,
    ) -> Reply:
        """Answer; with a JSON schema in that form, where the backend can hold to one.

        Raises
        ------
        InputError
            When asking again would not help: a wrong key, an unknown model.
        Unavailable
            When it may help.
        """

    def continuations(self, text: str, options: Sequence[str]) -> list[float | None]:
        """Log probability (natural) of each option right after a plain text.

        None where the backend cannot say.
        """


@dataclass(frozen=True)
class ChatSettings:
    """How a reply is drawn.

    Attributes
    ----------
    temperature : float
        0 always takes the most probable token.
    max_tokens : int
        Most new tokens a reply.
    repeat_penalty : float
        Above 1 makes tokens of the reply less probable again.
    seed : int
        The same for every question.
    threads : int
        Two busy threads are many times slower than one on two cores.
    context : int
        Tokens of question and reply together; at most what the model was trained for.
    """

    temperature: float = 0.1
    max_tokens: int = 500
    repeat_penalty: float = 1.1
    seed: int = 1
    threads: int = 1
    context: int = 2048


class Chat(Protocol):
    """A language model that answers chat messages."""

    @property
    def key(self) -> str:
        """What decides a reply beside the messages: model, library, settings."""

    @property
    def context(self) -> int:
        """Tokens of question and reply together."""

    @property
    def max_tokens(self) -> int:
        """Most tokens of a reply."""

    def count(self, messages: Sequence[Message]) -> int:
        """Tokens of a question, the markup of the chat included."""

    def cut(self, text: str, tokens: int) -> str:
        """The first words of a text, at most so many tokens."""

    def ask(self, messages: Sequence[Message], schema: Mapping[str, Any] | None = None) -> str:
        """Answer; with a JSON schema the reply is JSON of that form."""


def reply_key(chat: Chat, messages: Sequence[Message], schema: Mapping[str, Any] | None) -> str:
    """Hash of all that decides a reply, as 32 hex digits."""
    return _hash([chat.key, [dict(message) for message in messages], schema])


def settings_key(settings: ChatSettings) -> str:
    """Settings as one text; threads do not decide what is asked but may decide a last bit."""
    return json.dumps(asdict(settings), sort_keys=True)


def question_key(
    identity: str,
    messages: Sequence[Message],
    schema: Mapping[str, Any] | None,
    *,
    seed: int,
    temperature: float,
    max_tokens: int,
) -> str:
    """Hash of all that decides a sampled reply, as 32 hex digits."""
    asked = [
        identity,
        [dict(message) for message in messages],
        schema,
        seed,
        float(temperature),
        max_tokens,
    ]
    return _hash(asked)


def _hash(asked: Sequence[Any]) -> str:
    text = json.dumps(asked, sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(text.encode("utf-8"), digest_size=16).hexdigest()
