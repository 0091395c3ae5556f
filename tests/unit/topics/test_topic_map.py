"""Topics as points of a plane."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from biasatlas.topics.topic_map import classical_scaling, map_topics


def named(n: int) -> pd.DataFrame:
    return pd.DataFrame({"region": ["b", "a"] * (n // 2) + ["a"] * (n % 2), "topic": range(n)})


def test_classical_scaling_gives_back_places_of_a_plane() -> None:
    points = np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    found = classical_scaling(distances)
    again = np.linalg.norm(found[:, None] - found[None], axis=2)
    np.testing.assert_allclose(again, distances, atol=1e-9)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 15])
def test_few_topics_are_scaled_and_lie_in_the_square(n: int) -> None:
    vectors = np.random.default_rng(0).normal(size=(n, 8)) if n else np.empty((0, 0))
    places = map_topics(named(n), vectors)
    assert len(places) == n
    assert places[["x", "y"]].apply(lambda s: s.between(0, 1)).all(axis=None)
    if n:
        assert set(places["map_method"]) == {"mds"}
    if n > 1:
        assert max(np.ptp(places["x"]), np.ptp(places["y"])) == pytest.approx(1)


def test_groups_stay_together_whatever_the_order_of_rows() -> None:
    rng = np.random.default_rng(1)
    centres = 4 * np.eye(3, 12)
    vectors = np.repeat(centres, 10, axis=0) + rng.normal(scale=0.3, size=(30, 12))
    topics = pd.DataFrame({"region": ["a"] * 30, "topic": range(30)})
    places = map_topics(topics, vectors, seed=3)
    assert set(places["map_method"]) == {"umap"}
    points = places[["x", "y"]].to_numpy().reshape(3, 10, 2)
    spread = np.linalg.norm(points - points.mean(axis=1, keepdims=True), axis=2).max()
    means = points.mean(axis=1)
    apart = min(np.linalg.norm(means[i] - means[j]) for i, j in ((0, 1), (0, 2), (1, 2)))
    assert apart > spread
    shuffled = rng.permutation(30)
    again = map_topics(topics.iloc[shuffled], vectors[shuffled], seed=3)
    pd.testing.assert_frame_equal(again, places)


def test_equal_topics_lie_in_the_middle() -> None:
    places = map_topics(named(3), np.ones((3, 4)))
    assert places[["x", "y"]].to_numpy().tolist() == [[0.5, 0.5]] * 3
