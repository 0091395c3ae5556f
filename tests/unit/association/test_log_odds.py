"""Regions compared in the text: by hand, against a slow reference, level and power."""

from __future__ import annotations

import numpy as np
import pytest

from biasatlas.association.companions.cooccurrence import find_cooccurrences
from biasatlas.association.companions.pmi import log_odds_ratio
from biasatlas.association.documents.log_odds import compare, compare_texts
from biasatlas.association.resolve import Rules
from biasatlas.lexicons.word_lists import AssociationTest, WordSet
from biasatlas.tables import TABLES

SETS = {"x": ["rose"], "y": ["wasp"], "a": ["love"], "b": ["hate"]}
RULES = Rules(min_words=1)


def draw(rng, n, odds, mean=6.0, heavy=0.0):
    """Cells of documents, one test; the agreeing share varies from document to document."""
    share = odds / (1 + odds)
    agree = rng.beta(15 * share, 15 * (1 - share), size=n)
    slots = rng.poisson(mean * np.exp(heavy * rng.normal(size=n)))
    of_x = rng.binomial(slots, 0.5)
    good_x, good_y = rng.binomial(of_x, agree), rng.binomial(slots - of_x, agree)
    cells = np.stack([good_x, of_x - good_x, slots - of_x - good_y, good_y], axis=1)
    return cells[:, None].astype(np.float64)


def slow_t(pooled, first):
    """Difference of log odds over its standard error, one permutation, no matrix product."""
    total, variance = 0.0, 0.0
    for sign, part in ((1, pooled[first]), (-1, pooled[~first])):
        xa, xb, ya, yb = part.sum(axis=0)
        total += sign * np.log((xa + 0.5) * (yb + 0.5) / ((xb + 0.5) * (ya + 0.5)))
        weights = np.array([1 / (xa + 0.5), -1 / (xb + 0.5), -1 / (ya + 0.5), 1 / (yb + 0.5)])
        variance += sum(float(row @ weights) ** 2 for row in part)
    return total / np.sqrt(variance)


def test_p_equals_that_of_a_slow_reference():
    rng = np.random.default_rng(0)
    one, other = draw(rng, 12, 2.5), draw(rng, 9, 0.8)
    found = compare(one, other, permutations=60, replicates=2, seed=[7])
    assert found.effects[0, 0] == pytest.approx(log_odds_ratio(one[:, 0].sum(axis=0)))
    # The same labels again: 50 and 10 of them are drawn in turn.
    again = np.random.default_rng([7])
    first = np.zeros((21, 1))
    first[:12] = 1
    labels = [again.permuted(np.tile(first, size), axis=0) for size in (50, 10)]
    pooled = np.concatenate([one, other])[:, 0]
    observed = slow_t(pooled, first[:, 0] == 1)
    drawn = [slow_t(pooled, column == 1) for part in labels for column in part.T]
    beyond = sum(abs(t) >= abs(observed) - 1e-12 for t in drawn)
    assert found.p_value[0] == pytest.approx((1 + beyond) / 61)


@pytest.mark.parametrize(("sizes", "lengths"), [((150, 150), (6, 6)), ((60, 240), (3, 12))])
def test_regions_that_do_not_differ_keep_the_level(sizes, lengths):
    rng = np.random.default_rng(1)
    p = []
    for run in range(200):
        one, other = (
            draw(rng, n, 1.8, mean, heavy=0.5) for n, mean in zip(sizes, lengths, strict=True)
        )
        found = compare(one, other, permutations=99, replicates=2, seed=[run])
        p.append(found.p_value[0])
    rejected = np.mean(np.array(p) <= 0.05)
    assert rejected <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)


def test_a_planted_difference_is_found_with_its_sign_and_interval():
    rng = np.random.default_rng(2)
    found, held = 0, 0
    for run in range(40):
        one, other = draw(rng, 250, 2.5), draw(rng, 250, 1.0)
        result = compare(one, other, permutations=99, replicates=200, seed=[run])
        found += result.p_value[0] <= 0.01 and result.effects[0, 0] > result.effects[1, 0]
        # Both X with A and Y with B agree with these odds, so the ratio has twice the log.
        held += result.low[0] <= 2 * np.log(2.5) <= result.high[0]
    assert found >= 38
    assert held >= 35


def test_without_co_occurrences_nothing_is_found():
    nothing = np.zeros((5, 1, 4))
    found = compare(nothing, nothing, permutations=19, replicates=20, seed=[0])
    assert found.p_value.tolist() == [1.0]


def make_test():
    sets = {name: WordSet(name, tuple(words)) for name, words in SETS.items()}
    return AssociationTest(test="T", description="", language="en", citation="", **sets)


def read(texts, documents):
    words = sorted(word for some in SETS.values() for word in some)
    return find_cooccurrences(texts, documents, words, 5)


def test_rows_of_the_table_say_what_is_missing():
    rng = np.random.default_rng(3)

    def region(n, odds):
        texts = []
        for _ in range(n):
            flower, love = rng.random() < 0.5, rng.random() < odds / (1 + odds)
            texts.append(f"{'rose' if flower else 'wasp'} {'love' if flower == love else 'hate'}")
        return read(texts, [str(i) for i in range(n)])

    regions = {
        "north": region(120, 3.0),
        "south": region(120, 1.0),
        "few": region(4, 1.0),
        "none": read([], []),
    }
    frame = compare_texts(regions, [make_test()], RULES, permutations=99, replicates=100)
    absent = {"language", "corpus", "model", "q_value", "p_holm", "control"}
    assert set(frame) == TABLES["differences"].names - absent
    rows = frame.set_index(["region_1", "region_2"])
    assert len(rows) == 6
    north = rows.loc[("north", "south")]
    assert north["status"] == "ok"
    assert north["difference"] == pytest.approx(north["effect_1"] - north["effect_2"])
    assert north["low"] < north["difference"] < north["high"]
    assert north["p_value"] >= north["p_min"] == 0.01
    few = rows.loc[("south", "few")]
    assert few["status"] == "refused"
    assert "few: too few co-occurrences" in few["note"]
    assert np.isnan(few["p_value"])
    assert rows.loc[("few", "none"), "note"].startswith("refused: ")
    assert "none: X has 0 of 1 words" in rows.loc[("north", "none"), "note"]
