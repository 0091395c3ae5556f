"""Human against machine translation: dumbbells, and their summary over languages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biasatlas.atlas.charts import SERIES, category_axis, finish, rows, tooltips
from biasatlas.atlas.choices import Choices, Limits, build_choices, described
from biasatlas.atlas.language_names import FOUND, add_labels, encoder_order, orders
from biasatlas.atlas.parts import (
    DataTable,
    Figure,
    integer,
    missing,
    number,
    percent,
    plural,
    probability,
    records_of,
)

if TYPE_CHECKING:
    import pandas as pd

_LIMITS = Limits(full=6_000, slim=14_000)
_ROWS = 400


def translation_figures(
    frame: pd.DataFrame | None, summary: pd.DataFrame | None, *, whole: bool = True
) -> list[Figure]:
    """Give a dumbbell for each language (or test) and the lines over languages.

    Parameters
    ----------
    frame, summary : pandas.DataFrame or None
        The tables translations and translation_summary.
    whole : bool
        Whether `frame` is the whole table, over which q was corrected, not one language of it.
    """
    figures = []
    if frame is not None and frame["difference"].notna().any():
        figures.append(_dumbbells(add_labels(frame), smallest_q(frame) if whole else ""))
    if summary is not None and len(summary):
        figures.append(_summary(add_labels(summary)))
    return figures


def smallest_q(frame: pd.DataFrame) -> str:
    """Say how small q could get if one row of the table translations alone were to differ."""
    n = int(frame["q_value"].notna().sum())
    p_min = frame.loc[(frame["status"] == "ok") & frame["q_value"].notna(), "p_min"].min()
    if not n or missing(p_min):
        return ""
    q = probability(min(1.0, p_min * n))
    return f"The smallest q that one comparison alone could reach is {q}. "


def _dumbbells(frame: pd.DataFrame, least: str) -> Figure:
    several = frame["language"].nunique() > 1
    order = orders(frame)
    lists = [("Model", "model"), ("Encoder", "encoder"), ("Space", "space_label")]
    if several:
        frame = frame.assign(row=frame["language_label"])
        order["row"] = order["language_label"]
        lists.append(("Test", "test"))
    else:
        frame = frame.assign(row=frame["test"])
        order["row"] = order["test"]
    what = "language" if several else "test"
    scored = frame[frame["difference"].notna()]
    frame = scored.rename(columns={"difference_low": "low", "difference_high": "high"}).rename(
        columns={"p_value": "p", "q_value": "q", "d_human": "human", "d_machine": "machine"}
    )
    frame = frame.assign(claimed=frame["difference"].where(frame["status"] == "ok"))
    choices = build_choices(
        frame,
        lists,
        ("row", "human", "machine", "difference", "low", "high", "q", "status"),
        ("p", "p_min", "n_concepts", "n_alike", "note"),
        orders=order,
        scored="claimed",
        limits=_LIMITS,
    )
    beyond = int((frame["q"] < FOUND).sum())
    caption = (
        f"d of the human (full) and the machine translation (hollow) of the same concepts by "
        f"{what}, first shown: {described(choices)}. Grey bar: where the human d would lie by the "
        "interval of the difference (bootstrap of concepts). It is wider than 95%: in simulated "
        "lists whose translations are exchangeable it held 0 in 98 to 100%. So take a difference "
        "from q, not from the interval. Figures at the right: difference "
        f"[interval], * where q is below {FOUND:g}, corrected over the comparisons that can show one: {beyond} of "
        f"{plural(len(frame), 'comparison')}. {least}Brackets: thin. {choices.note}"
    ).rstrip()
    return Figure(
        caption,
        _chart(choices, what, caption),
        _rows_table(frame, what),
        title="Human against machine translation",
        choices=choices.data,
    )


def _hover(what: str) -> Any:
    return tooltips(
        [
            ("row:N", what, ""),
            ("human:Q", "d, human", ".2f"),
            ("machine:Q", "d, machine", ".2f"),
            ("said:N", "difference [interval]", ""),
            ("p_said:N", "p (smallest possible)", ""),
            ("q_said:N", "q, whole table", ""),
            ("n_concepts:N", "concepts", ""),
            ("n_alike:N", "same word in both", ""),
            ("status:N", "status", ""),
            ("note:N", "note", ""),
        ]
    )


def _chart(choices: Choices, what: str, caption: str) -> dict[str, Any]:
    import altair as alt

    down = alt.Y(
        "row:N",
        sort=alt.EncodingSortField("row_at", op="min"),
        axis=category_axis(220),
    )
    # The room right of 2 is for the figures.
    scale = alt.Scale(domain=[-2.2, 3.6], nice=False, zero=False, clamp=True)
    axis = alt.Axis(values=[-2, -1, 0, 1, 2], format="~g", titleAnchor="start")

    def across(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, axis=axis, title="d")

    base = alt.Chart().encode(y=down, tooltip=_hover(what))
    colour = SERIES[0]
    layers = [
        base.mark_rule(strokeWidth=9, color="#d9d9d9").encode(x=across("from"), x2="to:Q"),
        base.mark_rule(strokeWidth=1.6, color=colour).encode(x=across("human"), x2="machine:Q"),
        base.mark_point(size=58, filled=False, fill="white", strokeWidth=1.8, color=SERIES[1]).encode(x=across("machine")),
        base.mark_point(size=58, filled=True, opacity=1, color=colour).encode(x=across("human")),
        base.mark_text(align="left", fontSize=11.5).encode(x=across("place"), text="shown:N"),
    ]  # fmt: skip
    zero = alt.Chart(rows([{"zero": 0}])).mark_rule(color="#555555").encode(x=across("zero"))
    data = rows(choices.records)
    data.name = "cells"
    layered = (
        alt.layer(*layers, data=data)
        .transform_calculate(
            place="2.25",
            **{
                "from": "isValid(datum.low) ? max(-2.15, datum.machine + datum.low) : datum.human",
                "to": "isValid(datum.high) ? min(2.15, datum.machine + datum.high) : datum.human",
                "said": "format(datum.difference, '.2f') + (isValid(datum.low) && "
                "isValid(datum.high) ? ' [' + format(datum.low, '.2f') + ', ' + "
                "format(datum.high, '.2f') + ']' : '')",
                "p_said": "isValid(datum.p) ? format(datum.p, '.3~g') + (isValid(datum.p_min) ? "
                "' (' + format(datum.p_min, '.2~g') + ')' : '') : '–'",
                "q_said": "isValid(datum.q) ? format(datum.q, '.3~g') : '–'",
            },
        )
        .transform_calculate(
            shown="datum.status == 'ok' ? datum.said + (isValid(datum.q) && datum.q < "
            f"{FOUND:g} ? '*' : '') : '(' + datum.said + ')'"
        )
    )
    spec = finish(alt.layer(zero, layered), caption, 0)
    spec["height"] = {"step": 24}
    return spec


def _rows_table(frame: pd.DataFrame, what: str) -> DataTable:
    keys = ["language", "test", "model", "encoder", "space"]
    shown = frame.sort_values(keys, kind="stable").head(_ROWS)
    headers = ["Language", "Test", "Model", "Encoder", "Space", "Concepts", "Same word", "d human", "d machine", "Difference [interval]", "p", "q", "Status", "Note"]  # fmt: skip
    body = [
        [
            row["language_label"],
            row["test"],
            row["model"],
            row["encoder"],
            row["space_label"],
            integer(row["n_concepts"]),
            integer(row["n_alike"]),
            number(row["human"]),
            number(row["machine"]),
            f"{number(row['difference'])} [{number(row['low'])}, {number(row['high'])}]",
            probability(row["p"], row["p_min"]),
            probability(row["q"]),
            row["status"],
            row["note"],
        ]
        for row in records_of(shown)
    ]
    more = f", the first {_ROWS} of {len(frame):,}" if len(frame) > _ROWS else ""
    return DataTable(
        headers, body, frozenset(headers[5:12]), f"Numbers: {plural(len(body), 'row')}{more}"
    )


def _summary(frame: pd.DataFrame) -> Figure:
    rank = {name: place for place, name in enumerate(encoder_order(frame["encoder"]))}
    frame = frame.assign(_rank=frame["encoder"].map(rank))
    frame = frame.sort_values(["model", "space", "_rank"], kind="stable")
    headers = ["Model", "Encoder", "Space", "Languages", "Tests", "Median difference", "Median of mean size", "Same sign", "p (Wilcoxon)", "Smallest possible p", "q", "Note"]  # fmt: skip
    body = [
        [
            row["model"],
            row["encoder"],
            row["space_label"],
            integer(row["n_languages"]),
            integer(row["n_tests"]),
            number(row["difference"]),
            number(row["absolute_difference"]),
            percent(row["sign_agreement"]),
            probability(row["p_value"]),
            probability(row["p_min"]),
            probability(row["q_value"]),
            row["note"],
        ]
        for row in records_of(frame)
    ]
    caption = (
        "Human less machine over languages: a language's mean over its tests is one observation. "
        "q is corrected (Benjamini-Hochberg) over these lines. Where the smallest possible p is "
        "large, so few languages cannot show a difference; none shown does not mean that there is "
        "none."
    )
    table = DataTable(headers, body, frozenset(headers[3:11]))
    return Figure(caption, table=table, title="Human against machine translation over languages")
