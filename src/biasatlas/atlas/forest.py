"""Forest plots: d with its intervals, the null band behind it, and marks of doubt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from biasatlas.atlas.charts import (
    CONTROL,
    SERIES,
    category_axis,
    finish,
    rows,
    tooltips,
    wrap,
    zero_line,
)
from biasatlas.atlas.parts import (
    interval,
    listing,
    missing,
    number,
    percent,
    probability,
    records_of,
    with_interval,
)
from biasatlas.atlas.places import ALC, PRETRAINED
from biasatlas.atlas.scores import coverage_text

if TYPE_CHECKING:
    import pandas as pd

BAND = "#e3e1dc"
BAND_MEDIAN = "#b3afa6"
_SERIES_GAP = 0.7
# Share of a row's height that its lanes fill, so that one row stands apart from the next.
_FILLED = 0.86
_CROSS = "M-1,-1L1,1M-1,1L1,-1"
_HOVER = (
    ("row:N", "row", ""),
    ("series:N", "vectors", ""),
    ("seed:N", "seed", ""),
    ("shown:N", "d [other words]", ""),
    ("documents:N", "[other documents]", ""),
    ("null:N", "random words [95%]", ""),
    ("percentile:N", "percentile among them", ""),
    ("p:N", "p", ""),
    ("q:N", "q", ""),
    ("used:N", "words used", ""),
    ("control:N", "control", ""),
    ("status:N", "status", ""),
)
_HOVER_MEAN = (
    ("row:N", "row", ""),
    ("series:N", "vectors", ""),
    ("shown:N", "mean d over seeds", ""),
    ("spread:N", "sd over seeds", ""),
    ("seeds:Q", "seeds", ""),
)


def _offsets(frame: pd.DataFrame) -> dict[tuple[str, int], float]:
    """Give each seed its lane, from -0.5 to 0.5, with a gap between kinds of vectors."""
    keys = list(dict.fromkeys(zip(frame["series"], frame["seed"], strict=True)))
    places, place = {}, 0.0
    for before, key in zip([None, *keys], keys, strict=False):
        if before is not None:
            place += 1 + (_SERIES_GAP if before[0] != key[0] else 0)
        places[key] = place
    lanes = place + 1
    return {key: _FILLED * ((value + 0.5) / lanes - 0.5) for key, value in places.items()}


def row_labels(frame: pd.DataFrame, column: str) -> dict[str, str]:
    """Give the label of each row: its name, missing words, and vectors that fail the control."""
    labels = {}
    for name, part in frame.groupby(column, sort=False):
        lines = [wrap(str(name))]
        thin = "thin: " if (part["status"] == "thin").any() else ""
        if thin or part["coverage"].min() < 1:
            least = (part[c].min() for c in ("coverage_terms", "coverage_names", "coverage"))
            lines.append(thin + coverage_text(*least))
        failed = list(dict.fromkeys(part.loc[part["control"] == "failed", "series"]))
        if failed:
            lines.append(wrap(f"✗ control: {listing(failed)}"))
        labels[str(name)] = "\n".join(lines)
    return labels


def _mark(row: Mapping[str, Any]) -> str:
    if row["control"] == "failed":
        return "failed"
    return "thin" if row["status"] == "thin" else "ok"


def _point(row: Mapping[str, Any], label: str, offset: float) -> dict[str, Any]:
    low, high = row.get("documents_low"), row.get("documents_high")
    return {
        "row": label,
        "series": row["series"],
        "seed": "none" if row["seed"] < 0 else str(row["seed"]),
        "key": row.get("key", ""),
        "d": row["effect_size"],
        "low": row["effect_low"],
        "high": row["effect_high"],
        "documents_low": low,
        "documents_high": high,
        "null_low": row["null_low"],
        "null_median": row["null_median"],
        "null_high": row["null_high"],
        "shown": with_interval(row["effect_size"], row["effect_low"], row["effect_high"]),
        "documents": interval(low, high),
        "null": with_interval(row["null_median"], row["null_low"], row["null_high"]),
        "percentile": percent(row["null_percentile"], 1),
        "p": probability(row["p_value"], row["p_min"]),
        "q": probability(row["q_value"]),
        "used": coverage_text(row["coverage_terms"], row["coverage_names"], row["coverage"]),
        "control": row["control"],
        "status": row["status"],
        "mark": _mark(row),
        "pretrained": row["region"] == PRETRAINED,
        "offset": offset,
    }


def forest_records(frame: pd.DataFrame, column: str) -> tuple[list[dict], list[dict]]:
    """Give the points (one a seed) and the means (one a kind of vectors) of a forest plot."""
    labels = row_labels(frame, column)
    points, means = [], []
    for name, group in frame.groupby(column, sort=False):
        offsets = _offsets(group)
        label = labels[str(name)]
        points += [
            _point(row, label, offsets[row["series"], row["seed"]]) for row in records_of(group)
        ]
        for series, part in group.groupby("series", sort=False):
            effects = part["effect_size"].dropna()
            if len(effects) > 1:
                places = [offsets[str(series), int(seed)] for seed in part["seed"]]
                means.append(
                    {
                        "row": label,
                        "series": series,
                        "key": records_of(part)[0].get("key", ""),
                        "d": effects.mean(),
                        "low": effects.min(),
                        "high": effects.max(),
                        "offset": sum(places) / len(places),
                        "shown": number(effects.mean()),
                        "spread": number(effects.std(ddof=1)),
                        "seeds": len(effects),
                    }
                )
    return points, means


def series_colours(frame: pd.DataFrame) -> dict[str, str]:
    """Give one colour a kind of vectors, dark grey for pretrained ones."""
    trained = frame[frame["region"] != PRETRAINED]
    # À la carte vectors have the same colour in every section, whatever stands beside them.
    kept = set(trained.loc[trained["model"] == ALC, "series"])
    names = list(dict.fromkeys(trained["series"]))
    others = [name for name in names if name not in kept]
    ranked = [*others[:1], *sorted(kept), *others[1:]] if others else ["", *sorted(kept)]
    of = {name: SERIES[place % len(SERIES)] for place, name in enumerate(ranked)}
    colours = {name: of[name] for name in names}
    for name in dict.fromkeys(frame["series"]):
        colours.setdefault(name, CONTROL)
    return colours


def _has(*names: str) -> str:
    """Give the test, in the charts' own language, that all of these fields hold a number."""
    return " && ".join(f"isValid(datum.{name})" for name in names)


