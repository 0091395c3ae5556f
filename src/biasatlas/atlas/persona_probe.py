"""The probe topic by topic, beside how female each topic is in the region's text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biasatlas.atlas.charts import finish, rows, tooltips
from biasatlas.atlas.parts import DASH, DataTable, Figure, number, plural, records_of
from biasatlas.atlas.persona_scores import series_scales
from biasatlas.atlas.persona_topics import topic_key
from biasatlas.atlas.topic_marks import TopicLinks

if TYPE_CHECKING:
    import pandas as pd

_TOPIC = ["language", "region", "place", "source", "topic", "model"]
_HEADERS = ("Region", "Topic", "Its gender", "Log odds", "Difference")
HEIGHT = 320


def probe_topic_figures(probe: pd.DataFrame, links: TopicLinks) -> list[Figure]:
    """Give one chart a model: its probe against the log odds of the run's own topics.

    Parameters
    ----------
    probe : DataFrame
        Table persona_probe with ``place``. A topic's difference is the mean over the beginnings;
        a topic of which the model cannot say one of them is left out, as in the scores.
    links : TopicLinks
        Leads to the cards of the topics.
    """
    own = probe[(probe["source"] == "own") & probe["log_odds"].notna()]
    known = own.groupby(["model", "template"])["difference"].transform(lambda d: d.notna().any())
    grouped = own[known.astype(bool)].groupby(_TOPIC, sort=False)
    means = grouped[["label", "topic_gender", "log_odds"]].first()
    means["difference"] = grouped["difference"].agg(lambda d: d.mean(skipna=False))
    means = means[means["difference"].notna()].reset_index()
    return [_figure(part, str(model), links) for model, part in means.groupby("model")]


def _figure(part: pd.DataFrame, model: str, links: TopicLinks) -> Figure:
    import altair as alt

    records = [
        {
            "place": row["place"],
            "label": row["label"],
            "gender": row["topic_gender"],
            "log_odds": row["log_odds"],
            "difference": row["difference"],
            "card": topic_key(row, links),
        }
        for row in records_of(part)
    ]
    places = list(dict.fromkeys(part["place"]))
    colours, shapes = series_scales(places)
    points = (
        alt.Chart(rows(records))
        .mark_point(filled=True, size=55, opacity=0.85, cursor="pointer")
        .encode(
            x=alt.X(
                "log_odds:Q",
                title="log odds of female passages in the region's text",
                axis=alt.Axis(tickCount=8),
            ),
            y=alt.Y("difference:Q", title="log p of “She” less log p of “He”"),
            color=alt.Color("place:N", title=None, scale=colours),
            shape=alt.Shape("place:N", title=None, scale=shapes),
            tooltip=tooltips(
                [
                    ("label:N", "topic", ""),
                    ("place:N", "region", ""),
                    ("gender:N", "its gender", ""),
                    ("log_odds:Q", "log odds", ".2f"),
                    ("difference:Q", "difference in nats", ".2f"),
                ]
            ),
        )
    )
    caption = (
        f"{model}: each of the {len(records)} topics of the run, by how female its passages are "
        "(right) and how much more probable the model makes “She” than “He” after a sentence on it "
        "(up). The level of the whole cloud is the model's own lean; its slope is what counts."
    )
    body: list[list[Any]] = [
        [
            row["place"],
            links.link(row["language"], row["region"], int(row["topic"]), row["label"])
            if topic_key(row, links)
            else row["label"],
            row["topic_gender"] or DASH,
            number(row["log_odds"]),
            number(row["difference"]),
        ]
        for row in records_of(part.sort_values("difference", ascending=False, kind="stable"))
    ]
    summary = f"Numbers: {plural(len(body), 'topic')}, most female by the probe first"
    table = DataTable(list(_HEADERS), body, frozenset(_HEADERS[3:]), summary)
    chart = finish(points, caption, HEIGHT)
    return Figure(caption, chart, table, title=f"Probe and text, topic by topic: {model}")
