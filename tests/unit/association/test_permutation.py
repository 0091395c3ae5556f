"""Permutation p-values against brute force, scipy and what chance must give."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from biasatlas.association import permutation_test
from biasatlas.association.bootstrap import effect_size_interval


def brute_force(x: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    """P by at least, by greater than, and two-sided, from every partition one by one."""
    pooled = np.concatenate([x, y])
    n = len(pooled)

    def difference(chosen) -> float:
        inside = np.isin(np.arange(n), chosen)
        return float(pooled[inside].mean() - pooled[~inside].mean())

    observed = difference(range(len(x)))
    values = np.array([difference(chosen) for chosen in combinations(range(n), len(x))])
    tie = 1e-9
    return (
        float((values >= observed - tie).mean()),
        float((values > observed + tie).mean()),
        float((np.abs(values) >= abs(observed) - tie).mean()),
    )


def random_case(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    total = int(rng.integers(2, 11))
    n_x = int(rng.integers(1, total))
    # Every other case draws from few values, so that many partitions tie.
    scores = rng.integers(-2, 3, total) / 10 if seed % 2 else rng.normal(size=total)
    return scores[:n_x], scores[n_x:]


@pytest.mark.parametrize("seed", range(200))
def test_exact_p_equals_brute_force(seed):
    x, y = random_case(seed)
    result = permutation_test(x, y)
    assert (result.p_value, result.p_strict, result.p_two_sided) == pytest.approx(brute_force(x, y))
    total = math.comb(len(x) + len(y), len(x))
    assert result.method == "exact"
    assert result.p_min == pytest.approx(1 / total)
    assert 0 < result.p_lower <= result.p_value <= result.p_upper <= 1
    assert result.p_value >= result.p_min


def test_the_random_cases_hold_ties_and_unequal_sizes():
    cases = [random_case(seed) for seed in range(200)]
    assert sum(len(x) != len(y) for x, y in cases) > 100
    gap = [brute_force(x, y) for x, y in cases]
    sizes = [math.comb(len(x) + len(y), len(x)) for x, y in cases]
    tied = [p - strict > 1.5 / n for (p, strict, _), n in zip(gap, sizes, strict=True)]
    assert sum(tied) > 50


@pytest.mark.parametrize("sizes", [(8, 8), (5, 7), (4, 9)])
def test_exact_p_equals_scipy(sizes):
    rng = np.random.default_rng(sum(sizes))
    x, y = rng.normal(0.4, 1, sizes[0]), rng.normal(0, 1, sizes[1])

    def statistic(x, y, axis):
        return x.mean(axis=axis) - y.mean(axis=axis)

    reference = stats.permutation_test(
        (x, y), statistic, n_resamples=np.inf, alternative="greater", vectorized=True
    )
    assert permutation_test(x, y).p_value == pytest.approx(reference.pvalue, abs=1e-12)


def test_smallest_p_at_eight_against_eight():
    result = permutation_test(np.arange(8.0) + 10, np.arange(8.0))
    assert result.p_value == result.p_min == 1 / 12_870
    assert result.p_strict == 0
    assert result.p_two_sided == 2 / 12_870
    assert (result.p_lower, result.p_upper) == (1 / 12_870, 1 / 12_870)


def test_equal_scores_give_p_of_one():
    result = permutation_test(np.ones(4), np.ones(5))
    assert (result.p_value, result.p_strict, result.p_two_sided) == (1, 0, 1)


def test_ties_survive_large_offsets_and_tiny_scales():
    x, y = np.array([0.3, 0.1, 0.2]), np.array([0.2, 0.1, 0.0, 0.3])
    plain = permutation_test(x, y)
    for moved in (permutation_test(x + 1000, y + 1000), permutation_test(x * 1e-9, y * 1e-9)):
        assert moved == plain


def test_sampled_p_is_never_zero_and_its_band_holds_the_exact_p():
    rng = np.random.default_rng(4)
    held = []
    for effect in (0.0, 0.0, 0.5, 1.0, 1.5, 3.0):
        x, y = rng.normal(effect, 1, 9), rng.normal(0, 1, 8)
        exact = permutation_test(x, y)
        sampled = permutation_test(x, y, max_exact=10, samples=4_999, seed=1)
        assert sampled.method == "sampled"
        assert sampled.p_min == 1 / 5_000
        assert sampled.p_value >= sampled.p_min
        assert sampled.p_two_sided >= sampled.p_min
        assert sampled.p_lower <= sampled.p_value <= sampled.p_upper
        held.append(sampled.p_lower <= exact.p_value <= sampled.p_upper)
        assert sampled.p_value == pytest.approx(exact.p_value, abs=0.03)
        assert sampled.p_two_sided == pytest.approx(exact.p_two_sided, abs=0.03)
    assert all(held)


def test_sampled_p_beyond_the_reach_of_counting():
    x, y = np.linspace(1, 2, 30), np.linspace(0, 0.9, 30)
    one, again, other = (permutation_test(x, y, samples=999, seed=seed) for seed in (1, 1, 2))
    assert one == again
    assert one.p_value == other.p_value == 1 / 1_000
    assert one.p_strict == 0
    assert 1 / math.comb(60, 30) <= one.p_lower < 1 / 1_000 < one.p_upper


def test_sampled_p_depends_on_its_seed_only():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=25), rng.normal(size=25)
    values = {permutation_test(x, y, samples=999, seed=seed).p_value for seed in range(5)}
    assert len(values) > 1


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [([], [1.0], "at least one"), ([1.0], [], "at least one"), ([np.nan], [1.0], "finite")],
)
def test_scores_that_have_no_p(x, y, message):
    with pytest.raises(ValueError, match=message):
        permutation_test(np.array(x), np.array(y))


scores = st.lists(st.floats(-1, 1, allow_subnormal=False), min_size=1, max_size=6)


@settings(max_examples=100, deadline=None)
@given(x=scores, y=scores)
def test_two_sided_p_has_no_direction(x, y):
    forth = permutation_test(np.array(x), np.array(y))
    back = permutation_test(np.array(y), np.array(x))
    assert forth.p_two_sided == back.p_two_sided
    assert back.p_value == pytest.approx(1 - forth.p_strict)
    assert forth.p_value <= forth.p_two_sided + 1e-12 or np.mean(x) <= np.mean(y) + 1e-9


def test_p_is_uniform_without_an_effect():
    rng = np.random.default_rng(11)
    p = np.array(
        [permutation_test(rng.normal(size=6), rng.normal(size=6)).p_value for _ in range(500)]
    )
    # One of 924 values: moved to the middle of its step, it is uniform on (0, 1).
    jittered = p - rng.random(500) / 924
    assert stats.kstest(jittered, "uniform").pvalue > 0.01
    two = [permutation_test(rng.normal(size=6), rng.normal(size=7)).p_two_sided for _ in range(500)]
    assert stats.kstest(np.array(two) - rng.random(500) / 1716, "uniform").pvalue > 0.01


def cosines_with_effect(effect: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    lift = np.repeat([effect, -effect], 8)[:, None]
    noise = rng.normal(scale=0.05, size=(2, 16, 10))
    return lift + noise[0], -lift + noise[1]


def test_bootstrap_interval_of_a_clear_effect():
    a, b = cosines_with_effect(0.1)
    s = a.mean(axis=1) - b.mean(axis=1)
    d = (s[:8].mean() - s[8:].mean()) / s.std(ddof=1)
    low, high = effect_size_interval(a, b, 8, seed=3)
    assert 1.5 < low < d < high < 2.2
    assert effect_size_interval(a, b, 8, seed=3) == (low, high)
    assert effect_size_interval(a, b, 8, seed=4) != (low, high)
    narrow = effect_size_interval(a, b, 8, seed=3, level=0.5)
    assert low < narrow[0] < narrow[1] < high


def test_bootstrap_interval_is_that_of_words_drawn_one_by_one():
    a, b = cosines_with_effect(0.02)
    rng = np.random.default_rng(9)
    effects = []
    for _ in range(3_000):
        rows = np.concatenate([rng.integers(0, 8, 8), rng.integers(8, 16, 8)])
        columns = rng.integers(0, 10, (2, 10))
        s = a[np.ix_(rows, columns[0])].mean(axis=1) - b[np.ix_(rows, columns[1])].mean(axis=1)
        effects.append((s[:8].mean() - s[8:].mean()) / s.std(ddof=1))
    expected = np.quantile(effects, [0.025, 0.975])
    assert effect_size_interval(a, b, 8, replicates=5_000, seed=2) == pytest.approx(
        expected, abs=0.06
    )


def test_bootstrap_interval_of_nothing_holds_zero_and_mirrors():
    a, b = cosines_with_effect(0.0)
    low, high = effect_size_interval(a, b, 8, seed=1)
    assert low < 0 < high
    assert high - low > 1


def test_bootstrap_interval_without_spread_is_nan():
    flat = np.ones((6, 3))
    assert np.isnan(effect_size_interval(flat, flat, 3)).all()
