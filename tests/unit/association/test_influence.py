"""Leave-one-out influence against brute recomputation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from biasatlas.association.influence import leave_one_out
from biasatlas.association.scores import effect_size, effect_sizes


def d_of(a: np.ndarray, b: np.ndarray, n_x: int) -> float:
    """D by its definition, NaN where it has none."""
    if not (0 < n_x < len(a) and a.shape[1] and b.shape[1]):
        return float("nan")
    s = a.mean(axis=1) - b.mean(axis=1)
    try:
        return effect_size(s[:n_x], s[n_x:])
    except ValueError:
        return float("nan")


def brute(a: np.ndarray, b: np.ndarray, n_x: int) -> tuple[list[float], list[float], list[float]]:
    d = d_of(a, b, n_x)
    targets = [
        d_of(np.delete(a, i, 0), np.delete(b, i, 0), n_x - (i < n_x)) - d for i in range(len(a))
    ]
    in_a = [d_of(np.delete(a, i, 1), b, n_x) - d for i in range(a.shape[1])]
    in_b = [d_of(a, np.delete(b, i, 1), n_x) - d for i in range(b.shape[1])]
    return targets, in_a, in_b


# Quarters tie often and keep sums exact, so that an undefined d is undefined in both ways.
QUARTERS = st.integers(-4, 4).map(lambda value: value / 4)


@st.composite
def cases(draw):
    n_x, n_y, n_a, n_b = (draw(st.integers(1, 6)) for _ in range(4))
    a = draw(arrays.arrays(float, (n_x + n_y, n_a), elements=QUARTERS))
    b = draw(arrays.arrays(float, (n_x + n_y, n_b), elements=QUARTERS))
    return a, b, n_x


@settings(max_examples=300, deadline=None)
@given(cases())
def test_influence_is_recomputation_without_each_word(case):
    a, b, n_x = case
    found = leave_one_out(a, b, n_x)
    for values, expected in zip((found.targets, found.a, found.b), brute(a, b, n_x), strict=True):
        np.testing.assert_allclose(values, expected, atol=1e-12, rtol=0)


def test_by_hand():
    # Scores 3, 1 and -1, -3: d = 4 / sqrt(20 / 3). Without the 3: mean 1 against -2, sd 2.
    scores = np.array([[3.0], [1.0], [-1.0], [-3.0]])
    found = leave_one_out(scores, np.zeros((4, 1)), 2)
    d = 4 / np.sqrt(20 / 3)
    assert found.targets[0] == pytest.approx(3 / 2 - d)
    # Without the 1: 3 against -2; deviations of 3, -1, -3 from -1/3.
    assert found.targets[1] == pytest.approx(5 / np.sqrt((100 + 4 + 64) / 9 / 2) - d)
    assert found.targets[2:] == pytest.approx(found.targets[1::-1])
    assert np.isnan(found.a).all()
    assert np.isnan(found.b).all()


def test_a_word_that_makes_the_effect_has_negative_influence():
    rng = np.random.default_rng(0)
    a, b = rng.normal(scale=0.1, size=(2, 20, 12))
    a[:10, 3] += 20.0 / 3
    found = leave_one_out(a, b, 10)
    assert found.a.argmin() == 3
    assert found.a[3] < -1
    assert np.abs(np.delete(found.a, 3)).max() < 0.2


def test_last_word_of_a_set_and_equal_scores_are_nan():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(5, 1)), rng.normal(size=(5, 2))
    found = leave_one_out(a, b, 1)
    assert np.isnan(found.targets[0])
    assert np.isfinite(found.targets[1:]).all()
    assert np.isnan(found.a).all()
    assert np.isfinite(found.b).all()
    flat = leave_one_out(np.full((4, 3), 0.1), np.zeros((4, 2)), 2)
    assert np.isnan(np.concatenate([flat.targets, flat.a, flat.b])).all()


def test_only_one_word_differs():
    # 0.1 has no exact mean, so a shortcut through sums would leave rounding for a spread.
    scores = np.full((6, 1), 0.1)
    scores[2] = 0.7
    found = leave_one_out(scores, np.zeros((6, 1)), 3)
    assert np.isnan(found.targets[2])
    assert np.isfinite(np.delete(found.targets, 2)).all()


def test_swapping_x_and_y_negates():
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(9, 4)), rng.normal(size=(9, 5))
    one, two = leave_one_out(a, b, 4), leave_one_out(np.roll(a, 5, 0), np.roll(b, 5, 0), 5)
    np.testing.assert_allclose(np.roll(two.targets, -5), -one.targets, atol=1e-12)
    np.testing.assert_allclose(two.a, -one.a, atol=1e-12)
    np.testing.assert_allclose(two.b, -one.b, atol=1e-12)


def test_effect_sizes_of_many_score_vectors():
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(3, 4, 11))
    found = effect_sizes(scores, 5)
    assert found.shape == (3, 4)
    assert found[2, 1] == pytest.approx(effect_size(scores[2, 1, :5], scores[2, 1, 5:]))
    scores[0, 0, 0] = np.nan
    assert np.isnan(effect_sizes(scores, 5)[0, 0])
    assert np.isnan(effect_sizes(scores, 0)).all()
    assert np.isnan(effect_sizes(scores, 11)).all()
