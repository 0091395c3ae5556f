"""Section on topic pairs: a female and a male topic of one region, or why there are none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from markupsafe import Markup

from biasatlas.atlas.charts import GENDERS, category_axis, finish, rows, tooltips, zero_line
from biasatlas.atlas.pair_matrix import matrix_figures, threshold_figures
from biasatlas.atlas.parts import (
    DASH,
    DataTable,
    Figure,
    Section,
    given,
    integer,
    listing,
    missing,
    number,
    percent,
    plural,
    records_of,
)
from biasatlas.atlas.places import add_place
from biasatlas.atlas.topic_marks import TopicLinks, unique_labels

if TYPE_CHECKING:
    import pandas as pd

# Names stand outside the dots: side, alignment and shift in pixels.
_NAMES: tuple[tuple[str, Literal["left", "right"], int], ...] = (
    ("female", "left", 9),
    ("male", "right", -9),
)
_OFTEN = 0.5
_LEANING = (
    "Each pair's two topics by how far they lean. The distance is largest where a topic has no "
    "passage of one gender: read the intervals in the section on topics."
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
    "Paired again",
    "Topics again",
    "Note",
)


def primary_pairs(frame: pd.DataFrame) -> pd.DataFrame:
    """Keep the rows of the selection that is the run's own."""
    return frame[frame["primary"].astype(bool)]


def section(tables: Mapping[str, pd.DataFrame], info: Mapping[str, Any]) -> Section:
    """Show the pairs of each region, how often they come again, and the number by chance."""
    both = add_place(tables["pairs"], info)
    frame = primary_pairs(both)
    found = frame[frame["rank"] > 0]
    links = TopicLinks(tables)
    figures = []
    if len(found):
        figures.append(_chart_figure(found, links))
    candidates, thresholds = given(tables, "pair_candidates"), given(tables, "pair_thresholds")
    if candidates is not None:
        figures += matrix_figures(add_place(candidates, info), _labels(tables["topics"]))
    if thresholds is not None:
        used = {
            (row["language"], row["region"]): row["gap_threshold"]
            for row in records_of(frame)
            if not missing(row["gap_threshold"])
        }
        figures += threshold_figures(add_place(thresholds, info), used)
    if len(frame):
        figures.append(_table_figure(frame, "Numbers: all pairs"))
    second = both[~both["primary"].astype(bool)]
    if len(second):
        figures.append(_table_figure(second, f"Beside it: pairs {_chosen(second)}"))
    return Section(
        "Topic pairs",
        "pairs",
        _finding(frame),
        figures,
        cards=_cards(frame, links),
        notes=_notes(frame, candidates is not None),
    )


def _notes(frame: pd.DataFrame, matrix: bool) -> list[str]:
    notes = [
        "A pair joins a topic that leans female with one that leans male. The gaps are those of "
        "the paper: same = |cos(F, she) − cos(M, he)|, cross = |cos(F, he) − cos(M, she)|. The "
        "paper keeps a pair below a threshold; the chance count says how many pairs pass "
        "on average when genders are dealt at random, so a rule that passes no more than that "
        "selects nothing.",
        "Matching joins the strongest topics whatever they are about: whether the two make one "
        "dimension is for you to judge.",
    ]
    found = frame[frame["rank"] > 0]
    drawn = "Support: models are fitted anew on documents drawn with replacement. "
    if found["support"].notna().any():
        notes.append(
            f"{drawn}A pair comes again where both its topics do and are joined again. Topics that "
            "come again while the pair does not have changed partners. Stable topics were chosen on "
            "other draws; the interval says how exact so many draws are."
        )
    elif found["support_topics"].notna().any():
        notes.append(
            f"{drawn}Only whether both topics of a pair come again, leaning their way, is known: the "
            "paper's rule needs topic probabilities, which these models do not have, so nothing can "
            "be said of the pair itself."
        )
    else:
        notes.append(
            "Rank and partner change with the seed and with small changes of the text; how often a "
            "pair comes again was not measured in this run."
        )
    if matrix:
        notes.append(
            "In a matrix of possible pairs a row or column of alike cells says that the topic is "
            "paired with anything: it leans, but the pair means little."
        )
    return notes


def _labels(topics: pd.DataFrame) -> dict[tuple[str, str, int], str]:
    named = {}
    for (language, region), part in topics.groupby(["language", "region"]):
        for topic, label in zip(part["topic"], unique_labels(part), strict=True):
            named[str(language), str(region), int(topic)] = label
    return named


def _chosen(frame: pd.DataFrame) -> str:
    ways = {"matching": "matched one to one", "gap": "by the paper's gap"}
    return listing(ways[way] for way in dict.fromkeys(frame["selection"]))


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
    text += _often(found)
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


