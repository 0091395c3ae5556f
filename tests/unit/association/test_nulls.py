"""Random matched sets and shuffled labels: what is drawn, how well it matches, calibration."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from biasatlas.association.nulls.matched_sets import octaves
from biasatlas.association.nulls.random_sets import (
    MatchedNull,
    NullSampler,
    is_word,
    label_band,
)
from biasatlas.association.scores import effect_size, word_associations
from biasatlas.seeds import stable_seed
from biasatlas.vectors import WordVectors, load_vectors

CLUSTERS = 60
DIMENSIONS = 20


def _name(number: int) -> str:
    return "".join(chr(ord("a") + number // 26**place % 26) for place in (3, 2, 1, 0))


def _clustered(size: int = 1_500, seed: int = 0) -> WordVectors:
    """A vocabulary in which word i belongs to cluster i modulo CLUSTERS."""
    rng = np.random.default_rng(seed)
    middles = rng.standard_normal((CLUSTERS, DIMENSIONS))
    noise = rng.standard_normal((size, DIMENSIONS))
    matrix = 1.2 * middles[np.arange(size) % CLUSTERS] + noise
    return WordVectors(tuple(map(_name, range(size))), matrix.astype(np.float32))


VECTORS = _clustered()
SAMPLER = NullSampler(VECTORS)


def _members(cluster: int, count: int, start: int = 2) -> list[str]:
    return [_name(cluster + CLUSTERS * k) for k in range(start, start + count)]


X, Y, A, B = _members(0, 8), _members(1, 6), _members(2, 5), _members(3, 5)


def _rows(words: list[str]) -> np.ndarray:
    return np.array([VECTORS.index[word] for word in words])


# What is drawn


def test_only_possible_sets_of_a_tiny_vocabulary() -> None:
    rng = np.random.default_rng(1)
    vectors = WordVectors(tuple(map(_name, range(12))), rng.normal(size=(12, 5)).astype("f4"))
    names = [_name(k) for k in range(12)]
    x, y, a, b = names[:2], names[2:4], names[4:6], names[6:8]
    null = NullSampler(vectors).null("tiny", x, y, a, b, n=200)
    scores = word_associations(vectors.rows(names[8:]), vectors.rows(a), vectors.rows(b))
    possible = {
        round(effect_size(scores[list(pair)], np.delete(scores, pair)), 6)
        for pair in combinations(range(4), 2)
    }
    reached = {round(float(d), 6) for d in null.d}
    assert reached <= possible
    assert len(reached) > 3
    assert set(null.rows_x.ravel()) | set(null.rows_y.ravel()) == {8, 9, 10, 11}


def test_too_small_a_vocabulary_has_no_null_and_says_why() -> None:
    matrix = np.random.default_rng(0).normal(size=(11, 5)).astype("f4")
    names = [_name(k) for k in range(11)]
    vectors = WordVectors(tuple(names), matrix)
    null = NullSampler(vectors).null("tiny", names[:2], names[2:4], names[4:6], names[6:8])
    assert null.note == "no random sets: 3 words to draw 4 from"
    summary = null.summary(1.0)
    assert summary.pop("null_n") == 0
    assert all(map(math.isnan, summary.values()))


@pytest.mark.parametrize("match_similarity", [True, False])
def test_sets_have_the_sizes_are_disjoint_and_hold_no_word_of_the_test(
    match_similarity: bool,
) -> None:
    null = SAMPLER.null("sizes", X, Y, A, B, n=150, match_similarity=match_similarity)
    assert null.rows_x.shape == (150, len(X))
    assert null.rows_y.shape == (150, len(Y))
    own = set(_rows(X + Y + A + B).tolist())
    for x, y in zip(null.rows_x.tolist(), null.rows_y.tolist(), strict=True):
        assert len({*x, *y}) == len(X) + len(Y)
        assert not own & {*x, *y}
    assert len({tuple(sorted(x)) for x in null.rows_x.tolist()}) > 100


def test_arrays_describe_the_sets() -> None:
    null = SAMPLER.null("arrays", X, Y, A, B, n=70)
    unit = VECTORS.matrix / np.linalg.norm(VECTORS.matrix, axis=1, keepdims=True)
    a, b = VECTORS.rows(A), VECTORS.rows(B)
    for draw in (0, 69):
        x, y = null.rows_x[draw], null.rows_y[draw]
        scores = [word_associations(VECTORS.matrix[rows].astype(float), a, b) for rows in (x, y)]
        assert null.d[draw] == pytest.approx(effect_size(*scores), abs=1e-6)
        pairs = [float(unit[i] @ unit[j]) for i, j in combinations(x, 2)]
        assert null.coherence[draw, 0] == pytest.approx(np.mean(pairs), abs=1e-5)
        assert null.log_rank[draw, 1] == pytest.approx(np.log(y + 1).mean())
        middle_x, middle_y = unit[x].mean(axis=0), unit[y].mean(axis=0)
        cosine = middle_x @ middle_y / np.linalg.norm(middle_x) / np.linalg.norm(middle_y)
        assert null.similarity[draw] == pytest.approx(cosine, abs=1e-5)


def test_a_word_of_the_test_in_other_capitals_is_not_drawn() -> None:
    words = [word.capitalize() if k % 2 else word for k, word in enumerate(VECTORS.words[:200])]
    words += [word.swapcase() for word in words[:100]]
    vectors = WordVectors(tuple(words), _clustered(300).matrix)
    sets = [words[k : k + 5] for k in (0, 5, 10, 15)]
    null = NullSampler(vectors).null("capitals", *sets)  # type: ignore[arg-type]
    own = {word.casefold() for some in sets for word in some}
    drawn = {words[row].casefold() for row in {*null.rows_x.ravel(), *null.rows_y.ravel()}}
    assert drawn
    assert not own & drawn


def test_tokens_that_are_no_words_are_not_drawn() -> None:
    words = [word if k % 3 else f"{k}" for k, word in enumerate(VECTORS.words)]
    matrix = VECTORS.matrix.copy()
    matrix[np.arange(1, len(words), 3)[100:]] = 0
    vectors = WordVectors(tuple(words), matrix)
    sets = [[words[3 * k + 2] for k in range(start, start + 5)] for start in (0, 30, 60, 90)]
    null = NullSampler(vectors).null("tokens", *sets)  # type: ignore[arg-type]
    for row in {*null.rows_x.ravel().tolist(), *null.rows_y.ravel().tolist()}:
        assert row % 3
        assert np.any(matrix[row])


@pytest.mark.parametrize("token", ["rose", "été", "mother-in-law", "o'clock", "नमस्ते", "花", "花园"])
def test_words(token: str) -> None:
    assert is_word(token)


@pytest.mark.parametrize(
    "token", ["a", "é", "7", "1990s", "--", "'", "http://x.org", "a@b", "", ";"]
)
def test_no_words(token: str) -> None:
    assert not is_word(token)


def test_a_word_without_a_vector_is_an_error_and_a_composed_one_is_rare() -> None:
    with pytest.raises(KeyError, match="absent"):
        SAMPLER.null("absent", [*X, "absent"], Y, A, B)
    composing = WordVectors(VECTORS.words, VECTORS.matrix, compose=lambda _: VECTORS.matrix[60])
    null = NullSampler(composing).null("composed", [*X[:3], "absent"], Y, A, B, n=50)
    asked = [np.log(VECTORS.index[word] + 1) for word in X[:3]] + [np.log(1_501)]
    assert null.log_rank_asked[0] == pytest.approx(np.mean(asked))
    assert ((null.rows_x + 1 >= 1_024).sum(axis=1) >= 1).all()


# How well it matches


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 1_499), min_size=8, max_size=24, unique=True), st.booleans())
def test_frequency_is_matched_octave_by_octave(rows: list[int], match_similarity: bool) -> None:
    words = [VECTORS.words[row] for row in rows]
    x, y = words[: len(words) // 2], words[len(words) // 2 :]
    null = SAMPLER.null("octaves", x, y, A, B, n=20, match_similarity=match_similarity)
    for words, drawn in ((x, null.rows_x), (y, null.rows_y)):
        asked = Counter(octaves(_rows(words) + 1).tolist())
        assert all(Counter(octaves(one + 1).tolist()) == asked for one in drawn)


@pytest.mark.parametrize("spoilt", [0, 2, 4])
def test_coherence_and_similarity_come_near_those_asked_for(spoilt: int) -> None:
    x, y = X[spoilt:] + _members(30, spoilt), Y[spoilt:] + _members(31, spoilt)
    null = SAMPLER.null("near", x, y, A, B, n=300)
    np.testing.assert_allclose(null.coherence.mean(axis=0), null.coherence_asked, atol=0.03)
    assert null.similarity.mean() == pytest.approx(null.similarity_asked, abs=0.05)
    assert bool(null.note) == (null.coherence.mean(axis=0) < null.coherence_asked - 0.02).any()


def test_similarity_is_matched_where_two_sets_share_a_domain() -> None:
    x, y = _members(0, 8), _members(0, 8, start=12)
    beside = SAMPLER.null("domain", x, y, A, B, n=200)
    any_two = SAMPLER.null("domain", x, y, A, B, n=200, match_similarity=False)
    assert beside.similarity.mean() > any_two.similarity.mean() + 0.4
    assert np.median(np.abs(beside.d)) < np.median(np.abs(any_two.d))


def test_sets_more_coherent_than_any_random_ones_are_marked() -> None:
    matrix = np.random.default_rng(0).normal(size=(1_500, DIMENSIONS))
    rows = _rows(X)
    matrix[rows] = matrix[rows[0]] + 0.1 * matrix[rows]
    null = NullSampler(WordVectors(VECTORS.words, matrix.astype("f4"))).null("tight", X, Y, A, B)
    assert null.coherence_asked[0] > 0.97
    assert null.coherence[:, 0].max() < 0.9
    assert null.note.startswith("random sets like X reach coherence 0.")
    assert "like Y" not in null.note


def test_pool_bounds_the_words_drawn_from() -> None:
    null = NullSampler(VECTORS, pool=150).null("pool", X, Y, A, B, n=300)
    drawn = {*null.rows_x.ravel().tolist(), *null.rows_y.ravel().tolist()}
    assert 60 < len(drawn) <= 150


def test_one_word_a_set() -> None:
    null = SAMPLER.null("one", X[:1], Y[:1], A, B, n=50)
    assert np.isfinite(null.d).all()
    assert np.isnan(null.coherence).all()
    assert math.isnan(null.summary(1.0)["null_coherence"])


# What it says


def test_percentiles_of_sets_drawn_the_same_way_are_uniform() -> None:
    drawn = SAMPLER.null("targets", X, Y, A, B, n=200)
    words = VECTORS.words
    percentiles, p_values = [], []
    for number, (x, y) in enumerate(zip(drawn.rows_x, drawn.rows_y, strict=True)):
        sets = [words[row] for row in x], [words[row] for row in y]
        null = SAMPLER.null(f"{number}", *sets, A, B, n=63)
        placed = null.summary(float(drawn.d[number]))
        percentiles.append(placed["null_percentile"])
        p_values.append(placed["null_p"])
    assert stats.kstest(percentiles, "uniform").pvalue > 0.01
    assert stats.binomtest(sum(p <= 0.05 for p in p_values), 200, 0.05).pvalue > 0.01


def test_planted_association_is_beyond_the_null() -> None:
    matrix = VECTORS.matrix.copy()
    gap = matrix[_rows(A)].mean(axis=0) - matrix[_rows(B)].mean(axis=0)
    matrix[_rows(X)] += gap
    matrix[_rows(Y)] -= gap
    vectors = WordVectors(VECTORS.words, matrix)
    scores = [
        word_associations(vectors.rows(some), vectors.rows(A), vectors.rows(B)) for some in (X, Y)
    ]
    null = NullSampler(vectors).null("planted", X, Y, A, B, n=300)
    placed = null.summary(effect_size(*scores))
    assert placed["null_p"] == 1 / 301
    assert placed["null_p_two_sided"] == 2 / 301
    assert placed["null_percentile"] == 1
    assert placed["null_high"] < effect_size(*scores)


def test_summary_by_hand() -> None:
    empty = np.empty((5, 2))
    null = MatchedNull(
        d=np.array([-1.0, 0.0, 0.0, 1.0, 2.0]),
        coherence=np.array([[0.2, 0.4]] * 5),
        coherence_asked=np.array([0.2, 0.4]),
        log_rank=empty,
        log_rank_asked=np.zeros(2),
        similarity=np.zeros(5),
        similarity_asked=0.0,
        rows_x=empty.astype(int),
        rows_y=empty.astype(int),
    )
    placed = null.summary(1.0)
    assert placed["null_percentile"] == pytest.approx(3.5 / 5)
    assert placed["null_p"] == pytest.approx(3 / 6)
    assert placed["null_p_two_sided"] == 1.0
    # Below -1 and at it lie 2 of 6, at least -1 all: the nearer tail counts, twice.
    assert null.summary(-1.0)["null_p_two_sided"] == pytest.approx(2 * 2 / 6)
    assert null.summary(3.0)["null_p_two_sided"] == pytest.approx(2 * 1 / 6)
    assert placed["null_median"] == 0
    assert placed["null_low"] == pytest.approx(-0.9)
    assert placed["null_high"] == pytest.approx(1.9)
    assert placed["null_n"] == 5
    assert placed["null_coherence"] == pytest.approx(0.3)
    assert math.isnan(null.summary(math.nan)["null_p"])


# Determinism


def test_order_of_words_and_tests_changes_nothing() -> None:
    first = NullSampler(VECTORS, seed=3)
    plain = first.null("order", X, Y, A, B, n=80)
    second = NullSampler(VECTORS, seed=3)
    second.null("another", Y, X, A, B, n=80)
    turned = second.null("order", X[::-1], [*Y[3:], *Y[:4]], A[::-1], B[::-1], n=80)
    assert plain.d.tobytes() == turned.d.tobytes()
    assert plain.rows_y.tobytes() == turned.rows_y.tobytes()


def test_seed_and_name_change_the_draws() -> None:
    plain = SAMPLER.null("order", X, Y, A, B, n=40)
    other_name = SAMPLER.null("other", X, Y, A, B, n=40)
    other_seed = NullSampler(VECTORS, seed=1).null("order", X, Y, A, B, n=40)
    assert not np.array_equal(plain.rows_x, other_name.rows_x)
    assert not np.array_equal(plain.rows_x, other_seed.rows_x)
    assert stable_seed(0, "WEAT1") == 7854187637654312098


# Shuffled labels


def test_label_band_by_hand() -> None:
    # 0, 0, 1, 2 cut into two and two: differences of means -1.5 -.5 -.5 .5 .5 1.5, sd .957.
    differences = np.array([-1.5, -0.5, -0.5, 0.5, 0.5, 1.5]) / np.std([0, 0, 1, 2], ddof=1)
    band = label_band(np.array([0.0, 2.0]), np.array([1.0, 0.0]))
    assert band == pytest.approx(tuple(np.quantile(differences, [0.025, 0.975])))


def test_label_band_sampled_comes_near_the_exact_one(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = np.random.default_rng(2).normal(size=16)
    exact = label_band(scores[:8], scores[8:])
    monkeypatch.setattr("biasatlas.association.nulls.random_sets.ALL_LABELLINGS", 0)
    sampled = label_band(scores[:8], scores[8:], n=20_000, seed=5)
    np.testing.assert_allclose(sampled, exact, atol=0.05)
    assert sampled == label_band(scores[::-1][:8], scores[::-1][8:], n=20_000, seed=5)
    assert sampled != label_band(scores[:8], scores[8:], n=20_000, seed=6)


def test_label_band_of_unequal_sets_covers_nineteen_in_twenty() -> None:
    scores = np.random.default_rng(3).exponential(size=30)
    low, high = label_band(scores[:5], scores[5:], n=4_000)
    rng = np.random.default_rng(4)
    inside = []
    for _ in range(2_000):
        mixed = rng.permutation(scores)
        inside.append(low <= effect_size(mixed[:5], mixed[5:]) <= high)
    assert np.mean(inside) == pytest.approx(0.95, abs=0.015)


def test_label_band_is_undefined_for_equal_scores_or_an_empty_set() -> None:
    assert all(map(math.isnan, label_band(np.ones(4), np.ones(4))))
    assert all(map(math.isnan, label_band(np.arange(4.0), np.empty(0))))


# Real vectors


def test_glove_random_sets_match(fetched_asset: Callable[[str], Path]) -> None:
    vectors = load_vectors(fetched_asset("glove_6b_50d"))
    science = "science technology physics chemistry einstein nasa experiment astronomy".split()
    arts = "poetry art shakespeare dance literature novel symphony drama".split()
    male = "brother father uncle grandfather son he his him".split()
    female = "sister mother aunt grandmother daughter she hers her".split()
    null = NullSampler(vectors).null("WEAT8", science, arts, male, female, n=200)
    np.testing.assert_allclose(null.coherence.mean(axis=0), null.coherence_asked, atol=0.03)
    np.testing.assert_allclose(null.log_rank.mean(axis=0), null.log_rank_asked, atol=0.15)
    assert null.similarity.mean() == pytest.approx(null.similarity_asked, abs=0.03)
    # An effect size of half a standard deviation is nothing special.
    assert np.median(np.abs(null.d)) > 0.5
