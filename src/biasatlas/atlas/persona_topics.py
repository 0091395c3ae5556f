"""How often the personas of each topic are female, and the topics that models turn round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from biasatlas.atlas.charts import GENDERS, INK, category_axis, finish, rows, tooltips
from biasatlas.atlas.parts import (
    DASH,
    DataTable,
    Figure,
    integer,
    missing,
    number,
    percent,
    plural,
    records_of,
)
from biasatlas.atlas.persona_scores import ALL, SOURCES, TELLS, series_scales
from biasatlas.atlas.topic_marks import TopicLinks, short_name

if TYPE_CHECKING:
    import pandas as pd

SIDES = ("female", "male")
_HEADERS = (
    "Region",
    "Topic",
    "Its gender",
    "Log odds",
    "Model",
    "Female",
    "Male",
    "No gender",
    "Share female [95%]",
    "Mismatch",
    "Marks",
)
_NEUTRAL_HEADERS = ("Region", "Topic", "Model", *_HEADERS[5:9])
_HOVER = (
    ("full:N", "topic", ""),
    ("side:N", "its gender", ""),
    ("log_odds:Q", "log odds", ".2f"),
    ("model:N", "model", ""),
    ("share:Q", "share of female personas", ".0%"),
    ("low:Q", "from", ".0%"),
    ("high:Q", "to", ".0%"),
    ("counts:N", "female / male / no gender", ""),
    ("neutral:Q", "on neutral topics", ".0%"),
    ("marks:N", "marks", ""),
)

Shares = Mapping[tuple[str, str, str], float]


def neutral_shares(scores: pd.DataFrame | None) -> dict[tuple[str, str, str], float]:
    """Give the share of female personas on neutral topics, by language, region and model."""
    if scores is None:
        return {}
    return {
        (row["language"], row["region"], row["model"]): row["neutral_female"]
        for row in records_of(scores[scores["prompt"] == ALL])
    }


def topic_figures(topics: pd.DataFrame, neutral: Shares, links: TopicLinks) -> list[Figure]:
    """Give one chart a region whose topics were asked for, with the numbers behind it.

    Parameters
    ----------
    topics : pandas.DataFrame
        Table persona_topics with ``place``.
    neutral : mapping
        From `neutral_shares`.
    links : TopicLinks
        Leads to the cards of the run's own topics.
    """
    frame = topics[topics["prompt"] == ALL]
    figures = []
    for source in SOURCES:
        part = frame[frame["source"] == source]
        for place in dict.fromkeys(part["place"]):
            figures.append(_place_figure(part[part["place"] == place], source, neutral, links))
    return figures


def _named(part: pd.DataFrame) -> dict[str, str]:
    """Name each topic for a chart: short, and no two alike."""
    names: dict[str, str] = {}
    for topic, label in zip(part["topic"], part["label"], strict=True):
        short = short_name(label or f"topic {topic}", 40)
        if short in {name for other, name in names.items() if other != topic}:
            short = f"{short} ({topic})"
        names.setdefault(topic, short)
    return names


def _marks(row: Mapping[str, Any]) -> str:
    marks = []
    if row["gendered_label"]:
        marks.append("the label tells a gender")
    if row["turned_by_all"]:
        marks.append("every model turns it round")
    return "; ".join(marks)


def topic_key(row: Mapping[str, Any], links: TopicLinks) -> str:
    """Give the key of the card of an own topic; empty for any other."""
    if row["source"] != "own" or not row["topic"].isdecimal():
        return ""
    return links.key(row["language"], row["region"], int(row["topic"]))


def _order(part: pd.DataFrame) -> pd.DataFrame:
    """Female topics first, then by the log odds of the text; models by name."""
    ranked = part.assign(
        _side=part["topic_gender"].map({name: place for place, name in enumerate(SIDES)}),
        _odds=-part["log_odds"].fillna(0.0),
    )
    by = ["_side", "_odds", "topic", "model"]
    return ranked.sort_values(by, kind="stable", ignore_index=True).drop(columns=by[:2])


def _place_figure(part: pd.DataFrame, source: str, neutral: Shares, links: TopicLinks) -> Figure:
    part = _order(part)
    place = part["place"].iloc[0]
    names = _named(part)
    records = [
        {
            "topic": names[row["topic"]],
            "full": row["label"],
            "side": f"{row['topic_gender']} topic",
            "log_odds": row["log_odds"],
            "model": row["model"],
            "share": row["share_female"],
            "low": row["share_low"],
            "high": row["share_high"],
            "counts": f"{row['n_female']} / {row['n_male']} / {row['n_undecided']}",
            "neutral": neutral.get((row["language"], row["region"], row["model"])),
            "marks": _marks(row) or "none",
            "note": "no answer tells a gender" if missing(row["share_female"]) else "",
            "card": topic_key(row, links),
        }
        for row in records_of(part)
    ]
    caption = (
        f"{place}: share of female personas on topics of {SOURCES[source]}, coloured by the gender "
        f"that {TELLS[source]} gives the topic. Lines: 95% intervals over the replies, for "
        "this topic alone; black ticks: the same model on neutral topics."
    )
    table = _table(part, f"Numbers: {plural(len(names), 'topic')} of {place}", links)
    return Figure(caption, _chart(records, caption), table, title=f"{place}: {SOURCES[source]}")


def _chart(records: list[dict[str, Any]], caption: str) -> dict[str, Any]:
    import altair as alt

    models = sorted({record["model"] for record in records})
    topics = list(dict.fromkeys(record["topic"] for record in records))
    title = "share of female personas  (left: more male, right: more female)"
    scale = alt.Scale(domain=[0, 1], nice=False)
    axis = alt.Axis(tickCount=5, format=".0%")
    colour = alt.Color(
        "side:N",
        title=None,
        scale=alt.Scale(
            domain=[f"{side} topic" for side in SIDES], range=[GENDERS[side] for side in SIDES]
        ),
    )
    plain = alt.Chart(rows(records)).encode(
        y=alt.Y(
            "topic:N",
            sort=topics,
            axis=category_axis(290),
            scale=alt.Scale(type="band", paddingInner=0.25),
        )
    )
    base = plain.encode(
        yOffset=alt.YOffset("model:N", sort=models), color=colour, tooltip=tooltips(_HOVER)
    )
    layers: list[Any] = [
        base.mark_rule(strokeWidth=1.4)
        .encode(x=alt.X("low:Q", title=title, scale=scale, axis=axis), x2="high:Q")
        .transform_filter("isValid(datum.low)")
    ]
    points = base.mark_point(filled=True, size=52, opacity=1, cursor="pointer")
    points = points.encode(x=alt.X("share:Q", title=title, scale=scale, axis=axis))
    if len(models) > 1:
        points = points.encode(
            shape=alt.Shape("model:N", title=None, scale=series_scales(models)[1])
        )
    layers.append(points.transform_filter("isValid(datum.share)"))
    if any(not missing(record["neutral"]) for record in records):
        layers.append(
            base.mark_tick(thickness=2, size=9 if len(models) > 1 else 15, opacity=1)
            .encode(x=alt.X("neutral:Q", title=title), color=alt.value(INK))
            .transform_filter("isValid(datum.neutral)")
        )
    if any(record["note"] for record in records):
        layers.append(
            base.mark_text(align="left", dx=4, fontSize=11, fontStyle="italic")
            .encode(x=alt.value(0), text="note:N", color=alt.value("#5f5f5f"))
            .transform_filter("datum.note != ''")
        )
    height = len(topics) * max(24, 10 * len(models) + 12) + 8
    return finish(alt.layer(*layers), caption, height)


def _row(row: Mapping[str, Any], links: TopicLinks) -> list[Any]:
    label: Any = row["label"]
    if topic_key(row, links):
        label = links.link(row["language"], row["region"], int(row["topic"]), row["label"])
    share = percent(row["share_female"])
    if not missing(row["share_female"]):
        share += f" [{percent(row['share_low'])}, {percent(row['share_high'])}]"
    return [
        row["place"],
        label,
        row["topic_gender"],
        number(row["log_odds"]),
        row["model"],
        integer(row["n_female"]),
        integer(row["n_male"]),
        integer(row["n_undecided"]),
        share,
        percent(row["mismatch"]),
        _marks(row) or DASH,
    ]


def _table(part: pd.DataFrame, summary: str, links: TopicLinks) -> DataTable:
    body = [_row(row, links) for row in records_of(part)]
    return DataTable(list(_HEADERS), body, frozenset(("Log odds", *_HEADERS[5:10])), summary)


def neutral_table(topics: pd.DataFrame, links: TopicLinks) -> DataTable | None:
    """Give the neutral topics one by one; None where none were asked for."""
    part = topics[(topics["prompt"] == ALL) & (topics["source"] == "neutral")]
    if part.empty:
        return None
    # Beside a narrow chart, so without the columns that a neutral topic leaves empty.
    kept = [_HEADERS.index(name) for name in _NEUTRAL_HEADERS]
    full = _table(part, f"Numbers: neutral topics one by one, {plural(len(part), 'row')}", links)
    body = [[row[place] for place in kept] for row in full.rows]
    return DataTable(list(_NEUTRAL_HEADERS), body, full.numeric, full.summary)


def turned_figure(topics: pd.DataFrame, links: TopicLinks) -> Figure | None:
    """List the topics that every model turns round; None with a single model."""
    frame = topics[(topics["prompt"] == ALL) & topics["topic_gender"].isin(SIDES)]
    if frame["model"].nunique() < 2:
        return None
    keys = ["language", "region", "source", "topic"]
    several = frame[frame["n_models"] >= 2].drop_duplicates(keys)
    turned = several[several["turned_by_all"].astype(bool)]
    body = []
    for row in records_of(turned):
        label: Any = row["label"]
        if topic_key(row, links):
            label = links.link(row["language"], row["region"], int(row["topic"]), row["label"])
        other = "male" if row["topic_gender"] == "female" else "female"
        body.append(
            [
                row["place"],
                label,
                row["topic_gender"],
                other,
                number(row["log_odds"]),
                integer(row["n_models"]),
                _marks({**row, "turned_by_all": False}) or DASH,
            ]
        )
    if not body:
        counted = plural(len(several), "topic")
        caption = f"None of {counted} with a majority from two models or more."
        return Figure(caption, title="Topics that every model turns round")
    caption = (
        f"{len(turned)} of {plural(len(several), 'topic')} with a majority from two models or more: "
        "every one of them makes mostly personas of the other gender than the topic's. Models that make "
        "mostly men turn most female topics round whatever these are, and two that toss a coin every "
        "fourth topic: compare with the neutral topics."
    )
    headers = ["Region", "Topic", "Its gender", "Personas", "Log odds", "Models", "Marks"]
    table = DataTable(headers, body, frozenset(("Log odds", "Models")))
    return Figure(caption, table=table, title="Topics that every model turns round")
