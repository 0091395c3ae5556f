"""Phrases, examples, words for region-aware WEAT, and embeddings of one region's topics."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from biasatlas.topics.dominance import top_document, top_name
from biasatlas.topics.examples import nearest_passages
from biasatlas.topics.phrases import (
    candidates,
    keybert_words,
    label_phrases,
    mean_embeddings,
    nearest_phrases,
)

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from biasatlas.encoders.sentence import SentenceEncoder

    Floats = NDArray[np.float32]


def words_by_topic(words: pd.DataFrame) -> dict[int, list[str]]:
    """Words of each topic, best first."""
    found: dict[int, list[str]] = {}
    for row in words.sort_values(["topic", "rank"]).to_dict("records"):
        found.setdefault(int(row["topic"]), []).append(row["word"])
    return found


def describe_topics(
    passages: pd.DataFrame,
    embeddings: Floats,
    words: dict[int, list[str]],
    encoder: SentenceEncoder,
    *,
    language: str,
    top_words: int,
    places: Collection[str],
    gender_terms: Collection[str],
    hide_terms: bool = False,
    keep_shared: bool = False,
    method: str = "mean_embedding",
) -> pd.DataFrame:
    """Describe each topic by phrases near its passages, and say what dominates it.

    Parameters
    ----------
    passages : DataFrame
        `id`, `topic`, `document`, `text`; one row a gendered passage.
    embeddings : ndarray, shape (n, d)
        Of the passages.
    words : dict of int to list of str
        Topic words, best first.
    encoder : SentenceEncoder
        The model that made the embeddings.
    language : str
    top_words : int
        Keywords a topic.
    places : collection of str
        Words of country names, which are no persons.
    gender_terms : collection of str
        The terms that made passages female or male: a topic of such words has its gender by
        construction.
    hide_terms : bool
        Whether phrases may not hold them either, as where they are hidden from the encoder.
    keep_shared : bool
        Whether such terms may be keywords (the paper's way).
    method : {"mean_embedding", "keybert"}
        Keywords nearest to the topic's mean embedding, or by `keybert_words`.

    Returns
    -------
    DataFrame
        `topic`; `words`, `keywords`, `phrases` (up to six bigrams, nearest first), `examples`
        (ids of up to three passages) and `gender_words`, all lists; `top_document_share`,
        `top_name`, `top_name_share`; one row a topic, without topic -1.
    """
    import pandas as pd

    means = mean_embeddings(passages, embeddings)
    groups = {topic: passages[passages["topic"] == topic] for topic in words}
    texts = {topic: list(group["text"]) for topic, group in groups.items()}
    phrases = label_phrases(texts, means, encoder, language, gender_terms if hide_terms else ())
    examples = nearest_passages(passages, embeddings)
    # A keyword that made its passages female would find its own gender again.
    left_out = set() if keep_shared else set(gender_terms)
    if method == "keybert":
        keywords = keybert_words(texts, encoder, language, top=top_words, left_out=left_out)
    else:
        unigrams = {topic: candidates(some, language, 1, left_out) for topic, some in texts.items()}
        keywords = nearest_phrases(unigrams, means, encoder)
    rows: list[dict[str, Any]] = []
    for topic, group in groups.items():
        name, share = top_name(texts[topic], places)
        rows.append(
            {
                "topic": topic,
                "words": words[topic],
                "keywords": keywords[topic][:top_words],
                "phrases": phrases[topic],
                "examples": examples[topic],
                "gender_words": [word for word in words[topic] if word in gender_terms],
                "top_document_share": top_document(list(group["document"])),
                "top_name": name,
                "top_name_share": share,
            }
        )
    columns = ["topic", "words", "keywords", "phrases", "examples", "gender_words"]
    columns += ["top_document_share", "top_name", "top_name_share"]
    # A region without topics has the same types as one with some.
    types = {"topic": "int64", "top_document_share": "float64", "top_name_share": "float64"}
    return pd.DataFrame(rows, columns=columns).astype(types)


def embed_topics(words: dict[int, list[str]], encoder: SentenceEncoder) -> pd.DataFrame:
    """Topic embeddings of Borah et al. 4.2: the mean embedding of a topic's words.

    Returns
    -------
    DataFrame
        `key` (a topic's number as text, ``she`` or ``he``) and `embedding`.
    """
    import pandas as pd

    directions = ["she", "he"]
    distinct = sorted({word for some in words.values() for word in some} | set(directions))
    vectors = dict(zip(distinct, encoder.encode(distinct, "topic words"), strict=True))
    means = {str(topic): _mean(vectors, some) for topic, some in sorted(words.items())}
    means |= {word: vectors[word] for word in directions}
    return pd.DataFrame({"key": list(means), "embedding": list(means.values())})


def _mean(vectors: dict[str, Floats], words: Sequence[str]) -> Floats:
    stacked = np.stack([vectors[word] for word in words]).astype(np.float64)
    return np.asarray(stacked.mean(axis=0), dtype=np.float32)
