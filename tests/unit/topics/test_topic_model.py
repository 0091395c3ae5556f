"""Planted clusters are found, and the same seed finds the same topics."""

from __future__ import annotations

import logging
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from biasatlas.tokens import topic_tokens
from biasatlas.topics.clusters import content_order
from biasatlas.topics.model import (
    TopicSettings,
    TopicWords,
    fit_topics,
    smallest_topic,
    usable_rows,
)
from biasatlas.topics.outliers import STRATEGIES

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
    assert list(assignments.columns) == ["topic", "probability", "moved"]
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
    with caplog.at_level(logging.INFO):
        assignments, words = fit_topics(["the year 2016"] * 60, vectors[:60], SETTINGS)
    assert set(assignments["topic"]) == {-1}
    assert words.empty
    assert "60 passages hold no topic word" in caplog.text
    assert "0 gendered passages, under 50: no topics" in caplog.text


def test_texts_of_one_word_have_no_topics(caplog):
    _, vectors, _ = make_clusters()
    assignments, words = fit_topics(["the doctor"] * 60, vectors[:60], SETTINGS)
    assert set(assignments["topic"]) == {-1}
    assert words.empty
    assert "no topic words in 60 passages" in caplog.text


# Nothing, stop words, numbers, words too short for a topic, and signs.
WORDLESS = ["", "  ", "the year said", "2016 12", "a b 3x", "- , .", "She said the"]


def add_wordless(share: float) -> tuple[list[str], list[str], np.ndarray, np.ndarray]:
    """The planted clusters and texts, visible and masked, that hold no word in the masked view.

    Those lie in one point, but for a part that lies within a planted cluster.
    """
    texts, vectors, _ = make_clusters()
    k = round(share * len(texts))
    rng = np.random.default_rng(4)
    point = np.zeros((k, 16), np.float32)
    point[:, 9] = 1
    point[::5] = vectors[rng.integers(0, len(texts), len(point[::5]))]
    shown = [*texts, *[f"The sister 2016 {'x' * row}" for row in range(k)]]
    masked = [*texts, *[WORDLESS[row % len(WORDLESS)] for row in range(k)]]
    order = rng.permutation(len(shown))
    return (
        [shown[row] for row in order],
        [masked[row] for row in order],
        np.vstack([vectors, point])[order],
        order >= len(texts),
    )


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("share", [0.05, 0.5, 1.5])
def test_texts_without_a_topic_word_change_no_topic(strategy, share, caplog):
    """Whatever they are, and however many: the rest has the topics that it has alone."""
    shown, masked, vectors, wordless = add_wordless(share)
    settings = replace(SETTINGS, outliers=strategy)
    with caplog.at_level(logging.INFO):
        assignments, words = fit_topics(shown, vectors, settings, word_texts=masked)
    assert f"{wordless.sum()} passages hold no topic word" in caplog.text
    left_out = assignments[wordless]
    assert (left_out["topic"] == -1).all()
    assert (left_out["probability"] == 0).all()
    assert not left_out["moved"].any()
    kept = np.flatnonzero(~wordless)
    alone, same = fit_topics([shown[row] for row in kept], vectors[kept], settings)
    pd.testing.assert_frame_equal(assignments.iloc[kept].reset_index(drop=True), alone)
    pd.testing.assert_frame_equal(words, same, check_exact=True)
    # Every topic has words, and numbers have no gaps.
    assert set(words["topic"]) == set(assignments["topic"]) - {-1} == {0, 1, 2, 3}


def test_words_are_asked_of_the_texts_that_topics_are_counted_in():
    shown, masked, vectors, wordless = add_wordless(0.5)
    by_masked = usable_rows(shown, masked, "en")
    assert sorted(by_masked) == np.flatnonzero(~wordless).tolist()
    assert sorted(usable_rows(shown, shown, "en")) == list(range(len(shown)))
    order = content_order(shown)
    assert by_masked.tolist() == order[~wordless[order]].tolist()
    # Without texts of their own the passages' are asked.
    assignments, _ = fit_topics(masked, vectors, SETTINGS)
    assert (assignments["topic"][wordless] == -1).all()


def test_the_least_number_of_passages_counts_those_with_a_word(caplog):
    shown, masked, vectors, _ = add_wordless(0.5)
    some, _ = fit_topics(shown, vectors, replace(SETTINGS, min_passages=160), word_texts=masked)
    assert some["topic"].max() == 3
    none, _ = fit_topics(shown, vectors, replace(SETTINGS, min_passages=161), word_texts=masked)
    assert set(none["topic"]) == {-1}
    assert "160 gendered passages, under 161: no topics" in caplog.text


@pytest.mark.parametrize(
    ("n", "wanted", "size"), [(50, "auto", 10), (1_099, "auto", 10), (5_311, "auto", 53), (9, 100, 100)]
)  # fmt: skip
def test_smallest_topic(n, wanted, size):
    assert smallest_topic(n, wanted) == size


