"""BERTopic on gendered passages, the same topics for the same seed."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from biasatlas.tokens import stop_words, topic_tokens
from biasatlas.topics.clusters import (
    ClusterSettings,
    cluster,
    content_order,
    smallest_topic,
)
from biasatlas.topics.outliers import reduce_outliers

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

__all__ = ["TopicSettings", "TopicWords", "fit_topics", "smallest_topic", "usable_rows"]
logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class TopicSettings(ClusterSettings):
    """Settings of the topic model; the configuration's page says what each does."""

    language: str
    top_words: int = 10
    min_passages: int = 50
    outliers: str = "keep"
    outlier_threshold: float = 0.0


def fit_topics(
    texts: Sequence[str],
    embeddings: NDArray[np.float32],
    settings: TopicSettings,
    *,
    ids: Sequence[str] | None = None,
    word_texts: Sequence[str] | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Cluster passages into topics and find each topic's words.

    Neither the order of the rows nor their ids change the topics: they are clustered in the
    order of their content's hash. Passages without a topic word (see `usable_rows`) are left out:
    they are in no topic, and no outlier strategy moves them.

    Parameters
    ----------
    texts : sequence of str
        Passages as they are; they decide the order.
    embeddings : ndarray, shape (n, d)
        One row a passage.
    settings : TopicSettings
        `min_passages` counts the passages that hold a topic word.
    ids : sequence of str, optional
        Tell passages of the same text apart.
    word_texts : sequence of str, optional
        Texts that topic words are counted in, the passages with gender terms hidden, say;
        `texts` without it.

    Returns
    -------
    assignments : DataFrame
        `topic`, the passage's `probability` of its own topic, `moved` (was in no topic, put into
        one by the outlier strategy; its probability stays 0); one row a passage, in the order
        given. Topic 0 is the largest, -1 holds the passages that no topic took.
    words : DataFrame
        `topic`, `rank` (from 1), `word`, `weight` (c-TF-IDF), without topic -1; of the passages
        that HDBSCAN put there, not of those moved. Every topic has a word.
    """
    counted = texts if word_texts is None else word_texts
    chosen = usable_rows(texts, counted, settings.language, ids)
    assignments, words = _no_topics(len(texts))
    if len(chosen) < settings.min_passages:
        logger.warning(
            "%d gendered passages, under %d: no topics", len(chosen), settings.min_passages
        )
        return assignments, words
    rows = np.ascontiguousarray(embeddings[chosen])
    found, words = _fit(rows, [counted[row] for row in chosen.tolist()], settings)
    for name in assignments:
        values = assignments[name].to_numpy(copy=True)
        values[chosen] = found[name]
        assignments[name] = values
    return assignments, words


def usable_rows(
    texts: Sequence[str],
    word_texts: Sequence[str],
    language: str,
    ids: Sequence[str] | None = None,
) -> NDArray[np.int64]:
    """Rows that may be in a topic, in the order that clustering sees (`content_order`).

    A text that holds no topic word, only stop words and numbers or nothing at all once gender
    terms are hidden, says nothing of a subject. Such texts have nearly one embedding, and would
    be a dense cluster that no word describes.

    Parameters
    ----------
    texts, word_texts, ids
        As in `fit_topics`; words are looked for in `word_texts`.
    language : str
    """
    order = content_order(texts, ids)
    stop = stop_words(language)
    usable = np.array([bool(_tokens(text, language, stop)) for text in word_texts], dtype=bool)
    chosen = order[usable[order]]
    if len(chosen) < len(order):
        logger.info(
            "%d passages hold no topic word: left out of the topics", len(order) - len(chosen)
        )
    return chosen


def _tokens(text: str, language: str, stop: frozenset[str]) -> list[str]:
    return [token for token in topic_tokens(text, language) if token not in stop]


def _fit(
    rows: NDArray[np.float32],
    texts: Sequence[str],
    settings: TopicSettings,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Assignments and words of rows in the order of content, each of which holds a topic word."""
    import pandas as pd

    n = len(rows)
    found = cluster(rows, settings, membership=settings.outliers == "probabilities")
    try:
        # Each row holds a word, so each topic does.
        words = TopicWords(texts, found.labels, settings.language)
    except ValueError as error:
        # There are no words to tell topics apart with when every passage has the same one.
        if "empty vocabulary" not in str(error):
            raise
        logger.warning("no topic words in %d passages: %s", n, error)
        return _no_topics(n)
    topics, moved = reduce_outliers(
        found.labels,
        settings.outliers,
        settings.outlier_threshold,
        texts=texts,
        embeddings=rows,
        words=words,
        membership=found.membership,
    )
    outliers = [float((labels == -1).mean()) for labels in (found.labels, topics)]
    logger.info("%d topics in %d passages, %.0f%% in none", words.n_topics, n, 100 * outliers[0])
    if moved.any():
        logger.info("%.0f%% in none after the outlier strategy", 100 * outliers[1])
    assignments = pd.DataFrame(
        {"topic": topics, "probability": found.probabilities, "moved": moved}
    )
    return assignments, words.top(settings.top_words)


