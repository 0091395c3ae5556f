"""Female-male pairs: gaps, rules, matching, and what chance gives."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest

from biasatlas.topics.pairs import COLUMNS, find_pairs, gaps, passes

SHE, HE = np.array([2.0, 0.0]), np.array([0.0, 1.0])
SETTINGS = {
    "selection": "matching",
    "rule": "either",
    "threshold": 0.01,
    "candidates": 10,
    "top": 5,
}


def make_topics(*rows: tuple[int, str, float, float]) -> pd.DataFrame:
    """Topics from (topic, gender, log odds, u_mass)."""
    frame = pd.DataFrame(rows, columns=["topic", "gender", "log_odds", "u_mass"])
    return frame.assign(flags="", p_min_female=0.001, p_min_male=0.001)


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def test_gaps_by_hand():
    female = np.array([[3.0, 4.0], [5.0, 0.0]])
    male = np.array([[0.0, 7.0], [8.0, 6.0], [-1.0, 0.0]])
    same, cross = gaps(female, male, SHE, HE)
    # cos with she: .6 1 and 0 .8 -1; cos with he: .8 0 and 1 .6 0.
    assert same == pytest.approx(np.array([[0.4, 0.0, 0.6], [0.0, 0.4, 1.0]]))
    assert cross == pytest.approx(np.array([[0.8, 0.0, 1.8], [0.0, 0.8, 1.0]]))


def test_gaps_do_not_depend_on_lengths():
    rng = np.random.default_rng(0)
    female, male, she, he = (rng.normal(size=shape) for shape in ((3, 5), (4, 5), 5, 5))
    same, cross = gaps(female, male, she, he)
    again = gaps(2 * female, 3 * male, 4 * she, 5 * he)
    assert again[0] == pytest.approx(same)
    assert again[1] == pytest.approx(cross)
    assert same[2, 1] == pytest.approx(abs(cosine(female[2], she) - cosine(male[1], he)))
    assert cross[2, 1] == pytest.approx(abs(cosine(female[2], he) - cosine(male[1], she)))


def test_the_three_rules():
    same, cross = np.array([0.0, 0.0, 0.2, 0.1]), np.array([0.0, 0.2, 0.0, 0.1])
    assert passes(same, cross, 0.1, "either").tolist() == [True, True, True, False]
    assert passes(same, cross, 0.1, "both").tolist() == [True, False, False, False]
    assert passes(same, cross, 0.1, "same").tolist() == [True, True, False, False]


def test_matching_pairs_each_topic_once_and_like_with_like():
    topics = make_topics(
        (0, "female", 1.0, -1.0), (1, "male", -0.5, -1.0), (2, "female", 3.0, -1.0),
        (3, "none", 9.0, -0.1), (4, "male", -2.0, -1.0), (5, "female", 2.0, -1.0),
    )  # fmt: skip
    embeddings = np.random.default_rng(1).normal(size=(6, 2))
    found = find_pairs(topics, embeddings, SHE, HE, **SETTINGS)
    assert list(found.columns) == list(COLUMNS)
    assert found[["rank", "female_topic", "male_topic"]].to_numpy().tolist() == [
        [1, 2, 4],
        [2, 5, 1],
    ]
    same, cross = gaps(embeddings, embeddings, SHE, HE)
    for row in found.itertuples():
        assert row.gap_same == pytest.approx(same[row.female_topic, row.male_topic])
        assert row.gap_cross == pytest.approx(cross[row.female_topic, row.male_topic])
        assert row.passes_gap == (min(row.gap_same, row.gap_cross) < 0.01)
    assert set(found["n_candidates"]) == {6}
    assert set(found["note"]) == {""}
    shuffled = [4, 0, 5, 2, 1, 3]
    again = find_pairs(topics.iloc[shuffled], embeddings[shuffled], SHE, HE, **SETTINGS)
    # Their number of rows alike, whatever their order.
    pd.testing.assert_frame_equal(again, found)


@pytest.mark.parametrize("seed", range(5))
def test_matching_is_the_best_of_all_one_to_one_pairings(seed):
    rng = np.random.default_rng(seed)
    odds = rng.uniform(0.1, 3, 7).round(2)
    topics = make_topics(
        *[
            (k, "female" if k < 3 else "male", odds[k] * (1 if k < 3 else -1), -1.0)
            for k in range(7)
        ]
    )
    found = find_pairs(topics, rng.normal(size=(7, 4)), *rng.normal(size=(2, 4)), **SETTINGS)
    best = max(
        sum(odds[f] * odds[m] for f, m in zip(range(3), order, strict=True))
        for order in permutations(range(3, 7), 3)
    )
    products = [odds[row.female_topic] * odds[row.male_topic] for row in found.itertuples()]
    assert sum(products) == pytest.approx(best)
    assert products == sorted(products, reverse=True)
    assert found["male_topic"].is_unique


def test_candidates_are_the_most_coherent_and_top_limits_the_pairs():
    topics = make_topics(
        (0, "female", 9.0, -5.0), (1, "female", 1.0, -1.0), (2, "female", 2.0, -2.0),
        (3, "male", -1.0, -1.0), (4, "male", -9.0, -3.0), (5, "male", -3.0, float("nan")),
    )  # fmt: skip
    embeddings = np.random.default_rng(1).normal(size=(6, 2))
    two = find_pairs(topics, embeddings, SHE, HE, **(SETTINGS | {"candidates": 2}))
    assert two[["female_topic", "male_topic"]].to_numpy().tolist() == [[2, 4], [1, 3]]
    assert set(two["n_candidates"]) == {4}
    one = find_pairs(topics, embeddings, SHE, HE, **(SETTINGS | {"candidates": 2, "top": 1}))
    pd.testing.assert_frame_equal(one, two.head(1))


def test_the_paper_s_selection_takes_every_pair_under_the_threshold_by_coherence():
    topics = make_topics(
        (0, "female", 1.0, -3.0), (1, "female", 1.0, -1.0), (2, "male", -1.0, -2.0),
        (3, "male", -1.0, -1.0),
    )  # fmt: skip
    embeddings = np.array([[3.0, 4.0], [1.0, 0.0], [4.0, 3.0], [0.0, 1.0]])
    # 0-2 and 1-3 have no gap at all; 0-3 and 1-2 have .4.
    found = find_pairs(topics, embeddings, SHE, HE, **(SETTINGS | {"selection": "gap"}))
    assert found[["female_topic", "male_topic"]].to_numpy().tolist() == [[1, 3], [0, 2]]
    assert found["passes_gap"].tolist() == [True, True]
    wide = find_pairs(
        topics, embeddings, SHE, HE, **(SETTINGS | {"selection": "gap", "threshold": 0.5})
    )
    # By u_mass: -2, -3, -4, -5; a topic may stand in many pairs.
    assert wide[["female_topic", "male_topic"]].to_numpy().tolist() == [
        [1, 3],
        [1, 2],
        [0, 3],
        [0, 2],
    ]
    assert wide["rank"].tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("rule", ["either", "both", "same"])
def test_the_chance_count_equals_brute_force(rule):
    rng = np.random.default_rng(3)
    genders = ["female", "male", "none", "female", "male", "none", "female"]
    topics = make_topics(*[(k, gender, 1.0, -float(k)) for k, gender in enumerate(genders)])
    embeddings, (she, he) = rng.normal(size=(7, 6)), rng.normal(size=(2, 6))
    settings = SETTINGS | {"rule": rule, "threshold": 0.2}
    found = find_pairs(topics, embeddings, she, he, **settings)
    hits = {"either": 0, "both": 0, "same": 0}
    passing = 0
    for f, m in product(range(7), repeat=2):
        same = abs(cosine(embeddings[f], she) - cosine(embeddings[m], he)) < 0.2
        cross = abs(cosine(embeddings[f], he) - cosine(embeddings[m], she)) < 0.2
        answer = {"either": same or cross, "both": same and cross, "same": same}
        if f != m:
            hits = {name: hits[name] + answer[name] for name in hits}
        passing += answer[rule] and (genders[f], genders[m]) == ("female", "male")
    assert 0 < hits[rule] < 42
    assert found["chance_passing"].tolist() == pytest.approx([6 * hits[rule] / 42] * len(found))
    assert set(found["n_passing"]) == {passing}


@pytest.mark.parametrize("selection", ["matching", "gap"])
@pytest.mark.parametrize(
    ("genders", "note"),
    [
        ([], "no pair: the region has no topics"),
        (["none", "none"], "no pair: no topic could be told to be female or male"),
        (["female", "none"], "no pair: no topic could be told to be male"),
        (["male", "male"], "no pair: no topic could be told to be female"),
    ],
)
def test_a_region_without_a_pair_says_why(selection, genders, note):
    topics = make_topics(*[(k, gender, 1.0, -1.0) for k, gender in enumerate(genders)])
    embeddings = np.ones((len(genders), 2))
    found = find_pairs(topics, embeddings, SHE, HE, **(SETTINGS | {"selection": selection}))
    (row,) = found.to_dict("records")
    small = find_pairs(
        topics.assign(p_min_female=0.2, p_min_male=0.2), embeddings, SHE, HE, **SETTINGS
    )
    assert ("are too small to be told to be" in small["note"][0]) == (len(genders) > 0)
    assert list(found.columns) == list(COLUMNS)
    assert (row["rank"], row["female_topic"], row["male_topic"], row["note"]) == (0, -1, -1, note)
    assert (row["n_candidates"], row["n_passing"], row["passes_gap"]) == (0, 0, False)


def test_no_pair_under_the_threshold():
    topics = make_topics((0, "female", 1.0, -1.0), (1, "male", -1.0, -1.0))
    embeddings = np.array([[1.0, 0.0], [1.0, 0.0]])
    found = find_pairs(topics, embeddings, SHE, HE, **(SETTINGS | {"selection": "gap"}))
    (row,) = found.to_dict("records")
    assert (row["rank"], row["n_candidates"], row["n_passing"]) == (0, 1, 0)
    assert row["note"] == "no pair passes: none of 1 candidate pairs has a gap under 0.01"
    assert row["chance_passing"] == 0
    matched = find_pairs(topics, embeddings, SHE, HE, **SETTINGS)
    assert matched["rank"].tolist() == [1]
    assert matched["passes_gap"].tolist() == [False]
