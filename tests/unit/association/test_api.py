"""The call for Python users: every form of vectors, readable results, errors that say why."""

from __future__ import annotations

import doctest
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from biasatlas.association import api, weat
from biasatlas.errors import InputError
from biasatlas.lexicons.word_lists import load_test
from biasatlas.tables import TABLES
from biasatlas.vectors import WordVectors, load_vectors
from biasatlas.vectors.convert import as_word_vectors

LIST = Path(__file__).parents[3] / "resources" / "word_lists" / "weat" / "en" / "WEAT6.yaml"
SETS = {
    "x": ["math", "algebra", "number", "sum"],
    "y": ["poem", "dance", "art", "novel"],
    "a": ["he", "man", "boy", "son"],
    "b": ["she", "woman", "girl", "daughter"],
}
WORDS = [word for some in SETS.values() for word in some]
MATRIX = np.repeat([[1.0, 0.0], [0.0, 1.0]] * 2, 4, axis=0) + np.random.default_rng(0).normal(
    scale=0.3, size=(16, 2)
)


def all_forms():
    from gensim.models import KeyedVectors

    keyed = KeyedVectors(2)
    keyed.add_vectors(WORDS, MATRIX.astype(np.float32))
    return {
        "KeyedVectors": (keyed, {}),
        "mapping": (dict(zip(WORDS, MATRIX, strict=True)), {}),
        "array": (MATRIX, {"words": WORDS}),
        "WordVectors": (WordVectors(WORDS, MATRIX.astype(np.float32)), {}),
    }


@pytest.mark.parametrize("form", ["KeyedVectors", "mapping", "array", "WordVectors"])
def test_every_form_of_vectors_gives_the_same_result(form):
    vectors, options = all_forms()[form]
    result = weat(vectors, SETS, **options)
    reference = weat(dict(zip(WORDS, MATRIX, strict=True)), SETS)
    assert result == reference
    assert result.p_value == pytest.approx(1 / 70)
    assert result.p_bounds == (result.p_value, result.p_value)


def test_the_result_reads_well_and_becomes_a_row():
    result = weat(MATRIX, SETS | {"test": "MINE", "description": "Sums and arts"}, words=WORDS)
    text = repr(result)
    assert text.startswith("MINE: Sums and arts\n")
    low, high = result.interval
    assert f"d = {result.effect_size:.2f} [{low:.2f}, {high:.2f}]" in text
    assert "p = 0.014 (exact; smallest possible 0.014), two-sided 0.029" in text
    assert "X 4/4, Y 4/4, A 4/4, B 4/4" in text
    frame = result.to_frame()
    absent = {"language", "region", "corpus", "model", "seed", "q_value", "p_holm", "control"}
    assert set(frame) == TABLES["weat"].names - absent
    assert len(frame) == 1
    frame["effect_size"] = 0.0
    assert result.to_frame()["effect_size"][0] == result.effect_size


def test_missing_words_are_named():
    result = weat(MATRIX, SETS | {"y": [*SETS["y"], "novella"]}, words=WORDS, coverage_min=0.9)
    assert result.missing == ("novella",)
    assert result.status == "thin"
    assert "missing: novella" in repr(result)


def test_words_that_stand_twice_are_named():
    sets = SETS | {"x": [*SETS["x"], "sum"], "y": [*SETS["y"], "math"]}
    result = weat(MATRIX, sets, words=WORDS)
    assert result.doubled == ("sum", "math")
    assert "twice in a set or in two sets: sum, math" in repr(result)


def test_words_show_association_and_influence():
    words = weat(MATRIX, SETS, words=WORDS).words
    assert len(words) == 16
    assert words.loc[words["set"] == "x", "score"].min() > 0
    assert isinstance(words, pd.DataFrame)


def test_a_path_and_a_loaded_test_are_the_same():
    rng = np.random.default_rng(3)
    test = load_test(LIST)
    words = sorted({w for s in "xyab" for w in getattr(test, s).words})
    vectors = dict(zip(words, rng.normal(size=(len(words), 10)), strict=True))
    assert weat(vectors, LIST) == weat(vectors, test) == weat(vectors, str(LIST))


@pytest.mark.parametrize(
    ("call", "parts"),
    [
        (lambda: weat(MATRIX, SETS), ["ndarray", "words=[...]"]),
        (lambda: weat([1, 2], SETS), ["list", "KeyedVectors"]),
        (lambda: weat({}, SETS), ["empty"]),
        (lambda: weat({"he": [1, 2], "she": [1]}, SETS), ["differ in length"]),
        (lambda: weat({"he": [1, 2]}, SETS, words=["he"]), ["belong to an array"]),
        (lambda: weat(MATRIX, SETS, words=WORDS[:3]), ["3 words", "16 rows"]),
        (lambda: weat(MATRIX, SETS, words=["he"] * 16), ["'he'", "twice"]),
        (lambda: weat(MATRIX[0], SETS, words=WORDS), ["shape (2,)"]),
        (
            lambda: weat(MATRIX, {"x": "math", "y": ["a"], "c": []}, words=WORDS),
            ["set a is missing", "set b is missing", "'c' is unknown", "set x is 'math'"],
        ),
        (lambda: weat(MATRIX, SETS | {"x": ["math", "sum"]}, words=WORDS), ["X has 2 of 2 words"]),
        (lambda: weat(MATRIX, "no/such.yaml", words=WORDS), ["no/such.yaml"]),
        (
            lambda: weat(MATRIX, SETS | {"x": ["Math", "Sum", "math", "sum"]}, words=WORDS),
            ["without a vector: Math; Sum", 'case="lower"'],
        ),
        (lambda: weat(MATRIX, SETS, words=WORDS, coverage_min=80), ["coverage_min", "0 to 1"]),
    ],
)
def test_mistakes_say_what_is_wrong_and_what_is_allowed(call, parts):
    with pytest.raises(InputError) as caught:
        call()
    for part in parts:
        assert part in str(caught.value)


def test_a_model_is_taken_for_its_vectors():
    class Model:
        wv = all_forms()["KeyedVectors"][0]

    assert as_word_vectors(Model()).words == tuple(WORDS)


def test_the_example_in_the_docstring():
    assert doctest.testmod(api).failed == 0


def test_caliskan_on_glove_with_random_sets(fetched_asset):
    vectors = load_vectors(fetched_asset("glove_6b_50d"))
    result = weat(vectors, LIST, case="lower", nulls=200)
    assert round(result.effect_size, 2) == 1.71
    assert result.p_value == result.p_min == pytest.approx(1 / 12_870)
    low, median, high = result.null
    assert low < -1 < median < 1 < high
    assert 1 / 201 <= result.null_p < 0.1
    assert "random matched sets" in repr(result)
