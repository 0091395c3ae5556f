"""The gender of topics: by hand, against enumeration, and under dependence within documents."""

from __future__ import annotations

import math
from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from biasatlas.topics.alignment import (
    align_topics,
    expected_female,
    log_odds,
    log_odds_interval,
    measure_genders,
    permutation_p,
    tell_genders,
)

QUICK = {"permutations": 499, "bootstrap": 200}


def make_passages(*groups: tuple[int, str, str, int]) -> pd.DataFrame:
    """Passages from (topic, gender, document, how many)."""
    rows = [group[:3] for group in groups for _ in range(group[3])]
    return pd.DataFrame(rows, columns=["topic", "gender", "document"]).assign(probability=1.0)


def test_log_odds_by_hand():
    # Topics of 8 f 2 m, 1 f 5 m and 3 f 3 m; each against the sum of the others.
    found = log_odds(np.array([8, 1, 3]), np.array([2, 5, 3]))
    expected = [
        math.log((8.5 / 2.5) / (4.5 / 8.5)),
        math.log((1.5 / 5.5) / (11.5 / 5.5)),
        math.log((3.5 / 3.5) / (9.5 / 7.5)),
    ]
    assert found == pytest.approx(expected)


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=6))
def test_log_odds_are_finite_and_change_sign_with_gender(counts):
    f, m = np.array(counts).T
    assert np.isfinite(log_odds(f, m)).all()
    assert log_odds(f, m) == pytest.approx(-log_odds(m, f))
    assert log_odds(np.stack([f, f]), np.stack([m, m]))[1] == pytest.approx(log_odds(f, m))


def enumerate_p(topic, female, document, n_topics) -> np.ndarray:
    """Two-sided p and mean count over every exchange of gender among equally long documents."""
    rows = [np.flatnonzero(document == d) for d in range(document.max() + 1)]
    strata = [[r for r in rows if len(r) == n] for n in sorted({len(r) for r in rows})]
    counts = []
    for orders in product(*[list(permutations(range(len(some)))) for some in strata]):
        shuffled = female.copy()
        for some, order in zip(strata, orders, strict=True):
            for target, source in enumerate(order):
                shuffled[some[target]] = female[some[source]]
        counts.append(np.bincount(topic[shuffled], minlength=n_topics))
    counts = np.array(counts)
    observed = np.bincount(topic[female], minlength=n_topics)
    smaller = np.minimum((counts >= observed).mean(axis=0), (counts <= observed).mean(axis=0))
    return np.minimum(1, 2 * smaller), counts.mean(axis=0)


@pytest.mark.parametrize("seed", range(6))
def test_permutation_p_equals_enumeration(seed):
    rng = np.random.default_rng(seed)
    document = np.repeat(np.arange(9), [1, 1, 1, 1, 2, 2, 2, 3, 3])
    topic = rng.integers(0, 3, document.size)
    female = rng.random(document.size) < 0.4
    exact, mean = enumerate_p(topic, female, document, 3)
    sampled, *least = permutation_p(topic, female, document, 3, permutations=4_999, seed=1)
    assert sampled == pytest.approx(exact, abs=0.05)
    assert (np.minimum(*least) <= sampled).all()
    assert expected_female(topic, female, document, 3) == pytest.approx(mean)


def test_a_topic_too_small_to_be_told_says_so():
    # Two of twenty documents are in topic 0, and a third of all are female: with one passage a
    # document, no female passage in it is nothing special, and two are not rare enough.
    document = np.arange(21)
    topic = np.array([0, 0] + [1] * 19)
    female = np.array([True] * 7 + [False] * 14)
    p, most_female, most_male = permutation_p(
        topic, female, document, 2, permutations=4_999, seed=0
    )
    # Hypergeometric: both of two are female with chance 7 * 6 / (21 * 20) = 0.1.
    assert most_female[0] == pytest.approx(2 * 0.1, abs=0.02)
    assert p[0] == most_female[0]
    # Both are male with chance 14 * 13 / (21 * 20), so that side can never be told.
    assert most_male[0] == pytest.approx(2 * 14 * 13 / 420, abs=0.03)


