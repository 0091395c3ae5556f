"""How many words of each test have a vector, generic terms and given names apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from biasatlas.atlas.parts import DASH, DataTable, Figure, given, percent
from biasatlas.atlas.places import add_place, rank_test
from biasatlas.atlas.scores import add_series

if TYPE_CHECKING:
    import pandas as pd

_KINDS = {"term": "terms", "name": "names"}
_CELL = ["test", "set", "name", "kind", "asked", "distinct", "found", "missing"]


def figures(tables: Mapping[str, pd.DataFrame], info: Mapping[str, Any]) -> list[Figure]:
    """Give a table of all regions, and one a region with the words that are missing."""
    frame = given(tables, "coverage")
    if frame is None:
        return []
    # The table holds the topic pairs of the evaluation as well.
    frame = frame[frame["test"].isin(set(tables["weat"]["test"]))]
    if frame.empty:
        return []
    frame = add_series(add_place(frame, info))
    summary = "Numbers: words with a vector, by region and test"
    made = [
        Figure(
            "Words with a vector, of all distinct words of a test; generic terms and given names "
            "apart, since names of one culture are rare in the text of another.",
            table=_overall(frame, summary),
            title="Coverage of the word lists",
        )
    ]
    for place, part in frame.groupby("place", sort=False):
        made.append(Figure("", table=_by_set(part, f"{place}: each set, and what is missing")))
    return made


def _overall(frame: pd.DataFrame, summary: str) -> DataTable:
    tests = sorted(set(frame["test"]), key=rank_test)
    # Seeds of one text share their vocabulary; where they do not, the worst of them counts.
    keys = ["place", "series", "kind", "test"]
    seeds = frame.groupby([*keys, "seed"], sort=False)[["found", "distinct"]].sum()
    seeds["share"] = seeds["found"] / seeds["distinct"].where(seeds["distinct"] > 0)
    worst = seeds.reset_index().sort_values("share", kind="stable").drop_duplicates(keys)
    cells = {
        (row["place"], row["series"], row["kind"], row["test"]): (
            f"{row['found']}/{row['distinct']} ({percent(row['share'])})"
            if row["distinct"]
            else DASH
        )
        for row in worst.to_dict("records")
    }
    rows = dict.fromkeys(zip(frame["place"], frame["series"], strict=True))
    body = [
        [place, series, label, *(cells.get((place, series, kind, test), DASH) for test in tests)]
        for place, series in rows
        for kind, label in _KINDS.items()
        if any((place, series, kind, test) in cells for test in tests)
    ]
    return DataTable(["Region", "Vectors", "Words", *tests], body, frozenset(tests), summary)


def _by_set(part: pd.DataFrame, summary: str) -> DataTable:
    """List each set once for all kinds of vectors that find the same words of it."""
    named = part.groupby(_CELL, sort=False)["series"].agg(
        lambda names: ", ".join(sorted(set(names)))
    )
    rows = named.reset_index().to_dict("records")
    rows.sort(key=lambda row: (rank_test(row["test"]), "xyab".index(row["set"]), row["kind"]))
    body = [
        [
            row["test"],
            f"{row['set'].upper()} = {row['name']}",
            _KINDS[row["kind"]],
            row["series"],
            row["asked"],
            f"{row['found']}/{row['distinct']}",
            row["missing"] or DASH,
        ]
        for row in rows
    ]
    headers = ["Test", "Set", "Words", "Vectors", "On the list", "With a vector", "Missing"]
    return DataTable(headers, body, frozenset(headers[4:6]), summary)
