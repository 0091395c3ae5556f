"""Charts of personas by region: mismatch, neutral topics, the probe, prompt forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from biasatlas.atlas.charts import INK, SERIES, category_axis, finish, rows, tooltips
from biasatlas.atlas.parts import Figure, missing, records_of
from biasatlas.atlas.places import add_place

if TYPE_CHECKING:
    import pandas as pd

ALL = "all"
"""In the tables: the row of all regions, and that of all prompt forms."""
ALL_REGIONS = "All regions"
SOURCES = {"own": "the run's own pairs", "paper": "the published pairs"}
GENDERED = {"own": "the run's own topics with a gender", "paper": "the published topics"}
"""What the probe compares: all topics with a gender, in pairs or not."""
TELLS = {"own": "the region's text", "paper": "the paper"}
"""Who says what gender a topic has."""
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")


def add_places(frame: pd.DataFrame, info: Mapping[str, Any]) -> pd.DataFrame:
    """Add the column ``place`` as `add_place` does; the row of all regions comes last."""
    regions = {**info.get("regions", {}), ALL: ALL_REGIONS}
    return add_place(frame, {**info, "regions": regions})


def without_pair(row: Mapping[str, Any]) -> bool:
    """Whether a row is refused because the region has no topic of a pair at all."""
    return row["status"] == "refused" and row["n_female"] + row["n_male"] + row["n_dropped"] == 0


def doubt(row: Mapping[str, Any]) -> str:
    """Say in words why a row is thin or has no score; empty where neither is so."""
    if row["status"] == "ok":
        return ""
    if row["status"] == "thin":
        return "thin"
    if without_pair(row):
        return "no topic with a gender" if "template" in row else "no topic pair"
    return "a gender has no topic with an answer"


@dataclass(frozen=True)
class Dots:
    """What a chart of dots by region and model shows.

    Attributes
    ----------
    value, low, high : str
        Columns of the dot and of its interval.
    title : str
        Name of the axis.
    domain : list of float, optional
        Ends of the axis; without them it fits its values.
    form : str
        Format of numbers on the axis and on hover.
    tick : str
        Column of the black tick; empty for none.
    line : float, optional
        Where a thin line stands.
    """

    value: str
    low: str
    high: str
    title: str
    domain: list[float] | None = None
    form: str = ".2f"
    tick: str = ""
    line: float | None = None


def series_scales(names: Sequence[str]) -> tuple[Any, Any]:
    """Give the scales of colour and shape that tell models, or prompt forms, apart."""
    import altair as alt

    # Colours come round after six; then the shape of the second round differs.
    colours = [SERIES[place % len(SERIES)] for place in range(len(names))]
    shapes = [SHAPES[(place + place // len(SERIES)) % len(SHAPES)] for place, _ in enumerate(names)]
    return (
        alt.Scale(domain=list(names), range=colours),
        alt.Scale(domain=list(names), range=shapes),
    )


def _records(frame: pd.DataFrame, dots: Dots) -> list[dict[str, Any]]:
    said = set()
    records = []
    for row in records_of(frame):
        scored = not missing(row[dots.value])
        note = "" if scored else doubt(row) or "not known"
        # Models share a row: the reason is written once.
        first = (row["place"], note) not in said
        said.add((row["place"], note))
        records.append(
            {
                "place": row["place"],
                "model": row["model"],
                "value": row[dots.value],
                "low": row[dots.low],
                "high": row[dots.high],
                "tick": row[dots.tick] if dots.tick and scored else None,
                "thin": row["status"] == "thin",
                "undecided": row.get("undecided"),
                "topics": f"{row['n_female']} / {row['n_male']}",
                "doubt": doubt(row),
                "note": note if first else "",
            }
        )
    # Where one model is scored there is no room for why another is not: the table says it.
    full = {record["place"] for record in records if not missing(record["value"])}
    for record in records:
        if record["place"] in full:
            record["note"] = ""
    return records


def dot_figure(frame: pd.DataFrame, dots: Dots, caption: str, title: str) -> Figure | None:
    """Give dots with intervals, a row a region and a colour a model; None without any number.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row a place and model, with ``place`` and ``status``.
    dots : Dots
    caption, title : str
    """
    import altair as alt

    if not frame[dots.value].notna().any():
        return None
    records = _records(frame, dots)
    models = sorted({record["model"] for record in records})
    places = list(dict.fromkeys(record["place"] for record in records))
    y = alt.Y(
        "place:N",
        sort=places,
        axis=category_axis(150),
        scale=alt.Scale(type="band", paddingInner=0.2, paddingOuter=0.1),
    )
    base = alt.Chart(rows(records)).encode(y=y)
    layers: list[Any] = []
    if dots.line is not None:
        where = alt.Chart(rows([{"line": dots.line}]))
        layers.append(where.mark_rule(color="#555555", strokeWidth=1).encode(x=alt.X("line:Q")))
    layers += _dot_layers(base, records, models, dots)
    if any(record["note"] for record in records):
        layers.append(
            base.mark_text(align="left", dx=4, fontSize=12, fontStyle="italic", color="#5f5f5f")
            .encode(x=alt.value(0), text="note:N")
            .transform_filter("datum.note != ''")
        )
    height = len(places) * max(30, 13 * len(models) + 8)
    return Figure(caption, finish(alt.layer(*layers), caption, height), title=title, narrow=True)


def _dot_layers(
    base: Any, records: list[dict[str, Any]], models: list[str], dots: Dots
) -> list[Any]:
    """Give intervals, dots and ticks, each model a little below the one before."""
    import altair as alt

    scale = alt.Scale(nice=dots.domain is None, zero=True)
    if dots.domain is not None:
        scale = alt.Scale(domain=dots.domain, nice=False, clamp=True)
    axis = alt.Axis(tickCount=5, format=dots.form)
    colours, shapes = series_scales(models)
    # A narrow chart has room for three names in a line.
    legend = alt.Legend(columns=3, labelLimit=130)
    offset = base.encode(
        yOffset=alt.YOffset("model:N", sort=models),
        color=alt.Color("model:N", title=None, scale=colours, legend=legend),
        tooltip=tooltips(
            [
                ("place:N", "region", ""),
                ("model:N", "model", ""),
                ("value:Q", dots.title, dots.form),
                ("low:Q", "from", dots.form),
                ("high:Q", "to", dots.form),
                *([("tick:Q", "expected", dots.form)] if dots.tick else []),
                ("topics:N", "female / male topics", ""),
                *([("undecided:Q", "replies without a gender", ".0%")] if dots.tick else []),
                ("doubt:N", "doubt", ""),
            ]
        ),
    )
    layers = [
        offset.mark_rule(strokeWidth=1.6)
        .encode(x=alt.X("low:Q", title=dots.title, scale=scale, axis=axis), x2="high:Q")
        .transform_filter("isValid(datum.low)")
    ]
    x = alt.X("value:Q", title=dots.title, scale=scale, axis=axis)
    shape = alt.Shape("model:N", title=None, scale=shapes, legend=legend)
    for thin, look in ((False, {"filled": True}), (True, {"filled": False, "fill": "white"})):
        if any(record["thin"] == thin and not missing(record["value"]) for record in records):
            layers.append(
                offset.mark_point(size=58, opacity=1, strokeWidth=1.8, **look)
                .encode(x=x, shape=shape)
                .transform_filter(f"isValid(datum.value) && datum.thin == {str(thin).lower()}")
            )
    if any(not missing(record["tick"]) for record in records):
        layers.append(
            offset.mark_tick(thickness=2.5, size=13, opacity=1)
            .encode(x=alt.X("tick:Q", title=dots.title), color=alt.value(INK))
            .transform_filter("isValid(datum.tick)")
        )
    return layers


def mismatch_figure(frame: pd.DataFrame, source: str) -> Figure | None:
    """Give the plot of the paper's Figure 5, on its side, from rows of all prompt forms."""
    dots = Dots(
        "mismatch",
        "mismatch_low",
        "mismatch_high",
        "personas of the other gender than the topic",
        [0, 1],
        ".0%",
        "expected",
    )
    caption = (
        f"Mismatch on topics of {SOURCES[source]}, with 95% intervals over topics. Black tick: what "
        "the model would give if it answered as it does on neutral topics; it is a half wherever there "
        f"are as many female as male topics, and left of it the model is nearer to {TELLS[source]}. "
        "Hollow: thin."
    )
    title = f"Mismatch by region: {SOURCES[source]}"
    return dot_figure(frame[frame["source"] == source], dots, caption, title)


