"""Passages that show what a topic is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import regex

from biasatlas.topics.phrases import mean_embeddings

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

COLUMNS = ("topic", "rank", "id", "document", "country", "gender", "text")
ELLIPSIS = "…"
# Direction overrides, soft hyphens and the like change a page's other text; the joiners are
# letters in Persian and in Indic scripts.
UNSEEN = regex.compile(r"(?V1)[[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}]--[\u200c\u200d\s]]")
SPACE = regex.compile(r"\s+")
CHARACTER = regex.compile(r"\X")


def nearest_passages(
    passages: pd.DataFrame, embeddings: Floats, *, top: int = 3
) -> dict[int, list[str]]:
    """Ids of the passages nearest each topic's mean embedding, nearest first.

    Parameters
    ----------
    passages : DataFrame
        `id`, `topic`, `document`, `text`; one row a passage.
    embeddings : ndarray, shape (n, d)
    top : int
        Passages a topic, as `choose_examples` picks them.
    """
    frame = passages[["id", "topic", "document", "text"]].assign(country="", gender="")
    found = choose_examples(frame, embeddings, top=top)
    ids = found.groupby("topic", sort=True)["id"].agg(list).to_dict()
    topics = sorted(set(passages["topic"]) - {-1})
    return {topic: ids.get(topic, []) for topic in topics}


def choose_examples(
    passages: pd.DataFrame, embeddings: Floats, *, top: int = 3, length: int = 300
) -> pd.DataFrame:
    """Up to three passages nearest each topic's mean embedding, from different documents.

    Parameters
    ----------
    passages : DataFrame
        `id`, `topic`, `document`, `country`, `gender`, `text`; one row a gendered passage.
    embeddings : ndarray, shape (n, d)
        Of the passages.
    top : int
        Passages a topic. A second passage of a document is taken only when no other document
        is left, and the same excerpt never twice.
    length : int
        Characters of an excerpt, about.

    Returns
    -------
    DataFrame
        `COLUMNS`, by topic and rank (1 is nearest); `text` is an excerpt, and still text that
        someone else wrote: a page must escape it. A passage that stands in both genders has
        gender ``both``.
    """
    import pandas as pd

    means = mean_embeddings(passages, embeddings)
    rows: list[dict[str, Any]] = []
    for topic, mean in means.items():
        chosen = (passages["topic"] == topic).to_numpy()
        vectors = embeddings[chosen].astype(np.float64)
        cosine = vectors @ mean / np.linalg.norm(vectors, axis=1)
        # Rounded, so that a difference in the last bits does not reorder equals.
        group = passages[chosen].assign(far=-np.round(cosine, 6))
        genders: dict[str, set[str]] = {}
        for name, gender in zip(group["id"], group["gender"], strict=True):
            genders.setdefault(name, set()).add(gender)
        group = group.sort_values(["far", "id"], kind="stable").drop_duplicates("id")
        texts = [excerpt(text, length) for text in group["text"]]
        picked = _different(group["document"].tolist(), texts, top)
        for rank, k in enumerate(picked, start=1):
            row = group.iloc[k]
            both = genders[row["id"]]
            rows.append(
                {
                    "topic": topic,
                    "rank": rank,
                    **{column: row[column] for column in ("id", "document", "country")},
                    "gender": "both" if len(both) > 1 else next(iter(both)),
                    "text": texts[k],
                }
            )
    types = dict.fromkeys(COLUMNS, "str") | {"topic": "int64", "rank": "int64"}
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(types)


def _different(documents: list[str], texts: list[str], top: int) -> list[int]:
    """First rows of different documents, then others, in their order; no text twice."""
    picked: list[int] = []
    for of_new_document in (True, False):
        for k, document in enumerate(documents):
            taken = {documents[i] for i in picked}
            if len(picked) == top:
                break
            if k in picked or texts[k] in {texts[i] for i in picked} or not texts[k]:
                continue
            if not of_new_document or document not in taken:
                picked.append(k)
    return sorted(picked)


def excerpt(text: str, length: int = 300) -> str:
    """Start of a text, cut between words, on one line, without unseen characters.

    Parameters
    ----------
    text : str
    length : int
        Most characters, the ellipsis included.

    Returns
    -------
    str
        The text itself when it is short enough. Text without spaces near the end is cut between
        two characters as a reader sees them, not between a letter and its accent.
    """
    clean = SPACE.sub(" ", UNSEEN.sub("", text)).strip()
    if len(clean) <= length:
        return clean
    room = length - len(ELLIPSIS)
    space = clean.rfind(" ", 0, room + 1)
    # A space far back would waste a line of Chinese, or a long word.
    if space < room * 0.8:
        space = max(m.start() for m in CHARACTER.finditer(clean, 0, length) if m.start() <= room)
    return clean[:space].rstrip() + ELLIPSIS
