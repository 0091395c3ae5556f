"""The vector measures: by hand, by loops over the definitions, and what must not change them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from biasatlas.association.companions import MEASURES, NEUTRAL, ect, mac, measure_words, ripa, rnd
from biasatlas.association.scores import statistic, word_associations

QUICK = settings(max_examples=40, deadline=None)
DIRECTED = ("ripa", "rnd")


def draw_sets(seed: int, sizes=(5, 4, 6, 3), dims=4) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(n, dims)) for n in sizes]


def test_ripa_by_hand():
    x, y = np.array([[3.0, 1.0], [1.0, 5.0]]), np.array([[-1.0, 7.0]])
    a, b = np.array([[2.0, 0.0], [4.0, 0.0]]), np.array([[-7.0, 0.0]])
    # The direction is (1, 0), whatever the lengths: mean of 3 and 1, minus -1.
    assert ripa(x, y, a, b) == pytest.approx(3.0)
    # Not scaled to length one: words twice as long count twice.
    assert ripa(2 * x, 2 * y, a, b) == pytest.approx(6.0)
    assert ripa(x, y, 2 * a, 2 * b) == pytest.approx(3.0)


def test_ripa_is_the_mean_of_inner_products_with_a_unit_direction():
    x, y, a, b = draw_sets(1)
    direction = a.mean(axis=0) - b.mean(axis=0)
    direction /= np.linalg.norm(direction)
    by_word = [[word @ direction for word in some] for some in (x, y)]
    assert ripa(x, y, a, b) == pytest.approx(np.mean(by_word[0]) - np.mean(by_word[1]))


def test_ripa_without_a_direction_is_undefined():
    a = np.array([[1.0, 0.1], [0.1, 1.0]])
    assert math.isnan(ripa(a, a[:1], a, a[::-1]))


def test_rnd_by_hand():
    x, y = np.array([[5.0, 0.0]]), np.array([[0.0, 2.0]])
    a, b = np.array([[3.0, 0.0]]), np.array([[0.0, 0.5]])
    # Each target lies on one attribute and sqrt(2) away from the other.
    assert rnd(x, y, a, b) == pytest.approx(2 * math.sqrt(2))
    # A mean of unit vectors is not scaled again: the mean of A is now (.5, .5).
    a = np.array([[3.0, 0.0], [0.0, 1.0]])
    expected = (math.sqrt(2) - math.sqrt(0.5)) - (0 - math.sqrt(0.5))
    assert rnd(x, y, a, b) == pytest.approx(expected)


def test_rnd_is_the_definition_of_garg_turned_round():
    x, y, a, b = draw_sets(2)
    scaled = [some / np.linalg.norm(some, axis=1, keepdims=True) for some in (x, y, a, b)]
    mean_a, mean_b = scaled[2].mean(axis=0), scaled[3].mean(axis=0)

    def garg(words):
        return sum(np.linalg.norm(w - mean_a) - np.linalg.norm(w - mean_b) for w in words)

    assert rnd(x, y, a, b) == pytest.approx(garg(scaled[1]) / 4 - garg(scaled[0]) / 5)


def test_ect_by_hand():
    # Angles of the targets, and attributes at 0 and at 90 degrees: opposite orders.
    angles = np.radians([10, 20, 40, 80])
    targets = np.column_stack([np.cos(angles), np.sin(angles)]) * [[1], [7], [2], [5]]
    a, b = np.array([[1.0, 0.0]]), np.array([[0.0, 3.0]])
    assert ect(targets[:2], targets[2:], a, b) == pytest.approx(-1)
    assert ect(targets[:2], targets[2:], a, 5 * a) == pytest.approx(1)
    # At 45 degrees the distances are 35, 25, 5, 35: ranks 1.5 3 4 1.5 against 4 3 2 1.
    middle = np.array([[1.0, 1.0]])
    left, right = np.array([1.5, 3, 4, 1.5]) - 2.5, np.array([4.0, 3, 2, 1]) - 2.5
    expected = left @ right / math.sqrt((left @ left) * (right @ right))
    assert ect(targets[:2], targets[2:], a, middle) == pytest.approx(expected)


def test_ect_is_spearman_of_cosines_with_raw_means():
    x, y, a, b = draw_sets(3)
    cosines = []
    for mean in (a.mean(axis=0), b.mean(axis=0)):
        targets = np.vstack([x, y])
        lengths = np.linalg.norm(targets, axis=1) * np.linalg.norm(mean)
        cosines.append(targets @ mean / lengths)
    assert ect(x, y, a, b) == pytest.approx(spearmanr(*cosines).statistic)


def test_ect_is_undefined_where_all_targets_stand_equally_near():
    x, y = np.array([[1.0, 0.0], [2.0, 0.0]]), np.array([[3.0, 0.0]])
    assert math.isnan(ect(x, y, np.array([[1.0, 1.0]]), np.array([[0.0, 1.0]])))
    # The mean of A is zero: no cosine, so no correlation either, and no made-up number.
    opposite = np.array([[1.0, 1.0], [-1.0, -1.0]])
    assert math.isnan(ect(*draw_sets(4, dims=2)[:2], opposite, np.array([[0.0, 1.0]])))


def test_mac_by_hand():
    x, y = np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([[-1.0, 0.0]])
    a, b = np.array([[1.0, 0.0], [0.0, 4.0], [0.0, 1.0]]), np.array([[-3.0, 0.0]])
    # Mean distances from A: 2/3, 1/3, 4/3; from B: 2, 1, 0. Both sets weigh the same.
    assert mac(x, y, a, b) == pytest.approx(((2 + 1 + 4) / 9 + (2 + 1 + 0) / 3) / 2)
    orthogonal = np.array([[0.0, 0.0, 1.0]])
    assert mac(orthogonal, orthogonal, *[np.eye(3)[[0]], np.eye(3)[[1]]]) == pytest.approx(1)


def test_mac_has_no_direction_and_its_difference_is_the_statistic_of_weat():
    x, y, a, b = draw_sets(5, sizes=(4, 4, 3, 3))
    assert mac(x, y, a, b) == pytest.approx(mac(y, x, b, a))
    halves = [mac(one, one, other, other) for one in (x, y) for other in (a, b)]
    xa, xb, ya, yb = halves
    scores = [word_associations(some, a, b) for some in (x, y)]
    assert (ya - yb) - (xa - xb) == pytest.approx(statistic(*scores))


@QUICK
@given(st.integers(0, 10_000))
def test_a_rotation_and_the_order_of_words_change_nothing(seed):
    sets = draw_sets(seed)
    rng = np.random.default_rng(seed + 1)
    rotation, _ = np.linalg.qr(rng.normal(size=(4, 4)))
    shuffled = [rng.permutation(some) @ rotation for some in sets]
    for name, measure in MEASURES.items():
        assert measure(*shuffled) == pytest.approx(measure(*sets), abs=1e-9), name


@QUICK
@given(st.integers(0, 10_000), st.floats(0.01, 100))
def test_swaps_and_scale(seed, scale):
    x, y, a, b = draw_sets(seed)
    for name, measure in MEASURES.items():
        value = measure(x, y, a, b)
        sign = -1 if name in DIRECTED else 1
        assert measure(y, x, a, b) == pytest.approx(sign * value, abs=1e-9), name
        assert measure(x, y, b, a) == pytest.approx(sign * value, abs=1e-9), name
        grown = measure(*(scale * some for some in (x, y, a, b)))
        assert grown == pytest.approx(value * (scale if name == "ripa" else 1), abs=1e-9), name


@QUICK
@given(st.integers(0, 10_000))
def test_ranges(seed):
    sets = draw_sets(seed)
    assert abs(rnd(*sets)) <= 4
    assert -1 - 1e-9 <= ect(*sets) <= 1 + 1e-9
    assert 0 <= mac(*sets) <= 2


@pytest.mark.parametrize("name", MEASURES)
def test_a_pile_of_replicates_is_measured_as_one_by_one(name):
    piles = [np.stack([draw_sets(seed)[place] for seed in range(3)]) for place in range(4)]
    one_by_one = [MEASURES[name](*draw_sets(seed)) for seed in range(3)]
    assert MEASURES[name](*piles) == pytest.approx(np.array(one_by_one))


def test_measure_words_gives_every_measure_with_its_neutral_value():
    sets = draw_sets(6)
    found = measure_words(*sets, replicates=200, seed=1)
    assert [one.measure for one in found] == list(MEASURES)
    assert [one.neutral for one in found] == [0, 0, 1, 1]
    assert {one.n_words for one in found} == {18}
    for one in found:
        assert one.value == pytest.approx(MEASURES[one.measure](*sets))
        assert one.low < one.high
    assert found == measure_words(*sets, replicates=200, seed=1)
    assert found != measure_words(*sets, replicates=200, seed=2)


def test_the_interval_is_that_of_a_plain_loop():
    sets = draw_sets(7)
    rng = np.random.default_rng(3)
    draws = [rng.integers(len(some), size=(50, len(some))) for some in sets]
    for name, measure in MEASURES.items():
        values = [
            measure(*(some[draw[k]] for some, draw in zip(sets, draws, strict=True)))
            for k in range(50)
        ]
        (found,) = measure_words(*sets, measures=[name], replicates=50, level=0.8, seed=3)
        assert (found.low, found.high) == pytest.approx(tuple(np.quantile(values, [0.1, 0.9])))


def test_replicates_without_a_value_are_counted():
    x = np.array([[1.0, 0.0], [0.0, 1.0]])
    # A or B drawn twice from one word each is the same word twice: no direction then.
    (found,) = measure_words(x, x, x, x[::-1], measures=["ripa"], replicates=400, seed=0)
    assert math.isnan(found.value)
    # P(same counts in A and B) = 1/4 * 1/4 * 2 + 1/2 * 1/2 = 3/8.
    assert 100 < found.undefined < 200
    assert not math.isnan(found.low)
    (never,) = measure_words(x, x, x[:1], x[:1], measures=["ripa"], replicates=10)
    assert never.undefined == 10
    assert math.isnan(never.low)


@pytest.mark.parametrize("bad", [0.0, np.nan, np.inf])
def test_a_vector_without_direction_is_refused(bad):
    x, y, a, b = draw_sets(8)
    x[0] = bad
    for name in ("rnd", "ect", "mac"):
        with pytest.raises(ValueError, match="zero or not finite"):
            MEASURES[name](x, y, a, b)


def test_neutral_names_every_measure():
    assert dict(NEUTRAL) == {"ripa": 0, "rnd": 0, "ect": 1, "mac": 1, "pmi": 0}
