"""The one tokenizer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasatlas.tokens import stop_words, tokenize, topic_tokens


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


def test_stop_words():
    english = stop_words("en")
    assert {"the", "and", "said", "monday", "percent"} <= english
    assert english.isdisjoint({"woman", "women", "president", "she’s"})
    assert all(word == word.lower() for word in english)
    assert stop_words("de") == frozenset()
