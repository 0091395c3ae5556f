"""Word lists of association tests: strict reading, order, shared words."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from biasatlas.errors import InputError
from biasatlas.lexicons.digests import digest
from biasatlas.lexicons.strict_yaml import (
    Document,
    Key,
    describe_place,
    raise_problems,
    read_document,
)

__all__ = [
    "SETS",
    "AssociationTest",
    "WordSet",
    "check_terms",
    "check_test",
    "check_test_names",
    "digest",
    "list_words",
    "load_region_pair",
    "load_region_terms",
    "load_test",
    "load_tests",
    "shared_words",
]


# The sets of a test: targets x and y, attributes a and b.
SETS = ("x", "y", "a", "b")


@dataclass(frozen=True)
class WordSet:
    """A named set of words, in the order of its file.

    Attributes
    ----------
    name : str
        Name of the set in the tables.
    words : tuple of str
        The whole set: generic terms first, then names.
    names : tuple of str
        Those of `words` that are names of persons.
    """

    name: str
    words: tuple[str, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class AssociationTest:
    """Two target sets and two attribute sets; a positive effect means that x goes with a.

    Attributes
    ----------
    test : str
        Name in every table, such as ``WEAT1`` or ``africa-P1``.
    description, language, citation : str
        What it compares, ISO 639 code, source.
    x, y : WordSet
        Targets.
    a, b : WordSet
        Attributes.
    published : mapping of str to float
        Effect sizes in the source: ``effect_size``, or ``reddit`` and ``ungdc``.
    path : Path
        The file it was read from; no part of equality or of the digest.
    """

    test: str
    description: str
    language: str
    x: WordSet
    y: WordSet
    a: WordSet
    b: WordSet
    citation: str
    published: Mapping[str, float] = field(default_factory=dict, hash=False)
    path: Path = field(default=Path(), compare=False)


def load_test(path: str | Path) -> AssociationTest:
    """Read one association test.

    Parameters
    ----------
    path : str or Path
        A YAML file after ``schemas/word_list.schema.yaml``.

    Raises
    ------
    InputError
        With file and line for every problem: broken YAML, a missing, unknown or repeated key,
        an empty set, a word that is not text, blank, padded, repeated, not NFC or ``nan``,
        X equal to Y, A equal to B, or a region-aware list, which has no attributes.
    """
    document = _read_test(Path(path))
    raise_problems([document])
    return _build_test(document)


def load_tests(source: str | Path | Iterable[str | Path]) -> list[AssociationTest]:
    """Read many association tests, WEAT2 before WEAT10.

    Parameters
    ----------
    source : str, Path or iterable of them
        A folder (its ``*.yaml`` and ``*.yml`` files) or the files.

    Returns
    -------
    list of AssociationTest
        In the natural order of their names.

    Raises
    ------
    InputError
        With the problems of all files, two files that share a name, or no file at all.
    """
    paths = _list_files(source)
    documents = [_read_test(path) for path in paths]
    check_test_names(documents)
    raise_problems(documents)
    return sorted(map(_build_test, documents), key=lambda test: _natural(test.test))


def load_region_terms(path: str | Path, form: str) -> tuple[WordSet, WordSet]:
    """Read the female and male terms of a region, the attributes of region-aware tests.

    Parameters
    ----------
    path : str or Path
        A YAML file after ``schemas/region_terms.schema.yaml``.
    form : str
        ``paper_table`` or ``paper_text``.

    Returns
    -------
    female, male : WordSet
        Attribute sets a and b.

    Raises
    ------
    InputError
        With file and line, as `load_test`; or when the file has no such form.
    """
    document = read_document(path, "region_terms")
    check_terms(document)
    if document.sound and form not in document.data["forms"]:
        allowed = ", ".join(document.data["forms"])
        document.report(("forms",), f"there is no form '{form}'; allowed: {allowed}")
    raise_problems([document])
    sets = document.data["forms"][form]
    return _word_set(sets["female"]), _word_set(sets["male"])


def load_region_pair(path: str | Path, female: WordSet, male: WordSet) -> AssociationTest:
    """Read a region's topic pair as a test: X female topic, Y male topic, A female, B male terms.

    Parameters
    ----------
    path : str or Path
        A YAML file of kind ``region_aware`` after ``schemas/word_list.schema.yaml``.
    female, male : WordSet
        The region's gender terms, from `load_region_terms`.

    Returns
    -------
    AssociationTest
        Its name is ``{region}-{pair}``, such as ``africa-P1``.

    Raises
    ------
    InputError
        With file and line, as `load_test`.
    """
    document = read_document(path, "word_list")
    if isinstance(document.data, dict) and document.data.get("kind") != "region_aware":
        document.problems.clear()
        document.fail("not a region-aware list: it lacks 'kind: region_aware'", 1)
    check_test(document)
    raise_problems([document])
    data = document.data
    return _assemble(document, f"{data['region']}-{data['pair']}", female, male)


def shared_words(test: AssociationTest) -> dict[tuple[str, str], tuple[str, ...]]:
    """Find words that stand in two sets of a test, whatever their case.

    Returns
    -------
    dict
        Words by the two sets that share them, in the spelling and order of the first:
        ``("x", "y")`` and ``("a", "b")`` are opposing sets, the other four pairs are leakage
        from a topic into the terms it is compared with. Pairs that share nothing are left out.
    """
    shared = {}
    for one, other in combinations("xyab", 2):
        others = {word.casefold() for word in getattr(test, other).words}
        words = tuple(word for word in getattr(test, one).words if word.casefold() in others)
        if words:
            shared[(one, other)] = words
    return shared


def _list_files(source: str | Path | Iterable[str | Path]) -> list[Path]:
    if not isinstance(source, (str, Path)):
        paths = [Path(path) for path in source]
        if not paths:
            raise InputError("no word list is given; at least one is needed")
        return paths
    folder = Path(source)
    if folder.is_file():
        return [folder]
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder")
    paths = [path for path in folder.iterdir() if path.suffix in (".yaml", ".yml")]
    if not paths:
        raise InputError(f"{folder}: the folder holds no word list (*.yaml)")
    return sorted(paths, key=lambda path: _natural(path.name))


def _natural(name: str) -> list[tuple[int, int, str]]:
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    return [(0, int(part), part) if part[0].isdecimal() else (1, 0, part) for part in parts]


def _read_test(path: Path) -> Document:
    document = read_document(path, "word_list")
    if isinstance(document.data, dict) and document.data.get("kind") == "region_aware":
        problem = (
            "a region-aware list has no attributes of its own; it is read with load_region_pair"
        )
        document.report(("kind",), problem)
    check_test(document)
    return document


def check_test(document: Document) -> None:
    """Report what the schema of a word list cannot say."""
    if not document.sound:
        return
    data = document.data
    groups = {"targets": ("x", "y"), "attributes": ("a", "b")}
    for group, (one, other) in groups.items():
        if group in data:
            _check_sets(document, (group,), one, other)
    for key, value in data.get("published", {}).items():
        if not math.isfinite(value):
            document.report(("published", key), f"published.{key} is {value}; it must be a number")


def check_terms(document: Document) -> None:
    """Report what the schema of a region's terms cannot say."""
    if not document.sound:
        return
    for form in document.data["forms"]:
        _check_sets(document, ("forms", form), "female", "male")


