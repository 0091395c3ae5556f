"""BERTopic on gendered passages, the same topics for the same seed."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from biasatlas.tokens import stop_words, topic_tokens

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class TopicSettings:
    """Settings of the topic model; the configuration's page says what each does."""

    seed: int
    n_neighbors: int
    n_components: int
    min_cluster_size: int | str
    cluster_selection_method: str
    top_words: int
    min_passages: int
    language: str


def fit_topics(
    texts: Sequence[str], embeddings: NDArray[np.float32], settings: TopicSettings
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Cluster passages into topics and find each topic's words.

    Parameters
    ----------
    texts : sequence of str
        Passages sorted by id: the order of rows moves topics as much as another seed.
    embeddings : ndarray, shape (n, d)
        One row a passage.
    settings : TopicSettings

    Returns
    -------
    assignments : DataFrame
        `topic` and the passage's probability of its own topic, one row a passage; topic -1
        holds the passages that no topic took.
    words : DataFrame
        `topic`, `rank` (from 1), `word`, `weight` (c-TF-IDF), without topic -1.
    """
    import pandas as pd

    n = len(texts)
    if n < settings.min_passages:
        logger.warning("%d gendered passages, under %d: no topics", n, settings.min_passages)
        return _no_topics(n)
    model = _build(n, settings)
    try:
        topics, probabilities = model.fit_transform(list(texts), embeddings)
    except ValueError as error:
        # BERTopic has no words to describe when every passage is an outlier or of stop words.
        if "empty vocabulary" not in str(error):
            raise
        logger.warning("no topic words in %d passages: %s", n, error)
        return _no_topics(n)
    assignments = pd.DataFrame(
        {"topic": np.asarray(topics, dtype=np.int64), "probability": _own(probabilities, n)}
    )
    rows = [
        {"topic": topic, "rank": rank, "word": word, "weight": float(weight)}
        for topic in sorted(set(topics) - {-1})
        for rank, (word, weight) in enumerate(model.get_topic(topic), start=1)
        if word
    ]
    words = pd.DataFrame(rows, columns=["topic", "rank", "word", "weight"])
    found = assignments["topic"].nunique() - int((assignments["topic"] == -1).any())
    outliers = float((assignments["topic"] == -1).mean())
    logger.info("%d topics in %d passages, %.0f%% in none", found, n, 100 * outliers)
    return assignments, words


def _no_topics(n: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    import pandas as pd

    nothing = pd.DataFrame(
        {"topic": np.full(n, -1, dtype=np.int64), "probability": np.zeros(n, dtype=np.float64)}
    )
    words = pd.DataFrame({"topic": [], "rank": [], "word": [], "weight": []}).astype(
        {"topic": "int64", "rank": "int64", "word": "str", "weight": "float64"}
    )
    return nothing, words


def _own(probabilities: Any, n: int) -> NDArray[np.float64]:
    return np.zeros(n) if probabilities is None else np.asarray(probabilities, dtype=np.float64)


def smallest_topic(n: int, wanted: int | str) -> int:
    """Smallest cluster size for n passages: as configured, or max(10, n / 100)."""
    return max(10, n // 100) if wanted == "auto" else int(wanted)


def _build(n: int, settings: TopicSettings) -> Any:
    from bertopic import BERTopic
    from hdbscan import HDBSCAN
    from sklearn.feature_extraction.text import CountVectorizer
    from umap import UMAP

    umap = UMAP(
        n_neighbors=min(settings.n_neighbors, n - 1),
        n_components=settings.n_components,
        min_dist=0.0,
        metric="cosine",
        random_state=settings.seed,
        n_jobs=1,
    )
    # A custom HDBSCAN makes BERTopic ignore its own min_topic_size, so the size stands here.
    hdbscan = HDBSCAN(
        min_cluster_size=smallest_topic(n, settings.min_cluster_size),
        cluster_selection_method=settings.cluster_selection_method,
        metric="euclidean",
        core_dist_n_jobs=1,
        prediction_data=False,
    )
    stop = stop_words(settings.language)
    vectorizer = CountVectorizer(
        tokenizer=lambda text: [word for word in topic_tokens(text) if word not in stop],
        token_pattern=None,
        lowercase=False,
        min_df=1,
    )
    return BERTopic(
        # English would strip every character outside a-z and make words no passage holds.
        language="multilingual",
        umap_model=umap,
        hdbscan_model=hdbscan,
        vectorizer_model=vectorizer,
        top_n_words=settings.top_words,
        calculate_probabilities=False,
        verbose=False,
    )
