"""Section with a card of every topic, and the search over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from markupsafe import Markup

from biasatlas.atlas.parts import (
    DASH,
    EMPTY,
    Section,
    given,
    integer,
    missing,
    number,
    percent,
    plural,
    probability,
    records_of,
    with_interval,
)
from biasatlas.atlas.places import add_place
from biasatlas.atlas.topic_marks import (
    OUTLIERS,
    Reading,
    chip,
    marks_of,
    reading_of,
    stability_text,
    topic_key,
    unique_labels,
)

if TYPE_CHECKING:
    import pandas as pd

FULL = 600
"""Topics up to which each card holds passages and n-grams; beyond it only those that lean."""
_KEYS = ["language", "region", "topic"]
_LABEL_BY = {
    "llm": "by a language model",
    "phrase": "nearest phrase",
    "words": "first words",
}
_SEARCH = Markup(
    '<div class="topic-bar" hidden><label class="topic-find">Find topics'
    '<input type="search" autocomplete="off" spellcheck="false" '
    'placeholder="words, such as football league"></label>'
    '<label>Show<select class="topic-choice"><option value="">all</option><option value="female">female</option>'
    '<option value="male">male</option><option value="stable">stable and leaning</option>'
    '<option value="marked">with a mark</option></select></label>'
    '<p class="topic-count" role="status"></p></div>'
)


@dataclass(frozen=True)
class _More:
    """What other tables hold on each topic."""

    examples: Mapping[Any, list[dict[str, Any]]] = field(default_factory=dict)
    ngrams: Mapping[Any, list[dict[str, Any]]] = field(default_factory=dict)


def section(tables: Mapping[str, pd.DataFrame], info: Mapping[str, Any]) -> Section | None:
    """Give a card of every topic, those that lean first; None where there is no topic."""
    frame = add_place(tables["topics"], info)
    topics = frame[frame["topic"] != OUTLIERS]
    if topics.empty:
        return None
    reading = reading_of(tables, info)
    more = _More(_by_topic(tables, "topic_examples"), _by_topic(tables, "ngrams"))
    places = Markup("\n").join(
        _place(place, topics[topics["place"] == place], reading, more, len(topics) <= FULL)
        for place in dict.fromkeys(topics["place"])
    )
    notes = [
        "The search looks for each of your words in labels, topic words, key words and n-grams; "
        "part of a word is enough, and capitals do not matter. It looks for letters, not for "
        "meaning.",
        "Example passages are those nearest to the middle of a topic: they show its core, not its "
        "edge. Read some before you cite a topic.",
    ]
    if len(topics) > FULL:
        notes.append(
            f"With more than {FULL} topics the cards of those that lean to neither gender leave out "
            "passages and n-grams; they are in the tables of the run."
        )
    return Section(
        "Every topic", "topic-cards", _finding(topics, tables), cards=_SEARCH + places, notes=notes
    )


def _finding(topics: pd.DataFrame, tables: Mapping[str, pd.DataFrame]) -> str:
    text = f"{plural(len(topics), 'topic')}, one card each, those that lean first"
    by = [
        f"{count} {_LABEL_BY[name]}"
        for name in _LABEL_BY
        if (count := int((topics["label_by"] == name).sum()))
    ]
    if by:
        text += f"; labels: {', '.join(by)}; a label points to a topic and is no finding"
    if given(tables, "topic_examples") is not None:
        text += ", so read its words and passages"
    return text + "."


def _by_topic(
    tables: Mapping[str, pd.DataFrame], name: str
) -> dict[tuple[str, str, int], list[dict[str, Any]]]:
    frame = given(tables, name)
    found: dict[tuple[str, str, int], list[dict[str, Any]]] = {}
    if frame is not None:
        for row in records_of(frame.sort_values("rank", kind="stable")):
            found.setdefault((row["language"], row["region"], row["topic"]), []).append(row)
    return found


def _place(place: str, part: pd.DataFrame, reading: Reading, more: _More, full: bool) -> Markup:
    part = part.assign(
        shown=unique_labels(part), _leans=part["gender"] != "none", _size=part["log_odds"].abs()
    )
    # Topics that lean, then by size: the reader of a list looks for what there is most of.
    leaning = part[part["_leans"]].sort_values(["_size", "topic"], ascending=[False, True])
    others = part[~part["_leans"]].sort_values(["n_passages", "topic"], ascending=[False, True])
    cards = Markup("\n").join(_card(row, reading, more, True) for row in records_of(leaning))
    rest = Markup("")
    if len(others):
        line = f"{plural(len(others), 'topic')} that {'leans' if len(others) == 1 else 'lean'} to neither gender"
        rest = Markup('<details class="topic-rest"><summary>{}</summary>{}</details>').format(
            line,
            Markup("\n").join(_card(row, reading, more, full) for row in records_of(others)),
        )
    said = f"{plural(len(part), 'topic')}, {len(leaning)} lean"
    return Markup(
        '<div class="topic-place"><h3>{} <span class="soft">{}</span></h3>{}{}</div>'
    ).format(place, said, cards, rest)


def _card(row: Mapping[str, Any], reading: Reading, more: _More, full: bool) -> Markup:
    key, marks = topic_key(row, reading.several), marks_of(row, reading)
    place = tuple(row[name] for name in _KEYS)
    body = _facts(row, key)
    if full:
        body += _ngrams(more.ngrams.get(place, []))
        body += _examples(more.examples.get(place, []))
    signs = Markup("").join(
        Markup('<span class="mark" dir="auto">{}</span>').format(text) for text in marks.texts
    )
    kinds = [row["gender"], row["stability"], *(["marked"] if marks.texts else [])]
    return Markup(
        '<details class="topic {}" id="topic={}" data-topic="{}" data-is="{}"><summary>{} '
        '<strong data-find dir="auto">{}</strong> <span class="topic-words" data-find dir="auto">'
        '{}</span>{}</summary><div class="topic-body">{}</div></details>'
    ).format(
        row["gender"],
        key,
        key,
        " ".join(kinds),
        chip(row["gender"]),
        row["shown"],
        row["words"].replace("; ", ", "),
        signs,
        body,
    )


def _facts(row: Mapping[str, Any], key: str) -> Markup:
    moved = f", {integer(row['n_moved'])} of them moved in from no topic" if row["n_moved"] else ""
    facts: list[tuple[str, Any]] = [
        (
            "Log odds, female to male",
            f"{with_interval(row['log_odds'], row['log_odds_low'], row['log_odds_high'])}, "
            f"q {_q(row)}",
        ),
        (
            "Passages",
            f"{integer(row['n_passages'])} ({integer(row['n_female'])} female, "
            f"{integer(row['n_male'])} male) of {plural(int(row['n_documents']), 'document')}{moved}",
        ),
        ("Stability", _stability(row)),
        (
            "The paper's rule",
            f"p_F {number(row['p_female_paper'], 3)}, p_M {number(row['p_male_paper'], 3)}: "
            f"{'neither' if row['gender_paper'] == 'none' else row['gender_paper']}",
        ),
        ("Coherence", f"u_mass {number(row['u_mass'])}, c_v {number(row['c_v'])}"),
        ("Label", _label(row)),
    ]
    if not missing(row["jaccard_masking"]):
        facts.append(
            (
                "Gender terms shown or hidden",
                f"keeps an overlap of {percent(row['jaccard_masking'])} with its best match",
            )
        )
    if not missing(row["top_document_share"]):
        name = (
            f"; “{row['top_name']}” in {percent(row['top_name_share'])}" if row["top_name"] else ""
        )
        facts.append(
            (
                "Dominance",
                f"largest document {percent(row['top_document_share'])} of passages{name}",
            )
        )
    if row["keywords"]:
        words = row["keywords"].replace("; ", ", ")
        facts.append(("Key words", Markup('<span data-find dir="auto">{}</span>').format(words)))
    address = "#topic=" + quote(key, safe="/")
    facts.append(("Address", Markup('<a href="{}">#topic={}</a>').format(address, key)))
    items = Markup("").join(
        Markup('<div><dt>{}</dt><dd dir="auto">{}</dd></div>').format(name, value)
        for name, value in facts
    )
    return Markup('<dl class="facts">{}</dl>').format(items)


def _q(row: Mapping[str, Any]) -> str:
    return probability(row["q_value"]) if not missing(row["q_value"]) else f"{DASH} (not tested)"


def _stability(row: Mapping[str, Any]) -> str:
    text = stability_text(row)
    overlaps = [
        f"{name} {percent(row[column])}"
        for name, column in (
            ("other seeds", "jaccard_seed"),
            ("other orders", "jaccard_order"),
            ("other documents", "jaccard_bootstrap"),
        )
        if not missing(row[column])
    ]
    return f"{text}; mean overlap with its best match: {', '.join(overlaps)}" if overlaps else text


def _label(row: Mapping[str, Any]) -> str:
    text = _LABEL_BY.get(row["label_by"], "origin not recorded")
    if row["label_phrase"] and row["label_phrase"] != row["label"]:
        text += f"; the nearest phrase alone gives “{row['label_phrase']}”"
    if row["label_second"]:
        text += f"; a second labeller gives “{row['label_second']}”"
    if row["label_note"]:
        text += f"; {row['label_note']}"
    return text


def _ngrams(found: list[dict[str, Any]]) -> Markup:
    lists = Markup("")
    for size, name in ((1, "Words"), (2, "Two-word phrases")):
        items = Markup(", ").join(
            Markup('<span><span data-find dir="auto">{}</span> <small>{}</small></span>').format(
                row["ngram"], integer(row["n_passages"])
            )
            for row in found
            if row["n"] == size
        )
        if items:
            lists += Markup("<p><b>{}</b> {}</p>").format(
                f"Most passages hold these {name.lower()}:", items
            )
    return Markup('<div class="ngrams">{}</div>').format(lists) if lists else EMPTY


def _examples(found: list[dict[str, Any]]) -> Markup:
    if not found:
        return EMPTY
    items = Markup("").join(
        Markup('<li><blockquote dir="auto">{}</blockquote><p class="soft">{} {}</p></li>').format(
            row["text"],
            chip(row["gender"], "both"),
            ", ".join(part for part in (row["document"], row["country"]) if part),
        )
        for row in found
    )
    return Markup('<details class="examples"><summary>{}</summary><ol>{}</ol></details>').format(
        plural(len(found), "example passage"), items
    )
