"""The planted-bias simulation in small: through text, tokenizer and the project's own counts."""

from __future__ import annotations

import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

# The generator is a benchmark's, not a part of the package.
sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))

from planted.evidence import fit_map, read_region
from planted.generator import WITHIN, draw_slots, make_regions
from planted.geometry import make_language
from planted.methods import METHODS, _lean, _lean_gradient, _log_odds_gradient, permute
from planted.oracle import agreement, ask_oracle
from planted.study import N_TESTS, Cell, Share, discoveries, judge

from biasatlas.association.companions.pmi import log_odds_ratio
from biasatlas.association.product import Design
from biasatlas.tokens import tokenize


@pytest.fixture(scope="module")
def language():
    return make_language(N_TESTS)


def _look(language, cell, run, names):
    """Oracle and some methods on one run."""
    design = Design.of(language.tests())
    regions = make_regions(
        language, cell.documents, cell.odds, np.random.default_rng(run), passages=cell.passages
    )
    evidence = [read_region(region, language, design) for region in regions]
    transform = fit_map(regions, language) if "ALC, d" in names else None
    found = {"oracle": ask_oracle([region.slots for region in regions], N_TESTS)}
    for name in names:
        pairs = [METHODS[name](*pair, design, transform, run) for pair in combinations(evidence, 2)]
        found[name] = tuple(np.array(some) for some in zip(*pairs, strict=True))
    return found


def test_odds_of_three_are_found_and_have_their_sign(language):
    cell = Cell(3.0, 140)
    for run in range(3):
        found = _look(language, cell, run, ("log odds, studentised", "ALC, d"))
        assert judge(found["oracle"], cell)
        assert judge(found["log odds, studentised"], cell)
        # Weaker evidence (docs/planted_bias.md), yet of the right sign.
        assert (found["ALC, d"][0][:2, 0] > 0).all()


def test_little_is_found_where_nothing_is_planted(language):
    """At a rate of q = .1, 7 or more of 20 runs with a discovery have a chance of .0024."""
    cell = Cell(1.0, 60)
    name = "log odds, studentised"
    assert sum(judge(_look(language, cell, run, (name,))[name], cell) for run in range(20)) < 7


def test_text_holds_the_planted_odds(language):
    """Counts that know no slot give the square of the odds, less what words met by chance."""
    regions = make_regions(language, 600, 3.0, np.random.default_rng(5))
    design = Design.of(language.tests())
    cells = np.array([read_region(one, language, design).cells.sum(axis=0) for one in regions])
    found = log_odds_ratio(cells)
    assert 0.7 * np.log(9) < found[0, 0] < np.log(9)
    np.testing.assert_allclose(found[:, 2], 0.0, atol=0.25)
    np.testing.assert_allclose(found[1:, 0], 0.0, atol=0.25)
    np.testing.assert_allclose(found[:, [1, 3]], 0.85 * np.log(4), atol=0.3)


def test_passages_are_text_of_the_tokenizer_and_the_seed_fixes_them(language):
    one, again = (make_regions(language, 20, 2.0, np.random.default_rng(9))[0] for _ in range(2))
    assert one.texts == again.texts
    assert {len(tokenize(text)) for text in one.texts} == {40}
    assert set(tokenize(" ".join(one.texts))) <= set(language.vectors.words)
    assert one.documents == sorted(one.documents)


def test_slots_of_a_document_depend_on_each_other():
    slots = draw_slots(4_000, np.array([2.0]), np.random.default_rng(3))
    m = np.bincount(slots.document)
    k = np.bincount(slots.document, slots.agrees)
    share, information = agreement(slots, 1)
    assert share[0] == pytest.approx(2 / 3, abs=4 * np.sqrt(2 / 9 / information[0]))
    # Pairs of slots of one document agree alike more often than strangers do.
    alike = (k * (k - 1)).sum() / (m * (m - 1)).sum() - share[0] ** 2
    assert alike / (share[0] * (1 - share[0])) == pytest.approx(WITHIN, abs=0.02)


def test_oracle_by_hand():
    """One slot a document: shares 3/4 and 1/4 of four; pooled 1/2; z = .5 / sqrt(.25 / 2)."""
    slots = [draw_slots(4, np.array([1.0]), np.random.default_rng(0)) for _ in range(2)]
    alone = [
        type(one)(one.theme, one.passages, np.arange(4), np.array(agrees))
        for one, agrees in zip(
            slots, ([True, True, True, False], [True, False, False, False]), strict=True
        )
    ]
    difference, p_value = ask_oracle(alone, 1)
    assert difference[0, 0] == pytest.approx(0.5)
    assert p_value[0, 0] == pytest.approx(0.15729920705)


@pytest.mark.parametrize(
    ("value", "gradient", "n"),
    [(log_odds_ratio, _log_odds_gradient, 4), (_lean, _lean_gradient, 8)],
)
def test_gradients_are_those_of_the_statistics(value, gradient, n):
    sums = np.random.default_rng(0).uniform(5, 50, (1, n))
    for place in range(n):
        step = np.zeros((1, n))
        step[0, place] = 1e-5
        slope = (value(sums + step) - value(sums - step)) / 2e-5
        assert slope[0] == pytest.approx(gradient(sums)[0, place], rel=1e-5, abs=1e-9)


def test_permuted_p_of_equal_regions_is_one():
    cells = np.random.default_rng(0).poisson(3.0, (30, 2, 4)).astype(float)
    for studentised in (False, True):
        difference, p_value = permute(
            cells, cells, log_odds_ratio, _log_odds_gradient, 0, studentised
        )
        np.testing.assert_allclose(difference, 0.0, atol=1e-12)
        np.testing.assert_array_equal(p_value, 1.0)


def test_judgement_wants_all_planted_pairs_with_their_sign():
    cell = Cell(2.0, 10)
    p_value = np.full((3, 4), 0.9)
    p_value[:2, 0] = 0.001
    difference = np.ones((3, 4))
    assert discoveries(p_value).sum() == 2
    assert judge((difference, p_value), cell)
    assert not judge((-difference, p_value), cell)
    p_value[1, 0] = 0.9
    assert not judge((difference, p_value), cell)
    assert judge((difference, p_value), Cell(1.0, 10))


def test_interval_of_a_share_is_exact():
    """No hit in 200 runs: the upper end solves (1 - p)^200 = .025."""
    assert Share(0, 200).interval == pytest.approx((0.0, 1 - 0.025 ** (1 / 200)))
