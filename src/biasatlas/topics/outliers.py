"""What becomes of passages in no topic: BERTopic's strategies of moving them to one."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from biasatlas.topics.model import TopicWords

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

logger = logging.getLogger(__name__)

STRATEGIES = ("keep", "c-tf-idf", "embeddings", "distributions", "probabilities")
# Words of a window in `distributions`, as in BERTopic.approximate_distribution.
WINDOW = 4


def reduce_outliers(
    topics: Integers,
    strategy: str,
    threshold: float,
    *,
    texts: Sequence[str],
    embeddings: NDArray[np.float32],
    words: TopicWords,
    membership: Floats | None = None,
) -> tuple[Integers, NDArray[np.bool_]]:
    """Move passages in no topic to the topic they are most like, as BERTopic.reduce_outliers.

    Parameters
    ----------
    topics : ndarray of int, shape (n,)
        0 to k - 1, or -1.
    strategy : {"keep", "c-tf-idf", "embeddings", "distributions", "probabilities"}
        What likeness is: cosine of c-TF-IDF, or of embeddings to the topic's mean; the sum over
        windows of four words of the cosine of c-TF-IDF; or HDBSCAN's soft clustering.
    threshold : float
        Least likeness (of a window, for `distributions`) that counts. Likeness 0 moves nothing,
        but for `probabilities`, where the threshold alone decides.
    texts : sequence of str
        What the topics' words were counted in.
    embeddings : ndarray, shape (n, d)
    words : TopicWords
        The fitted vectoriser and c-TF-IDF; both stay as the topics' cores made them.
    membership : ndarray, shape (n, k)
        For `probabilities` only.

    Returns
    -------
    topics : ndarray of int, shape (n,)
    moved : ndarray of bool, shape (n,)
    """
    moved = np.zeros(len(topics), dtype=bool)
    outliers = np.flatnonzero(topics == -1)
    n_topics = int(topics.max(initial=-1)) + 1
    if strategy == "keep" or not outliers.size or not n_topics:
        return topics.copy(), moved
    chosen = [texts[row] for row in outliers.tolist()]
    if strategy == "c-tf-idf":
        likeness = _cut(words.similarity(chosen), threshold)
    elif strategy == "embeddings":
        likeness = _cut(_to_means(topics, embeddings, outliers, n_topics), threshold)
    elif strategy == "distributions":
        likeness = _by_windows(chosen, words, threshold)
    else:
        assert membership is not None
        likeness = membership[outliers]
    if strategy == "probabilities":
        moves = likeness.max(axis=1) >= threshold
    else:
        moves = likeness.sum(axis=1) > 0
    result = topics.copy()
    result[outliers[moves]] = likeness.argmax(axis=1)[moves]
    moved[outliers[moves]] = True
    logger.info(
        "%d of %d passages in no topic moved to one (%s)", moves.sum(), len(outliers), strategy
    )
    return result, moved


def _cut(similarity: Floats, threshold: float) -> Floats:
    return np.where(similarity < threshold, 0.0, similarity)


def _to_means(
    topics: Integers, embeddings: NDArray[np.float32], outliers: Integers, n_topics: int
) -> Floats:
    """Cosine of each outlier to each topic's mean embedding."""
    means = np.array([embeddings[topics == topic].mean(axis=0) for topic in range(n_topics)])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    rows = embeddings[outliers] / np.linalg.norm(embeddings[outliers], axis=1, keepdims=True)
    return np.asarray(rows @ means.T, dtype=np.float64)


def _by_windows(texts: Sequence[str], words: TopicWords, threshold: float) -> Floats:
    """Sum of each topic's similarity over a text's windows of four words."""
    total = np.zeros((len(texts), words.n_topics))
    for row, text in enumerate(texts):
        tokens = words.tokens(text)
        last = max(1, len(tokens) - WINDOW + 1)
        windows = [" ".join(tokens[start : start + WINDOW]) for start in range(last)]
        total[row] = _cut(words.similarity(windows), threshold).sum(axis=0)
    return total
