"""Section on topics: which ones each region has and which gender they go with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from biasatlas.atlas.charts import (
    GENDERS,
    NOT_SIGNIFICANT,
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
    Figure,
    Section,
    integer,
    listing,
    number,
    percent,
    plural,
    probability,
    records_of,
    with_interval,
)
from biasatlas.atlas.places import add_place

if TYPE_CHECKING:
    import pandas as pd

OUTLIERS = -1
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
    "Paper p_F / p_M",
    "Flags",
)
_NUMERIC = frozenset(("Topic", *_HEADERS[3:9]))


def section(tables: Mapping[str, pd.DataFrame], info: Mapping[str, Any]) -> Section:
    """Show the topics of each region with their log odds and intervals."""
    frame = add_place(tables["topics"], info)
    level, tested = _rule(info)
    topics = frame[frame["topic"] != OUTLIERS]
    bound = _bound(topics)
    figures = [
        _figure(frame[frame["place"] == place], place, bound)
        for place in dict.fromkeys(frame["place"])
    ]
    notes = [
        "Log odds compare female with male passages in a topic against the rest of the region: 0 "
        "means as in the region as a whole, above 0 more female, below 0 more male.",
        f"Coloured topics are significant at a false discovery rate of {level:.2f}; grey ones are "
        "not, and no claim is made of them. The test permutes gender over documents and is corrected "
        "for the number of topics; the interval is neither, so a grey topic's interval can leave "
        "out 0. The tables below the charts hold the flags of each topic, and the paper's rule (mean "
        "topic probability p_F against p_M)."
        if tested
        else "Colours follow the paper's rule (mean topic probability p_F against p_M), which is "
        "no test: q says which topics differ from the rest of their region.",
    ]
    absent = _absent(topics, tables, info)
    finding = _finding(topics, [label for label, _ in absent], level if tested else None)
    notes += [f"Without topics: {label} ({reason})." for label, reason in absent]
    return Section("Topics", "topics", finding, figures, notes=notes)


def _absent(
    topics: pd.DataFrame, tables: Mapping[str, pd.DataFrame], info: Mapping[str, Any]
) -> list[tuple[str, str]]:
    gender, pairs = add_place(tables["gender"], info), tables["pairs"]
    have = set(zip(topics["language"], topics["region"], strict=True))
    absent = []
    for row in records_of(gender):
        key = (row["language"], row["region"])
        if key not in have:
            mine = (pairs["language"] == key[0]) & (pairs["region"] == key[1])
            reasons = [*pairs.loc[mine, "note"], row["warning"], "the run gives no reason"]
            absent.append(
                (
                    row["place"],
                    next(reason for reason in reasons if reason)
                    .removeprefix("no pair: ")
                    .rstrip("."),
                )
            )
    return absent


def _rule(info: Mapping[str, Any]) -> tuple[float, bool]:
    chosen = info.get("settings", {}).get("topics", {})
    return float(chosen.get("fdr", LEVEL)), chosen.get("alignment", "log_odds") == "log_odds"


def _finding(topics: pd.DataFrame, absent: list[str], level: float | None) -> str:
    if topics.empty:
        return "No region has topics, so no topic can be said to lean to a gender."
    found = topics[topics["gender"] != "none"]
    female, male = int((found["gender"] == "female").sum()), int((found["gender"] == "male").sum())
    rest = len(topics) - len(found)
    text = f"{plural(len(topics), 'topic')} in {plural(topics['place'].nunique(), 'region')}: "
    text += f"{female} lean female and {male} male "
    if level is None:
        text += f"by the paper's rule, which is no test, and {rest} lean to neither"
    else:
        text += (
            f"at a false discovery rate of {level:.2f} within each region, and {rest} cannot be told from "
            "the rest of their region; documents count as independent, so one running story or "
            "one person can be enough, and few female passages make male topics harder to tell"
        )
    flagged = int((found["flags"] != "").sum())
    if flagged:
        text += f"; {flagged} of the {len(found)} that lean {_carry(flagged)} a flag"
    if absent:
        text += f"; {listing(absent)} {'has' if len(absent) == 1 else 'have'} no topics"
    return text + "."


def _carry(count: int) -> str:
    return "carries" if count == 1 else "carry"


def unique_labels(part: pd.DataFrame) -> list[str]:
    """Give each topic's label, with its number where two topics share one or it is empty."""
    labels = part["label"].where(part["label"] != "", "topic").tolist()
    return [
        f"{label} (#{topic})" if labels.count(label) > 1 or label == "topic" else label
        for label, topic in zip(labels, part["topic"], strict=True)
    ]


