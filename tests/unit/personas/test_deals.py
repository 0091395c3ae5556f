"""P-values over topics against every deal written out, and against drawn ones."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from biasatlas.personas import deals
from biasatlas.personas.deals import (
    correlate,
    deal_test,
    draw_deals,
    draw_orders,
    spearman_interval,
)

DRAWN = {"permutations": 999, "seed": 4}


def every_deal(values, female, regions):
    """All deals of the same numbers within regions, from the definition."""
    choices = []
    for region in np.unique(regions):
        here = np.flatnonzero(regions == region)
        choices.append(list(itertools.combinations(here, int(female[here].sum()))))
    centred = values - np.array([values[regions == region].mean() for region in regions])
    for deal in itertools.product(*choices):
        yield centred[[topic for part in deal for topic in part]].sum()


def slow_p(values, female, regions):
    centred = values - np.array([values[regions == region].mean() for region in regions])
    observed = abs(centred[female].sum())
    return np.mean([abs(dealt) >= observed - 1e-9 for dealt in every_deal(values, female, regions)])


@st.composite
def topics(draw):
    sizes = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=3))
    female = np.array([g for f, m in sizes for g in [True] * f + [False] * m], dtype=bool)
    regions = np.repeat(np.arange(len(sizes)), [f + m for f, m in sizes])
    shares = st.sampled_from([0, 1 / 7, 2 / 7, 0.5, 1 / 3, 2 / 3, 1])
    values = draw(st.lists(shares, min_size=len(female), max_size=len(female)))
    return np.array(values, dtype=float), female, regions


@settings(max_examples=60)
@given(topics().filter(lambda drawn: 0 < drawn[1].sum() < len(drawn[1])))
def test_p_is_the_share_of_all_deals(drawn):
    values, female, regions = drawn
    found = deal_test(values, female, regions, **DRAWN)
    assert found.exact
    assert found.p_value == pytest.approx(slow_p(values, female, regions))
    assert found.p_min <= found.p_value


def test_p_by_hand():
    # 2 + 2 topics, separated: 2 of 6 deals are as extreme, which is the least there is.
    values, female = np.array([1.0, 0.8, 0.1, 0.0]), np.array([True, True, False, False])
    found = deal_test(values, female, np.zeros(4, dtype=int), **DRAWN)
    assert found == (pytest.approx(1 / 3), pytest.approx(1 / 3), True)
    # 1 + 2 topics are no mirror of themselves: 1 of 3.
    found = deal_test(values[1:], female[1:], np.zeros(3, dtype=int), **DRAWN)
    assert found == (pytest.approx(1 / 3), pytest.approx(1 / 3), True)
    # A region of 1 + 1 topics beside: 12 deals, of which the observed one and its mirror.
    values, female = np.append(values, [0.9, 0.3]), np.append(female, [True, False])
    found = deal_test(values, female, np.array([0, 0, 0, 0, 1, 1]), **DRAWN)
    assert found == (pytest.approx(1 / 6), pytest.approx(1 / 6), True)


def test_a_region_of_one_gender_says_nothing():
    values, female = np.array([1.0, 0.5, 0.2, 0.1]), np.array([True, True, False, False])
    found = deal_test(values, female, np.array([0, 0, 1, 1]), **DRAWN)
    assert found == (1.0, 1.0, True)


def test_the_level_of_a_region_is_no_difference_of_genders():
    # Region 0 stands high and has more female topics; within it genders do not differ.
    values = np.array([0.9, 0.8, 0.9, 0.8, 0.1, 0.2, 0.1, 0.2, 0.1, 0.2])
    female = np.array([True, True, False, False, True, True] + [False] * 4)
    regions = np.repeat([0, 1], [4, 6])
    assert deal_test(values, female, regions, **DRAWN).p_value == 1


def test_equal_values_give_p_one():
    female = np.array([True, True, False, False])
    assert deal_test(np.full(4, 0.3), female, np.zeros(4, dtype=int), **DRAWN).p_value == 1


def test_three_ways_agree(monkeypatch):
    rng = np.random.default_rng(8)
    values = np.round(rng.random(20) * 7) / 7 + np.repeat([0.15, 0], 10)
    female, regions = np.repeat([True, False], 10), np.zeros(20, dtype=int)
    words = deal_test(values, female, regions, **DRAWN)
    monkeypatch.setattr(deals, "COUNTED", 0)
    states = deal_test(values, female, regions, **DRAWN)
    monkeypatch.setattr(deals, "STATES", 0)
    drawn = deal_test(values, female, regions, permutations=20_000, seed=4)
    assert (words.exact, states.exact, drawn.exact) == (True, True, False)
    assert words.p_value == pytest.approx(states.p_value, rel=1e-9)
    assert 0.02 < words.p_value < 0.9
    error = 4 * math.sqrt(words.p_value / 20_000)
    assert drawn.p_value == pytest.approx(words.p_value, abs=error)
    assert drawn.p_min == 1 / 20_001


def test_drawn_deals_over_regions_agree_with_counted_ones(monkeypatch):
    rng = np.random.default_rng(3)
    regions = np.tile([2, 0, 1], 6)
    female = rng.random(18) < 0.4
    values = np.round(rng.random(18) * 7) / 7 + 0.3 * female + regions
    counted = deal_test(values, female, regions, **DRAWN)
    monkeypatch.setattr(deals, "STATES", 0)
    drawn = deal_test(values, female, regions, permutations=20_000, seed=4)
    assert counted.exact
    assert not drawn.exact
    assert counted.p_value == pytest.approx(slow_p(values, female, regions))
    assert drawn.p_value == pytest.approx(
        counted.p_value, abs=4 * math.sqrt(counted.p_value / 20_000)
    )


def test_a_deal_keeps_the_numbers_of_every_region():
    dealt = draw_deals(((4, 1), (3, 3), (6, 2)), 500, 1)
    assert (dealt[:, :4].sum(axis=1) == 1).all()
    assert dealt[:, 4:7].all()
    assert (dealt[:, 7:].sum(axis=1) == 2).all()
    assert dealt[:, :4].mean(axis=0) == pytest.approx(0.25, abs=0.08)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(-5, 5)), min_size=4, max_size=12))
def test_correlation_of_one_region_is_spearmans(pairs):
    x, y = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    found = correlate(x, y, np.zeros(len(x), dtype=int), permutations=99, seed=0)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert np.isnan(found.value)
        return
    assert found.value == pytest.approx(spearmanr(x, y).statistic, abs=1e-9)
    assert -1 <= found.value <= 1


def test_correlation_p_against_all_orders():
    x, y = np.array([1.0, 2, 2, 5, 4]), np.array([0.1, 0.5, 0.3, 0.4, 0.9])
    r = spearmanr(x, y).statistic
    orders = [spearmanr(x, y[list(o)]).statistic for o in itertools.permutations(range(5))]
    exact = np.mean([abs(other) >= abs(r) - 1e-9 for other in orders])
    found = correlate(x, y, np.zeros(5, dtype=int), permutations=20_000, seed=0)
    assert found.p_value == pytest.approx(exact, abs=0.015)


def test_correlation_looks_within_regions():
    # Rising in both regions, while the higher region has the lower log odds.
    x, y = np.array([1, 2, 3, 4, 11, 12, 13, 14.0]), np.array([5, 6, 7, 8, 1, 2, 3, 4.0])
    regions = np.repeat([0, 1], 4)
    assert correlate(x, y, regions, **DRAWN).value == pytest.approx(1)
    # Topics may come in any order, and unknown ones are left out.
    order = np.array([7, 0, 3, 5, 8, 1, 2, 6, 4])
    x, y, regions = np.append(x, 99), np.append(y, np.nan), np.append(regions, 0)
    mixed = correlate(x[order], y[order], regions[order], **DRAWN)
    assert mixed.value == pytest.approx(1)
    assert mixed.p_value == pytest.approx(2 / 24**2, abs=0.01)
    assert all(sorted(o[:4]) == [0, 1, 2, 3] for o in draw_orders((4, 4), 50, 1))


def test_no_correlation_of_three_topics():
    found = correlate(np.arange(3.0), np.arange(3.0), np.zeros(3, dtype=int), **DRAWN)
    assert np.isnan([found.value, *found.interval, found.p_value]).all()


def test_interval_of_the_correlation_by_hand():
    low, high = spearman_interval(0.5, 28)
    half = 1.959964 * math.sqrt(1.125 / 25)
    assert (low, high) == pytest.approx(
        (math.tanh(math.atanh(0.5) - half), math.tanh(math.atanh(0.5) + half))
    )
    low, high = spearman_interval(1.0, 4)
    assert high == 1
    assert low == pytest.approx(math.tanh(math.atanh(0.9) - 1.959964 * math.sqrt(1 + 0.405)))
    assert spearman_interval(-1.0, 4) == pytest.approx((-high, -low))
    assert np.isnan(spearman_interval(0.2, 5, 3)).all()
