"""Section on topics: which ones each region has, which gender they go with, and how sure it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from biasatlas.atlas.parts import (
    EMPTY,
    Section,
    given,
    listing,
    missing,
    percent,
    plural,
    records_of,
)
from biasatlas.atlas.places import add_place
from biasatlas.atlas.topic_forest import axis_bound, topic_figure
from biasatlas.atlas.topic_hierarchy import hierarchy_figures
from biasatlas.atlas.topic_map import map_figures
from biasatlas.atlas.topic_marks import (
    OUTLIERS,
    SAME_TOPIC,
    Marks,
    Reading,
    marks_of,
    reading_of,
    topic_key_box,
)
from biasatlas.atlas.topic_stability import stability_figures

if TYPE_CHECKING:
    import pandas as pd


def section(tables: Mapping[str, pd.DataFrame], info: Mapping[str, Any]) -> Section:
    """Show the topics of each region: map, log odds with intervals, stability and tree."""
    frame = add_place(tables["topics"], info)
    reading = reading_of(tables, info)
    topics = frame[frame["topic"] != OUTLIERS]
    figures = map_figures(topics, reading)
    bound = axis_bound(topics)
    figures += [
        topic_figure(frame[frame["place"] == place], place, bound, reading)
        for place in dict.fromkeys(frame["place"])
    ]
    stability = given(tables, "topic_stability")
    if stability is not None:
        figures += stability_figures(add_place(stability, info))
    tree = given(tables, "topic_hierarchy")
    if tree is not None:
        figures += hierarchy_figures(topics, tree, reading)
    marks = [marks_of(row, reading) for row in records_of(topics)]
    absent = _absent(topics, tables, info)
    notes = _notes(topics, marks, reading, stability is not None)
    notes += [f"Without topics: {label} ({reason})." for label, reason in absent]
    return Section(
        "Topics",
        "topics",
        _finding(frame, [label for label, _ in absent], reading),
        figures,
        cards=_key(marks, reading),
        notes=notes,
    )


def _key(marks: list[Marks], reading: Reading) -> Markup:
    if not marks:
        return EMPTY
    return topic_key_box(
        unstable=any(mark.unstable for mark in marks),
        flags=any(mark.flags for mark in marks),
        changes=reading.changes if any(mark.changes for mark in marks) else "",
        clickable=True,
    )


def _notes(topics: pd.DataFrame, marks: list[Marks], reading: Reading, refitted: bool) -> list[str]:
    notes = [
        "Log odds compare female with male passages in a topic against the rest of the region: 0 "
        "means as in the region as a whole, above 0 more female, below 0 more male.",
        f"Coloured topics are significant at a false discovery rate of {reading.level:.2f}; grey "
        "ones are not, and no claim is made of them. The test permutes gender over documents and is "
        "corrected for the number of topics; the interval is neither, so a grey topic's interval "
        "can leave out 0. The tables below the charts hold the marks of each topic, and the paper's "
        "rule (mean topic probability p_F against p_M)."
        if reading.tested
        else "Colours follow the paper's rule (mean topic probability p_F against p_M), which is "
        "no test: q says which topics differ from the rest of their region.",
    ]
    if (topics["stability"] != "unknown").any():
        notes.append(
            "Stable: the topic comes again with other seeds, other orders of the passages and other "
            "draws of the documents. One that does not is drawn hollow: its words and its gender may "
            "be an accident of this fit."
        )
    if topics["jaccard_masking"].notna().any():
        notes.append(
            f"{_view(reading)} A topic that another seed finds again and that loses half of its "
            f"passages (overlap under {SAME_TOPIC}) the other way is marked: its gender may follow "
            "from its making."
        )
    if any(mark.flags for mark in marks):
        notes.append(
            "Flags: one name or one document dominates the topic, or its own words are gender terms. "
            "Such a topic tells of one person or story in the news, or is gendered by construction."
        )
    if topics["map_x"].notna().any():
        notes.append(
            "The maps put topics of alike content near each other. Only nearness says something: "
            "axes, and the distance of far topics, do not. All regions of a language share one map, of "
            "which each figure shows its own part."
        )
    if refitted:
        notes.append(
            "Two models agree (adjusted Rand index) as far as they put the same passages together; "
            "passages in no topic count as one group. A model of documents drawn anew sees other "
            "text, so it agrees less than one with another seed."
        )
    return notes


def _view(reading: Reading) -> str:
    """What the encoder saw of the words that tell the gender of a passage."""
    if reading.masked is None:
        return "Words such as she and mother decide which passages are female."
    if reading.masked:
        return (
            "Words such as she and mother, which make a passage female, were hidden from the encoder; "
            "names and other signs were not."
        )
    return (
        "Topics come from text in which words such as she and mother stand, and are then tested for "
        "gender on the same text."
    )


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
            notes = pairs[mine].sort_values("primary", ascending=False, kind="stable")["note"]
            reasons = [*notes, row["warning"], "the run gives no reason"]
            absent.append(
                (
                    row["place"],
                    next(reason for reason in reasons if reason)
                    .removeprefix("no pair: ")
                    .rstrip("."),
                )
            )
    return absent


def _finding(frame: pd.DataFrame, absent: list[str], reading: Reading) -> str:
    topics = frame[frame["topic"] != OUTLIERS]
    if topics.empty:
        return "No region has topics, so no topic can be said to lean to a gender."
    found = topics[topics["gender"] != "none"]
    female, male = int((found["gender"] == "female").sum()), int((found["gender"] == "male").sum())
    rest = len(topics) - len(found)
    text = f"{plural(len(topics), 'topic')} in {plural(topics['place'].nunique(), 'region')}: "
    text += f"{female} lean female and {male} male "
    if reading.tested:
        text += (
            f"at a false discovery rate of {reading.level:.2f} over all regions, and {rest} cannot be told from "
            "the rest of their region; documents count as independent, so one running story or "
            "one person can be enough, and few female passages make male topics harder to tell"
        )
    else:
        text += f"by the paper's rule, which is no test, and {rest} lean to neither"
    text += _doubts(found, reading) + _outliers(frame)
    if absent:
        text += f"; {listing(absent)} {'has' if len(absent) == 1 else 'have'} no topics"
    return text + "."


def _doubts(found: pd.DataFrame, reading: Reading) -> str:
    """Say how many topics that lean are stable, hang on gender terms, or carry a flag."""
    if found.empty:
        return ""
    marks = [marks_of(row, reading) for row in records_of(found)]
    known = int((found["stability"] != "unknown").sum())
    parts = []
    if known:
        stable = int((found["stability"] == "stable").sum())
        parts.append(f"{stable} {_be(stable)} stable over seeds and document draws")
        if known < len(found):
            parts.append(f"the stability of {len(found) - known} was not measured")
    changed = sum(bool(mark.changes) for mark in marks)
    if found["jaccard_masking"].notna().any() or changed:
        verb = reading.changes.replace("changes", "change", 1) if changed != 1 else reading.changes
        parts.append(f"{changed} {verb}")
    flagged = sum(bool(mark.flags) for mark in marks)
    if flagged:
        parts.append(f"{flagged} {'carries' if flagged == 1 else 'carry'} a flag")
    text = f"; of the {len(found)} that lean, {listing(parts)}" if parts else ""
    return text if known else f"{text}; whether they would come again was not measured"


def _be(count: int) -> str:
    return "is" if count == 1 else "are"


def _outliers(frame: pd.DataFrame) -> str:
    """Say how many passages are in no topic, over the regions."""
    shares = []
    for _, part in frame.groupby(["language", "region"], sort=False):
        total = part["n_passages"].sum()
        if total and (part["topic"] != OUTLIERS).any():
            shares.append(part.loc[part["topic"] == OUTLIERS, "n_passages"].sum() / total)
    low, high = (percent(share) for share in (min(shares, default=None), max(shares, default=None)))
    if not shares or missing(shares[0]):
        return ""
    spread = low if low == high else f"{low} to {high}"
    return f"; {spread} of a region's gendered passages are in no topic"