def _sides(part: pd.DataFrame) -> list[dict[str, Any]]:
    part = part.assign(shown=unique_labels(part))
    known = part[part["log_odds"].notna()]
    known = known.assign(_size=known["log_odds"].abs(), _found=known["gender"] != "none")
    kept = known.sort_values(["_found", "_size"], ascending=False, kind="stable").head(SHOWN)
    kept = kept.sort_values(["log_odds", "topic"], ascending=[False, True], kind="stable")
    return [
        {
            "label": wrap(row["shown"], 44, lines=1) or row["shown"][:44],
            "full": row["shown"],
            "log_odds": row["log_odds"],
            "low": row["log_odds_low"],
            "high": row["log_odds_high"],
            "gender": {"female": "more female", "male": "more male"}.get(
                row["gender"], "not significant"
            ),
            "words": row["words"].replace("; ", ", "),
            "n": f"{row['n_female']} / {row['n_male']}",
            "q": probability(row["q_value"]),
            "flags": row["flags"] or "none",
        }
        for row in records_of(kept)
    ]


def _bound(topics: pd.DataFrame) -> float:
    # A zero count gives an interval so long that it would press all other topics together; the
    # same axis in all regions lets them be compared.
    ends = topics[["log_odds_low", "log_odds_high"]].abs().max().max()
    bound = 1.15 * topics["log_odds"].abs().max() + 0.5
    return round(float(min(ends, bound)), 2) if ends > 0 else 1.0


def _chart(records: list[dict[str, Any]], bound: float, caption: str) -> dict[str, Any]:
    import altair as alt

    colour = alt.Color(
        "gender:N",
        title=None,
        scale=alt.Scale(
            domain=["more female", "more male", "not significant"],
            range=[GENDERS["female"], GENDERS["male"], NOT_SIGNIFICANT],
        ),
    )
    base = alt.Chart(rows(records)).encode(
        y=alt.Y("label:N", sort=[r["label"] for r in records], axis=category_axis(280)),
        color=colour,
        tooltip=tooltips(
            [
                ("full:N", "topic", ""),
                ("words:N", "words", ""),
                ("log_odds:Q", "log odds", ".2f"),
                ("low:Q", "from", ".2f"),
                ("high:Q", "to", ".2f"),
                ("n:N", "female / male passages", ""),
                ("q:N", "q", ""),
                ("flags:N", "flags", ""),
            ]
        ),
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
    points = base.mark_point(filled=True, size=62, opacity=1).encode(
        x=alt.X("log_odds:Q", title=title)
    )
    return finish(alt.layer(zero_line(), lines, points), caption, 21 * len(records) + 10)


def _row(row: Mapping[str, Any]) -> list[Any]:
    return [
        row["topic"] if row["topic"] != OUTLIERS else "outliers",
        row["label"],
        row["words"].replace("; ", ", "),
        integer(row["n_female"]),
        integer(row["n_male"]),
        with_interval(row["log_odds"], row["log_odds_low"], row["log_odds_high"]),
        probability(row["q_value"]),
        number(row["u_mass"]),
        f"{number(row['p_female_paper'], 3)} / {number(row['p_male_paper'], 3)}",
        row["flags"] or DASH,
    ]


def _figure(part: pd.DataFrame, place: str, bound: float) -> Figure:
    total = int(part["n_passages"].sum())
    outliers = int(part.loc[part["topic"] == OUTLIERS, "n_passages"].sum())
    topics = part[part["topic"] != OUTLIERS]
    records = _sides(topics)
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
        [_row(row) for row in records_of(part)],
        _NUMERIC,
        f"Numbers: all topics of {place}",
    )
    chart = _chart(records, bound, caption) if records else None
    return Figure(caption, chart, table, title=place)
