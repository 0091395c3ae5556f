"""Replies of any server that speaks the OpenAI protocol; one request a question, never repeated."""

from __future__ import annotations

import json
import logging
import os
import re
import threading
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from biasatlas.errors import InputError
from biasatlas.language_models.chat import Message, Reply, Unavailable
from biasatlas.language_models.protocol import (
    explain_failure,
    read_count,
    read_finish,
    read_first_tokens,
    read_status,
    read_text,
    read_wait,
)

logger = logging.getLogger(__name__)

LONGEST_REPLY = 20_000
LONGEST_REASON = 300
# The client wants one even for a server without keys.
NO_KEY = "no-key"
# Servers that run models themselves draw from fewer tokens unless they are told not to; vLLM has
# another name than llama.cpp for the penalty. Hosted models know none of these.
OWN_SAMPLING = {"top_k": 0, "min_p": 0.0, "repeat_penalty": 1.0, "repetition_penalty": 1.0}
TOP_LOGPROBS = 20
# What OpenAI allows.
FEW_LOGPROBS = 5
_MAY_PASS = frozenset({408, 409, 425, 429})
_NO_MONEY = frozenset({"insufficient_quota", "billing_not_active", "billing_hard_limit_reached"})
_FILTERED = frozenset({"content_filter", "content_policy_violation"})
_BLOCKED = {"choices": [{"finish_reason": "content_filter", "message": {}}]}
_NAMES = re.compile(r"[A-Za-z_][A-Za-z_.]*")
# Parts of a key that a server writes are as secret as the key.
_PART_OF_KEY = 8
_LENGTHS = frozenset({"minLength", "maxLength"})


