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
    """

    name: str
    language: str
    female: tuple[str, ...]
    male: tuple[str, ...]
    n_pairs: int
    n_distinct: int
    citation: str
    path: Path = field(default=Path(), compare=False)


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
    pairs = {(pair["male"].casefold(), pair["female"].casefold()) for pair in data["pairs"]}
    return GenderTerms(
        name=data["name"],
        language=data["language"],
        female=tuple(term for term, _ in sides["female"].values()),
        male=tuple(term for term, _ in sides["male"].values()),
        n_pairs=len(data["pairs"]),
        n_distinct=len(pairs),
        citation=data["citation"],
        path=document.path,
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
    # Folding would turn ß into ss, which no text holds: fold to compare, lower to search.
    terms.setdefault(word.casefold(), (word.lower(), document.lines[place]))
