"""Section on the word embedding association tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from biasatlas.atlas import companions, coverage, words
from biasatlas.atlas.forest import forest_chart, series_colours
from biasatlas.atlas.legend import forest_key
from biasatlas.atlas.parts import EMPTY, Figure, Section, given, listing, number, plural
from biasatlas.atlas.places import PRETRAINED, add_place, is_control, rank_test
from biasatlas.atlas.scores import (
    add_documents,
    add_series,
    combine_control,
    doubts,
    refused_table,
    score_table,
    summarise,
    verdict,
)

if TYPE_CHECKING:
    import pandas as pd

_NOTES = [
    "Dots are single models, one a seed. Thin lines: where d would lie with other words of the "
    "same kind. Thick bars: where it lies with other seeds, or with other documents (à la carte "
    "vectors, which have no seeds). Wide bars mean that the text is too small for this kind of "
    "vectors, however far from 0 the dot is.",
    "The grey band behind a dot holds 95% of what random word sets of the same frequency and "
    "coherence give in the same vectors, its upright line their median. A dot inside the band "
    "shows nothing about its words. Of twenty dots of random words one lies outside: "
    "this is not corrected for their number.",
    "A hollow dot is thin: too few of the test's words occur in the region's text. A cross stands "
    "on vectors that fail the positive control. Nothing is claimed from either. À la carte vectors "
    "pass it thanks to the pretrained vectors that they are built on, so there it vouches for "
    "little.",
    "p is one-sided: how often a random split of the target words associates X with A at "
    "least as strongly. A negative d means that X goes with B, and has a p near 1; the "
    "two-sided p is in the table.",
]


def section(tables: Mapping[str, pd.DataFrame], info: Mapping[str, Any]) -> Section:
    """Show a forest plot for each test, with the words behind each score, and other measures."""
    frame = words.add_keys(add_series(add_place(tables["weat"], info)))
    frame = add_documents(frame, given(tables, "alc"), "weat")
    colours = series_colours(frame)
    behind = words.islands(frame, given(tables, "words"), given(tables, "coverage"))
    tests = sorted(set(frame["test"]), key=rank_test)
    figures = [
        _figure(frame[frame["test"] == test], test, colours, behind.get(test)) for test in tests
    ]
    if len(frame):
        order = {test: place for place, test in enumerate(tests)}
        ordered = frame.sort_values("test", key=lambda column: column.map(order), kind="stable")
        lead = [("Test", "test"), ("Region", "place")]
        table = score_table(ordered, lead, f"Numbers: all {plural(len(frame), 'score')}")
        figures.append(Figure("Every score, seed by seed.", table=table))
        figures += companions.figures(tables, frame, info)
        figures += coverage.figures(tables, info)
        refused = refused_table(ordered, lead)
        if refused:
            figures.append(Figure("Tests refused, and why.", table=refused, title="Refused"))
    return Section(
        "Association tests (WEAT)",
        "weat",
        _finding(frame),
        figures,
        cards=(
            forest_key(bool(behind), _widths(frame))
            if frame["effect_size"].notna().any()
            else EMPTY
        ),
        notes=_NOTES,
        read_more=[
            (
                "Caliskan, Bryson & Narayanan 2017, Science 356, 183",
                "https://doi.org/10.1126/science.aal4230",
            )
        ],
    )


def _finding(frame: pd.DataFrame) -> str:
    trained = frame[frame["region"] != PRETRAINED]
    tested = trained[~trained["test"].map(is_control).astype(bool)]
    if tested.empty:
        return "No association test was scored on a region's vectors."
    keys = ["place", "series", "test"]
    cells = [summarise(part) for _, part in tested.groupby(keys, sort=False)]
    first, beyond = verdict(cells, "score", "region × vectors × test")
    return f"{first}{beyond}{doubts(cells)}{_control(frame)}."


def _control(frame: pd.DataFrame) -> str:
    """Say on which vectors the positive control passes."""
    verdicts = {
        (region, place, series): combine_control(part["control"])
        for (region, place, series), part in frame.groupby(
            ["region", "place", "series"], sort=False
        )
    }
    checked = {key: verdict for key, verdict in verdicts.items() if verdict != "none"}
    if not checked:
        return "; no positive control was run, so no vectors can be vouched for"
    text = ""
    pretrained = [verdict for (region, *_), verdict in checked.items() if region == PRETRAINED]
    if pretrained:
        passed = all(verdict == "passed" for verdict in pretrained)
        text = "; the positive control " + (
            "passes on pretrained vectors, so lists and code work there"
            if passed
            else "fails even on pretrained vectors, so lists or code are at fault"
        )
    own = {key: verdict for key, verdict in checked.items() if key[0] != PRETRAINED}
    if not own:
        return text
    failed = [f"{series} of {place}" for (_, place, series), v in own.items() if v == "failed"]
    subject = "; it passes" if text else "; the positive control passes"
    text += f"{subject} on {len(own) - len(failed)} of {len(own)} sets of the regions' own vectors"
    if 0 < len(failed) <= 4:
        text += f" (not on {listing(failed)})"
    return text


def _refused(part: pd.DataFrame) -> list[str]:
    """Name the regions without a score, and the vectors without one where others have one."""
    scored = {
        (str(place), str(series)): bool(group["effect_size"].notna().any())
        for (place, series), group in part.groupby(["place", "series"], sort=False)
    }
    some = {place for (place, _), found in scored.items() if found}
    whole = dict.fromkeys(place for place, _ in scored if place not in some)
    alone = [
        f"{series} in {place}"
        for (place, series), found in scored.items()
        if not found and place in some
    ]
    return [*whole, *alone]


def _widths(frame: pd.DataFrame) -> str:
    """Say how far scores move with the seed, and how far with the documents; may be empty."""
    trained = frame[(frame["region"] != PRETRAINED) & frame["effect_size"].notna()]
    said = []
    for series, part in trained.groupby("series", sort=False):
        grouped = part.groupby(["place", "test"])["effect_size"]
        ranges = (grouped.max() - grouped.min())[grouped.count() > 1]
        documents = (part["documents_high"] - part["documents_low"]).dropna()
        for widths, what in ((ranges, "seeds"), (documents, "documents")):
            if len(widths):
                said.append(f"{number(widths.median())} over {what} on {series} vectors")
    if not said:
        return ""
    return (
        f"Median width of the thick bars: {listing(said)}. Where regions lie closer together than "
        "their bars are wide, their order is noise."
    )


def _figure(
    part: pd.DataFrame, test: str, colours: Mapping[str, str], behind: Mapping[str, Any] | None
) -> Figure:
    first = part.iloc[0]
    caption = (
        f"{test}. X = {first['x']}, Y = {first['y']}, A = {first['a']}, B = {first['b']}; "
        f"right of 0 the vectors put {first['x']} with {first['a']}."
    )
    refused = _refused(part)
    if refused:
        caption += f" Refused: {listing(refused)}."
    if part["effect_size"].notna().any():
        chart = forest_chart(part, "place", colours, caption, step=9)
    else:
        chart, caption = None, f"{caption} Nothing to draw; the reasons stand below."
    name = f"{test} (positive control)" if is_control(test) else test
    title = f"{name}: {first['description']}" if first["description"] else name
    return Figure(caption, chart, title=title, narrow=True, words=behind)
