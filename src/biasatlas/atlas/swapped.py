"""How much of a gender score comes from the region's own use of gendered words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from biasatlas.atlas.charts import CONTROL, SERIES, category_axis, finish, rows, tooltips, zero_line
from biasatlas.atlas.parts import (
    LEVEL,
    DataTable,
    Figure,
    given,
    interval,
    missing,
    number,
    plural,
    probability,
    records_of,
    with_interval,
)
from biasatlas.atlas.places import ALC, add_place, gender_tests, rank_test

if TYPE_CHECKING:
    import pandas as pd

_COLOUR = SERIES[1]
_UNTOUCHED = "the exchange touches none of their words"


def prepare(
    tables: Mapping[str, pd.DataFrame],
    info: Mapping[str, Any],
    controls: Mapping[tuple[str, ...], str],
) -> pd.DataFrame | None:
    """Give the gender scores whose text part is known, with ``place`` and ``control``.

    Controls and other tests have no gendered words, so that their text part is no finding.

    Parameters
    ----------
    tables : mapping of str to pandas.DataFrame
        With or without ``alc``.
    info : mapping
        As for the page.
    controls : mapping
        Verdict of the control by language, region, corpus and model; for a table without it.
    """
    frame = given(tables, "alc")
    if frame is None:
        return None
    gender = (frame["origin"] != "weat") | frame["test"].isin(gender_tests(info))
    known = frame[gender & frame["text_part"].notna()]
    if known.empty:
        return None
    placed = add_place(known, info)
    if "control" in placed:
        return placed
    keys = zip(placed["language"], placed["region"], placed["corpus"], strict=True)
    return placed.assign(control=[controls.get((*key, ALC), "none") for key in keys])


def _own(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["origin"] == "weat"]


def sentence(frame: pd.DataFrame | None) -> str:
    """Say in how many gender scores the text's own part is clear; empty where unknown."""
    if frame is None or _own(frame).empty:
        return ""
    own = _own(frame)
    part = own[own["text_p"].notna()]
    untested = len(own) - len(part)
    if part.empty:
        return (
            f"None of {plural(len(own), 'gender score')} on à la carte vectors could be tested for "
            f"the text's own part: {_UNTOUCHED}."
        )
    usable = (part["status"] == "ok") & (part["control"] != "failed")
    # The interval is no test here: where words are used alike, a bootstrap repeats the noise.
    clear = usable & (part["text_q"] <= LEVEL)
    positive = int((clear & (part["text_part"] > 0)).sum())
    count = int(clear.sum())
    text = (
        f"When gendered words are exchanged in the text, {count or 'none'} of "
        f"{plural(len(part), 'gender score')} {'turns' if count == 1 else 'turn'} with them by more "
        f"than chance (q ≤ {LEVEL:.2f})"
    )
    if count:
        text += f", {positive or 'none'} of them in the direction of the test"
    left = int((~usable).sum())
    if left:
        text += f"; {left} {'is' if left == 1 else 'are'} thin or on vectors that fail the control"
    if untested:
        text += f"; {untested} more could not be tested, as {_UNTOUCHED}"
    return text + "."


def figures(frame: pd.DataFrame) -> list[Figure]:
    """Give a chart a gender test that could be tested, and one table of all, pairs as well."""
    own = _own(frame)
    own = own[own["text_p"].notna()]
    made = []
    for test in sorted(set(own["test"]), key=rank_test):
        part = own[own["test"] == test]
        caption = (
            f"{test} on à la carte vectors: d (grey), and the part of it that turns round when every "
            "gendered word of the text is exchanged (orange, with its interval over documents). "
            "The rest comes from the pretrained vectors. Hollow: thin, or the vectors fail the control."
        )
        made.append(
            Figure(
                caption, _chart(part, caption), title=f"{test}: the text's own part", narrow=True
            )
        )
    headers = ["Test", "Region", "d [95%]", "After the exchange [95%]", "The text's part [95%]"]
    headers += ["p", "q", "Documents", "Control", "Status", "Note"]
    body = [
        [
            r["test"],
            r["place"],
            with_interval(r["effect_size"], r["documents_low"], r["documents_high"]),
            with_interval(r["swapped"], r["swapped_low"], r["swapped_high"]),
            with_interval(r["text_part"], r["text_low"], r["text_high"]),
            probability(r["text_p"]),
            probability(r["text_q"]),
            f"{r['n_documents']:,}",
            r["control"],
            r["status"],
            r["note"],
        ]
        for r in sorted(records_of(frame), key=lambda r: rank_test(r["test"]))
    ]
    table = DataTable(
        headers, body, frozenset(headers[2:8]), f"Numbers: {plural(len(body), 'score')}"
    )
    caption = (
        "Scores before and after the exchange; intervals are over documents. A score without p could "
        f"not be tested, as {_UNTOUCHED}."
    )
    return [*made, Figure(caption, table=table)]


def _chart(part: pd.DataFrame, caption: str) -> dict[str, Any]:
    import altair as alt

    records = [
        {
            "row": r["place"] + ("\n✗ control" if r["control"] == "failed" else ""),
            "d": r["effect_size"],
            "part": r["text_part"],
            "low": r["text_low"],
            "high": r["text_high"],
            "shown": f"{number(r['text_part'])} {interval(r['text_low'], r['text_high'])}",
            "after": number(r["swapped"]),
            "solid": r["status"] == "ok" and r["control"] != "failed",
        }
        for r in records_of(part)
    ]
    names = [record["row"] for record in records]
    hover = tooltips(
        [
            ("row:N", "region", ""),
            ("d:Q", "d", ".2f"),
            ("after:N", "d after the exchange", ""),
            ("shown:N", "the text's part", ""),
        ]
    )

    def placed(chosen: list[dict[str, Any]], value: str) -> alt.Chart:
        return alt.Chart(rows(chosen)).encode(
            x=alt.X(
                f"{value}:Q",
                title="effect size d",
                scale=alt.Scale(domain=[-2, 2], clamp=True),
                axis=alt.Axis(values=[-2, -1, 0, 1, 2], format="~g"),
            ),
            y=alt.Y("row:N", sort=names, axis=category_axis(220)),
            tooltip=hover,
        )

    known = [r for r in records if not missing(r["low"]) and not missing(r["high"])]
    layers = [zero_line()]
    layers.append(
        placed(records, "d").mark_tick(color=CONTROL, thickness=3, height=14, opacity=0.45)
    )
    if known:
        bars = placed(known, "low").mark_rule(color=_COLOUR, strokeWidth=7, opacity=0.38)
        layers.append(bars.encode(x2="high:Q"))
    for solid in (True, False):
        chosen = [r for r in records if r["solid"] is solid]
        if chosen:
            look = {"filled": True} if solid else {"filled": False, "fill": "white"}
            layers.append(
                placed(chosen, "part").mark_point(
                    color=_COLOUR, size=46, strokeWidth=1.7, opacity=1, **look
                )
            )
    height = 34 if any("\n" in name for name in names) else 26
    return finish(alt.layer(*layers), caption, height * len(names))
