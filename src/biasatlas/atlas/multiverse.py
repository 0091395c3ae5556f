"""One test under all encoders of a model: strips of d, and how often they agree on its sign."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biasatlas.atlas.charts import INK, SERIES, category_axis, finish, rows, tooltips
from biasatlas.atlas.choices import Choices, Limits, build_choices, described
from biasatlas.atlas.language_names import (
    FAMILIES,
    FOUND,
    VARIANTS,
    add_labels,
    family,
    orders,
)
from biasatlas.atlas.parts import DataTable, Figure, integer, number, percent

if TYPE_CHECKING:
    import pandas as pd

PUBLISHED = "74%"
"""Share of cells whose ten encoders disagree, by the published tables of the paper."""
PUBLISHED_MIX = (
    f"the paper's published scores: {PUBLISHED}, but not of the same mix: ten encoders of "
    "multilingual DistilBERT, lists “all”, six tests, 73% with both signs"
)
_LIMITS = Limits(full=30_000, slim=0)


def disagreeing(agreement: pd.DataFrame) -> tuple[int, int]:
    """Give how many cells have encoders of both signs, and how many have two encoders at all."""
    cells = agreement[agreement["n_encoders"] > 1]
    return int((cells["share_agreeing"] < 1).sum()), len(cells)


def strip_figure(frame: pd.DataFrame, limits: Limits | None = None) -> Figure | None:
    """Give the strips of d; None where no model has two encoders.

    Parameters
    ----------
    frame : pandas.DataFrame
        Rows of `language_heatmap.prepare`. With several languages a strip is a language and the
        test is chosen; with one it is a test.
    """
    encoders = frame.groupby("model")["encoder"].nunique()
    several = frame["model"].isin(encoders[encoders > 1].index)
    frame = frame[several & frame["d"].notna()]
    if frame.empty:
        return None
    order = orders(frame)
    lists = [("Model", "model"), ("Space", "space_label"), ("Lists", "variant_label")]
    if frame["language"].nunique() > 1:
        frame = frame.assign(row=frame["language_label"])
        order["row"] = order["language_label"]
        lists.append(("Test", "test"))
        what = "language"
    else:
        frame = frame.assign(row=frame["test"])
        order["row"] = order["test"]
        what = "test"
    frame = frame.assign(family=frame["encoder"].map(family).astype("str"))
    order["family"] = list(FAMILIES)
    choices = build_choices(
        frame,
        lists,
        ("row", "encoder", "family", "d", "q", "status"),
        orders=order,
        scored="claimed",
        limits=limits or _LIMITS,
    )
    caption = (
        f"d of one {what} under every encoder of the model, first shown: {described(choices)}. "
        "A dot is an encoder, hollow where thin; the black tick is their median; at the right, how "
        "many have the sign of most. d of different encoders are not on one scale: compare signs, "
        f"and d with its own null, not sizes. {choices.note}"
    ).rstrip()
    return Figure(
        caption,
        _chart(choices, what, caption),
        title="The same test under every encoder",
        choices=choices.data,
    )


def _hover(what: str) -> Any:
    return tooltips(
        [
            ("row:N", what, ""),
            ("encoder:N", "encoder", ""),
            ("d:Q", "d", ".2f"),
            ("q_said:N", "q two-sided, whole table", ""),
            ("status:N", "status", ""),
        ]
    )


def _chart(choices: Choices, what: str, caption: str) -> dict[str, Any]:
    import altair as alt

    scale = alt.Scale(domain=[-2.1, 2.6], nice=False, zero=False, clamp=True)
    axis = alt.Axis(values=[-2, -1, 0, 1, 2], format="~g")

    def across(field: str) -> alt.X:
        return alt.X(field, scale=scale, axis=axis, title="d")

    down = alt.Y(
        "row:N",
        sort=alt.EncodingSortField("row_at", op="min"),
        axis=category_axis(220),
    )
    names = [name for name in FAMILIES if name in set(choices.data["lookups"]["family"])]
    colour = alt.Color(
        "family:N",
        title=None,
        scale=alt.Scale(domain=names, range=list(SERIES[: len(names)])),
    )
    base = alt.Chart().encode(y=down)
    dots = base.encode(x=across("d:Q"), color=colour, tooltip=_hover(what))
    full = dots.mark_point(filled=True, size=62, opacity=0.8).transform_filter("datum.status == 'ok'")  # fmt: skip
    hollow = dots.mark_point(filled=False, size=52, strokeWidth=1.7).transform_filter("datum.status != 'ok'")  # fmt: skip
    median = base.mark_tick(color="black", thickness=2.5, size=17).encode(
        x=across("median(d):Q"),
        tooltip=tooltips([("row:N", what, ""), ("median(d):Q", "median of d", ".2f")]),
    )
    said = (
        alt.Chart()
        .mark_text(align="left", fontSize=11.5)
        .transform_aggregate(n="count()", up="sum(positive)", row_at="min(row_at)", groupby=["row"])
        .transform_calculate(
            said="max(datum.up, datum.n - datum.up) + ' of ' + datum.n", place="2.15"
        )
        .encode(
            y=down,
            x=across("place:Q"),
            text="said:N",
            color=alt.condition("datum.up == 0 || datum.up == datum.n", alt.value(INK), alt.value("#9c3d00")),
        )
    )  # fmt: skip
    zero = alt.Chart(rows([{"zero": 0}])).mark_rule(color="#555555").encode(x=across("zero:Q"))
    data = rows(choices.records)
    data.name = "cells"
    layered = alt.layer(full, hollow, median, said, data=data).transform_calculate(
        positive="datum.d > 0 ? 1 : 0",
        q_said="isValid(datum.q) ? format(datum.q, '.3~g') : '–'",
    )
    spec = finish(alt.layer(zero, layered), caption, 0)
    spec["height"] = {"step": 24}
    return spec


def agreement_figure(agreement: pd.DataFrame | None) -> Figure | None:
    """Give, by model, space and lists, how often the encoders of a model disagree on the sign."""
    if agreement is None:
        return None
    cells = agreement[agreement["n_encoders"] > 1]
    if cells.empty:
        return None
    headers = ["Model", "Space", "Lists", "Cells", "Both signs", "Share of them", "Median agreeing", "Median range of d", "Significant both ways"]  # fmt: skip
    body = []
    rank = {name: place for place, name in enumerate(VARIANTS)}
    keys = ["model", "space_label", "rank", "variant_label"]
    grouped = add_labels(cells.assign(rank=cells["variant"].map(rank))).groupby(keys, sort=True)
    for (model, space, _, variant), part in grouped:
        split, n = disagreeing(part)
        both = (part["n_significant_positive"] > 0) & (
            part["n_significant_positive"] < part["n_significant"]
        )
        body.append(
            [
                model,
                space,
                variant,
                integer(n),
                integer(split),
                percent(split / n),
                percent(part["share_agreeing"].median()),
                number((part["d_high"] - part["d_low"]).median()),
                integer(int(both.sum())),
            ]
        )
    caption = (
        "How often the encoders of a model disagree: a cell is a test of a language under one "
        f"model, space and list. Significant both ways: some encoders with q below {FOUND:g} above "
        f"0, others below. To compare, {PUBLISHED_MIX}."
    )
    table = DataTable(headers, body, frozenset(headers[3:]))
    return Figure(caption, table=table, title="Do encoders agree on the sign?")


def own_agreement(agreement: pd.DataFrame, language: str) -> str:
    """Say in a sentence how often the encoders disagree in one language; may be empty."""
    split, n = disagreeing(agreement[agreement["language"] == language])
    if not n:
        return ""
    return f"encoders of one model disagree on the sign of d in {split} of {n} cells"
