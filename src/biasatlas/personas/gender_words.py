"""The words by which a persona's gender is read, from a file that a user can change."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from biasatlas.errors import InputError
from biasatlas.lexicons.gender_terms import GenderTerms
from biasatlas.lexicons.strict_yaml import Document, Key, parse_document, raise_problems

# The lists of each part of a file; "" stands for a part that is a list itself.
_PARTS: Mapping[str, tuple[str, ...]] = {
    "fields": ("name", "gender", "about"),
    "stated": ("female", "male", "other"),
    "identities": (),
    "pronouns": ("female", "male", "other"),
    "nouns": (
        "female",
        "male",
        "titles_female",
        "titles_male",
        "left_out",
        "after",
        "not_behind",
        "not_across",
    ),
    "refusals": (),
    "common": (),
}
_TEXTS = ("language", "citation")
# A language may lack gendered pronouns or articles, but a field can be stated in any.
_NEVER_EMPTY = {
    ("fields", "name"),
    ("fields", "gender"),
    ("fields", "about"),
    ("stated", "female"),
    ("stated", "male"),
}
# A word of one list of a row must stand in no other list of it.
_APART = (
    (("stated", "female"), ("stated", "male"), ("stated", "other"), ("identities",)),
    (("pronouns", "female"), ("pronouns", "male"), ("pronouns", "other")),
    (("nouns", "female"), ("nouns", "male")),
    (("nouns", "titles_female"), ("nouns", "titles_male")),
    (("fields", "name"), ("fields", "gender"), ("fields", "about")),
)


@dataclass(frozen=True)
class Sides:
    """Folded words for female, for male, and for neither."""

    female: tuple[str, ...]
    male: tuple[str, ...]
    other: tuple[str, ...] = ()


@dataclass(frozen=True)
class GenderWords:
    """Folded words of a language, as `load_gender_words` reads them.

    Attributes
    ----------
    language : str
        ISO 639 code.
    name_fields, gender_fields, about_fields : tuple of str
        Names that the fields of a reply may have.
    stated : Sides
        Values of the field of gender; other: neither female nor male, `identities` among them.
    identities : tuple of str
        Words of a text that say so too.
    pronouns : Sides
        other: taken out of a text before the rest is counted.
    nouns, titles : Sides
        Nouns of one person, without pronouns; forms of address.
    after, not_behind, not_across : frozenset of str
        Words that begin the phrase of a noun, that may not stand before it, and that end it.
    refusals : tuple of str
        Phrases of a sentence that refuses.
    common : frozenset of str
        Frequent words, by which a text in another language is told.
    path : Path
        The file; no part of equality.
    """

    language: str
    name_fields: tuple[str, ...]
    gender_fields: tuple[str, ...]
    about_fields: tuple[str, ...]
    stated: Sides
    identities: tuple[str, ...]
    pronouns: Sides
    nouns: Sides
    titles: Sides
    after: frozenset[str]
    not_behind: frozenset[str]
    not_across: frozenset[str]
    refusals: tuple[str, ...]
    common: frozenset[str]
    path: Path = field(default=Path(), compare=False)


def fold(text: str) -> str:
    """Text as its words are compared: composed, one kind of apostrophe and space, no case."""
    composed = unicodedata.normalize("NFC", text).replace("\u2019", "'")
    return re.sub(r"\s+", " ", composed).strip().casefold()


def load_gender_words(folder: str | Path, language: str, nouns: GenderTerms) -> GenderWords:
    """Read the words of a language.

    Parameters
    ----------
    folder : str or Path
        Holds ``{language}.yaml``, such as ``resources/persona_gender``.
    language : str
        ISO 639 code.
    nouns : GenderTerms
        The run's gender list; its terms are taken as nouns, but for the file's pronouns and what
        its ``left_out`` names.

    Raises
    ------
    InputError
        With file and line of every problem.
    """
    folder = Path(folder)
    path = folder / f"{language}.yaml"
    if not path.is_file():
        there = ", ".join(sorted(one.stem for one in folder.glob("*.yaml"))) or "none"
        raise InputError(
            f"{path}: there is no such file; personas in the language '{language}' need the words "
            f"by which a gender is read (there are: {there})"
        )
    document = parse_document(path)
    if not document.problems:
        _check(document, language)
    raise_problems([document])
    lists = _fold_lists(document.data)
    found = _add_nouns(lists, nouns)
    both = set(found.female) & set(found.male)
    if both:
        raise InputError(
            f"{path}: nouns of both genders, together with {nouns.path}: {', '.join(sorted(both))}"
        )
    return GenderWords(
        language=language,
        name_fields=lists["fields", "name"],
        gender_fields=lists["fields", "gender"],
        about_fields=lists["fields", "about"],
        stated=Sides(
            lists["stated", "female"],
            lists["stated", "male"],
            lists["stated", "other"] + lists["identities",],
        ),
        identities=lists["identities",],
        pronouns=Sides(*(lists["pronouns", side] for side in _PARTS["pronouns"])),
        nouns=found,
        titles=Sides(lists["nouns", "titles_female"], lists["nouns", "titles_male"]),
        after=frozenset(lists["nouns", "after"]),
        not_behind=frozenset(lists["nouns", "not_behind"]),
        not_across=frozenset(lists["nouns", "not_across"]),
        refusals=lists["refusals",],
        common=frozenset(lists["common",]),
        path=path,
    )


def _add_nouns(lists: Mapping[tuple[str, ...], tuple[str, ...]], nouns: GenderTerms) -> Sides:
    """Nouns of the file and of the gender list, each once."""
    no_nouns = {*lists["nouns", "left_out"]}.union(
        *(lists["pronouns", side] for side in _PARTS["pronouns"])
    )
    return Sides(
        *(
            tuple(
                word
                for word in dict.fromkeys((*lists["nouns", side], *map(fold, terms)))
                if word not in no_nouns
            )
            for side, terms in (("female", nouns.female), ("male", nouns.male))
        )
    )


def _places() -> Iterable[tuple[str, ...]]:
    for part, names in _PARTS.items():
        yield from ((part, name) for name in names) if names else ((part,),)


def _get(data: Any, place: tuple[str, ...]) -> Any:
    for key in place:
        data = data[key]
    return data


def _fold_lists(data: Mapping[str, Any]) -> dict[tuple[str, ...], tuple[str, ...]]:
    return {place: tuple(map(fold, _get(data, place))) for place in _places()}


def _check(document: Document, language: str) -> None:
    """Report what is wrong with the file's keys, lists and words."""
    data = document.data
    if not _check_keys(document, data, (), (*_TEXTS, *_PARTS)):
        return
    for key in _TEXTS:
        if not isinstance(data[key], str) or not data[key].strip():
            document.report((key,), f"{key} must be text")
    if isinstance(data["language"], str) and data["language"] != language:
        document.report(
            ("language",),
            f"language is '{data['language']}', but the file is named {language}.yaml",
        )
    sound = [
        _check_keys(document, data[part], (part,), names) for part, names in _PARTS.items() if names
    ]
    if not all(sound):
        return
    sound = [_check_list(document, place) for place in _places()]
    if all(sound):
        for row in _APART:
            _check_apart(document, row)


