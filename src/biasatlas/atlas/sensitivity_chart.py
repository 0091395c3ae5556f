"""How far apart encoders put the words of a set: bars of rho, the paper's means as ticks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biasatlas.atlas.charts import SERIES, category_axis, finish, rows, tooltips
from biasatlas.atlas.choices import Choices, Limits, build_choices, described
from biasatlas.atlas.language_names import add_labels, orders
from biasatlas.atlas.parts import (
    DataTable,
    Figure,
    integer,
    number,
    plural,
    records_of,
    with_interval,
)

if TYPE_CHECKING:
    import pandas as pd

_LIMITS = Limits(full=6_000, slim=6_000)
_ROWS = 400


def sensitivity_figures(frame: pd.DataFrame | None) -> list[Figure]:
    """Give rho by encoder: mean over languages, a dot for each, the paper's mean.

    Parameters
    ----------
    frame : pandas.DataFrame or None
        The table sensitivity.
    """
    if frame is None or not frame["rho"].notna().any():
        return []
    frame = add_labels(frame[frame["rho"].notna()])
    # Rho is a variance of cosines: thousandths can be read.
    scaled = frame.assign(
        **{
            name: 1000 * frame[column]
            for name, column in (
                ("rho", "rho"),
                ("low", "rho_low"),
                ("high", "rho_high"),
                ("published", "published_rho"),
                ("paper", "published_mean"),
            )
        },
        language=frame["language_label"],
    )
    choices = build_choices(
        scaled,
        [("Model", "model"), ("Space", "space_label"), ("Lists", "variant_label")],
        ("encoder", "language", "rho", "paper"),
        ("low", "high", "published", "n_tests"),
        orders={**orders(frame), "language": orders(frame)["language_label"]},
        scored="rho",
        limits=_LIMITS,
    )
    one = frame["language"].nunique() == 1
    caption = (
        f"Sensitivity rho × 1,000 by encoder, first shown: {described(choices)}. "
        + ("Bar: rho; line: its 95% interval over tests. " if one else "Bar: mean over languages; dots: single languages. ")
        + "Black tick: the paper's mean over its languages for that encoder, where it gives one "
        "(other models). A large rho says that the words of a set lie at unlike distances, not that "
        f"an encoder is better. Nothing is tested here. {choices.note}"
    ).rstrip()  # fmt: skip
    return [
        Figure(
            caption,
            _chart(choices, one, caption),
            _table(frame),
            title="Sensitivity of the encoders",
            choices=choices.data,
        )
    ]


def _chart(choices: Choices, one: bool, caption: str) -> dict[str, Any]:
    import altair as alt

    encoder = alt.Y(
        "encoder:N",
        sort=alt.EncodingSortField("encoder_at", op="min"),
        axis=category_axis(220),
    )
    title = "rho × 1,000"
    base = alt.Chart().encode(y=encoder)
    hover = tooltips(
        [
            ("language:N", "language", ""),
            ("encoder:N", "encoder", ""),
            ("said:N", "rho × 1,000 [95% interval]", ""),
            ("n_tests:N", "tests", ""),
            ("published_said:N", "the paper's, this language", ""),
        ]
    )
    bars = base.mark_bar(color="#b9d3e6", size=16).encode(
        x=alt.X("mean(rho):Q", title=title, axis=alt.Axis(tickCount=7)),
        tooltip=tooltips([("encoder:N", "encoder", ""), ("mean(rho):Q", "mean of rho", ".2f")]),
    )
    layers = [bars]
    if one:
        layers.append(
            base.mark_rule(strokeWidth=2, color=SERIES[0])
            .encode(x=alt.X("low:Q", title=title), x2="high:Q", tooltip=hover)
            .transform_filter("isValid(datum.low) && isValid(datum.high)")
        )
    layers += [
        base.mark_point(filled=True, size=34, opacity=0.55, color=SERIES[0]).encode(
            x=alt.X("rho:Q", title=title), tooltip=hover
        ),
        base.mark_tick(color="black", thickness=3, size=22)
        .encode(
            x=alt.X("mean(paper):Q", title=title),
            tooltip=tooltips([("mean(paper):Q", "the paper's mean", ".2f")]),
        )
        .transform_filter("isValid(datum.paper)"),
    ]
    data = rows(choices.records)
    data.name = "cells"
    layered = alt.layer(*layers, data=data).transform_calculate(
        said="format(datum.rho, '.2f') + (isValid(datum.low) && isValid(datum.high) ? ' [' + "
        "format(datum.low, '.2f') + ', ' + format(datum.high, '.2f') + ']' : '')",
        published_said="isValid(datum.published) ? format(datum.published, '.2f') : '–'",
    )
    spec = finish(layered, caption, 0)
    spec["height"] = {"step": 26}
    return spec


def _table(frame: pd.DataFrame) -> DataTable:
    keys = ["language", "model", "variant", "space", "encoder"]
    shown = frame.sort_values(keys, kind="stable").head(_ROWS)
    headers = ["Language", "Model", "Lists", "Space", "Encoder", "rho × 1,000 [95% interval]", "Tests", "The paper's", "The paper's mean", "Note"]  # fmt: skip
    body = [
        [
            row["language_label"],
            row["model"],
            row["variant_label"],
            row["space_label"],
            row["encoder"],
            with_interval(*(1000 * row[name] for name in ("rho", "rho_low", "rho_high"))),
            integer(row["n_tests"]),
            number(1000 * row["published_rho"]),
            number(1000 * row["published_mean"]),
            row["note"],
        ]
        for row in records_of(shown)
    ]
    more = f", the first {_ROWS} of {len(frame):,}" if len(frame) > _ROWS else ""
    return DataTable(
        headers, body, frozenset(headers[5:9]), f"Numbers: {plural(len(body), 'row')}{more}"
    )
