"""Sums by document and the bootstrap over documents."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from biasatlas.association.documents.bootstrap import Settings, bootstrap_tests
from biasatlas.association.documents.corrected import (
    corrected_draws,
    interval,
    largest_effect,
    mean_of,
    spread_of,
)
from biasatlas.association.documents.sums import draw_weights, in_parts, sum_documents, unit_vectors
from biasatlas.association.resolve import Rules
from biasatlas.association.score import Settings as ScoreSettings
from biasatlas.association.score import score_tests
from biasatlas.lexicons.gender_swap import GenderSwap
from biasatlas.lexicons.word_lists import AssociationTest, WordSet
from biasatlas.vectors import WordVectors
from biasatlas.vectors.alc import Fit, Transform, induce
from biasatlas.vectors.contexts import sum_contexts

DIMS = 3
SETS = {
    "x": ["x1", "x2", "x3"],
    "y": ["y1", "y2", "y3"],
    "a": ["he", "man", "son"],
    "b": ["she", "woman", "daughter"],
}
WORDS = [word for words in SETS.values() for word in words]
PAIRS = dict(zip(SETS["a"], SETS["b"], strict=True))
SWAP = GenderSwap(PAIRS | {other: word for word, other in PAIRS.items()}, {})
FIT = Fit(500, 6, 0.8, 0.5, 0.8, 0.5)
TRANSFORM = Transform(np.random.default_rng(5).normal(size=(DIMS, DIMS)), FIT)
RULES = Rules(min_words=2)
SETTINGS = Settings(window=3, replicates=60, seed=4)


def make_test(name="T", **changes):
    sets = {key: WordSet(key.upper(), tuple(words)) for key, words in (SETS | changes).items()}
    return AssociationTest(name, "a test", "en", citation="", **sets)


def make_text(n_documents=30, seed=0, bias=0.0):
    """Words of X and male words stand among the fillers of one side, Y and female ones of the other.

    With probability `bias` a word stands on its own side, else on either.
    """
    rng = np.random.default_rng(seed)
    sides = [[f"f{n}" for n in range(first, first + 8)] for first in (0, 8)]
    rows = []
    for number in range(n_documents):
        for _ in range(2):
            tokens = []
            for word in rng.choice(WORDS, size=6):
                own = word in SETS["y"] + SETS["b"]
                side = sides[own if rng.random() < bias else rng.integers(2)]
                tokens += [*rng.choice(side, 3), word, *rng.choice(side, 3)]
            rows.append((f"d{number:03d}", " ".join(tokens)))
    frame = pd.DataFrame(rows, columns=["document", "text"])
    matrix = np.random.default_rng(9).normal(size=(16, DIMS))
    matrix[:, 0] += np.repeat([2.0, -2.0], 8)
    return frame, WordVectors((*sides[0], *sides[1]), matrix.astype("f4"))


def sums_of(frame, vectors, words=None, **options):
    words = WORDS if words is None else words
    return sum_documents(
        frame["text"].tolist(), frame["document"].tolist(), words, vectors, 3, **options
    )


def test_sums_by_hand():
    vectors = WordVectors(("a", "b", "c"), np.array([[1, 0], [0, 1], [2, 2]], dtype="f4"))
    texts = ["a b", "c a", "a c", "b"]
    sums = sum_documents(texts, ["d2", "d1", "d2", "d3"], ["b", "a", "never", "a"], vectors, 1)
    assert sums.words == ("a", "b", "never")
    assert sums.documents == ("d1", "d2", "d3")  # d3 has no context, and still is a document
    assert sums.starts.tolist() == [0, 2, 3, 3]
    assert sums.document.tolist() == [0, 1, 1]
    # "a" beside c in d1; beside b and beside c in d2; the last column counts.
    assert sums.sums.tolist() == [[2, 2, 1], [2, 3, 2], [1, 0, 1]]
    assert sums.counts.tolist() == [3, 1, 0]


def test_weighted_sums_are_those_of_the_repeated_documents():
    frame, vectors = make_text()
    sums = sums_of(frame, vectors)
    weights = draw_weights(len(sums.documents), 3, np.random.default_rng(1))
    assert weights.sum(axis=0).tolist() == [30, 30, 30]
    for column, found in zip(weights.T, sums.weighted(weights), strict=True):
        parts = []
        for copy in range(int(column.max())):
            kept = {d for d, w in zip(sums.documents, column, strict=True) if w > copy}
            part = frame[frame["document"].isin(kept)]
            parts.append(part.assign(document=part["document"] + f"-{copy}"))
        again = sums_of(pd.concat(parts), vectors)
        n = len(again.documents)
        np.testing.assert_allclose(again.weighted(np.ones((n, 1)))[0], found, atol=1e-9)


def test_all_weights_one_give_the_region_vectors_and_their_d():
    frame, vectors = make_text(bias=0.5)
    rows = bootstrap_tests(frame, {"weat": [make_test()]}, vectors, TRANSFORM, RULES, SETTINGS)
    made = induce(sum_contexts(frame["text"], vectors, 3), TRANSFORM)
    plain = score_tests([make_test()], made, ScoreSettings(min_words=2, nulls=0))
    assert rows["effect_size"][0] == pytest.approx(plain.scores["effect_size"][0], abs=1e-5)
    assert -1 < rows["documents_low"][0] < rows["documents_high"][0] <= 2 * (5 / 6) ** 0.5 + 1e-9
    assert rows[["n_documents", "replicates"]].to_numpy().tolist() == [[30, 60]]
    assert rows["status"].tolist() == ["ok"]
    assert rows[["swapped", "text_part", "text_p"]].isna().all(axis=None)


def test_weights_do_not_depend_on_the_parts_in_which_they_are_drawn():
    rng = np.random.default_rng(7)
    whole = draw_weights(11, 5, np.random.default_rng(7))
    parts = np.column_stack([draw_weights(11, n, rng) for n in in_parts(5, 2)])
    assert whole.tolist() == parts.tolist()
    assert sum(in_parts(103, 50)) == 103


def test_absent_words_are_absent():
    frame, vectors = make_text(4)
    words = [*SETS["x"], "never"]
    sums = sums_of(frame, vectors, words)
    unit, present = unit_vectors(sums.weighted(np.ones((4, 1))), TRANSFORM)
    assert present[0].tolist() == [word != "never" for word in sums.words]
    np.testing.assert_allclose(np.linalg.norm(unit[0], axis=1), present[0])


def test_usage_is_the_texts_part_and_shared_usage_is_not():
    tests = {"weat": [make_test(), make_test("none", a=["f1", "f2", "f3"], b=["f4", "f5", "f6"])]}
    for bias, is_found in ((1.0, True), (0.0, False)):
        frame, vectors = make_text(60, seed=3, bias=bias)
        rows = bootstrap_tests(frame, tests, vectors, TRANSFORM, RULES, SETTINGS, SWAP)
        gendered, other = rows.to_dict("records")
        assert gendered["text_part"] == pytest.approx(
            (gendered["effect_size"] - gendered["swapped"]) / 2
        )
        assert (gendered["text_p"] <= 0.05) == is_found
        assert "exchanges 3 of 3 words of A, 3 of 3 words of B" in gendered["note"]
        assert "its contexts only" in other["note"]
        assert np.isnan(other["text_p"])
        if is_found:
            assert gendered["effect_size"] > 1
            assert 0 < gendered["text_low"] < gendered["text_high"]
            assert abs(other["text_part"]) < 1e-9
        else:
            assert gendered["text_low"] <= 0 <= gendered["text_high"]


def test_usage_is_not_found_too_often_where_there_is_none():
    low = []
    for seed in range(20):
        frame, vectors = make_text(15, seed=seed)
        settings = replace(SETTINGS, replicates=19)
        tests = {"weat": [make_test()]}
        rows = bootstrap_tests(frame, tests, vectors, TRANSFORM, RULES, settings, SWAP)
        low.append(rows["text_p"][0] <= 0.1)
    assert sum(low) <= 6  # binomial(20, .1) exceeds 6 with probability .002


def test_the_same_numbers_again():
    frame, vectors = make_text()
    tests = {"weat": [make_test()]}
    one, other = (
        bootstrap_tests(some, tests, vectors, TRANSFORM, RULES, SETTINGS, SWAP)
        for some in (frame, frame.copy())
    )
    pd.testing.assert_frame_equal(one, other, check_exact=True)


@pytest.mark.parametrize(
    "transform", [TRANSFORM, replace(TRANSFORM, matrix=np.full((3, 3), np.nan))]
)
@pytest.mark.parametrize("n_documents", [0, 1, 30])
def test_whatever_is_missing_gives_a_row_with_a_reason(transform, n_documents):
    frame, vectors = make_text(30)
    frame = frame[frame["document"] < f"d{n_documents:03d}"]
    tests = {"found": [make_test(), make_test("lost", x=["never", "neither"])], "published": []}
    rows = bootstrap_tests(frame, tests, vectors, transform, RULES, SETTINGS, SWAP)
    assert rows["origin"].tolist() == ["found", "found"]
    refused = rows[rows["status"] == "refused"]
    assert (refused["note"].str.startswith("refused: ")).all()
    assert refused[["effect_size", "documents_low", "text_p"]].isna().all(axis=None)
    assert (refused["replicates"] == 0).all()
    assert len(refused) == (1 if n_documents == 30 and transform.is_fitted else 2)


def test_no_test_at_all():
    frame, vectors = make_text(3)
    rows = bootstrap_tests(frame, {"found": []}, vectors, TRANSFORM, RULES, SETTINGS, SWAP)
    assert len(rows) == 0
    assert "effect_size" in rows


def test_corrected_draws_by_hand():
    # The resample shrinks .8 to .4, so the sample is taken to have shrunk by the same half.
    replicates = np.array([[0.3], [0.4], [0.5]])
    draws = corrected_draws(np.array([0.8]), replicates, np.array([1.75]))
    np.testing.assert_allclose(draws, [[1.75], [1.6], [1.4]])  # the first is 1.8, out of reach
    # No shrinking, or another sign: the basic bootstrap about the estimate.
    for d in (-0.4, 0.2):
        draws = corrected_draws(np.array([d]), replicates, np.array([9.0]))
        np.testing.assert_allclose(draws[:, 0], d - (replicates[:, 0] - 0.4))


def test_columns_with_gaps():
    columns = np.array([[1.0, np.nan, np.nan], [3.0, 2.0, np.nan]])
    np.testing.assert_array_equal(mean_of(columns), [2, 2, np.nan])
    np.testing.assert_array_equal(spread_of(columns), [np.sqrt(2), np.nan, np.nan])
    np.testing.assert_array_equal(interval(columns, 1.0), [[1, 2, np.nan], [3, 2, np.nan]])


@pytest.mark.parametrize(("n_x", "n_y"), [(2, 2), (3, 5), (8, 8)])
def test_the_largest_effect_is_reached_when_all_of_x_score_one_and_all_of_y_nothing(n_x, n_y):
    scores = np.repeat([1.0, 0.0], [n_x, n_y])
    d = 1 / scores.std(ddof=1)
    assert largest_effect(np.array([n_x]), np.array([n_y]))[0] == pytest.approx(d)
