"""Planted clusters are found, and the same seed finds the same topics."""

from __future__ import annotations

import logging

import numpy as np
import pandas as pd
import pytest

from biasatlas.tokens import topic_tokens
from biasatlas.topics.model import TopicSettings, fit_topics, smallest_topic

SETTINGS = TopicSettings(
    seed=1,
    n_neighbors=15,
    n_components=3,
    min_cluster_size="auto",
    cluster_selection_method="leaf",
    top_words=5,
    min_passages=50,
    language="en",
)
SUBJECTS = [
    "hospital doctor nurse patient surgery vaccine",
    "election vote ballot candidate parliament coalition",
    "goal striker keeper penalty league stadium",
    "École théâtre élève peinture musée café",
]


def make_clusters() -> tuple[list[str], np.ndarray, np.ndarray]:
    """Four clusters of 40 on the sphere, in mixed order, each with words of its own."""
    rng = np.random.default_rng(0)
    truth = rng.permutation(np.repeat(np.arange(4), 40))
    vectors = np.eye(4, 16)[truth] + rng.normal(scale=0.08, size=(160, 16))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    texts = [" ".join(["The year 2016 said", *rng.permutation(SUBJECTS[k].split())]) for k in truth]
    return texts, vectors.astype(np.float32), truth


@pytest.fixture(scope="module")
def fitted() -> tuple[pd.DataFrame, pd.DataFrame]:
    texts, vectors, _ = make_clusters()
    return fit_topics(texts, vectors, SETTINGS)


def test_the_planted_topics_are_found(fitted):
    assignments, words = fitted
    _, _, truth = make_clusters()
    assert list(assignments.columns) == ["topic", "probability"]
    assert set(assignments["topic"]) - {-1} == {0, 1, 2, 3}
    table = pd.crosstab(assignments["topic"], truth).drop(index=-1, errors="ignore")
    assert ((table > 0).sum(axis=1) == 1).all()
    assert ((table > 0).sum(axis=0) == 1).all()
    assert table.to_numpy().sum() > 140
    assert assignments["probability"].between(0, 1).all()
    assert set(words["topic"]) == {0, 1, 2, 3}


def test_topic_words_are_words_of_the_texts(fitted):
    assignments, words = fitted
    texts, _, _ = make_clusters()
    held = {token for text in texts for token in topic_tokens(text)}
    assert set(words["word"]) <= held
    assert set(words["word"]).isdisjoint({"the", "said", "year", "2016"})
    for topic, group in words.groupby("topic"):
        assert group["rank"].tolist() == [1, 2, 3, 4, 5]
        assert group["weight"].is_monotonic_decreasing
        members = " ".join(np.array(texts)[assignments["topic"] == topic]).lower()
        assert all(word in members for word in group["word"])
    # BERTopic's own cleaning would strip the accents' letters.
    assert set(words["word"]) & {"théâtre", "élève", "musée", "école"}


def test_the_same_seed_gives_the_same_frames(fitted):
    texts, vectors, _ = make_clusters()
    assignments, words = fit_topics(texts, vectors, SETTINGS)
    pd.testing.assert_frame_equal(assignments, fitted[0], check_exact=True)
    pd.testing.assert_frame_equal(words, fitted[1], check_exact=True)


def test_too_few_passages_have_no_topics(caplog):
    texts, vectors, _ = make_clusters()
    assignments, words = fit_topics(texts[:49], vectors[:49], SETTINGS)
    assert assignments["topic"].tolist() == [-1] * 49
    assert assignments["probability"].tolist() == [0.0] * 49
    assert words.empty
    assert list(words.columns) == ["topic", "rank", "word", "weight"]
    assert "49 gendered passages, under 50: no topics" in caplog.text


def test_no_passage_at_all():
    assignments, words = fit_topics([], np.empty((0, 0), np.float32), SETTINGS)
    assert (len(assignments), len(words)) == (0, 0)
    assert assignments["topic"].dtype == "int64"


def test_texts_of_stop_words_have_no_topics(caplog):
    _, vectors, _ = make_clusters()
    with caplog.at_level(logging.WARNING):
        assignments, words = fit_topics(["the year 2016"] * 60, vectors[:60], SETTINGS)
    assert set(assignments["topic"]) == {-1}
    assert words.empty
    assert "no topic words" in caplog.text


@pytest.mark.parametrize(
    ("n", "wanted", "size"), [(50, "auto", 10), (1_099, "auto", 10), (5_311, "auto", 53), (9, 100, 100)]
)  # fmt: skip
def test_smallest_topic(n, wanted, size):
    assert smallest_topic(n, wanted) == size
