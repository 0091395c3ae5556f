"""The published topic pairs and gender terms of Borah et al., and tests made like them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from biasatlas.errors import InputError
from biasatlas.lexicons.word_lists import (
    AssociationTest,
    WordSet,
    load_region_pair,
    load_region_terms,
)

# A region outside the paper has no list of common names; these terms hold no name.
GENERAL = "general"
Terms = tuple[WordSet, WordSet]


def load_all_terms(folder: str | Path, form: str) -> dict[str, Terms]:
    """Read the female and male terms of every region that has some.

    Parameters
    ----------
    folder : str or Path
        Holds ``terms/{region}.yaml``; ``general`` serves the regions without a file.
    form : {"paper_table", "paper_text"}

    Raises
    ------
    InputError
        With the problems of all files.
    """
    terms: dict[str, Terms] = {}
    problems: list[str] = []
    for path in sorted((Path(folder) / "terms").glob("*.yaml")):
        try:
            terms[path.stem] = load_region_terms(path, form)
        except InputError as error:
            problems += error.problems
    if GENERAL not in terms and not problems:
        problems = [f"{Path(folder) / 'terms'}: {GENERAL}.yaml is missing"]
    if problems:
        raise InputError(problems)
    return terms


def load_published_pairs(folder: str | Path, form: str) -> list[AssociationTest]:
    """Read the published pairs of every region, ``{region}/P*.yaml``, with the region's terms.

    Raises
    ------
    InputError
        With the problems of all files.
    """
    terms = load_all_terms(folder, form)
    pairs: list[AssociationTest] = []
    problems: list[str] = []
    for path in sorted(Path(folder).glob("*/P*.yaml")):
        if path.parent.name not in terms:
            problems.append(f"{path}: there is no terms/{path.parent.name}.yaml for its region")
            continue
        try:
            pairs.append(load_region_pair(path, *terms[path.parent.name]))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return pairs


def make_pair(
    name: str,
    labels: tuple[str, str],
    words: tuple[Sequence[str], Sequence[str]],
    terms: Terms,
    language: str,
) -> AssociationTest:
    """Make a region-aware test of a found pair: X female topic, Y male topic, A female, B male.

    Parameters
    ----------
    name : str
        Name of the pair, such as ``africa-1``.
    labels, words : tuple of two
        Of the female and of the male topic.
    terms : tuple of WordSet
        Female and male terms of the region.
    language : str
        ISO 639 code.
    """
    return AssociationTest(
        test=name,
        description=f"{labels[0]} - {labels[1]}",
        language=language,
        x=WordSet(labels[0], tuple(words[0])),
        y=WordSet(labels[1], tuple(words[1])),
        a=terms[0],
        b=terms[1],
        citation="",
    )
