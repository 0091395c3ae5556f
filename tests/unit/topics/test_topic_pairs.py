"""Female-male pairs by both selections: gaps, rules, matching, and why there is none."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from biasatlas.topics.gaps import gaps, passes
from biasatlas.topics.matching import match_by_strength
from biasatlas.topics.pair_support import Recurrence
from biasatlas.topics.pairs import (
    CANDIDATE_COLUMNS,
    PAIR_COLUMNS,
    Pairs,
    PairSettings,
    find_pairs,
)

SHE, HE = np.array([2.0, 0.0]), np.array([0.0, 1.0])
SETTINGS = PairSettings(rule="either", threshold=0.01, candidates=10, top=5, seed=1, deals=200)


def make_topics(*rows: tuple[int, str, float, float]) -> pd.DataFrame:
    """Stable topics from (topic, gender by both rules, log odds, u_mass)."""
    frame = pd.DataFrame(rows, columns=["topic", "gender_tested", "log_odds", "u_mass"])
    return frame.assign(
        gender_paper=frame["gender_tested"],
        p_min_female=0.001,
        p_min_male=0.001,
        p_needed=0.01,
        jaccard_seed=0.9,
        jaccard_order=0.9,
        recovered=0.9,
        stable=True,
    )


def no_refits(topics: pd.DataFrame) -> Recurrence:
    numbers = np.sort(topics["topic"].to_numpy(dtype=np.int64))
    empty = np.empty((0, len(numbers)))
    return Recurrence(numbers, empty, empty.astype(np.int64))


def find(
    topics: pd.DataFrame,
    embeddings: np.ndarray | None = None,
    she: np.ndarray = SHE,
    he: np.ndarray = HE,
    **settings,
) -> Pairs:
    if embeddings is None:
        embeddings = np.random.default_rng(1).normal(size=(len(topics), 2))
    chosen = replace(SETTINGS, **settings)
    return find_pairs(topics, embeddings, she, he, no_refits(topics), chosen)


def chosen_by(found: Pairs, selection: str) -> pd.DataFrame:
    rows = found.pairs
    return rows[rows["selection"] == selection].reset_index(drop=True)


def joined(frame: pd.DataFrame) -> list[list[int]]:
    return frame[["female_topic", "male_topic"]].to_numpy().tolist()


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


@pytest.mark.parametrize("seed", range(5))
def test_matching_is_the_best_of_all_one_to_one_joins(seed):
    rng = np.random.default_rng(seed)
    female, male = rng.uniform(0.1, 3, 3).round(2), rng.uniform(0.1, 3, 4).round(2)
    pairs = match_by_strength(female, male)
    best = max(
        sum(female[f] * male[m] for f, m in zip(range(3), order, strict=True))
        for order in permutations(range(4), 3)
    )
    products = [female[f] * male[m] for f, m in pairs]
    assert sum(products) == pytest.approx(best)
    assert products == sorted(products, reverse=True)
    assert len({m for _, m in pairs}) == 3


def test_matching_pairs_each_topic_once_and_like_with_like():
    topics = make_topics(
        (0, "female", 1.0, -1.0), (1, "male", -0.5, -1.0), (2, "female", 3.0, -1.0),
        (3, "none", 9.0, -0.1), (4, "male", -2.0, -1.0), (5, "female", 2.0, -1.0),
    )  # fmt: skip
    embeddings = np.random.default_rng(1).normal(size=(6, 2))
    found = find(topics, embeddings)
    pairs = chosen_by(found, "matching")
    assert list(pairs.columns) == list(PAIR_COLUMNS)
    assert pairs["rank"].tolist() == [1, 2]
    assert joined(pairs) == [[2, 4], [5, 1]]
    same, cross = gaps(embeddings, embeddings, SHE, HE)
    for row in pairs.itertuples():
        assert row.gap_same == pytest.approx(same[row.female_topic, row.male_topic])
        assert row.gap_cross == pytest.approx(cross[row.female_topic, row.male_topic])
        assert row.passes_gap == (min(row.gap_same, row.gap_cross) < 0.01)
    assert set(pairs["n_candidates"]) == {6}
    assert set(pairs["note"]) == {""}
    unknown = ["support", "support_low", "support_high", "support_topics", "support_tested"]
    assert found.pairs[unknown].isna().all(axis=None)
    assert found.pairs["n_draws"].tolist() == [0] * len(found.pairs)
    shuffled = [4, 0, 5, 2, 1, 3]
    again = find(topics.iloc[shuffled], embeddings[shuffled])
    for one, other in zip(again, found, strict=True):
        pd.testing.assert_frame_equal(one, other, check_exact=True)


def test_every_candidate_of_the_matching_is_shown():
    topics = make_topics(
        (8, "female", 1.0, -1.0), (3, "male", -0.5, -1.0), (2, "female", 3.0, -1.0),
        (4, "male", -2.0, -1.0), (6, "none", 1.0, -1.0),
    )  # fmt: skip
    embeddings = np.random.default_rng(1).normal(size=(5, 2))
    found = find(topics, embeddings, top=1).candidates
    assert found.dtypes.astype(str).to_dict() == CANDIDATE_COLUMNS
    assert joined(found) == [[2, 3], [2, 4], [8, 3], [8, 4]]
    assert found["weight"].tolist() == [1.5, 6.0, 0.5, 2.0]
    assert found["chosen"].tolist() == [False, True, False, False]
    same, cross = gaps(embeddings[[2, 0]], embeddings[[1, 3]], SHE, HE)
    assert found["gap_same"].tolist() == pytest.approx(same.ravel().tolist())
    assert found["gap_cross"].tolist() == pytest.approx(cross.ravel().tolist())
    nothing = find(topics[topics["gender_tested"] != "male"]).candidates
    assert nothing.dtypes.astype(str).to_dict() == CANDIDATE_COLUMNS
    assert len(nothing) == 0


def test_candidates_are_the_most_coherent_and_top_limits_the_pairs():
    topics = make_topics(
        (0, "female", 9.0, -5.0), (1, "female", 1.0, -1.0), (2, "female", 2.0, -2.0),
        (3, "male", -1.0, -1.0), (4, "male", -9.0, -3.0), (5, "male", -3.0, float("nan")),
    )  # fmt: skip
    two = chosen_by(find(topics, candidates=2), "matching")
    assert joined(two) == [[2, 4], [1, 3]]
    assert set(two["n_candidates"]) == {4}
    one = chosen_by(find(topics, candidates=2, top=1), "matching")
    pd.testing.assert_frame_equal(one, two.head(1))
    # Where every gap is 0 all candidates pass, and in a deal there are as many.
    for _, row in find(topics, np.ones((6, 2)), candidates=2).pairs.iterrows():
        assert row[["n_candidates", "n_passing"]].tolist() == [4, 4]
        assert row[["chance_passing", "chance_low", "chance_high"]].tolist() == [4, 4, 4]


def test_an_unstable_topic_is_not_matched_and_is_counted():
    topics = make_topics(
        (0, "female", 3.0, -1.0), (1, "female", 1.0, -2.0), (2, "male", -2.0, -1.0),
        (3, "male", -1.0, -2.0), (4, "male", -0.5, -3.0), (5, "none", 0.1, -1.0),
    )  # fmt: skip
    topics["stable"] = [False, True, True, False, False, False]
    # All alike, so that the paper takes every pair.
    found = find(topics, np.ones((6, 2)), top=10)
    pairs = chosen_by(found, "matching")
    assert joined(pairs) == [[1, 2]]
    assert pairs["note"].tolist() == ["left out as unstable: 1 female and 2 male"]
    assert joined(found.candidates) == [[1, 2]]
    # The paper's selection knows nothing of stability.
    gap = chosen_by(found, "gap")
    assert len(gap) == 6
    assert set(gap["note"]) == {""}


def test_without_refits_no_topic_is_left_out_and_the_note_says_so():
    topics = make_topics((0, "female", 3.0, -1.0), (1, "male", -1.0, -2.0)).assign(stable=False)
    unknown = {"jaccard_seed": np.nan, "jaccard_order": np.nan, "recovered": np.nan}
    for frame in (topics.assign(**unknown), topics.drop(columns=[*unknown, "stable"])):
        found = chosen_by(find(frame, np.ones((2, 2))), "matching")
        assert joined(found) == [[0, 1]]
        assert found["note"].tolist() == ["stability of topics is unknown: no refits"]
        assert chosen_by(find(frame, np.ones((2, 2))), "gap")["note"].tolist() == [""]


def test_each_selection_has_its_own_genders():
    topics = make_topics(
        (0, "female", 1.0, -1.0), (1, "male", -1.0, -1.0), (2, "none", 0.2, -1.0),
    )  # fmt: skip
    topics["gender_paper"] = ["male", "none", "female"]
    found = find(topics, np.ones((3, 2)))
    assert joined(chosen_by(found, "matching")) == [[0, 1]]
    assert joined(chosen_by(found, "gap")) == [[2, 0]]


def test_the_paper_s_selection_takes_every_pair_under_the_threshold_by_coherence():
    topics = make_topics(
        (0, "female", 1.0, -3.0), (1, "female", 1.0, -1.0), (2, "male", -1.0, -2.0),
        (3, "male", -1.0, -1.0),
    )  # fmt: skip
    embeddings = np.array([[3.0, 4.0], [1.0, 0.0], [4.0, 3.0], [0.0, 1.0]])
    # 0-2 and 1-3 have no gap at all; 0-3 and 1-2 have .4.
    found = chosen_by(find(topics, embeddings), "gap")
    assert joined(found) == [[1, 3], [0, 2]]
    assert found["passes_gap"].tolist() == [True, True]
    wide = chosen_by(find(topics, embeddings, threshold=0.5), "gap")
    # By u_mass: -2, -3, -4, -5; a topic may stand in many pairs.
    assert joined(wide) == [[1, 3], [1, 2], [0, 3], [0, 2]]
    assert wide["rank"].tolist() == [1, 2, 3, 4]
    topics["u_mass"] = [-2.0, -1.0, -5.0, -1.0]
    mean = find(topics, embeddings, threshold=0.5, top=3)
    assert joined(chosen_by(mean, "gap")) == [[1, 3], [0, 3], [1, 2]]
    topics.loc[1, "u_mass"] = np.nan
    last = chosen_by(find(topics, embeddings, threshold=0.5), "gap")
    assert joined(last)[:2] == [[0, 3], [0, 2]]


def test_support_of_both_selections():
    topics = make_topics(
        (4, "female", 3.0, -1.0), (2, "female", 2.0, -2.0), (9, "male", -3.0, -1.0),
        (7, "male", -1.0, -3.0),
    )  # fmt: skip
    odds = np.array([[1.0, 3.0, -1.0, -3.0], [1.0, 2.0, -2.0, -1.0]])
    # Places of topics 2, 4, 7, 9: in the second refit 2 is joined to 9.
    partner = np.array([[-1, 3, -1, -1], [3, -1, -1, -1]])
    recurrence = Recurrence(np.array([2, 4, 7, 9]), odds, partner)
    found = find_pairs(topics, np.ones((4, 2)), SHE, HE, recurrence, SETTINGS)
    pairs = chosen_by(found, "matching")
    assert joined(pairs) == [[4, 9], [2, 7]]
    # In the second refit the strongest are 4 and 7.
    assert pairs["support"].tolist() == [0.5, 0.5]
    assert pairs["support_topics"].tolist() == [1.0, 1.0]
    assert pairs["support_tested"].tolist() == [0.5, 0.0]
    candidates = found.candidates
    assert joined(candidates) == [[2, 7], [2, 9], [4, 7], [4, 9]]
    assert candidates["support"].tolist() == [0.5] * 4
    assert candidates["support_tested"].tolist() == [0.0, 0.5, 0.0, 0.5]
    gap = chosen_by(found, "gap")
    assert gap["support_topics"].tolist() == [1.0] * 4
    # Wilson: of 2 draws 1, at z = 1.96.
    assert pairs["support_low"].tolist() == pytest.approx([0.0945, 0.0945], abs=1e-4)
    assert pairs["support_high"].tolist() == pytest.approx([0.9055, 0.9055], abs=1e-4)
    # Whether the paper's rule would join two topics of a refit cannot be said.
    unknown = ["support", "support_low", "support_high", "support_tested"]
    assert gap[unknown].isna().all(axis=None)
    assert found.pairs["n_draws"].tolist() == [2] * 6


def test_thresholds_are_those_of_the_paper_s_candidates():
    topics = make_topics(*[(k, "male", -1.0, -float(k)) for k in range(12)])
    topics["gender_paper"] = ["female"] + ["male"] * 4 + ["none"] * 7
    embeddings = np.random.default_rng(2).normal(size=(12, 5))
    she, he = np.random.default_rng(3).normal(size=(2, 5))
    found = find(topics, embeddings, she, he, threshold=0.3, rule="same", candidates=3)
    assert set(found.thresholds["n_candidates"]) == {3}
    gap = chosen_by(found, "gap").iloc[0]
    own = found.thresholds.query("rule == 'same' and threshold == 0.3").iloc[0]
    for name in ("n_passing", "chance_passing", "chance_low", "chance_high"):
        assert own[name] == gap[name]
    assert 0 < own["chance_passing"] < own["chance_high"] <= 3


def test_chance_of_the_matching_is_over_stable_topics():
    topics = make_topics(
        (0, "female", 1.0, -1.0), (1, "male", -1.0, -1.0), (2, "none", 1.0, -1.0),
        (3, "none", 1.0, -1.0),
    ).assign(stable=[True, True, False, False])  # fmt: skip
    # 0 and 1 have no gap, whoever is female; 2 and 3 have one with all.
    embeddings = np.array([[1.0, 1.0], [1.0, 1.0], [-1.0, 0.2], [-1.0, 0.2]])
    found = find(topics, embeddings).pairs
    assert found["chance_passing"].iloc[0] == 1.0
    assert found["chance_passing"].iloc[1] < 0.5


@pytest.mark.parametrize(
    ("genders", "note", "paper_note"),
    [
        ([], "no pair: the region has no topics", "no pair: the region has no topics"),
        (
            ["none", "none"],
            "no pair: no topic could be told to be female or male",
            "no pair: no topic is female or male by the paper's rule",
        ),
        (
            ["female", "none"],
            "no pair: no topic could be told to be male",
            "no pair: no topic is male by the paper's rule",
        ),
        (
            ["male", "male"],
            "no pair: no topic could be told to be female",
            "no pair: no topic is female by the paper's rule",
        ),
    ],
)
def test_a_region_without_a_pair_says_why(genders, note, paper_note):
    topics = make_topics(*[(k, gender, 1.0, -1.0) for k, gender in enumerate(genders)])
    found = find(topics, np.ones((len(genders), 2)))
    assert found.pairs["selection"].tolist() == ["matching", "gap"]
    assert found.pairs["note"].tolist() == [note, paper_note]
    for row in found.pairs.to_dict("records"):
        assert (row["rank"], row["female_topic"], row["male_topic"]) == (0, -1, -1)
        assert (row["n_candidates"], row["n_passing"], row["passes_gap"]) == (0, 0, False)
        assert np.isnan(row["chance_passing"])
    assert len(found.thresholds) == 21
    assert (found.thresholds["n_passing"] == 0).all()
    assert found.thresholds["chance_high"].isna().all()
    small = find(topics.assign(p_min_female=0.2, p_min_male=0.2)).pairs["note"]
    assert ["are too small to be told to be" in text for text in small] == [len(genders) > 0, False]


def test_a_region_whose_topics_of_a_gender_are_all_unstable_says_so():
    topics = make_topics(
        (0, "female", 1.0, -1.0), (1, "male", -1.0, -1.0), (2, "none", 0.1, -1.0)
    ).assign(stable=[False, True, True])
    found = chosen_by(find(topics), "matching")
    assert found["note"].tolist() == [
        "no pair: no female topic is stable; left out as unstable: 1 female"
    ]
    topics["gender_tested"] = ["female", "none", "none"]
    found = chosen_by(find(topics.assign(p_min_male=0.2)), "matching")
    assert found["note"].tolist() == [
        "no pair: no topic could be told to be male; no female topic is stable; "
        "3 of 3 are too small to be told to be male; left out as unstable: 1 female"
    ]


@pytest.mark.parametrize(("needed", "small"), [(0.0004, 3), (0.004, 2), (0.04, 1), (0.4, 0)])
def test_too_small_is_a_topic_that_the_language_s_tests_would_not_have_called(needed, small):
    topics = make_topics(
        (0, "female", 1.0, -1.0), (1, "none", -1.0, -1.0), (2, "none", 0.1, -1.0)
    ).assign(p_min_male=[0.001, 0.01, 0.1], p_min_female=0.9, p_needed=needed)
    (note,) = chosen_by(find(topics), "matching")["note"]
    said = f"; {small} of 3 are too small to be told to be male" if small else ""
    assert note == f"no pair: no topic could be told to be male{said}"


def test_no_pair_under_the_threshold():
    topics = make_topics((0, "female", 1.0, -1.0), (1, "male", -1.0, -1.0))
    found = find(topics, np.array([[1.0, 0.0], [1.0, 0.0]]))
    (row,) = chosen_by(found, "gap").to_dict("records")
    assert (row["rank"], row["n_candidates"], row["n_passing"]) == (0, 1, 0)
    assert row["note"] == "no pair passes: none of 1 candidate pairs has a gap under 0.01"
    assert (row["chance_passing"], row["chance_low"], row["chance_high"]) == (0, 0, 0)
    matched = chosen_by(found, "matching")
    assert matched["rank"].tolist() == [1]
    assert matched["passes_gap"].tolist() == [False]
