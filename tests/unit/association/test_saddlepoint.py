"""The saddlepoint approximation against exact p-values, brute force and its own symmetries."""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biasatlas.association import permutation_test
from biasatlas.association.lookup import look_up
from biasatlas.association.permutation import saddlepoint
from biasatlas.association.permutation.saddlepoint import saddlepoint_p
from biasatlas.association.scores import word_associations
from biasatlas.lexicons.word_lists import load_tests
from biasatlas.vectors import load_vectors

LISTS = Path(__file__).parents[3] / "resources" / "word_lists" / "weat" / "en"


def relative_error(x: np.ndarray, y: np.ndarray) -> float:
    """Larger of the relative errors of the one-sided and the two-sided p."""
    close, exact = saddlepoint_p(x, y), permutation_test(x, y)
    assert exact.method == "exact"
    return max(
        abs(close.p_value / exact.p_value - 1), abs(close.p_two_sided / exact.p_two_sided - 1)
    )


def draw(rng: np.random.Generator, n_x: int, n_y: int) -> tuple[np.ndarray, np.ndarray]:
    return rng.normal(rng.uniform(-1, 2), 1, n_x), rng.normal(0, 1, n_y)


# Measured over 200 draws of each size: medians 6e-5 to 2e-4, 99% below 3.2e-3, largest 1.2e-2.
@pytest.mark.parametrize(
    ("sizes", "median"),
    [((12, 13), 5e-4), ((16, 16), 2e-4), ((20, 20), 1e-4), ((9, 22), 4e-4), ((22, 9), 4e-4)],
)
def test_relative_error_on_random_scores(sizes, median):
    rng = np.random.default_rng(sum(sizes))
    errors = [relative_error(*draw(rng, *sizes)) for _ in range(40)]
    assert np.median(errors) < median
    assert max(errors) < 2e-2
    assert max(errors) > 0


def test_relative_error_at_the_size_of_weat_1():
    rng = np.random.default_rng(0)
    assert max(relative_error(*draw(rng, 25, 25)) for _ in range(2)) < 1e-3


@pytest.mark.parametrize("sizes", [(4, 4), (2, 7), (6, 6), (7, 7)])
def test_small_tests_are_counted_and_so_exact(sizes):
    rng = np.random.default_rng(sum(sizes))
    for _ in range(20):
        x, y = draw(rng, *sizes)
        if abs(x.mean() - y.mean()) < 0.4:
            continue
        close, exact = saddlepoint_p(x, y), permutation_test(x, y)
        assert close.method == "exact"
        for name in ("p_value", "p_strict", "p_two_sided", "p_lower", "p_upper", "p_min"):
            assert getattr(close, name) == pytest.approx(getattr(exact, name), rel=1e-12)


def test_real_scores(fetched_asset):
    vectors = load_vectors(fetched_asset("glove_6b_50d"))
    tests = {one.test: one for one in load_tests(LISTS)}
    for name in ("WEAT1", "WEAT4", "WEAT9"):
        x, y, a, b = (
            vectors.rows(look_up(getattr(tests[name], one).words, vectors).found) for one in "xyab"
        )
        assert relative_error(word_associations(x, a, b), word_associations(y, a, b)) < 5e-3


def test_an_outlying_word_makes_two_hills_and_is_taken_apart(monkeypatch):
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=6), rng.normal(size=24)
    y[0] = 9.0
    assert relative_error(x, y) < 5e-3
    monkeypatch.setattr(saddlepoint, "MOST_OUTLYING", 0)
    assert relative_error(x, y) > 0.03


def test_the_extremes_are_counted():
    rng = np.random.default_rng(1)
    low, high = rng.normal(0, 1, 30), rng.normal(0, 1, 30)
    high += low.max() - high.min() + 0.01
    top, bottom = saddlepoint_p(high, low), saddlepoint_p(low, high)
    p_min = 1 / math.comb(60, 30)
    assert (top.p_value, top.p_strict, top.method) == (p_min, 0.0, "exact")
    assert top.p_two_sided == 2 * p_min
    assert (bottom.p_value, bottom.p_two_sided) == (1.0, 2 * p_min)


def test_a_difference_of_exactly_nothing():
    scores = np.random.default_rng(2).normal(size=15)
    x, y = np.concatenate([scores, -scores]), np.concatenate([scores + 0.0, -scores])[::-1] * 2
    result = saddlepoint_p(x, y)
    assert result.method == "saddlepoint"
    assert result.p_two_sided == 1.0
    assert result.p_value == pytest.approx(0.5, abs=1e-9)