class EndpointGenerator:
    """A language model behind an address, asked through the `openai` client.

    A parameter that a server does not know and that the reply can do without is left out from
    then on, with a warning: the question ends in `Unavailable` with a wait of 0, so that the
    caller counts every request. The temperature is left out only where it is 1, which is what
    hosted models use without one; else the study would not be the one that was asked for.

    Parameters
    ----------
    model : str
        The name by which the server knows it.
    base_url : str or None
        Address up to `/v1`; None: the client's own default.
    key_from : str or None
        Environment variable that holds the key; None for a server without keys.
    revision : str
        The user's note of what answers; part of the identity.
    structured : {"json_schema", "json_object", "none"}
        How the server is asked for JSON.
    logprobs : bool
        Whether it has /completions with log probabilities.
    parallel : int
        Questions at once.
    timeout : float
        Seconds without a byte from the server. Some servers send blanks while they wait for a
        place, so that a question may take longer as a whole.

    Raises
    ------
    InputError
        When the variable is not set or holds no key, or the address is none.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        key_from: str | None = None,
        revision: str = "",
        structured: str = "json_schema",
        logprobs: bool = False,
        parallel: int = 1,
        timeout: float = 60.0,
    ) -> None:
        import openai

        if base_url is not None:
            _check_address(base_url)
        self._model = model
        self._key_from = key_from
        self._key = _find_key(key_from)
        self._revision = revision
        self._structured = structured
        self._logprobs = logprobs
        self._parallel = parallel
        self._timeout = timeout
        self._client: Any = openai.OpenAI(
            api_key=self._key or NO_KEY,
            base_url=base_url,
            max_retries=0,
            timeout=openai.Timeout(timeout, connect=min(timeout, 10.0)),
        )
        if base_url is not None:
            # The client takes these from the environment; they are no other server's business.
            self._client.organization = self._client.project = None
        self._address = str(self._client.base_url).rstrip("/")
        self._lock = threading.Lock()
        self._left_out: set[str] = set()
        if urlsplit(self._address).hostname == "api.openai.com":
            self._left_out = {*OWN_SAMPLING, "max_tokens"}

    @property
    def identity(self) -> str:
        """Address, model, the user's note of its version, and how JSON is asked for."""
        return json.dumps(
            ["openai", self._address, self._model, self._revision, self._structured],
            ensure_ascii=False,
        )

    @property
    def parallel(self) -> int:
        """How many questions it can be asked at once."""
        return self._parallel

    def reply(
        self,
        messages: Sequence[Message],
        schema: Mapping[str, Any] | None = None,
        *,
        seed: int,
        temperature: float,
        max_tokens: int,
    ) -> Reply:
        """Answer; with a JSON schema the server is asked for that form.

        Raises
        ------
        InputError
            When asking again would not help: a wrong key, an unknown model, no money.
        Unavailable
            When it may help.
        """
        asked: dict[str, Any] = {
            "model": self._model,
            "messages": [dict(message) for message in messages],
            "temperature": temperature,
            "max_tokens": max_tokens,
            "seed": seed,
            "top_p": 1.0,
            **OWN_SAMPLING,
        }
        left_out = set(self._left_out)
        if schema is not None and self._structured != "none":
            asked["response_format"] = _response_format(schema, self._structured, left_out)
        sent = {name: value for name, value in asked.items() if name not in left_out}
        if "max_tokens" in left_out:
            sent["max_completion_tokens"] = max_tokens
        body = self._post("/chat/completions", sent)
        choice = self._choice(body)
        text = self._hide_key(read_text(choice.get("message")))
        finish = read_finish(choice)
        if len(text) > LONGEST_REPLY:
            text, finish = text[:LONGEST_REPLY], "length" if finish == "stop" else finish
        return Reply(
            text=text,
            finish=finish,
            prompt_tokens=read_count(body, "prompt_tokens"),
            reply_tokens=read_count(body, "completion_tokens"),
            answered_by=self._clean(body.get("model"))[:200],
        )

    def continuations(self, text: str, options: Sequence[str]) -> list[float | None]:
        """Log probability (natural) of each option right after a plain text, one request.

        Servers list the most probable next tokens only (20, or 5 where no more are allowed), as
        text. An option is found when it is exactly one of these tokens; None when it is less
        probable, when the model needs several tokens for it, and when the server drops the blank
        in front of a token.

        Raises
        ------
        InputError
            When the server has no such endpoint, or sends no log probabilities.
        Unavailable
            As in `reply`.
        """
        if not self._logprobs:
            return [None] * len(options)
        most = FEW_LOGPROBS if "logprobs" in self._left_out else TOP_LOGPROBS
        sent = {"model": self._model, "prompt": text, "max_tokens": 1, "temperature": 0.0}
        body = self._post("/completions", {**sent, "logprobs": most})
        choice = self._choice(body)
        if read_finish(choice) == "blocked":
            return [None] * len(options)
        found = read_first_tokens(choice.get("logprobs"))
        if not found:
            raise InputError(
                f"{self._name}: the server sends no log probabilities; set `logprobs: false`"
            )
        return [found.get(option) for option in options]

    @property
    def _name(self) -> str:
        return f"language model {self._model} at {self._address}"

    def _post(self, path: str, sent: dict[str, Any]) -> dict[str, Any]:
        """Send one request; the body that came, or the error that says why there is none."""
        import openai

        answer: Exception | dict[str, Any]
        try:
            answer = self._read(self._client.post(path, cast_to=bytes, body=sent), sent)
        except openai.APIStatusError as error:
            wait = read_wait(error.response.headers)
            answer = self._failed(error.status_code, error.body, sent, wait)
        except openai.APITimeoutError:
            answer = Unavailable(f"{self._name}: no answer within {self._timeout:g} seconds")
        except openai.APIConnectionError as error:
            reason = self._clean(str(error.__cause__ or error))
            answer = Unavailable(f"{self._name}: the connection failed ({reason})")
        # Raised outside the block: a server's words, and a key in them, stay out of the chain.
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _read(self, data: bytes, sent: Mapping[str, Any]) -> Exception | dict[str, Any]:
        try:
            body = json.loads(data.decode("utf-8-sig", errors="replace"))
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            return Unavailable(f"{self._name}: the answer is no JSON; is the address right?")
        if body.get("error") and not body.get("choices"):
            # Gateways report a failure of the server behind them with the status of a success.
            return self._failed(read_status(body["error"]), body, sent, None)
        return body

    def _failed(
        self, status: int, body: Any, sent: Mapping[str, Any], wait: float | None
    ) -> Exception | dict[str, Any]:
        """Make the error of a status and an error body; a filtered question is a reply."""
        message, codes = explain_failure(body)
        reason = self._clean(message)[:LONGEST_REASON] or "no reason given"
        if codes & _FILTERED and status < 500:
            return dict(_BLOCKED)
        if codes & _NO_MONEY:
            return InputError(f"{self._name}: no quota is left ({reason})")
        if status in _MAY_PASS or status >= 500:
            return Unavailable(f"{self._name}: {status}, {reason}", wait)
        if status == 401:
            key = (
                f"the key in the environment variable {self._key_from} is not accepted"
                if self._key_from
                else "a key is needed; name the environment variable that holds it in `key_from`"
            )
            return InputError(f"{self._name}: {key} (401)")
        if status == 403:
            key = f", with the key in {self._key_from}" if self._key_from else ""
            return InputError(f"{self._name}: access is refused{key} (403, {reason})")
        changed = self._leave_out(message, codes, sent) if status in (400, 422) else ""
        if changed:
            return Unavailable(f"{self._name}: the server does not take {changed}", 0.0)
        hint = _hint(status, message, sent)
        return InputError(f"{self._name}: {status}, {reason}{hint}")

    def _leave_out(self, message: str, codes: frozenset[str], sent: Mapping[str, Any]) -> str:
        """Leave out what the server names and can be spared; give its names, or nothing."""
        named = frozenset(_NAMES.findall(message[:10_000])) | codes
        named |= {name.rpartition(".")[2] for name in named if not name.endswith(".schema")}
        spared = {"top_p", "seed"} & named & sent.keys()
        if named & OWN_SAMPLING.keys() & sent.keys():
            # A server that does not know one of them knows none.
            spared |= OWN_SAMPLING.keys() & sent.keys()
        if "max_completion_tokens" in named and "max_tokens" in sent:
            spared.add("max_tokens")
        if "temperature" in named and sent.get("temperature") == 1 and "top_p" not in spared:
            spared.add("temperature")
        if "logprobs" in named and sent.get("logprobs", 0) > FEW_LOGPROBS:
            spared.add("logprobs")
        form = json.dumps(sent.get("response_format"))
        if named & _LENGTHS and any(f'"{name}"' in form for name in _LENGTHS):
            spared.add("lengths")
        if any(name.endswith(".schema") for name in named) and '"json_object", "schema"' in form:
            spared.add("schema")
        with self._lock:
            new = sorted(spared - self._left_out)
            self._left_out |= spared
        if new:
            logger.warning("%s: does not take %s; asked without", self._name, ", ".join(new))
        return ", ".join(sorted(spared))

    def _choice(self, body: Mapping[str, Any]) -> dict[str, Any]:
        choices = body.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            raise Unavailable(f"{self._name}: the answer holds no reply")
        if choice.get("error") or choice.get("finish_reason") == "error":
            reason = self._clean(explain_failure(choice.get("error"))[0])[:LONGEST_REASON]
            raise Unavailable(f"{self._name}: the reply broke off ({reason or 'error'})")
        return choice

    def _clean(self, text: object) -> str:
        """A server's words on one line, without the key or a longer part of it."""
        if not isinstance(text, str):
            return ""
        line = "".join(sign if sign.isprintable() else " " for sign in text[:10_000])
        if not self._key:
            return " ".join(line.split())
        line = line.replace(self._key, "[key]")
        parts = [
            self._key[start : start + _PART_OF_KEY]
            for start in range(len(self._key) - _PART_OF_KEY + 1)
        ]
        words = line.split()
        return " ".join("[key]" if any(p in word for p in parts) else word for word in words)

    def _hide_key(self, text: str) -> str:
        # A key as short as a word may be part of any reply.
        if len(self._key) < _PART_OF_KEY:
            return text
        return text.replace(self._key, "[key]")