def _any(records: list[dict], name: str) -> bool:
    return any(not missing(record[name]) for record in records)


class _Canvas:
    """Places records on the axes that all layers of one forest plot share."""

    def __init__(self, points: list[dict], colours: Mapping[str, str]) -> None:
        self.names = list(dict.fromkeys(point["row"] for point in points))
        present = {point["series"] for point in points}
        self.series = [name for name in colours if name in present]
        self.range = [colours[name] for name in self.series]
        # The row of pretrained vectors says what it is.
        pretrained = {point["series"] for point in points if point["pretrained"]}
        self.legend = [name for name in self.series if name not in pretrained]

    def place(
        self, value: str, keep: str = "", means: list[dict] | None = None, coloured: bool = True
    ) -> Any:
        """Place the points for which `keep` holds, or `means`, at a value."""
        import altair as alt

        # The points are the data of the whole plot, so that they stand in the page once.
        base = alt.Chart() if means is None else alt.Chart(rows(means))
        if keep:
            base = base.transform_filter(keep)
        chart = base.encode(
            x=alt.X(
                f"{value}:Q",
                title="effect size d  (right: X goes with A)",
                scale=alt.Scale(domain=[-2, 2], clamp=True),
                axis=alt.Axis(values=[-2, -1, 0, 1, 2], format="~g"),
            ),
            y=alt.Y("row:N", sort=self.names, axis=category_axis(260)),
            yOffset=alt.YOffset("offset:Q", scale=alt.Scale(domain=[-0.5, 0.5])),
        )
        if not coloured:
            return chart
        legend = alt.Legend(values=self.legend) if len(self.legend) > 1 else None
        scale = alt.Scale(domain=self.series, range=self.range)
        return chart.encode(color=alt.Color("series:N", title=None, scale=scale, legend=legend))


