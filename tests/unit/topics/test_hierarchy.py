"""How topics join, by hand and against a slow average linkage."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biasatlas.topics.hierarchy import COLUMNS, cosine_distances, topic_hierarchy


def make_words(**topics: str) -> pd.DataFrame:
    """Words from t3="river:2 school:1"."""
    rows = [
        {"topic": int(name[1:]), "word": part.split(":")[0], "weight": float(part.split(":")[1])}
        for name, text in topics.items()
        for part in text.split()
    ]
    return pd.DataFrame(rows, columns=["topic", "word", "weight"])


def test_cosine_distances_by_hand():
    rows = np.array([[2.0, 0.0], [0.0, 3.0], [-1.0, 0.0], [3.0, 4.0]])
    expected = [[0, 1, 2, 0.4], [1, 0, 1, 0.2], [2, 1, 0, 1.6], [0.4, 0.2, 1.6, 0]]
    assert cosine_distances(rows) == pytest.approx(np.array(expected))


def test_three_topics_by_hand():
    means = {
        9: np.array([1.0, 0.0, 0.0]),
        2: np.array([0.0, 0.0, 1.0]),
        5: np.array([0.8, 0.6, 0.0]),
    }
    words = make_words(t9="goal:3 match:1", t5="match:2.5 river:1", t2="river:1 school:9")
    tree, order = topic_hierarchy(means, words, top_words=3)
    assert list(tree.columns) == list(COLUMNS)
    # Numbers go on from the largest topic.
    assert tree["node"].tolist() == [10, 11]
    assert tree["distance"].tolist() == pytest.approx([0.2, 1.0])
    assert {tree["left"][0], tree["right"][0]} == {9, 5}
    assert {tree["left"][1], tree["right"][1]} == {10, 2}
    assert sorted(tree["topics"][0]) == [5, 9]
    # match 3.5, goal 3, river 1; then school 9, match 3.5, goal 3.
    assert list(tree["words"]) == [["match", "goal", "river"], ["school", "match", "goal"]]
    assert order["topic"].tolist() == tree["topics"].iloc[-1]
    assert order["position"].tolist() == [0, 1, 2]


def test_equal_sums_are_in_the_order_of_the_alphabet():
    means = {0: np.array([1.0, 0.0]), 1: np.array([0.0, 1.0])}
    tree, _ = topic_hierarchy(means, make_words(t0="river:1 zebra:0.3", t1="goal:1 zebra:0.7"))
    assert tree["words"][0] == ["goal", "river", "zebra"]


@pytest.mark.parametrize("topics", [[], [4]])
def test_no_join_without_two_topics(topics):
    tree, order = topic_hierarchy({topic: np.ones(3) for topic in topics}, make_words())
    assert len(tree) == 0
    assert list(tree.columns) == list(COLUMNS)
    assert order["topic"].tolist() == topics
    assert order["position"].tolist() == list(range(len(topics)))


def slow_average(means: dict[int, np.ndarray]) -> list[tuple[frozenset[int], float]]:
    """Join the two groups whose topics are nearest on average, until one is left."""
    groups = [frozenset({topic}) for topic in sorted(means)]

    def distance(one: frozenset[int], other: frozenset[int]) -> float:
        pairs = [(means[a], means[b]) for a in one for b in other]
        return float(np.mean([1 - a @ b / np.linalg.norm(a) / np.linalg.norm(b) for a, b in pairs]))

    joins = []
    while len(groups) > 1:
        options = [(distance(a, b), a, b) for k, a in enumerate(groups) for b in groups[:k]]
        best, a, b = min(options, key=lambda option: option[0])
        groups = [group for group in groups if group not in (a, b)] + [a | b]
        joins.append((a | b, best))
    return joins


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 9), st.integers(0, 10**6))
def test_joins_equal_a_slow_reference(n, seed):
    rng = np.random.default_rng(seed)
    means = {int(topic): rng.normal(size=4) for topic in rng.permutation(30)[:n]}
    tree, order = topic_hierarchy(means, make_words())
    expected = slow_average(means)
    assert [frozenset(topics) for topics in tree["topics"]] == [group for group, _ in expected]
    assert tree["distance"].tolist() == pytest.approx([d for _, d in expected], abs=1e-8)
    assert (np.diff(tree["distance"]) >= -1e-12).all()
    # Every group is drawn without a gap, its left part first.
    position = dict(zip(order["topic"], order["position"], strict=True))
    assert sorted(position) == sorted(means)
    parts = {topic: [topic] for topic in means}
    for row in tree.to_dict("records"):
        assert row["topics"] == parts[row["left"]] + parts[row["right"]]
        parts[row["node"]] = row["topics"]
        places = [position[topic] for topic in row["topics"]]
        assert places == list(range(places[0], places[0] + len(places)))


def test_the_order_of_topics_and_words_changes_nothing():
    rng = np.random.default_rng(3)
    means = {topic: rng.normal(size=5) for topic in range(8)}
    words = pd.DataFrame(
        [(t, f"word{w}", float(rng.random())) for t in means for w in rng.permutation(9)[:4]],
        columns=["topic", "word", "weight"],
    )
    tree, order = topic_hierarchy(means, words)
    turned = dict(reversed(list(means.items())))
    again, order_again = topic_hierarchy(turned, words.sample(frac=1, random_state=1))
    pd.testing.assert_frame_equal(again, tree)
    pd.testing.assert_frame_equal(order_again, order)
