"""Pairs of words that mark a passage as female or male."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

from biasatlas.lexicons.digests import digest
from biasatlas.lexicons.strict_yaml import (
    Document,
    describe_place,
    raise_problems,
    read_document,
)

__all__ = ["GenderTerms", "check_pairs", "digest", "load_gender_pairs"]

# Languages that write i with and without a dot: Turkish, Azerbaijani (and their ISO 639-3 codes).
_DOTLESS = ("tr", "tur", "az", "aze", "azj")


@dataclass(frozen=True)
class GenderTerms:
    """Female and male terms in lower case, each once, in the order of their file.

    Attributes
    ----------
    name, language, citation : str
        Title, ISO 639 code, source.
    female, male : tuple of str
        Terms; a phrase has one space between its words.
    n_pairs, n_distinct : int
        Pairs in the file, and pairs left once case is folded.
    path : Path
        The file; no part of equality or of the digest.
    validated : bool
        Whether the list was published or checked by a speaker of its language; as `path`.
    note : str
        What the list leaves out, and why, or nothing; as `path`.
    """

    name: str
    language: str
    female: tuple[str, ...]
    male: tuple[str, ...]
    n_pairs: int
    n_distinct: int
    citation: str
    path: Path = field(default=Path(), compare=False)
    validated: bool = field(default=True, compare=False)
    note: str = field(default="", compare=False)


def load_gender_pairs(path: str | Path) -> GenderTerms:
    """Read gender pairs, fold their case and drop repeats.

    Parameters
    ----------
    path : str or Path
        A YAML file after ``schemas/gender_terms.schema.yaml``.

    Returns
    -------
    GenderTerms
        The 52 pairs of Bolukbasi et al. give 47 distinct ones.

    Raises
    ------
    InputError
        With file and line for every problem, and for a term that stands on both sides.
    """
    document = read_document(path, "gender_terms")
    sides = check_pairs(document)
    raise_problems([document])
    data = document.data
    language = data["language"]
    pairs = {
        (_fold(pair["male"], language), _fold(pair["female"], language)) for pair in data["pairs"]
    }
    return GenderTerms(
        name=data["name"],
        language=language,
        female=tuple(term for term, _ in sides["female"].values()),
        male=tuple(term for term, _ in sides["male"].values()),
        n_pairs=len(data["pairs"]),
        n_distinct=len(pairs),
        citation=data["citation"],
        path=document.path,
        validated=data.get("validated", True),
        note=data.get("note", ""),
    )


def check_pairs(document: Document) -> dict[str, dict[str, tuple[str, int]]]:
    """Report what the schema of gender pairs cannot say.

    Returns
    -------
    dict
        By ``female`` and ``male``: each folded term with its lower-case form and first line.
    """
    sides: dict[str, dict[str, tuple[str, int]]] = {"female": {}, "male": {}}
    if not document.sound:
        return sides
    for number, pair in enumerate(document.data["pairs"]):
        for gender, terms in sides.items():
            _add_term(document, terms, pair[gender], number, gender)
    for folded, (term, line) in sides["female"].items():
        if folded in sides["male"]:
            other = sides["male"][folded][1]
            document.fail(f"'{term}' is a female term here and a male one on line {other}", line)
    return sides


def _add_term(
    document: Document, terms: dict[str, tuple[str, int]], word: str, number: int, gender: str
) -> None:
    if not word.strip():
        return  # its schema has said so
    place = ("pairs", number, gender)
    composed = unicodedata.normalize("NFC", word)
    if word != word.strip():
        document.report(place, f"{describe_place(place)} has stray white space: {word!r}")
    elif word != composed:
        document.report(place, f"{word!r} is not in Unicode form NFC; write {composed!r}")
    elif not all(unicodedata.category(end)[0] in "LMN" for end in (composed[0], composed[-1])):
        document.report(place, f"{word!r} must begin and end with a letter or digit")
    language = document.data["language"]
    lowered = (_lower(word, language), document.lines[place])
    terms.setdefault(_fold(word, language), lowered)


def _lower(word: str, language: str) -> str:
    """Lower-case a word as its language does: in Turkish I has no dot, and İ is i."""
    if language in _DOTLESS:
        word = word.replace("İ", "i").replace("I", "ı")
    return word.lower()


def _fold(word: str, language: str) -> str:
    """Fold the case of single letters, as the search does.

    Full folding would make ß and ss one, so that a list could not hold both spellings.
    """
    folded = ((one, one.casefold()) for one in _lower(word, language))
    return "".join(other if len(other) == 1 else one for one, other in folded)
