"""Section on topic pairs: a female and a male topic of one region, or why there are none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from markupsafe import Markup

from biasatlas.atlas.charts import GENDERS, category_axis, finish, rows, tooltips, zero_line
from biasatlas.atlas.parts import (
    DASH,
    DataTable,
    Figure,
    Section,
    integer,
    listing,
    missing,
    number,
    plural,
    records_of,
)
from biasatlas.atlas.places import add_place

if TYPE_CHECKING:
    import pandas as pd

# Names stand outside the dots: side, alignment and shift in pixels.
_NAMES: tuple[tuple[str, Literal["left", "right"], int], ...] = (
    ("female", "left", 9),
    ("male", "right", -9),
)
_HEADERS = (
    "Region",
    "Rank",
    "Female topic",
    "Male topic",
    "Log odds F / M",
    "u_mass F / M",
    "Gap same",
    "Gap cross",
    "Passes",
    "Note",
)


def section(tables: Mapping[str, pd.DataFrame], info: Mapping[str, Any]) -> Section:
    """Show the pairs found in each region beside the number that chance would pass."""
    frame = add_place(tables["pairs"], info)
    found = frame[frame["rank"] > 0]
    figures = []
    if len(found):
        figures.append(_chart_figure(found))
    if len(frame):
        figures.append(_table_figure(frame))
    notes = [
        "A pair joins a topic that leans female with one that leans male. The gaps are those of "
        "the paper: same = |cos(F, she) − cos(M, he)|, cross = |cos(F, he) − cos(M, she)|. The "
        "paper keeps a pair below a threshold; the chance count says how many pairs pass "
        "on average when genders are dealt at random, so a rule that passes no more than that "
        "selects nothing.",
        "Matching joins the strongest topics whatever they are about. Rank and partner change with "
        "the seed and with small changes of the text; how often a pair comes again is not yet "
        "measured in this run.",
    ]
    return Section(
        "Topic pairs", "pairs", _finding(frame), figures, cards=_cards(frame), notes=notes
    )


def _finding(frame: pd.DataFrame) -> str:
    if frame.empty:
        return "The run looked for no topic pairs."
    found = frame[frame["rank"] > 0]
    places = list(dict.fromkeys(frame["place"]))
    with_pairs = list(dict.fromkeys(found["place"]))
    without = [place for place in places if place not in with_pairs]
    if found.empty:
        return f"No topic pair was found in any of {plural(len(places), 'region')}."
    text = f"{plural(len(found), 'topic pair')} in {listing(with_pairs)}"
    if without:
        text += f"; none in {listing(without)}"
    gaps = frame.drop_duplicates(["language", "region"])
    chance = gaps["chance_passing"]
    if chance.notna().any():
        passing = int(gaps.loc[chance.notna(), "n_passing"].sum())
        text += (
            f"; by the paper's gap rule {passing} candidates pass where topics with "
            "genders dealt at random give "
            f"{number(chance.sum(), 1)} on average"
        )
    return text + "."


def _words(text: str) -> str:
    return text.replace("; ", ", ")


def _side(kind: str, row: Mapping[str, Any]) -> Markup:
    return Markup(
        '<div class="side {}"><strong>{}</strong><span class="odds">log odds {}</span>'
        "<p>{}</p></div>"
    ).format(
        kind,
        row[f"{kind}_label"] or f"topic {row[f'{kind}_topic']}",
        number(row[f"{kind}_log_odds"]),
        _words(row[f"{kind}_words"]),
    )


def _card(place: str, part: pd.DataFrame) -> Markup:
    first = part.iloc[0]
    body = Markup("")
    for row in records_of(part):
        gaps = f"gap same {number(row['gap_same'], 4)}, cross {number(row['gap_cross'], 4)}"
        if row["gap_threshold"] == row["gap_threshold"]:
            verdict = "passes" if row["passes_gap"] else "fails"
            gaps += f"; {verdict} the paper's rule (<\u00a0{row['gap_threshold']:g})"
        if row["note"]:
            gaps += f"; {row['note']}"
        body += Markup(
            '<div class="pair"><span class="rank">P{}</span>{}{}<p class="gaps">{}</p></div>'
        ).format(row["rank"], _side("female", row), _side("male", row), gaps)
    counts = f"{plural(int(first['n_candidates']), 'candidate pair')}"
    if first["chance_passing"] == first["chance_passing"]:
        counts += (
            f"; {integer(first['n_passing'])} pass the paper's rule, "
            f"{number(first['chance_passing'], 1)} by chance"
        )
    return Markup('<article class="card"><h3>{}</h3><p class="counts">{}</p>{}</article>').format(
        place, counts, body
    )


def _cards(frame: pd.DataFrame) -> Markup:
    found = frame[frame["rank"] > 0]
    cards = Markup("").join(
        _card(place, found[found["place"] == place]) for place in dict.fromkeys(found["place"])
    )
    without = frame[frame["rank"] == 0]
    items = Markup("").join(
        Markup("<li><strong>{}</strong>: {}</li>").format(place, note.removeprefix("no pair: "))
        for place, note in zip(without["place"], without["note"], strict=True)
    )
    none = Markup('<div class="none"><h3>No pair</h3><ul>{}</ul></div>').format(items)
    return Markup('<div class="cards">{}</div>{}').format(cards, none if items else "")


def _domain(found: pd.DataFrame) -> list[float]:
    # Half a range on either side leaves room for the topics' names.
    sides = [*found["female_log_odds"], *found["male_log_odds"]]
    values = [0.0, *(float(value) for value in sides if not missing(value))]
    low, high = min(values), max(values)
    room = 0.5 * (high - low) or 1.0
    return [round(low - room, 3), round(high + room, 3)]


def _chart_figure(found: pd.DataFrame) -> Figure:
    import altair as alt

    records = []
    for row in records_of(found):
        name = f"{row['place']} P{row['rank']}"
        for kind in ("female", "male"):
            records.append(
                {
                    "pair": name,
                    "topic": row[f"{kind}_label"],
                    "side": f"{kind} topic",
                    "log_odds": row[f"{kind}_log_odds"],
                    "words": _words(row[f"{kind}_words"]),
                    "female": row["female_log_odds"],
                    "male": row["male_log_odds"],
                }
            )
    base = alt.Chart(rows(records)).encode(
        y=alt.Y(
            "pair:N", sort=list(dict.fromkeys(r["pair"] for r in records)), axis=category_axis()
        )
    )
    title = "log odds, female against male  (left: more male, right: more female)"
    scale, axis = alt.Scale(domain=_domain(found), nice=False), alt.Axis(tickCount=7)
    lines = base.mark_rule(color="#bdbdbd", strokeWidth=2).encode(
        x=alt.X("male:Q", title=title, scale=scale, axis=axis), x2="female:Q"
    )
    points = base.mark_point(filled=True, size=80, opacity=1).encode(
        x=alt.X("log_odds:Q", title=title),
        color=alt.Color(
            "side:N",
            title=None,
            scale=alt.Scale(
                domain=["female topic", "male topic"], range=[GENDERS["female"], GENDERS["male"]]
            ),
        ),
        tooltip=tooltips(
            [
                ("pair:N", "pair", ""),
                ("topic:N", "topic", ""),
                ("words:N", "words", ""),
                ("log_odds:Q", "log odds", ".2f"),
            ]
        ),
    )
    names = [
        base.mark_text(align=align, dx=dx, fontSize=12, limit=215)
        .encode(x="log_odds:Q", text="topic:N")
        .transform_filter(f"datum.side == '{side} topic'")
        for side, align, dx in _NAMES
    ]
    caption = (
        "Each pair's two topics by how far they lean. The distance is largest where a topic has no "
        "passage of one gender: read the intervals in the section on topics."
    )
    chart = alt.layer(zero_line(), lines, points, *names)
    return Figure(caption, finish(chart, caption, 26 * len(found)))


def _table_figure(frame: pd.DataFrame) -> Figure:
    body = []
    for row in records_of(frame):
        none = row["rank"] == 0
        body.append(
            [
                row["place"],
                DASH if none else row["rank"],
                row["female_label"],
                row["male_label"],
                f"{number(row['female_log_odds'])} / {number(row['male_log_odds'])}",
                f"{number(row['female_u_mass'])} / {number(row['male_u_mass'])}",
                number(row["gap_same"], 4),
                number(row["gap_cross"], 4),
                DASH if none else ("yes" if row["passes_gap"] else "no"),
                row["note"],
            ]
        )
    choices = listing(sorted(set(frame["selection"])))
    caption = f"All pairs in numbers (chosen by {choices})."
    numeric = frozenset(_HEADERS[4:8]) | {"Rank"}
    return Figure(caption, table=DataTable(list(_HEADERS), body, numeric, "Numbers: all pairs"))
