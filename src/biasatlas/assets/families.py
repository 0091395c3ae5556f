"""Families of assets: one entry of the catalogue for the same thing in many languages."""

from __future__ import annotations

import re
from typing import Any

_PLACE = "{language}"
_CODE = re.compile(r"[a-z]{2,3}")


def expand_family(name: object, entry: object) -> tuple[list[tuple[object, object]], list[str]]:
    """Turn an entry with a key ``languages`` into one entry a language.

    ``{language}`` in the entry's name and in any of its texts becomes the language's code. Any
    other entry is given back as it is.

    Parameters
    ----------
    name, entry : object
        Key and value as YAML gives them.

    Returns
    -------
    entries : list of (object, object)
        Names and entries, in the order of the languages; empty when there is a problem.
    problems : list of str
        One line a problem: asset, key, value, what is allowed.
    """
    templated = isinstance(name, str) and _PLACE in name
    if not isinstance(entry, dict) or "languages" not in entry:
        if templated:
            return [], [f"{name}: {_PLACE} in a name needs the key `languages`"]
        return [(name, entry)], []
    languages = entry["languages"]
    rest = {key: value for key, value in entry.items() if key != "languages"}
    problems = _check_languages(languages, f"{name}.languages")
    if not templated:
        problems.append(f"{name}: the name of a family needs {_PLACE}")
    if not any(_PLACE in str(source) for source in _as_list(rest.get("sources"))):
        problems.append(f"{name}.sources: no source holds {_PLACE}: all would be the same")
    if rest.get("sha256") is not None:
        problems.append(f"{name}.sha256: one hash cannot serve several files; null is needed")
    if "path_key" in rest:
        problems.append(f"{name}.path_key: one path cannot serve several assets; not allowed")
    if problems:
        return [], problems
    return [(_fill(name, code), _fill(rest, code)) for code in languages], []


def _check_languages(languages: object, where: str) -> list[str]:
    if not isinstance(languages, list) or not languages:
        return [f"{where}: {languages!r}; a list of language codes is needed"]
    problems = [
        f"{where}: {code!r}; a code of two or three lower-case letters is needed"
        for code in languages
        if not isinstance(code, str) or not _CODE.fullmatch(code)
    ]
    twice = sorted({str(code) for code in languages if languages.count(code) > 1})
    return problems + [f"{where}: {code!r} stands twice" for code in twice]


def _as_list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _fill(value: Any, code: str) -> Any:
    """Put a language's code into every text of a value."""
    if isinstance(value, str):
        return value.replace(_PLACE, code)
    if isinstance(value, list):
        return [_fill(item, code) for item in value]
    if isinstance(value, dict):
        return {key: _fill(item, code) for key, item in value.items()}
    return value
