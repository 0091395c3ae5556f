"""Refits: who takes part, what changes, and that planted topics come again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from biasatlas.topics import refits as module
from biasatlas.topics.model import TopicSettings, fit_topics
from biasatlas.topics.refits import refit

SETTINGS = TopicSettings(
    seed=1, n_components=3, min_cluster_size=25, min_samples=5, language="en", min_passages=50
)
N = 200


def make_region() -> dict[str, object]:
    """Three topics; documents of one to four passages; every text its own."""
    rng = np.random.default_rng(0)
    truth = rng.permutation(np.arange(N) % 3)
    rows = np.eye(3, 10)[truth] + rng.normal(scale=0.1, size=(N, 10))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return {
        "embeddings": rows.astype(np.float32),
        "ids": [f"p{row:03d}" for row in range(N)],
        "texts": [f"text number{'x' * row}" for row in range(N)],
        "documents": [f"d{one}" for one in rng.integers(0, 80, N)],
    }


@pytest.fixture(scope="module")
def refitted() -> pd.DataFrame:
    region = make_region()
    other = np.roll(region["embeddings"], 1, axis=1)
    return refit(
        **region, settings=SETTINGS, seeds=2, orders=2, bootstraps=4, other_embeddings=other
    )


def replicates(frame: pd.DataFrame, kind: str) -> list[pd.DataFrame]:
    chosen = frame[frame["kind"] == kind]
    return [group for _, group in chosen.groupby("replicate")]


def test_form_and_numbers_of_replicates(refitted):
    assert list(refitted.columns) == ["kind", "replicate", "id", "topic"]
    assert refitted["topic"].dtype == refitted["replicate"].dtype == np.int64
    counts = refitted.groupby("kind")["replicate"].unique().map(list).to_dict()
    assert counts == {"seed": [0, 1], "order": [0, 1], "bootstrap": [0, 1, 2, 3], "masking": [0]}
    assert not refitted.duplicated(["kind", "replicate", "id"]).any()


def test_seeds_orders_and_masking_hold_every_passage(refitted):
    for kind in ("seed", "order", "masking"):
        for replicate in replicates(refitted, kind):
            assert sorted(replicate["id"]) == make_region()["ids"]


def test_a_bootstrap_takes_whole_documents(refitted):
    region = make_region()
    document = dict(zip(region["ids"], region["documents"], strict=True))
    sizes = pd.Series(region["documents"]).value_counts()
    shares, sets = [], set()
    for replicate in replicates(refitted, "bootstrap"):
        taken = replicate["id"].map(document).value_counts()
        assert (taken == sizes[taken.index]).all()
        shares.append(len(taken) / len(sizes))
        sets.add(frozenset(taken.index))
    assert len(sets) == 4
    # 1 - 1/e of the documents, with 80 of them.
    assert 0.5 < np.mean(shares) < 0.75


def test_planted_topics_come_again_in_every_replicate(refitted):
    region = make_region()
    main, _ = fit_topics(region["texts"], region["embeddings"], SETTINGS, ids=region["ids"])
    main = dict(zip(region["ids"], main["topic"], strict=True))
    for kind in ("seed", "order", "bootstrap", "masking"):
        for replicate in replicates(refitted, kind):
            assert replicate["topic"].nunique() >= 3
            assert adjusted_rand_score(replicate["id"].map(main), replicate["topic"]) > 0.8


def test_rows_are_permuted_and_seeds_differ(monkeypatch):
    region, seen = make_region(), []
    real = module.cluster

    def spy(rows, settings, *, seed=None, neighbours=None):
        seen.append((rows.copy(), seed, neighbours))
        return real(rows, settings, seed=seed, neighbours=neighbours)

    monkeypatch.setattr(module, "cluster", spy)
    refit(**region, settings=SETTINGS, seeds=2, orders=2, bootstraps=0)
    (one, seed_1, near), (two, seed_2, _), (three, seed_3, moved), (four, seed_4, _) = seen
    assert (seed_1, seed_2, seed_3, seed_4) == (2, 3, 1, 1)
    assert np.array_equal(one, two)
    for other in (three, four):
        assert not np.array_equal(one, other)
        assert sorted(map(tuple, one.tolist())) == sorted(map(tuple, other.tolist()))
    assert not np.array_equal(three, four)
    # The neighbours are those of the permuted rows.
    np.testing.assert_allclose(
        1 - (three[:, None] * three[moved.indices]).sum(axis=2), moved.distances, atol=1e-5
    )
    assert near.indices.shape == moved.indices.shape == (N, 15)


def test_neither_order_nor_names_change_the_replicates(refitted):
    region = make_region()
    order = np.random.default_rng(9).permutation(N)
    shuffled = {
        "embeddings": region["embeddings"][order],
        "ids": [f"new{region['ids'][row]}" for row in order],
        "texts": [region["texts"][row] for row in order],
        "documents": [f"new{region['documents'][row]}" for row in order],
    }
    again = refit(**shuffled, settings=SETTINGS, seeds=1, orders=1, bootstraps=1)
    first = refitted[(refitted["replicate"] == 0) & (refitted["kind"] != "masking")]
    expected = first.assign(id="new" + first["id"]).reset_index(drop=True)
    pd.testing.assert_frame_equal(again, expected, check_exact=True)


def test_auto_follows_the_passages_of_the_replicate(monkeypatch):
    sizes = []
    import biasatlas.topics.clusters as clusters

    real = clusters._find_clusters

    def spy(coordinates, settings, size, *, membership):
        sizes.append((len(coordinates), size))
        return real(coordinates, settings, size, membership=membership)

    monkeypatch.setattr(clusters, "_find_clusters", spy)
    monkeypatch.setattr(clusters, "smallest_topic", lambda n, wanted: n // 10)
    settings = replace(SETTINGS, min_cluster_size="auto")
    refit(**make_region(), settings=settings, seeds=0, orders=0, bootstraps=2)
    assert len(sizes) == 2
    assert all(size == n // 10 for n, size in sizes)
    assert all(n < N for n, _ in sizes)


def test_progress_is_told(caplog):
    with caplog.at_level("INFO"):
        refit(**make_region(), settings=SETTINGS, seeds=1, orders=0, bootstraps=1)
    assert "topics found again 2/2 (100%)" in caplog.text


def test_too_few_passages_have_no_refits(caplog):
    settings = replace(SETTINGS, min_passages=N + 1)
    found = refit(**make_region(), settings=settings, seeds=1, orders=1, bootstraps=1)
    assert found.empty
    assert list(found.columns) == ["kind", "replicate", "id", "topic"]
    assert found["topic"].dtype == np.int64
    assert "no refits" in caplog.text