def _often(found: pd.DataFrame) -> str:
    """How many pairs, or where that is unknown their topics, come again in half of the draws."""
    half = "again in at least half of the document draws"
    known = found["support"].dropna()
    if len(known):
        often = int((known >= _OFTEN).sum())
        return f"; {often} of {len(known)} {'comes' if often == 1 else 'come'} {half}"
    topics = found["support_topics"].dropna()
    if len(topics):
        often = int((topics >= _OFTEN).sum())
        return f"; both topics of {often} of {len(topics)} come {half}"
    return ""


def _words(text: str) -> str:
    return text.replace("; ", ", ")


def _support(row: Mapping[str, Any]) -> str:
    draws = f"{integer(row['n_draws'])} document draws"
    topics = "both topics come again, leaning their way, in"
    if missing(row["support"]):
        if missing(row["support_topics"]):
            return ""
        return f"{topics} {percent(row['support_topics'])} of {draws}"
    text = f"paired again in {_paired(row)} of {draws}"
    if not missing(row["support_topics"]):
        text += f"; {topics} {percent(row['support_topics'])}"
    if not missing(row["support_tested"]):
        text += f"; tested anew and paired in {percent(row['support_tested'])}"
    if row["n_candidates"] == 1:
        text += "; no other pair was possible"
    return text


def _paired(row: Mapping[str, Any]) -> str:
    """Support with its interval, a dash where it is unknown."""
    text = percent(row["support"])
    if not missing(row["support_low"]) and not missing(row["support_high"]):
        text += f" (95%: {percent(row['support_low'])} to {percent(row['support_high'])})"
    return text


def _side(kind: str, row: Mapping[str, Any], links: TopicLinks) -> Markup:
    topic = row[f"{kind}_topic"]
    return Markup(
        '<div class="side {}"><strong dir="auto">{}</strong><span class="odds">log odds {}</span>'
        '<p dir="auto">{}</p></div>'
    ).format(
        kind,
        links.link(row["language"], row["region"], topic, row[f"{kind}_label"] or f"topic {topic}"),
        number(row[f"{kind}_log_odds"]),
        _words(row[f"{kind}_words"]),
    )


def _card(place: str, part: pd.DataFrame, links: TopicLinks) -> Markup:
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
            '<div class="pair"><span class="rank">P{}</span>{}{}{}<p class="gaps">{}</p></div>'
        ).format(
            row["rank"],
            _side("female", row, links),
            _side("male", row, links),
            Markup('<p class="support">{}</p>').format(said) if (said := _support(row)) else "",
            gaps,
        )
    counts = f"{plural(int(first['n_candidates']), 'candidate pair')}"
    if first["chance_passing"] == first["chance_passing"]:
        counts += (
            f"; {integer(first['n_passing'])} pass the paper's rule, "
            f"{number(first['chance_passing'], 1)} by chance"
        )
        if not missing(first["chance_low"]) and not missing(first["chance_high"]):
            counts += (
                f" (95%: {number(first['chance_low'], 0)} to {number(first['chance_high'], 0)})"
            )
    return Markup('<article class="card"><h3>{}</h3><p class="counts">{}</p>{}</article>').format(
        place, counts, body
    )


def _cards(frame: pd.DataFrame, links: TopicLinks) -> Markup:
    found = frame[frame["rank"] > 0]
    cards = Markup("").join(
        _card(place, found[found["place"] == place], links)
        for place in dict.fromkeys(found["place"])
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


def _chart_figure(found: pd.DataFrame, links: TopicLinks) -> Figure:
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
                    "support": _paired(row),
                    "again": percent(row["support_topics"]),
                    "card": links.key(row["language"], row["region"], row[f"{kind}_topic"]),
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
                ("support:N", "paired again", ""),
                ("again:N", "both topics again", ""),
            ]
        ),
    )
    names = [
        base.mark_text(align=align, dx=dx, fontSize=12, limit=215)
        .encode(x="log_odds:Q", text="topic:N")
        .transform_filter(f"datum.side == '{side} topic'")
        for side, align, dx in _NAMES
    ]
    chart = alt.layer(zero_line(), lines, points, *names)
    caption = _LEANING
    return Figure(caption, finish(chart, caption, 26 * len(found)))


def _table_figure(frame: pd.DataFrame, summary: str) -> Figure:
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
                _paired(row),
                percent(row["support_topics"]),
                row["note"],
            ]
        )
    caption = f"Pairs {_chosen(frame)}, in numbers."
    numeric = frozenset((*_HEADERS[4:8], "Rank", "Paired again", "Topics again"))
    return Figure(caption, table=DataTable(list(_HEADERS), body, numeric, summary))
