"""Rows of the tables personas and persona_probe, from what the models gave."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from biasatlas.language_models.chat import Reply
from biasatlas.language_models.text import plain_text
from biasatlas.personas.forms import Probe
from biasatlas.personas.gender import read_reply

if TYPE_CHECKING:
    from biasatlas.personas.gender_words import GenderWords

# Letters of a reply that the table shows; the whole reply is in the folder of its region.
SHOWN = 1_000
REPLY = ("text", "finish", "prompt_tokens", "reply_tokens", "answered_by")


def reply_rows(drawn: pd.DataFrame, replies: Sequence[Reply]) -> pd.DataFrame:
    """Put replies beside their questions.

    Parameters
    ----------
    drawn : DataFrame
        From `biasatlas.personas.questions.draw_questions`.
    replies : sequence of Reply
        In the same order.

    Returns
    -------
    DataFrame
        source, topic, prompt, run, seed, text, finish, prompt_tokens, reply_tokens, answered_by.
    """
    frame = drawn[["source", "topic", "prompt", "run", "seed"]].reset_index(drop=True)
    return frame.assign(**{name: [getattr(one, name) for one in replies] for name in REPLY})


def persona_rows(replies: pd.DataFrame, topics: pd.DataFrame, words: GenderWords) -> pd.DataFrame:
    """Read the gender of every persona.

    Parameters
    ----------
    replies : DataFrame
        From `reply_rows`, of one region and model.
    topics : DataFrame
        From `biasatlas.personas.questions.list_topics`, of the same region.
    words : GenderWords
        Words of the language.

    Returns
    -------
    DataFrame
        Table personas without language, region and model.
    """
    told = topics[["source", "topic", "label", "topic_gender"]]
    frame = replies.merge(told, on=["source", "topic"], how="left", validate="many_to_one")
    columns = frame[["text", "label", "finish"]].to_numpy().tolist()
    read = [read_reply(text, words, topic=label, finish=end) for text, label, end in columns]
    return frame.assign(
        gender=[one.gender for one in read],
        gender_by=[one.gender_by for one in read],
        reason=[one.reason for one in read],
        contradicted=[one.contradicted for one in read],
        name=[_one_line(one.name) for one in read],
        reply=[_one_line(text) for text in frame["text"]],
        length=[len(text) for text in frame["text"]],
    ).drop(columns="text")


def _one_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:SHOWN].strip()


def probe_texts(topics: pd.DataFrame, probe: Probe, region: str) -> list[str]:
    """The beginnings that are continued: topic by topic, template by template.

    As in questions, labels and the region are put in as plain text.
    """
    return [
        probe.write(text, plain_text(region), plain_text(label))
        for label in topics["label"]
        for _, text in probe.templates
    ]


def probe_rows(
    topics: pd.DataFrame, probe: Probe, found: Sequence[Sequence[float | None]]
) -> pd.DataFrame:
    """Put probabilities beside their topics.

    Parameters
    ----------
    topics : DataFrame
        From `biasatlas.personas.questions.list_topics`.
    probe : Probe
    found : sequence of (float or None, float or None)
        Log probability of the female and the male continuation, in the order of `probe_texts`.

    Returns
    -------
    DataFrame
        Table persona_probe without language, region and model; empty cells where the model
        cannot say.
    """
    frame = topics.drop(columns="asked").loc[topics.index.repeat(len(probe.templates))]
    female, male = (
        np.array([math.nan if pair[side] is None else pair[side] for pair in found], dtype=float)
        for side in (0, 1)
    )
    return frame.reset_index(drop=True).assign(
        template=[name for name, _ in probe.templates] * len(topics),
        log_p_female=female,
        log_p_male=male,
        difference=female - male,
    )
