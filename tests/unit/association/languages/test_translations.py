"""Human against machine translation: alignment, a slow reference, a flipped test, a fair null."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from biasatlas.association.languages.concepts import pair_concepts
from biasatlas.association.languages.corrections import correct_grid, correct_translations
from biasatlas.association.languages.spaces import standardise
from biasatlas.association.languages.translation_grid import compare_language
from biasatlas.association.languages.translation_summary import summarise_translations
from biasatlas.association.languages.translations import (
    SAME_WORDS,
    Cosines,
    Settings,
    _interval,
    bootstrap,
    compare_translations,
    exchange,
    look_up_concepts,
    observed,
)
from biasatlas.association.scores import effect_size, word_associations
from biasatlas.tables.language_tables import TRANSLATION_SUMMARY, TRANSLATIONS
from biasatlas.vectors import WordVectors

Lists = dict[str, list[str]]
FAST = Settings(replicates=100, permutations=99)


def frame_of(human: Lists, machine: Lists, test: str = "WEAT1", refusal: str = "") -> pd.DataFrame:
    """A word list; ``a|b`` is one entry that gives two words."""
    rows = [
        (variant, test, name, place, word, refusal if variant == "gt" else "")
        for variant, lists in (("human", human), ("gt", machine))
        for name, entries in lists.items()
        for place, entry in enumerate(entries)
        for word in entry.split("|")
    ]
    return pd.DataFrame(rows, columns=["variant", "test", "set", "position", "word", "refusal"])


def lists(prefix: str, n: int) -> Lists:
    return {name: [f"{prefix}{name}{place}" for place in range(n)] for name in "xyab"}


def vectors_for(words: pd.DataFrame, seed: int = 0, dims: int = 6) -> WordVectors:
    known = sorted(set(words["word"]))
    rng = np.random.default_rng(seed)
    return WordVectors(known, rng.normal(size=(len(known), dims)).astype(np.float32))


def compare(words: pd.DataFrame, vectors: WordVectors, settings: Settings = FAST) -> pd.DataFrame:
    return compare_translations(
        pair_concepts(words),
        vectors,
        language="de",
        model="m",
        group="multilingual",
        encoder="fasttext",
        space="raw",
        settings=settings,
    )


def one_row(words: pd.DataFrame, vectors: WordVectors, settings: Settings = FAST) -> dict:
    (row,) = compare(words, vectors, settings).to_dict("records")
    return row


def d_of(vectors: WordVectors, sets: Lists) -> float:
    x, y, a, b = (vectors.rows(sets[name]) for name in "xyab")
    return effect_size(word_associations(x, a, b), word_associations(y, a, b))


def random_cosines(
    rng: np.random.Generator, sizes: tuple[int, ...] = (4, 5, 4, 4), spread: float = 1.0
) -> Cosines:
    """Two translations of each concept, equally far from what it means."""
    n = sum(sizes)
    meaning = rng.normal(size=(n, 8))
    both = [meaning + spread * rng.normal(size=(n, 8)) for _ in range(2)]
    both = [one / np.linalg.norm(one, axis=1, keepdims=True) for one in both]
    targets = sizes[0] + sizes[1]
    values = (
        np.concatenate([one[:targets] for one in both])
        @ np.concatenate([one[targets:] for one in both]).T
    )
    return Cosines(values, sizes, np.ones(n, dtype=bool))


def test_concepts_are_aligned_by_set_and_place():
    human = {"x": ["h1", "same", "h3"], "y": ["h4|h5"], "a": ["h6", "h6"], "b": ["h7"]}
    machine = {"x": ["m1", "same"], "y": ["m4"], "a": ["m6", "m6"], "b": ["m7", "m8"]}
    words = frame_of(human, machine)
    found = pair_concepts(words.sample(frac=1, random_state=4))["WEAT1"]
    # The third of x and the second of b have no counterpart; both of a are one concept.
    assert found.human == (("h1",), ("same",), ("h4", "h5"), ("h6",), ("h7",))
    assert found.machine == (("m1",), ("same",), ("m4",), ("m6",), ("m7",))
    assert (found.sizes, found.alone, found.refusal) == ((2, 1, 1, 1), 2, "")


def test_a_test_in_one_translation_has_no_row():
    words = frame_of(lists("h", 4), lists("m", 4))
    human = words[words["variant"] == "human"]
    other = words.assign(variant="all", test="WEAT2")
    assert pair_concepts(pd.concat([human, other])) == {}
    table = compare(human, vectors_for(words))
    expected = [column.name for column in TRANSLATIONS.columns if column.name != "q_value"]
    assert table.empty
    assert list(table.columns) == expected


def test_tests_come_in_natural_order_and_apart():
    words = pd.concat(
        [frame_of(lists(f"h{t}", 4), lists(f"m{t}", 4), test=t) for t in ("WEAT11", "WEAT2")]
    )
    assert compare(words, vectors_for(words))["test"].tolist() == ["WEAT2", "WEAT11"]


def test_d_is_that_of_each_list_over_the_shared_concepts():
    human, machine = lists("h", 5), lists("m", 5)
    machine["a"][1] = human["a"][1]
    words = frame_of(human, machine)
    vectors = vectors_for(words[~words["word"].isin(["hx0", "my4"])])
    row = one_row(words, vectors)
    assert (row["n_concepts"], row["n_alike"], row["status"]) == (18, 1, "ok")
    assert row["note"] == "2 of 20 concepts lack a vector in one translation"
    shared = [
        {
            n: [w for p, w in enumerate(words) if (n, p) not in {("x", 0), ("y", 4)}]
            for n, words in some.items()
        }
        for some in (human, machine)
    ]
    assert row["d_human"] == pytest.approx(d_of(vectors, shared[0]))
    assert row["d_machine"] == pytest.approx(d_of(vectors, shared[1]))
    assert row["difference"] == row["d_human"] - row["d_machine"]
    assert row["difference_low"] < row["difference"] < row["difference_high"]


def test_a_concept_of_several_words_is_the_mean_of_those_of_length_one():
    human, machine = lists("h", 4), lists("m", 4)
    human["x"][0] = "hx0|hx0b|unknown"
    words = frame_of(human, machine)
    vectors = vectors_for(words[words["word"] != "unknown"])
    first, second = vectors.rows(["hx0", "hx0b"])
    mean = first / np.linalg.norm(first) + second / np.linalg.norm(second)
    longer = WordVectors(
        [*vectors.words, "mean"], np.vstack([vectors.matrix, mean]).astype(np.float32)
    )
    expected = d_of(longer, human | {"x": ["mean", *human["x"][1:]]})
    row = one_row(words, vectors)
    assert row["n_concepts"] == 16
    assert row["d_human"] == pytest.approx(expected, abs=1e-6)


def test_exchange_counts_every_way_as_a_slow_reference_does():
    cosines = random_cosines(np.random.default_rng(1), (2, 2, 2, 2))
    cosines.differ[[1, 6]] = False
    n, m = 4, 4

    def difference(taken: tuple[int, ...]) -> float:
        gains = []
        for side in (taken, tuple(1 - one for one in taken)):
            rows = [place + n * side[place] for place in range(n)]
            columns = [place + m * side[n + place] for place in range(m)]
            some = cosines.values[np.ix_(rows, columns)]
            s = some[:, :2].mean(axis=1) - some[:, 2:].mean(axis=1)
            gains.append(s[:2].mean() - s[2:].mean())
        return gains[0] - gains[1]

    for place in (1, 6):
        _same_word(cosines, place, n, m)
    sizes = np.array([abs(difference(way)) for way in product((0, 1), repeat=8)])
    p_value, p_min = exchange(cosines, 999, np.random.default_rng(0))
    assert p_value == pytest.approx((sizes >= sizes[0] - 1e-12).mean())
    assert p_min == 1 / 32
    # Random exchanges come near the count.
    drawn, least = exchange(cosines, 30, np.random.default_rng(0))
    assert least == 1 / 3001
    assert drawn == pytest.approx(p_value, abs=0.3)


def test_a_rare_difference_is_looked_at_for_longer():
    rng = np.random.default_rng(4)
    counted = shortest = 0
    for _ in range(120):
        cosines = random_cosines(rng, (4, 4, 3, 3))
        exact, _ = exchange(cosines, 2**13, rng)
        p_value, p_min = exchange(cosines, 99, rng)
        assert p_min == 1 / 9901
        # A short draw has at least ten hits of 99, a long one a hundred times the draws.
        if p_value < 10 / 100:
            counted += 1
            assert p_value == pytest.approx(exact, abs=5 * math.sqrt(exact / 9900) + 1 / 9901)
            shortest = max(shortest, exact)
    assert counted >= 3
    assert shortest < 0.25


def _same_word(cosines: Cosines, place: int, n: int, m: int) -> None:
    """Both translations of a concept have the same vector."""
    if place < n:
        cosines.values[n + place] = cosines.values[place]
    else:
        cosines.values[:, m + place - n] = cosines.values[:, place - n]


@pytest.mark.parametrize("shared", [0, 5])
def test_p_is_uniform_where_translations_are_exchangeable(shared):
    rng = np.random.default_rng(20 + shared)
    p_values = []
    for _ in range(400):
        cosines = random_cosines(rng)
        if shared:
            cosines.differ[rng.choice(17, shared, replace=False)] = False
            for place in np.flatnonzero(~cosines.differ):
                _same_word(cosines, int(place), 9, 8)
        p_values.append(exchange(cosines, 199, rng)[0])
    assert stats.kstest(p_values, "uniform").pvalue > 0.01
    assert np.mean(np.array(p_values) <= 0.05) == pytest.approx(0.05, abs=0.03)


def test_a_translation_that_turns_a_test_around_is_found():
    human, machine = lists("h", 12), lists("m", 12)
    words = frame_of(human, machine)
    rng = np.random.default_rng(3)
    matrix = {word: rng.normal(scale=0.5, size=20) for word in sorted(set(words["word"]))}
    for prefix, turned in (("h", 1.0), ("m", -1.0)):
        for name, side in (("x", 1.0), ("y", -1.0), ("a", turned), ("b", -turned)):
            for place in range(12):
                matrix[f"{prefix}{name}{place}"][0] += side
    vectors = WordVectors(list(matrix), np.array(list(matrix.values()), dtype=np.float32))
    row = one_row(words, vectors, Settings())
    assert row["d_human"] > 1
    assert row["d_machine"] < -1
    assert row["p_value"] == row["p_min"] == 1 / 99_901
    assert row["difference_low"] > 1


def test_the_bootstrap_draws_a_concept_with_both_its_words():
    # With the machine's cosines those of the human less 1, the two d are the same in each draw.
    cosines = random_cosines(np.random.default_rng(6))
    cosines.values[9:, 8:] = cosines.values[:9, :8] - 1
    draws = bootstrap(cosines, 500, np.random.default_rng(0))
    assert np.nanmax(np.abs(draws)) < 1e-9
    other = random_cosines(np.random.default_rng(6))
    assert np.nanstd(bootstrap(other, 500, np.random.default_rng(0))) > 0.1


def test_the_bootstrap_interval_against_one_drawn_word_by_word():
    cosines = random_cosines(np.random.default_rng(7), (8, 8, 8, 8), spread=0.5)
    rng = np.random.default_rng(11)
    slow = []
    for _ in range(2_000):
        x, y, a, b = (rng.integers(0, 8, 8) for _ in range(4))
        d = []
        for shift in (0, 16):
            some = cosines.values[np.ix_(shift + np.r_[x, 8 + y], shift + np.r_[a, 8 + b])]
            s = some[:, :8].mean(axis=1) - some[:, 8:].mean(axis=1)
            d.append(effect_size(s[:8], s[8:]))
        slow.append(d[0] - d[1])
    fast = bootstrap(cosines, 2_000, np.random.default_rng(12))
    spread = np.std(slow)
    for share in (0.025, 0.5, 0.975):
        assert np.quantile(fast, share) == pytest.approx(np.quantile(slow, share), abs=spread / 6)


def test_the_interval_is_that_of_95_percent_of_the_draws_with_a_d():
    draws = np.append(np.arange(1001.0), np.full(1000, np.nan))
    assert _interval(draws) == pytest.approx((25, 975))
    assert np.isnan(_interval(np.append(draws, [np.nan, np.nan]))).all()


def test_translations_that_are_the_same_words_are_thin():
    words = frame_of(lists("w", 5), lists("w", 5))
    row = one_row(words, vectors_for(words))
    assert (row["n_concepts"], row["n_alike"], row["difference"]) == (20, 20, 0.0)
    assert (row["p_value"], row["p_min"], row["status"]) == (1.0, 1.0, "thin")
    assert row["note"] == "thin: both translations are the same words"
    assert row["difference_low"] == row["difference_high"] == 0.0


def test_few_concepts_are_thin_and_none_are_refused():
    human, machine = lists("h", 5), lists("m", 5)
    words = frame_of(human, machine)
    vectors = vectors_for(words)
    few = WordVectors(vectors.words[2:], vectors.matrix[2:])
    assert list(vectors.words[:2]) == ["ha0", "ha1"]
    row = one_row(words, few)
    assert (row["status"], row["n_concepts"]) == ("thin", 18)
    assert row["note"].startswith("thin: A has 3 concepts; 2 of 20 concepts")
    row = one_row(words, WordVectors(vectors.words[5:], vectors.matrix[5:]))
    assert row["status"] == "refused"
    assert row["note"].startswith("refused: no concept of A has a vector in both translations")
    assert np.isnan([row["d_human"], row["p_value"], row["p_min"]]).all()


def test_concepts_that_were_lost_count_against_a_test():
    words = frame_of(lists("h", 6), lists("m", 6))
    lost = ["hx0", "mx1", "hy0", "hy1"]
    row = one_row(words, vectors_for(words[~words["word"].isin(lost)]))
    assert (row["n_concepts"], row["status"]) == (20, "ok")
    row = one_row(words, vectors_for(words[~words["word"].isin([*lost, "ma5"])]))
    assert (row["n_concepts"], row["status"]) == (19, "thin")
    assert row["note"].startswith("thin: 19 of 24 concepts have vectors of their own in both")


def test_a_refused_list_stays_refused_and_equal_scores_have_no_d():
    words = frame_of(lists("h", 4), lists("m", 4), refusal="X = Y")
    row = one_row(words, vectors_for(words))
    assert (row["status"], row["note"], row["n_concepts"]) == ("refused", "refused: X = Y", 0)
    words = words.assign(refusal="")
    known = sorted(set(words["word"]))
    row = one_row(words, WordVectors(known, np.ones((len(known), 3), dtype=np.float32)))
    assert row["note"] == "refused: all association scores are equal, so d is undefined"


def test_a_vector_without_length_is_none():
    words = frame_of(lists("h", 5), lists("m", 5))
    vectors = vectors_for(words)
    vectors.matrix[vectors.index["hx0"]] = 0
    vectors.matrix[vectors.index["mb2"]] = np.nan
    found, notes = look_up_concepts(pair_concepts(words)["WEAT1"], vectors)
    assert found.sizes == (4, 5, 5, 4)
    assert notes == ["2 of 20 concepts lack a vector in one translation"]
    assert np.isfinite(observed(found)).all()


@settings(max_examples=15)
@given(st.integers(0, 2**31), st.integers(0, 3))
def test_order_of_rows_seed_and_exchange_of_the_lists(seed, alike):
    human, machine = lists("h", 4), lists("m", 4)
    machine["x"][:alike] = human["x"][:alike]
    words = frame_of(human, machine)
    vectors = vectors_for(words, seed)
    first = compare(words, vectors)
    again = compare(words.sample(frac=1, random_state=seed), vectors)
    pd.testing.assert_frame_equal(first, again, check_exact=True)
    (there,) = first.to_dict("records")
    back = one_row(frame_of(machine, human), vectors)
    assert back["difference"] == pytest.approx(-there["difference"])
    assert back["p_value"] == pytest.approx(there["p_value"], abs=0.1)
    assert there["p_min"] <= there["p_value"] <= 1
    assert there["n_alike"] == alike


def encode(words: pd.DataFrame, dims: int = 6) -> pd.DataFrame:
    vectors = vectors_for(words, dims=dims)
    frame = pd.DataFrame({"text": list(vectors.words), "status": "read", "letters": False})
    frame["pieces"] = 1
    return frame.assign(last_mean=list(vectors.matrix), cls_phrase=list(vectors.matrix[::-1]))


def reading(status: str = "ok", note: str = "") -> pd.DataFrame:
    row = {"language": "de", "model": "m", "group": "multilingual", "status": status, "note": note}
    return pd.DataFrame([row])


def test_every_encoder_and_space_of_a_language():
    words = frame_of(lists("h", 5), lists("m", 5))
    table = compare_language(words, encode(words), reading(), settings=FAST)
    cells = [("cls_phrase", "raw"), ("cls_phrase", "standardised")]
    cells += [("last_mean", "raw"), ("last_mean", "standardised")]
    assert list(table[["encoder", "space"]].itertuples(index=False, name=None)) == cells
    assert table["d_human"].nunique() == 4
    raw = one_row(words, vectors_for(words))
    found = table.set_index(["encoder", "space"]).loc[("last_mean", "raw")]
    assert found["d_human"] == pytest.approx(raw["d_human"])
    moved = standardise(vectors_for(words))
    found = table.set_index(["encoder", "space"]).loc[("last_mean", "standardised")]
    assert found["d_machine"] == pytest.approx(one_row(words, moved)["d_machine"])


def test_a_list_of_the_user_changes_no_comparison():
    words = frame_of(lists("h", 5), lists("m", 5))
    own = words.assign(variant="own", test="mine", word="own " + words["word"])
    both = pd.concat([words, own], ignore_index=True)
    encoded = encode(both)
    # A phrase is the mean of its words: "own hx0" needs a vector of "own".
    encoded.loc[len(encoded)] = ["own", "read", False, 1, np.ones(6), np.ones(6)]
    alone = compare_language(words, encoded, reading(), settings=FAST)
    beside = compare_language(both, encoded, reading(), settings=FAST)
    pd.testing.assert_frame_equal(alone, beside, check_exact=True)


def test_a_comparison_that_rests_on_composed_words_is_thin():
    words = frame_of(lists("h", 5), lists("m", 5))
    encoded = encode(words)[["text", "status", "letters", "pieces", "last_mean"]]
    encoded = encoded.rename(columns={"last_mean": "fasttext"}).assign(pieces=0)
    row = compare_language(words, encoded, reading(), settings=FAST, spaces=["raw"]).iloc[0]
    assert row["status"] == "ok"
    encoded.loc[encoded["text"].isin(words["word"].unique()[:3]), "pieces"] = 4
    encoded.loc[encoded["text"].isin(words["word"].unique()[-3:]), "pieces"] = 4
    thin = compare_language(words, encoded, reading(), settings=FAST, spaces=["raw"]).iloc[0]
    assert thin["status"] == "thin"
    assert "of 20 concepts have vectors of their own in both" in thin["note"]
    # They are scored all the same.
    assert (thin["d_human"], thin["n_concepts"]) == (row["d_human"], row["n_concepts"])


def test_a_language_that_cannot_be_read_or_standardised_is_refused():
    words = frame_of(lists("h", 1), lists("m", 1))
    table = compare_language(
        words, encode(words), reading("refused", "mostly [UNK]"), settings=FAST
    )
    expected = "refused: the model cannot read the language: mostly [UNK]"
    assert table["note"].tolist() == [expected] * 4
    table = compare_language(words, encode(words, dims=900), reading(), settings=FAST)
    notes = table.set_index(["encoder", "space"])["note"]
    assert notes["last_mean", "standardised"].startswith("refused: 8 words are too few")
    assert notes["last_mean", "raw"].startswith("thin: X has 1 concepts")


def test_a_language_without_translations_has_no_row_in_its_table():
    words = frame_of(lists("h", 4), lists("m", 4)).assign(variant="original")
    table = compare_language(words, encode(words), reading(), settings=FAST)
    assert table.empty
    assert "p_value" in table.columns


def translations(rows: list[tuple[str, str, float, float]], **cell: object) -> pd.DataFrame:
    base = {"model": "m", "encoder": "all_mean", "space": "raw", "status": "ok"}
    base |= {"n_concepts": 20, "n_alike": 5, "note": ""} | cell
    return pd.DataFrame(
        [
            base
            | {
                "language": lang,
                "test": test,
                "d_human": h,
                "d_machine": m,
                "difference": h - m,
                "p_value": 0.5,
            }
            for lang, test, h, m in rows
        ]
    )


def test_summary_by_hand():
    frame = translations(
        [
            ("de", "WEAT1", 1.0, 0.5),
            ("de", "WEAT2", 0.2, -0.1),
            ("fr", "WEAT1", -0.3, -0.1),
            ("hi", "WEAT1", 0.9, 0.2),
            ("el", "WEAT1", 9.0, -9.0),
        ]
    )
    frame.loc[4, "status"] = "thin"
    alike = {"status": "thin", "n_alike": 20, "note": f"{SAME_WORDS}; 2 entries stand alone"}
    same = translations([("it", "WEAT1", 0.7, 0.7)], **alike)
    # Thin for another reason too: no sign that the translations agree.
    few = translations([("da", "WEAT1", 0.7, 0.7)], **alike | {"note": f"thin: few; {SAME_WORDS}"})
    table = summarise_translations(pd.concat([frame, same, few]))
    assert list(table.columns) == [column.name for column in TRANSLATION_SUMMARY.columns]
    (row,) = table.to_dict("records")
    # Means of de .4, fr -.2, hi .7, it 0: the same words are a difference of 0. Sizes of de .4.
    assert (row["n_languages"], row["n_tests"]) == (4, 5)
    assert row["difference"] == pytest.approx(0.2)
    assert row["absolute_difference"] == pytest.approx(0.3)
    assert row["sign_agreement"] == 0.8
    # Of strengths .3, .2, .7 and 0; all that is not 0 goes up.
    assert row["strength_difference"] == pytest.approx(0.25)
    assert row["strength_p"] == 0.25
    # Without the 0: ranks 2 -1 3, and W <= 1 in 2 of 8 ways, twice.
    assert (row["p_value"], row["p_min"], row["q_value"]) == (0.5, 0.25, 0.5)


def test_summary_finds_languages_that_all_move_and_corrects_over_cells():
    rng = np.random.default_rng(2)
    frames = []
    for encoder, shift in (("all_mean", 0.6), ("fasttext", 0.0)):
        rows = [
            (f"l{n}", f"WEAT{t}", float(a + shift), float(b))
            for n in range(12)
            for t in (1, 2, 6)
            for a, b in [rng.normal(scale=0.5, size=2)]
        ]
        frames.append(translations(rows, encoder=encoder))
    frame = pd.concat(frames)
    table = summarise_translations(frame).set_index("encoder")
    assert table.loc["all_mean", "q_value"] < 0.01
    assert table.loc["fasttext", "q_value"] > 0.05
    assert table.loc["all_mean", "q_value"] == pytest.approx(2 * table.loc["all_mean", "p_value"])
    shuffled = summarise_translations(frame.sample(frac=1, random_state=1)).set_index("encoder")
    pd.testing.assert_frame_equal(table, shuffled, check_exact=True)
    assert summarise_translations(frame.iloc[:0]).empty


def test_corrections_over_the_whole_grid_leave_out_what_is_not_ok():
    grid = pd.DataFrame(
        {
            "p_value": [0.01, 0.02, 0.001, 0.03],
            "p_two_sided": [0.02, 0.5, 0.001, 0.06],
            "status": ["ok", "ok", "thin", "ok"],
        },
        index=[7, 3, 5, 1],
    )
    table = correct_grid(grid)
    assert table.index.tolist() == [7, 3, 5, 1]
    assert table["q_value"].tolist() == pytest.approx([0.03, 0.03, np.nan, 0.03], nan_ok=True)
    assert table["p_holm"].tolist() == pytest.approx([0.03, 0.04, np.nan, 0.04], nan_ok=True)
    assert table["q_two_sided"].tolist() == pytest.approx([0.06, 0.5, np.nan, 0.09], nan_ok=True)
    # The last row has too few concepts to show anything, and is no part of the family.
    grid["p_min"] = [0.01, 0.01, 0.001, 0.25]
    found = correct_translations(grid)["q_value"]
    assert found.tolist() == pytest.approx([0.02, 0.02, np.nan, np.nan], nan_ok=True)
    assert correct_grid(grid.iloc[:0]).empty
