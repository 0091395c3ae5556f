"""The gender lists that come with the project: what they hold, leave out, and find."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from biasatlas.lexicons.gender_scan import scan
from biasatlas.lexicons.gender_terms import GenderTerms, load_gender_pairs
from biasatlas.lexicons.lint import lint, list_errors

GENDER = Path(__file__).parents[3] / "resources/word_lists/gender"
LANGUAGES = ("ar", "de", "es", "fr", "hi", "it", "pt", "ru", "tr", "zh")
CITATION = "Own list, written for biasatlas; not yet checked by a native speaker"
SCRIPTS = {"ar": "ARABIC", "hi": "DEVANAGARI", "ru": "CYRILLIC", "zh": "CJK UNIFIED IDEOGRAPH"}
# Forms that must never stand alone on a side: they do not tell, or are no person words.
AMBIGUOUS = {
    "ar": "هو هي أم ولد زوج ملك بنت جد جدة أولاد أبناء صبية ذكر",
    "de": "sie ihr ihre ihnen er sein seine man junge jungen der die das",
    "es": "el la lo los las su le ellos ellas padres hijos hermanos niños prima",
    "fr": "il elle lui ils elles son sa ses leur le la les parents épouse",
    "hi": "वह वे उसने उसका उसकी उसके बच्चा",
    "it": "il la lo gli le loro suo sua signore figli fratelli nipote sposa",
    "pt": "o a os as seu sua eles elas pais filhos irmãos prima",
    "ru": "им ним они их дети дам графа супруга",
    "tr": "o onun ona gelin hala koca karı ana eş kardeş",
    "zh": "它 他们 他們 其 少年 孩子 父母 同志",
}
# Text and what it is; zh is parted into words already.
PASSAGES = {
    "ar": [
        ("قالت الوزارة إن الأسعار ارتفعت.", "neither"),
        ("هي أكبر مدينة في البلاد.", "neither"),
        ("وصلت المرأة وزوجها.", "both"),
        ("سافرت والنساء معها للعمل.", "female"),
        ("جاء الرجل من القرية.", "male"),
        ("مشكلة أم حل؟", "neither"),
        ("تكلم مع ابنته.", "female"),
    ],
    "de": [
        ("Die Ministerin kam, und sie sagte nichts.", "female"),
        ("Haben Sie das gehört? Sie kommen morgen mit ihr.", "neither"),
        ("Er sagte, das könne sein.", "male"),
        ("Das junge Team trägt seinen Namen.", "neither"),
        ("Sie helfen den Männern.", "male"),
        ("Das Wohl der Töchter und Söhne.", "both"),
        ("Sie sah ihre GROSSMUTTER.", "female"),
    ],
    "es": [
        ("El gobierno y la ministra hablaron.", "neither"),
        ("Hablé con ella ayer.", "female"),
        ("Para ÉL fue fácil.", "male"),
        ("Sus padres y sus hijos viven lejos.", "neither"),
        ("La reina saludó a su marido.", "both"),
    ],
    "fr": [
        ("Il y a une maison; elle est grande.", "neither"),
        ("C’est vrai, dit-elle.", "female"),
        ("Elle habite chez lui.", "male"),
        ("Il lui parle de sa vie.", "neither"),
        ("Ma sœur et mon frère sont là.", "both"),
        ("Les grands-mères chantent.", "female"),
    ],
    "hi": [
        ("उसने उसका घर देखा।", "neither"),
        ("औरतों ने गाना गाया।", "female"),
        ("लड़के खेल रहे थे।", "male"),
        ("माता-पिता घर पर हैं।", "both"),
        ("फिल्म निर्माता और यूनानी कवि।", "neither"),
    ],
    "it": [
        ("Loro hanno visto il suo libro.", "neither"),
        ("È andata da lei.", "female"),
        ("L’uomo parla con calma.", "male"),
        ("I figli e le signore.", "neither"),
        ("Suo marito e sua moglie.", "both"),
    ],
    "pt": [
        ("A casa é do povo e os pais moram lá.", "neither"),
        ("O livro é dela.", "female"),
        ("Ele saiu cedo.", "male"),
        ("A avó e o neto.", "both"),
    ],
    "ru": [
        ("Им дали книгу, и они ушли.", "neither"),
        ("О ней говорили все.", "female"),
        ("Рассказали о нём.", "male"),
        ("Он писал сёстрам.", "both"),
        ("Мнение женщинами не высказано.", "female"),
    ],
    "tr": [
        ("O, onun evine gitti.", "neither"),
        ("KADINLARIN hakları var.", "female"),
        ("İmparatorun sarayı.", "male"),
        ("Karısı ve oğlu geldi.", "both"),
        ("Kar yağdı, hala soğuk.", "neither"),
    ],
    "zh": [
        ("他们 的 老师 来 了 。", "neither"),
        ("她 在 家 。", "female"),
        ("爸爸 回家 了 。", "male"),
        ("丈夫 和 妻子 。", "both"),
        ("其他 的 人 。", "neither"),
        ("媽媽 愛 女兒 。", "female"),
    ],
}


@pytest.fixture(scope="module")
def lists() -> dict[str, GenderTerms]:
    return {code: load_gender_pairs(GENDER / code / "basic.yaml") for code in LANGUAGES}


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_list_says_what_it_is(lists, code):
    terms = lists[code]
    assert terms.language == code
    assert terms.citation == CITATION
    assert terms.validated is False
    assert "Left out" in terms.note
    assert terms.n_pairs == terms.n_distinct >= 40
    assert min(len(terms.female), len(terms.male)) >= 40


def test_every_folder_is_tested_and_without_error():
    assert sorted(path.name for path in GENDER.iterdir() if path.is_dir()) == sorted(
        [*LANGUAGES, "en"]
    )
    frame = lint(GENDER)
    assert list_errors(frame) == []
    assert not frame["problem"].str.startswith("invisible").any()


@pytest.mark.parametrize("code", LANGUAGES)
def test_what_does_not_tell_is_left_out(lists, code):
    words = set(AMBIGUOUS[code].split())
    assert not words & {*lists[code].female, *lists[code].male}


@pytest.mark.parametrize("code", SCRIPTS)
def test_no_letter_of_another_script_slipped_in(lists, code):
    letters = {letter for term in (*lists[code].female, *lists[code].male) for letter in term}
    odd = [one for one in letters - {" "} if not unicodedata.name(one).startswith(SCRIPTS[code])]
    assert odd == []


@pytest.mark.parametrize(
    ("code", "text", "gender"), [(code, *row) for code, rows in PASSAGES.items() for row in rows]
)
def test_what_is_found(lists, code, text, gender):
    assert scan([text], lists[code])["gender"].to_list() == [gender]


def test_chinese_words_are_as_the_cutter_parts_them(lists):
    pytest.importorskip("jieba", reason="'jieba' of the extra 'segmentation' is missing")
    from biasatlas.corpora.segmentation import segment

    terms = [*lists["zh"].female, *lists["zh"].male]
    assert segment([term.replace(" ", "") for term in terms], "zh") == terms


def test_english_lists_are_validated():
    for name in ("bolukbasi52", "extended"):
        assert load_gender_pairs(GENDER / "en" / f"{name}.yaml").validated
