"""What the sections on association tests share: means over seeds, marks, and forest plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    DASH,
    LEVEL,
    DataTable,
    listing,
    missing,
    number,
    percent,
    probability,
    records_of,
    with_interval,
)
from biasatlas.atlas.places import PRETRAINED, model_label

if TYPE_CHECKING:
    import pandas as pd

SCORE_HEADERS = (
    "Vectors",
    "Seed",
    "d [95%]",
    "p",
    "q",
    "Holm p",
    "Two-sided p",
    "Words used X, Y, A, B",
    "Coverage",
    "Status",
    "Note",
)
_HOVER = (
    ("row:N", "row", ""),
    ("series:N", "vectors", ""),
    ("seed:N", "seed", ""),
    ("d:Q", "d", ".2f"),
    ("low:Q", "from", ".2f"),
    ("high:Q", "to", ".2f"),
    ("p:N", "p", ""),
    ("q:N", "q", ""),
    ("used:N", "words used", ""),
    ("status:N", "status", ""),
)
_HOVER_MEAN = (
    ("row:N", "row", ""),
    ("series:N", "vectors", ""),
    ("shown:N", "mean d over seeds", ""),
    ("seeds:Q", "seeds", ""),
)
SCORE_NUMERIC = frozenset(SCORE_HEADERS[1:7]) | {"Coverage"}


def series_name(row: Mapping[str, Any], corpora: int) -> str:
    """Name a kind of vectors: its model, with its corpus where the run has several."""
    model = model_label(row["model"])
    return f"{model}, {row['corpus']}" if corpora > 1 and row["corpus"] else model


SURE = (
    f"in every seed (q ≤ {LEVEL:.2f} and an interval without 0), on enough words and with one sign"
)


def add_series(frame: pd.DataFrame) -> pd.DataFrame:
    """Add the column ``series``, the name of the vectors that a row was scored on."""
    corpora = len(set(frame["corpus"]) - {""})
    names = [series_name(row, corpora) for row in records_of(frame[["model", "corpus"]])]
    placed = frame.assign(series=names)
    return placed.astype({"series": "str"}) if frame.empty else placed


def summarise(part: pd.DataFrame) -> dict[str, Any]:
    """Sum up the seeds of one test on one kind of vectors.

    Parameters
    ----------
    part : pandas.DataFrame
        Rows that differ in their seed only.

    Returns
    -------
    dict
        mean and sd of d (sd None for one seed), seeds, and the marks thin, significant (q at
        most 0.10 in every seed), flips (d changes its sign between seeds), holds_zero (the
        interval of a seed holds 0), refused (no seed has a d).
    """
    scored = part[part["effect_size"].notna()]
    if scored.empty:
        return {
            "mean": None,
            "sd": None,
            "seeds": 0,
            "thin": False,
            "significant": False,
            "flips": False,
            "holds_zero": False,
            "refused": True,
        }
    effects = scored["effect_size"]
    return {
        "mean": float(effects.mean()),
        "sd": float(effects.std(ddof=1)) if len(effects) > 1 else None,
        "seeds": len(effects),
        "thin": bool((scored["status"] == "thin").any()),
        "significant": bool((scored["q_value"] <= LEVEL).all()),
        "flips": bool(effects.min() < 0 < effects.max()),
        "holds_zero": bool(((scored["effect_low"] <= 0) & (scored["effect_high"] >= 0)).any()),
        "refused": False,
    }


def is_significant(cell: Mapping[str, Any]) -> bool:
    """Whether q is small in every seed and no seed's interval holds 0."""
    return bool(cell["significant"] and not cell["holds_zero"])


def is_sure(cell: Mapping[str, Any]) -> bool:
    """Whether a sum of `summarise` is all that `SURE` says."""
    return is_significant(cell) and not cell["thin"] and not cell["flips"]


def doubts(cells: Sequence[Mapping[str, Any]]) -> str:
    """Say how many sums of `summarise` are refused, thin or change their sign; may be empty."""
    refused = sum(cell["refused"] for cell in cells)
    thin, flips = sum(cell["thin"] for cell in cells), sum(cell["flips"] for cell in cells)
    said = []
    if refused:
        said.append(f"{refused} {'was' if refused == 1 else 'were'} refused")
    if thin:
        said.append(f"{thin} {'is' if thin == 1 else 'are'} thin")
    if flips:
        said.append(f"{flips} {'changes' if flips == 1 else 'change'} sign between seeds")
    return f"; {listing(said)}" if said else ""


def score_row(row: Mapping[str, Any]) -> list[Any]:
    """Give the cells of one score, in the order of ``SCORE_HEADERS``."""
    used = ", ".join(f"{row[f'n_{side}']}/{row[f'asked_{side}']}" for side in "xyab")
    return [
        row["series"],
        DASH if row["seed"] < 0 else row["seed"],
        with_interval(row["effect_size"], row["effect_low"], row["effect_high"]),
        probability(row["p_value"], row["p_min"]),
        probability(row["q_value"]),
        probability(row["p_holm"]),
        probability(row["p_two_sided"]),
        used,
        percent(row["coverage"]),
        row["status"],
        row["note"],
    ]


def score_table(
    frame: pd.DataFrame, lead: Sequence[tuple[str, str]], summary: str = ""
) -> DataTable:
    """Give a table of scores; `lead` names the first columns as (header, column)."""
    headers = [header for header, _ in lead]
    body = [[*(row[column] for _, column in lead), *score_row(row)] for row in records_of(frame)]
    return DataTable([*headers, *SCORE_HEADERS], body, SCORE_NUMERIC, summary)


