"""Word vectors written, read back, and refused where a file is not what it should be."""

from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from biasatlas.errors import InputError
from biasatlas.vectors import WordVectors, load_vectors, save_word2vec
from biasatlas.vectors.train import train_fasttext

WORDS = ("straße", "дом", "猫", "हिन्दी", "a")


@pytest.fixture
def vectors() -> WordVectors:
    matrix = np.random.default_rng(0).normal(size=(len(WORDS), 7)).astype(np.float32)
    return WordVectors(WORDS, matrix)


def test_vectors_come_back_bit_by_bit(vectors, tmp_path):
    save_word2vec(vectors, tmp_path / "new" / "v.bin")
    loaded = load_vectors(tmp_path / "new" / "v.bin")
    assert loaded.words == WORDS
    assert loaded.matrix.dtype == np.float32
    assert loaded.matrix.tobytes() == vectors.matrix.tobytes()
    assert loaded.compose is None
    save_word2vec(loaded, tmp_path / "again.bin")
    assert (tmp_path / "again.bin").read_bytes() == (tmp_path / "new" / "v.bin").read_bytes()


words = st.text(st.characters(categories=["L", "N", "M"]), min_size=1, max_size=8)


@settings(max_examples=40, deadline=None)
@given(data=st.data(), some=st.lists(words, unique=True, max_size=5), size=st.integers(1, 4))
def test_any_vocabulary_comes_back(data, some, size, tmp_path_factory):
    shape = (len(some), size)
    matrix = data.draw(hnp.arrays(np.float32, shape, elements=st.floats(-9, 9, width=32)))
    path = tmp_path_factory.mktemp("vectors") / "v.bin"
    save_word2vec(WordVectors(tuple(some), matrix), path)
    loaded = load_vectors(path)
    assert loaded.words == tuple(some)
    assert loaded.matrix.tobytes() == matrix.tobytes()
    assert loaded.matrix.shape == shape


def test_rows_are_looked_up_in_the_order_asked_for(vectors):
    assert vectors.size == 7
    assert "猫" in vectors
    assert "Hund" not in vectors
    rows = vectors.rows(["猫", "a", "猫"])
    assert rows.dtype == np.float64
    assert np.array_equal(rows, vectors.matrix[[2, 4, 2]].astype(np.float64))
    assert vectors.rows([]).shape == (0, 7)
    with pytest.raises(KeyError, match="Hund"):
        vectors.rows(["a", "Hund"])
    composing = WordVectors(vectors.words, vectors.matrix, lambda word: np.full(7, len(word)))
    assert composing.rows(["Hund"]).tolist() == [[4.0] * 7]


def test_words_and_vectors_must_match():
    with pytest.raises(ValueError, match="2 words but 3 vectors"):
        WordVectors(("a", "b"), np.zeros((3, 2), dtype=np.float32))


def test_text_format_and_a_repeated_word(tmp_path, caplog):
    path = tmp_path / "v.vec"
    path.write_text("3 2\nb 1 2\na 3 4\nb 5 6\n", encoding="utf-8")
    loaded = load_vectors(path)
    assert loaded.words == ("b", "a")
    assert loaded.matrix.tolist() == [[1, 2], [3, 4]]
    assert "1 words stand twice" in caplog.text


WRONG = {
    "empty.bin": b"",
    "prose.bin": b"Once upon a time there was a file.\n",
    "three.bin": b"1 2 3\n",
    "negative.bin": b"-1 3\n",
    "huge.bin": b"99999999999 300\nabc",
    "gzip.bin": gzip.compress(b"1 1\na 1\n"),
    "no_header.txt": b"a 1 2\nb 1 2\n",
    "short.txt": b"3 2\na 1 2\nb 1 2\n",
    "wide.txt": b"2 2\na 1 2 3\nb 1 2\n",
    "letters.vec": b"1 2\na 1 x\n",
    "latin.vec": b"1 2\n\xff\xfe 1 2\n",
    "fasttext_magic_only.bin": (793712314).to_bytes(4, "little"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_files_are_named(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(WRONG[name])
    with pytest.raises(InputError) as error:
        load_vectors(path)
    assert len(error.value.problems) == 1
    assert str(path) in str(error.value)


def test_a_file_cut_short_is_named(vectors, tmp_path):
    path = tmp_path / "v.bin"
    save_word2vec(vectors, path)
    whole = path.read_bytes()
    for kept in (len(whole) // 2, len(whole) - 3):
        path.write_bytes(whole[:kept])
        with pytest.raises(InputError, match="damaged"):
            load_vectors(path)
    path.unlink()
    with pytest.raises(InputError, match="no such file"):
        load_vectors(path)


@pytest.fixture(scope="module")
def fasttext_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("fasttext") / "v.bin"
    texts = ["the cat sat on the mat while a dog ran to the cat"] * 20
    train_fasttext(texts, path, seed=1, size=8, window=2, min_count=5, epochs=1, buckets=1000)
    return path


def test_fasttext_composes_what_it_never_saw(fasttext_file):
    loaded = load_vectors(fasttext_file)
    assert {"cat", "dog", "the"} <= set(loaded.words)
    assert loaded.matrix.shape == (len(loaded.words), 8)
    assert np.isfinite(loaded.matrix).all()
    seen, unseen = loaded.rows(["cat", "catdog"])
    assert np.array_equal(seen, loaded.matrix[loaded.index["cat"]].astype(float))
    assert np.isfinite(unseen).all()
    assert np.abs(unseen).sum() > 0


@pytest.mark.parametrize("share", [0.001, 0.01, 0.5, 0.9])
def test_a_fasttext_file_cut_short_is_not_read_as_noise(fasttext_file, share, tmp_path):
    whole = fasttext_file.read_bytes()
    path = tmp_path / "cut.bin"
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(InputError, match="not a whole fastText model"):
        load_vectors(path)


def test_the_glove_folder(tmp_path):
    matrix = np.arange(6.0, dtype=np.float32).reshape(3, 2)
    np.save(tmp_path / "glove_6B_50d_emb.npy", matrix)
    pd.DataFrame({"index": ["the", "nan", "null"]}).to_parquet(tmp_path / "glove_6B_index.parquet")
    loaded = load_vectors(tmp_path)
    assert loaded.words == ("the", "nan", "null")
    assert np.array_equal(loaded.matrix, matrix)


def test_a_damaged_glove_folder_is_named(tmp_path):
    matrix, index = tmp_path / "glove_6B_50d_emb.npy", tmp_path / "glove_6B_index.parquet"
    with pytest.raises(InputError, match="not the GloVe 6B asset"):
        load_vectors(tmp_path)
    np.save(matrix, np.zeros((3, 2), dtype=np.float32))
    pd.DataFrame({"index": ["a", "b"]}).to_parquet(index)
    with pytest.raises(InputError, match="3 vectors but 2 words"):
        load_vectors(tmp_path)
    for path in (index, matrix):
        path.write_bytes(path.read_bytes()[:40])
        with pytest.raises(InputError, match="not the GloVe 6B asset"):
            load_vectors(tmp_path)
    np.save(matrix, np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="not the GloVe 6B asset"):
        load_vectors(tmp_path)
