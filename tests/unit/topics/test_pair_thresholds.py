"""Pairs that pass by chance: against every deal of the genders, and by counting."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biasatlas.topics.gaps import passes
from biasatlas.topics.pair_thresholds import (
    THRESHOLDS,
    count_by_chance,
    deal_genders,
    vary_threshold,
)

GENDERS = np.array(["female", "male", "none", "female", "male", "female"])


def count(passing: np.ndarray, genders: tuple[str, ...], most: int) -> int:
    """Pairs that pass among the first `most` of each gender."""
    f, m = ([i for i, g in enumerate(genders) if g == name][:most] for name in ("female", "male"))
    return int(passing[np.ix_(f, m)].sum())


def test_the_interval_is_the_middle_95_percent_of_deals():
    gender = np.repeat(["female", "male", "none"], [3, 3, 2])
    passing = np.random.default_rng(31).random((8, 8)) < 0.5
    counts = [
        int(passing[np.ix_(f, m)].sum())
        for f in combinations(range(8), 3)
        for m in combinations(sorted({*range(8)} - {*f}), 3)
    ]
    found = count_by_chance(passing, deal_genders(gender, 10, deals=20_000, seed=1))
    low, high = np.quantile(counts, [0.025, 0.975], method="inverted_cdf")
    assert (found.low, found.high) == (low, high)
    assert (low, high) == (1, 7)
    assert np.quantile(counts, [0.05, 0.95], method="inverted_cdf").tolist() == [2, 6]


@pytest.mark.parametrize("most", [1, 2, 10])
def test_chance_equals_every_deal(most):
    passing = np.random.default_rng(3).random((6, 6)) < 0.4
    counts = [count(passing, deal, most) for deal in permutations(GENDERS.tolist())]
    found = count_by_chance(passing, deal_genders(GENDERS, most, deals=20_000, seed=1))
    assert np.std(counts) > 0.3
    assert found.passing == pytest.approx(np.mean(counts), abs=4 * np.std(counts) / 20_000**0.5)
    low, high = np.quantile(counts, [0.025, 0.975], method="inverted_cdf")
    assert (found.low, found.high) == (low, high)


def test_without_a_cut_the_mean_is_the_share_of_all_ordered_pairs():
    passing = np.random.default_rng(5).random((6, 6)) < 0.5
    different = ~np.eye(6, dtype=bool)
    found = count_by_chance(passing, deal_genders(GENDERS, 10, deals=40_000, seed=2))
    # A topic is never paired with itself, whatever its own gap.
    assert found.passing == pytest.approx(passing[different].mean() * 6, abs=0.05)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.sampled_from(["female", "male", "none"]), min_size=1, max_size=12),
    st.integers(1, 4),
)
def test_a_deal_keeps_the_numbers_and_takes_the_first(genders, most):
    gender = np.array(genders)
    deals = deal_genders(gender, most, deals=20, seed=7)
    for name, dealt in zip(("female", "male"), deals, strict=True):
        assert (dealt.sum(axis=1) == min(most, genders.count(name))).all()
    assert (deals.female * deals.male == 0).all()
    again = deal_genders(gender, most, deals=20, seed=7)
    assert (again.female == deals.female).all()
    everything = count_by_chance(np.ones((len(gender),) * 2, dtype=bool), deals)
    n = min(most, genders.count("female")) * min(most, genders.count("male"))
    assert (everything.passing, everything.low, everything.high) == pytest.approx(
        (n,) * 3 if n else (np.nan,) * 3, nan_ok=True
    )


def test_every_topic_is_dealt_every_gender():
    deals = deal_genders(GENDERS, 10, deals=4_000, seed=0)
    assert deals.female.mean(axis=0) == pytest.approx(np.full(6, 3 / 6), abs=0.04)
    assert deals.male.mean(axis=0) == pytest.approx(np.full(6, 2 / 6), abs=0.04)


def test_thresholds_by_counting():
    rng = np.random.default_rng(8)
    same, cross = rng.uniform(0, 0.12, (2, 6, 6))
    female, male = np.array([0, 3, 5]), np.array([1, 4])
    deals = deal_genders(GENDERS, 10, deals=500, seed=1)
    found = vary_threshold(same, cross, female, male, deals, 0.03)
    assert found["rule"].drop_duplicates().tolist() == ["either", "both", "same"]
    assert found["threshold"].tolist() == sorted({*THRESHOLDS, 0.03}) * 3
    for row in found.itertuples():
        passing = passes(same, cross, row.threshold, row.rule)
        slow = sum(bool(passing[f, m]) for f in (0, 3, 5) for m in (1, 4))
        assert (row.n_candidates, row.n_passing) == (6, slow)
        chance = count_by_chance(passing, deals)
        assert (row.chance_passing, row.chance_low, row.chance_high) == chance
        assert row.chance_low <= row.chance_passing <= row.chance_high
    for _, rows in found.groupby("rule"):
        assert rows["n_passing"].is_monotonic_increasing
    assert len(vary_threshold(same, cross, female, male, deals, 0.01)) == 21


def test_genders_that_follow_the_gap_pass_more_often_than_chance():
    """A planted effect: pairs pass exactly between the female and the male topics."""
    gender = np.repeat(["female", "male", "none"], 8)
    passing = np.zeros((24, 24), dtype=bool)
    passing[:8, 8:16] = True
    found = count_by_chance(passing, deal_genders(gender, 8, deals=2_000, seed=4))
    assert found.high < 64 * 0.4
    assert found.passing == pytest.approx(64 * 64 / (24 * 23), abs=0.6)
