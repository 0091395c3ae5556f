"""The map from context means to vectors."""

from __future__ import annotations

import json

import numpy as np
import pytest

from biasatlas.errors import InputError
from biasatlas.vectors import WordVectors, load_vectors, save_word2vec
from biasatlas.vectors.alc import Transform, fit_transform, induce, load_transform, save_transform
from biasatlas.vectors.contexts import ContextSums

DIMS = 4


def planted(n_words=60, noise=0.0, seed=0, counts=None):
    """Context means and the pretrained vectors that a known map makes of them."""
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(DIMS, DIMS))
    u = rng.normal(size=(n_words, DIMS))
    v = u @ matrix.T + noise * rng.normal(size=u.shape)
    if counts is None:
        counts = rng.integers(20, 500, n_words)
    words = tuple(f"w{n:03d}" for n in range(n_words))
    contexts = ContextSums(words, u * counts[:, None], counts)
    return matrix, contexts, WordVectors(words, v.astype(np.float32))


def test_a_known_map_is_found():
    matrix, contexts, vectors = planted()
    transform = fit_transform(contexts, vectors)
    np.testing.assert_allclose(transform.matrix, matrix, atol=1e-5)
    np.testing.assert_allclose(transform.apply(contexts.means), vectors.matrix, atol=1e-5)
    assert transform.fit.n_words == 60
    assert transform.fit.cosine_held_out == pytest.approx(1)
    assert transform.fit.r_squared_held_out == pytest.approx(1)


def test_weights_are_the_logs_of_the_counts():
    _, contexts, vectors = planted(noise=0.5)
    roots = np.sqrt(np.log(contexts.counts))[:, None]
    wanted = np.linalg.lstsq(roots * contexts.means, roots * vectors.matrix, rcond=None)[0].T
    np.testing.assert_allclose(fit_transform(contexts, vectors).matrix, wanted, atol=1e-8)


def test_the_held_out_fit_is_the_worse_one():
    _, contexts, vectors = planted(n_words=20, noise=1.0)
    fit = fit_transform(contexts, vectors).fit
    assert fit.r_squared_held_out < fit.r_squared < 1
    assert fit.cosine_held_out < fit.cosine < 1


def test_rare_words_and_words_without_a_vector_take_no_part():
    matrix, contexts, vectors = planted(counts=np.full(60, 30))
    contexts.counts[:5] = 19  # their sums are wrong from now on
    wrong = contexts.sums.copy()
    wrong[5:10] += 100
    known = WordVectors(vectors.words[10:], vectors.matrix[10:])
    transform = fit_transform(ContextSums(contexts.words, wrong, contexts.counts), known)
    np.testing.assert_allclose(transform.matrix, matrix, atol=1e-5)
    assert transform.fit.n_words == 50


def test_the_order_of_words_moves_no_bit():
    _, contexts, vectors = planted(noise=0.5)
    order = np.random.default_rng(3).permutation(60)
    shuffled = ContextSums(
        tuple(contexts.words[n] for n in order), contexts.sums[order], contexts.counts[order]
    )
    one, other = (fit_transform(some, vectors) for some in (contexts, shuffled))
    assert one.matrix.tobytes() == other.matrix.tobytes()
    assert one.fit == other.fit


def test_too_few_words_give_no_map_and_no_vectors():
    _, contexts, vectors = planted(n_words=7)
    transform = fit_transform(contexts, vectors)
    assert not transform.is_fitted
    assert (transform.fit.n_words, transform.fit.n_needed) == (7, 8)
    assert induce(contexts, transform).matrix.shape == (0, DIMS)


def test_vectors_of_a_region_come_most_frequent_first(tmp_path):
    fit = fit_transform(*planted()[1:]).fit
    contexts = ContextSums(
        ("rare", "b", "a", "most"),
        np.array([[1, 1], [4, 0], [0, 2], [9, 0]], dtype=float),
        np.array([1, 2, 2, 9]),
    )
    transform = Transform(np.array([[0.0, 2.0], [1.0, 0.0]]), fit)
    made = induce(contexts, transform, min_count=2)
    assert made.words == ("most", "a", "b")
    assert made.matrix.tolist() == [[0, 1], [2, 0], [0, 2]]
    save_word2vec(made, tmp_path / "alc-0.bin")
    assert load_vectors(tmp_path / "alc-0.bin").words == made.words


@pytest.mark.parametrize("n_words", [60, 3])
def test_a_map_is_read_as_it_was_written(tmp_path, n_words):
    transform = fit_transform(*planted(n_words=n_words, noise=0.3)[1:])
    paths = tmp_path / "transform.npy", tmp_path / "fit.json"
    save_transform(transform, *paths)
    read = load_transform(*paths)
    assert read.matrix.tobytes() == transform.matrix.tobytes()
    np.testing.assert_equal(vars(read.fit), vars(transform.fit))
    assert "NaN" not in paths[1].read_text()
    json.loads(paths[1].read_text(), parse_constant=pytest.fail)


def test_a_damaged_map_is_the_users_to_mend(tmp_path):
    paths = tmp_path / "transform.npy", tmp_path / "fit.json"
    save_transform(fit_transform(*planted()[1:]), *paths)
    np.save(paths[0], np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="not a map"):
        load_transform(*paths)
    with pytest.raises(InputError, match="not a map"):
        load_transform(tmp_path / "absent.npy", paths[1])
