"""Co-occurrence: counting by hand and by brute force; the log odds ratio and its interval."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biasatlas.association.companions import log_odds_ratio, measure_documents
from biasatlas.association.companions.cooccurrence import count_cells, find_cooccurrences
from biasatlas.association.companions.pmi import find_thin_cells, refuse_counts
from biasatlas.tokens import tokenize

SETS = {"x": ["nurse"], "y": ["engineer"], "a": ["she", "her"], "b": ["he"]}
WORDS = sorted(word for some in SETS.values() for word in some)


def count(texts, documents=None, window=2, sets=SETS):
    words = sorted({word for some in sets.values() for word in some})
    documents = documents or ["d"] * len(texts)
    return count_cells(find_cooccurrences(texts, documents, words, window), sets)


def test_counts_by_hand():
    # she and her are 2 and 1 to the right of nurse; he is 3 away and out of reach.
    assert count(["The nurse, her: she said he"]).tolist() == [[2, 0, 0, 0]]
    # Both sides count, and every place for itself.
    assert count(["he engineer he", "HER nurse"]).tolist() == [[1, 0, 0, 2]]
    assert count(["nothing here"]).tolist() == [[0, 0, 0, 0]]


def test_a_context_ends_with_its_passage():
    assert count(["so said the nurse", "she left"], window=9).sum() == 0
    assert count(["so said the nurse she left"], window=9).sum() == 1


@pytest.mark.parametrize("window", [1, 2, 3])
def test_the_window_is_counted_in_tokens(window):
    texts = ["nurse she", "nurse and she", "nurse and so she"]
    assert count(texts, window=window)[0, 0] == window


def test_documents_keep_their_counts_apart():
    texts, documents = ["nurse she", "engineer he", "her nurse"], ["one", "two", "one"]
    assert count(texts, documents).tolist() == [[2, 0, 0, 0], [0, 0, 0, 1]]
    with pytest.raises(ValueError, match="argument"):
        count(texts, ["one"])


def test_a_word_in_two_sets_never_meets_itself_at_one_place():
    sets = SETS | {"x": ["nurse", "she"]}
    assert count(["she"], sets=sets).sum() == 0
    # Two places with the word: each is once the target and once the context.
    assert count(["she she"], sets=sets)[0].tolist() == [2, 0, 0, 0]


def test_texts_without_listed_words():
    pairs = find_cooccurrences([], [], WORDS, 5)
    assert count_cells(pairs, SETS).shape == (0, 4)
    assert pairs.frequency.tolist() == [0] * len(WORDS)
    (found,) = measure_documents(np.zeros((0, 1, 4)), replicates=5)
    assert found.value == 0


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["d1", "d2"]), st.lists(st.sampled_from([*WORDS, "the"]), max_size=14)
        ),
        max_size=5,
    ),
    st.integers(1, 5),
    st.sampled_from(["nurse", "she"]),
)
def test_counts_are_those_of_brute_force(passages, window, more):
    sets = SETS | {"x": sorted({"nurse", more})}
    documents = [document for document, _ in passages]
    texts = [" ".join(tokens) for _, tokens in passages]
    order = list(dict.fromkeys(documents))
    expected = np.zeros((len(order), 4))
    for document, text in zip(documents, texts, strict=True):
        tokens = tokenize(text)
        for i, target in enumerate(tokens):
            for j, context in enumerate(tokens):
                if i == j or abs(i - j) > window:
                    continue
                for cell, (t, c) in enumerate([("x", "a"), ("x", "b"), ("y", "a"), ("y", "b")]):
                    expected[order.index(document), cell] += (
                        target in sets[t] and context in sets[c]
                    )
    assert count(texts, documents, window, sets).tolist() == expected.tolist()


def test_log_odds_ratio_by_hand():
    assert log_odds_ratio(np.array([19.5, 4.5, 9.5, 19.5])) == pytest.approx(math.log(8))
    assert log_odds_ratio(np.zeros(4)) == 0
    assert math.isfinite(log_odds_ratio(np.array([3.0, 0.0, 0.0, 8.0])))


def test_it_is_a_difference_of_pointwise_mutual_informations():
    # Co-occurrence counts large enough that the correction is nothing.
    counts = np.array([3.0, 2.0, 5.0, 7.0]) * 1e9
    total = 4 * counts.sum()
    p_x, p_y, p_a, p_b = 0.3, 0.1, 0.2, 0.05

    def pmi(joint, one, other):
        return math.log((joint / total) / (one * other))

    bias_x = pmi(counts[0], p_x, p_a) - pmi(counts[1], p_x, p_b)
    bias_y = pmi(counts[2], p_y, p_a) - pmi(counts[3], p_y, p_b)
    assert log_odds_ratio(counts) == pytest.approx(bias_x - bias_y)


@given(st.lists(st.integers(0, 1000), min_size=4, max_size=4))
def test_swapping_negates(counts):
    xa, xb, ya, yb = counts
    value = log_odds_ratio(np.array(counts))
    assert log_odds_ratio(np.array([ya, yb, xa, xb])) == pytest.approx(-value)
    assert log_odds_ratio(np.array([xb, xa, yb, ya])) == pytest.approx(-value)


def test_documents_not_words_make_the_interval_wide():
    # The same totals, 40 a cell: spread over documents, or heaped in four of them.
    spread = np.ones((40, 1, 4))
    heaped = np.zeros((40, 1, 4))
    heaped[:4, 0] = 40 * np.eye(4)
    (even,) = measure_documents(spread, replicates=500)
    (uneven,) = measure_documents(heaped, replicates=500)
    assert even.value == uneven.value == 0
    # No document differs from another, so the interval of independent counts is what is left.
    half = 1.959964 * math.sqrt(4 / 40.5)
    assert (even.low, even.high) == pytest.approx((-half, half), rel=1e-6)
    assert uneven.high > 3 * even.high
    assert uneven.low < 3 * even.low


def test_an_empty_cell_does_not_make_the_interval_narrow():
    cells = np.zeros((50, 1, 4))
    cells[:30, 0] = [1, 0, 1, 1]
    (found,) = measure_documents(cells, replicates=500)
    half = 1.959964 * math.sqrt(3 / 30.5 + 1 / 0.5)
    assert found.value == pytest.approx(math.log(30.5 / 0.5))
    assert found.high >= found.value + half - 1e-6
    assert found.low <= found.value - half + 1e-6


def test_documents_without_counts_are_drawn_too(monkeypatch):
    rng = np.random.default_rng(0)
    cells = rng.poisson(0.2, size=(60, 2, 4)).astype(float)
    cells[::2] = 0
    found = measure_documents(cells, replicates=300, level=0.9, seed=4)
    rng = np.random.default_rng(4)
    draws = [cells[rng.integers(60, size=60)].sum(axis=0) for _ in range(300)]
    low, high = np.quantile([log_odds_ratio(draw) for draw in draws], [0.05, 0.95], axis=0)
    half = 1.6448536 * np.sqrt((1 / (cells.sum(axis=0) + 0.5)).sum(axis=1))
    for place, one in enumerate(found):
        assert one.low == pytest.approx(min(low[place], one.value - half[place]))
        assert one.high == pytest.approx(max(high[place], one.value + half[place]))
    # In batches of one replicate as in one heap.
    monkeypatch.setattr("biasatlas.association.companions.pmi.BATCH", 60)
    assert measure_documents(cells, replicates=300, level=0.9, seed=4) == found


def test_too_few_co_occurrences_are_named():
    assert refuse_counts(np.array([5.0, 5, 5, 5])) == ""
    assert refuse_counts(np.array([9.0, 1, 9, 3])).startswith(
        "refused: too few co-occurrences (B 4;"
    )
    assert "(X 3, B 2;" in refuse_counts(np.array([3.0, 0, 6, 2]))
    assert find_thin_cells(np.array([5.0, 5, 5, 5])) == ""
    expected = "thin: fewer than 5 co-occurrences of X with B 1, Y with A 4"
    assert find_thin_cells(np.array([9.0, 1, 4, 5])) == expected


def test_the_interval_holds_where_co_occurrences_are_heaped_in_few_documents():
    rng = np.random.default_rng(1)
    truth, runs, n_documents = 1.5, 200, 100
    rates = np.exp(np.array([1, -1, -1, 1]) * truth / 4)
    rates *= 3 / rates.sum()
    # A document in twenty holds nearly all of them; each of the runs is one test.
    heaps = rng.gamma(0.05, 1 / 0.05, size=(n_documents, runs, 4))
    cells = rng.poisson(rates * heaps).astype(float)
    found = measure_documents(cells, replicates=400)
    totals = cells.sum(axis=0) + 0.5
    half = 1.959964 * np.sqrt((1 / totals).sum(axis=1))
    values = np.array([one.value for one in found])
    assert np.mean(np.abs(values - truth) <= half) < 0.6
    assert np.mean([one.low <= truth <= one.high for one in found]) > 0.88
