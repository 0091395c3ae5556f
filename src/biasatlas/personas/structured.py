"""The fields of a reply: JSON, JSON with faults, or lines such as ``Gender: female``."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache

from biasatlas.personas.gender_words import GenderWords, fold

# Longest part of a value that is kept as a name, and that is looked at for a gender.
LONGEST_NAME = 100
LONGEST_GENDER = 200


def _string(opens: str, closes: str) -> str:
    # A quotation mark inside a string is often not escaped: only one before , : } ] or the end
    # closes it. No two branches begin alike, so that nothing is tried twice.
    return rf"[{opens}]((?:[^\\{closes}]|\\.|[{closes}](?!\s*+(?:[,:}}\]]|\Z))|\\\Z)*+)[{closes}]?"


_STRINGS = "|".join(_string(*quotes) for quotes in (('"', '"'), ("'‘", "'’"), ("“", "”")))
_TOKEN = re.compile(
    rf"(?s:(?P<mark>[{{}}\[\],:])|{_STRINGS}|(?P<bare>[^\s{{}}\[\],:][^{{}}\[\],:\n]*+))"
)
_FENCE = re.compile(r"^[ \t]*```\w*[ \t]*$", re.MULTILINE)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_UNESCAPED = {"n": "\n", "t": "\t", "r": "\r"}


@dataclass(frozen=True)
class Fields:
    """What a reply states.

    Attributes
    ----------
    name, about : str
        Empty where it does not say.
    genders : tuple of str
        Values of the field of gender as they stand, one a person; blank ones are left out.
    text : str
        What the reply says beside names and genders.
    """

    name: str
    about: str
    genders: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class _Value:
    field: str
    depth: int
    text: str


def read_fields(text: str, words: GenderWords) -> Fields:
    """Read name, gender and description of a reply, however faulty its form.

    Parameters
    ----------
    text : str
        The reply. Of an object that is cut off, what stands there is read.
    words : GenderWords
        The names that fields may have.

    Returns
    -------
    Fields
        Fields of an inner object count only where an outer one has none of that name, so that a
        partner's gender is not the persona's.
    """
    text = without_thoughts(text.encode("utf-8", "replace").decode("utf-8"))
    text = _FENCE.sub("", text)
    values = _read_objects(text, words)
    if not any(value.field for value in values):
        return _read_lines(text, words)
    said = [value.text for value in values if value.field not in ("name", "gender")]
    names = _outermost(values, "name")
    about = _outermost(values, "about")
    return Fields(
        name=_one_line(names[0]) if names else "",
        about=about[0] if about else "",
        genders=_outermost(values, "gender"),
        text="\n".join(said),
    )


def without_thoughts(text: str) -> str:
    """Drop what a model thinks aloud before it replies; all of it where it was cut off there."""
    _, end, tail = text.rpartition("</think>")
    if end:
        return tail
    return "" if text.lstrip().startswith("<think>") else text


def _outermost(values: list[_Value], field: str) -> tuple[str, ...]:
    mine = [value for value in values if value.field == field and value.text.strip()]
    depth = min((value.depth for value in mine), default=0)
    return tuple(value.text for value in mine if value.depth == depth)


def _read_objects(text: str, words: GenderWords) -> list[_Value]:
    """Values in the objects of a text, in one pass whatever its faults."""
    values: list[_Value] = []
    names = _field_names(words)
    depth, place = 0, 0
    field: str | None = None  # of the key whose value is read
    in_list = 0
    waiting: str | None = None  # a text that may turn out to be a key
    while True:
        if depth == 0:
            place = text.find("{", place)
        match = _TOKEN.search(text, place) if place >= 0 else None
        if match is None:
            break
        place = match.end()
        mark = match["mark"]
        if mark == ":" and waiting is not None and not (in_list and field):
            field, in_list, waiting = names.get(_key(waiting), ""), 0, None
            continue
        if mark != ":" and waiting is not None:
            if field is not None:
                values.append(_Value(field, depth, waiting))
            waiting = None
        if mark is None:
            waiting = _unescape(match)
        elif mark == "{":
            depth, field, in_list = depth + 1, None, 0
        elif mark == "}":
            depth, field, in_list = depth - 1, None, 0
        elif mark == "[":
            in_list += 1
        elif mark == "]":
            in_list = max(in_list - 1, 0)
        elif mark == "," and not in_list:
            field = None
    if waiting is not None and field is not None:
        values.append(_Value(field, depth, waiting))
    return values


def _key(text: str) -> str:
    return fold(text[:LONGEST_NAME].replace("_", " "))


@lru_cache(maxsize=16)
def _field_names(words: GenderWords) -> dict[str, str]:
    sides = (
        ("name", words.name_fields),
        ("gender", words.gender_fields),
        ("about", words.about_fields),
    )
    return {name: field for field, names in sides for name in names}


def _unescape(match: re.Match[str]) -> str:
    if match["bare"] is not None:
        bare = match["bare"].strip()
        return "" if bare == "null" else bare
    content = next(group for group in match.groups()[1:] if group is not None)
    try:
        value = json.loads(f'"{content}"', strict=False)
    except ValueError:
        value = _ESCAPED.sub(lambda one: _UNESCAPED.get(one[1], one[1]), content)
    # Half a surrogate pair can be written in no file.
    return str(value).encode("utf-8", "replace").decode("utf-8")


def _read_lines(text: str, words: GenderWords) -> Fields:
    """Fields of a text that is no JSON: ``**Gender:** Female``, ``Name: Ada, Gender: female``."""
    found: dict[str, list[str]] = {"name": [], "gender": [], "about": []}
    rest, place = [], 0
    names = _field_names(words)
    for match in _line_pattern(words).finditer(text):
        # Letters that differ in case by other rules than folding (İ) are no such field.
        field = names.get(_key(match["field"]))
        if field is None:
            continue
        value = match["value"].strip(" \t*_\"'`|-")
        if fold(value) in names:  # heads of a table
            continue
        if value:
            found[field].append(value)
        if field != "about":
            rest.append(text[place : match.start()])
            place = match.end()
    rest.append(text[place:])
    return Fields(
        name=_one_line(found["name"][0]) if found["name"] else "",
        about=found["about"][0] if found["about"] else "",
        genders=tuple(found["gender"]),
        text=" ".join(rest),
    )


@lru_cache(maxsize=16)
def _line_pattern(words: GenderWords) -> re.Pattern[str]:
    # A value ends with its line, with a full stop or where the next "Word:" begins.
    names = "|".join(map(re.escape, sorted(_field_names(words), key=len, reverse=True)))
    return re.compile(
        rf"(?<!\w)(?P<field>{names})[*_\"'`]{{0,3}}[ \t]{{0,3}}(?:[:=|]|[ \t][-–][ \t])"
        r"(?P<value>(?:[^\n;|.,]|,(?![ \t]{0,3}[*_]{0,3}\w{1,20}[*_]{0,3}:)){0,200})",
        re.IGNORECASE,
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())[:LONGEST_NAME]