def test_no_seam_where_interpolation_near_the_mean_begins():
    rng = np.random.default_rng(3)
    pooled = np.sort(rng.gamma(2.0, size=40))
    pooled -= pooled.mean()
    n = 15
    variance = n * (40 - n) / 39 * np.mean(pooled**2)
    # The threshold as such, in standard deviations of the sum, on both sides of the seam.
    places = np.linspace(0.8, 1.2, 41) * saddlepoint.NEAR * math.sqrt(variance)
    log_number = math.log(math.comb(40, n))
    tails = np.array([saddlepoint._upper_tail(pooled, n, one, log_number)[0] for one in places])
    steps = np.diff(tails)
    assert (steps < 0).all()
    # The step over the seam is like its neighbours.
    assert np.abs(np.diff(steps)).max() < 0.02 * np.abs(steps).mean()


def test_cumulants_by_every_subset():
    rng = np.random.default_rng(4)
    scores = np.sort(rng.normal(size=11))
    size, log_number = 4, math.log(math.comb(11, 4))
    sums = np.array([sum(some) for some in combinations(scores, size)])
    for rate in (-0.7, 0.0, 0.3, 2.5):
        weights = np.exp(rate * sums)
        weights /= weights.sum()
        mean = weights @ sums
        second, third, fourth = (weights @ (sums - mean) ** power for power in (2, 3, 4))
        expected = [np.log(np.mean(np.exp(rate * sums))), mean, second, third]
        expected.append(fourth - 3 * second**2)
        cumulants = np.zeros(5)
        saddlepoint._cumulants(scores, size, rate, -0.5, log_number, cumulants)
        assert cumulants == pytest.approx(expected, rel=1e-9, abs=1e-10)


def test_scores_on_a_grid_go_to_the_exact_test():
    x, y = np.repeat([0.0, 1.0], [4, 12]), np.repeat([0.0, 1.0], [10, 6])
    assert saddlepoint_p(x, y) == permutation_test(x, y)


def test_more_words_than_anyone_lists():
    rng = np.random.default_rng(6)
    x, y = rng.normal(0.1, 1, 300), rng.normal(0, 1, 280)
    result = saddlepoint_p(x, y)
    pooled = np.concatenate([x, y])
    z = (x.mean() - y.mean()) / (pooled.std(ddof=1) * math.sqrt(1 / 300 + 1 / 280))
    # With so many words the permutation distribution is nearly normal.
    assert result.p_value == pytest.approx(0.5 * math.erfc(z / math.sqrt(2)), rel=0.01)


@given(seed=st.integers(0, 2**32 - 1), n_x=st.integers(1, 30), n_y=st.integers(1, 30))
@settings(max_examples=150)
def test_order_scale_and_swapped_sets(seed, n_x, n_y):
    rng = np.random.default_rng(seed)
    kind = rng.integers(3)
    scores = (rng.normal, rng.standard_cauchy, rng.exponential)[kind](size=n_x + n_y)
    if np.ptp(scores) == 0:
        return
    x, y = scores[:n_x], scores[n_x:]
    one = saddlepoint_p(x, y)
    assert 0 < one.p_min <= one.p_value <= 1
    assert 0 <= one.p_strict <= one.p_value
    assert one.p_min <= one.p_two_sided <= 1
    assert one.p_value == saddlepoint_p(rng.permutation(x), rng.permutation(y)).p_value
    other = saddlepoint_p(y, x)
    assert other.p_two_sided == pytest.approx(one.p_two_sided, rel=1e-6)
    assert other.p_strict == pytest.approx(1 - one.p_value, abs=1e-6)
    scaled = saddlepoint_p(3 * x, 3 * y)
    assert scaled.p_value == pytest.approx(one.p_value, rel=1e-6)


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([], [1.0], "at least one word"),
        ([1.0, math.nan], [1.0, 2.0], "finite"),
        ([1.0, 1.0], [1.0], "scores are equal"),
    ],
    ids=["empty", "not a number", "equal"],
)
def test_what_cannot_be_tested(x, y, message):
    with pytest.raises(ValueError, match=message):
        saddlepoint_p(np.array(x), np.array(y))
