"""All tests of a language under all encoders: rows, refusals, notes, the cache, variances."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from biasatlas.association.languages import score_grid
from biasatlas.association.languages.null_sets import OtherTargets, name_test
from biasatlas.association.languages.score_grid import score_language
from biasatlas.association.languages.spaces import standardise
from biasatlas.association.languages.variances import distance_variance, variance_rows
from biasatlas.association.score import Settings, score_tests
from biasatlas.lexicons.weathub import tests_of as list_tests
from biasatlas.lexicons.word_lists import AssociationTest
from biasatlas.tables.language_tables import WEATHUB
from biasatlas.vectors import WordVectors

SETTINGS = Settings(max_exact=40)
N_TESTS = 5


def words_of(concept: str, n: int) -> list[str]:
    # A phrase in every set: two of its words are entries of their own, too.
    return [*(f"{concept}{k}" for k in range(n)), f"{concept}0 {concept}1"]


def make_words(changed: dict[tuple[str, str, str], list[str]] | None = None) -> pd.DataFrame:
    """Entries of five tests, each in two variants with words of its own."""
    rows = []
    for variant in ("gt", "human"):
        for k in range(1, N_TESTS + 1):
            for name in "xyab":
                words = (changed or {}).get((variant, f"WEAT{k}", name))
                for place, word in enumerate(words or words_of(f"{name}{k}{variant[0]}", 5)):
                    rows.append((variant, f"WEAT{k}", name, place, word))
    frame = pd.DataFrame(rows, columns=["variant", "test", "set", "position", "word"])
    return frame.assign(
        language="xx", description="d", set_name=frame["set"] + " set", name=False, file="f",
        refusal="",
    )  # fmt: skip


def make_encoded(words: pd.DataFrame, seed: int = 0, encoders: int = 2) -> pd.DataFrame:
    texts = sorted({part for word in words["word"] for part in (word, *word.split())})
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"text": texts, "status": "read", "letters": False, "pieces": 1})
    for number in range(encoders):
        matrix = (rng.normal(size=(len(texts), 20)) + 1).astype(np.float32)
        frame[f"encoder{number}"] = [
            None if " " in text else row for text, row in zip(texts, matrix, strict=True)
        ]
    return frame


def make_reading(status: str = "ok", note: str = "") -> pd.DataFrame:
    row = {"language": "xx", "model": "m", "group": "other", "status": status, "note": note}
    return pd.DataFrame([row])


WORDS = make_words()
ENCODED = make_encoded(WORDS)


def score(words: pd.DataFrame = WORDS, encoded: pd.DataFrame = ENCODED, **options):
    options = {
        "reading": make_reading(), "settings": SETTINGS, "p_cache_file": None, "nulls": 50, "seed": 1
    } | options  # fmt: skip
    return score_language(words, encoded, options.pop("reading"), **options)


def by_hand(vectors: WordVectors, variant: str, test: AssociationTest) -> dict:
    """The row that the engine gives for one test on its own."""
    settings = replace(SETTINGS, case="as_is", min_words=2, nulls=0, seed=1)
    return score_tests([test], vectors, settings).scores.to_dict("records")[0]


def vectors_of(encoded: pd.DataFrame, encoder: str, words: pd.DataFrame) -> WordVectors:
    """Entries' vectors, straight from the definition: a phrase is the mean of its words."""
    known = dict(zip(encoded["text"], encoded[encoder], strict=True))
    entries = sorted(set(words["word"]))
    matrix = [np.mean([known[part] for part in word.split()], axis=0) for word in entries]
    return WordVectors(tuple(entries), np.array(matrix, dtype=np.float32))


def test_every_cell_is_what_the_engine_gives_for_it_alone():
    scores, variances = score()
    assert list(scores.columns) == [
        one.name for one in WEATHUB.columns if one.name not in ("q_value", "p_holm", "q_two_sided")
    ]
    key = ["encoder", "space", "variant", "test"]
    assert not scores.duplicated(key).any()
    assert len(scores) == 2 * 2 * 2 * N_TESTS == len(variances)
    rows = scores.set_index(key)
    tests = [(variant, test) for variant, test, _ in list_tests(WORDS)]
    same = ("effect_size", "effect_low", "p_value", "p_two_sided", "label_low", "coherence", "n_x")
    for encoder in ("encoder0", "encoder1"):
        raw = vectors_of(ENCODED, encoder, WORDS)
        for space, vectors in (("raw", raw), ("standardised", standardise(raw))):
            sampler = OtherTargets(vectors, tests, seed=1)
            for variant, test in tests:
                row = rows.loc[(encoder, space, variant, test.test)]
                expected = by_hand(vectors, variant, test)
                assert [row[one] for one in same] == pytest.approx([expected[one] for one in same])
                sets = [sorted(getattr(test, one).words) for one in "xyab"]
                null = sampler.null(name_test(variant, test.test), *sets, 50)
                placed = null.summary(row["effect_size"])
                assert [row[one] for one in placed] == pytest.approx(list(placed.values()))
    assert (scores["null_n"] == 50).all()
    assert (scores["case"] == "as_is").all()
    assert set(scores["status"]) == {"ok"}
    assert scores["n_x"].eq(6).all()


