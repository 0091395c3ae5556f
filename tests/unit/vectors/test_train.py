"""Training gives the same bytes for the same seed, in every process."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from biasatlas.vectors import load_vectors
from biasatlas.vectors.train import stable_hash, train_fasttext, train_word2vec

SETTINGS = {"size": 12, "window": 3, "min_count": 2, "epochs": 2}
TRAIN = {
    "word2vec": lambda texts, path, seed, **changed: train_word2vec(
        texts, path, seed=seed, skip_gram=True, **(SETTINGS | changed)
    ),
    "fasttext": lambda texts, path, seed, **changed: train_fasttext(
        texts, path, seed=seed, buckets=1000, **(SETTINGS | changed)
    ),
}


def make_texts() -> list[str]:
    """Sentences in which king keeps company with he, queen with she, and café with thé."""
    rng = np.random.default_rng(3)
    fillers = [f"word{number}" for number in range(30)]
    texts = []
    for _ in range(150):
        for pair in ("king he crown", "queen she throne", "café thé été"):
            some = [*pair.split(), *rng.choice(fillers, 3)]
            texts.append(" ".join(rng.permutation(some)))
    return texts


TEXTS = make_texts()


@pytest.mark.parametrize("algorithm", TRAIN)
def test_a_seed_decides_every_byte(algorithm, tmp_path):
    train = TRAIN[algorithm]
    for name, seed in (("one", 1), ("again", 1), ("other", 2)):
        train(TEXTS, tmp_path / f"{name}.bin", seed)
    one, again, other = (
        (tmp_path / f"{name}.bin").read_bytes() for name in ("one", "again", "other")
    )
    assert one == again
    assert one != other
    assert len(one) == len(other)


PROGRAM = """
import sys
from test_train import TEXTS, TRAIN
for algorithm, train in TRAIN.items():
    train(TEXTS, f"{sys.argv[1]}/{algorithm}.bin", 7)
"""


def test_the_hash_seed_of_python_changes_nothing(tmp_path):
    digests = []
    for hash_seed in ("0", "12345"):
        folder = tmp_path / hash_seed
        folder.mkdir()
        source = Path(__file__).parents[3] / "src"
        path = os.pathsep.join([str(Path(__file__).parent), str(source)])
        subprocess.run(
            [sys.executable, "-c", PROGRAM, str(folder)],
            env=os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": path},
            check=True,
        )
        digests.append(
            [hashlib.sha256((folder / f"{name}.bin").read_bytes()).hexdigest() for name in TRAIN]
        )
    assert digests[0] == digests[1]


@pytest.mark.parametrize("algorithm", TRAIN)
def test_company_makes_neighbours(algorithm, tmp_path):
    TRAIN[algorithm](TEXTS, tmp_path / "v.bin", 1, epochs=60)
    vectors = load_vectors(tmp_path / "v.bin")
    rows = vectors.rows(["king", "he", "she", "queen", "café", "thé"])
    rows -= vectors.matrix.mean(axis=0)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    cosine = rows @ rows.T
    assert cosine[0, 1] > cosine[0, 2]
    assert cosine[3, 2] > cosine[3, 1]
    assert cosine[4, 5] > cosine[4, [0, 3]].max()


@pytest.mark.parametrize("algorithm", TRAIN)
def test_rare_words_get_no_vector(algorithm, tmp_path):
    TRAIN[algorithm]([*TEXTS, "hapax legomenon"], tmp_path / "v.bin", 1)
    vectors = load_vectors(tmp_path / "v.bin")
    assert "hapax" not in vectors
    assert {"king", "queen", "café"} <= set(vectors.words)


@pytest.mark.parametrize("algorithm", TRAIN)
@pytest.mark.parametrize("texts", [[], ["", "two words"]])
def test_a_corpus_that_is_too_small_gives_no_vectors_and_says_so(
    algorithm, texts, tmp_path, caplog
):
    TRAIN[algorithm](texts, tmp_path / "v.bin", 1)
    vectors = load_vectors(tmp_path / "v.bin")
    assert (vectors.words, vectors.matrix.shape) == ((), (0, 12))
    assert "no word occurs 2 times; no vectors" in caplog.text


def test_settings_reach_the_model(tmp_path):
    for name, skip_gram in (("skip", True), ("bag", False)):
        train_word2vec(
            TEXTS, tmp_path / f"{name}.bin", seed=1, skip_gram=skip_gram, **(SETTINGS | {"size": 5})
        )
    skip, bag = (load_vectors(tmp_path / f"{name}.bin") for name in ("skip", "bag"))
    assert skip.size == bag.size == 5
    assert skip.words == bag.words
    assert not np.allclose(skip.matrix, bag.matrix)


def test_stable_hash_is_a_known_number():
    assert stable_hash("word") == stable_hash("word") != stable_hash("Word")
    expected = hashlib.blake2b("été".encode(), digest_size=4).digest()
    assert stable_hash("été") == int.from_bytes(expected, "little")
