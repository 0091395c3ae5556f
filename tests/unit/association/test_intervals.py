"""The interval of d: exact cases, what must not change it, and how often it holds the truth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats

from biasatlas.association.influence import leave_one_out
from biasatlas.association.intervals import effect_size_interval
from biasatlas.association.scores import effect_sizes


def random_test(
    rng: np.random.Generator,
    sizes: tuple[int, int, int, int] = (8, 8, 8, 8),
    *,
    cohen: float = 1.0,
    attributes: float = 1.0,
    noise: float = 1.0,
) -> tuple[np.ndarray, np.ndarray]:
    """Cosines of a test whose scores vary by 1 within sets; Cohen's d of the populations."""
    n_x, n_y, n_a, n_b = sizes
    sign = np.repeat([1.0, -1.0], [n_x, n_y])[:, None]
    words = sign * cohen / 4 + rng.normal(size=(n_x + n_y, 1)) / 2
    a, b = (
        side * words
        + sign * rng.normal(scale=np.sqrt(attributes), size=n) / 2
        + rng.normal(scale=np.sqrt(noise), size=(n_x + n_y, n))
        for side, n in ((1, n_a), (-1, n_b))
    )
    return a, b


def d_of(a: np.ndarray, b: np.ndarray, n_x: int) -> float:
    return float(effect_sizes(a.mean(axis=1) - b.mean(axis=1), n_x))


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_against_the_jackknife_spelt_out_word_by_word(level):
    a, b = random_test(np.random.default_rng(9), (5, 7, 4, 6))
    n_x, n = 5, 12
    root = np.sqrt(n_x * (n - n_x)) / n

    def z(rows, columns_a, columns_b):
        x = sum(row < n_x for row in rows)
        d = d_of(a[np.ix_(rows, columns_a)], b[np.ix_(rows, columns_b)], x)
        return np.arctanh(d * root)

    every = [list(range(size)) for size in (n, 4, 6)]
    sets = [
        [z([r for r in every[0] if r != left], *every[1:]) for left in range(0, n_x)],
        [z([r for r in every[0] if r != left], *every[1:]) for left in range(n_x, n)],
        [z(every[0], [c for c in every[1] if c != left], every[2]) for left in every[1]],
        [z(*every[:2], [c for c in every[2] if c != left]) for left in every[2]],
    ]
    parts = [(len(one) - 1) * np.var(one) for one in sets]
    degrees = sum(parts) ** 2 / sum(v**2 / (len(s) - 1) for v, s in zip(parts, sets, strict=True))
    half = stats.t.ppf((1 + level) / 2, degrees) * np.sqrt(sum(parts))
    centre = z(*every)
    expected = np.tanh([centre - half, centre + half]) / root
    assert effect_size_interval(a, b, n_x, level=level) == pytest.approx(expected)


@pytest.mark.parametrize("sizes", [(8, 8, 8, 8), (3, 9, 5, 2), (25, 12, 25, 7)])
def test_swapping_x_and_y_or_a_and_b_negates_and_reverses(sizes):
    a, b = random_test(np.random.default_rng(1), sizes)
    n_x, n_y = sizes[:2]
    low, high = effect_size_interval(a, b, n_x)
    assert low < high
    turned = effect_size_interval(np.roll(a, n_y, 0), np.roll(b, n_y, 0), n_y)
    assert turned == pytest.approx((-high, -low), abs=1e-7)
    assert effect_size_interval(b, a, n_x) == pytest.approx((-high, -low), abs=1e-7)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    scale=st.floats(1e-6, 1e6),
    shift=st.floats(-2, 2),
    other=st.floats(-2, 2),
)
def test_scale_shift_and_order_change_nothing(seed, scale, shift, other):
    rng = np.random.default_rng(seed)
    a, b = random_test(rng, (5, 7, 6, 4))
    expected = effect_size_interval(a, b, 5)
    assert effect_size_interval(a * scale, b * scale, 5) == pytest.approx(expected, abs=1e-6)
    assert effect_size_interval(a + shift, b + other, 5) == pytest.approx(expected, abs=1e-6)
    rows = np.concatenate([rng.permutation(5), 5 + rng.permutation(7)])
    mixed = a[np.ix_(rows, rng.permutation(6))], b[np.ix_(rows, rng.permutation(4))]
    assert effect_size_interval(*mixed, 5) == pytest.approx(expected, abs=1e-6)
    assert effect_size_interval(a, b, 5) == expected


