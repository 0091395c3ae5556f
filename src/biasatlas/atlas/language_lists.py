"""What is wrong with the lists of many languages, and what was done about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biasatlas.atlas.language_names import VARIANTS, language_label, language_order
from biasatlas.atlas.parts import DataTable, Figure, integer, listing, plural, records_of

if TYPE_CHECKING:
    import pandas as pd

PROBLEMS = {
    "nan": "no word (“nan”)",
    "blank": "empty entry",
    "several_words": "several words in one entry",
    "not_nfc": "not in Unicode form NFC",
    "stray": "stray white space, marks or a remark",
    "duplicate": "word twice in a set",
    "shared": "word in two opposing sets",
    "leak": "word in a target and an attribute set",
    "same_sets": "two opposing sets are the same",
    "few_words": "few words",
    "repeated": "own test with a published one’s words",
    "broken": "file cannot be read",
    "unknown": "file of no known test",
}
_ACTIONS = ("refused", "dropped", "fixed", "kept")
_ROWS = 300


def problem_figures(problems: pd.DataFrame | None) -> list[Figure]:
    """Give counts of problems by kind and action, and the problems themselves.

    Parameters
    ----------
    problems : pandas.DataFrame or None
        The table weathub_lists.
    """
    if problems is None:
        return []
    headers = ["Problem", *(action.capitalize() for action in _ACTIONS), "Files", "Languages"]
    body = []
    for name, text in PROBLEMS.items():
        part = problems[problems["problem"] == name]
        if part.empty:
            continue
        codes = language_order(part["language"])
        named = listing(codes) if len(codes) <= 8 else f"{len(codes)} languages"
        body.append(
            [
                text,
                *(integer(int(part.loc[part["action"] == a, "n"].sum())) for a in _ACTIONS),
                integer(part["file"].nunique()),
                named,
            ]
        )
    caption = (
        "Entries with a problem, by what was done: the test refused, the entry dropped (of an own "
        "test that repeats a published one, the test), the entry repaired, or the entry kept as it "
        "stands and only reported. A word twice counts once in a score; a word in two opposing "
        "sets stays in both, as published."
    )
    figures = [
        Figure(
            caption,
            table=DataTable(headers, body, frozenset(headers[1:6])),
            title="Faults of the word lists",
        )
    ]
    figures.append(Figure("", table=rows_table(problems)))
    return figures


def rows_table(problems: pd.DataFrame) -> DataTable:
    """Give the problems one by one, the gravest first."""
    rank = {action: place for place, action in enumerate(_ACTIONS)}
    keys = ["language", "file", "set", "problem", "word"]
    ordered = problems.assign(_rank=problems["action"].map(rank))
    ordered = ordered.sort_values(["_rank", *keys], kind="stable")
    body = [
        [
            language_label(row["language"]),
            VARIANTS.get(row["variant"], row["variant"]),
            row["test"],
            row["set"],
            PROBLEMS.get(row["problem"], row["problem"]),
            row["word"],
            integer(row["n"]),
            row["action"],
            row["note"],
        ]
        for row in records_of(ordered.head(_ROWS))
    ]
    headers = ["Language", "Lists", "Test", "Set", "Problem", "Word", "Times", "Done", "Note"]
    more = f", the first {_ROWS} of {len(ordered):,}" if len(ordered) > _ROWS else ""
    return DataTable(
        headers, body, frozenset({"Times"}), f"One by one: {plural(len(body), 'problem')}{more}"
    )