def test_neither_the_order_of_rows_nor_their_ids_change_a_topic(fitted):
    texts, vectors, _ = make_clusters()
    # Texts of six words are told apart, so that ids do not decide.
    texts = [f"{text} {'x' * row}" for row, text in enumerate(texts)]
    names = [f"p{row}" for row in range(len(texts))]
    assignments, words = fit_topics(texts, vectors, SETTINGS, ids=names)
    order = np.random.default_rng(5).permutation(len(texts))
    shuffled, again = fit_topics(
        [texts[row] for row in order],
        vectors[order],
        SETTINGS,
        ids=[f"q{row}" for row in range(len(texts))],
    )
    pd.testing.assert_frame_equal(
        assignments.iloc[order].reset_index(drop=True), shuffled, check_exact=True
    )
    pd.testing.assert_frame_equal(words, again, check_exact=True)


def test_topics_are_numbered_by_size(fitted):
    sizes = fitted[0]["topic"].value_counts().drop(-1, errors="ignore").sort_index()
    assert sizes.is_monotonic_decreasing


def test_words_are_counted_in_the_texts_given_for_them(fitted):
    texts, vectors, _ = make_clusters()
    hidden = [re.sub("doctor|vote", "", text) for text in texts]
    assignments, words = fit_topics(texts, vectors, SETTINGS, word_texts=hidden)
    pd.testing.assert_frame_equal(assignments, fitted[0], check_exact=True)
    assert set(words["word"]).isdisjoint({"doctor", "vote"})
    assert {"doctor", "vote"} <= set(
        fit_topics(texts, vectors, replace(SETTINGS, top_words=6))[1].word
    )


def test_words_and_weights_are_those_of_bertopic():
    """BERTopic itself, with the same clusters and the same tokens."""
    from bertopic import BERTopic
    from bertopic.cluster import BaseCluster
    from bertopic.dimensionality import BaseDimensionalityReduction
    from sklearn.feature_extraction.text import CountVectorizer

    rng = np.random.default_rng(3)
    vocabulary = [f"{a}{b}{c}" for a in "bdf" for b in "aei" for c in "klmn"]
    draws = rng.zipf(1.5, size=(90, 12)) % len(vocabulary)
    texts = [" ".join(vocabulary[one] for one in row) for row in draws]
    topics = np.repeat([0, 1, 2, -1], [30, 25, 20, 15])
    reference = BERTopic(
        language="multilingual",
        umap_model=BaseDimensionalityReduction(),
        hdbscan_model=BaseCluster(),
        vectorizer_model=CountVectorizer(),
        top_n_words=8,
    )
    reference.fit(texts, rng.normal(size=(90, 4)), y=topics)
    words = TopicWords(texts, topics, "und").top(8)
    for topic in range(3):
        expected = dict(reference.get_topic(topic))
        found = words[words["topic"] == topic]
        assert found["weight"].tolist() == pytest.approx(sorted(expected.values())[::-1])
        assert set(found["word"][:5]) <= set(expected)


def test_a_moved_outlier_is_marked_and_changes_no_word():
    texts, vectors, _ = make_clusters()
    rng = np.random.default_rng(8)
    stray = rng.normal(size=(60, 16)).astype(np.float32)
    vectors = np.vstack([vectors, stray / np.linalg.norm(stray, axis=1, keepdims=True)])
    texts = [*texts, *["hospital vaccine said"] * 60]
    kept, words = fit_topics(texts, vectors, SETTINGS)
    assert (kept["topic"] == -1).any()
    assert not kept["moved"].any()
    for strategy in ("c-tf-idf", "embeddings", "distributions", "probabilities"):
        reduced, same = fit_topics(texts, vectors, replace(SETTINGS, outliers=strategy))
        pd.testing.assert_frame_equal(same, words, check_exact=True)
        assert reduced["moved"].any()
        assert (kept["topic"][reduced["moved"]] == -1).all()
        assert (reduced["topic"][reduced["moved"]] >= 0).all()
        stayed = ~reduced["moved"]
        assert reduced["topic"][stayed].tolist() == kept["topic"][stayed].tolist()
        assert reduced["probability"].tolist() == kept["probability"].tolist()


def test_content_order_follows_the_text_then_the_id():
    texts = ["b", "a", "b", "c"]
    order = content_order(texts, ["3", "1", "2", "0"])
    listed = [texts[row] for row in order]
    # Equal texts stand together, the smaller id first.
    assert order.tolist().index(2) + 1 == order.tolist().index(0)
    assert sorted(listed) == ["a", "b", "b", "c"]
    other = content_order(["c", "b", "a"])
    assert [["c", "b", "a"][row] for row in other] == [one for one in dict.fromkeys(listed)]


def test_one_word_alone_is_no_vocabulary():
    with pytest.raises(ValueError, match="empty vocabulary"):
        TopicWords(["doctor doctor", "doctor"], np.array([0, -1]), "en")


def test_the_weights_come_from_bertopic_without_its_encoders():
    """In a process of its own, since other tests load BERTopic whole."""
    import subprocess
    import sys

    code = (
        "import sys; from biasatlas.topics.model import load_class_tfidf as f; c = f(); "
        "print(c.__name__, 'torch' in sys.modules, 'bertopic._bertopic' in sys.modules); "
        "from bertopic.vectorizers import ClassTfidfTransformer as b; "
        "print(c.fit.__code__.co_filename == b.fit.__code__.co_filename)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["ClassTfidfTransformer", "False", "False", "True"]
