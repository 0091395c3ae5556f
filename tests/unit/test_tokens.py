"""The one tokenizer."""

from __future__ import annotations

import logging
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasatlas.tokens import stop_words, tokenize, topic_tokens

ROOT = Path(__file__).parents[2]
PRONOUNS = frozenset(
    "she her hers herself he him his himself ella él lei egli lui ela dela ele dele она ее её ей "
    "ею ней нее неё нею он его ему него нему 她 他 她们 他们".split()
)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        ("Men's mother-in-law", ["men", "s", "mother", "in", "law"]),
        ("in 2016, A1 & snake_case!", ["in", "2016", "a1", "snake", "case"]),
        ("É été—Straße ДОМ", ["é", "été", "straße", "дом"]),
        ("猫が好き ภาษา 女性", ["猫が好き", "ภาษา", "女性"]),
        ("U.S. women’s", ["u", "s", "women", "s"]),
    ],
)
def test_tokens_are_runs_of_letters_and_digits(text, tokens):
    assert tokenize(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("বাংলা ভাষা", ["বাংলা", "ভাষা"]),
        ("ที่ผู้หญิง", ["ที่ผู้หญิง"]),
        ("cafe\u0301 noir", ["cafe\u0301", "noir"]),
    ],
)
def test_vowel_signs_and_accents_belong_to_their_word(text, tokens):
    assert tokenize(text) == tokens


def test_topic_words_are_letters_only_and_at_least_three():
    assert topic_tokens("At 10am the 2nd été of B2B and дом is ok") == ["the", "été", "and", "дом"]


@given(st.text())
def test_any_text_gives_tokens_that_give_themselves(text):
    tokens = tokenize(text)
    assert tokenize(" ".join(tokens)) == tokens
    assert all(token and not any(c.isspace() or c == "_" for c in token) for token in tokens)
    assert set(topic_tokens(text)) <= set(tokens)


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        # Two letters with their vowel signs; को, ने and में are one letter each.
        ("hi", "माँ ने घर में बच्चों को पानी दिया।", ["घर", "बच्चों", "पानी", "दिया"]),
        ("bn", "মেয়েটি স্কুলে যায় না, মা ঘরে", ["মেয়েটি", "স্কুলে", "যায়", "ঘরে"]),
        ("ta", "அவள் ஒரு பெரிய வீடு கட்டி, கை", ["அவள்", "ஒரு", "பெரிய", "வீடு", "கட்டி"]),
        ("te", "ఆమె ఈ పుస్తకం చదివింది", ["ఆమె", "పుస్తకం", "చదివింది"]),
        ("zh", "她 在 医院 工作 ， 很 喜欢 奥运会 。", ["医院", "工作", "喜欢", "奥运会"]),
        # Kanji and katakana need two, hiragana three: は, し and まし are no words of a topic.
        (
            "ja",
            "女性 は バス で 学校 へ 行き まし た とても",
            ["女性", "バス", "学校", "行き", "とても"],
        ),
        ("th", "แม่ กับ ลูก อยู่ ที่ บ้าน ปี นี้", ["แม่", "กับ", "ลูก", "อยู่", "บ้าน"]),
        ("ko", "그 여성은 학교 에서 책 을 읽었다", ["여성은", "학교", "에서", "읽었다"]),
        ("ar", "هي في المدرسة مع أمها", ["المدرسة", "أمها"]),
        ("ru", "Её мать не врач, а юрист", ["мать", "врач", "юрист"]),
        ("tr", "İyi bir KADIN ve o ev işi", ["iyi", "bir", "kadın", "işi"]),
        ("am", "ሴት ልጅ ነች ና", ["ሴት", "ልጅ", "ነች"]),
    ],
)
def test_how_long_a_topic_word_is_depends_on_its_script(language, text, words):
    assert topic_tokens(text, language) == words


@pytest.mark.parametrize("text", ["مَعَ", "e\u0301t", "ما", "क्", "猫", "ปี", "ab1", "12"])
def test_marks_make_no_word_longer(text):
    assert topic_tokens(text) == []


@pytest.mark.parametrize("text", ["क\u093cलम", "घ\u200dर", "サラ", "tシャツ", "xク", "食べ"])
def test_joiners_marks_and_mixed_scripts_stay_in_a_word(text):
    assert topic_tokens(text) == [text]


def test_turkish_has_two_letters_i():
    assert tokenize("IŞIK İstanbul", "tr") == ["ışık", "istanbul"]
    assert tokenize("IŞIK", "az") == ["ışık"]
    assert tokenize("ICE", "de") == tokenize("ICE") == ["ice"]


def test_stop_words_of_english():
    english = stop_words("en")
    assert {"the", "and", "said", "monday", "percent"} <= english
    assert english.isdisjoint({"woman", "women", "president", "she’s"})
    assert all(word == word.lower() for word in english)
    assert stop_words("eng") == english


@pytest.mark.parametrize(
    ("language", "common", "content"),
    [
        ("de", "und nicht aber", "mann frau schule"),
        ("deu", "und nicht aber", "mann frau schule"),
        ("fr", "dans aujourd hui", "femme école"),
        ("it", "della questo", "uomo donna"),
        ("ru", "что как для", "жена мать отец муж женщина мужчина"),
        ("ar", "التي الذي", "أب أخ أخت امرأة"),
        ("hi", "और नहीं लेकिन", "पानी महिला"),
        ("bn", "এবং কিন্তু আমার", "বাড়ি পানি"),
        ("tr", "için ama çok", "kadın erkek okul"),
        ("zh", "他们 什么 可以", "医院 妈妈 女人"),
        ("cmn", "他们 什么 可以", "医院 妈妈 女人"),
        ("ja", "ところ として", "女性 学校"),
        ("th", "อย่าง เมื่อ", "ผู้หญิง เมือง"),
        ("ckb", "ئەوان ئێمە", "ژن"),
        # A doubled word or a phrase in the list is no stop word by its parts.
        ("id", "yang adalah", "negara rumah"),
        ("nb", "ikke være", "kvinne"),
    ],
)
def test_stop_words_of_other_languages(language, common, content):
    stop = stop_words(language)
    normal = [unicodedata.normalize("NFC", word) for word in common.split()]
    assert set(normal) <= stop
    assert stop.isdisjoint(content.split())
    assert all(tokenize(word, language) == [word] for word in stop)


@pytest.mark.parametrize("language", ["ta", "ku", "xx"])
def test_a_language_without_stop_words_is_told(language, caplog):
    stop_words.cache_clear()
    with caplog.at_level(logging.WARNING):
        assert stop_words(language) == frozenset()
    assert f"no list of stop words for '{language}'" in caplog.text


def test_no_gender_list_has_stop_words_of_one_gender_only():
    """Pronouns are stop words; a noun hidden in one gender alone would make topics look gendered."""
    from biasatlas.lexicons.gender_terms import load_gender_pairs

    paths = sorted((ROOT / "resources" / "word_lists" / "gender").glob("*/*.yaml"))
    assert len(paths) > 10
    for path in paths:
        terms = load_gender_pairs(path)
        stop = stop_words(path.parent.name)
        assert not stop & ({*terms.female, *terms.male} - PRONOUNS), path
