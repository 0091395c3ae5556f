"""What the pairs were chosen from: the matrix of candidates, and the paper's rule by threshold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from biasatlas.atlas.charts import (
    INK,
    SERIES,
    SHADES,
    category_axis,
    finish,
    rows,
    tooltips,
)
from biasatlas.atlas.parts import Figure, missing, number, percent, plural, records_of
from biasatlas.atlas.topic_marks import short_name

if TYPE_CHECKING:
    import pandas as pd

Names = Mapping[tuple[str, str, int], str]
_RULES = {"either": "either gap", "same": "same gap", "both": "both gaps"}
_HOVER = (
    ("female:N", "female topic", ""),
    ("male:N", "male topic", ""),
    ("support:N", "paired again", ""),
    ("tested:N", "both again told female and male", ""),
    ("weight:N", "product of log odds", ""),
    ("gaps:N", "gap same / cross", ""),
    ("chosen:N", "a pair of this run", ""),
)
# Up to so many columns a cell has room for its share.
_WRITTEN = 12


def _short_names(part: pd.DataFrame, names: Names, kind: str) -> dict[int, str]:
    """Give each topic of one side a name that fits an axis, strongest topic first."""
    strength = part.groupby(f"{kind}_topic")["weight"].sum()
    order = sorted(strength.index, key=lambda topic: (-strength[topic], topic))
    place = tuple(part.iloc[0][["language", "region"]])
    short: dict[int, str] = {}
    for topic in order:
        name = names.get((*place, topic), "") or f"topic {topic}"
        cut = short_name(name, 24)
        # Two topics that are cut to one name would share a row.
        short[topic] = f"{cut} #{topic}" if cut in short.values() else cut
    return short


def _cells(part: pd.DataFrame, names: Names) -> list[dict[str, Any]]:
    female, male = (_short_names(part, names, kind) for kind in ("female", "male"))
    columns, lines = list(female), list(male)
    strongest = part["weight"].max()
    cells = []
    for row in sorted(
        records_of(part),
        key=lambda row: (columns.index(row["female_topic"]), lines.index(row["male_topic"])),
    ):
        known = not missing(row["support"])
        weight = 0.0 if missing(row["weight"]) else row["weight"]
        value = row["support"] if known else (weight / strongest if strongest > 0 else 0.0)
        cells.append(
            {
                "female": female[row["female_topic"]],
                "male": male[row["male_topic"]],
                "value": value,
                "text": percent(row["support"]) if known else number(row["weight"], 1),
                "weight": number(row["weight"]),
                "support": percent(row["support"]),
                "tested": percent(row["support_tested"]),
                "gaps": f"{number(row['gap_same'], 4)} / {number(row['gap_cross'], 4)}",
                "chosen": "yes" if row["chosen"] else "no",
                "light": value > 0.55,
            }
        )
    return cells


def _matrix_chart(cells: list[dict[str, Any]], title: str, caption: str) -> dict[str, Any]:
    import altair as alt

    # Cells come in the order of both sides.
    columns = list(dict.fromkeys(cell["female"] for cell in cells))
    lines = list(dict.fromkeys(cell["male"] for cell in cells))
    top = alt.Axis(
        title="female topics",
        orient="top",
        ticks=False,
        domain=False,
        # Names run up and to the left, over the empty corner: to the right they would be cut.
        labelAngle=38,
        labelAlign="right",
        labelLimit=165,
    )
    side = category_axis(170)
    side.title = "male topics"
    base = alt.Chart().encode(
        x=alt.X("female:N", sort=columns, axis=top, scale=alt.Scale(padding=0)),
        y=alt.Y("male:N", sort=lines, axis=side, scale=alt.Scale(padding=0)),
        tooltip=tooltips(_HOVER),
    )
    scale = alt.Scale(domain=[0, 1], range=["#f4f4f4", *reversed(SHADES)])
    legend = alt.Legend(format="%", gradientLength=160, tickCount=3, orient="bottom")
    layers = [
        base.mark_rect(stroke="white", strokeWidth=1.5).encode(
            color=alt.Color("value:Q", title=title, scale=scale, legend=legend)
        ),
        base.mark_rect(
            fillOpacity=0, fill="white", stroke="#d55e00", strokeWidth=3
        ).transform_filter("datum.chosen == 'yes'"),
    ]
    if len(columns) <= _WRITTEN:
        ink = alt.condition("datum.light", alt.value("white"), alt.value(INK))
        layers.append(base.mark_text(fontSize=11).encode(text="text:N", color=ink))
    return finish(alt.layer(*layers, data=rows(cells)), caption, 28 * len(lines))


def matrix_figures(candidates: pd.DataFrame, names: Names) -> list[Figure]:
    """Give a heat map of each region's female and male topics, the pairs outlined.

    Parameters
    ----------
    candidates : pandas.DataFrame
        ``pair_candidates`` with the column ``place``.
    names : mapping
        Label of each topic by language, region and number.
    """
    figures = []
    for place in dict.fromkeys(candidates["place"]):
        part = candidates[candidates["place"] == place]
        cells = _cells(part, names)
        known = part["support"].notna().any()
        title = "paired again" if known else "share of the largest product"
        said = (
            "how often the two are paired again when documents are drawn anew"
            if known
            else "product of the two log odds, darkest where largest"
        )
        caption = f"{place}: {plural(len(cells), 'possible pair')}; {said}. Outlined: the pairs of the run."
        chart = _matrix_chart(cells, title, caption)
        figures.append(Figure(caption, chart, title=f"Possible pairs: {place}", narrow=True))
    return figures


def _threshold_chart(
    part: pd.DataFrame, used: float | None, most: float, caption: str
) -> dict[str, Any]:
    import altair as alt

    records = [
        {
            "rule": _RULES[row["rule"]],
            "threshold": row["threshold"],
            "passing": row["n_passing"],
            "chance": row["chance_passing"],
            "low": row["chance_low"],
            "high": row["chance_high"],
            "shown": f"{row['n_passing']} of {row['n_candidates']}",
            "beyond": _beyond(row),
        }
        for row in records_of(part.sort_values(["rule", "threshold"]))
    ]
    values = sorted({record["threshold"] for record in records if record["threshold"] is not None})
    kind: dict[str, Any] = {"type": "log"} if values and values[0] > 0 else {"zero": False}
    across = alt.X(
        "threshold:Q",
        title="threshold of the gap",
        scale=alt.Scale(nice=False, **kind),
        axis=alt.Axis(values=values, format="~g", labelOverlap=True, grid=False),
    )
    names = list(_RULES.values())
    colour = alt.Color(
        "rule:N", title=None, scale=alt.Scale(domain=names, range=list(SERIES[: len(names)]))
    )
    up = alt.Scale(domain=[0, most], nice=True)
    base = alt.Chart().encode(x=across, color=colour)
    title = "pairs that pass"
    hover = [
        ("rule:N", "rule", ""),
        ("threshold:Q", "threshold", "~g"),
        ("shown:N", "passing", ""),
        ("chance:Q", "by chance", ".1f"),
        ("low:Q", "from", ".1f"),
        ("high:Q", "to", ".1f"),
    ]
    layers = [
        base.mark_area(opacity=0.16).encode(y=alt.Y("low:Q", title=title, scale=up), y2="high:Q"),
        base.mark_line(strokeDash=[3, 3], strokeWidth=1.2).encode(
            y=alt.Y("chance:Q", title=title, scale=up)
        ),
        base.mark_line(strokeWidth=2).encode(y=alt.Y("passing:Q", title=title, scale=up)),
    ]
    for test, look in (("datum.beyond", {"filled": True}), ("!datum.beyond", {"filled": False, "fill": "white"})):  # fmt: skip
        dots = base.mark_point(size=42, opacity=1, **look).encode(
            y=alt.Y("passing:Q", title=title, scale=up), tooltip=tooltips(hover)
        )
        layers.append(dots.transform_filter(test))
    if used is not None and values and values[0] <= used <= values[-1]:
        line = alt.Chart(rows([{"threshold": used}])).mark_rule(color="#777777", strokeDash=[1, 3])
        layers.append(line.encode(x=across))
    return finish(alt.layer(*layers, data=rows(records)), caption, 210)


def _beyond(row: Mapping[str, Any]) -> bool:
    if missing(row["chance_low"]) or missing(row["chance_high"]):
        return False
    return not row["chance_low"] <= row["n_passing"] <= row["chance_high"]


def threshold_figures(
    thresholds: pd.DataFrame, used: Mapping[tuple[str, str], float]
) -> list[Figure]:
    """Give for each region the pairs that pass the paper's rule by threshold, beside chance.

    Parameters
    ----------
    thresholds : pandas.DataFrame
        ``pair_thresholds`` with the column ``place``.
    used : mapping
        Threshold of the run by language and region.
    """
    drawn = thresholds[thresholds["n_candidates"] > 0]
    figures = []
    # An axis of its own for each region: candidates differ more between regions than rules do.
    for place in dict.fromkeys(drawn["place"]):
        part = drawn[drawn["place"] == place]
        first = part.iloc[0]
        beyond = sum(_beyond(row) for row in records_of(part))
        caption = (
            f"{place}: pairs that pass the paper's rule of {int(first['n_candidates'])} (lines with "
            "dots), and what genders dealt at random give (dashed: mean; band: 95%). A full dot "
            f"lies outside its band: {beyond} of {len(part)}."
        )
        most = float(part[["n_passing", "chance_high"]].max().max()) or 1.0
        chart = _threshold_chart(
            part, used.get((first["language"], first["region"])), most, caption
        )
        figures.append(Figure(caption, chart, title=f"The paper's threshold: {place}", narrow=True))
    return figures