def test_the_two_spaces_and_the_encoders_differ():
    scores, _ = score()
    cells = scores.pivot(
        index=["variant", "test"], columns=["encoder", "space"], values="effect_size"
    )
    for one, other in combinations(cells.columns, 2):
        assert not np.allclose(cells[one], cells[other])
    only, _ = score(spaces=("raw",))
    assert set(only["space"]) == {"raw"}


def test_a_model_that_cannot_read_the_language_gives_no_number():
    reading = make_reading("refused", "3% of the words can be read")
    scores, variances = score(reading=reading)
    assert len(scores) == 2 * 2 * 2 * N_TESTS
    assert scores["effect_size"].isna().all()
    assert scores["p_value"].isna().all()
    assert set(scores["status"]) == {"refused"}
    assert set(scores["note"]) == {
        "refused: the model cannot read the language: 3% of the words can be read"
    }
    assert set(scores["null_n"]) == {0}
    assert len(variances) == 0


def test_a_refused_list_is_a_row_without_numbers_and_lends_no_set():
    words = WORDS.copy()
    refused = (words["variant"] == "gt") & (words["test"] == "WEAT2")
    words.loc[refused, "refusal"] = "X has no word"
    scores, variances = score(words)
    rows = scores[(scores["variant"] == "gt") & (scores["test"] == "WEAT2")]
    assert set(rows["status"]) == {"refused"}
    assert set(rows["note"]) == {"refused: X has no word"}
    assert rows["effect_size"].isna().all()
    assert set(rows["n_x"]) == {6}
    assert (scores["status"] == "refused").sum() == 4
    assert len(variances) == len(scores) - 4
    alike = score()[0].merge(scores, on=["encoder", "space", "variant", "test"])
    alike = alike[alike["status_y"] == "ok"]
    assert (alike["effect_size_x"] == alike["effect_size_y"]).all()
    assert not (alike["null_low_x"] == alike["null_low_y"]).all()


def test_thin_where_a_set_is_small_or_half_of_it_missing():
    few = {("gt", "WEAT1", "a"): ["p", "q"], ("gt", "WEAT2", "x"): ["r"]}
    words = make_words(few)
    encoded = make_encoded(words)
    lost = encoded["text"].isin(["b3g0", "b3g1"])
    for encoder in ("encoder0", "encoder1"):
        encoded[encoder] = encoded[encoder].where(~lost, None)
    scores, _ = score(words, encoded)
    rows = scores[scores["encoder"] == "encoder0"].set_index(["space", "variant", "test"])
    thin = rows.loc[("raw", "gt", "WEAT1")]
    assert (thin["status"], thin["note"]) == ("thin", "thin: A has 2 words")
    assert math.isfinite(thin["effect_size"])
    one = rows.loc[("raw", "gt", "WEAT2")]
    assert one["status"] == "refused"
    assert one["note"].startswith("refused: X has 1 of 1 words; at least 2 are needed")
    # The phrase of the two lost words is lost with them: three of six.
    missing = rows.loc[("raw", "gt", "WEAT3")]
    assert missing["status"] == "thin"
    assert missing["note"] == "thin: B has 3 words; thin: 3 of 6 words of b set found"
    assert missing["words_missing"] == "b3g0; b3g1; b3g0 b3g1"
    assert (rows.loc[("raw", "human", "WEAT3")]["status"]) == "ok"
    loose, _ = score(words, encoded, thin_words=2, settings=replace(SETTINGS, coverage_min=0.5))
    assert "thin" not in set(loose["status"])
    strict, _ = score(words, encoded, min_words=4)
    assert (strict["status"] == "refused").sum() == 12


