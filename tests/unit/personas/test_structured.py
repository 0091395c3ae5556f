"""Fields of a reply, whatever its form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasatlas.lexicons.gender_terms import load_gender_pairs
from biasatlas.personas.gender_words import load_gender_words
from biasatlas.personas.structured import read_fields, without_thoughts

LISTS = Path(__file__).parents[3] / "resources" / "word_lists"
WORDS = load_gender_words(
    LISTS.parent / "persona_gender",
    "en",
    load_gender_pairs(LISTS / "gender" / "en" / "extended.yaml"),
)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@given(TEXT, TEXT, TEXT, st.booleans(), st.sampled_from([None, 2]), st.permutations(range(3)))
def test_valid_json_is_read_as_json_reads_it(name, gender, about, ascii_only, indent, order):
    items = [("name", name), ("gender", gender), ("about", about)]
    text = json.dumps(dict(items[i] for i in order), ensure_ascii=ascii_only, indent=indent)
    if "</think>" in text or "```" in text:
        return
    fields = read_fields(text, WORDS)
    assert fields.genders == ((gender,) if gender.strip() else ())
    assert fields.about == (about if about.strip() else "")
    assert fields.name == (" ".join(name.split())[:100] if name.strip() else "")
    assert fields.text == about


@given(st.text(st.sampled_from("{}[]\"':,\\ \nab“”‘’"), max_size=60))
def test_no_text_of_marks_fails(text):
    fields = read_fields(text, WORDS)
    assert fields.genders == ()


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "Ada", "gender": "female", "about": "Sails."}',
        'Sure!\n```json\n{"name": "Ada", "gender": "female", "about": "Sails."}\n```\nBye "you".',
        "{'name': 'Ada', 'gender': 'female', 'about': 'Sails.',}",
        "{name: Ada, gender: female, about: Sails.}",
        "{“name”: “Ada”, “gender”: “female”, “about”: “Sails.”}",
        '{"Name": "Ada", "GENDER": "female", "Description": "Sails."}',
        '{"persona": {"name": "Ada", "gender": "female", "about": "Sails."}}',
        '[{"name": "Ada", "gender": ["female"], "about": "Sails."}]',
        '{"gender": "female", "name": "Ada", "about": "Sails.',
        '<think>{"name": "Bob", "gender": "male"}</think>{"name": "Ada", "gender": "female", '
        '"about": "Sails."}',
        "**Name:** Ada\n**Gender:** female\n**About:** Sails.",
        "- Name: Ada\n- Gender: **female**\n- About: Sails.",
        "Name: Ada, Gender: female, About: Sails.",
        "| Name | Ada |\n| Gender | female |\n| About | Sails. |",
    ],
)
def test_one_persona_in_many_forms(text):
    fields = read_fields(text, WORDS)
    assert (fields.name, fields.genders) == ("Ada", ("female",))
    assert fields.about.rstrip(".") == "Sails"


def test_quotation_marks_that_are_not_escaped():
    fields = read_fields('{"about": "She reads "Emma" now", "gender": "female"}', WORDS)
    assert fields.about == 'She reads "Emma" now'
    assert fields.genders == ("female",)


def test_a_key_inside_a_string_is_no_field():
    text = json.dumps({"about": 'The form said {"gender": "male"} first.', "gender": "female"})
    assert read_fields(text, WORDS).genders == ("female",)


def test_two_persons_give_two_genders_and_a_partner_inside_gives_none():
    two = '{"name": "A", "gender": "female"}\nand {"name": "B", "gender": "male"}'
    assert read_fields(two, WORDS).genders == ("female", "male")
    partner = '{"partner": {"name": "B", "gender": "male"}, "name": "A", "gender": "female"}'
    assert read_fields(partner, WORDS).genders == ("female",)
    assert read_fields(partner, WORDS).name == "A"


def test_text_beside_an_object_is_no_part_of_the_persona():
    text = 'Maybe a man?\n{"name": "Ada", "gender": "female", "about": "Sails.", "job": "cook"}'
    assert read_fields(text, WORDS).text == "Sails.\ncook"


def test_the_options_of_a_question_stay_whole():
    assert read_fields("Gender: male, female or non-binary", WORDS).genders == (
        "male, female or non-binary",
    )


def test_half_a_surrogate_pair_can_be_written():
    fields = read_fields('{"name": "A\\ud83d", "about": "\\ud83d\\ude00"}', WORDS)
    assert fields.name == "A?"
    assert fields.about == "\U0001f600"


def test_heads_of_a_table_are_no_values():
    fields = read_fields("| Name | Gender | About |\n|---|---|---|\n| Ada | female | x |", WORDS)
    assert fields.name == ""
    assert fields.genders == ()


def test_thoughts_that_were_cut_off_are_no_reply():
    assert without_thoughts("<think>a woman perhaps") == ""
    assert without_thoughts("a</think>b</think>c") == "c"


@pytest.mark.parametrize(
    "part", ["{", '{"', '"', '{"a":', "[", "'", "{'", '\\"', "gender: ", ' " ']
)
def test_long_replies_are_read_in_one_pass(part):
    """A parser that starts anew at every brace or mark would take minutes here."""
    fields = read_fields("{" + part * (200_000 // len(part)), WORDS)
    assert fields.name == ""
