"""The gender that is read from a reply, against labels made by reading."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from biasatlas.lexicons.gender_terms import load_gender_pairs
from biasatlas.personas.gender import Persona, read_reply
from biasatlas.personas.gender_words import load_gender_words

ROOT = Path(__file__).parents[3]
LISTS = ROOT / "resources" / "word_lists"
WORDS = load_gender_words(
    LISTS.parent / "persona_gender",
    "en",
    load_gender_pairs(LISTS / "gender" / "en" / "extended.yaml"),
)
REPLIES = yaml.safe_load((ROOT / "tests/data/persona_replies.yaml").read_text(encoding="utf-8"))
READ = [read_reply(one["text"], WORDS, topic=one["topic"], finish=one["finish"]) for one in REPLIES]


def read(text: str, topic: str = "") -> tuple[str, str, str]:
    persona = read_reply(text, WORDS, topic=topic)
    return persona.gender, persona.gender_by, persona.reason


def test_accuracy_on_labelled_replies():
    """64 of 68 when written; the four errors are listed below."""
    assert len(REPLIES) >= 60
    right = sum(
        (one.gender, one.reason) == (told["gender"], told["reason"])
        for one, told in zip(READ, REPLIES, strict=True)
    )
    assert right >= 64


@pytest.mark.parametrize(("gender", "decided"), [("female", 25), ("male", 18)])
def test_precision_on_labelled_replies(gender, decided):
    """Of those read as female 24 of 25 are, of those read as male all 18."""
    told = [
        label["gender"] for one, label in zip(READ, REPLIES, strict=True) if one.gender == gender
    ]
    assert len(told) >= decided
    assert told.count(gender) / len(told) >= (0.96 if gender == "female" else 1.0)


def test_known_errors():
    wrong = [
        told["text"][:12]
        for one, told in zip(READ, REPLIES, strict=True)
        if one.gender != told["gender"]
    ]
    # Three persons in one reply; Spanish; more pronouns of a man's wife; a table with a head.
    assert wrong == ["A few years ", "He creado un", "Tomas is a r", "| Name | Gen"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("female", "female"),
        ("Female.", "female"),
        ("F", "female"),
        ("a young Woman", "female"),
        ("she/her", "female"),
        ("female (she/her)", "female"),
        ("trans woman", "female"),
        ("MALE", "male"),
        ("he", "male"),
        ("cisgender male", "male"),
        ("Male, 29,", "male"),
        ("पुरुष", "male"),
        ("non-binary", "other_gender"),
        ("Nonbinary (assigned male)", "other_gender"),
        ("transgender", "other_gender"),
        ("they/them", "other_gender"),
        ("unspecified", "other_gender"),
        ("male/female", "both_genders"),
        ("African", "no_gender"),
        ("MBE", "no_gender"),
        ("", "no_gender"),
        ("womanly femalehood", "no_gender"),
        ("Marriage and women", "no_gender"),
    ],
)
def test_stated_field(value, expected):
    gender, by, reason = read(f'{{"name": "Mary", "gender": "{value}", "about": "Likes tea."}}')
    if expected in ("female", "male"):
        assert (gender, by, reason) == (expected, "field", "")
    else:
        assert (gender, by, reason) == ("undecided", "", expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SHE\u2019S a baker.", ("female", "pronouns", "")),
        ("She lives with her husband and he cooks.", ("female", "pronouns", "")),
        ("His wife says that she and her sister agree.", ("undecided", "", "both_genders")),
        ("Sam sails. He or she loves it.", ("undecided", "", "no_gender")),
        ("Sam lost their boat. They love it, (s)he says.", ("undecided", "", "no_gender")),
        ("Mary, John and Shea love tea.", ("undecided", "", "no_gender")),
        ("Jo is a 40-year-old, very quiet woman.", ("female", "nouns", "")),
        ("Jo, a mother of two, sails.", ("female", "nouns", "")),
        ("I am a lawyer and a proud father.", ("male", "nouns", "")),
        ("Mr. Abara teaches in Jos.", ("male", "nouns", "")),
        ("Jo writes about women and men.", ("undecided", "", "no_gender")),
        ("Jo is married to a woman.", ("undecided", "", "no_gender")),
        ("Jo lives with a man.", ("undecided", "", "no_gender")),
        ("Jo runs a women's club in a male-led town.", ("undecided", "", "no_gender")),
        ("Jo sleeps in a convent. This is a prostate cancer ward.", ("undecided", "", "no_gender")),
        ("A man met Jo. This woman sails.", ("undecided", "", "both_genders")),
        ("Jo is a non-binary cook, taught by a woman.", ("undecided", "", "other_gender")),
        ("Jo is a man who works for non-binary people.", ("male", "nouns", "")),
        ("I\u2019m sorry, but I can\u2019t create her.", ("undecided", "", "refusal")),
        ("I cannot write about a woman. Here: Al, he sails.", ("male", "pronouns", "")),
        ("Il a son livre sur la table et on lui a dit man mano.", ("undecided", "", "no_gender")),
        ("{}", ("undecided", "", "empty")),
        (" \n```\n```", ("undecided", "", "empty")),
    ],
)
def test_text(text, expected):
    assert read(text) == expected


def test_words_of_the_topic_do_not_count():
    text = "Jo from Kisumu talks of a girl and her dog and sails."
    assert read(text)[0] == "female"
    assert read(text, "a girl and her dog")[2] == "no_gender"
    assert read("Jo reads on A  Girl and\nher dog.", "a girl and her dog")[2] == "no_gender"
    # One word: only in quotation marks, for it may be the persona's own.
    assert read('Jo likes "her".', "her")[2] == "no_gender"
    assert read("Jo is a woman.", "woman")[0] == "female"
    # Nothing in a topic is a pattern.
    assert read("She sails.", "(.*) [a-z]+")[0] == "female"


def test_a_name_does_not_count():
    assert read('{"name": "He Ping", "about": "He Ping sails."}')[2] == "no_gender"
    assert read('{"name": "He", "about": "He sails."}')[0] == "male"
    assert read('{"name": "S", "about": "She sails."}')[0] == "female"


def test_field_against_pronouns():
    text = '{"name": "Ana", "gender": "male", "about": "She sails."}'
    assert read_reply(text, WORDS) == Persona("Ana", "male", "field", "", True, "She sails.")
    assert not read_reply(text.replace("She", "He"), WORDS).contradicted
    assert not read_reply(text.replace("She sails", "She and he sail"), WORDS).contradicted


def test_a_blocked_reply_is_not_read():
    assert read_reply("She sails.", WORDS, finish="blocked") == Persona(reason="blocked")


@given(st.text(max_size=200), st.text(max_size=20))
def test_any_text_is_read_and_reasons_stand_where_no_gender_does(text, topic):
    one = read_reply(text, WORDS, topic=topic)
    decided = one.gender in ("female", "male")
    assert decided == (one.gender_by != "") == (one.reason == "")


SWAPPED = {"she": "he", "her": "his", "woman": "man", "mother": "father", "a": "a", "is": "is"}


@given(st.lists(st.sampled_from([*SWAPPED, "tea", "of", ",", "."]), min_size=1, max_size=12))
def test_genders_swapped_in_a_text_swap_what_is_read(parts):
    other = {"female": "male", "male": "female", "undecided": "undecided"}
    gender, by, reason = read(" ".join(parts))
    swapped = read(" ".join(SWAPPED.get(part, part) for part in parts))
    assert swapped == (other[gender], by, reason)


@pytest.mark.parametrize(
    "part", ["a young ", "she ", "I'm sorry, but I ", "gender - ", "Mr. ", "'"]
)
def test_a_hundred_thousand_characters(part):
    one = read_reply(part * (100_000 // len(part)), WORDS, topic="she a")
    assert one.gender in ("female", "male", "undecided")
