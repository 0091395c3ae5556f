"""Exchange of gendered words."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasatlas.lexicons.gender_swap import load_gender_swap, swap_list

LISTS = Path(__file__).parents[3] / "resources" / "word_lists" / "gender" / "en"
SWAP = load_gender_swap(LISTS / "extended.yaml")
SYMMETRIC = sorted(word for word, other in SWAP.partner.items() if SWAP.partner.get(other) == word)


@given(st.lists(st.sampled_from([*SYMMETRIC, "the", "nurse", "1990"])))
def test_twice_is_the_identity_for_symmetric_pairs(tokens):
    assert SWAP(SWAP(tokens)) == tokens


def test_every_symmetric_word_changes():
    assert len(SYMMETRIC) > 90
    assert all(SWAP([word]) != [word] for word in SYMMETRIC)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("she said her mother saw him", "he said his father saw her"),
        ("he told her that his wife left", "she told him that her husband left"),
        ("a friend of his", "a friend of hers"),
        ("a friend of hers and his", "a friend of his and hers"),
        ("mum called dad", "dad called mom"),
        ("the nun met a catholic priest", "the nun met a catholic priest"),
        ("ex girlfriend", "ex boyfriend"),
        ("emily likes john", "emily likes john"),
    ],
)
def test_sentences(before, after):
    assert SWAP(before.split()) == after.split()


def test_a_term_of_several_pairs_takes_the_first():
    assert SWAP(["dad"]) == ["mom"]
    assert SWAP(["mum"]) == ["dad"]
    assert "mum" in SWAP.terms


def test_pronouns_come_back_where_the_next_word_tells_them_apart():
    text = "he took his hat and gave it to him and they saw him in his house".split()
    assert SWAP(SWAP(text)) == text


def test_another_language_has_no_english_rule(tmp_path):
    path = tmp_path / "list.yaml"
    path.write_text(
        "name: Deutsch\nlanguage: de\ncitation: keine\npairs:\n"
        "  - {male: er, female: sie}\n  - {male: ihm, female: ihr}\n",
        encoding="utf-8",
    )
    swap = load_gender_swap(path)
    assert swap("er gab ihr his".split()) == "sie gab ihm his".split()


def test_the_extended_list_is_taken_where_there_is_one(tmp_path):
    named = LISTS / "bolukbasi52.yaml"
    assert swap_list(LISTS, named) == str(LISTS / "extended.yaml")
    assert swap_list(tmp_path, named) == str(named)
