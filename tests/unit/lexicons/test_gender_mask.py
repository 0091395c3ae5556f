"""What is hidden is what the scan finds, no more and no less."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biasatlas.errors import InputError
from biasatlas.lexicons.gender_mask import hidden_terms, mask_gender_terms, show_texts
from biasatlas.lexicons.gender_scan import scan
from biasatlas.lexicons.gender_terms import GenderTerms, load_gender_pairs
from biasatlas.lexicons.term_search import find_terms, locate_terms

LISTS = Path(__file__).parents[3] / "resources/word_lists/gender"
TERMS = load_gender_pairs(LISTS / "en/bolukbasi52.yaml")


def make_terms(female, male, language="en") -> GenderTerms:
    return GenderTerms("own", language, tuple(female), tuple(male), 1, 1, "own")


def mask(text: str | None, terms: GenderTerms = TERMS, *, hyphen: bool = False) -> str:
    [masked] = mask_gender_terms([text], terms, hyphen_is_letter=hyphen)
    return masked


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the theme of these", "the theme of these"),
        ("She said that her  mother \n knew.", "said that knew."),
        ("Men's and women’s", "'s and ’s"),
        ("I saw (he) and—she—", "I saw () and——"),
        ("  he ran  off ", "ran  off "),
        ("they saw  her", "they saw"),
        ("  off he ", "  off"),
        ("a mother-in-law", "a -in-law"),
        ("a Catholic\n priest, Catholic nuns", "a , Catholic nuns"),
        ("naïve é— he —é 中", "naïve é— —é 中"),
        ("née \U0001f469 she\U0001f469", "née \U0001f469 \U0001f469"),
        ("cafe\u0301 so\u00adn x", "café x"),
        ("cafe\u0301 x\u00ady", "cafe\u0301 x\u00ady"),
        ("ex she girlfriend", ""),
        ("ex-she-girlfriend!", "!"),
        ("He, she: women", ", :"),
        ("she\u00a0HE\the", ""),
        ("", ""),
        (None, ""),
    ],
)  # fmt: skip
def test_by_hand(text, expected):
    assert mask(text) == expected


def test_a_hyphen_may_be_a_letter():
    assert mask("mother-in-law mother", hyphen=True) == "mother-in-law"


def test_turkish_has_two_letters_i():
    terms = make_terms(["kız", "i̇kiz"], ["oğlan"], "tr")
    assert mask("KIZ kiz İKİZ OĞLAN ol", terms) == "kiz ol"


def test_decomposed_hindi_is_found_as_the_scan_finds_it():
    terms = make_terms(["लड़की"], ["पिता"], "hi")
    assert mask("वह लड\u093cकी है, पिता।", terms) == "वह है, ।"


def test_texts_are_masked_apart_from_each_other():
    texts = ["é she", "none", "he", "x her"]
    assert mask_gender_terms(texts, TERMS, hyphen_is_letter=False) == ["é", "none", "", "x"]
    sliced = pl.Series(texts)[1:]
    assert mask_gender_terms(sliced, TERMS, hyphen_is_letter=False) == ["none", "", "x"]
    assert mask_gender_terms([], TERMS, hyphen_is_letter=False) == []


def test_more_terms_than_one_block_holds():
    assert mask("é he " * 3_000) == "é " * 2_999 + "é"


def test_a_term_that_no_text_can_hold_is_named():
    with pytest.raises(InputError, match="'she!'"):
        mask("x", make_terms(["she!"], ["he"]))


PIECES = st.one_of(
    st.sampled_from(
        "he she HE hé él ÉL ella ex novia ex-novia ex\u00a0novio e\u0301l ex l'homme l’homme sen\u0303ora "
        "se\u00adñora são mãe ὁ ου 他 ½ s' 😀 \u0301 \u0338 \u2adc -".split(" ")
    ),
    st.sampled_from(list(" \t\n\u2003-_,.'’!()\u00ad\u200d\ufe0f")),
    st.text(max_size=2),
)
TEXTS = st.lists(PIECES, max_size=14).map("".join)
LATIN = make_terms(
    ["she", "ella", "ex novia", "señora", "mãe", "novia él"], ["he", "él", "ex novio", "l'homme"]
)
ALL = [*LATIN.female, *LATIN.male]


@settings(max_examples=400)
@given(st.lists(TEXTS, max_size=4), st.booleans())
def test_afterwards_a_scan_finds_nothing(texts, hyphen):
    masked = mask_gender_terms(texts, LATIN, hyphen_is_letter=hyphen)
    assert set(scan(masked, LATIN, hyphen_is_letter=hyphen)["gender"]) <= {"neither"}
    genders = scan(texts, LATIN, hyphen_is_letter=hyphen)["gender"]
    for text, left, gender in zip(texts, masked, genders, strict=True):
        assert gender != "neither" or left == text
    assert mask_gender_terms(masked, LATIN, hyphen_is_letter=hyphen) == masked


@settings(max_examples=400)
@given(TEXTS, st.sampled_from(["en", "tr"]), st.booleans())
def test_what_is_located_is_what_is_found(text, language, hyphen):
    options = {"language": language, "hyphen_is_letter": hyphen}
    [searched], places = locate_terms(pl.Series([text]), ALL, **options)
    pieces = [searched.encode()[a:b].decode() for _, a, b in places.iter_rows()]
    found = find_terms([text], ALL, **options)["term"].to_list()
    assert [find_terms([piece], ALL, **options)["term"].to_list() for piece in pieces] == [
        [term] for term in found
    ]
    assert all(not piece[0].isspace() and not piece[-1].isspace() for piece in pieces)


# The rule for single words once more, on the words as Python splits them.
@given(st.lists(st.sampled_from("he she HE Señora the hers é x, y. (mãe)".split()), max_size=12))
def test_the_other_words_stay_in_their_order(words):
    masked = mask(" ".join(words), LATIN)
    known = {"he", "she", "señora", "mãe"}
    expected = [word for word in words if word.lower().strip("()") not in known]
    assert [word for word in masked.split() if word != "()"] == expected
    assert not re.search(r"\s\s|^\s|\s$", masked)


def test_the_extended_list_is_hidden_too_and_nothing_twice():
    hidden = hidden_terms([TERMS.path, LISTS / "en/extended.yaml"])
    assert hidden.female[: len(TERMS.female)] == TERMS.female
    assert {"him", "husband"} <= set(hidden.male)
    assert {"hers", "wife"} <= set(hidden.female)
    both = (*hidden.female, *hidden.male)
    assert len(both) == len(set(both))
    assert mask("her husband told him of his wife", hidden) == "told of"
    assert unicodedata.is_normalized("NFC", "".join(both))


def test_the_first_list_says_on_which_side_a_term_is(tmp_path):
    path = tmp_path / "own.yaml"
    path.write_text(
        "name: own\nlanguage: en\ncitation: own\npairs:\n"
        "  - {male: wife, female: husband}\n  - {male: boss, female: hers}\n"
    )
    hidden = hidden_terms([path, LISTS / "en/extended.yaml", path])
    assert (hidden.male[:2], hidden.female[:2]) == (("wife", "boss"), ("husband", "hers"))
    assert {"husband", "hers"}.isdisjoint(hidden.male)
    assert "wife" not in hidden.female
    assert mask("Boss, husband, wife, him", hidden) == ", , ,"


def test_one_list_is_hidden_as_it_is():
    path = LISTS / "de/basic.yaml"
    assert hidden_terms([path]) == hidden_terms([path, path]) == load_gender_pairs(path)


def test_a_view_shows_or_hides():
    paths = [TERMS.path, LISTS / "en/extended.yaml"]
    texts = ["he met his wife", "none"]
    assert show_texts(texts, "visible", paths, hyphen_is_letter=False) == texts
    assert show_texts(texts, "masked", paths, hyphen_is_letter=False) == ["met", "none"]
