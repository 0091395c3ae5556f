"""What all charts share: colours, type, and a specification that is the same every time."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt

# Purple and green of ColorBrewer's PRGn, and Okabe and Ito's palette: told apart with every
# common form of colour blindness.
GENDERS = {"female": "#7b3294", "male": "#008837", "both": "#a6a6a6", "neither": "#dcdcdc"}
NOT_SIGNIFICANT = "#a3a3a3"
SERIES = ("#0072B2", "#D55E00", "#009E73", "#E69F00", "#56B4E9", "#CC79A7")
CONTROL = "#222222"
# Brown, white, blue: told apart by most colour-blind readers.
DIVERGING = ("#b35806", "#f1a340", "#f7f7f7", "#67a9cf", "#2166ac")
SHADES = ("#084a7a", "#2c7fb8", "#7fbadb", "#c6dff0")
INK = "#1b1b1b"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"

_CONFIG = {
    "font": FONT,
    "background": "white",
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 8,
        "gridColor": "#e8e8e8",
        "domainColor": "#8a8a8a",
        "tickColor": "#8a8a8a",
        "labelLimit": 300,
    },
    "legend": {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "orient": "top",
        "direction": "horizontal",
        "labelLimit": 300,
        "symbolStrokeWidth": 2,
        "symbolOpacity": 1,
    },
    "view": {"stroke": None},
    "text": {"color": INK},
}


def rows(records: Iterable[Mapping[str, Any]]) -> alt.Data:
    """Give records as inline data, with None where a number is missing or not finite."""
    import altair as alt

    return alt.Data(values=[{key: _plain(cell) for key, cell in row.items()} for row in records])


def _plain(cell: Any) -> Any:
    if hasattr(cell, "item"):
        cell = cell.item()
    if isinstance(cell, float):
        return round(cell, 9) if math.isfinite(cell) else None
    return cell


def finish(chart: Any, description: str, height: int) -> dict[str, Any]:
    """Give the specification of a chart, as wide as its place in the page.

    Parameters
    ----------
    chart : altair chart
        A single or layered chart.
    description : str
        What the chart shows, for screen readers.
    height : int
        Height in pixels, without axes and legend.

    Returns
    -------
    dict
        Vega-Lite, with nothing random and no time in it.
    """
    placed = chart.properties(width="container", height=height, description=description)
    spec: dict[str, Any] = placed.to_dict()
    spec["config"] = _CONFIG
    return spec


def category_axis(limit: int = 300) -> alt.Axis:
    """Give an axis of names without ticks, which cuts lines only beyond `limit` pixels."""
    import altair as alt

    # Vega sets the first line of a label, not its middle, beside the tick.
    raised = [
        {"test": rf"length(split(datum.label, '\n')) == {lines}", "value": -7 * (lines - 1)}
        for lines in (2, 3, 4, 5)
    ]
    return alt.Axis(
        title=None,
        ticks=False,
        domain=False,
        labelOffset={"condition": raised, "value": 0},
        labelExpr=r"split(datum.label, '\n')",
        labelLimit=limit,
        labelLineHeight=14,
        labelPadding=8,
    )


def wrap(text: str, width: int = 38, lines: int = 2) -> str:
    """Break a label into lines of at most `width` letters; what is left over is cut."""
    return "\n".join(textwrap.wrap(text, width, max_lines=lines, placeholder=" …"))


def tooltips(pairs: Sequence[tuple[str, str, str]]) -> list[alt.Tooltip]:
    """Give tooltips from (field, title, format); the format "" leaves a value as it is."""
    import altair as alt

    return [
        alt.Tooltip(field, title=title, format=form) if form else alt.Tooltip(field, title=title)
        for field, title, form in pairs
    ]


def zero_line(field: str = "x") -> alt.Chart:
    """Give a thin line at 0 across a horizontal chart."""
    import altair as alt

    return (
        alt.Chart(rows([{"zero": 0}]))
        .mark_rule(color="#555555", strokeWidth=1)
        .encode(**{field: alt.X("zero:Q") if field == "x" else alt.Y("zero:Q")})
    )


def heat_cells(base: Any, value: str, title: str, *, plain: str, faded: float) -> tuple[Any, Any]:
    """Give the ground and the coloured cells of a heat map from -2 (brown) to 2 (blue).

    Parameters
    ----------
    base : altair.Chart
        With its axes.
    value, title : str
        Field that colours a cell, and its name on the legend.
    plain : str
        Vega expression of the cells in full colour.
    faded : float
        Opacity of the others.
    """
    import altair as alt

    ground = base.mark_rect(stroke="white", strokeWidth=2, color="#f4f4f4")
    cells = base.mark_rect(stroke="white", strokeWidth=2).encode(
        color=alt.Color(
            f"{value}:Q",
            title=title,
            scale=alt.Scale(domain=[-2, -1, 0, 1, 2], range=list(DIVERGING), clamp=True),
            legend=alt.Legend(gradientLength=240, tickCount=5),
        ),
        opacity=alt.condition(plain, alt.value(1), alt.value(faded)),
    )
    return ground, cells