def check_test_names(documents: Iterable[Document]) -> None:
    """Report each document whose test has the name of one before it."""
    by_name: dict[str, Path] = {}
    for document in documents:
        name = document.data.get("test") if isinstance(document.data, dict) else None
        if not isinstance(name, str):
            continue
        if name in by_name:
            document.report(("test",), f"test '{name}' also stands in {by_name[name]}")
        by_name.setdefault(name, document.path)


def list_words(document: Document, where: Key) -> list[tuple[Key, str]]:
    """Give each word of a set, generic terms before names, and the place where it stands."""
    data = document.data
    for key in where:
        data = data[key]
    return [
        ((*where, kind, number), word)
        for kind in ("words", "names")
        for number, word in enumerate(data.get(kind, ()))
    ]


def _check_sets(document: Document, where: Key, one: str, other: str) -> None:
    """Check two opposing sets, word by word and against each other."""
    for key in (one, other):
        _check_words(document, (*where, key))
    first, second = (
        {word for _, word in list_words(document, (*where, key))} for key in (one, other)
    )
    if first == second:
        problem = f"sets {one} and {other} hold the same words, so there is nothing to compare"
        document.report((*where, other), problem)


def _check_words(document: Document, where: Key) -> None:
    first: dict[str, Key] = {}
    for place, word in list_words(document, where):
        before = first.setdefault(word, place)
        # The schema has compared the words with each other, and the names, but not both.
        if before[-2] != place[-2]:
            problem = f"'{word}' stands twice in {describe_place(where)}"
            document.report(place, f"{problem}; it stood on line {document.lines[before]}")
        if word.strip() not in ("", word):
            document.report(place, f"{describe_place(place)} has stray white space: {word!r}")
        composed = unicodedata.normalize("NFC", word)
        if word != composed:
            problem = f"{describe_place(place)} is not in Unicode form NFC; write {composed!r}"
            document.report(place, problem)


def _word_set(data: Mapping[str, Any]) -> WordSet:
    names = tuple(data.get("names", ()))
    return WordSet(data["name"], (*data.get("words", ()), *names), names)


def _build_test(document: Document) -> AssociationTest:
    data = document.data
    a, b = (_word_set(data["attributes"][key]) for key in "ab")
    return _assemble(document, data["test"], a, b)


def _assemble(document: Document, name: str, a: WordSet, b: WordSet) -> AssociationTest:
    data = document.data
    return AssociationTest(
        test=name,
        description=data["description"],
        language=data["language"],
        x=_word_set(data["targets"]["x"]),
        y=_word_set(data["targets"]["y"]),
        a=a,
        b=b,
        citation=data["citation"],
        published={key: float(value) for key, value in data.get("published", {}).items()},
        path=document.path,
    )
