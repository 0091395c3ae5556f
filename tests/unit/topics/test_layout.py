"""The layout of UMAP's graph against umap-learn's own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array
from sklearn.metrics import adjusted_rand_score

from biasatlas.topics.layout import _power, lay_out


@given(st.floats(1e-12, 1e12), st.floats(0.3, 1.5))
def test_power(x, b):
    assert _power(np.float32(x), np.float32(b)) == pytest.approx(
        float(np.float32(x)) ** b, rel=1e-4
    )


def test_two_joined_points_meet_and_two_apart_part():
    """One pair with an edge, one point without: the pair comes together, the third moves off."""
    start = np.array([[0, 0], [4, 0], [0.5, 0.5]], dtype=np.float32)
    graph = coo_array(([1.0, 1.0], ([0, 1], [1, 0])), shape=(3, 3))
    end = lay_out(start, graph, 1.9, 0.8, seed=1)
    assert np.linalg.norm(end[0] - end[1]) < 0.5
    assert np.linalg.norm(end[0] - end[2]) > 2 * np.linalg.norm(start[0] - start[2])


def fit(seed: int, rows: np.ndarray, **options):
    from umap import UMAP

    return UMAP(
        n_neighbors=10, n_components=3, min_dist=0.0, random_state=seed, n_jobs=1, **options
    ).fit(rows)


def test_clusters_are_those_of_umap_learn():
    """Overlapping groups: HDBSCAN on our layout agrees with umap-learn's as its own seeds do."""
    from hdbscan import HDBSCAN
    from umap.umap_ import find_ab_params

    rng = np.random.default_rng(5)
    rows = np.repeat(rng.normal(size=(8, 10)), 40, axis=0) * 1.5 + rng.normal(size=(320, 10))
    a, b = find_ab_params(1.0, 0.0)
    found = {"ours": [], "umap": []}
    for seed in range(3):
        base = fit(seed, rows.astype(np.float32), n_epochs=0)
        layouts = {
            "ours": lay_out(base.embedding_.astype(np.float32), base.graph_, a, b, seed),
            "umap": fit(seed, rows.astype(np.float32)).embedding_,
        }
        for name, layout in layouts.items():
            found[name].append(HDBSCAN(min_cluster_size=12, core_dist_n_jobs=1).fit(layout).labels_)
    own = [
        adjusted_rand_score(found["umap"][i], found["umap"][j]) for i in range(3) for j in range(i)
    ]
    mixed = [adjusted_rand_score(one, two) for one in found["ours"] for two in found["umap"]]
    assert np.mean(own) > 0.4
    assert np.mean(mixed) > min(own)


def test_the_seed_decides_and_the_start_stays():
    rng = np.random.default_rng(0)
    start = rng.uniform(0, 10, size=(40, 9)).astype(np.float32)
    rows, columns = np.nonzero(rng.random((40, 40)) < 0.2)
    graph = coo_array((np.ones(len(rows)), (rows, columns)), shape=(40, 40))
    kept = start.copy()
    one = lay_out(start, graph, 1.9, 0.8, seed=1)
    assert one.shape == (40, 9)
    assert np.isfinite(one).all()
    assert np.array_equal(one, lay_out(start, graph, 1.9, 0.8, seed=1))
    assert not np.array_equal(one, lay_out(start, graph, 1.9, 0.8, seed=2))
    assert np.array_equal(start, kept)
