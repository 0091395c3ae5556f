"""Companion measures as rows of their table."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from biasatlas.association.companions.score import Settings, score_corpus, score_vectors
from biasatlas.lexicons.word_lists import AssociationTest, WordSet, load_tests
from biasatlas.tables import TABLES
from biasatlas.vectors import WordVectors, load_vectors

LISTS = Path(__file__).parents[3] / "resources" / "word_lists" / "weat" / "en"
FAST = Settings(bootstrap=100, window=3)
SETS = {
    "x": ["math", "algebra", "number", "sum"],
    "y": ["poem", "dance", "art", "novel"],
    "a": ["he", "man", "boy", "son"],
    "b": ["she", "woman", "girl", "daughter"],
}
OTHERS = {"control", "language", "region", "corpus", "model", "seed"}


def make_test(**words: list[str]) -> AssociationTest:
    named = {name: WordSet(f"Set {name}", tuple((SETS | words)[name])) for name in "xyab"}
    return AssociationTest(test="WEAT0", description="Made up", language="en", citation="", **named)


@pytest.fixture
def vectors() -> WordVectors:
    """X lies near A, Y near B."""
    words = [word for some in SETS.values() for word in some]
    centre = np.repeat([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]], 4, axis=0)
    noise = np.random.default_rng(0).normal(scale=0.2, size=(16, 6))
    noise[:, :2] += centre
    return WordVectors(tuple(words), noise.astype(np.float32))


@pytest.fixture
def passages() -> tuple[list[str], list[str]]:
    """Twenty documents in which he is good at sums, she at novels, and seldom the other way."""
    texts = [f"{x} {a} and then so on {y} {b}" for x, y, a, b in zip(*SETS.values(), strict=True)]
    texts = texts * 5 + ["she sum", "he art"] * 6
    return texts, [f"d{place % 20:02}" for place in range(len(texts))]


def test_rows_hold_the_columns_of_the_table(vectors, passages):
    expected = [one.name for one in TABLES["companions"].columns if one.name not in OTHERS]
    frame = score_vectors([make_test(), make_test(x=["math"])], vectors, FAST)
    assert list(frame.columns) == expected
    assert frame["measure"].tolist() == ["ripa", "rnd", "ect", "mac"] * 2
    assert frame["status"].tolist() == ["ok"] * 4 + ["refused"] * 4
    assert list(score_corpus([make_test()], *passages, FAST).columns) == expected


def test_a_clear_effect_shows_in_every_measure(vectors):
    rows = score_vectors([make_test()], vectors, FAST).set_index("measure")
    assert (rows["n_words"] == 16).all()
    assert rows.loc["ripa", "low"] > 0
    assert rows.loc["rnd", "low"] > 0
    assert rows.loc["ect", "high"] < 1
    assert rows["note"].tolist() == [""] * 4
    turned = score_vectors([make_test(x=SETS["y"], y=SETS["x"])], vectors, FAST)
    assert turned["value"][0] == pytest.approx(-rows.loc["ripa", "value"])


def test_a_word_in_two_sets_counts_once(vectors):
    shared = make_test(x=[*SETS["x"], "he"])
    assert score_vectors([shared], vectors, FAST)["n_words"].tolist() == [16] * 4
    dropped = score_vectors([shared], vectors, Settings(bootstrap=100, drop_shared=True))
    assert "dropped as they are attribute words: he" in dropped["note"][0]


def test_refused_and_thin_rows_say_why(vectors):
    refused = score_vectors([make_test(b=["she", "woman", "girl", "queen"])], vectors, FAST)
    assert refused["value"].isna().all()
    assert refused["low"].isna().all()
    assert refused["neutral"].tolist() == [0, 0, 1, 1]
    assert refused["note"][0].startswith("refused: B has 3 of 4 words")
    thin = score_vectors([make_test(b=[*SETS["b"], "queen", "mother"])], vectors, FAST)
    assert thin["status"].tolist() == ["thin"] * 4
    assert thin["note"][0] == "thin: 4 of 6 words of Set b found"
    assert thin["value"].notna().all()


def test_an_undefined_measure_is_refused_alone(vectors):
    matrix = vectors.matrix.copy()
    matrix[8:12] = matrix[12:16][::-1]
    rows = score_vectors([make_test()], WordVectors(vectors.words, matrix), FAST)
    assert rows["status"].tolist() == ["refused", "ok", "ok", "ok"]
    assert rows["note"][0] == "refused: ripa is undefined on these vectors"
    assert math.isnan(rows["low"][0])


def test_the_text_gives_counts_and_a_log_odds_ratio(passages):
    (row,) = score_corpus([make_test()], *passages, FAST).to_dict("records")
    assert row["measure"] == "pmi"
    assert (row["n_words"], row["neutral"], row["status"]) == (16, 0, "ok")
    # Twenty passages with X-A and Y-B; six each of X-B and Y-A.
    assert row["value"] == pytest.approx(2 * math.log(20.5 / 6.5))
    assert row["low"] < row["value"] < row["high"]
    counts = "X with A 20, X with B 6, Y with A 6, Y with B 20"
    assert row["note"] == f"co-occurrences in 20 of 20 documents: {counts}"


def test_a_text_with_few_co_occurrences_is_refused_or_thin(passages):
    texts, documents = passages
    (thin,) = score_corpus([make_test()], texts[:20], documents[:20], FAST).to_dict("records")
    assert thin["status"] == "thin"
    assert thin["note"].startswith("thin: fewer than 5 co-occurrences of X with B 0, Y with A 0; ")
    assert thin["value"] == pytest.approx(2 * math.log(20.5 / 0.5))
    (few,) = score_corpus([make_test()], texts[:4], documents[:4], FAST).to_dict("records")
    assert few["status"] == "refused"
    assert "too few co-occurrences (X 4, Y 4, A 4, B 4;" in few["note"]
    assert math.isnan(few["value"])
    (none,) = score_corpus([make_test()], ["math he"], ["d"], FAST).to_dict("records")
    assert none["note"].startswith("refused: X has 1 of 4 words, Y has 0 of 4 words")
    assert none["n_words"] == 2


def test_words_are_found_in_lower_case_and_thin_lists_are_marked(passages):
    capitals = make_test(x=["Math", "ALGEBRA", "number", "sum", "zero", "pi"])
    as_is = Settings(bootstrap=100, window=3, case="as_is")
    (row,) = score_corpus([capitals], *passages, as_is).to_dict("records")
    assert row["n_words"] == 16
    assert row["status"] == "thin"
    assert row["note"].startswith("thin: 4 of 6 words of Set x found; co-occurrences in 20 of 20")


def test_the_same_seed_gives_the_same_rows(passages, vectors):
    rows = score_vectors([make_test()], vectors, FAST)
    assert rows.equals(score_vectors([make_test()], vectors, FAST))
    assert not rows.equals(score_vectors([make_test()], vectors, replace(FAST, seed=9)))
    rows = score_corpus([make_test()], *passages, FAST)
    assert rows.equals(score_corpus([make_test()], *passages, FAST))


def test_the_published_tests_have_their_signs_in_pretrained_vectors(fetched_asset):
    tests = load_tests(LISTS)
    vectors = load_vectors(fetched_asset("glove_6b_50d"))
    rows = score_vectors(tests, vectors, FAST).set_index(["test", "measure"])
    assert (rows["status"] == "ok").all()
    directed = rows["value"].unstack()[["ripa", "rnd"]]
    assert len(directed) == 10
    assert (directed > 0).all(axis=None)
    # Instruments and weapons, and names and careers: even the interval leaves out 0.
    for test in ("WEAT2", "WEAT6"):
        assert rows.loc[(test, "ripa"), "low"] > 0
        assert rows.loc[(test, "rnd"), "low"] > 0
