"""The product over tests and models against one test at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasatlas.association.product import Design, effect_sizes, scores
from biasatlas.association.scores import effect_size, statistic, unit_rows, word_associations

WORDS = [f"w{n:02d}" for n in range(30)]


def random_tests(rng, n_tests):
    tests = []
    for _ in range(n_tests):
        words = list(rng.permutation(WORDS))
        cuts = np.cumsum(rng.integers(2, 8, size=4))
        pieces = np.split(np.array(words, dtype=object), cuts)[:4]
        tests.append(dict(zip("xyab", map(list, pieces), strict=True)))
    return tests


@given(seed=st.integers(0, 10_000), n_models=st.integers(1, 4))
def test_equals_one_test_at_a_time_where_words_are_missing(seed, n_models):
    rng = np.random.default_rng(seed)
    tests = random_tests(rng, 3)
    design = Design.of(tests)
    matrices = rng.normal(size=(n_models, len(design.words), 5))
    present = rng.random((n_models, len(design.words))) < 0.8
    unit = np.stack([unit_rows(matrix) for matrix in matrices]) * present[..., None]
    found_statistic, found_d = effect_sizes(unit, design, present)
    for m in range(n_models):
        held = {w: matrices[m, i] for i, w in enumerate(design.words) if present[m, i]}
        for t, test in enumerate(tests):
            x, y, a, b = ([held[w] for w in test[s] if w in held] for s in "xyab")
            if not (x and y and a and b) or len(x) + len(y) < 3:
                continue
            targets = word_associations(np.array(x + y), np.array(a), np.array(b))
            s_x, s_y = targets[: len(x)], targets[len(x) :]
            assert found_statistic[m, t] == pytest.approx(statistic(s_x, s_y), abs=1e-12)
            assert found_d[m, t] == pytest.approx(effect_size(s_x, s_y), abs=1e-9)


def test_a_hand_computed_case():
    design = Design.of([{"x": ["east"], "y": ["north"], "a": ["east"], "b": ["north"]}])
    assert design.words == ("east", "north")
    unit = np.eye(2)
    assert scores(unit, design)[:, 0].tolist() == [1.0, -1.0]
    stat, d = effect_sizes(unit, design)
    assert stat.tolist() == [2.0]
    assert d[0] == pytest.approx(2 / np.sqrt(2))


@pytest.mark.parametrize("name", ["x", "y", "a", "b"])
def test_a_set_without_a_present_word_gives_nan(name):
    test = {"x": ["p", "q"], "y": ["r", "s"], "a": ["t"], "b": ["u"]}
    design = Design.of([test, {**test, "x": ["q", "t"], "a": ["p", "r"]}])
    present = np.array([word not in test[name] for word in design.words])
    unit = unit_rows(np.random.default_rng(0).normal(size=(6, 4))) * present[:, None]
    assert np.isnan(effect_sizes(unit, design, present)[1][0])


def test_equal_scores_give_nan_and_not_a_huge_effect():
    design = Design.of([{"x": ["p", "q"], "y": ["r", "s"], "a": ["t"], "b": ["u"]}])
    unit = np.tile(unit_rows(np.array([[0.3, 0.4, 0.5]])), (6, 1))
    stat, d = effect_sizes(unit, design)
    assert stat[0] == pytest.approx(0, abs=1e-15)
    assert np.isnan(d[0])


def test_a_word_that_stands_twice_counts_once():
    once = {"x": ["p", "q"], "y": ["r", "s"], "a": ["t"], "b": ["u"]}
    twice = {**once, "x": ["p", "q", "p"], "a": ["t", "t"]}
    unit = unit_rows(np.random.default_rng(1).normal(size=(6, 3)))
    first, second = (effect_sizes(unit, Design.of([test]))[1] for test in (once, twice))
    assert first.tolist() == second.tolist()
