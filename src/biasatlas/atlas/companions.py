"""Other measures of the same association, beside d."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from biasatlas.atlas.parts import (
    DASH,
    DataTable,
    Figure,
    given,
    listing,
    missing,
    number,
    plural,
    records_of,
    with_interval,
)
from biasatlas.atlas.places import add_place, rank_test
from biasatlas.atlas.scores import add_series, combine_control

if TYPE_CHECKING:
    import pandas as pd

MEASURES = {
    "ripa": "RIPA",
    "rnd": "RND",
    "ect": "ECT",
    "mac": "MAC",
    "pmi": "PMI log odds",
}
DIRECTED = ("ripa", "rnd", "pmi")
"""Measures that lie above their neutral value where X goes with A; the others have no direction."""
_TEXT = "corpus"
_DIGITS = {"ripa": 3, "rnd": 3}
_KEYS = ["place", "series", "test"]


def figures(
    tables: Mapping[str, pd.DataFrame], scores: pd.DataFrame, info: Mapping[str, Any]
) -> list[Figure]:
    """Give one folded table of d and its companions; none where the run has no companions.

    Parameters
    ----------
    tables : mapping of str to pandas.DataFrame
        With or without ``companions``.
    scores : pandas.DataFrame
        The table ``weat`` with ``place`` and ``series``.
    info : mapping
        As for the page.
    """
    frame = given(tables, "companions")
    if frame is None:
        return []
    frame = add_series(add_place(frame, info))
    records = companion_records(frame, scores)
    measures = [name for name in MEASURES if name in set(frame["measure"])]
    headers = ["Test", "Region", "Vectors", "d", *(MEASURES[m] for m in measures), "Same direction"]
    body = [
        [
            record["test"],
            record["place"],
            record["series"],
            number(record["d"]) + (" ✗" if record["control"] == "failed" else ""),
            *(record["texts"].get(measure, DASH) for measure in measures),
            record["agreement"],
        ]
        for record in records
    ]
    summary = f"Numbers: {plural(len(body), 'score')} and their companions"
    table = DataTable(headers, body, frozenset(headers[3:]), summary)
    return [Figure(_caption(records, frame), table=table, title="The same by other measures")]


def companion_records(frame: pd.DataFrame, scores: pd.DataFrame) -> list[dict[str, Any]]:
    """Give d and the companions of each region, kind of vectors and test, means over seeds.

    What is measured in the text itself stands beside the scores of all vectors of its region.

    Returns
    -------
    list of dict
        place, series, test, d, control, ``texts`` by measure, and ``same`` and ``directed``: how
        many of the measures that have a direction agree with the sign of d, and how many there
        are; ``agreement`` says so in words.
    """
    effects: dict[tuple[str, str, str], float] = {}
    controls: dict[tuple[str, str, str], str] = {}
    for (place, series, test), part in scores.groupby(_KEYS, sort=False):
        key = (str(place), str(series), str(test))
        effects[key] = part["effect_size"].mean()
        controls[key] = combine_control(part["control"])
    of_text = frame["model"] == _TEXT
    if "control" in frame:
        for (place, series, test), part in frame[~of_text].groupby(_KEYS, sort=False):
            controls[str(place), str(series), str(test)] = combine_control(part["control"])
    columns = ["value", "low", "high", "neutral"]
    cells: dict[tuple[str, str, str], dict[str, dict[str, Any]]] = {}
    means = frame[~of_text].groupby([*_KEYS, "measure"], sort=False)[columns].mean()
    for (place, series, test, measure), row in zip(means.index, records_of(means), strict=True):
        cells.setdefault((place, series, test), {})[measure] = row
    for row in records_of(frame[of_text]):
        beside = [k for k in effects if (k[0], k[2]) == (row["place"], row["test"])]
        for place, series, test in beside or [(row["place"], "the text itself", row["test"])]:
            cells.setdefault((place, series, test), {})[row["measure"]] = row
    keys = sorted(cells, key=lambda key: rank_test(key[2]))
    return [
        _record(key, cells[key], effects.get(key), controls.get(key, "none"))
        for key in keys
        if any(not missing(row["value"]) for row in cells[key].values())
    ]


def _record(
    key: tuple[str, str, str], cell: Mapping[str, Mapping[str, Any]], d: Any, control: str
) -> dict[str, Any]:
    sides = [row["value"] - row["neutral"] for measure, row in cell.items() if measure in DIRECTED]
    sides = [side for side in sides if not missing(side) and side != 0]
    known = not missing(d)
    same = sum((side > 0) == (d > 0) for side in sides) if known else 0
    return {
        **dict(zip(_KEYS, key, strict=True)),
        "d": d,
        "control": control,
        "texts": {
            measure: with_interval(row["value"], row["low"], row["high"], _DIGITS.get(measure, 2))
            for measure, row in cell.items()
        },
        "same": same,
        "directed": len(sides) if known else 0,
        "agreement": f"{same} of {len(sides)}" if known and sides else DASH,
    }


def _caption(records: list[dict[str, Any]], frame: pd.DataFrame) -> str:
    judged = [record for record in records if record["directed"]]
    text = ""
    if judged:
        agree = sum(record["same"] == record["directed"] for record in judged)
        used = [MEASURES[name] for name in DIRECTED if name in set(frame["measure"])]
        text = (
            f"{listing(used)}, where given, {'has' if len(used) == 1 else 'all have'} the sign of d in {agree} "
            f"of {plural(len(judged), 'score')}. "
        )
    text += (
        "RIPA, RND and PMI log odds are 0 where there is no association and positive where X goes "
        "with A; RIPA has the unit of its vectors, so it cannot be compared between them. ECT and "
        "MAC have no direction. PMI is counted in the text itself. "
    )
    text += (
        "A score that its companions contradict is a matter of the measure, not of the text. "
        "Means over seeds, with the mean ends of their intervals."
    )
    if any(record["control"] == "failed" for record in records):
        text += " ✗: the vectors fail the positive control."
    return text
