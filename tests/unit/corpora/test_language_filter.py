"""The language of a text: by a model in place of fastText, and by the real one where it is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from biasatlas.corpora.language_filter import (
    KNOWN_LANGUAGES,
    language_labels,
    language_probability,
)
from biasatlas.errors import InputError

ENGLISH = "The minister said on Monday that she would not resign before the end of the year."
TEXTS = {
    "en": ENGLISH,
    "de": "Die Ministerin sagte am Montag, dass sie vor Ende des Jahres nicht zurücktreten werde.",
    "fr": "La ministre a dit lundi qu'elle ne démissionnerait pas avant la fin de l'année.",
    "nb": "Jeg vet ikke hva jeg skal gjøre med alle disse bøkene som ligger på gulvet hjemme.",
    "nn": "Eg veit ikkje kva eg skal gjera med alle desse bøkene som ligg på golvet heime.",
    "ru": "Министр сказала в понедельник, что не уйдёт в отставку до конца года.",
    "zh": "部长星期一说，她不会在年底前辞职。",
    "ckb": "وەزیرەکە ڕۆژی دووشەممە وتی کە پێش کۆتایی ساڵ دەست لە کار ناکێشێتەوە.",
}


@pytest.fixture(scope="session")
def lid176(fetched_asset: Callable[[str], Path]) -> Path:
    return fetched_asset("lid176") / "lid.176.ftz"


class Model:
    """Says what it was asked, and gives what it was told to."""

    def __init__(self, found: dict[str, float]) -> None:
        self.found = found
        self.asked: list[str] = []

    def predict(self, text: str, k: int, threshold: float) -> tuple[tuple[str, ...], np.ndarray]:
        assert k == -1
        assert 0 < threshold < 0.01
        assert "\n" not in text
        self.asked.append(text)
        labels = tuple(f"__label__{label}" for label in self.found)
        return labels, np.array(list(self.found.values()))


@pytest.fixture
def use(monkeypatch, tmp_path):
    path = tmp_path / "model.ftz"
    path.write_bytes(b"")

    def put(**found: float) -> tuple[Model, Path]:
        model = Model(found)
        monkeypatch.setitem(sys.modules, "fasttext", SimpleNamespace(load_model=lambda _: model))
        return model, path

    return put


def test_the_labels_of_a_language_are_summed(use):
    _, path = use(no=0.5, nn=0.25, da=0.125)
    expected = {"no": 0.75, "nor": 0.75, "nb": 0.5, "nn": 0.25, "nno": 0.25, "da": 0.125, "de": 0.0}
    for language, probability in expected.items():
        found = language_probability(["x"], language, path)
        assert found.dtype == np.float64
        assert found.tolist() == [probability]


def test_probabilities_above_one_are_one(use):
    _, path = use(en=1.00004)
    assert language_probability(["x"], "en", path).tolist() == [1.0]


def test_one_line_of_the_first_thousand_characters_is_read(use):
    model, path = use(en=0.9)
    texts = ["one\r\ntwo\u2028 three", "a" * 999 + "bc"]
    language_probability(texts, "en", path)
    assert model.asked == ["one two three", "a" * 999 + "b"]


def test_texts_without_a_letter_are_of_no_language(use):
    model, path = use(en=0.9)
    texts = ["", None, " \n", "1,000 - 2", "x"]
    assert language_probability(texts, "en", path).tolist() == [0, 0, 0, 0, 0.9]
    assert model.asked == ["x"]
    assert language_probability([], "en", path).shape == (0,)


@pytest.mark.parametrize(
    ("code", "labels"),
    [
        ("deu", ("de",)),
        ("ger", ("de",)),
        ("ckb", ("ckb",)),
        ("kmr", ("ku",)),
        ("fil", ("tl",)),
        ("tgl", ("tl",)),
        ("zho", ("zh", "wuu", "yue")),
        ("cmn", ("zh",)),
        ("yue", ("yue",)),
        ("arb", ("ar",)),
        ("hr", ("hr",)),
        ("hbs", ("sh", "bs", "hr", "sr")),
        ("gsw", ("als",)),
        ("sq", ("sq",)),
    ],
)
def test_iso_codes_and_the_labels_of_the_model(code, labels):
    assert language_labels(code) == labels


def test_every_label_has_a_code_and_no_code_is_odd():
    labels = {label for code in KNOWN_LANGUAGES for label in language_labels(code)}
    assert len(labels) == 176
    assert all(
        2 <= len(code) <= 3 and code.isascii() and code.islower() for code in KNOWN_LANGUAGES
    )


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("zzb", "zza"),
        ("engl", "eng"),
        ("als", "write sq or gsw"),
        ("xx", "176 languages"),
        ("", "176 languages"),
    ],
)
def test_unknown_languages_are_refused_before_the_model_is_read(code, said):
    with pytest.raises(InputError, match="language filter") as caught:
        language_probability(["x"], code, "no_such_file")
    assert said in str(caught.value)
    assert f"'{code}'" in str(caught.value)


def test_a_missing_model_is_named(tmp_path):
    path = tmp_path / "lid.ftz"
    with pytest.raises(InputError, match="there is no such language model") as caught:
        language_probability(["x"], "en", path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"x" * 100])
def test_another_file_is_no_model(tmp_path, content):
    path = tmp_path / "lid.ftz"
    path.write_bytes(content)
    with pytest.raises(InputError, match="not a fastText model") as caught:
        language_probability(["x"], "en", path)
    assert str(path) in str(caught.value)


def test_the_real_model_tells_languages_apart(lid176):
    texts = list(TEXTS.values())
    for place, language in enumerate(TEXTS):
        probability = language_probability(texts, language, lid176)
        assert probability.argmax() == place
        assert probability[place] > 0.5
        assert ((probability >= 0) & (probability <= 1)).all()


def test_norwegian_is_both_written_forms(lid176):
    texts = [TEXTS["nb"], TEXTS["nn"]]
    both = language_probability(texts, "no", lid176)
    alone = np.array([language_probability(texts, code, lid176) for code in ("nb", "nn")])
    assert (alone.argmax(axis=0) == [0, 1]).all()
    assert (alone > 0.001).all()
    assert both == pytest.approx(alone.sum(axis=0))


def test_the_real_model_has_the_labels_that_are_mapped(lid176, capfd):
    import fasttext

    language_probability([ENGLISH], "en", lid176)
    assert capfd.readouterr() == ("", "")
    model = fasttext.load_model(str(lid176))
    mapped = {f"__label__{label}" for code in KNOWN_LANGUAGES for label in language_labels(code)}
    assert mapped == set(model.get_labels())
