"""From word lists and vectors to rows: coverage, refusals, notes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from biasatlas.association.lookup import look_up
from biasatlas.association.region_aware import load_tests, score_pairs
from biasatlas.association.score import Settings, score_tests
from biasatlas.lexicons.word_lists import AssociationTest, WordSet
from biasatlas.tables import TABLES
from biasatlas.vectors import WordVectors

FAST = Settings(nulls=0)
SETS = {
    "x": ["math", "algebra", "number", "sum"],
    "y": ["poem", "dance", "art", "novel"],
    "a": ["he", "man", "boy", "son"],
    "b": ["she", "woman", "girl", "daughter"],
}


@pytest.fixture
def vectors() -> WordVectors:
    """X lies near A, Y near B."""
    rng = np.random.default_rng(0)
    words = [word for some in SETS.values() for word in some]
    centre = np.repeat([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]], 4, axis=0)
    noise = rng.normal(scale=0.2, size=(16, 6))
    noise[:, :2] += centre
    return WordVectors(tuple(words), noise.astype(np.float32))


def make_test(**words: list[str]) -> AssociationTest:
    sets = SETS | words
    named = {name: WordSet(f"Set {name}", tuple(sets[name])) for name in "xyab"}
    return AssociationTest(test="WEAT0", description="Made up", language="en", citation="", **named)


def score_test(test: AssociationTest, vectors: WordVectors, settings: Settings) -> dict:
    (row,) = score_tests([test], vectors, settings).scores.to_dict("records")
    return row


def test_look_up_counts_every_word_once(vectors):
    composing = replace(vectors, compose=lambda word: np.ones(6, dtype=np.float32))
    words = ["Math", "math", "sum", "ZEBRA", "zebra", "yak"]
    plain = look_up(words, vectors, compose=True)
    assert plain.found == ("math", "sum")
    assert plain.missing == ("zebra", "yak")
    assert plain.duplicate == ("math", "zebra")
    assert (plain.composed, plain.asked, plain.share) == ((), 6, 0.5)
    composed = look_up(words, composing, compose=True)
    assert composed.found == ("math", "sum", "zebra", "yak")
    assert composed.composed == ("zebra", "yak")
    assert (composed.missing, composed.share) == ((), 1.0)
    assert look_up(words, composing).composed == ()
    as_is = look_up(words, vectors, case="as_is")
    assert as_is.found == ("math", "sum")
    assert as_is.missing == ("Math", "ZEBRA", "zebra", "yak")
    assert look_up([], vectors).share == 0


def test_a_row_holds_the_columns_of_the_table_in_their_order(vectors):
    absent = {"region", "language", "corpus", "model", "seed", "q_value", "p_holm", "control"}
    expected = [one.name for one in TABLES["weat"].columns if one.name not in absent]
    for test in (make_test(), make_test(x=["math"])):
        assert set(score_test(test, vectors, FAST)) == set(expected)
    frame = score_tests([make_test(), make_test(x=["math"])], vectors, FAST).scores
    assert frame["status"].tolist() == ["ok", "refused"]


def test_a_clear_effect_by_its_definition(vectors):
    row = score_test(make_test(), vectors, FAST)
    unit = vectors.matrix.astype(float)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    x, y, a, b = (unit[i : i + 4] for i in (0, 4, 8, 12))
    s = [(w @ a.T).mean() - (w @ b.T).mean() for w in (*x, *y)]
    assert row["statistic"] == pytest.approx(np.mean(s[:4]) - np.mean(s[4:]))
    assert row["effect_size"] == pytest.approx(row["statistic"] / np.std(s, ddof=1))
    assert row["effect_low"] < row["effect_size"] < row["effect_high"]
    assert row["p_value"] == pytest.approx(1 / 70)
    assert row["p_min"] == pytest.approx(1 / 70)
    assert (row["method"], row["status"], row["note"]) == ("exact", "ok", "")
    assert [row[f"n_{name}"] for name in "xyab"] == [4, 4, 4, 4]
    assert [row[name] for name in "xyab"] == [f"Set {name}" for name in "xyab"]


def test_the_order_of_words_changes_no_bit(vectors):
    reordered = make_test(**{name: words[::-1] for name, words in SETS.items()})
    settings = replace(FAST, max_exact=2)
    first, second = (score_test(one, vectors, settings) for one in (make_test(), reordered))
    pd.testing.assert_series_equal(pd.Series(first), pd.Series(second), check_exact=True)


def test_too_few_words_are_refused_and_counted(vectors):
    test = make_test(x=["Math", "math", "sum", "zebra"], a=["he", "man", "yak"])
    row = score_test(test, vectors, FAST)
    assert row["status"] == "refused"
    assert row["note"] == "refused: X has 2 of 3 words, A has 2 of 3 words; at least 4 are needed"
    assert math.isnan(row["effect_size"])
    assert math.isnan(row["p_value"])
    assert row["method"] == ""
    assert (row["n_x"], row["asked_x"]) == (2, 4)
    assert row["coverage"] == pytest.approx(2 / 3)
    assert row["words_missing"] == "zebra; yak"
    assert row["words_duplicate"] == "math"


def test_sets_without_a_difference_are_refused(vectors):
    same = score_test(make_test(y=SETS["x"][::-1]), vectors, FAST)
    assert same["status"] == "refused"
    assert "same words" in same["note"]
    folded = score_test(make_test(b=[word.upper() for word in SETS["a"]]), vectors, FAST)
    assert "same words" in folded["note"]


def test_vectors_without_spread_or_direction_are_refused(vectors):
    flat = WordVectors(vectors.words, np.ones_like(vectors.matrix))
    row = score_test(make_test(), flat, FAST)
    assert (row["status"], math.isnan(row["p_value"])) == ("refused", True)
    assert row["note"].startswith("refused: all association scores are equal")
    matrix = vectors.matrix.copy()
    matrix[vectors.index["poem"]] = 0
    matrix[vectors.index["boy"], 0] = np.nan
    row = score_test(make_test(), WordVectors(vectors.words, matrix), FAST)
    assert row["note"] == "refused: the vectors of boy, poem are zero or not finite"


def test_a_thin_test_is_scored_and_says_so(vectors):
    row = score_test(make_test(y=[*SETS["y"], "yak", "emu"]), vectors, FAST)
    assert row["status"] == "thin"
    assert row["note"] == "thin: 4 of 6 words of Set y found"
    assert row["effect_size"] == score_test(make_test(), vectors, FAST)["effect_size"]
    enough = score_test(
        make_test(y=[*SETS["y"], "yak", "emu"]), vectors, replace(FAST, coverage_min=0.6)
    )
    assert (enough["status"], enough["words_missing"]) == ("ok", "yak; emu")


def test_shared_words_are_named_and_dropped_on_demand(vectors):
    test = make_test(x=[*SETS["x"], "she"], y=[*SETS["y"], "sum"])
    kept = score_test(test, vectors, FAST)
    assert kept["words_shared"] == "sum; she"
    assert (kept["n_x"], kept["note"]) == (5, "")
    dropped = score_test(test, vectors, replace(FAST, drop_shared=True))
    assert dropped["n_x"] == 4
    assert dropped["asked_x"] == 5
    assert dropped["note"] == "dropped as they are attribute words: she"
    without = score_test(make_test(y=[*SETS["y"], "sum"]), vectors, FAST)
    assert dropped["effect_size"] == without["effect_size"]
    few = score_test(make_test(x=[*SETS["x"][:3], "she"]), vectors, replace(FAST, drop_shared=True))
    assert few["status"] == "refused"
    assert few["note"].startswith("refused: X has 3 of 4 words")
    assert few["note"].endswith("dropped as they are attribute words: she")


def test_composed_words_are_named(vectors):
    composing = replace(vectors, compose=lambda word: vectors.matrix[0])
    test = make_test(x=[*SETS["x"], "mathsy"])
    row = score_test(test, composing, replace(FAST, compose_missing=True))
    assert (row["n_x"], row["words_composed"], row["words_missing"]) == (5, "mathsy", "")


def test_words_say_what_drives_a_score(vectors):
    scored = score_tests([make_test(), make_test(x=["math"])], vectors, FAST)
    words = scored.words.set_index(["set", "word"])
    assert len(words) == 16
    row = scored.scores.iloc[0]
    s = words["score"]
    assert s["x"].mean() - s["y"].mean() == pytest.approx(row["statistic"])
    assert s["a"].mean() - s["b"].mean() == pytest.approx(row["statistic"])
    without = score_test(make_test(a=["man", "boy", "son"]), vectors, replace(FAST, min_words=2))
    expected = without["effect_size"] - row["effect_size"]
    assert words["influence"]["a", "he"] == pytest.approx(expected)


def test_coverage_is_counted_for_refused_tests_too(vectors):
    test = make_test(x=["Math", "math", "sum", "zebra"])
    coverage = score_tests([test], vectors, FAST).coverage.set_index("set")
    asked = coverage.loc["x", ["asked", "distinct", "found"]].astype(int)
    assert asked.tolist() == [4, 3, 2]
    assert coverage.loc["x", "missing"] == "zebra"


def test_random_sets_are_drawn_where_they_are_asked_for(vectors):
    none = score_test(make_test(), vectors, FAST)
    assert none["null_n"] == 0
    assert math.isnan(none["null_p"])
    rng = np.random.default_rng(1)
    more = [a + b for a in "abcdefghij" for b in "klmnopqrst"]
    matrix = np.vstack([vectors.matrix, rng.normal(size=(100, 6))]).astype(np.float32)
    many = WordVectors((*vectors.words, *more), matrix)
    row = score_test(make_test(), many, replace(FAST, nulls=20))
    assert row["null_n"] == 20
    assert row["null_low"] <= row["null_median"] <= row["null_high"]
    assert 1 / 21 <= row["null_p"] <= 1


def test_region_aware_pairs_found_and_published(vectors, tmp_path):
    from pathlib import Path

    folder = Path(__file__).parents[3] / "resources" / "word_lists" / "region_aware"
    pairs = pd.DataFrame(
        {
            "selection": ["matching", "gap", "gap"],
            "rank": [1, 0, 1],
            "female_topic": [4, -1, 4],
            "male_topic": [2, -1, 2],
        }
    )
    topics = pd.DataFrame(
        {"topic": [2, 4], "label": ["sums", "poems"], "keywords": [SETS["x"], SETS["y"]]}
    )
    tests, regions = load_tests(
        folder, "paper_table", published=True, region="mars", language="en", pairs=pairs,
        topics=topics,
    )  # fmt: skip
    (found,) = tests["found"]
    (other,) = tests["found_other"]
    assert (other.test, regions[other.test]) == ("mars-gap-1", "mars")
    assert (found.test, found.description) == ("mars-1", "poems - sums")
    assert (found.x.words, found.y.words) == (tuple(SETS["y"]), tuple(SETS["x"]))
    assert len(tests["published"]) == 25
    assert regions["mars-1"] == "mars"
    assert regions["north_america-P2"] == "north_america"
    settings = replace(FAST, min_words=2, coverage_min=0.1)
    scored = score_pairs(tests, regions, [make_test()], vectors, settings)
    frame = scored.scores
    assert frame["pair"].tolist()[:3] == ["mars-1", "mars-gap-1", "africa-P1"]
    assert frame["published_reddit"][:2].isna().all()
    assert frame["published_reddit"][2:].notna().all()
    # Topics near their own gender's terms give a positive d.
    assert frame["effect_size"][0] > 1
    assert set(frame["status"][2:]) == {"refused"}
    # The control marks the pairs and is none of them.
    assert set(frame["control"]) == {"passed"}
    assert "WEAT0" not in {*frame["test"], *scored.words["test"], *scored.coverage["test"]}


def test_published_pairs_are_english_and_can_be_left_out():
    from pathlib import Path

    folder = Path(__file__).parents[3] / "resources" / "word_lists" / "region_aware"
    for published, language in ((False, "en"), (True, "de")):
        tests, regions = load_tests(
            folder, "paper_text", published=published, region="mars", language=language
        )
        assert tests == {"found": [], "found_other": [], "published": []}
        assert regions == {}
        nothing = WordVectors((), np.empty((0, 2)))
        assert score_pairs(tests, regions, [], nothing, FAST).scores.empty
