"""The clustering step: planted clusters, few rows, its settings, and soft clustering."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from biasatlas.topics.clusters import (
    ClusterSettings,
    _find_clusters,
    cluster,
    reduce_dimensions,
)
from biasatlas.topics.neighbours import exact_neighbours

SETTINGS = ClusterSettings(seed=1, n_components=3)


def blobs(sizes: list[int], spread: float = 0.05, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    rows = np.eye(len(sizes), 12)[truth] + rng.normal(scale=spread, size=(len(truth), 12))
    return rows.astype(np.float32), truth


def test_planted_clusters_are_found_and_numbered_by_size():
    rows, truth = blobs([30, 70, 50])
    found = cluster(rows, SETTINGS)
    assert found.labels.dtype == np.int64
    sizes = np.bincount(found.labels[found.labels >= 0])
    assert sizes.tolist() == sorted(sizes, reverse=True)
    assert len(sizes) == 3
    for label, planted in ((0, 1), (1, 2), (2, 0)):
        assert (truth[found.labels == label] == planted).all()
    assert (found.probabilities[found.labels == -1] == 0).all()
    assert (found.probabilities[found.labels >= 0] > 0).all()


@pytest.mark.parametrize("n", range(2, 31))
@pytest.mark.parametrize("components", [2, 5])
def test_any_number_of_rows(n, components):
    """No error from two rows on, and finite coordinates wherever UMAP is asked."""
    rows = np.random.default_rng(n).normal(size=(n, 8)).astype(np.float32)
    settings = ClusterSettings(seed=0, n_components=components, min_cluster_size=2)
    found = cluster(rows, settings)
    assert found.labels.shape == found.probabilities.shape == (n,)
    assert found.labels.min() >= -1
    if n < 4:
        assert (found.labels == -1).all()


def test_copies_of_one_row_have_finite_coordinates():
    rows = np.ones((40, 8), dtype=np.float32)
    assert np.isfinite(reduce_dimensions(rows, SETTINGS, 0)).all()


def test_fewer_rows_than_two_topics_have_none():
    rows, _ = blobs([10, 9], spread=0.01)
    assert (cluster(rows, SETTINGS).labels == -1).all()
    more, _ = blobs([10, 10], spread=0.01)
    assert set(cluster(more, replace(SETTINGS, min_samples=1)).labels) - {-1} == {0, 1}


def test_hdbscan_itself_finds_nothing_where_we_do_not_ask_it():
    from hdbscan import HDBSCAN

    rows, _ = blobs([10, 9], spread=0.01)
    assert (
        HDBSCAN(min_cluster_size=10, min_samples=1, core_dist_n_jobs=1).fit(rows).labels_ == -1
    ).all()


def test_known_neighbours_change_nothing():
    rows, _ = blobs([40, 40])
    alone = cluster(rows, SETTINGS)
    told = cluster(rows, SETTINGS, neighbours=exact_neighbours(rows, 40))
    assert told.labels.tolist() == alone.labels.tolist()
    assert told.probabilities.tolist() == alone.probabilities.tolist()


def test_seed_and_settings_reach_umap_and_hdbscan():
    rows, _ = blobs([40, 60])
    base = reduce_dimensions(rows, SETTINGS, 3)
    assert base.shape == (100, 3)
    assert np.array_equal(base, reduce_dimensions(rows, SETTINGS, 3))
    for other in (
        reduce_dimensions(rows, SETTINGS, 4),
        reduce_dimensions(rows, replace(SETTINGS, min_dist=0.5), 3),
        reduce_dimensions(rows, replace(SETTINGS, n_neighbors=5), 3),
        reduce_dimensions(rows, replace(SETTINGS, metric="euclidean"), 3),
    ):
        assert other.shape == base.shape
        assert not np.array_equal(base, other)
    assert (cluster(rows, replace(SETTINGS, min_cluster_size=51)).labels == -1).all()
    cautious = cluster(rows, replace(SETTINGS, min_samples=45)).labels
    assert cautious.tolist() != cluster(rows, replace(SETTINGS, min_samples=2)).labels.tolist()


def test_leaf_gives_more_topics_than_eom():
    rng = np.random.default_rng(2)
    points = rng.normal(size=(200, 2)) + np.repeat([[0, 0], [30, 0]], 100, axis=0)
    counts = {}
    for method in ("leaf", "eom"):
        settings = replace(SETTINGS, cluster_selection_method=method)
        found = _find_clusters(points.astype(np.float32), settings, 8, membership=False)
        counts[method] = len(set(found.labels) - {-1})
    # eom takes the two clouds, leaf the denser places within them.
    assert counts["eom"] == 2
    assert counts["leaf"] > 2


def test_soft_clustering_has_the_columns_of_the_labels():
    rows, _ = blobs([30, 70, 50])
    found = cluster(rows, SETTINGS, membership=True)
    assert found.membership is not None
    assert found.membership.shape == (150, 3)
    inside = found.labels >= 0
    assert (found.membership[inside].argmax(axis=1) == found.labels[inside]).mean() > 0.95
    hard = cluster(rows, SETTINGS)
    assert hard.membership is None
    assert hard.labels.tolist() == found.labels.tolist()


def test_euclidean_takes_the_distances_of_unit_rows(monkeypatch):
    import umap

    rows, _ = blobs([30, 30])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    seen = {}

    def spy(**options):
        seen.update(options)
        raise InterruptedError

    monkeypatch.setattr(umap, "UMAP", spy)
    with pytest.raises(InterruptedError):
        reduce_dimensions(rows, replace(SETTINGS, metric="euclidean"), 0)
    indices, distances, _ = seen["precomputed_knn"]
    straight = np.linalg.norm(rows[:, None] - rows[indices], axis=2)
    np.testing.assert_allclose(distances, straight, atol=1e-3)
    assert seen["metric"] == "euclidean"