@pytest.mark.parametrize("cohen", [0.0, 1.0, 4.0])
def test_a_higher_level_is_wider(cohen):
    a, b = random_test(np.random.default_rng(2), (8, 10, 8, 9), cohen=cohen)
    d = d_of(a, b, 8)
    ends = [effect_size_interval(a, b, 8, level=level) for level in (0.05, 0.5, 0.8, 0.95, 0.999)]
    lows, highs = np.array(ends).T
    assert (np.diff(lows) <= 0).all()
    assert (np.diff(highs) >= 0).all()
    assert lows[-1] < lows[1] <= d <= highs[1] <= highs[-1]


@st.composite
def coarse_tests(draw):
    n_x, n_y, n_a, n_b = (draw(st.integers(1, 5)) for _ in range(4))
    quarters = st.integers(-2, 2).map(lambda value: value / 4)
    a = draw(arrays.arrays(float, (n_x + n_y, n_a), elements=quarters))
    b = draw(arrays.arrays(float, (n_x + n_y, n_b), elements=quarters))
    return a, b, n_x


@settings(max_examples=300, deadline=None)
@given(coarse_tests())
def test_ties_and_tiny_sets_give_bounded_ends_around_d_or_nan(case):
    a, b, n_x = case
    low, high = effect_size_interval(a, b, n_x)
    s = a.mean(axis=1) - b.mean(axis=1)
    small = min(n_x, len(a) - n_x, a.shape[1], b.shape[1]) < 2
    if np.isnan([low, high]).any():
        left_out = leave_one_out(a, b, n_x)
        undefined = np.isnan(np.concatenate([left_out.targets, left_out.a, left_out.b])).any()
        assert small or undefined or max(np.ptp(s[:n_x]), np.ptp(s[n_x:])) < 1e-12
        return
    assert not small
    bound = len(a) / np.sqrt(n_x * (len(a) - n_x))
    assert -bound - 1e-9 <= low <= d_of(a, b, n_x) <= high <= bound + 1e-9
    assert low < high


def test_what_cannot_be_computed_is_nan():
    rng = np.random.default_rng(3)
    a, b = random_test(rng)
    flat = np.ones((6, 3))
    assert np.isnan(effect_size_interval(flat, flat, 3)).all()
    apart = np.repeat([0.1, 0.4], 3)[:, None] * np.ones((6, 3))
    assert np.isnan(effect_size_interval(apart, flat, 3)).all()
    a[2, 2] = np.nan
    assert np.isnan(effect_size_interval(a, b, 8)).all()
    assert np.isnan(effect_size_interval(np.where(np.isnan(a), np.inf, a), b, 8)).all()


@pytest.mark.parametrize("level", [0.0, 1.0, 95])
def test_a_level_outside_0_to_1_is_refused(level):
    a, b = random_test(np.random.default_rng(5))
    with pytest.raises(ValueError, match="between 0 and 1"):
        effect_size_interval(a, b, 8, level=level)


def test_attribute_words_that_disagree_widen_it():
    def width(attributes: float) -> float:
        ends = []
        for seed in range(20):
            a, b = random_test(np.random.default_rng(seed), attributes=attributes, noise=0.1)
            ends.append(np.diff(effect_size_interval(a, b, 8)))
        return float(np.mean(ends))

    agree, disagree = width(0.05), width(5.0)
    assert disagree > 1.3 * agree


def test_more_words_narrow_it():
    few, many = (
        effect_size_interval(*random_test(np.random.default_rng(6), (n,) * 4, cohen=0.5), n)
        for n in (8, 200)
    )
    assert np.diff(many) < 0.5
    assert np.diff(few) > 1.5
    assert many[0] < 0.5 / np.sqrt(1 + 0.25 / 4) < many[1]


@pytest.mark.parametrize(("n", "d"), [(8, 1.6), (16, 0.0)])
def test_coverage_at_a_cell(n, d):
    rng = np.random.default_rng(8)
    cohen = d / np.sqrt(1 - d**2 / 4)
    held = 0
    runs = 300
    for _ in range(runs):
        a, b = random_test(rng, (n,) * 4, cohen=cohen, attributes=2.0, noise=3.0)
        low, high = effect_size_interval(a, b, n)
        held += low <= d <= high
    # Not below .95 by more than chance (1 in 1,000), nor so wide that it always holds.
    assert held >= stats.binom.ppf(0.001, runs, 0.95)
    assert held < runs