def test_words_that_fasttext_never_saw_are_scored_and_do_not_make_a_set_complete():
    encoded = make_encoded(WORDS, encoders=1).rename(columns={"encoder0": "fasttext"})
    unseen = ["x1g0", "x1g1", "x1g2"]
    encoded["pieces"] = encoded["text"].isin(unseen) * 4
    scores, _ = score(encoded=encoded, spaces=["raw"])
    row = scores.set_index(["variant", "test"]).loc[("gt", "WEAT1")]
    # Of five words and a phrase, three words and the phrase of two of them were composed.
    assert (row["n_x"], row["coverage"], row["status"]) == (6, pytest.approx(2 / 6), "thin")
    assert row["words_composed"] == "x1g0; x1g1; x1g2; x1g0 x1g1"
    known = encoded.assign(pieces=0)
    same = score(encoded=known, spaces=["raw"])[0].set_index(["variant", "test"])
    assert same.loc[("gt", "WEAT1"), "status"] == "ok"
    assert same.loc[("gt", "WEAT1"), "effect_size"] == row["effect_size"]


def test_words_that_a_model_spells_do_not_make_a_set_complete():
    encoded = make_encoded(WORDS, encoders=1).rename(columns={"encoder0": "last_mean"})
    encoded["letters"] = encoded["text"].isin(["a2h0", "a2h1"])
    rows = score(encoded=encoded, spaces=["raw"])[0].set_index(["variant", "test"])
    row = rows.loc[("human", "WEAT2")]
    assert (row["n_a"], row["coverage"], row["status"]) == (6, pytest.approx(3 / 6), "thin")
    assert row["words_composed"] == "a2h0; a2h1; a2h0 a2h1"
    assert set(rows.drop(index=("human", "WEAT2"))["status"]) == {"ok"}


def test_sets_with_words_in_common_are_noted():
    shared = {
        ("gt", "WEAT1", "y"): ["x1g0", "X1G1", *words_of("y1g", 4)],
        ("human", "WEAT4", "b"): ["x4h3", "x4h4", *words_of("b4h", 4)],
        ("human", "WEAT5", "a"): ["y5h3", *words_of("a5h", 5)],
    }
    words = make_words(shared)
    scores, _ = score(words, make_encoded(words), nulls=0)
    rows = scores.set_index(["variant", "test"])
    # A third of a set stands on the other side too: little is left to compare. Words that a target
    # and an attribute set share are noted only.
    note = "thin: X and Y share 2 of 6 words; X and Y share 2 words"
    assert set(rows.loc[("gt", "WEAT1"), "note"]) == {note}
    assert set(rows.loc[("gt", "WEAT1"), "status"]) == {"thin"}
    assert set(rows.loc[("gt", "WEAT1"), "words_shared"]) == {"x1g0"}
    assert set(rows.loc[("human", "WEAT4"), "note"]) == {"X and B share 2 words"}
    assert set(rows.loc[("human", "WEAT4"), "status"]) == {"ok"}
    assert set(rows.loc[("human", "WEAT5"), "note"]) == {"Y and A share 1 word"}
    assert set(rows.loc[("gt", "WEAT2"), "note"]) == {""}


def test_too_few_words_for_the_standardised_space_refuse_it_alone():
    words = WORDS[(WORDS["variant"] == "gt") & (WORDS["test"] == "WEAT1")]
    encoded = make_encoded(words)
    # One word of each set is missing under the first encoder, and a phrase with it.
    lacking = [f"{name}1g1" for name in "xyab"]
    encoded["encoder0"] = encoded["encoder0"].where(~encoded["text"].isin(lacking), None)
    scores, variances = score(words, encoded)
    rows = scores.set_index(["encoder", "space"])
    assert rows.loc[("encoder0", "standardised"), "status"] == "refused"
    assert rows.loc[("encoder0", "standardised"), "note"] == (
        "refused: 16 words are too few to standardise vectors; 20 are needed"
    )
    assert rows.drop(index=("encoder0", "standardised"))["status"].ne("refused").all()
    assert rows.loc[("encoder1", "raw"), "note"].startswith("no null: 0 pairs")
    assert len(variances) == 3


def test_an_encoder_that_has_no_vector_at_all():
    encoded = ENCODED.assign(encoder0=[None] * len(ENCODED))
    scores, variances = score(encoded=encoded)
    rows = scores[scores["encoder"] == "encoder0"]
    assert set(rows["status"]) == {"refused"}
    assert set(rows["n_x"]) == {0}
    assert (scores[scores["encoder"] == "encoder1"]["status"] == "ok").all()
    assert variances[variances["encoder"] == "encoder0"]["variance"].isna().all()


