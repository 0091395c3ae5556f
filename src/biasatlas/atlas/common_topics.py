"""Section on topics that several regions share, with one gender or with two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from biasatlas.atlas.parts import (
    EMPTY,
    DataTable,
    Figure,
    Section,
    given,
    interval,
    listing,
    missing,
    number,
    plural,
    records_of,
)
from biasatlas.atlas.places import add_place
from biasatlas.atlas.topic_marks import TopicLinks, chip

if TYPE_CHECKING:
    import pandas as pd

_KINDS = {
    "same_gender": "Same gender",
    "different_gender": "Different gender",
    "undecided": "Undecided",
}
_HEADERS = (
    "Group",
    "Region",
    "Label",
    "Gender",
    "By the paper's rule",
    "Kind",
    "Similarity [least]",
    "Unigrams",
    "Bigrams",
)
_CHANCE = ("Whose genders", "Kind", "Common topics", "By chance [95%]")


def section(tables: Mapping[str, pd.DataFrame], info: Mapping[str, Any]) -> Section | None:
    """Show topics common to regions as the tables of appendix E; None where none was sought."""
    found = given(tables, "common_topics")
    chance = given(tables, "common_chance")
    if found is None:
        if chance is None or "common_topics" not in tables:
            return None
        return Section(
            "Topics that regions share",
            "common-topics",
            "No topic of one region is alike enough to a topic of another.",
        )
    frame = add_place(found, info)
    links = TopicLinks(tables)
    figures = [_numbers(frame, links)]
    if chance is not None:
        figures.append(_chance_figure(chance, frame["language"].nunique() > 1))
    notes = [
        "A common topic is a group of topics, one a region, that are alike in meaning (cosine of "
        "their embeddings) or carry the same label. Its words are the most frequent ones of its "
        "passages in each region, as in tables 10 and 11 of the paper.",
        "Undecided: fewer than two of its topics lean. A topic of which it is not known that it "
        "leans is no sign that regions agree.",
        "By chance: the genders of each region's topics dealt at random to the same topics.",
    ]
    return Section(
        "Topics that regions share",
        "common-topics",
        _finding(frame, chance),
        figures,
        cards=_tables(frame, links),
        notes=notes,
    )


def _groups(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.drop_duplicates(["language", "group"])


def _finding(frame: pd.DataFrame, chance: pd.DataFrame | None) -> str:
    groups = _groups(frame)
    counts = {kind: int((groups["kind"] == kind).sum()) for kind in _KINDS}
    text = f"{plural(len(groups), 'topic')} {'is' if len(groups) == 1 else 'are'} shared by regions"
    parts = [
        f"{counts['same_gender']} {_have(counts['same_gender'])} one gender wherever a gender was "
        f"found{_by_chance(chance, 'same_gender')}",
        f"{counts['different_gender']} {_have(counts['different_gender'])} different genders"
        f"{_by_chance(chance, 'different_gender')}",
        f"{counts['undecided']} cannot be told, as fewer than two of their topics lean",
    ]
    return f"{text}: {listing(parts)}."


def _have(count: int) -> str:
    return "has" if count == 1 else "have"


def _by_chance(chance: pd.DataFrame | None, kind: str) -> str:
    if chance is None:
        return ""
    mine = chance[(chance["rule"] != "paper") & (chance["kind"] == kind)]
    if mine.empty or mine["expected"].isna().all():
        return ""
    text = f"chance alone gives {number(mine['expected'].sum(), 1)}"
    if len(mine) == 1 and not missing(mine["expected_low"].iloc[0]):
        low, high = mine["expected_low"].iloc[0], mine["expected_high"].iloc[0]
        text += f", from {number(low, 0)} to {number(high, 0)}"
    return f" ({text})"


def _tables(frame: pd.DataFrame, links: TopicLinks) -> Markup:
    made = EMPTY
    for kind, name in _KINDS.items():
        part = frame[frame["kind"] == kind]
        keys = list(dict.fromkeys(zip(part["language"], part["group"], strict=True)))
        blocks = Markup("\n").join(
            _group(part[(part["language"] == language) & (part["group"] == group)], links)
            for language, group in keys
        )
        if kind == "undecided" and keys:
            made += Markup('<details class="commons"><summary>{}</summary>{}</details>').format(
                f"{name}: {plural(len(keys), 'common topic')}", blocks
            )
        elif keys:
            head = Markup('<h3>{} <span class="soft">{}</span></h3>')
            made += head.format(f"{name} across regions", plural(len(keys), "common topic"))
            made += blocks
    return made


def _group(part: pd.DataFrame, links: TopicLinks) -> Markup:
    labels = list(dict.fromkeys(label for label in part["label"] if label))
    middle = part.sort_values("similarity_mean", ascending=False, kind="stable").iloc[0]["label"]
    first = part.iloc[0]
    said = "same label" if first["matched_by"] == "label" else "alike in content"
    if first["kind_paper"] != first["kind"]:
        said += f"; by the paper's rule: {_KINDS[first['kind_paper']].lower()}"
    members = Markup("").join(_member(row, links) for row in records_of(part))
    return Markup(
        '<article class="common"><h4 dir="auto">{} <span class="soft">{}</span></h4>'
        '<div class="members">{}</div></article>'
    ).format(middle or (labels[0] if labels else f"common topic {first['group']}"), said, members)


def _member(row: Mapping[str, Any], links: TopicLinks) -> Markup:
    label = row["label"] or f"topic {row['topic']}"
    return Markup(
        '<div class="member {}"><p class="where">{} {}</p><p dir="auto">{}</p>'
        '<p class="soft">similarity {}</p><p class="grams" dir="auto"><b>1</b> {}</p>'
        '<p class="grams" dir="auto"><b>2</b> {}</p></div>'
    ).format(
        row["gender"],
        row["place"],
        chip(row["gender"]),
        links.link(row["language"], row["region"], row["topic"], label),
        number(row["similarity_mean"]),
        row["unigrams"].replace("; ", ", ") or "–",
        row["bigrams"].replace("; ", ", ") or "–",
    )


def _numbers(frame: pd.DataFrame, links: TopicLinks) -> Figure:
    several = frame["language"].nunique() > 1
    body = [
        [
            f"{row['language']} {row['group']}" if several else row["group"],
            row["place"],
            links.link(row["language"], row["region"], row["topic"], row["label"]),
            row["gender"],
            row["gender_paper"],
            _KINDS[row["kind"]].lower(),
            f"{number(row['similarity_mean'])} [{number(row['similarity_min'])}]",
            row["unigrams"].replace("; ", ", "),
            row["bigrams"].replace("; ", ", "),
        ]
        for row in records_of(frame)
    ]
    caption = "All common topics, region by region."
    table = DataTable(
        list(_HEADERS), body, frozenset({"Group", _HEADERS[6]}), "Numbers: all common topics"
    )
    return Figure(caption, table=table)


def _chance_figure(chance: pd.DataFrame, several: bool) -> Figure:
    rank = {kind: place for place, kind in enumerate(_KINDS)}
    ordered = chance.assign(_kind=chance["kind"].map(rank), _rule=chance["rule"] == "paper")
    body = [
        [
            ("the paper's rule" if row["rule"] == "paper" else "the run's")
            + (f" · {row['language']}" if several else ""),
            _KINDS[row["kind"]].lower(),
            row["n_groups"],
            f"{number(row['expected'], 1)} "
            f"{interval(row['expected_low'], row['expected_high'], 1)}",
        ]
        for row in records_of(ordered.sort_values(["language", "_rule", "_kind"]))
    ]
    caption = "Common topics of each kind, beside those that genders dealt at random give."
    table = DataTable(list(_CHANCE), body, frozenset(_CHANCE[2:]), "Numbers: what chance gives")
    return Figure(caption, table=table)
