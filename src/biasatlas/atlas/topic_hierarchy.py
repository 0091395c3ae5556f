"""How topics join into broader ones: a tree of each region."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biasatlas.atlas.charts import finish, rows, tooltips
from biasatlas.atlas.parts import Figure, plural, records_of
from biasatlas.atlas.topic_marks import (
    PLAIN_TEXT,
    SIDES,
    Reading,
    marks_of,
    short_name,
    side_colour,
    topic_key,
    unique_labels,
)

if TYPE_CHECKING:
    import pandas as pd

# Share of the width, in units of the largest distance, that is left to the names.
_NAMES = 0.72
_ROW = 17


def leaf_order(merges: list[dict[str, Any]], topics: list[int]) -> list[int]:
    """Give the topics so that no two branches of the tree cross; those in no merge come last.

    Parameters
    ----------
    merges : list of dict
        ``node``, ``left`` and ``right`` of each merge.
    topics : list of int
        Numbers of the topics.
    """
    parts = {merge["node"]: (merge["left"], merge["right"]) for merge in merges}
    below = {child for pair in parts.values() for child in pair}
    known = set(topics)
    order: list[int] = []
    stack = sorted(node for node in parts if node not in below)
    while stack:
        node = stack.pop()
        if node in parts:
            left, right = parts[node]
            stack += [right, left]
        elif node in known:
            order.append(node)
    return order + [topic for topic in topics if topic not in set(order)]


def tree_lines(
    merges: list[dict[str, Any]], order: list[int]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Give the lines of a tree and the points where its branches join.

    Parameters
    ----------
    merges : list of dict
        Rows of ``topic_hierarchy`` of one region, in any order.
    order : list of int
        Topics from top to bottom, from `leaf_order`.

    Returns
    -------
    lines, joints : list of dict
        ``x``, ``x2``, ``y`` and ``y2``: distance across, place of the topic down.
    """
    at: dict[int, tuple[float, float]] = {t: (0.0, float(y)) for y, t in enumerate(order)}
    waiting = sorted(merges, key=lambda merge: (merge["distance"], merge["node"]))
    lines, joints = [], []
    while waiting:
        ready = [m for m in waiting if m["left"] in at and m["right"] in at]
        if not ready:
            break
        waiting = [merge for merge in waiting if merge not in ready]
        for merge in ready:
            x = float(merge["distance"])
            ends = [at[merge["left"]], at[merge["right"]]]
            for child_x, child_y in ends:
                lines.append({"x": child_x, "x2": x, "y": child_y, "y2": child_y})
            lines.append({"x": x, "x2": x, "y": ends[0][1], "y2": ends[1][1]})
            middle = (ends[0][1] + ends[1][1]) / 2
            at[merge["node"]] = (x, middle)
            joints.append(
                {
                    "x": x,
                    "y": middle,
                    "words": merge["words"].replace("; ", ", "),
                    "topics": plural(int(merge["n_topics"]), "topic"),
                    "distance": x,
                }
            )
    return lines, joints


def _names(topics: pd.DataFrame, order: list[int], reading: Reading) -> list[dict[str, Any]]:
    rank = {topic: place for place, topic in enumerate(order)}
    records = []
    for row in records_of(topics.assign(shown=unique_labels(topics))):
        name = short_name(row["shown"], 30)
        records.append(
            {
                "x": 0.0,
                "y": rank[row["topic"]],
                "name": f"{name} {marks_of(row, reading).sign}".rstrip(),
                "full": row["shown"],
                "words": row["words"].replace("; ", ", "),
                "gender": SIDES[row["gender"]],
                "card": topic_key(row, reading.several),
            }
        )
    return sorted(records, key=lambda record: record["y"])


def _chart(
    names: list[dict[str, Any]], merges: list[dict[str, Any]], order: list[int], caption: str
) -> dict[str, Any]:
    import altair as alt

    lines, joints = tree_lines(merges, order)
    longest = max((line["x2"] for line in lines), default=0.0) or 1.0
    across = alt.Scale(domain=[-_NAMES * longest, 1.02 * longest], nice=False, zero=False)
    down = alt.Scale(domain=[-0.7, len(order) - 0.3], reverse=True, nice=False, zero=False)
    ticks = [round(longest * share, 2) for share in (0, 0.5, 1)]
    axis = alt.Axis(values=ticks, grid=False, domain=False, title="distance", titleAnchor="end")
    x = alt.X("x:Q", scale=across, axis=axis)
    y = alt.Y("y:Q", scale=down, axis=None)
    tree = (
        alt.Chart(rows(lines))
        .mark_rule(color="#8c8c8c", strokeWidth=1.2)
        .encode(x=x, y=y, x2="x2:Q", y2="y2:Q")
    )
    hover = [("words:N", "words", ""), ("topics:N", "joins", ""), ("distance:Q", "at", ".2f")]
    dots = (
        alt.Chart(rows(joints))
        .mark_point(filled=True, size=26, color="#5f5f5f", opacity=1)
        .encode(x=x, y=y, tooltip=tooltips(hover))
    )
    text = (
        alt.Chart(rows(names))
        .mark_text(align="right", dx=-5, fontSize=11.5, cursor="pointer")
        .encode(
            x=x,
            y=y,
            text="name:N",
            color=side_colour(legend=False, plain=PLAIN_TEXT),
            tooltip=tooltips([("full:N", "topic", ""), ("words:N", "words", "")]),
        )
    )
    return finish(alt.layer(tree, dots, text), caption, _ROW * len(order) + 8)


def hierarchy_figures(topics: pd.DataFrame, frame: pd.DataFrame, reading: Reading) -> list[Figure]:
    """Give the tree of each region with at least two topics, folded.

    Parameters
    ----------
    topics : pandas.DataFrame
        Topics without outliers, with the column ``place``.
    frame : pandas.DataFrame
        The table ``topic_hierarchy``.
    reading : Reading
        How topics are to be read.
    """
    figures = []
    for (language, region), part in topics.groupby(["language", "region"], sort=False):
        mine, place = part.sort_values("topic"), part["place"].iloc[0]
        here = (frame["language"] == language) & (frame["region"] == region)
        merges = records_of(frame[here])
        if len(mine) < 2 or not merges:
            continue
        order = leaf_order(merges, [int(topic) for topic in mine["topic"]])
        caption = f"{place}: how its {plural(len(mine), 'topic')} join into broader ones."
        figures.append(
            Figure(
                caption,
                _chart(_names(mine, order, reading), merges, order, caption),
                narrow=True,
                fold=f"Tree of topics: {place}",
            )
        )
    return figures
