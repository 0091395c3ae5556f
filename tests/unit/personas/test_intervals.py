"""Intervals over topics, by hand, against SciPy and against slow references."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, norm, t

from biasatlas.personas.intervals import (
    FEWEST,
    NONE,
    Interval,
    combine,
    draw_weights,
    log_odds_ratio,
    make_strata,
    mean_interval,
    resample,
    wilson,
    wilson_mean,
    woolf,
)


@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_is_scipys_for_whole_numbers(counts):
    k, n = counts
    expected = binomtest(k, n).proportion_ci(method="wilson")
    low, high = wilson(np.array([k / n]), np.array([float(n)]))
    assert (low[0], high[0]) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert low[0] <= k / n <= high[0]


def test_wilson_of_nothing_and_of_parts():
    low, high = wilson(np.array([np.nan, 0.5]), np.array([0.0, 1.0]))
    assert np.isnan([low[0], high[0]]).all()
    # By hand: p = .5, n = 1: half = z sqrt(.25 + z^2 / 4) / (1 + z^2) = .3966 with z = 1.96.
    assert (low[1], high[1]) == pytest.approx((0.0546, 0.9454), abs=2e-3)
    assert wilson_mean(np.array([0.25, 0.75])) == pytest.approx(
        tuple(binomtest(1, 2).proportion_ci(method="wilson"))
    )


def test_wilson_near_the_edge():
    groups = np.repeat([0, 1], 5)
    low = np.array([0.3, 0.3, 0, 0, 0, 0.3, 0, 0, 0, 0])
    for values, by in ((low, "wilson"), (1 - low, "wilson"), (low + 0.02, "bootstrap")):
        draws = resample(np.zeros(10, dtype=int), groups, values, draws=500, seed=0)
        interval, found = mean_interval(values, draws)
        assert found == by
        assert interval.low < values.mean() < interval.high
        if by == "wilson":
            assert interval == wilson_mean(values)


def test_log_odds_ratio_and_woolf_by_hand():
    # Cells 3 1 / 1 3, each with a half more: odds 3.5 / 1.5 against 1.5 / 3.5.
    ratio = float(log_odds_ratio(np.array(3.0), 4, np.array(1.0), 4))
    assert ratio == pytest.approx(2 * math.log(3.5 / 1.5))
    half = 1.959964 * math.sqrt(2 / 3.5 + 2 / 1.5)
    assert woolf(3.0, 4, 1.0, 4) == pytest.approx((ratio - half, ratio + half))
    assert math.isfinite(float(log_odds_ratio(np.array(2.0), 2, np.array(0.0), 2)))


def test_combined_intervals_by_hand():
    # .5 - 2 x .2: below by sqrt(.1^2 + (2 x .04)^2), above by sqrt(.2^2 + (2 x .03)^2).
    parts = [(1.0, 0.5, Interval(0.4, 0.7)), (-2.0, 0.2, Interval(0.17, 0.24)), (0.0, 1.0, NONE)]
    found = combine(0.1, parts)
    assert found.low == pytest.approx(0.1 - math.hypot(0.1, 0.08))
    assert found.high == pytest.approx(0.1 + math.hypot(0.2, 0.06))


def test_single_topics_join_a_stratum():
    # Group 0: regions of 2, 1, 1: the single ones together. Group 1: of 1, 2, 3: to the smallest.
    regions = np.array([0, 0, 1, 2, 0, 1, 1, 2, 2, 2])
    groups = np.array([0] * 4 + [1] * 6)
    strata = make_strata(regions, groups)
    assert [sorted(np.flatnonzero(strata == s).tolist()) for s in np.unique(strata)] == [
        [0, 1],
        [2, 3],
        [4, 5, 6],
        [7, 8, 9],
    ]
    assert np.bincount(make_strata(np.arange(5), np.zeros(5, dtype=int))).tolist() == [5]


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 1)), min_size=2, max_size=30).filter(
        lambda units: min(sum(g == k for _, g in units) for k in (0, 1)) >= 2
    )
)
def test_strata_keep_groups_apart_and_leave_none_alone(units):
    regions, groups = (np.array(column) for column in zip(*units, strict=True))
    strata = make_strata(regions, groups)
    assert np.bincount(strata).min() >= 2
    assert all(len(set(groups[strata == s])) == 1 for s in np.unique(strata))
    # Numbers of regions are names only.
    renamed = make_strata(regions * 7 + 3, groups)
    assert (renamed == strata).all()


def test_weights_give_the_unbiased_variance():
    values = np.array([0.0, 1.0, 5.0, 2.0, 2.5, 7.0, 7.5])
    weights = draw_weights((3, 4), 40_000, 1)
    assert weights[:, :3].sum(axis=1) == pytest.approx(3)
    assert weights[:, 3:].sum(axis=1) == pytest.approx(4)
    expected = 3 * values[:3].var(ddof=1) + 4 * values[3:].var(ddof=1)
    assert (weights @ values).var() == pytest.approx(expected, rel=0.03)
    assert (draw_weights((3, 4), 40_000, 1) == weights).all()


def test_interval_is_nearly_students_where_values_are_normal():
    rng = np.random.default_rng(5)
    values, groups = rng.normal(size=30), np.repeat([0, 1], 15)
    draws = resample(np.zeros(30, dtype=int), groups, values, draws=40_000, seed=0)
    assert draws is not None
    found = draws.interval(draws.sums(values) / 30, values)
    variances = [values[groups == g].var(ddof=1) * 15 for g in (0, 1)]
    degrees = sum(variances) ** 2 / sum(v**2 / 14 for v in variances)
    half = t.ppf(0.975, degrees) * math.sqrt(sum(variances)) / 30
    assert found.low == pytest.approx(values.mean() - half, abs=0.12 * half)
    assert found.high == pytest.approx(values.mean() + half, abs=0.12 * half)
    # The ends lie beyond the plain percentiles, by what t lies beyond the normal distribution.
    tail = norm.cdf(-t.ppf(0.975, degrees))
    assert found.low == pytest.approx(np.quantile(draws.sums(values) / 30, tail))


def test_units_keep_their_weights_in_any_order():
    rng = np.random.default_rng(2)
    regions, groups = np.tile([0, 1, 2], 8), np.repeat([1, 0], 12)
    values = rng.random(24) * (groups == 1)
    draws = resample(regions, groups, values, draws=50, seed=3)
    assert draws is not None
    # Of a constant in each stratum nothing varies, wherever its units stand.
    constant = 3.0 * regions + 10 * groups
    assert draws.sums(constant) == pytest.approx(constant.sum())


def test_no_bootstrap_of_few_or_equal_units():
    few = np.repeat([0, 1], [FEWEST - 1, 20])
    zeros = np.zeros(len(few), dtype=int)
    assert resample(zeros, few, np.arange(float(len(few))), draws=10, seed=0) is None
    groups = np.repeat([0, 1], 6)
    zeros = np.zeros(12, dtype=int)
    assert resample(zeros, groups, groups * 0.3, draws=10, seed=0) is None
    varied = groups * 0.3 + (np.arange(12) == 0)
    assert resample(zeros, groups, varied, draws=10, seed=0) is not None
