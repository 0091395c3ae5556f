"""Words and phrases that stand for a topic: its label and its words for region-aware WEAT."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from biasatlas.tokens import TOPIC_WORD, stop_words, tokenize

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from biasatlas.topics.embedding import SentenceEncoder

    Floats = NDArray[np.float32]

# Boilerplate of news agencies that is near every topic and says nothing of it.
BOILERPLATE = frozenset(
    "al jazeera|jazeera news|year old|years old|news agency|associated press|told reporters|"
    "file photo|getty images|abc news|press conference|huffington post|terms use".split("|")
)
MIN_PASSAGES = 3
MOST_CANDIDATES = 60


def document_frequencies(texts: Sequence[str], language: str, length: int) -> Counter[str]:
    """Passages that hold each run of `length` content words (no stop word, letters only)."""
    stop = stop_words(language)
    counts: Counter[str] = Counter()
    for text in texts:
        tokens = tokenize(text)
        usable = [TOPIC_WORD.fullmatch(t) is not None and t not in stop for t in tokens]
        counts.update(
            {
                " ".join(tokens[i : i + length])
                for i in range(len(tokens) - length + 1)
                if all(usable[i : i + length])
            }
        )
    return counts


def candidates(texts: Sequence[str], language: str, length: int) -> list[str]:
    """Phrases found in at least three passages of a topic, the most frequent ones first."""
    counts = document_frequencies(texts, language, length)
    frequent = [(-n, phrase) for phrase, n in counts.items() if n >= MIN_PASSAGES]
    return [phrase for _, phrase in sorted(frequent)[:MOST_CANDIDATES] if phrase not in BOILERPLATE]


def mean_embeddings(assignments: pd.DataFrame, embeddings: Floats) -> dict[int, Floats]:
    """Unit mean embedding of each topic's passages."""
    means = {}
    for topic in sorted(set(assignments["topic"]) - {-1}):
        mean = embeddings[(assignments["topic"] == topic).to_numpy()].mean(axis=0)
        means[topic] = (mean / np.linalg.norm(mean)).astype(np.float32)
    return means


def nearest_phrases(
    phrases: Mapping[int, Sequence[str]], means: Mapping[int, Floats], encoder: SentenceEncoder
) -> dict[int, list[str]]:
    """Order each topic's phrases by cosine to the topic's mean embedding, nearest first."""
    distinct = sorted({phrase for some in phrases.values() for phrase in some})
    vectors = dict(zip(distinct, encoder.encode(distinct, "phrases"), strict=True))
    ordered = {}
    for topic, some in phrases.items():
        # Rounded, so that a difference in the last bits does not reorder equals.
        keyed = [(-round(float(vectors[p] @ means[topic]), 6), p) for p in some]
        ordered[topic] = [phrase for _, phrase in sorted(keyed)]
    return ordered


def choose_labels(
    nearest: Mapping[int, Sequence[str]], words: Mapping[int, Sequence[str]]
) -> dict[int, str]:
    """The nearest bigram no earlier topic took; without one, the topic's first three words.

    Parameters
    ----------
    nearest : mapping of topic to phrases, nearest first
    words : mapping of topic to its words, best first
    """
    labels: dict[int, str] = {}
    for topic in sorted(words):
        fallback = ", ".join(words[topic][:3])
        options = [*nearest.get(topic, ()), fallback]
        free = [label for label in options if label not in labels.values()]
        labels[topic] = free[0] if free else f"{fallback} ({topic})"
    return labels


def keybert_words(
    texts: Mapping[int, Sequence[str]],
    encoder: SentenceEncoder,
    language: str,
    *,
    top: int,
    left_out: Collection[str],
) -> dict[int, list[str]]:
    """KeyBERT words of each topic's concatenated passages, the form of Borah et al. 5.

    The encoder reads only the first passages of that text; `nearest_phrases` to the topic's mean
    embedding see them all.

    Parameters
    ----------
    texts : mapping of topic to its passages
    encoder : SentenceEncoder
    language : str
    top : int
        Words a topic.
    left_out : collection of str
        Words that may not be keywords.
    """
    from keybert import KeyBERT

    model = KeyBERT(encoder.model)
    stop = sorted({*stop_words(language), *left_out}) or None
    found = {}
    for topic, passages in texts.items():
        pairs = model.extract_keywords(
            " ".join(passages), keyphrase_ngram_range=(1, 1), stop_words=stop, top_n=top
        )
        found[topic] = [word for word, _ in pairs]
    return found
