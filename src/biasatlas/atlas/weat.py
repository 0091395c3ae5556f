"""Section on the word embedding association tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from biasatlas.atlas.parts import Figure, Section, listing, number, plural
from biasatlas.atlas.places import CONTROL_TEST, PRETRAINED, add_place, rank_test
from biasatlas.atlas.scores import (
    SURE,
    add_series,
    doubts,
    forest_chart,
    is_sure,
    refused_table,
    score_table,
    series_colours,
    summarise,
)

if TYPE_CHECKING:
    import pandas as pd


def section(tables: Mapping[str, pd.DataFrame], info: Mapping[str, Any]) -> Section:
    """Show a forest plot for each test, with every seed and the pretrained control."""
    frame = add_series(add_place(tables["weat"], info))
    colours = series_colours(frame)
    figures = []
    tests = sorted(set(frame["test"]), key=rank_test)
    for test in tests:
        figures.append(_figure(frame[frame["test"] == test], test, colours))
    if len(frame):
        order = {test: place for place, test in enumerate(tests)}
        ordered = frame.sort_values("test", key=lambda column: column.map(order), kind="stable")
        lead = [("Test", "test"), ("Region", "place")]
        table = score_table(ordered, lead, f"Numbers: all {plural(len(frame), 'score')}")
        figures.append(Figure("Every score, seed by seed.", table=table))
        refused = refused_table(ordered, lead)
        if refused:
            figures.append(Figure("Tests refused, and why.", table=refused, title="Refused"))
    notes = [
        "Each dot is one seed with the bootstrap interval over words; the upright bar is the mean "
        "over seeds. Hollow dots are thin: too few of the test's words occur in the region's text. "
        "Seeds that scatter more than regions differ mean that the regions cannot be told apart.",
        "p is one-sided: how often a random split of the target words associates X with A at "
        "least as strongly. A negative d means that X goes with B, and has a p near 1; the "
        "two-sided p is in the table.",
    ]
    return Section(
        "Association tests (WEAT)",
        "weat",
        _finding(frame),
        figures,
        notes=notes,
        read_more=[
            (
                "Caliskan, Bryson & Narayanan 2017, Science 356, 183",
                "https://doi.org/10.1126/science.aal4230",
            )
        ],
    )


def _finding(frame: pd.DataFrame) -> str:
    trained = frame[frame["region"] != PRETRAINED]
    if trained.empty:
        return "No association test was scored on a region's vectors."
    keys = ["place", "series", "test"]
    cells = [summarise(part) for _, part in trained.groupby(keys, sort=False)]
    sure = sum(map(is_sure, cells))
    text = (
        f"{sure or 'None'} of {plural(len(cells), 'score')} (region × vectors × test) "
        f"{'separates' if sure == 1 else 'separate'} their words {SURE}{doubts(cells)}"
    )
    return f"{text}{_control(frame)}."


def _control(frame: pd.DataFrame) -> str:
    control = frame[(frame["region"] == PRETRAINED) & (frame["test"] == CONTROL_TEST)]
    control = control[control["effect_size"].notna()]
    if control.empty:
        return ""
    first = control.iloc[0]
    text = f"; flowers and insects on pretrained vectors give d = {number(first['effect_size'])}"
    if not (first["effect_size"] > 0 and first["p_value"] <= 0.05):
        return f"{text}, so the control fails"
    trained = frame[(frame["region"] != PRETRAINED) & (frame["test"] == CONTROL_TEST)]
    cells = [summarise(part) for _, part in trained.groupby(["place", "series"], sort=False)]
    held = sum(is_sure(cell) and cell["mean"] > 0 for cell in cells)
    return (
        f"{text}: lists and code work there; the same control holds in {held} of {len(cells)} "
        "sets of the regions' own vectors"
    )


def _figure(part: pd.DataFrame, test: str, colours: Mapping[str, str]) -> Figure:
    first = part.iloc[0]
    caption = (
        f"{test}. X = {first['x']}, Y = {first['y']}, A = {first['a']}, B = {first['b']}; "
        f"right of 0 the vectors put {first['x']} with {first['a']}."
    )
    unscored = list(dict.fromkeys(part["place"]))
    for place in dict.fromkeys(part.loc[part["effect_size"].notna(), "place"]):
        unscored.remove(place)
    if unscored:
        caption += f" Refused: {listing(unscored)}."
    if part["effect_size"].notna().any():
        chart = forest_chart(part, "place", colours, caption, step=9)
    else:
        chart, caption = None, f"{caption} Nothing to draw; the reasons stand below."
    title = f"{test}: {first['description']}" if first["description"] else test
    return Figure(caption, chart, title=title, narrow=True)
