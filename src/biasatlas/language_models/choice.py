"""A question whose answer is one of given options: a JSON schema leaves the model no other."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any


def choice_schema(name: str, options: Sequence[str]) -> dict[str, Any]:
    """JSON schema of an object whose one key is one of the options."""
    return {
        "type": "object",
        "properties": {name: {"type": "string", "enum": list(options)}},
        "required": [name],
        "additionalProperties": False,
    }


def read_choice(reply: str, name: str, options: Sequence[str]) -> str | None:
    """The option that a reply chooses; None where it is cut off or chooses none."""
    try:
        value = json.loads(reply)
    except ValueError:
        return None
    chosen = value.get(name) if isinstance(value, dict) else None
    return chosen if chosen in options else None