def neutral_figure(frame: pd.DataFrame) -> Figure | None:
    """Give the share of female personas where no gender is expected."""
    dots = Dots(
        "neutral_female",
        "neutral_low",
        "neutral_high",
        "female personas on neutral topics",
        [0, 1],
        ".0%",
        line=0.5,
    )
    # The same neutral topics stand beside each source; a thin or missing pair says nothing of them.
    once = frame.drop_duplicates(["language", "region", "model"]).assign(status="ok")
    caption = (
        "Share of female personas on topics that no gender is expected of, with 95% intervals over "
        "these topics. The line is half: a model far from it leans before it is told anything."
    )
    return dot_figure(once, dots, caption, "Neutral topics")


def probe_figures(frame: pd.DataFrame) -> list[Figure]:
    """Give the probe's effect and its correlation with the text, from rows of all beginnings."""
    figures = []
    for source in (name for name in SOURCES if name in set(frame["source"])):
        part = frame[frame["source"] == source]
        effect = Dots("effect", "effect_low", "effect_high", "effect in nats", line=0)
        caption = (
            f"The probe on {GENDERED[source]}: how much more probable it makes “She” than "
            f"“He” after a female topic than after a male one. Right of 0 it leans as {TELLS[source]} "
            "does; lines are 95% intervals over topics, where there are topics enough."
        )
        figures.append(dot_figure(part, effect, caption, f"The probe: {GENDERED[source]}"))
        linked = Dots(
            "correlation",
            "correlation_low",
            "correlation_high",
            "rank correlation with log odds",
            [-1, 1],
            line=0,
        )
        # It takes topics without a gender too, so regions without a pair have it as well.
        known = part.assign(status=part["status"].where(part["correlation"].isna(), "ok"))
        caption = (
            "Rank correlation of the probe with the topics' log odds in the region's text, over all "
            "topics that have them, with 95% intervals over topics."
        )
        figures.append(dot_figure(known, linked, caption, "Probe and text: the run's own topics"))
    return [figure for figure in figures if figure is not None]


