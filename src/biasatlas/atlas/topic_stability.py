"""How far the topics of each region come again when something is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biasatlas.atlas.charts import SERIES, category_axis, finish, rows, tooltips
from biasatlas.atlas.parts import (
    DASH,
    DataTable,
    Figure,
    integer,
    number,
    percent,
    records_of,
    with_interval,
)

if TYPE_CHECKING:
    import pandas as pd

KINDS = {
    "seed": "another seed",
    "order": "another order of passages",
    "bootstrap": "documents drawn anew",
    "masking": "gender terms shown or hidden",
}
_HEADERS = (
    "Region",
    "Passages in no topic",
    "Topics",
    "Stable",
    *(f"Agreement: {name}" for name in KINDS.values()),
)
_DETAILS = (
    "Region",
    "What changes",
    "Models",
    "Topics: run / others",
    "In no topic: run / others",
    "ARI [least, most]",
    "ARI of passages in topics",
    "Topics lost",
)


def stability_figures(frame: pd.DataFrame) -> list[Figure]:
    """Give the agreement of models by region and kind of change, and the table of it.

    Parameters
    ----------
    frame : pandas.DataFrame
        ``topic_stability`` with the column ``place``.
    """
    if frame.empty:
        return []
    rank = {kind: place for place, kind in enumerate(KINDS)}
    places = {place: number_ for number_, place in enumerate(_places(frame))}
    frame = frame.assign(_place=frame["place"].map(places), _kind=frame["kind"].map(rank))
    frame = frame.sort_values(["_place", "_kind"], kind="stable").drop(columns=["_place", "_kind"])
    overview = DataTable(
        list(_HEADERS),
        [_overview_row(place, frame[frame["place"] == place]) for place in _places(frame)],
        frozenset(_HEADERS[1:]),
    )
    details = DataTable(
        list(_DETAILS),
        [_details_row(row) for row in records_of(frame)],
        frozenset(_DETAILS[2:]),
        "Numbers: each kind of change",
    )
    caption = (
        "Passages in no topic, stable topics, and the agreement (adjusted Rand index, mean) "
        "between the run's model and models with one thing changed: 1 is the same grouping, 0 is "
        "chance."
    )
    figures = [Figure(caption, table=overview, title="Would the same topics come again?")]
    drawn = frame[frame["ari_mean"].notna()]
    caption = "Agreement of the groupings: a dot is the mean, a line the range over models."
    chart = _chart(drawn, caption) if len(drawn) else None
    figures.append(Figure(caption, chart, details))
    return figures


def _places(frame: pd.DataFrame) -> list[str]:
    return list(dict.fromkeys(frame["place"]))


def _overview_row(place: str, part: pd.DataFrame) -> list[Any]:
    by_kind = part.set_index("kind")["ari_mean"]
    first = part.iloc[0]
    return [
        place,
        percent(first["outlier_share"]),
        integer(first["n_topics"]),
        integer(first["n_stable"]),
        *(number(by_kind.get(kind)) if kind in by_kind else DASH for kind in KINDS),
    ]


def _details_row(row: dict[str, Any]) -> list[Any]:
    return [
        row["place"],
        KINDS[row["kind"]],
        integer(row["n_replicates"]),
        f"{integer(row['n_topics'])} / {number(row['topics_mean'], 1)}",
        f"{percent(row['outlier_share'])} / {percent(row['outlier_share_mean'])}",
        with_interval(row["ari_mean"], row["ari_min"], row["ari_max"]),
        number(row["ari_clustered"]),
        integer(row["n_lost"]),
    ]


def _chart(frame: pd.DataFrame, caption: str) -> dict[str, Any]:
    import altair as alt

    records = [
        {
            "place": row["place"],
            "kind": KINDS[row["kind"]],
            "ari": row["ari_mean"],
            "low": row["ari_min"],
            "high": row["ari_max"],
            "models": integer(row["n_replicates"]),
        }
        for row in records_of(frame)
    ]
    kinds = [name for name in KINDS.values() if any(r["kind"] == name for r in records)]
    low = min([0.0, *(r[key] for r in records for key in ("ari", "low") if r[key] == r[key])])
    base = alt.Chart().encode(
        y=alt.Y("place:N", sort=_places(frame), axis=category_axis(200)),
        yOffset=alt.YOffset("kind:N", sort=kinds, scale=alt.Scale(paddingOuter=0.6)),
        color=alt.Color(
            "kind:N",
            title=None,
            sort=kinds,
            scale=alt.Scale(domain=kinds, range=list(SERIES[: len(kinds)])),
        ),
        tooltip=tooltips(
            [
                ("place:N", "region", ""),
                ("kind:N", "what changes", ""),
                ("models:N", "models", ""),
                ("ari:Q", "adjusted Rand index", ".2f"),
                ("low:Q", "least", ".2f"),
                ("high:Q", "most", ".2f"),
            ]
        ),
    )
    scale = alt.Scale(domain=[low, 1.0], nice=False)
    title = "adjusted Rand index (0: chance, 1: the same groups)"
    lines = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", title=title, scale=scale, axis=alt.Axis(tickCount=6)), x2="high:Q"
    )
    points = base.mark_point(filled=True, size=55, opacity=1).encode(
        x=alt.X("ari:Q", title=title, scale=scale)
    )
    height = (14 * len(kinds) + 14) * len(_places(frame))
    return finish(alt.layer(lines, points, data=rows(records)), caption, height)
