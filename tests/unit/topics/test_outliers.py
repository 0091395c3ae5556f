"""Outliers move where BERTopic would move them."""

from __future__ import annotations

import numpy as np
import pytest

from biasatlas.topics.model import TopicWords
from biasatlas.topics.outliers import reduce_outliers

WORDS = ["hospital doctor nurse", "election vote ballot", "goal striker keeper"]


def make_case() -> tuple[list[str], np.ndarray, np.ndarray]:
    """Three topics of distinct words and directions, and twelve passages between them."""
    rng = np.random.default_rng(6)
    vocabulary = [some.split() for some in WORDS]
    texts, rows = [], []
    for topic in range(3):
        for _ in range(20):
            texts.append(" ".join(rng.choice(vocabulary[topic], 6)))
            rows.append(np.eye(3)[topic] + rng.normal(scale=0.05, size=3))
    for _ in range(12):
        mixed = rng.integers(0, 3, 7)
        texts.append(" ".join(rng.choice(vocabulary[topic]) for topic in mixed))
        rows.append(np.bincount(mixed, minlength=3) + rng.normal(scale=0.05, size=3))
    texts[-1], rows[-1] = "unheard strange", -np.ones(3)
    topics = np.repeat([0, 1, 2, -1], [20, 20, 20, 12])
    return texts, np.array(rows, dtype=np.float32), topics


@pytest.fixture(scope="module")
def bertopic():
    from bertopic import BERTopic
    from bertopic.cluster import BaseCluster
    from bertopic.dimensionality import BaseDimensionalityReduction
    from sklearn.feature_extraction.text import CountVectorizer

    texts, embeddings, topics = make_case()
    model = BERTopic(
        language="multilingual",
        umap_model=BaseDimensionalityReduction(),
        hdbscan_model=BaseCluster(),
        vectorizer_model=CountVectorizer(),
    )
    model.fit(texts, embeddings, y=topics)
    # BERTopic numbers equal sizes as it likes.
    names = [model.topics_[20 * topic] for topic in range(3)]
    return model, {name: topic for topic, name in enumerate(names)} | {-1: -1}


@pytest.mark.parametrize("strategy", ["c-tf-idf", "embeddings", "distributions"])
@pytest.mark.parametrize("threshold", [0.0, 0.5, 0.8])
def test_the_same_as_bertopic(bertopic, strategy, threshold):
    model, names = bertopic
    texts, embeddings, topics = make_case()
    expected = model.reduce_outliers(
        texts, model.topics_, strategy=strategy, threshold=threshold, embeddings=embeddings
    )
    found, moved = reduce_outliers(
        topics,
        strategy,
        threshold,
        texts=texts,
        embeddings=embeddings,
        words=TopicWords(texts, topics, "und"),
    )
    assert found.tolist() == [names[int(one)] for one in expected]
    assert moved.tolist() == ((topics == -1) & (found != -1)).tolist()
    # A passage of unknown words pointing away from every topic stays where it is.
    assert found[-1] == -1


def test_probabilities_move_where_soft_clustering_reaches_the_threshold():
    texts, embeddings, topics = make_case()
    membership = np.zeros((72, 3))
    membership[60:] = [0.1, 0.5, 0.2]
    membership[61] = [0.6, 0.1, 0.2]
    membership[62] = [0.3, 0.3, 0.3]
    found, moved = reduce_outliers(
        topics,
        "probabilities",
        0.5,
        texts=texts,
        embeddings=embeddings,
        words=TopicWords(texts, topics, "und"),
        membership=membership,
    )
    assert found[60:63].tolist() == [1, 0, -1]
    assert moved[:63].tolist() == [False] * 60 + [True, True, False]
    assert found[:60].tolist() == topics[:60].tolist()


def test_keep_moves_nothing_and_no_topic_takes_nothing():
    texts, embeddings, topics = make_case()
    words = TopicWords(texts, topics, "und")
    given = {"texts": texts, "embeddings": embeddings, "words": words}
    found, moved = reduce_outliers(topics, "keep", 0.0, **given)
    assert found.tolist() == topics.tolist()
    assert not moved.any()
    none = np.full(72, -1)
    found, moved = reduce_outliers(none, "embeddings", 0.0, **given)
    assert found.tolist() == none.tolist()
    assert not moved.any()
