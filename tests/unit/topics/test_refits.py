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
from biasatlas.topics.stability import assess_topics

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


@pytest.mark.parametrize(
    ("size", "samples", "m", "n", "expected"),
    [
        ("auto", None, 632, 1_000, (6, None)),
        ("auto", None, 3_160, 5_000, (32, None)),
        ("auto", 10, 3_160, 5_000, (32, 6)),
        (100, None, 632, 1_000, (63, None)),
        (100, 1, 600, 1_000, (60, 1)),
        # At least 5, but no more than the whole has; the whole itself keeps its sizes.
        (7, 5, 600, 1_000, (5, 3)),
        (3, 2, 600, 1_000, (3, 1)),
        (100, 7, 1_000, 1_000, (100, 7)),
        ("auto", None, 1_000, 1_000, (10, None)),
        ("auto", None, 1, 1_000, (5, None)),
    ],
)
def test_sizes_of_a_bootstrap_by_hand(size, samples, m, n, expected):
    settings = replace(SETTINGS, min_cluster_size=size, min_samples=samples)
    scaled = module._scaled(settings, m, n)
    assert (scaled.min_cluster_size, scaled.min_samples) == expected
    assert replace(scaled, min_cluster_size=size, min_samples=samples) == settings


@pytest.mark.parametrize("size", ["auto", 25])
@pytest.mark.parametrize("samples", [None, 8])
def test_only_a_bootstrap_has_smaller_sizes(monkeypatch, size, samples):
    seen, region = [], make_region()
    real = module.cluster

    def spy(rows, settings, **more):
        seen.append((len(rows), settings.min_cluster_size, settings.min_samples))
        return real(rows, settings, **more)

    monkeypatch.setattr(module, "cluster", spy)
    settings = replace(SETTINGS, min_cluster_size=size, min_samples=samples)
    refit(
        **region,
        settings=settings,
        seeds=1,
        orders=1,
        bootstraps=2,
        other_embeddings=region["embeddings"],
    )
    seed, order, *drawn, masking = seen
    assert seed == order == masking == (N, size, samples)
    whole = 10 if size == "auto" else 25
    for m, least, cautious in drawn:
        assert m < N
        assert least == round(whole * m / N) < whole
        assert cautious == (None if samples is None else round(8 * m / N))


@pytest.mark.parametrize("wanted", ["auto", 12])
def test_topics_just_above_the_smallest_size_come_again(wanted):
    """Twelve tight topics of 16 passages, each passage a document: a draw holds 10 of each."""
    rng = np.random.default_rng(2)
    truth = np.repeat(np.arange(12), 16)
    rows = np.eye(12, 20)[truth] + rng.normal(scale=0.03, size=(len(truth), 20))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    ids = [f"p{row}" for row in range(len(truth))]
    texts = [f"text number{'x' * row}" for row in range(len(truth))]
    settings = replace(SETTINGS, min_cluster_size=wanted, min_samples=None, n_neighbors=8)
    main, _ = fit_topics(texts, rows.astype(np.float32), settings, ids=ids)
    assert set(main["topic"]) == set(range(12))
    refits = refit(
        rows.astype(np.float32), ids, texts, ids, settings, seeds=0, orders=0, bootstraps=10
    )
    assignments = main.assign(id=ids)
    used = pd.DataFrame({"id": ids, "document": ids, "gender": ["female", "male"] * 96})
    # With the size of the whole it is .43 and .27.
    assert assess_topics(assignments, refits, used)["recovered"].mean() > 0.75


def wordless_region() -> tuple[dict[str, object], list[str]]:
    """The region, 60 more passages without a topic word in the masked view, and that view."""
    region = make_region()
    point = np.zeros((60, 10), np.float32)
    point[:, 7] = 1
    more = [f"She said: sister {'x' * row}" for row in range(60)]
    word_texts = [*region["texts"], *["", "the 2016", "she said so"] * 20]
    return {
        "embeddings": np.vstack([region["embeddings"], point]),
        "ids": [*region["ids"], *[f"q{row}" for row in range(60)]],
        "texts": [*region["texts"], *more],
        # Documents of their own and documents of passages with words.
        "documents": [*region["documents"], *[f"d{row + 40}" for row in range(60)]],
    }, word_texts


def test_passages_without_a_topic_word_take_part_in_nothing(refitted):
    region, word_texts = wordless_region()
    found = refit(
        **region,
        settings=SETTINGS,
        seeds=2,
        orders=2,
        bootstraps=4,
        word_texts=word_texts,
        other_embeddings=np.roll(region["embeddings"], 1, axis=1),
    )
    pd.testing.assert_frame_equal(found, refitted, check_exact=True)
    whole = refit(**region, settings=SETTINGS, seeds=1, orders=0, bootstraps=0)
    assert set(whole["id"]) == set(region["ids"])


def test_the_main_fit_and_the_refits_leave_out_the_same_passages():
    region, word_texts = wordless_region()
    main, _ = fit_topics(
        region["texts"], region["embeddings"], SETTINGS, ids=region["ids"], word_texts=word_texts
    )
    found = refit(
        **region, settings=SETTINGS, seeds=1, orders=0, bootstraps=0, word_texts=word_texts
    )
    missing = ~pd.Series(region["ids"]).isin(found["id"])
    assert missing.sum() == 60
    assert (main["topic"][missing] == -1).all()


def test_the_least_number_counts_passages_with_a_word(caplog):
    region, word_texts = wordless_region()
    more = {"seeds": 1, "orders": 0, "bootstraps": 1, "word_texts": word_texts}
    # A bootstrap of fewer passages is clustered all the same.
    found = refit(**region, settings=replace(SETTINGS, min_passages=N), **more)
    assert (found["topic"][found["kind"] == "bootstrap"] >= 0).any()
    assert refit(**region, settings=replace(SETTINGS, min_passages=N + 1), **more).empty
    assert f"{N} gendered passages, under {N + 1}: no refits" in caplog.text


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