def load_class_tfidf() -> Any:
    """BERTopic's class ClassTfidfTransformer, from its own file alone.

    Importing the package loads every encoder that it knows, torch among them: some seconds and
    300 MB in each job that only wants words. Where the file is elsewhere in another version, the
    package is imported.
    """
    from importlib.util import find_spec, module_from_spec, spec_from_file_location

    package = find_spec("bertopic")
    for folder in (package and package.submodule_search_locations) or ():
        file = Path(folder) / "vectorizers" / "_ctfidf.py"
        spec = (
            spec_from_file_location("biasatlas_bertopic_ctfidf", file) if file.is_file() else None
        )
        if spec is not None and spec.loader is not None:
            module = module_from_spec(spec)
            spec.loader.exec_module(module)
            return module.ClassTfidfTransformer
    from bertopic.vectorizers import ClassTfidfTransformer

    return ClassTfidfTransformer


class TopicWords:
    """Words of topics by BERTopic's c-TF-IDF.

    BERTopic as a whole would also pick representative passages, which takes longer than all the
    words and is used nowhere here; tests hold words and weights to it.

    Parameters
    ----------
    texts : sequence of str
    topics : ndarray of int, shape (n,)
        0 to k - 1, or -1: the passages of no topic are a class of their own, as in BERTopic.
    language : str

    Raises
    ------
    ValueError
        "empty vocabulary" when no text has a word, or all have the same one, which sets no topic
        apart (and which BERTopic's transformer cannot weigh).
    """

    def __init__(self, texts: Sequence[str], topics: NDArray[np.int64], language: str) -> None:
        from scipy.sparse import csr_matrix
        from sklearn.feature_extraction.text import CountVectorizer

        self._language = language
        self._stop = stop_words(language)
        # BERTopic's own cleaning of English strips every character outside a-z and makes words
        # that no passage holds, so texts are counted by our tokens.
        self._vectorizer: Any = CountVectorizer(analyzer=self.tokens, min_df=1)
        counts = self._vectorizer.fit_transform(texts)
        if counts.shape[1] < 2:
            raise ValueError("empty vocabulary; one word sets no topic apart")
        classes, column = np.unique(topics, return_inverse=True)
        self._n_outlier_classes = int(classes[0] == -1)
        self.n_topics = len(classes) - self._n_outlier_classes
        sums = csr_matrix((np.ones(len(topics)), (column, np.arange(len(topics))))) @ counts
        self._weigher: Any = load_class_tfidf()().fit(sums)
        self._table: Any = self._weigh(sums)[self._n_outlier_classes :]

    def _weigh(self, counts: Any) -> Any:
        """c-TF-IDF of rows of counts."""
        from scipy.sparse import csr_matrix

        return csr_matrix(self._weigher.transform(counts))

    def tokens(self, text: str) -> list[str]:
        """Tokens that count, stop words left out."""
        return _tokens(text, self._language, self._stop)

    def similarity(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Cosine of texts to topics in c-TF-IDF, shape (n_texts, n_topics)."""
        from sklearn.metrics.pairwise import cosine_similarity

        counts = self._vectorizer.transform(texts).astype(np.float64)
        return np.asarray(cosine_similarity(self._weigh(counts), self._table))

    def top(self, n: int) -> pd.DataFrame:
        """The n words of most weight of each topic: topic, rank, word, weight."""
        import pandas as pd

        vocabulary = self._vectorizer.get_feature_names_out()
        rows = []
        for topic in range(self.n_topics):
            start, end = self._table.indptr[topic : topic + 2]
            columns, weights = self._table.indices[start:end], self._table.data[start:end]
            # The vocabulary is sorted, so of equal weights the first in the alphabet leads.
            for rank, one in enumerate(np.lexsort((columns, -weights))[:n], start=1):
                rows.append((topic, rank, vocabulary[columns[one]], float(weights[one])))
        return _words_frame(pd.DataFrame(rows, columns=["topic", "rank", "word", "weight"]))


def _words_frame(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.astype({"topic": "int64", "rank": "int64", "word": "str", "weight": "float64"})


def _no_topics(n: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    import pandas as pd

    nothing = pd.DataFrame(
        {
            "topic": np.full(n, -1, dtype=np.int64),
            "probability": np.zeros(n, dtype=np.float64),
            "moved": np.zeros(n, dtype=bool),
        }
    )
    words = pd.DataFrame({"topic": [], "rank": [], "word": [], "weight": []})
    return nothing, _words_frame(words)
