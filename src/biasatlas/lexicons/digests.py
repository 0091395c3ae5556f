"""A short hash of what a list says, blind to how its file is written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from typing import Any

_SILENT = frozenset({"citation", "note", "path", "validated"})


def digest(content: Any) -> str:
    """Hash the parsed, sorted content of a test, a set, a list of them, or plain data.

    Everything that is scored or reaches a table counts: test, description, language, names
    of sets, words, published values. Comments, white space, the order of words and of keys,
    the citation and the path do not.

    Parameters
    ----------
    content : dataclass, mapping, list, tuple, set, str, number, bool or None
        Lists, tuples and sets are sorted first.

    Returns
    -------
    str
        Sixteen hexadecimal digits of SHA-256.

    Raises
    ------
    TypeError
        For any other type.
    """
    return hashlib.sha256(_canonical(content).encode()).hexdigest()[:16]


def _canonical(content: Any) -> str:
    if is_dataclass(content) and not isinstance(content, type):
        names = [one.name for one in fields(content) if one.name not in _SILENT]
        content = {name: getattr(content, name) for name in names}
    if isinstance(content, Mapping):
        items = sorted((json.dumps(str(key)), _canonical(value)) for key, value in content.items())
        return "{" + ",".join(f"{key}:{value}" for key, value in items) + "}"
    if isinstance(content, (list, tuple, AbstractSet)):
        return "[" + ",".join(sorted(_canonical(item) for item in content)) + "]"
    if content is None or isinstance(content, (str, int, float, bool)):
        return json.dumps(content, ensure_ascii=True)
    raise TypeError(f"cannot digest a {type(content).__name__}")
