"""The null of other tests' target sets: what may be drawn, how often, and what it gives."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from biasatlas.association.languages.null_sets import OtherTargets, name_test
from biasatlas.association.scores import effect_size, word_associations
from biasatlas.lexicons.word_lists import AssociationTest, WordSet
from biasatlas.vectors import WordVectors

A, B = [f"a{k}" for k in range(4)], [f"b{k}" for k in range(4)]


def make_test(name: str, x: list[str], y: list[str]) -> AssociationTest:
    sets = {"x": x, "y": y, "a": A, "b": B}
    named = {one: WordSet(one, tuple(words)) for one, words in sets.items()}
    return AssociationTest(test=name, description="", language="xx", citation="", **named)


def words_of(concept: str, n: int = 6, variant: str = "") -> list[str]:
    return [f"{concept}{variant}{k}" for k in range(n)]


def four_tests(variants: tuple[str, ...] = ("",), n: int = 6) -> list[tuple[str, AssociationTest]]:
    """Tests T0 to T3, each with a target set of its own on either side."""
    return [
        (
            variant or "gt",
            make_test(f"T{k}", words_of(f"x{k}", n, variant), words_of(f"y{k}", n, variant)),
        )
        for variant in variants
        for k in range(4)
    ]


def vectors_of(tests: list[tuple[str, AssociationTest]], seed: int = 0) -> WordVectors:
    words = {w for _, test in tests for one in "xyab" for w in getattr(test, one).words}
    words = sorted(words)
    matrix = np.random.default_rng(seed).normal(size=(len(words), 12))
    return WordVectors(tuple(words), matrix.astype(np.float32))


def draw(tests, vectors=None, which: int = 0, n: int = 400, seed: int = 0, **words):
    vectors = vectors or vectors_of(tests)
    variant, test = tests[which]
    sets = {one: words.get(one, list(getattr(test, one).words)) for one in "xyab"}
    null = OtherTargets(vectors, tests, seed=seed).null(
        name_test(variant, test.test), sets["x"], sets["y"], sets["a"], sets["b"], n
    )
    return null, vectors


def drawn_words(null, vectors) -> list[tuple[list[str], list[str]]]:
    return [
        ([vectors.words[k] for k in x], [vectors.words[k] for k in y])
        for x, y in zip(null.rows_x, null.rows_y, strict=True)
    ]


def draw_often(tests, vectors=None, times: int = 200, **options):
    """The words drawn under many seeds: one null has no more draws than there are pairs."""
    drawn = []
    for seed in range(times):
        null, vectors = draw(tests, vectors, seed=seed, n=6_000, **options)
        drawn += drawn_words(null, vectors)
    return drawn


def test_every_d_and_coherence_by_its_definition():
    tests = four_tests()
    null, vectors = draw(tests, n=30, x=words_of("x0", 5), y=words_of("y0", 4))
    a, b = vectors.rows(A), vectors.rows(B)
    for (x, y), d, coherence in zip(
        drawn_words(null, vectors), null.d, null.coherence, strict=True
    ):
        assert (len(set(x)), len(set(y))) == (5, 4)
        scores = [word_associations(vectors.rows(some), a, b) for some in (x, y)]
        assert d == pytest.approx(effect_size(*scores))
        for some, value in zip((x, y), coherence, strict=True):
            unit = vectors.rows(some)
            unit /= np.linalg.norm(unit, axis=1, keepdims=True)
            pairs = (unit @ unit.T)[np.triu_indices(len(some), 1)]
            assert value == pytest.approx(pairs.mean(), abs=1e-6)
    unit = [vectors.rows(some) for some in (words_of("x0", 5), words_of("y0", 4))]
    unit = [rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in unit]
    asked = [(one @ one.T)[np.triu_indices(len(one), 1)].mean() for one in unit]
    assert null.coherence_asked == pytest.approx(asked)
    middles = [one.mean(axis=0) for one in unit]
    cosine = middles[0] @ middles[1] / np.prod([np.linalg.norm(one) for one in middles])
    assert null.similarity_asked == pytest.approx(cosine)
    summary = null.summary(10.0)
    assert summary["null_p"] == pytest.approx(1 / 31)
    assert summary["null_n"] == 30
    assert summary["null_low"] <= summary["null_median"] <= summary["null_high"]
    assert summary["null_coherence"] == pytest.approx(null.coherence.mean())


def test_pairs_of_different_sets_of_other_tests_all_as_often():
    tests = four_tests()
    drawn = draw_often(tests)
    counts = Counter((x[0][:2], y[0][:2]) for x, y in drawn)
    sets = {f"{side}{k}" for side in "xy" for k in (1, 2, 3)}
    assert set(counts) == {(one, other) for one in sets for other in sets if one != other}
    # 30 pairs, 200 draws each: five standard deviations.
    assert max(abs(number - 200) for number in counts.values()) < 5 * math.sqrt(200)
    for x, y in drawn:
        assert {word[:2] for word in x} == {x[0][:2]}
        assert {word[:2] for word in y} == {y[0][:2]}


def test_variants_are_one_concept():
    # T1 stands in three variants, T2 and T3 in one.
    tests = [
        *four_tests(),
        *((v, make_test("T1", words_of("x1", 6, v), words_of("y1", 6, v))) for v in "pq"),
    ]
    drawn = draw_often(tests)
    counts = Counter((x[0][:2], y[0][:2]) for x, y in drawn)
    assert len(counts) == 30
    assert max(abs(number - 200) for number in counts.values()) < 5 * math.sqrt(200)
    of_x1 = Counter(x[0][:3] for x, _ in drawn if x[0].startswith("x1"))
    assert len([one for one in of_x1 if one in ("x1p", "x1q")]) == 2
    assert all(of_x1[one] > 250 for one in ("x1p", "x1q"))


def test_a_test_of_the_same_name_in_another_variant_is_left_out():
    tests = four_tests(("", "p"))
    null, vectors = draw(tests, n=500)
    assert not {w for x, y in drawn_words(null, vectors) for w in x + y if w[1] == "0"}


def test_words_of_the_test_are_left_out_in_any_capitals():
    tests = four_tests(n=8)
    # X of T1 holds two words of the scored test and one attribute, Y of T2 nothing else.
    tests[1] = ("gt", make_test("T1", ["X00", "y01", A[0], *words_of("x1")], words_of("y1", 8)))
    tests[2] = ("gt", make_test("T2", words_of("x2", 8), [w.upper() for w in words_of("x0", 8)]))
    four_more = [
        ("new", make_test(f"N{k}", words_of(f"p{k}", 8), words_of(f"q{k}", 8))) for k in "12"
    ]
    null, vectors = draw(tests + four_more, n=2_000, x=words_of("x0"), y=words_of("y0"))
    drawn = {word for x, y in drawn_words(null, vectors) for word in x + y}
    assert not drawn & {"X00", "y01", A[0], *(w.upper() for w in words_of("x0", 6))}
    # Six words are left of X of T1, as many as X has, so that it is drawn whole.
    assert set(words_of("x1")) <= drawn
    sevens, _ = draw(tests + four_more, vectors, n=2_000, x=words_of("x0", 7), y=words_of("y0"))
    as_x = {word for x, _ in drawn_words(sevens, vectors) for word in x}
    as_y = {word for _, y in drawn_words(sevens, vectors) for word in y}
    assert not as_x & set(words_of("x1"))
    assert set(words_of("x1")) <= as_y


def test_sets_with_a_word_in_common_are_no_pair():
    tests = four_tests()
    tests[3] = ("gt", make_test("T3", [*words_of("x3"), "Y10"], words_of("y3")))
    pairs = {(x[0][:2].lower(), y[0][:2].lower()) for x, y in draw_often(tests, times=50)}
    assert not {("x3", "y1"), ("y1", "x3")} & pairs
    assert {("x3", "x1"), ("y1", "y3")} <= pairs
    # A word of the scored test itself is drawn for neither, so it parts no pair.
    tests[3] = ("gt", make_test("T3", [*words_of("x3"), "x00"], words_of("y3")))
    tests[1] = ("gt", make_test("T1", words_of("x1"), [*words_of("y1"), "x00"]))
    assert ("x3", "y1") in {(x[0][:2], y[0][:2]) for x, y in draw_often(tests, times=50)}


def test_fewer_than_twenty_pairs_are_no_null():
    tests = four_tests()[:3]
    null, _ = draw(tests)
    assert len(null.d) == 0
    assert null.note == "no null: 12 pairs of the other tests' target sets, of 20"
    summary = null.summary(0.5)
    assert summary["null_n"] == 0
    assert math.isnan(summary["null_p"])
    # Copies of one concept add none.
    many, _ = draw(four_tests(("", "p", "q"))[:3] + four_tests(("p", "q"))[:3])
    assert many.note.startswith("no null: ")
    one_more, _ = draw([*tests, ("new", make_test("T3", words_of("x3"), words_of("y3")))])
    # Of the 400 draws that were asked for no more are made than there are pairs.
    assert len(one_more.d) == 30
    assert one_more.note == "rough null: 30 pairs of other topics"


def test_one_list_under_two_names_is_one_concept():
    tests = [*four_tests(), ("new", make_test("T9", words_of("y1"), words_of("x1")))]
    drawn = draw_often(tests)
    counts = Counter((x[0][:2], y[0][:2]) for x, y in drawn)
    assert len(counts) == 30
    assert max(abs(number - 200) for number in counts.values()) < 5 * math.sqrt(200)


def test_the_order_of_tests_and_words_changes_no_bit_and_the_seed_does():
    tests = four_tests(("", "p"))
    one, vectors = draw(tests)
    order = np.random.default_rng(1).permutation(len(vectors.words))
    shuffled = WordVectors(tuple(vectors.words[k] for k in order), vectors.matrix[order])
    again = OtherTargets(shuffled, tests[::-1]).null(
        name_test("gt", "T0"), list(tests[0][1].x.words), list(tests[0][1].y.words), A, B, 400
    )
    assert (again.d == one.d).all()
    assert again.coherence.tobytes() == one.coherence.tobytes()
    other, _ = draw(tests, seed=1)
    assert not (other.d == one.d).all()
    # Two variants of a test have draws of their own.
    variant, _ = draw(tests, which=4)
    assert not np.array_equal(variant.d, one.d)


def test_a_planted_effect_stands_out_and_two_topics_do_not():
    tests = four_tests(n=8)
    vectors = vectors_of(tests, seed=3)
    matrix = vectors.matrix.copy()
    for words, sign in ((A, 1), (B, -1), (words_of("x0", 8), 1), (words_of("y0", 8), -1)):
        for word in words:
            matrix[vectors.index[word], 0] += 4 * sign
    planted = WordVectors(vectors.words, matrix)
    places = []
    for which in range(4):
        null, _ = draw(tests, planted, which)
        test = tests[which][1]
        x, y, a, b = (planted.rows(getattr(test, one).words) for one in "xyab")
        d = effect_size(word_associations(x, a, b), word_associations(y, a, b))
        places.append(null.summary(d)["null_p"])
    assert places[0] == pytest.approx(1 / 31)
    assert min(places[1:]) > 0.05


def test_no_vectors_at_all_and_none_asked_for():
    tests = four_tests()
    empty = WordVectors((), np.empty((0, 12), dtype=np.float32))
    assert OtherTargets(empty, tests).words == []
    null, _ = draw(tests, n=0)
    assert (len(null.d), null.note) == (0, "")
