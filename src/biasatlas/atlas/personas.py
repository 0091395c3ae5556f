"""Section on language models: the personas that they invent for the topics of pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from biasatlas.atlas.parts import (
    EMPTY,
    LEVEL,
    Figure,
    Section,
    given,
    listing,
    missing,
    number,
    percent,
    plural,
    probability,
    records_of,
)
from biasatlas.atlas.persona_examples import example_cards, question_cards
from biasatlas.atlas.persona_numbers import models_figure, probe_table, score_table
from biasatlas.atlas.persona_probe import probe_topic_figures
from biasatlas.atlas.persona_scores import (
    ALL,
    SOURCES,
    TELLS,
    add_places,
    mismatch_figure,
    neutral_figure,
    probe_figures,
    prompt_figure,
    without_pair,
)
from biasatlas.atlas.persona_topics import (
    neutral_shares,
    neutral_table,
    topic_figures,
    turned_figure,
)
from biasatlas.atlas.topic_marks import TopicLinks

if TYPE_CHECKING:
    import pandas as pd

_TABLES = (
    "personas",
    "persona_topics",
    "persona_scores",
    "persona_probe",
    "persona_probe_scores",
    "persona_models",
)
_NOTES = [
    "A mismatch is a persona of the other gender than its topic has in the region's text, or, for "
    "published pairs, in the paper. It is neither good nor bad: a low one says that the model leans "
    "as the text does, a high one that it does not, which may be a lean of its own.",
    "Replies without a gender are counted apart and never guessed. A topic where no reply tells a "
    "gender is left out of the score.",
    "A model that makes nearly all personas of one gender has a mismatch near a half on balanced "
    "pairs, whatever the topics are. So compare each dot with its tick, what the same model gives "
    "on neutral topics. Excess is the dot less the tick. With as many female as male topics in each "
    "region the tick is a half and excess below 0 says that the model leans as the pairs do; with "
    "more of one gender it also moves where all these topics, of both genders, draw more women, or "
    "men, than neutral ones. Effect and p do not.",
    "Where a prompt form allows only some genders, a backend that holds a model to them leaves it "
    "no way not to say one: few replies without a gender are then no finding.",
    "Topics are the units of intervals and p, for seven runs on one topic are not seven topics. p "
    "deals the genders anew to the topics of a region; q corrects it over models and regions. Thin: "
    "too few topics of a gender for a finding.",
    "The genders of the run's own topics come from its text and may be wrong themselves; read the "
    "sections on topics and pairs first. A label that holds a gender term tells the model the "
    "answer: the numbers give the mismatch without such labels too.",
    "Figure 5 of the paper has mismatch without intervals and without neutral topics. Its prompt is "
    "a picture and was not read; the prompt forms here are in our own words.",
]
_PROBE_NOTE = (
    "The probe generates nothing: it compares how probable “She” and “He” are after a sentence on "
    "the topic. It takes all topics, so it can be correlated with the text where there is no pair."
)
_READ_MORE = [
    (
        "Borah, Garimella & Mihalcea, Towards Region-aware Bias Evaluation Metrics, section 6",
        "https://arxiv.org/abs/2406.16152",
    )
]


def section(tables: Mapping[str, pd.DataFrame], info: Mapping[str, Any]) -> Section | None:
    """Show personas and probe of every model and region; None where a run has neither."""
    found = {
        name: add_places(frame, info) if "region" in frame else frame
        for name in _TABLES
        if (frame := given(tables, name)) is not None
    }
    scores, probed = found.get("persona_scores"), found.get("persona_probe_scores")
    if scores is None and probed is None:
        return None
    links = TopicLinks(tables)
    figures = [*_score_figures(scores, probed, found.get("persona_topics"), links)]
    if "persona_probe" in found:
        figures += probe_topic_figures(found["persona_probe"], links)
    if "persona_topics" in found:
        topics = found["persona_topics"]
        figures += topic_figures(topics, neutral_shares(scores), links)
        turned = turned_figure(topics, links)
        figures += [turned] if turned is not None else []
    if scores is not None:
        figures += [
            figure for source in SOURCES if (figure := prompt_figure(scores, source)) is not None
        ]
    if "persona_models" in found:
        figures.append(models_figure(found["persona_models"]))
    cards = _warnings(scores if scores is not None else probed) + question_cards(info)
    if "personas" in found:
        cards += example_cards(found["personas"], info, links)
    notes = [*_NOTES, *([_PROBE_NOTE] if probed is not None else [])]
    said = [_finding(scores)] if scores is not None else []
    finding = " ".join([*said, *([_probe_finding(probed)] if probed is not None else [])])
    return Section("Language models", "personas", finding, figures, cards, notes, _READ_MORE)


def _score_figures(
    scores: pd.DataFrame | None,
    probed: pd.DataFrame | None,
    topics: pd.DataFrame | None,
    links: TopicLinks,
) -> list[Figure]:
    """Charts of mismatch, neutral topics and probe side by side, then their numbers."""
    charts: list[Figure | None] = []
    numbers: list[Figure] = []
    if scores is not None:
        whole = scores[scores["prompt"] == ALL]
        charts += [mismatch_figure(whole, source) for source in SOURCES]
        neutral = neutral_figure(whole)
        if neutral is not None and topics is not None:
            neutral = replace(neutral, table=neutral_table(topics, links))
        charts.append(neutral)
        numbers.append(score_table(scores))
    if probed is not None:
        charts += probe_figures(probed[probed["template"] == ALL])
        numbers.append(probe_table(probed))
    return [*(figure for figure in charts if figure is not None), *numbers]


def _states(frame: pd.DataFrame, form: str) -> list[dict[str, Any]]:
    """Rows of single regions over all prompt forms, or beginnings."""
    return records_of(frame[(frame[form] == ALL) & (frame["region"] != ALL)])


def _form(frame: pd.DataFrame) -> str:
    return "prompt" if "prompt" in frame else "template"


def _warnings(frame: pd.DataFrame | None) -> Markup:
    """Say of which regions nothing, or little, can be said."""
    if frame is None:
        return EMPTY
    said = []
    for source in (name for name in SOURCES if name in set(frame["source"])):
        states = _states(frame[frame["source"] == source], _form(frame))
        none = list(dict.fromkeys(row["place"] for row in states if without_pair(row)))
        thin: dict[str, str] = {}
        for row in states:
            if row["status"] == "thin":
                counts = f"{row['n_female']} female and {row['n_male']} male"
                thin.setdefault(row["place"], counts)
        mute = dict.fromkeys(
            f"{row['model']} in {row['place']}"
            for row in states
            if row["status"] == "refused" and not without_pair(row)
        )
        if none:
            said.append(
                f"{listing(none)}: no topic pair among {SOURCES[source]}, so no mismatch is known "
                "there. Only neutral topics were asked for."
            )
        if thin:
            counted = listing(f"{place} ({counts})" for place, counts in thin.items())
            said.append(
                f"Thin, too few topics of {SOURCES[source]} for a finding: {counted} topics with an "
                "answer."
            )
        if mute:
            said.append(
                f"No score for want of answers that tell a gender, on topics of {SOURCES[source]}: "
                f"{listing(mute)}."
            )
    if not said:
        return EMPTY
    items = Markup("").join(Markup("<li>{}</li>").format(text) for text in said)
    return Markup('<div class="warnings"><ul>{}</ul></div>').format(items)


def _finding(scores: pd.DataFrame) -> str:
    whole = scores[scores["prompt"] == ALL]
    scored = whole[(whole["region"] == ALL) & whole["mismatch"].notna()]
    source = next((name for name in SOURCES if name in set(scored["source"])), "")
    if not source:
        text = (
            "No mismatch is known: in no region do personas with a gender stand on topics of both "
            "genders"
        )
        return f"{text}{_undecided(whole)}."
    part = whole[whole["source"] == source]
    states = _states(part, "prompt")
    places = dict.fromkeys(row["place"] for row in states if not missing(row["mismatch"]))
    several = scored["language"].nunique() > 1
    rows = [
        {**row, "name": f"{row['model']} ({row['language']})" if several else row["model"]}
        for row in records_of(scored[scored["source"] == source])
    ]
    # Both genders may stand in no single region and yet in all of them together.
    where = f"{SOURCES[source]} in {listing(places) or 'all regions together'}"
    told = where, TELLS[source]
    text = _one(rows[0], *told) if len(rows) == 1 else _many(rows, *told)
    none = dict.fromkeys(row["place"] for row in states if without_pair(row))
    if none:
        text += f"; no topic pair in {listing(none)}"
    return f"{text}{_undecided(part)}."


def _one(row: Mapping[str, Any], where: str, tells: str) -> str:
    topics = row["n_female"] + row["n_male"]
    text = f"{row['name']} gives personas the other gender than the topic's in {percent(row['mismatch'])}"
    if not missing(row["mismatch_low"]):
        text += f" (95%: {percent(row['mismatch_low'])} to {percent(row['mismatch_high'])})"
    text += f" of cases, on {plural(topics, 'topic')} of {where}"
    if not missing(row["expected"]):
        text += f"; answering as on neutral topics would give {percent(row['expected'])}"
    if row["status"] == "thin":
        return f"{text}; thin: too few topics to tell whether it leans as {tells} does"
    if missing(row["q_value"]) or row["q_value"] > LEVEL:
        return f"{text}; no lean can be told from dealing genders at random (q {_q(row)})"
    side = "as" if row["effect"] > 0 else "against what"
    return f"{text}; it leans {side} {tells} does (q {_q(row)})"


def _q(row: Mapping[str, Any]) -> str:
    return probability(row["q_value"])


def _many(rows: list[dict[str, Any]], where: str, tells: str) -> str:
    ranked = sorted(rows, key=lambda row: (row["mismatch"], row["name"]))
    low, high = ranked[0], ranked[-1]
    topics = max(row["n_female"] + row["n_male"] for row in rows)
    text = (
        f"On {plural(topics, 'topic')} of {where} the share of personas of "
        f"the other gender than the topic's goes from {percent(low['mismatch'])} ({low['name']}) to "
        f"{percent(high['mismatch'])} ({high['name']})"
    )
    expected = [row["expected"] for row in rows if not missing(row["expected"])]
    if expected:
        ends = dict.fromkeys((percent(min(expected)), percent(max(expected))))
        text += f"; answering as on neutral topics would give {' to '.join(ends)}"
    tested = [row for row in rows if row["status"] == "ok"]
    if not tested:
        return f"{text}; thin: too few topics to tell whether they lean as {tells} does"
    found = [row for row in tested if not missing(row["q_value"]) and row["q_value"] <= LEVEL]
    along = sum(row["effect"] > 0 for row in found)
    text += f"; {along} of {len(rows)} lean as {tells} does (q at most {LEVEL:.2f})"
    against = len(found) - along
    if against:
        text += f", {against} against it"
    thin = len(rows) - len(tested)
    return text + (f", {thin} are thin" if thin else "")


def _undecided(frame: pd.DataFrame) -> str:
    rows = frame[frame["region"] == ALL]
    replies = int(rows["n_replies"].sum())
    if not replies:
        return ""
    share = rows["n_undecided"].sum() / replies
    return f"; {percent(share)} of {plural(replies, 'reply', 'replies')} on them tell no gender"


def _probe_finding(probed: pd.DataFrame) -> str:
    rows = probed[(probed["template"] == ALL) & (probed["region"] == ALL)]
    rows = rows[rows["correlation"].notna()]
    if rows.empty:
        return "The probe could not be compared with the text of any region."
    parts = [
        f"{number(row['correlation'])} (q {probability(row['correlation_q'])}) for {row['model']}"
        for row in records_of(rows)
    ]
    return (
        "Over the run's own topics the probe's rank correlation with the text's log odds is "
        f"{listing(parts)}."
    )
