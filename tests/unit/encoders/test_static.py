"""Words are looked up in files of vectors of every known form."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from biasatlas.encoders.static import lower, open_static
from biasatlas.errors import InputError
from biasatlas.vectors import WordVectors, save_word2vec
from biasatlas.vectors.train import train_fasttext

WORDS = ("woman", "Paris", "paris", "İzmir", "ısı", "zero", "кот")
MATRIX = np.array(
    [[1, 2], [3, 4], [5, 6], [7, 8], [9, 10], [0, 0], [-1, 0.5]], dtype=np.float32
)  # fmt: skip


def write_forms(folder: Path) -> dict[str, Path]:
    save_word2vec(WordVectors(WORDS, MATRIX), folder / "v.bin")
    lines = [f"{word} {a} {b}" for word, (a, b) in zip(WORDS, MATRIX, strict=True)]
    (folder / "v.txt").write_text("\n".join(["7 2", *lines, ""]), encoding="utf-8")
    glove = folder / "glove"
    glove.mkdir()
    np.save(glove / "glove_6B_50d_emb.npy", MATRIX)
    pd.DataFrame({"index": WORDS}).to_parquet(glove / "glove_6B_index.parquet")
    return {"binary": folder / "v.bin", "text": folder / "v.txt", "glove": glove}


@pytest.mark.parametrize("form", ["binary", "text", "glove"])
def test_a_word_is_looked_up_as_it_stands_and_else_in_lower_case(form, tmp_path):
    encoder = open_static(write_forms(tmp_path)[form])
    assert (encoder.name, encoder.size) == ("static", 2)
    words = ["Paris", "paris", "Woman", "woman", "КОТ", "man", "zero", "", "woman"]
    vectors, status, pieces = encoder.encode(words)
    assert status == ["read"] * 5 + ["absent"] * 3 + ["read"]
    assert vectors.dtype == np.float32
    assert vectors[[0, 1, 2, 3, 4, 8]].tolist() == [
        [3, 4], [5, 6], [1, 2], [1, 2], [-1, 0.5], [1, 2],
    ]  # fmt: skip
    # A vector of zeros has no direction, and is none.
    assert np.isnan(vectors[5:8]).all()
    assert not pieces.any()


def test_turkish_capitals(tmp_path):
    path = write_forms(tmp_path)["binary"]
    assert open_static(path, "tr").encode(["ISI"]).vectors.tolist() == [[9, 10]]
    assert open_static(path, "en").encode(["ISI"]).status == ["absent"]
    assert lower("İI", "tr") == "iı"
    assert lower("II", "en") == "ii"


def train(path: Path, words: list[str]) -> Path:
    rng = np.random.default_rng(5)
    texts = [" ".join(rng.choice(words, 8)) for _ in range(200)]
    train_fasttext(texts, path, seed=1, size=6, window=2, min_count=1, epochs=1, buckets=1000)
    return path


@pytest.fixture(scope="module")
def subwords(tmp_path_factory) -> Path:
    words = ["woman", "man", "кот", *(f"word{number}" for number in range(20))]
    return train(tmp_path_factory.mktemp("static") / "v.bin", words)


def test_subwords_give_every_word_a_vector_and_tell_which_are_new(subwords):
    import fasttext

    encoder = open_static(subwords)
    theirs = fasttext.load_model(str(subwords))
    words = ["woman", "Woman", "womanly", "Womanly", "собака", "", "woman"]
    vectors, status, pieces = encoder.encode(words)
    assert (encoder.name, encoder.size) == ("fasttext", 6)
    assert status == ["read"] * 5 + ["absent", "read"]
    # The project's own training lower-cases: capitals would be n-grams that nobody trained.
    for row, form in zip(vectors, ["woman", "woman", "womanly", "womanly", "собака"], strict=False):
        assert row == pytest.approx(theirs.get_word_vector(form), rel=1e-5, abs=1e-8)
    assert np.isnan(vectors[5]).all()
    assert vectors[6].tobytes() == vectors[0].tobytes()
    # "<womanly>" is 9 letters: 7 n-grams of 3 letters, 6 of 4, 5 of 5, 4 of 6.
    assert pieces.tolist() == [0, 0, 22, 22, 18, 0, 0]


def test_a_model_with_capitals_composes_from_the_word_as_it_stands(tmp_path):
    import fasttext
    from gensim.models.fasttext import FastText, save_facebook_model

    model = FastText(
        [["Woman", "man"] * 4] * 20, vector_size=6, min_count=1, bucket=1000, seed=1, workers=1
    )
    path = tmp_path / "cased.bin"
    save_facebook_model(model, str(path))
    theirs = fasttext.load_model(str(path))
    vectors = open_static(path).encode(["Womanly", "MAN"]).vectors
    assert vectors[0] == pytest.approx(theirs.get_word_vector("Womanly"), rel=1e-5, abs=1e-8)
    assert vectors[1] == pytest.approx(theirs.get_word_vector("man"), rel=1e-5, abs=1e-8)


def test_what_a_word_gets_depends_on_no_other_word(subwords):
    encoder = open_static(subwords)
    words = ["woman", "Womanly", "собака", "man", "new"]
    together = encoder.encode(words).vectors
    for number, word in enumerate(words):
        assert encoder.encode([word]).vectors[0].tobytes() == together[number].tobytes()
    assert encoder.encode([]).vectors.shape == (0, 6)


def test_the_fetched_glove_vectors(fetched_asset):
    encoder = open_static(fetched_asset("glove_6b_50d"))
    vectors, status, _ = encoder.encode(["Woman", "woman", "man", "xqzzw"])
    assert (encoder.name, encoder.size) == ("static", 50)
    assert status == ["read", "read", "read", "absent"]
    assert vectors[0].tobytes() == vectors[1].tobytes()
    assert not np.array_equal(vectors[1], vectors[2])


def test_what_is_no_file_of_vectors_is_named(tmp_path):
    (tmp_path / "prose.txt").write_text("Once upon a time.\n", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    for name in ("prose.txt", "empty", "none.bin"):
        with pytest.raises(InputError, match=name):
            open_static(tmp_path / name)
