"""Topics of a region by their log odds of gender, with intervals and marks of doubt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from biasatlas.atlas.charts import category_axis, finish, rows, tooltips, zero_line
from biasatlas.atlas.parts import (
    DASH,
    DataTable,
    Figure,
    integer,
    number,
    percent,
    plural,
    probability,
    records_of,
    with_interval,
)
from biasatlas.atlas.topic_marks import (
    OUTLIERS,
    SIDES,
    Reading,
    marks_of,
    short_name,
    side_colour,
    stability_text,
    topic_key,
    unique_labels,
)

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 40
_HEADERS = (
    "Topic",
    "Label",
    "Words",
    "n female",
    "n male",
    "Log odds [95%]",
    "q",
    "u_mass",
    "c_v",
    "Paper p_F / p_M",
    "Comes again",
    "Marks",
)
_NUMERIC = frozenset(("Topic", *_HEADERS[3:11]))
_HOVER = (
    ("full:N", "topic", ""),
    ("words:N", "words", ""),
    ("log_odds:Q", "log odds", ".2f"),
    ("low:Q", "from", ".2f"),
    ("high:Q", "to", ".2f"),
    ("n:N", "female / male passages", ""),
    ("q:N", "q", ""),
    ("stability:N", "stability", ""),
    ("marks:N", "marks", ""),
)


def axis_bound(topics: pd.DataFrame) -> float:
    """Give the end of the axis of log odds that all regions share."""
    # A zero count gives an interval so long that it would press all other topics together; the
    # same axis in all regions lets them be compared.
    ends = topics[["log_odds_low", "log_odds_high"]].abs().max().max()
    bound = 1.15 * topics["log_odds"].abs().max() + 0.5
    return round(float(min(ends, bound)), 2) if ends > 0 else 1.0


def _records(part: pd.DataFrame, reading: Reading) -> list[dict[str, Any]]:
    part = part.assign(shown=unique_labels(part))
    known = part[part["log_odds"].notna()]
    known = known.assign(_size=known["log_odds"].abs(), _found=known["gender"] != "none")
    kept = known.sort_values(["_found", "_size"], ascending=False, kind="stable").head(SHOWN)
    kept = kept.sort_values(["log_odds", "topic"], ascending=[False, True], kind="stable")
    records: list[dict[str, Any]] = []
    names: set[str] = set()
    for row in records_of(kept):
        marks = marks_of(row, reading)
        short = short_name(row["shown"], 40)
        # Two names that are cut to one would share a row of the chart.
        if short in names:
            short = f"{short} #{row['topic']}"
        names.add(short)
        records.append(
            {
                "label": f"{short} {marks.sign}".rstrip(),
                "full": row["shown"],
                "log_odds": row["log_odds"],
                "low": row["log_odds_low"],
                "high": row["log_odds_high"],
                "gender": SIDES[row["gender"]],
                "words": row["words"].replace("; ", ", "),
                "n": f"{row['n_female']} / {row['n_male']}",
                "q": probability(row["q_value"]),
                "stability": stability_text(row),
                "marks": "; ".join(marks.texts) or "none",
                "hollow": marks.unstable,
                "card": topic_key(row, reading.several),
            }
        )
    return records


def _chart(records: list[dict[str, Any]], bound: float, caption: str) -> dict[str, Any]:
    import altair as alt

    base = alt.Chart().encode(
        y=alt.Y("label:N", sort=[r["label"] for r in records], axis=category_axis(290)),
        color=side_colour(),
        tooltip=tooltips(_HOVER),
    )
    title = "log odds, female against male  (left: more male, right: more female)"
    lines = base.mark_rule(strokeWidth=1.6).encode(
        x=alt.X(
            "low:Q",
            title=title,
            axis=alt.Axis(tickCount=7),
            scale=alt.Scale(domain=[-bound, bound], clamp=True, nice=False),
        ),
        x2="high:Q",
    )
    layers = [zero_line(), lines]
    looks: tuple[tuple[str, dict[str, Any]], ...] = (
        ("!datum.hollow", {"filled": True}),
        ("datum.hollow", {"filled": False, "fill": "white", "strokeWidth": 1.8}),
    )
    for test, look in looks:
        if any(record["hollow"] == (not test.startswith("!")) for record in records):
            points = base.mark_point(size=62, opacity=1, cursor="pointer", **look)
            layers.append(points.encode(x=alt.X("log_odds:Q", title=title)).transform_filter(test))
    chart = alt.layer(*layers, data=rows(records))
    return finish(chart, caption, 21 * len(records) + 10)


def _row(row: Mapping[str, Any], reading: Reading) -> list[Any]:
    return [
        row["topic"] if row["topic"] != OUTLIERS else "outliers",
        row["label"],
        row["words"].replace("; ", ", "),
        integer(row["n_female"]),
        integer(row["n_male"]),
        with_interval(row["log_odds"], row["log_odds_low"], row["log_odds_high"]),
        probability(row["q_value"]),
        number(row["u_mass"]),
        number(row["c_v"]),
        f"{number(row['p_female_paper'], 3)} / {number(row['p_male_paper'], 3)}",
        percent(row["recovered"]),
        "; ".join(marks_of(row, reading).texts) or DASH,
    ]


def topic_figure(part: pd.DataFrame, place: str, bound: float, reading: Reading) -> Figure:
    """Give the topics of one region as a chart, with the table of all of them folded below.

    Parameters
    ----------
    part : pandas.DataFrame
        Rows of ``topics`` of one region, the outliers among them.
    place : str
        Its name.
    bound : float
        End of the axis, from `axis_bound`.
    reading : Reading
        How they are to be read.
    """
    total = int(part["n_passages"].sum())
    outliers = int(part.loc[part["topic"] == OUTLIERS, "n_passages"].sum())
    topics = part[part["topic"] != OUTLIERS]
    records = _records(topics, reading)
    caption = (
        f"{place}: {plural(len(topics), 'topic')} by gender, with 95% intervals over documents."
    )
    scored = int(topics["log_odds"].notna().sum())
    if len(records) < scored:
        caption += f" The {len(records)} that lean most are drawn; all are in the table."
    if scored < len(topics):
        caption += f" {len(topics) - scored} without log odds: only in the table."
    ends = topics[["log_odds_low", "log_odds_high"]].abs()
    if (ends > bound).to_numpy().any():
        caption += " Intervals that leave the axis are cut; the table has them whole."
    if total:
        caption += (
            f" {percent(outliers / total)} of the {total:,} passages belong to no topic (outliers)."
        )
    table = DataTable(
        list(_HEADERS),
        [_row(row, reading) for row in records_of(part)],
        _NUMERIC,
        f"Numbers: all topics of {place}",
    )
    chart = _chart(records, bound, caption) if records else None
    return Figure(caption, chart, table, title=place)
