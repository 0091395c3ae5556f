"""The topic map: topics that speak of alike things lie near each other."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from biasatlas.atlas.charts import INK, finish, rows, tooltips
from biasatlas.atlas.parts import Figure, integer, number, probability, records_of
from biasatlas.atlas.topic_marks import (
    PLAIN_TEXT,
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

WIDTH, HEIGHT = 480, 360
"""Pixels for which names are set; a wider map only has more room between them."""
_MARGIN = 0.07
_LARGEST, _SMALLEST = 1100.0, 40.0
# Widths of a letter of bold and of plain names, and height of a line, in pixels.
_BOLD, _LETTER, _LINE = 7.0, 5.9, 14
_PLAIN_NAMES = 8
_HOVER = (
    ("full:N", "topic", ""),
    ("words:N", "words", ""),
    ("n:N", "passages (female / male)", ""),
    ("log_odds:N", "log odds", ""),
    ("q:N", "q", ""),
    ("stability:N", "stability", ""),
    ("marks:N", "marks", ""),
)
Box = tuple[float, float, float, float]


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _seats(point: Mapping[str, Any]) -> list[tuple[str, float, float, Box]]:
    """Give the places round a dot where its name can stand, the best first, inside the map."""
    width = (_BOLD if point["leans"] else _LETTER) * len(point["name"]) + 4
    away, half = point["radius"] + 3, _LINE / 2
    lift = 0.7 * point["radius"] + half
    seats = []
    for align, dx, dy in (
        ("left", away, 0.0),
        ("right", -away, 0.0),
        ("center", 0.0, -away - half),
        ("center", 0.0, away + half),
        ("left", 0.7 * away, -lift),
        ("left", 0.7 * away, lift),
        ("right", -0.7 * away, -lift),
        ("right", -0.7 * away, lift),
    ):
        left = point["x"] + dx - {"left": 0, "right": width, "center": width / 2}[align]
        top = point["y"] + dy - half
        box = (left, top, left + width, top + _LINE)
        if box[0] >= 0 and box[2] <= WIDTH and box[1] >= 0 and box[3] <= HEIGHT:
            seats.append((align, round(dx, 1), round(dy, 1), box))
    return seats


def place_names(points: Sequence[dict[str, Any]]) -> None:
    """Set the name of each point where it covers no other name, or leave it away.

    Parameters
    ----------
    points : sequence of dict
        In the order in which they may choose, with ``x``, ``y``, ``radius`` (pixels), ``name``
        and ``leans``. Gets ``name_x``, ``name_y`` (offsets in pixels) and ``align``; ``name``
        becomes empty where there is no room. Only the name of a topic that leans may cover part
        of another's dot.
    """
    taken: list[Box] = []
    dots = [(p["x"], p["y"], p["radius"]) for p in points]
    for point in points:
        own = (point["x"], point["y"], point["radius"])
        best: tuple[int, tuple[str, float, float, Box]] | None = None
        for seat in _seats(point) if point["name"] else []:
            box = seat[3]
            if any(_meet(box, other) for other in taken):
                continue
            covered = sum(
                _meet(box, (x - r, y - r, x + r, y + r)) for x, y, r in dots if (x, y, r) != own
            )
            if (best is None or covered < best[0]) and (point["leans"] or not covered):
                best = (covered, seat)
        if best is None:
            point |= {"name": "", "align": "left", "name_x": 0.0, "name_y": 0.0}
            continue
        align, dx, dy, box = best[1]
        point |= {"align": align, "name_x": dx, "name_y": dy}
        taken.append(box)


def map_records(topics: pd.DataFrame, most: int, reading: Reading) -> list[dict[str, Any]]:
    """Give the dots of one region, the largest first.

    Parameters
    ----------
    topics : pandas.DataFrame
        Topics of the region that have a place on the map.
    most : int
        Passages of the largest topic of any region, which has the largest dot.
    reading : Reading
        How they are to be read.
    """
    topics = topics.assign(shown=unique_labels(topics))
    records = []
    for row in records_of(topics):
        marks = marks_of(row, reading)
        area = max(_SMALLEST, _LARGEST * row["n_passages"] / most)
        name = short_name(row["shown"], 24)
        records.append(
            {
                "x": (row["map_x"] + _MARGIN) / (1 + 2 * _MARGIN) * WIDTH,
                "y": (1 - (row["map_y"] + _MARGIN) / (1 + 2 * _MARGIN)) * HEIGHT,
                "map_x": row["map_x"],
                "map_y": row["map_y"],
                "area": round(area, 1),
                "radius": math.sqrt(area / math.pi),
                "name": f"{name} {marks.sign}".rstrip(),
                "full": row["shown"],
                "gender": SIDES[row["gender"]],
                "leans": row["gender"] != "none",
                "words": row["words"].replace("; ", ", "),
                "n": f"{integer(row['n_passages'])} ({row['n_female']} / {row['n_male']})",
                "log_odds": number(row["log_odds"]),
                "q": probability(row["q_value"]),
                "stability": stability_text(row),
                "marks": "; ".join(marks.texts) or "none",
                "hollow": marks.unstable,
                "card": topic_key(row, reading.several),
            }
        )
    records.sort(key=lambda record: (-record["area"], record["card"]))
    leaning = [record for record in records if record["leans"]]
    plain = [record for record in records if not record["leans"]]
    for record in plain[_PLAIN_NAMES:]:
        record["name"] = ""
    place_names([*leaning, *plain])
    for record in records:
        for key in ("x", "y", "radius"):
            del record[key]
    return records


def _name_layers(base: Any, records: list[dict[str, Any]]) -> list[Any]:
    import altair as alt

    # All halos lie under all names, so that none fades the name beside it.
    halos: list[Any] = []
    names: list[Any] = []
    for align in ("left", "right", "center"):
        for leans in (True, False):
            mine = [r for r in records if r["name"] and r["align"] == align]
            if not any(record["leans"] == leans for record in mine):
                continue
            test = f"datum.name != '' && datum.align == '{align}' && "
            test += "datum.leans" if leans else "!datum.leans"
            for layers, look in (
                (halos, {"color": "white", "stroke": "white", "strokeWidth": 3, "opacity": 0.75}),
                (names, {"color": INK if leans else PLAIN_TEXT}),
            ):
                text = base.mark_text(
                    align=align,
                    dx=alt.ExprRef("datum.name_x"),
                    dy=alt.ExprRef("datum.name_y"),
                    fontSize=11.5 if leans else 10.5,
                    fontWeight="bold" if leans else "normal",
                    cursor="pointer",
                    **look,
                )
                layers.append(text.encode(text="name:N").transform_filter(test))
    return halos + names


def _chart(records: list[dict[str, Any]], caption: str) -> dict[str, Any]:
    import altair as alt

    scale = alt.Scale(domain=[-_MARGIN, 1 + _MARGIN], nice=False, zero=False)
    base = alt.Chart().encode(
        x=alt.X("map_x:Q", axis=None, scale=scale),
        y=alt.Y("map_y:Q", axis=None, scale=scale),
        tooltip=tooltips(_HOVER),
    )
    looks: tuple[tuple[str, dict[str, Any]], ...] = (
        ("!datum.hollow", {"filled": True, "opacity": 0.72}),
        ("datum.hollow", {"filled": False, "fill": "white", "fillOpacity": 0.55, "opacity": 1,
                          "strokeWidth": 1.7, "strokeDash": [4, 3]}),
    )  # fmt: skip
    layers = [
        base.mark_point(cursor="pointer", **look)
        .encode(
            size=alt.Size("area:Q", scale=None, legend=None),
            color=side_colour(legend=False),
        )
        .transform_filter(test)
        for test, look in looks
        if any(record["hollow"] == (not test.startswith("!")) for record in records)
    ]
    layers += _name_layers(base, records)
    spec = finish(alt.layer(*layers, data=rows(records)), caption, HEIGHT)
    spec["view"] = {"stroke": "#dddddd"}
    return spec


def map_figures(topics: pd.DataFrame, reading: Reading) -> list[Figure]:
    """Give a map of each region whose topics have a place, for a grid of two columns."""
    placed = topics[topics["map_x"].notna() & topics["map_y"].notna()]
    most = int(placed["n_passages"].max()) if len(placed) else 0
    if most == 0:
        return []
    figures = []
    for place in dict.fromkeys(placed["place"]):
        records = map_records(placed[placed["place"] == place], most, reading)
        caption = (
            f"{place}: near means alike in content; the area of a dot is its number of gendered "
            "passages; bold names lean."
        )
        figures.append(
            Figure(caption, _chart(records, caption), title=f"Map: {place}", narrow=True)
        )
    return figures