def test_documents_that_stand_apart_in_the_rows_are_one_unit():
    document = np.array([0, 1, 0, 2, 1, 2])
    topic = np.array([0, 1, 0, 1, 1, 0])
    female = np.array([True, False, True, False, False, True])
    exact, _ = enumerate_p(topic, female, document, 2)
    sampled, *_ = permutation_p(topic, female, document, 2, permutations=4_999, seed=3)
    assert sampled == pytest.approx(exact, abs=0.05)


def test_a_planted_effect_is_found():
    groups = [(-1, ("female", "male")[d % 2], f"o{d}", 1) for d in range(20)]
    groups += [(0, "female" if d % 6 else "male", f"f{d}", 2) for d in range(36)]
    groups += [(1, "male" if d % 6 else "female", f"m{d}", 2) for d in range(36)]
    groups += [(2, ("female", "male")[d % 2], f"n{d}", 2) for d in range(36)]
    frame = align_topics(make_passages(*groups), **QUICK)
    assert frame["topic"].tolist() == [-1, 0, 1, 2]
    assert frame["gender"].tolist() == ["none", "female", "male", "none"]
    found = frame.set_index("topic")
    assert (found.loc[0, "n_female"], found.loc[0, "n_male"]) == (60, 12)
    assert (found.loc[0, "n_passages"], found.loc[0, "n_documents"]) == (72, 36)
    assert found.loc[0, "log_odds"] == pytest.approx(math.log(60.5 / 12.5 / (58.5 / 106.5)))
    assert (
        0 < found.loc[0, "log_odds_low"] < found.loc[0, "log_odds"] < found.loc[0, "log_odds_high"]
    )
    assert found.loc[0, "p_value"] == found.loc[0, "p_min"] == 2 / 500
    assert found.loc[2, "p_value"] > 0.5
    assert frame.loc[0, ["p_value", "p_min", "q_value"]].isna().all()


def test_q_values_are_those_of_the_topics_alone():
    groups = [(k, ("female", "male")[(d * (k + 2)) % 3 > 0], f"{k}-{d}", 1) for k in range(-1, 3)
              for d in range(12)]  # fmt: skip
    frame = align_topics(make_passages(*groups), **QUICK)
    p = frame["p_value"].to_numpy()[1:]
    assert frame["q_value"].to_numpy()[1:] == pytest.approx(stats.false_discovery_control(p))


