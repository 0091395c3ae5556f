"""What is wrong or odd in lists of many languages, as rows of the table weathub_lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from biasatlas.lexicons.weathub_files import natural
from biasatlas.lexicons.weathub_repairs import Finding, repair_entry, show
from biasatlas.tables.language_tables import VARIANTS, WEATHUB_LISTS

if TYPE_CHECKING:
    import pandas as pd

# A set with fewer distinct words is named; whether it is scored is the scoring's affair.
FEW_WORDS = 4
Placed = tuple[int, str]
Sets = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Problem:
    """One fault, a row of the table once equal ones are counted."""

    language: str
    variant: str
    test: str
    file: str
    set: str
    problem: str
    word: str
    action: str
    note: str = ""


@dataclass(frozen=True)
class Place:
    """Where a problem stands: language, variant, test and file."""

    language: str
    variant: str
    test: str
    file: str

    def report(self, sets: str, finding: Finding, word: str = "") -> Problem:
        """Make a row of a finding."""
        return Problem(
            self.language,
            self.variant,
            self.test,
            self.file,
            sets,
            finding.problem,
            word,
            finding.action,
            finding.note,
        )


def repair_set(
    place: Place, name: str, entries: Iterable[str | None]
) -> tuple[list[Placed], list[Problem]]:
    """Mend the entries of a set and leave out repeats.

    Parameters
    ----------
    place : Place
        For the problems.
    name : {'x', 'y', 'a', 'b'}
    entries : iterable of str or None
        As they stand in the file; None is a missing value.

    Returns
    -------
    words : list of (int, str)
        Each word once, with the place of its entry in the file, from 0.
    problems : list of Problem
    """
    first: dict[str, int] = {}
    problems: list[Problem] = []
    for position, raw in enumerate(entries):
        if raw is None:
            problems.append(place.report(name, Finding("nan", "dropped"), "null"))
            continue
        words, findings = repair_entry(raw)
        problems += [
            place.report(name, finding, "" if finding.problem == "blank" else show(raw))
            for finding in findings
        ]
        for word in words:
            if word in first:
                problems.append(place.report(name, Finding("duplicate", "dropped"), word))
            first.setdefault(word, position)
    return [(position, word) for word, position in first.items()], problems


def check_sets(place: Place, sets: Sets) -> tuple[str, list[Problem]]:
    """Compare the four sets of a test, once its words are mended.

    Returns
    -------
    refusal : str
        Why the test cannot be scored; empty where it can.
    problems : list of Problem
        Shared and leaking words, equal sets, few words.
    """
    refusal = find_refusal(sets)
    problems: list[Problem] = []
    for one, other in (("x", "y"), ("a", "b")):
        if set(sets[one]) == set(sets[other]) and sets[one]:
            finding = Finding("same_sets", "refused", _same(one, other))
            problems.append(place.report(f"{one} {other}", finding))
            continue
        finding = Finding("shared", "kept", "in both of two opposing sets")
        problems += _common(place, sets, one, other, finding)
    for one, other in product("xy", "ab"):
        finding = Finding("leak", "kept", "a target that is an attribute too")
        problems += _common(place, sets, one, other, finding)
    for name, words in sets.items():
        if not words:
            problems.append(place.report(name, Finding("few_words", "refused", "no word is left")))
        elif len(words) < FEW_WORDS:
            note = f"{len(words)} distinct word{'s' if len(words) > 1 else ''}"
            problems.append(place.report(name, Finding("few_words", "kept", note)))
    return refusal, problems


def find_refusal(sets: Sets) -> str:
    """Say why a test cannot be scored: an empty set, or opposing sets that are the same."""
    reasons = [f"set {name.upper()} has no word" for name in "xyab" if not sets.get(name)]
    for one, other in (("x", "y"), ("a", "b")):
        first, second = set(sets.get(one, ())), set(sets.get(other, ()))
        if first and first == second:
            reasons.append(_same(one, other))
    return "; ".join(reasons)


def problem_frame(problems: Iterable[Problem]) -> pd.DataFrame:
    """Count equal problems and make rows of the table weathub_lists of them, in a fixed order."""
    import pandas as pd

    counts = Counter(problems)
    rows = sorted(counts, key=_order)
    columns = {
        column.name: [
            counts[row] if column.name == "n" else getattr(row, column.name) for row in rows
        ]
        for column in WEATHUB_LISTS.columns
    }
    frame = pd.DataFrame(columns)
    return frame.astype({name: "int64" if name == "n" else "str" for name in frame.columns})


def _order(row: Problem) -> tuple[object, ...]:
    place = VARIANTS.index(row.variant), natural(row.test), row.file
    return (*place, ["xyab".find(one) for one in row.set.split()], row.problem, row.word)


def _common(place: Place, sets: Sets, one: str, other: str, finding: Finding) -> list[Problem]:
    others = set(sets[other])
    return [place.report(f"{one} {other}", finding, word) for word in sets[one] if word in others]


def _same(one: str, other: str) -> str:
    return f"sets {one.upper()} and {other.upper()} hold the same words"
