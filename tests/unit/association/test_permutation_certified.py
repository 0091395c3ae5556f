"""Certified permutation p-values against exact counts, theory and their own promises."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from biasatlas.association import permutation_test
from biasatlas.association.permutation import vaaler
from biasatlas.association.permutation.characteristic import characteristic_function, rounding_error
from biasatlas.association.permutation.vaaler import extremal_transform


@pytest.mark.parametrize("rate", [0.0, 0.7, 5.0, 40.0])
@pytest.mark.parametrize("terms", [1, 7, 16])
def test_extremal_functions_enclose_the_jump_and_touch_it(rate, terms):
    grid = np.arange(0, 200 * (terms + 1)) / (200 * (terms + 1))
    transform, _ = extremal_transform(rate / (terms + 1), terms)
    n = np.arange(1, terms + 1)
    waves = np.exp(2j * np.pi * np.outer(grid, n))
    middle = 2 * np.real(waves @ transform)
    if rate:
        middle += 0.5 / np.tanh(rate / (terms + 1) / 2)
        truth = np.exp(-rate * grid) / -np.expm1(-rate)
        before = np.exp(-rate) / -np.expm1(-rate)
    else:
        truth, before = 0.5 - grid, -0.5
    half = 0.5 + np.real(waves @ (1 - n / (terms + 1)))
    upper, lower = (middle + half) / (terms + 1), (middle - half) / (terms + 1)
    assert (upper >= truth - 1e-12).all()
    assert (lower[1:] <= truth[1:] + 1e-12).all()
    # At the jump itself the bounds take its two ends; elsewhere on the grid both touch.
    assert upper[0] == pytest.approx(truth[0])
    assert lower[0] == pytest.approx(before, abs=1e-12)
    touching = slice(200, None, 200)
    assert upper[touching] == pytest.approx(truth[touching], abs=1e-12)
    assert lower[touching] == pytest.approx(truth[touching], abs=1e-12)
    assert (upper - lower).mean() == pytest.approx(1 / (terms + 1))


def test_characteristic_function_is_that_of_all_subsets():
    rng = np.random.default_rng(2)
    phases = rng.integers(-(1 << 62), 1 << 62, 9)
    exponents = rng.normal(size=9)
    inside = 1 / (1 + np.exp(-exponents))
    phi = characteristic_function(phases, inside, 1 - inside, 4, 5, 105)
    subsets = np.array(list(combinations(range(9), 4)))
    weights = np.exp(exponents[subsets].sum(axis=1))
    sums = phases[subsets].sum(axis=1)
    turns = np.arange(5, 105)[:, None] * sums
    expected = np.exp(2j * np.pi * turns / 2.0**64) @ weights / weights.sum()
    assert np.abs(phi - expected).max() < rounding_error(9)


def random_scores(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    n_x, n_y = rng.integers(5, 21, 2)
    effect = rng.choice([-1.5, -0.5, 0.0, 0.5, 1.0, 2.0])
    draw = rng.standard_normal if seed % 3 else lambda size: rng.standard_t(2, size)
    return draw(n_x) + effect, draw(n_y)


@pytest.mark.parametrize("enumerable", [vaaler.ENUMERABLE, 1])
def test_band_holds_the_exact_p(monkeypatch, enumerable):
    monkeypatch.setattr(vaaler, "ENUMERABLE", enumerable)
    monkeypatch.setattr(vaaler, "MOST", 1 << 14)
    methods = set()
    for seed in range(40):
        x, y = random_scores(seed)
        exact = permutation_test(x, y)
        band = permutation_test(x, y, max_exact=1)
        methods.add(band.method)
        # Tails counted one by one are the same quotients, to the last bit of 1 - p.
        bit = 1 + 2.0**-52
        assert band.p_lower <= exact.p_value * bit
        assert band.p_strict <= exact.p_strict * bit
        assert exact.p_value <= band.p_value * bit
        assert exact.p_two_sided <= band.p_two_sided * bit
        assert band.p_min == exact.p_min
        assert 0 <= band.p_strict <= band.p_lower <= band.p_value == band.p_upper <= 1
    assert methods == {"certified", "certified_tail"} | ({"exact"} if enumerable > 1 else set())


def test_band_is_close_where_partitions_are_many():
    rng = np.random.default_rng(7)
    for effect in (-0.6, 0.0, 0.3, 0.9, 1.4):
        x, y = rng.normal(effect, 1, 19), rng.normal(0, 1, 20)
        exact, band = permutation_test(x, y), permutation_test(x, y, max_exact=38)
        assert band.method != "exact"
        assert band.p_lower <= exact.p_value <= band.p_upper <= exact.p_value * 1.001 + 1e-12
        assert exact.p_two_sided <= band.p_two_sided <= exact.p_two_sided * 1.001


@pytest.mark.parametrize("seed", range(16))
def test_width_of_the_band(seed):
    rng = np.random.default_rng(seed)
    n_x, n_y = (int(n) for n in rng.integers(25, 61, 2))
    n_y = max(n_y, 57 - n_x)
    effect = rng.choice([-0.5, 0.0, 0.3, 0.8, 1.2, 1.7])
    x, y = rng.standard_t(4, n_x) / 8 + effect / 8, rng.standard_t(4, n_y) / 8
    result = permutation_test(x, y)
    assert result.method in ("certified", "certified_tail")
    width = result.p_upper - result.p_lower
    assert width <= max(1e-6, 0.01 * result.p_value)
    assert width <= 1e-3 * result.p_value + 1e-15
    wide = permutation_test(x, y, relative_width=0.2)
    assert wide.p_lower <= result.p_upper
    assert result.p_lower <= wide.p_upper
    assert wide.p_upper - wide.p_lower <= 0.2 * wide.p_value


def test_sets_that_part_entirely_are_counted_at_any_size():
    rng = np.random.default_rng(1)
    result = permutation_test(1 + rng.random(40), rng.random(35))
    assert result.method == "exact"
    assert result.p_value == result.p_min == 1 / math.comb(75, 40)
    assert result.p_strict == 0
    against = permutation_test(rng.random(40), 1 + rng.random(35))
    assert against.p_value == 1


def test_order_and_power_of_two_scale_reach_no_bit_of_the_band():
    rng = np.random.default_rng(5)
    for effect in (0.2, 1.2):
        x, y = rng.normal(effect, 1, 31), rng.normal(0, 1, 29)
        plain = permutation_test(x, y)
        assert plain.method != "exact"
        assert permutation_test(rng.permutation(x), rng.permutation(y)) == plain
        assert permutation_test(x / 1024, y / 1024) == plain
        swapped = permutation_test(y, x)
        assert swapped.p_value == 1 - plain.p_strict
        moved = permutation_test(3 * x + 5, 3 * y + 5)
        assert moved.p_value == pytest.approx(plain.p_value, rel=1e-9)


def test_observed_at_the_mean_has_a_two_sided_p_of_one():
    x = np.concatenate([np.arange(30.0), -np.arange(30.0)])
    result = permutation_test(
        x, np.array([0.0, 1.0, -1.0, *np.arange(5.0, 40.0), *-np.arange(5.0, 40.0)])
    )
    assert result.p_two_sided == 1
    assert result.p_strict < 0.5 < result.p_value
    # Whole numbers tie with the observed sum: the band is as wide as the ties and no wider.
    assert result.p_strict == pytest.approx(1 - result.p_value, abs=1e-4)
