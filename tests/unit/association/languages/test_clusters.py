"""Languages grouped by their profiles: planted groups, noise, and what is left out."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform
from sklearn.metrics import silhouette_samples

from biasatlas.association.languages.clusters import (
    chance,
    cluster_languages,
    complete_profiles,
    cut,
    distances,
    grow_tree,
    silhouettes,
    support,
)
from biasatlas.tables.language_tables import LANGUAGE_CLUSTERS

CLASSIC = ["WEAT1", "WEAT2", "WEAT6", "WEAT7", "WEAT8", "WEAT9"]
NEW = ["WEAT11", "WEAT12", "WEAT12b", "WEAT13", "WEAT13b", "WEAT14", "WEAT15"]


def grid(profiles: dict[str, np.ndarray], **cell: object) -> pd.DataFrame:
    """Rows of the table weathub; a profile runs over the classic tests, then the new ones."""
    base = {"model": "m", "encoder": "all_mean", "space": "raw", "status": "ok"} | cell
    rows = []
    for language, profile in profiles.items():
        for test, d in zip([*CLASSIC, *NEW], profile, strict=False):
            classic = "original" if language == "en" else "human"
            variant = classic if test in CLASSIC else "new"
            rows.append(
                base | {"language": language, "variant": variant, "test": test, "effect_size": d}
            )
    return pd.DataFrame(rows)


def planted(rng: np.random.Generator, noise: float = 0.2) -> dict[str, np.ndarray]:
    """Two groups of languages, mixed in the alphabet."""
    first, second = rng.normal(size=(2, 13))
    names = ["ar", "bn", "da", "de", "en", "hi", "ja", "zh"]
    return {
        name: (first if place % 2 else second) + noise * rng.normal(size=13)
        for place, name in enumerate(names)
    }


def test_two_planted_groups_are_found():
    table = cluster_languages(grid(planted(np.random.default_rng(0))), seed=1)
    assert list(table.columns) == [column.name for column in LANGUAGE_CLUSTERS.columns]
    assert table["place"].tolist() == list(range(1, 9))
    groups = table.groupby("cluster")["language"].apply(set).tolist()
    assert groups == [{"ar", "da", "en", "ja"}, {"bn", "de", "hi", "zh"}]
    assert (table["n_tests"] == 13).all()
    assert (table["support"] > 0.9).all()
    assert (table["silhouette"] > 0.5).all()
    assert (table["cophenetic"] > 0.9).all()
    assert (table["note"] == "").all()
    # A cluster stands together along the tree, which begins with the earlier end by name.
    assert table["cluster"].tolist() == [1] * 4 + [2] * 4
    assert table["language"].iloc[0] < table["language"].iloc[-1]


def test_noise_is_said_to_have_no_clusters_and_little_support():
    rng = np.random.default_rng(4)
    names = ["ar", "bn", "da", "de", "el", "es", "fa", "fr", "hi", "it", "ja", "ko"]
    table = cluster_languages(grid({name: rng.normal(size=13) for name in names}), seed=1)
    assert table["note"].str.contains("shuffled profiles give clusters as clear").all()
    assert table["support"].mean() < 0.7


def test_distances_by_hand():
    profiles = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [3.0, 2.0, 1.0], [1.0, 3.0, 2.0]])
    # Correlations 1, -1, .5, then -1, .5, then -.5.
    assert distances(profiles) == pytest.approx([0, 2, 0.5, 2, 0.5, 1.5])


def test_a_tree_by_hand():
    # Rows 0 and 2 are alike, 1 and 3 nearly so, and the pairs are opposed.
    profiles = np.array(
        [[1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0], [2.0, 3.0, 4.0, 5.0], [4.0, 2.0, 3.0, 1.0]]
    )
    tree = grow_tree(profiles)
    assert tree.clusters.tolist() == [1, 2, 1, 2]
    # Of row 0: a = 0 and b = (2 + 1.8) / 2, so 1; of row 1: a = .2 and b = 2, so .9.
    assert tree.silhouettes == pytest.approx([1, 0.9, 1, 1 - 0.2 / 1.8])
    assert set(tree.order[:2].tolist()) == {0, 2}


@pytest.mark.parametrize("n", [4, 9])
def test_silhouettes_are_those_of_sklearn(n):
    rng = np.random.default_rng(n)
    points = rng.normal(size=(n, 5))
    square = squareform(distances(points))
    for n_clusters in range(2, n):
        clusters = rng.permutation(
            [*range(1, n_clusters + 1), *rng.integers(1, n_clusters + 1, n - n_clusters)]
        )
        expected = silhouette_samples(square, clusters, metric="precomputed")
        assert silhouettes(square, clusters) == pytest.approx(expected)


def test_p_of_the_clusters_is_fair_on_noise():
    rng = np.random.default_rng(1)
    p_values = []
    for _ in range(100):
        profiles = rng.normal(size=(6, 6)) + rng.normal(size=6)
        p_values.append(chance(profiles, float(grow_tree(profiles).silhouettes.mean()), rng, 19))
    # Twenty values, so that p <= .05 is the smallest.
    assert np.mean(p_values) == pytest.approx(0.525, abs=0.09)
    assert np.mean(np.array(p_values) < 0.06) == pytest.approx(0.05, abs=0.07)


def test_support_is_the_share_of_bootstraps_spelt_out():
    rng = np.random.default_rng(9)
    profiles = rng.normal(size=(6, 5))
    clusters = np.array([1, 1, 2, 2, 2, 3])
    draws = np.random.default_rng(3).integers(0, 5, (40, 5))
    found = support(profiles, clusters, np.random.default_rng(3), 40)
    together = {pair: 0 for pair in combinations(range(6), 2)}
    for drawn in draws:
        assert len(set(drawn)) > 1
        sample = profiles[:, drawn]
        one = cut(linkage(distances(sample), "average"), 3)
        for i, j in together:
            together[i, j] += one[i] == one[j]
    assert found[0] == found[1] == together[0, 1] / 40
    assert found[2] == pytest.approx((together[2, 3] + together[2, 4]) / 80)
    assert np.isnan(found[5])


def test_a_language_or_test_that_lacks_scores_goes():
    def frame(values):
        return pd.DataFrame(values, index=list("abcd")[: len(values)], columns=list("rstuv"))

    nan = np.nan
    # Language b lacks four of five; then test s lacks one of three.
    profiles = frame([[1, 2, 3, 4, 5], [nan, nan, nan, nan, 1], [1, nan, 2, 3, 1], [5, 4, 3, 2, 1]])
    kept = complete_profiles(profiles)
    assert (kept.index.tolist(), kept.columns.tolist()) == (["a", "c", "d"], list("rtuv"))
    assert complete_profiles(frame([[1, 1, 1, 1, 1], [1, 2, 3, 4, 5]])).index.tolist() == ["b"]
    assert complete_profiles(frame([[nan] * 5] * 3)).empty
    # One of four is missing either way: the test goes.
    square = frame([[1, 2, 3, 4, 0], [nan, 1, 2, 4, 0], [2, 1, 3, 1, 0], [5, 4, 3, 2, 0]])
    kept = complete_profiles(square.drop(columns="v"))
    assert (kept.index.tolist(), kept.columns.tolist()) == (list("abcd"), list("stu"))


def test_only_ok_rows_of_the_right_lists_count():
    frame = grid(planted(np.random.default_rng(0)))
    machine = frame[frame["variant"] == "human"].assign(variant="gt", effect_size=99.0)
    own = grid({"en": np.ones(6)}).assign(variant="own", effect_size=99.0)
    expected = cluster_languages(frame, seed=1)
    found = cluster_languages(pd.concat([frame, machine, own]), seed=1)
    pd.testing.assert_frame_equal(found, expected)
    thin = frame.assign(status=np.where(frame["language"] == "ar", "thin", "ok"))
    table = cluster_languages(thin, seed=1)
    assert "ar" not in set(table["language"])
    one_lost = frame[~((frame["language"] == "ar") & (frame["test"] != "WEAT1"))]
    table = cluster_languages(one_lost, seed=1)
    assert (table["note"] == "left out for want of tests: ar").all()


@pytest.mark.parametrize(("n_languages", "n_tests", "rows"), [(3, 4, 3), (2, 13, 0), (8, 3, 0)])
def test_too_few_languages_or_tests_have_no_rows(n_languages, n_tests, rows):
    profiles = planted(np.random.default_rng(0))
    few = {name: profiles[name][:n_tests] for name in list(profiles)[:n_languages]}
    table = cluster_languages(grid(few), seed=1)
    assert len(table) == rows
    assert table["note"].str.startswith("thin: 4 tests").all()
    assert cluster_languages(grid(profiles).iloc[:0], seed=1).empty


def test_equal_profiles_are_one_cluster():
    profile = np.random.default_rng(0).normal(size=13)
    scaled = {name: profile * factor for name, factor in (("de", 1), ("fr", 0.3), ("it", 7))}
    table = cluster_languages(grid(scaled), seed=1)
    assert table["cluster"].tolist() == [1, 1, 1]
    assert table["support"].tolist() == [1, 1, 1]
    assert table["cophenetic"].isna().all()


@settings(max_examples=15)
@given(st.integers(0, 2**31))
def test_order_of_rows_and_scale_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    frame = grid(planted(rng, noise=1.0))
    first = cluster_languages(frame, seed=1, bootstraps=20, permutations=5)
    shuffled = cluster_languages(
        frame.sample(frac=1, random_state=seed % 1_000), seed=1, bootstraps=20, permutations=5
    )
    pd.testing.assert_frame_equal(first, shuffled, check_exact=True)
    # Correlation knows neither shift nor scale.
    moved = cluster_languages(
        frame.assign(effect_size=2 * frame["effect_size"] + 1),
        seed=1,
        bootstraps=20,
        permutations=5,
    )
    assert moved["cluster"].tolist() == first["cluster"].tolist()
    assert first["silhouette"].between(-1, 1).all()
    assert (
        first.groupby("cluster")["place"]
        .agg(np.ptp)
        .add(1)
        .eq(first.groupby("cluster").size())
        .all()
    )


def test_models_encoders_and_spaces_stand_apart():
    profiles = planted(np.random.default_rng(0))
    frame = pd.concat([grid(profiles), grid(profiles, space="standardised", encoder="cls_phrase")])
    table = cluster_languages(frame, seed=1)
    assert table.groupby(["encoder", "space"]).size().tolist() == [8, 8]