def _check_address(base_url: str) -> None:
    try:
        parts = urlsplit(base_url)
        _ = parts.port
    except ValueError:
        parts = urlsplit("")
    # The address itself is not shown: it may hold a key.
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError("`base_url`: must be an address that begins with http:// or https://")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise InputError(
            "`base_url`: holds a user's name, a password or something behind ? or #; "
            "a key stands in an environment variable (`key_from`)"
        )


def _find_key(key_from: str | None) -> str:
    if key_from is None:
        return ""
    key = os.environ.get(key_from, "").strip()
    if not key:
        raise InputError(
            f"`key_from`: the environment variable {key_from} is not set; it must hold the key"
        )
    # The client would show the whole header in its error.
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise InputError(
            f"`key_from`: what the environment variable {key_from} holds is no key "
            "(signs other than ASCII letters, digits and punctuation)"
        )
    return key


def _response_format(
    schema: Mapping[str, Any], structured: str, left_out: set[str]
) -> dict[str, Any]:
    if structured == "json_object":
        form: dict[str, Any] = {"type": "json_object"}
        return form if "schema" in left_out else {**form, "schema": dict(schema)}
    # Strict servers want this to be said.
    strict: Any = {"additionalProperties": False, **schema}
    if "lengths" in left_out:
        strict = _without_lengths(strict)
    described = {"name": "persona", "strict": True, "schema": strict}
    return {"type": "json_schema", "json_schema": described}


def _without_lengths(schema: Any) -> Any:
    if isinstance(schema, Mapping):
        kept = {k: v for k, v in schema.items() if k not in _LENGTHS}
        return {name: _without_lengths(value) for name, value in kept.items()}
    return schema


def _hint(status: int, message: str, sent: Mapping[str, Any]) -> str:
    if status == 404 and "prompt" in sent:
        return "; a server without /completions needs `logprobs: false`"
    if status == 404:
        return "; `model` or `base_url` is wrong"
    if "response_format" in message and "response_format" in sent:
        return "; try another `structured`: json_schema, json_object, none"
    return ""