def _band(canvas: _Canvas, points: list[dict], step: int) -> list[Any]:
    if not _any(points, "null_low"):
        return []
    keep = _has("null_low", "null_high")
    bars = canvas.place("null_low", keep, coloured=False).mark_rule(
        color=BAND, strokeWidth=step, opacity=1, strokeCap="butt"
    )
    keep = _has("null_median")
    ticks = canvas.place("null_median", keep, coloured=False).mark_tick(
        color=BAND_MEDIAN, thickness=2, height=step, opacity=1
    )
    hover = tooltips(_HOVER)
    return [bars.encode(x2="null_high:Q", tooltip=hover), ticks.encode(tooltip=hover)]


def _ranges(canvas: _Canvas, points: list[dict], means: list[dict]) -> list[Any]:
    """Draw how far d moves with other documents, or else with other seeds, as thick bars."""
    look: dict[str, Any] = {"strokeWidth": 7, "opacity": 0.38, "strokeCap": "butt"}
    layers = []
    if _any(points, "documents_low"):
        keep = _has("documents_low", "documents_high")
        bars = canvas.place("documents_low", keep).mark_rule(**look)
        layers.append(bars.encode(x2="documents_high:Q", tooltip=tooltips(_HOVER)))
    if means:
        bars = canvas.place("low", means=means).mark_rule(**look)
        layers.append(bars.encode(x2="high:Q", tooltip=tooltips(_HOVER_MEAN)))
    return layers


def _dots(canvas: _Canvas, points: list[dict]) -> list[Any]:
    looks: dict[str, dict[str, Any]] = {
        "ok": {"filled": True},
        "thin": {"filled": False, "fill": "white"},
        "failed": {"filled": False, "shape": _CROSS},
    }
    if any(point["key"] for point in points):
        looks = {mark: {**look, "cursor": "pointer"} for mark, look in looks.items()}
    layers = []
    for mark, look in looks.items():
        if any(point["mark"] == mark for point in points):
            dots = canvas.place("d", f"datum.mark == '{mark}'").mark_point(
                size=44, strokeWidth=1.8, opacity=1, **look
            )
            layers.append(dots.encode(tooltip=tooltips(_HOVER)))
    return layers


def forest_chart(
    frame: pd.DataFrame, column: str, colours: Mapping[str, str], caption: str, step: int = 12
) -> dict[str, Any]:
    """Draw d with its intervals over the null band, one point a seed.

    A thin line is the interval over words; a thick bar the interval over documents where it is
    known, and the range over seeds where there are several, whose mean is an upright bar.

    Parameters
    ----------
    frame : pandas.DataFrame
        Scores with ``series``, and where known ``documents_low``, ``documents_high`` and ``key``
        (of the words behind a score); one group of `column` is one row of the plot. Those
        without an effect size are left out.
    column : str
        The column that names the rows.
    colours : mapping
        Colour of each series.
    caption : str
        Description for screen readers.
    step : int
        Pixels a seed.
    """
    import altair as alt

    points, means = forest_records(frame[frame["effect_size"].notna()], column)
    canvas = _Canvas(points, colours)
    names = canvas.names
    lines = canvas.place("low", _has("low", "high")).mark_rule(strokeWidth=1.2, opacity=0.75)
    layers = [
        *_band(canvas, points, step),
        zero_line(),
        *_ranges(canvas, points, means),
        lines.encode(x2="high:Q", tooltip=tooltips(_HOVER)),
        *_dots(canvas, points),
    ]
    if means:
        ticks = canvas.place("d", means=means).mark_tick(thickness=3, height=step * 2, opacity=1)
        layers.append(ticks.encode(tooltip=tooltips(_HOVER_MEAN)))
    lanes = max(sum(point["row"] == name for point in points) for name in names) + _SERIES_GAP
    lines_of_label = max(name.count("\n") + 1 for name in names)
    row_height = max(round((step + 2) * lanes / _FILLED) + 6, 15 * lines_of_label + 10)
    return finish(alt.layer(*layers, data=rows(points)), caption, row_height * len(names))
