"""Labels of topics: a language model chooses among phrases of the topic, or writes a few words."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from biasatlas.language_models.chat import Chat, ChatSettings, Message
from biasatlas.language_models.choice import choice_schema, read_choice
from biasatlas.language_models.prompts import Prompts, join_values, load_prompts
from biasatlas.language_models.replies import ReplyCache
from biasatlas.language_models.text import is_label_safe, plain_text, read_free_label
from biasatlas.logs import Progress
from biasatlas.topics.phrases import choose_labels

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)

PLACEHOLDERS = ("documents", "phrases", "words")
REQUIRED = {"choose": ("phrases",), "write": ("documents", "words")}
COLUMNS = ["topic", "label", "label_by", "label_phrase", "label_second", "label_note"]
# A choice is one phrase in a little JSON.
CHOICE_TOKENS = 64
# Fewer tokens of a passage say nothing of it.
LEAST_TOKENS = 16
# A text that is cut and put into a prompt may gain a few tokens at its ends.
SLACK = 4


@dataclass(frozen=True)
class LabelSettings:
    """How a topic is put to the model.

    Attributes
    ----------
    mode : {"choose", "write"}
        choose: one of the topic's phrases, by a JSON schema; write: free words, checked.
    documents : int
        Example passages shown, at most.
    document_tokens : int
        Most tokens of a passage shown; the model's context may allow fewer.
    phrases : int
        Phrases to choose from, at most.
    most_words : int
        Most words of a written label.
    """

    mode: Literal["choose", "write"] = "choose"
    documents: int = 3
    document_tokens: int = 60
    phrases: int = 3
    most_words: int = 5


@dataclass(frozen=True)
class Labeller:
    """A model with its prompts and settings."""

    chat: Chat
    prompts: Prompts
    settings: LabelSettings


@dataclass(frozen=True)
class _Topic:
    number: int
    words: list[str]
    phrases: list[str]
    documents: list[str]


def load_label_prompts(files: Sequence[str | Path], mode: str) -> Prompts:
    """Read the prompts of a mode; `choose` needs {phrases}, `write` {documents} and {words}.

    Parameters
    ----------
    files : sequence of path
        Among them, in a folder of the mode's name: `system.txt`, `example.yaml`, `main.txt`.
    mode : {"choose", "write"}
    """
    system, example, main = (
        next((path for path in map(Path, files) if path.parts[-2:] == (mode, name)), Path(name))
        for name in ("system.txt", "example.yaml", "main.txt")
    )
    return load_prompts(system, example, main, required=REQUIRED[mode], allowed=PLACEHOLDERS)


def make_labeller(
    model: str | Path,
    digest: str,
    prompts: Sequence[str | Path],
    settings: Mapping[str, Any],
    mode: Literal["choose", "write"],
) -> Labeller:
    """A labeller of a GGUF model.

    Parameters
    ----------
    model : str or Path
        The file, or the folder that holds it.
    digest : str
        Hash of the model.
    prompts : sequence of path
        As in `load_label_prompts`.
    settings : mapping
        Keys of `ChatSettings` and `LabelSettings`; others are left alone.
    mode : {"choose", "write"}

    Raises
    ------
    InputError
        When llama-cpp-python, the model or a prompt is missing or wrong.
    """
    from biasatlas.language_models.llama import LlamaChat

    def some(kind: Any) -> dict[str, Any]:
        return {f.name: settings[f.name] for f in fields(kind) if f.name in settings}

    chat = LlamaChat(model, digest, ChatSettings(**some(ChatSettings)))
    asked = LabelSettings(**{**some(LabelSettings), "mode": mode})
    return Labeller(chat, load_label_prompts(prompts, mode), asked)


def label_topics(
    descriptions: pd.DataFrame,
    texts: Mapping[str, str],
    labeller: Labeller | None,
    cache: ReplyCache,
    second: Labeller | None = None,
) -> pd.DataFrame:
    """Label the topics of a region.

    A topic's reply depends on its own question alone; only where two topics would get the same
    label does the other topic matter.

    Parameters
    ----------
    descriptions : DataFrame
        `topic`, `words`, `phrases` (nearest first) and `examples` (passage ids).
    texts : mapping of str to str
        Passages by id.
    labeller : Labeller or None
        None: the nearest phrase is the label.
    cache : ReplyCache
    second : Labeller, optional
        Another one, to compare with (Borah et al., appendix I).

    Returns
    -------
    DataFrame
        `topic`, `label`, `label_by` (llm, phrase or words), `label_phrase` (the nearest phrase
        that is free), `label_second` (the second labeller's, empty without), `label_note` (why a
        model's label was not taken, else empty); one row a topic, sorted.
    """
    import pandas as pd

    topics = _read_topics(descriptions, texts)
    words = {topic.number: topic.words for topic in topics}
    phrases = {topic.number: topic.phrases for topic in topics}
    by_phrase = choose_labels(phrases, words)
    replies = {topic.number: ("", "") for topic in topics}
    if labeller is not None:
        replies = _ask_all(topics, labeller, cache, "labels")
    chosen = _tell_apart(topics, replies)
    others = _ask_all(topics, second, cache, "second labels") if second else {}
    rows = [
        {
            "topic": number,
            "label": chosen[number][0],
            "label_by": chosen[number][1],
            "label_phrase": by_phrase[number],
            "label_second": others[number][0] if others else "",
            "label_note": chosen[number][2],
        }
        for number in words
    ]
    if labeller is not None:
        _log_agreement(rows, "label_phrase", "the nearest phrase")
    if second is not None:
        _log_agreement(rows, "label_second", "the second model")
    # A region without topics has the same types as one with some.
    types = {"topic": "int64"} | dict.fromkeys(COLUMNS[1:], "str")
    return pd.DataFrame(rows, columns=COLUMNS).astype(types)


def _read_topics(descriptions: pd.DataFrame, texts: Mapping[str, str]) -> list[_Topic]:
    return [
        _Topic(
            int(row["topic"]),
            [plain_text(str(word)) for word in row["words"]],
            [str(one) for one in row["phrases"] if is_label_safe(str(one))],
            [plain_text(texts[one]) for one in row["examples"]],
        )
        for row in descriptions.sort_values("topic").to_dict("records")
    ]


def _ask_all(
    topics: Sequence[_Topic], labeller: Labeller, cache: ReplyCache, what: str
) -> dict[int, tuple[str, str]]:
    """Label and note of each topic, one of them empty."""
    before = cache.asked, cache.from_cache
    replies = {}
    with Progress(len(topics), what) as progress:
        for topic in topics:
            replies[topic.number] = _ask(topic, labeller, cache)
            progress.update()
    asked, known = cache.asked - before[0], cache.from_cache - before[1]
    other = sum(not label for label, _ in replies.values())
    logger.info("%s: %d asked, %d from the cache, %d by another way", what, asked, known, other)
    return replies


def _ask(topic: _Topic, labeller: Labeller, cache: ReplyCache) -> tuple[str, str]:
    settings, choose = labeller.settings, labeller.settings.mode == "choose"
    options = topic.phrases[: settings.phrases]
    if choose and not options:
        return "", "no phrase to choose from"
    if choose and len(options) == 1:
        return "", "one phrase only, nothing to choose"
    messages = build_question(topic.words, options, topic.documents, labeller)
    if messages is None:
        return "", "the model's context is too small for the question"
    if not choose:
        return read_free_label(cache.ask(labeller.chat, messages), settings.most_words)
    reply = cache.ask(labeller.chat, messages, choice_schema("label", options))
    label = read_choice(reply, "label", options)
    return (label, "") if label else ("", "reply chooses none of the phrases")


def build_question(
    words: Sequence[str], phrases: Sequence[str], documents: Sequence[str], labeller: Labeller
) -> list[Message] | None:
    """The messages about one topic, with its passages cut to what the context leaves.

    Parameters
    ----------
    words, phrases : sequence of str
        Best first.
    documents : sequence of str
        Passages as `plain_text` gives them.
    labeller : Labeller

    Returns
    -------
    list of messages or None
        None when the context has no room for a question and its reply.
    """
    chat, settings = labeller.chat, labeller.settings
    shown = list(documents[: settings.documents])
    # A small model leans to the place where the answer of the last example stands: the first,
    # which the nearest phrase has here.
    fixed = {"words": join_values("words", words), "phrases": join_values("phrases", phrases)}

    def messages(some: Sequence[str]) -> list[Message]:
        return labeller.prompts.messages({**fixed, "documents": join_values("documents", some)})

    reply = CHOICE_TOKENS if settings.mode == "choose" else chat.max_tokens
    room = chat.context - min(reply, chat.max_tokens)
    bare = chat.count(messages([""] * len(shown)))
    if bare > room:
        return None
    if messages([]) == messages(["x"]) or not shown:
        return messages(shown)
    share = min(settings.document_tokens, (room - bare) // len(shown) - SLACK)
    while share >= LEAST_TOKENS:
        question = messages([chat.cut(text, share) for text in shown])
        if chat.count(question) <= room:
            return question
        share = share * 9 // 10
    return None


def _tell_apart(
    topics: Sequence[_Topic], replies: Mapping[int, tuple[str, str]]
) -> dict[int, tuple[str, str, str]]:
    """Label, origin and note of each topic; no two labels of a region are the same.

    The models' labels come first, so that no fallback takes one away.
    """
    taken: dict[str, int] = {}
    chosen: dict[int, tuple[str, str, str]] = {}
    notes = {number: note for number, (_, note) in replies.items()}
    for topic in topics:
        label = replies[topic.number][0]
        if label and label.lower() not in taken:
            taken[label.lower()] = topic.number
            chosen[topic.number] = label, "llm", ""
        elif label:
            owner = taken[label.lower()]
            notes[topic.number] = f"'{label}' is the label of topic {owner} already"
    for topic in topics:
        if topic.number in chosen:
            continue
        label, origin = _next_label(topic, replies[topic.number][0], taken)
        taken[label.lower()] = topic.number
        chosen[topic.number] = label, origin, notes[topic.number]
    return chosen


def _next_label(topic: _Topic, wanted: str, taken: Mapping[str, int]) -> tuple[str, str]:
    """The nearest phrase that is free; else what was wanted with a word of the topic; else words."""
    for phrase in topic.phrases:
        if phrase.lower() not in taken:
            return phrase, "phrase"
    words = ", ".join(topic.words[:3])
    options = []
    for base, origin in ((wanted, "llm"), (next(iter(topic.phrases), ""), "phrase")):
        inside = set(base.lower().split())
        options += [(f"{base} ({w})", origin) for w in topic.words if base and w not in inside]
    options += [(words, "words"), (f"{words} ({topic.number})", "words")]
    return next((label, origin) for label, origin in options if label.lower() not in taken)


def _log_agreement(rows: Sequence[Mapping[str, Any]], column: str, what: str) -> None:
    """Say how often two labels are the same, and how many of their words they share (Jaccard)."""
    pairs = [(str(row["label"]).lower(), str(row[column]).lower()) for row in rows if row[column]]
    if not pairs:
        logger.info("labels and %s: none to compare", what)
        return
    same = sum(one == other for one, other in pairs)
    shared = sum(word_overlap(one, other) for one, other in pairs) / len(pairs)
    logger.info(
        "labels and %s: %d of %d the same, %.2f of the words shared", what, same, len(pairs), shared
    )


def word_overlap(one: str, other: str) -> float:
    """Jaccard index of the words of two labels: shared words by all words.

    >>> word_overlap("tax return", "tax returns")
    0.3333333333333333
    """
    first, second = set(one.split()), set(other.split())
    return len(first & second) / len(first | second) if first | second else 1.0