def prompt_figure(scores: pd.DataFrame, source: str) -> Figure | None:
    """Give the mismatch of each prompt form; None where there is only one form."""
    import altair as alt

    part = scores[(scores["source"] == source) & (scores["prompt"] != ALL)]
    forms = sorted(set(part["prompt"]))
    part = part[part["mismatch"].notna()]
    if len(forms) < 2 or part.empty:
        return None
    part = part.sort_values(["model"], kind="stable").sort_values(
        "place", kind="stable", key=lambda p: p.map({n: k for k, n in enumerate(p.unique())})
    )
    several = part["model"].nunique() > 1
    records = [
        {
            "row": f"{row['place']}, {row['model']}" if several else row["place"],
            "prompt": row["prompt"],
            "value": row["mismatch"],
            "expected": row["expected"],
            "doubt": doubt(row),
        }
        for row in records_of(part)
    ]
    names = list(dict.fromkeys(record["row"] for record in records))
    colours, shapes = series_scales(forms)
    title = "personas of the other gender than the topic"
    x = alt.X(
        "value:Q",
        title=title,
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=alt.Axis(tickCount=5, format=".0%"),
    )
    base = alt.Chart(rows(records)).encode(y=alt.Y("row:N", sort=names, axis=category_axis(280)))
    lines = base.mark_rule(color="#bdbdbd", strokeWidth=3).encode(
        x=alt.X("min(value):Q", title=title), x2="max(value):Q"
    )
    points = base.mark_point(filled=True, size=62, opacity=0.9).encode(
        x=x,
        color=alt.Color("prompt:N", title=None, scale=colours),
        shape=alt.Shape("prompt:N", title=None, scale=shapes),
        tooltip=tooltips(
            [
                ("row:N", "row", ""),
                ("prompt:N", "prompt form", ""),
                ("value:Q", "mismatch", ".0%"),
                ("expected:Q", "expected", ".0%"),
                ("doubt:N", "doubt", ""),
            ]
        ),
    )
    caption = (
        f"Mismatch by prompt form, on topics of {SOURCES[source]}; the grey bar is its range. A "
        "finding that another wording turns round is one about the wording. Forms that are all alike have "
        "a range too: about 16 points with 6 topics, 12 with 10, 6 with 50."
    )
    chart = finish(alt.layer(lines, points), caption, 22 * len(names) + 6)
    return Figure(caption, chart, title=f"Prompt forms: {SOURCES[source]}")
