"""Words and phrases that stand for a topic: its label and its words for region-aware WEAT."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from biasatlas.tokens import content_clauses, stop_words, tokenize, topic_tokens

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from biasatlas.encoders.load import Encoder

    Floats = NDArray[np.float32]

# Boilerplate of news agencies that is near every topic and says nothing of it.
BOILERPLATE = frozenset(
    "al jazeera|jazeera news|year old|years old|news agency|associated press|told reporters|"
    "file photo|getty images|abc news|press conference|huffington post|terms use|"
    "china daily|daily china|daily european|european weekly|visit bbc".split("|")
)
MIN_PASSAGES = 3
MOST_CANDIDATES = 60
MOST_PHRASES = 6


def document_frequencies(texts: Sequence[str], language: str, length: int) -> Counter[str]:
    """Passages that hold each run of `length` topic words without stop words among them.

    No run reaches over a comma or another such mark. Words are joined by a space in every
    language, as the passages have them.
    """
    stop = stop_words(language)
    counts: Counter[str] = Counter()
    for text in texts:
        found = set()
        for words in content_clauses(text, language, stop):
            runs = (words[i : i + length] for i in range(len(words) - length + 1))
            found |= {" ".join(run) for run in runs if all(run)}
        counts.update(found)
    return counts


def candidates(
    texts: Sequence[str], language: str, length: int, left_out: Collection[str] = ()
) -> list[str]:
    """Phrases found in at least three passages of a topic, the most frequent ones first.

    Parameters
    ----------
    texts : sequence of str
        Passages of a topic.
    language : str
    length : int
        Words of a phrase.
    left_out : collection of str
        Terms that no phrase may hold: of one word, or of several in a row.

    Returns
    -------
    list of str
        At most 60; of equally frequent ones the first in the alphabet.
    """
    banned = {" ".join(tokenize(term, language)) for term in left_out} - {""}
    banned |= BOILERPLATE if language in ("en", "eng") else frozenset()
    counts = document_frequencies(texts, language, length)
    frequent = [(-n, phrase) for phrase, n in counts.items() if n >= MIN_PASSAGES]
    allowed = [phrase for _, phrase in sorted(frequent) if banned.isdisjoint(_parts(phrase))]
    return allowed[:MOST_CANDIDATES]


def _parts(phrase: str) -> list[str]:
    """Every run of words in a phrase."""
    words = phrase.split()
    ends = range(1, len(words) + 1)
    return [" ".join(words[i:j]) for j in ends for i in range(j)]


def label_phrases(
    texts: Mapping[int, Sequence[str]],
    means: Mapping[int, Floats],
    encoder: Encoder,
    language: str,
    left_out: Collection[str] = (),
) -> dict[int, list[str]]:
    """Bigrams that may label a topic: at most six, nearest to its mean embedding first.

    Parameters
    ----------
    texts : mapping of topic to its passages
    means : mapping of topic to its unit mean embedding
    encoder : Encoder
        The model that made the embeddings.
    language : str
    left_out : collection of str
        Terms that no phrase may hold: where gender terms are hidden from the topics, these.
    """
    found = {topic: candidates(some, language, 2, left_out) for topic, some in texts.items()}
    nearest = nearest_phrases(found, means, encoder)
    return {topic: phrases[:MOST_PHRASES] for topic, phrases in nearest.items()}


def mean_embeddings(assignments: pd.DataFrame, embeddings: Floats) -> dict[int, Floats]:
    """Unit mean embedding of each topic's passages."""
    means = {}
    for topic in sorted(set(assignments["topic"]) - {-1}):
        mean = embeddings[(assignments["topic"] == topic).to_numpy()].mean(axis=0)
        means[topic] = (mean / np.linalg.norm(mean)).astype(np.float32)
    return means


def nearest_phrases(
    phrases: Mapping[int, Sequence[str]], means: Mapping[int, Floats], encoder: Encoder
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
    encoder: Encoder,
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
    encoder : Encoder
    language : str
        English words are found by KeyBERT's own pattern, others by `topic_tokens`.
    top : int
        Words a topic.
    left_out : collection of str
        Words that may not be keywords.
    """
    from keybert import KeyBERT
    from keybert.backend import BaseEmbedder
    from sklearn.feature_extraction.text import CountVectorizer

    class Embedder(BaseEmbedder):
        def embed(self, documents: Sequence[str], verbose: bool = False) -> Floats:
            return encoder.encode(list(documents), "keywords")

    model = KeyBERT(Embedder())
    stop = {*stop_words(language), *left_out}
    own = None
    if language not in ("en", "eng"):
        # KeyBERT's own pattern breaks a word at a combining mark.
        own = CountVectorizer(
            analyzer=lambda text: [w for w in topic_tokens(text, language) if w not in stop]
        )
    found = {}
    for topic, passages in texts.items():
        pairs = model.extract_keywords(
            " ".join(passages),
            keyphrase_ngram_range=(1, 1),
            stop_words=sorted(stop) or None,
            top_n=top,
            vectorizer=own,
        )
        found[topic] = [word for word, _ in pairs]
    return found
