"""Exact permutation p-values against brute force, scipy and what chance gives."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from biasatlas.association import permutation_test
from biasatlas.association.permutation.enumeration import enumerate_subsets
from biasatlas.association.permutation.meet_in_the_middle import (
    LONGEST,
    _kept,
    count_subsets,
    list_length,
)
from biasatlas.association.permutation.p_value import smallest_p


def brute_force(x: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    """P by at least, by greater than, and two-sided, from every partition one by one."""
    pooled = np.concatenate([x, y])
    inside = np.array(list(combinations(range(len(pooled)), len(x))))
    sums = pooled[inside].sum(axis=1)
    values = sums / len(x) - (pooled.sum() - sums) / len(y)
    observed = float(x.mean() - y.mean())
    tie = 1e-9
    return (
        float((values >= observed - tie).mean()),
        float((values > observed + tie).mean()),
        float((np.abs(values) >= abs(observed) - tie).mean()),
    )


def random_case(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    total = 2 + seed % 15
    n_x = int(rng.integers(1, total))
    while True:
        # Every other case draws from few values, so that many partitions tie.
        few = rng.integers(-2, 3, total) / 10
        scores = few if seed % 2 else rng.normal(size=total)
        if np.ptp(scores) > 0:
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


def test_the_random_cases_hold_every_size_ties_unequal_and_one_word_sets():
    cases = [random_case(seed) for seed in range(200)]
    assert {len(x) + len(y) for x, y in cases} == set(range(2, 17))
    assert sum(len(x) != len(y) for x, y in cases) > 100
    assert sum(len(x) == 1 for x, _ in cases) > 5
    assert sum(len(y) == 1 for _, y in cases) > 5
    results = [permutation_test(x, y) for x, y in cases]
    assert sum(r.p_value - r.p_strict > 1.5 * r.p_min for r in results) > 50


@pytest.mark.parametrize("sizes", [(6, 6), (8, 8), (5, 7), (4, 9)])
def test_exact_p_equals_scipy(sizes):
    rng = np.random.default_rng(sum(sizes))
    x, y = rng.normal(0.4, 1, sizes[0]), rng.normal(0, 1, sizes[1])

    def statistic(x, y, axis):
        return x.mean(axis=axis) - y.mean(axis=axis)

    reference = stats.permutation_test(
        (x, y), statistic, n_resamples=np.inf, alternative="greater", vectorized=True
    )
    assert permutation_test(x, y).p_value == pytest.approx(reference.pvalue, abs=1e-12)


@pytest.mark.parametrize("longest", [1, 5, 100, 3_000])
def test_split_lists_count_what_whole_lists_count(longest):
    rng = np.random.default_rng(longest)
    for size, words in ((9, 18), (4, 17), (1, 12), (11, 13)):
        scores = np.sort(
            rng.integers(-10_000, 10_000, words) if words % 2 else rng.integers(-4, 5, words)
        )
        low = int(rng.choice(scores, size, replace=False).sum())
        thresholds = (low, low + 2, -low)
        whole = count_subsets(scores, size, *thresholds)
        sums = scores[np.array(list(combinations(range(words), size)))].sum(axis=1)
        assert whole == ((sums >= low).sum(), (sums > low + 2).sum(), (sums >= -low).sum())
        assert count_subsets(scores, size, *thresholds, longest=longest) == whole
        assert max(list_length(_kept(words // 2, size, longest), size), 1) <= longest


def test_lists_of_any_size_take_less_than_a_gigabyte():
    for size in range(1, 29):
        assert 3 * 8 * list_length(_kept(28, size, LONGEST), size) < 1e9
    assert list_length(28, 28) > LONGEST  # 28 v 28 does take the split


def test_very_unequal_sets_are_counted_beyond_the_limit():
    rng = np.random.default_rng(3)
    x, y = rng.normal(1, 1, 3), rng.normal(0, 1, 60)
    result = permutation_test(x, y)
    assert result.method == "exact"
    assert (result.p_value, result.p_strict, result.p_two_sided) == pytest.approx(brute_force(x, y))
    mirrored = permutation_test(y, x)
    assert mirrored.p_value == pytest.approx(1 - result.p_strict)


def test_subsets_found_one_by_one():
    rng = np.random.default_rng(8)
    for _ in range(100):
        scores = rng.integers(-5, 6, int(rng.integers(1, 10)))
        size = int(rng.integers(1, scores.size + 1))
        sums = scores[np.array(list(combinations(range(scores.size), size)))].sum(axis=1)
        low = int(rng.choice(sums))
        expected = ((sums >= low).sum(), (sums > low + 1).sum())
        assert enumerate_subsets(scores, size, low, low + 1) == expected


def test_smallest_p_at_eight_against_eight():
    result = permutation_test(np.arange(8.0) + 10, np.arange(8.0))
    assert result.p_value == result.p_min == 1 / 12_870
    assert result.p_strict == 0
    assert result.p_two_sided == 2 / 12_870
    assert (result.p_lower, result.p_upper) == (1 / 12_870, 1 / 12_870)


def test_ties_survive_large_offsets_and_any_scale():
    x, y = np.array([0.3, 0.1, 0.2]), np.array([0.2, 0.1, 0.0, 0.3])
    plain = permutation_test(x, y)
    assert permutation_test(x + 1000, y + 1000) == plain
    for scale in (1e-300, 1e-9, 3.0, 1e300):
        assert permutation_test(x * scale, y * scale) == plain


def test_sums_a_hair_apart_are_ties_and_widen_the_band():
    x, y = np.array([0.3, 0.1]), np.array([0.2, 0.2 + 1e-14, 0.5])
    result = permutation_test(x, y)
    # Sums: .3 + .1 ties with .2 + .2; above it are .3 + .2 twice, .5 + anything four times.
    assert result.p_value == 8 / 10
    assert result.p_strict == 6 / 10
    assert (result.p_lower, result.p_upper) == (7 / 10, 8 / 10)


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([], [1.0], "at least one"),
        ([1.0], [], "at least one"),
        ([np.nan], [1.0], "finite"),
        ([1.0, 2.0], [-np.inf], "finite"),
        ([1.0, 1.0], [1.0], "all association scores are equal"),
        ([0.1 + 0.2], [0.3], "all association scores are equal"),
        ([0.0], [0.0, 0.0], "all association scores are equal"),
    ],
)
def test_scores_that_have_no_p(x, y, message):
    with pytest.raises(ValueError, match=message):
        permutation_test(np.array(x), np.array(y))


scores = st.lists(st.floats(-1, 1, allow_subnormal=False), min_size=1, max_size=6)


@settings(max_examples=200, deadline=None)
@given(x=scores, y=scores, data=st.data())
def test_swapping_the_sets_mirrors_p_and_their_order_is_nothing(x, y, data):
    if np.ptp([*x, *y]) <= 1e-11 * max(np.abs([*x, *y])):
        return
    forth = permutation_test(np.array(x), np.array(y))
    back = permutation_test(np.array(y), np.array(x))
    total = math.comb(len(x) + len(y), len(x))
    assert round(back.p_value * total) == total - round(forth.p_strict * total)
    assert forth.p_two_sided == back.p_two_sided
    assert forth.p_value <= forth.p_two_sided + 1e-12 or np.mean(x) <= np.mean(y) + 1e-9
    shuffled = [np.array(data.draw(st.permutations(group))) for group in (x, y)]
    assert permutation_test(*shuffled) == forth


@settings(max_examples=100, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    n_x=st.integers(1, 9),
    n_y=st.integers(1, 9),
    scale=st.floats(1e-6, 1e6),
    shift=st.floats(-10, 10),
)
def test_scale_and_shift_change_nothing(seed, n_x, n_y, scale, shift):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=n_x), rng.normal(size=n_y)
    plain = permutation_test(x, y)
    assert permutation_test(scale * (x + shift), scale * (y + shift)) == plain
    negated = permutation_test(-x, -y)
    assert negated.p_value == pytest.approx(1 - plain.p_strict)


def test_p_is_uniform_without_an_effect():
    rng = np.random.default_rng(11)
    draws = rng.normal(size=(2_000, 16))
    p = np.array([permutation_test(draw[:8], draw[8:]).p_value for draw in draws])
    # One of 12,870 values: moved to a random point of its step, it is uniform on (0, 1).
    assert stats.kstest(p - rng.random(2_000) / 12_870, "uniform").pvalue > 0.01
    two = np.array([permutation_test(draw[:7], draw[7:]).p_two_sided for draw in draws])
    assert stats.kstest(two - rng.random(2_000) / 11_440, "uniform").pvalue > 0.01


def test_the_smallest_p_is_never_nought():
    assert smallest_p(12_870) == 1 / 12_870
    assert 0 < smallest_p(math.comb(1200, 600)) < 1e-300