def refused_table(frame: pd.DataFrame, lead: Sequence[tuple[str, str]]) -> DataTable | None:
    """List the tests that have no score, with the reason; None where there are none."""
    refused = frame[frame["status"] == "refused"]
    if refused.empty:
        return None
    refused = refused.assign(note=refused["note"].str.removeprefix("refused: "))
    columns = [column for _, column in lead] + ["series", "note"]
    grouped = refused.groupby(columns, sort=False, dropna=False).size().reset_index(name="rows")
    body = [list(row) for row in grouped.itertuples(index=False, name=None)]
    return DataTable([*(header for header, _ in lead), "Vectors", "Reason", "Rows"], body)


def _offsets(frame: pd.DataFrame) -> dict[tuple[str, int], float]:
    keys = list(dict.fromkeys(zip(frame["series"], frame["seed"], strict=True)))
    return {key: (place + 0.5) / len(keys) - 0.5 for place, key in enumerate(keys)}


def row_labels(frame: pd.DataFrame, column: str) -> dict[str, str]:
    """Give the label of each row of a forest plot, marked where words are missing."""
    labels = {}
    for name, part in frame.groupby(column, sort=False):
        marks = ["thin"] if (part["status"] == "thin").any() else []
        if part["coverage"].min() < 1:
            marks.append(f"{percent(part['coverage'].min())} of words")
        labels[str(name)] = wrap(str(name)) + (f"\n({', '.join(marks)})" if marks else "")
    return labels


def forest_records(frame: pd.DataFrame, column: str) -> tuple[list[dict], list[dict]]:
    """Give the points (one a seed) and the means (one a kind of vectors) of a forest plot."""
    labels = row_labels(frame, column)
    points, means = [], []
    for name, group in frame.groupby(column, sort=False):
        offsets = _offsets(group)
        for row in records_of(group):
            points.append(
                {
                    "row": labels[str(name)],
                    "series": row["series"],
                    "seed": "none" if row["seed"] < 0 else str(row["seed"]),
                    "d": row["effect_size"],
                    "low": row["effect_low"],
                    "high": row["effect_high"],
                    "p": probability(row["p_value"], row["p_min"]),
                    "q": probability(row["q_value"]),
                    "used": percent(row["coverage"]),
                    "status": row["status"],
                    "offset": offsets[row["series"], row["seed"]],
                }
            )
        for series, part in group.groupby("series", sort=False):
            mean = part["effect_size"].mean()
            if part["effect_size"].notna().sum() > 1 and not missing(mean):
                places = [offsets[str(series), int(seed)] for seed in part["seed"]]
                means.append(
                    {
                        "row": labels[str(name)],
                        "series": series,
                        "d": mean,
                        "offset": sum(places) / len(places),
                        "shown": number(mean),
                        "seeds": int(part["effect_size"].notna().sum()),
                    }
                )
    return points, means


def series_colours(frame: pd.DataFrame) -> dict[str, str]:
    """Give one colour a kind of vectors, dark grey for pretrained ones."""
    trained = frame[frame["region"] != PRETRAINED]
    names = list(dict.fromkeys(trained["series"]))
    colours = {name: SERIES[place % len(SERIES)] for place, name in enumerate(names)}
    for name in dict.fromkeys(frame["series"]):
        colours.setdefault(name, CONTROL)
    return colours


def forest_chart(
    frame: pd.DataFrame, column: str, colours: Mapping[str, str], caption: str, step: int = 12
) -> dict[str, Any]:
    """Draw d with its interval, one point a seed and a bar at the mean over seeds.

    Parameters
    ----------
    frame : pandas.DataFrame
        Scores with ``series``; one group of `column` is one row of the plot. Those without an
        effect size are left out.
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
    names = list(dict.fromkeys(point["row"] for point in points))
    present = [name for name in colours if name in {p["series"] for p in points}]
    scale = alt.Scale(domain=present, range=[colours[name] for name in present])
    lanes = max(sum(point["row"] == name for point in points) for name in names)

    def placed(records: list[dict], value: str) -> alt.Chart:
        return alt.Chart(rows(records)).encode(
            x=alt.X(
                f"{value}:Q",
                title="effect size d  (right: X goes with A)",
                scale=alt.Scale(domain=[-2, 2], clamp=True),
                axis=alt.Axis(values=[-2, -1, 0, 1, 2], format="~g"),
            ),
            y=alt.Y("row:N", sort=names, axis=category_axis(260)),
            yOffset=alt.YOffset("offset:Q", scale=alt.Scale(domain=[-0.5, 0.5])),
            color=alt.Color(
                "series:N",
                title=None,
                scale=scale,
                legend=alt.Legend() if len(present) > 1 else None,
            ),
        )

    lines = placed(points, "low").mark_rule(strokeWidth=1, opacity=0.6)
    layers = [zero_line(), lines.encode(x2="high:Q", tooltip=tooltips(_HOVER))]
    for thin in (False, True):
        chosen = [point for point in points if (point["status"] == "thin") is thin]
        if chosen:
            hollow = {"filled": False, "fill": "white"} if thin else {"filled": True}
            dots = placed(chosen, "d").mark_point(size=42, strokeWidth=1.6, opacity=1, **hollow)
            layers.append(dots.encode(tooltip=tooltips(_HOVER)))
    if means:
        ticks = placed(means, "d").mark_tick(thickness=3, height=step * 2, opacity=1)
        layers.append(ticks.encode(tooltip=tooltips(_HOVER_MEAN)))
    lines_of_label = max(name.count("\n") + 1 for name in names)
    row_height = max(step * lanes + 10, 15 * lines_of_label + 10)
    return finish(alt.layer(*layers), caption, row_height * len(names))