def clustered(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Documents alike within in topic and in gender, the two independent of each other."""
    sizes = rng.integers(3, 7, 70)
    document = np.repeat(np.arange(70), sizes)
    own_topic, own_gender = rng.random(70) < 0.4, rng.random(70) < 0.35
    stray = rng.random((2, document.size)) < 0.1
    return document, own_topic[document] ^ stray[0], own_gender[document] ^ stray[1]


def test_gender_shuffled_by_document_gives_uniform_p_where_fisher_fails():
    rng = np.random.default_rng(2)
    by_document, by_passage = [], []
    for seed in range(250):
        document, topic, female = clustered(rng)
        p, *_ = permutation_p(topic.astype(int), female, document, 2, permutations=199, seed=seed)
        by_document.append(p[1])
        table = [[np.sum(t & g) for g in (female, ~female)] for t in (topic, ~topic)]
        by_passage.append(stats.fisher_exact(table).pvalue)
    assert np.mean(np.array(by_document) < 0.05) < 0.09
    assert stats.kstest(by_document, "uniform").pvalue > 0.01
    assert np.mean(np.array(by_passage) < 0.05) > 0.2
    assert stats.kstest(by_passage, "uniform").pvalue < 1e-6


def test_the_interval_covers_the_true_log_odds():
    rng = np.random.default_rng(8)
    inside = []
    for seed in range(150):
        document, topic, female = clustered(rng)
        low, high = log_odds_interval(
            topic.astype(int), female, document, 2, replicates=200, seed=seed
        )
        inside.append(low[1] <= 0 <= high[1])
    assert 0.88 < np.mean(inside) < 0.995


def test_the_interval_is_wide_for_a_zero_count():
    frame = align_topics(
        make_passages(
            *[(0, "male", f"a{d}", 1) for d in range(12)],
            *[(1, ("female", "male")[d % 3 > 0], f"b{d}", 1) for d in range(300)],
        ),
        **QUICK,
    ).set_index("topic")
    wide = frame.loc[0, "log_odds_high"] - frame.loc[0, "log_odds_low"]
    assert wide > 3
    assert frame.loc[0, "log_odds_low"] < frame.loc[0, "log_odds"] < frame.loc[0, "log_odds_high"]


def test_dependence_within_documents_widens_the_interval():
    apart = np.arange(80)
    topic, female = np.repeat([0, 1], 40), np.tile(np.repeat([True, False], 10), 4)
    widths = []
    for document in (apart, apart // 10):
        low, high = log_odds_interval(topic, female, document, 2, replicates=2_000, seed=0)
        widths.append(high[0] - low[0])
    assert widths[1] > 1.8 * widths[0]


@pytest.mark.parametrize("gender", ["female", "male"])
def test_a_topic_of_one_gender_has_numbers_but_no_paper_gender(gender):
    other = {"female": "male", "male": "female"}[gender]
    frame = align_topics(
        make_passages(
            *[(0, gender, f"a{d}", 1) for d in range(15)],
            *[(1, (other, gender)[d % 4 == 0], f"b{d}", 1) for d in range(40)],
        ),
        **QUICK,
    ).set_index("topic")
    numbers = ["log_odds", "log_odds_low", "log_odds_high", "p_value", "q_value"]
    assert np.isfinite(frame.loc[[0, 1], numbers].to_numpy(dtype=float)).all()
    assert frame.loc[0, "gender"] == gender
    assert frame.loc[0, "gender_paper"] == "none"
    assert np.isnan(frame.loc[0, f"p_{other}_paper"])
    assert frame.loc[0, f"p_{gender}_paper"] == 1


def test_a_region_of_one_gender_gives_no_topic_a_gender():
    frame = align_topics(make_passages((0, "male", "a", 9), (1, "male", "b", 9)), **QUICK)
    assert frame["gender"].tolist() == ["none"] * 3
    assert frame["p_value"].tolist()[1:] == [1, 1]


def test_a_region_without_passages_has_one_empty_row():
    frame = align_topics(make_passages(), **QUICK)
    assert frame["topic"].tolist() == [-1]
    assert frame["n_passages"].tolist() == [0]
    assert frame["gender"].tolist() == ["none"]


def test_the_paper_s_columns_by_hand():
    frame = pd.DataFrame(
        [
            (0, "female", "a", 1.0), (0, "female", "b", 0.5), (0, "male", "c", 0.7),
            (1, "female", "a", 0.2), (1, "male", "c", 0.4), (1, "male", "d", 0.6),
            (2, "female", "e", 0.5), (2, "male", "f", 0.5),
            (-1, "female", "e", 0.9), (-1, "male", "f", 0.0),
        ],
        columns=["topic", "gender", "document", "probability"],
    )  # fmt: skip
    tested = align_topics(frame, **QUICK).set_index("topic")
    assert tested.loc[0:2, "p_female_paper"].tolist() == pytest.approx([0.75, 0.2, 0.5])
    assert tested.loc[0:2, "p_male_paper"].tolist() == pytest.approx([0.7, 0.5, 0.5])
    assert tested.loc[[-1, 0, 1, 2], "gender_paper"].tolist() == ["none", "female", "male", "none"]
    assert set(tested["gender"]) == {"none"}
    paper = align_topics(frame, rule="paper", **QUICK).set_index("topic")
    assert paper["gender"].equals(paper["gender_paper"])
    assert paper.drop(columns="gender").equals(tested.drop(columns="gender"))


def test_a_topic_whose_two_directions_disagree_has_no_gender():
    """Short documents are female, long ones male; topic 0 is the male part of the short ones."""
    groups = [(0, "male" if d < 20 else "female", f"a{d}", 1) for d in range(60)]
    groups += [(1, "female", f"b{d}", 1) for d in range(140)]
    groups += [(2, "male" if d % 9 else "female", f"c{d}", 10) for d in range(40)]
    topic = align_topics(make_passages(*groups), **QUICK).set_index("topic").loc[0]
    assert topic["log_odds"] > 1
    assert topic["p_value"] == topic["p_min"]
    assert topic["gender"] == "none"


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_the_same_seed_gives_the_same_frame(seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "topic": rng.integers(-1, 3, 40),
            "gender": rng.choice(["female", "male"], 40),
            "document": rng.integers(0, 12, 40).astype(str),
            "probability": rng.random(40),
        }
    )
    settings = {"permutations": 99, "bootstrap": 100, "seed": seed}
    one = align_topics(frame, **settings)
    assert one.equals(align_topics(frame, **settings))
    assert (one["p_value"].dropna() >= 0.02).all()
    assert (one["log_odds_low"] <= one["log_odds_high"]).all()
    swapped = frame.assign(gender=frame["gender"].map({"female": "male", "male": "female"}))
    other = align_topics(swapped, **settings)
    assert other["p_value"].equals(one["p_value"])
    assert other["log_odds"].to_numpy() == pytest.approx(-one["log_odds"].to_numpy())


def test_a_passage_that_counts_as_both_genders_leans_to_neither():
    groups = [(k, gender, f"{k}-{d}", 1) for k in (0, 1) for d in range(30)
              for gender in ("female", "male")]  # fmt: skip
    frame = align_topics(make_passages(*groups), **QUICK)
    assert frame["log_odds"].to_numpy() == pytest.approx(np.zeros(3), abs=1e-12)
    assert set(frame["gender"]) == {"none"}


def random_region(seed: int, n: int = 120) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "topic": rng.integers(-1, 4, size=n),
            "probability": rng.random(n),
            "gender": rng.choice(["female", "male"], size=n),
            "document": rng.integers(0, n // 2, size=n),
        }
    )


def test_regions_of_a_language_are_one_family():
    regions = [measure_genders(random_region(k), permutations=199, bootstrap=100) for k in range(3)]
    told = tell_genders(regions, fdr=0.1)
    p = np.concatenate([frame["p_value"].to_numpy() for frame in regions])
    tested = ~np.isnan(p)
    expected = stats.false_discovery_control(p[tested], method="bh")
    found = np.concatenate([frame["q_value"].to_numpy() for frame in told])
    assert found[tested] == pytest.approx(expected)
    assert np.isnan(found[~tested]).all()
    assert all("excess" not in frame for frame in told)


def test_needed_p_is_the_bar_that_one_more_topic_must_meet():
    frame = pd.DataFrame(
        {
            "topic": [-1, 0, 1, 2, 3],
            "gender_paper": "none",
            "log_odds": [0.0, 1, 1, 1, 1],
            "excess": [0.0, 1, 1, 1, 1],
            "p_value": [math.nan, 0.01, 0.3, 0.4, 0.9],
            "p_min": [math.nan, 0.01, 0.01, 0.01, 0.01],
        }
    )
    (told,) = tell_genders([frame], fdr=0.1)
    assert told["gender"].tolist() == ["none", "female", "none", "none", "none"]
    # One is called; a second must be within 2/4 of the level.
    assert told["p_needed"].tolist()[1:] == pytest.approx([0.05] * 4)
    for p, called in ((0.05, True), (0.051, False)):
        (again,) = tell_genders([frame.assign(p_value=[math.nan, 0.01, p, 0.4, 0.9])], fdr=0.1)
        assert (again["gender"][2] == "female") is called


def test_too_few_permutations_for_so_many_topics_are_told(caplog):
    regions = [measure_genders(random_region(k), permutations=19, bootstrap=100) for k in range(9)]
    tell_genders(regions, fdr=0.01)
    assert "raise topics.permutations" in caplog.text


def test_other_numbers_of_the_same_topics_change_nothing_else():
    passages = random_region(5)
    number = {-1: -1, 0: 7, 1: 3, 2: 12, 3: 0}
    options = {"permutations": 199, "bootstrap": 200}
    first = measure_genders(passages, **options)
    second = measure_genders(passages.assign(topic=passages["topic"].map(number)), **options)
    first["topic"] = first["topic"].map(number)
    pd.testing.assert_frame_equal(first.sort_values("topic", ignore_index=True), second)


def test_moved_passages_have_no_part_in_the_paper_s_means():
    passages = make_passages((0, "female", "a", 2), (0, "male", "b", 2), (1, "male", "c", 2))
    passages = passages.assign(probability=[1.0, 0.0, 0.5, 0.5, 1, 1], moved=False)
    passages.loc[1, "moved"] = True
    row = measure_genders(passages, permutations=99, bootstrap=100).set_index("topic").loc[0]
    assert (row["p_female_paper"], row["p_male_paper"]) == (1.0, 0.5)
    assert (row["n_female"], row["n_male"]) == (2, 2)