def test_after_one_list_changes_only_its_p_values_are_worked_out(tmp_path, monkeypatch):
    file = tmp_path / "p.parquet"
    made = []

    class Watched(score_grid.CachedPermutation):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            made.append(self)

    monkeypatch.setattr(score_grid, "CachedPermutation", Watched)
    spaces = {"spaces": ("raw",), "p_cache_file": file}
    first, _ = score(**spaces)
    again, _ = score(**spaces)
    pd.testing.assert_frame_equal(first, again)
    changed = make_words({("gt", "WEAT3", "x"): words_of("x3g", 4)})
    other, _ = score(changed, **spaces)
    assert [(one.misses, one.hits) for one in made] == [(20, 0), (0, 20), (2, 18)]
    key = ["encoder", "variant", "test"]
    both = first.merge(other, on=key)
    moved = both[both["p_value_x"] != both["p_value_y"]]
    assert set(zip(moved["variant"], moved["test"], strict=True)) == {("gt", "WEAT3")}


def test_a_list_of_the_user_changes_no_published_score():
    own = WORDS[WORDS["variant"] == "gt"].assign(variant="own")
    own = own.assign(word="own " + own["word"])
    both = pd.concat([WORDS, own], ignore_index=True)
    encoded = make_encoded(both, encoders=1)
    alone, _ = score(WORDS, encoded, nulls=0)
    beside, _ = score(both, encoded, nulls=0)
    beside = beside[beside["variant"] != "own"].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone, beside, check_exact=True)


def test_no_number_hangs_on_the_order_of_encoded_texts_or_words():
    scores, variances = score()
    rng = np.random.default_rng(2)
    words = WORDS.iloc[rng.permutation(len(WORDS))]
    shuffled, others = score(words, ENCODED.iloc[rng.permutation(len(ENCODED))])
    key = ["encoder", "space", "variant", "test"]
    left, right = (one.sort_values(key, ignore_index=True) for one in (scores, shuffled))
    pd.testing.assert_frame_equal(
        left.drop(columns="words_missing"), right.drop(columns="words_missing"), check_exact=True
    )
    left, right = (one.sort_values(key, ignore_index=True) for one in (variances, others))
    pd.testing.assert_frame_equal(left, right, check_exact=True)


def test_saddlepoint_p_values_are_called_so():
    big = {
        (variant, "WEAT1", name): [f"{name}{variant[0]}w{k}" for k in range(14)]
        for variant in ("gt", "human")
        for name in "xy"
    }
    words = make_words(big)
    encoded = make_encoded(words)
    close, _ = score(words, encoded, p_values="saddlepoint")
    exact, _ = score(words, encoded)
    is_close = close["method"] == "saddlepoint"
    # A few of the large tests lie so far out that their tail is counted.
    assert set(close[is_close]["test"]) == {"WEAT1"}
    assert is_close.sum() >= 4
    assert set(close[~is_close]["method"]) == {"exact"}
    assert close["p_value"].to_numpy() == pytest.approx(exact["p_value"].to_numpy(), rel=0.01)
    assert close["p_upper"].isna().tolist() == is_close.tolist()


def test_variance_of_distances_by_hand_and_by_scipy():
    from scipy.spatial.distance import pdist

    # Cosine distances 1, 1 - r, 1 - r with r = 1 / sqrt 2.
    half = math.sqrt(0.5)
    unit = np.array([[1.0, 0.0], [0.0, 1.0], [half, half]])
    assert distance_variance(unit) == pytest.approx(2 / 9 * half**2)
    assert math.isnan(distance_variance(unit[:2]))
    vectors = vectors_of(ENCODED, "encoder0", WORDS)
    tests = [(variant, test) for variant, test, _ in list_tests(WORDS)]
    for (_, test), row in zip(tests, variance_rows(tests, vectors), strict=True):
        sets = [vectors.rows(getattr(test, name).words) for name in "xyab"]
        expected = np.mean([np.var(pdist(some, "cosine")) for some in sets])
        assert row["variance"] == pytest.approx(expected)
        assert (row["test"], row["n_sets"]) == (test.test, 4)


def test_variances_pass_over_sets_of_two_words():
    words = make_words({("gt", "WEAT1", name): ["p", "q"] for name in "xa"})
    _, variances = score(words, make_encoded(words))
    assert set(
        variances[(variances["variant"] == "gt") & (variances["test"] == "WEAT1")]["n_sets"]
    ) == {2}
    assert set(variances["n_sets"]) == {2, 4}


def test_a_cache_file_is_written_whole(tmp_path: Path):
    score(p_cache_file=tmp_path / "deep" / "p.parquet")
    assert [one.name for one in (tmp_path / "deep").iterdir()] == ["p.parquet"]
