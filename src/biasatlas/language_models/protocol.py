"""What servers that speak the OpenAI protocol answer: no answer is trusted to have its form."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

_FINISHES = {
    "length": "length",
    "max_tokens": "length",
    "content_filter": "blocked",
    "safety": "blocked",
    "refusal": "blocked",
}
_SURROGATES = re.compile("[\ud800-\udfff]")
_TAGS = re.compile(r"<[^<>]{0,300}>")


def read_text(message: Any) -> str:
    """Text of a message; a refusal where there is no other, nothing where there is none."""
    if not isinstance(message, Mapping):
        return ""
    content = message.get("content")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        content = "".join(part for part in parts if isinstance(part, str))
    if not isinstance(content, str) or not content:
        content = message.get("refusal")
    # Half a pair of a sign cannot be written to a file.
    return _SURROGATES.sub("\ufffd", content) if isinstance(content, str) else ""


def read_finish(choice: Mapping[str, Any]) -> str:
    """Why a reply ends: stop, length or blocked."""
    return _FINISHES.get(str(choice.get("finish_reason")).lower(), "stop")


def read_count(body: Mapping[str, Any], name: str) -> int:
    """Tokens by their name in the usage; 0 where a server does not count."""
    usage = body.get("usage")
    value = usage.get(name) if isinstance(usage, Mapping) else None
    return value if isinstance(value, int) and value > 0 and not isinstance(value, bool) else 0


def read_first_tokens(logprobs: Any) -> dict[str, float]:
    """Log probabilities of the next token by its text, in OpenAI's or llama.cpp's form."""
    if not isinstance(logprobs, Mapping):
        return {}
    tops = logprobs.get("top_logprobs")
    first = tops[0] if isinstance(tops, list) and tops else None
    pairs: list[tuple[Any, Any]] = list(first.items()) if isinstance(first, Mapping) else []
    content = logprobs.get("content")
    if isinstance(content, list) and content and isinstance(content[0], Mapping):
        listed = content[0].get("top_logprobs")
        listed = listed if isinstance(listed, list) else []
        tokens = [one for one in listed if isinstance(one, Mapping)]
        pairs = [(one.get("token"), one.get("logprob")) for one in tokens]
    found: dict[str, float] = {}
    for token, value in pairs:
        # Servers write -9999 for a probability of 0.
        if isinstance(token, str) and isinstance(value, int | float) and value > -9999:
            found.setdefault(token, min(float(value), 0.0))
    return found


def read_status(error: Any) -> int:
    """HTTP status in an error that came as a success; 500 where there is none."""
    code = error.get("code") if isinstance(error, Mapping) else None
    return code if isinstance(code, int) and 400 <= code < 600 else 500


def read_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait: a number, or a date."""
    from datetime import UTC, datetime
    from email.utils import parsedate_to_datetime

    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(name, "")
        try:
            seconds = float(value) / unit
        except ValueError:
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    try:
        until = parsedate_to_datetime(headers.get("retry-after", ""))
    except (ValueError, TypeError, OverflowError):
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max((until - datetime.now(UTC)).total_seconds(), 0.0)


def explain_failure(body: Any) -> tuple[str, frozenset[str]]:
    """Message, and codes with the parameter's name, of the error bodies of several servers."""
    if isinstance(body, list) and body:
        body = body[0]
    if isinstance(body, Mapping) and isinstance(body.get("error"), Mapping):
        body = body["error"]
    if isinstance(body, str):
        return " ".join(_TAGS.sub(" ", body[:10_000]).split()), frozenset()
    if not isinstance(body, Mapping):
        return "", frozenset()
    codes = frozenset(str(body[name]) for name in ("code", "type", "param") if body.get(name))
    message = body.get("message") or body.get("detail") or body.get("error") or ""
    if isinstance(message, list):
        message = "; ".join(_complaint(one) for one in message[:20])
    return str(message), codes


def _complaint(one: Any) -> str:
    """One line of a list of complaints about the request."""
    if not isinstance(one, Mapping):
        return str(one)
    place = one.get("loc")
    where = ".".join(map(str, place)) if isinstance(place, list) else ""
    return f"{where}: {one.get('msg', '')}"