def _check_keys(
    document: Document, data: Any, place: tuple[str, ...], allowed: tuple[str, ...]
) -> bool:
    where = ".".join(place) or "the file"
    if not isinstance(data, dict):
        document.report(place, f"{where} must have the keys {', '.join(allowed)}")
        return False
    for key in allowed:
        if key not in data:
            document.report(place, f"missing key '{key}' in {where}")
    for key in data:
        if key not in allowed:
            document.report(
                (*place, key), f"unknown key '{key}' in {where}; allowed: {', '.join(allowed)}"
            )
    return set(data) == set(allowed)


def _check_list(document: Document, place: tuple[str, ...]) -> bool:
    name, words = ".".join(place), _get(document.data, place)
    if not isinstance(words, list) or (not words and place in _NEVER_EMPTY):
        document.report(place, f"{name} must be a list of words")
        return False
    seen: dict[str, int] = {}
    before = len(document.problems)
    for number, word in enumerate(words):
        where: Key = (*place, number)
        if not isinstance(word, str):
            raw = document.raw.get(where, "")
            document.report(where, f'{name} holds {raw or "no text"}; quote it if a word ("{raw}")')
        elif not word.strip() or word != word.strip():
            document.report(where, f"{name} holds {word!r}: blank, or stray white space")
        elif (folded := fold(word)) in seen:
            first = document.lines[(*place, seen[folded])]
            document.report(where, f"'{word}' stands twice in {name}; it stood on line {first}")
        else:
            seen[folded] = number
    return len(document.problems) == before


def _check_apart(document: Document, row: tuple[tuple[str, ...], ...]) -> None:
    seen: dict[str, tuple[str, ...]] = {}
    for place in row:
        for number, word in enumerate(_get(document.data, place)):
            other = seen.setdefault(fold(word), place)
            if other != place:
                document.report(
                    (*place, number),
                    f"'{word}' stands in {'.'.join(place)} and in {'.'.join(other)}",
                )
