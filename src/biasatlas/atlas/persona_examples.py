"""Cards of single personas: what a model replied, and how its gender was read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from biasatlas.atlas.parts import EMPTY, integer, plural, records_of
from biasatlas.atlas.persona_scores import SOURCES
from biasatlas.atlas.persona_topics import topic_key
from biasatlas.atlas.topic_marks import TopicLinks, chip

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 40
"""Cards of one region; a region with more of them shows the first."""
REASONS = {
    "no_gender": "no gender is said",
    "other_gender": "another gender than female or male",
    "both_genders": "words of both genders, none clearly the persona's",
    "refusal": "the model refuses",
    "blocked": "a filter of the server kept it back",
    "empty": "an empty reply",
}
_BY = {"field": "by the stated gender", "pronouns": "by pronouns", "nouns": "by gendered nouns"}
_ORDER = {name: place for place, name in enumerate(("own", "paper", "neutral"))}


def lead_form(personas: pd.DataFrame, configured: Sequence[str]) -> str:
    """Give the prompt form of the examples: the first of the configuration that was asked."""
    there = sorted(set(personas["prompt"]))
    return next((name for name in configured if name in there), there[0])


def example_cards(personas: pd.DataFrame, info: Mapping[str, Any], links: TopicLinks) -> Markup:
    """Give folds of cards, one a region, and one of replies that could not be read.

    The choice is blind to what was replied: the first run of each model on each topic of a pair
    and on the first neutral topic, of one prompt form. The last fold is the exception: each
    model's first reply of each reason.

    Parameters
    ----------
    personas : pandas.DataFrame
        Table personas with ``place``, at least one row.
    info : mapping
        The run; ``settings.personas.prompts`` says which form comes first.
    links : TopicLinks
    """
    settings = info.get("settings", {}).get("personas", {})
    form = lead_form(personas, settings.get("prompts", []) if isinstance(settings, Mapping) else [])
    frame = personas.assign(_source=personas["source"].map(_ORDER))
    by = ["_source", "topic", "model", "prompt", "run"]
    frame = frame.sort_values(by, kind="stable")
    places = list(dict.fromkeys(personas["place"]))
    first = frame[frame["prompt"] == form].drop_duplicates(
        ["language", "region", "source", "topic", "model"]
    )
    neutral = first["source"] == "neutral"
    kept = ~neutral | ~first.duplicated(["language", "region", "_source", "model"])
    chosen = first[kept]
    folds = [_fold(place, records_of(chosen[chosen["place"] == place]), links) for place in places]
    unread = frame[frame["reason"] != ""].drop_duplicates(["language", "model", "reason"])
    if len(unread):
        folds.append(_fold("Replies without a gender, one a reason", records_of(unread), links))
    lead = (
        f"The first reply of each model on each topic of a pair and on one neutral topic (prompt "
        f"form {form}); nobody has chosen them for what they say."
    )
    return Markup(
        '<details class="examples personas"><summary>Read example personas</summary>'
        '<p class="soft">{}</p>{}</details>'
    ).format(lead, Markup("\n").join(folds))


def _fold(title: str, found: list[dict[str, Any]], links: TopicLinks) -> Markup:
    if not found:
        return EMPTY
    cards = Markup("\n").join(_card(row, links) for row in found[:SHOWN])
    said = plural(len(found), "reply", "replies")
    if len(found) > SHOWN:
        said = f"the first {SHOWN} of {said}; the others are in the table personas"
    return Markup(
        '<details class="topic-rest"><summary>{} <span class="soft">{}</span></summary>'
        '<div class="cards">{}</div></details>'
    ).format(title, said, cards)


def _marks(row: Mapping[str, Any]) -> Iterable[str]:
    if row["contradicted"]:
        yield "its pronouns say another gender"
    if row["finish"] == "length":
        yield "cut off at the largest length"
    if row["length"] > len(row["reply"]) and len(row["reply"]) >= 1_000:
        yield f"the first 1,000 of {integer(row['length'])} characters"


def _told(row: Mapping[str, Any]) -> str:
    """Say where the topic comes from and what gender it has."""
    if row["source"] == "neutral":
        return "neutral topic"
    return f"{row['topic_gender']} topic of {SOURCES[row['source']]}"


def _card(row: Mapping[str, Any], links: TopicLinks) -> Markup:
    label: Any = row["label"]
    if topic_key(row, links):
        label = links.link(row["language"], row["region"], int(row["topic"]), row["label"])
    read = _BY.get(row["gender_by"], "") or REASONS.get(row["reason"], "")
    marks = Markup("").join(
        Markup('<span class="mark">{}</span>').format(text) for text in _marks(row)
    )
    name = Markup(' <strong dir="auto">{}</strong>').format(row["name"]) if row["name"] else EMPTY
    return Markup(
        '<article class="card persona"><p class="told"><b dir="auto">{}</b>, {}</p>'
        '<p>{}{} <span class="soft">{}</span> {}</p><blockquote dir="auto">{}</blockquote>'
        '<p class="counts">{}</p></article>'
    ).format(
        label,
        _told(row),
        chip(row["gender"], "no gender"),
        name,
        read,
        marks,
        row["reply"] or Markup('<span class="soft">(empty)</span>'),
        f"{row['place']}, {row['model']}, form {row['prompt']}, run {row['run']}",
    )


def _held(form: Mapping[str, Any]) -> Markup:
    """Say which genders alone a reply may have: without it, that all reply one reads as a finding."""
    if not form.get("genders"):
        return EMPTY
    return Markup('<p class="soft">The field gender may only be {}.</p>').format(
        ", ".join(form["genders"])
    )


def question_cards(info: Mapping[str, Any]) -> Markup:
    """Show what the models were asked, word for word.

    Parameters
    ----------
    info : mapping
        Key ``personas`` with runs, temperature, and prompts: title, system, message and genders
        (the only values of the field) by name, and left_out: languages that are not asked.
    """
    asked = info.get("personas") or {}
    if not asked:
        return EMPTY
    items = Markup("").join(
        Markup("<dt>{}</dt><dd>{}{}</dd>").format(
            form["title"],
            " ".join(filter(None, (form.get("system"), form["message"]))),
            _held(form),
        )
        for form in asked["prompts"].values()
    )
    drawn = f"{plural(asked['runs'], 'reply', 'replies')} a topic at temperature {asked['temperature']:g}"
    left_out = Markup("").join(Markup("<p>{}</p>").format(line) for line in asked["left_out"])
    return left_out + Markup(
        '<details class="persona"><summary>What the models were asked ({})</summary><dl>{}</dl>'
        "</details>"
    ).format(drawn, items)
