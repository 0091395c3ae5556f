"""Candidate phrases in several languages, and those that may label a topic."""

from __future__ import annotations

import numpy as np
import pytest

from biasatlas.topics.phrases import MOST_PHRASES, candidates, keybert_words, label_phrases


class Letters:
    """An encoder of two dimensions: how much of a text is the letter a."""

    precision = "fp32"

    def encode(self, texts, what="texts"):
        shares = np.array([text.count("a") / max(len(text), 1) for text in texts], dtype=np.float32)
        rows = np.column_stack([shares, 1 - shares])
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("language", "text", "phrases"),
    [
        ("zh", "她 在 医院 工作 ， 喜欢 医院 食堂", ["医院 工作", "喜欢 医院", "医院 食堂"]),
        ("ja", "女性 は 病院 バス で 病院 料理", ["病院 バス", "病院 料理"]),
        ("th", "โรงพยาบาล หมอ และ โรงพยาบาล ใหม่", ["โรงพยาบาล หมอ", "โรงพยาบาล ใหม่"]),
        ("hi", "नई सरकार ने पानी बचाया", ["नई सरकार", "पानी बचाया"]),
        ("tr", "DEVLET OKULU ve İLK OKUL", ["devlet okulu"]),
        # No list of stop words: every word may be in a phrase.
        ("ta", "புதிய அரசு", ["புதிய அரசு"]),
    ],
)
def test_phrases_of_any_script(language, text, phrases):
    found = candidates([text] * 3, language, 2)
    assert set(phrases) <= set(found)
    assert all(len(phrase.split()) == 2 for phrase in found)


def test_no_phrase_holds_a_term_that_is_left_out():
    texts = ["Old women, women's rights, the prime minister and health care of single mothers"] * 3
    assert candidates(texts, "en", 2) == [
        "health care", "old women", "prime minister", "single mothers",
    ]  # fmt: skip
    hidden = {"Women", "single mothers", "health"}
    assert candidates(texts, "en", 2, hidden) == ["prime minister"]
    assert "mothers" in candidates(texts, "en", 1, hidden)
    assert "women" not in candidates(texts, "en", 1, hidden)
    # A term of several words is found in a row only, and one of no word leaves nothing out.
    assert candidates(texts, "en", 2, {"care health", "—"}) == candidates(texts, "en", 2)


def test_a_phrase_ends_at_a_mark_but_not_at_a_hyphen():
    texts = ["Doctors, nurses (school teachers); health-care “workers strike”. Ministers"] * 3
    assert candidates(texts, "en", 2) == ["health care", "school teachers", "workers strike"]


def test_what_is_left_out_makes_room_for_others():
    texts = [" ".join(f"mother word{a}{b}" for a in "abcdefgh" for b in "abcdefghij")] * 3
    assert candidates(texts, "en", 1)[0] == "mother"
    found = candidates(texts, "en", 1, {"mother"})
    assert len(found) == len(candidates(texts, "en", 1)) == 60
    assert "mother" not in found


def test_boilerplate_is_of_english_only():
    texts = ["news agency tells"] * 3
    assert candidates(texts, "en", 2) == []
    assert "news agency" in candidates(texts, "tr", 2)


def test_labels_may_be_six_phrases_nearest_first():
    words = "banana papaya alpaca cat dog emu lion ibis".split()
    texts = {0: [", ".join(f"{word} school" for word in words)] * 3, 4: ["cat"] * 3}
    means = {0: np.array([1, 0], "f4"), 4: np.array([1, 0], "f4")}
    found = label_phrases(texts, means, Letters(), "en")
    assert found[4] == []
    assert len(found[0]) == MOST_PHRASES
    assert found[0][:3] == ["alpaca school", "banana school", "papaya school"]
    left = label_phrases(texts, means, Letters(), "en", {"papaya"})
    assert left[0][:2] == ["alpaca school", "banana school"]


@pytest.mark.parametrize(
    ("language", "passages", "words"),
    [
        ("hi", ["सरकार पानी", "पानी और"], {"सरकार", "पानी"}),
        ("en", ["alpaca of 20 llamas"], {"alpaca", "llamas", "20"}),
    ],
)
def test_keybert_keeps_combining_marks(language, passages, words):
    found = keybert_words({3: passages}, Letters(), language, top=9, left_out=())
    assert set(found[3]) == words


def test_keybert_leaves_words_out_in_any_language():
    found = keybert_words({0: ["सरकार पानी दादी"]}, Letters(), "hi", top=9, left_out={"दादी"})
    assert set(found[0]) == {"सरकार", "पानी"}
