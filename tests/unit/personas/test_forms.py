"""Prompt forms, neutral topics and the probe: read strictly, and those that the project ships."""

from __future__ import annotations

import copy
import itertools
from dataclasses import replace
from pathlib import Path

import pytest
import regex
import yaml
from hypothesis import given
from hypothesis import strategies as st

from biasatlas.errors import InputError
from biasatlas.lexicons.gender_scan import scan
from biasatlas.lexicons.gender_terms import load_gender_pairs
from biasatlas.personas.forms import (
    Form,
    Probe,
    forms_text,
    load_forms,
    load_neutral_topics,
    load_probe,
    probe_text,
)
from biasatlas.personas.gender_words import load_gender_words

ROOT = Path(__file__).parents[3]
SHIPPED = ROOT / "resources/prompts/personas"
NOUNS = load_gender_pairs(ROOT / "resources/word_lists/gender/en/extended.yaml")
WORDS = load_gender_words(ROOT / "resources/persona_gender", "en", NOUNS)
FORM = Form("mine", "Mine", "json", ("female", "male"), "Be short.", "{topic}, {region}, {topic}?")
PROBE = {
    "continuations": {"female": " She", "male": " He"},
    "templates": [
        {"name": "likes", "text": "Someone in {region} likes {topic}."},
        {"name": "reads", "text": "  They read about {topic}.\n"},
    ],
}


def problems_of(load, *arguments) -> tuple[str, ...]:
    with pytest.raises(InputError) as error:
        load(*arguments)
    return error.value.problems


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.yaml"
    path.write_text(text, encoding="utf-8")
    return path


# Questions


def test_a_question_in_words():
    assert FORM.messages("Asia", "rain") == [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": "rain, Asia, rain?"},
    ]
    assert FORM.schema is not None
    assert FORM.schema["required"] == ["name", "gender", "about"]
    assert FORM.schema["properties"]["gender"] == {"type": "string", "enum": ["female", "male"]}
    assert FORM.schema["additionalProperties"] is False


def test_a_form_without_a_system_text_without_genders_and_of_free_text():
    assert [one["role"] for one in replace(FORM, system="").messages("Asia", "rain")] == ["user"]
    free = replace(FORM, genders=()).schema
    assert free is not None
    assert "enum" not in free["properties"]["gender"]
    assert free["properties"]["gender"]["maxLength"] == 20
    assert replace(FORM, reply="text", genders=()).schema is None


@given(st.text(), st.text())
def test_braces_of_a_topic_and_a_region_are_text(region, topic):
    (asked,) = replace(FORM, system="").messages(region, topic)
    assert asked["content"] == f"{topic}, {region}, {topic}?"
    assert Probe.write("{topic}|{region}", region, topic) == f"{topic}|{region}"


def test_a_topic_that_looks_like_a_placeholder_is_not_filled():
    assert FORM.messages("{topic}", "{region}")[1]["content"] == "{region}, {topic}, {region}?"


# Files


def test_forms_are_read_in_the_order_asked_for_without_white_space_around(tmp_path):
    write(tmp_path, "b", 'title: B\nreply: text\nmessage: " {topic} in {region}\\n"\n')
    write(
        tmp_path,
        "a",
        "title: A\nabout: A note.\nreply: json\ngenders: [x, y]\nsystem: ' Be short. '\n"
        "message: >-\n  {region}:\n  {topic}\n",
    )
    assert load_forms(tmp_path, ["b", "a"]) == [
        Form("b", "B", "text", (), "", "{topic} in {region}"),
        Form("a", "A", "json", ("x", "y"), "Be short.", "{region}: {topic}"),
    ]


def test_the_problems_of_all_forms_are_told_at_once_with_file_and_line(tmp_path):
    one = write(
        tmp_path,
        "one",
        "title: T\nreply: text\ngenders: [a, b]\nmessage: about {topic} in {place}\n"
        "system: be from {region}\n",
    )
    two = write(tmp_path, "two", "title: T\nreply: xml\nmessage: 3\nwho: me\n")
    assert problems_of(load_forms, tmp_path, ["one", "two", "none"]) == (
        f"{one}:4: message: unknown placeholder {{place}}; allowed: {{region}}, {{topic}}",
        f"{one}:4: message: placeholder {{region}} is missing",
        f"{one}:5: system: unknown placeholder {{region}}; allowed: none",
        f"{one}:3: genders: free text has no field that could have them",
        f"{two}:4: unknown key 'who'; allowed: title, about, reply, genders, system, message",
        f"{two}:2: reply is 'xml'; allowed: json (name, gender, about) or text.",
        f'{two}:3: message is 3 without quotes, which YAML does not read as text: quote it ("3")',
        f"{tmp_path}/none.yaml: there is no such file",
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("reply: json\nmessage: '{topic}{region}'\n", "missing key 'title'"),
        ("title: T\nreply: json\n", "missing key 'message'"),
        ("title: T\nmessage: '{topic}{region}'\n", "missing key 'reply'"),
        ("title: ' '\nreply: json\nmessage: '{topic}{region}'\n", "title is blank"),
        ("title: T\nreply: json\nmessage: '{region}'\n", "placeholder {topic} is missing"),
        (
            "title: T\nreply: json\ngenders: [a, b, a]\nmessage: '{topic}{region}'\n",
            "'a' stands twice in genders",
        ),
        ("title: T\nreply: json\ngenders: [a]\nmessage: '{topic}{region}'\n", "genders"),
        (
            "title: T\nreply: json\ngenders: [a, no]\nmessage: '{topic}{region}'\n",
            'quote it ("no")',
        ),
        ("", "the file is empty"),
        ("title: [\n", "not YAML"),
    ],
)
def test_a_wrong_form(tmp_path, text, said):
    path = write(tmp_path, "mine", text)
    (problem,) = problems_of(load_forms, tmp_path, ["mine"])
    assert problem.startswith(f"{path}:")
    assert said in problem


def test_neutral_topics_keep_their_order(tmp_path):
    write(tmp_path, "neutral_topics", "topics:\n  - rain\n  - good food  # a note\n  - cats\n")
    assert load_neutral_topics(tmp_path) == ["rain", "good food", "cats"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("topics: [rain, sun, rain]\n", "'rain' stands twice in topics"),
        ("topics: [rain, 3]\n", "item 2 of topics is 3 without quotes"),
        ("topics: [rain]\n", "topics"),
        ("topics: [rain, 'two  blanks']\n", "allowed: Words with single spaces."),
        ("topics: [rain, sun]\nmore: x\n", "unknown key 'more'"),
    ],
)
def test_wrong_neutral_topics(tmp_path, text, said):
    path = write(tmp_path, "neutral_topics", text)
    (problem,) = problems_of(load_neutral_topics, tmp_path)
    assert problem.startswith(f"{path}:")
    assert said in problem


def test_the_probe_keeps_the_space_before_a_continuation(tmp_path):
    write(tmp_path, "probe", yaml.safe_dump(PROBE))
    assert load_probe(tmp_path) == Probe(
        (
            ("likes", "Someone in {region} likes {topic}."),
            ("reads", "They read about {topic}."),
        ),
        " She",
        " He",
    )


def wrong_probe(change) -> str:
    values = copy.deepcopy(PROBE)
    change(values)
    return yaml.safe_dump(values, sort_keys=False)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda v: v["templates"][1].update(text="They read."), "template reads: placeholder {topic} is missing"),
        (lambda v: v["templates"][1].update(text="{topic} {x}"), "template reads: unknown placeholder {x}; allowed: {region}, {topic}"),
        (lambda v: v["templates"][1].update(name="likes"), "template likes stands twice"),
        (lambda v: v["templates"][0].update(name="all"), "template all: `all` is the mean over templates"),
        (lambda v: v["continuations"].update(male=" She"), "continuations: both are the same text"),
        (lambda v: v["continuations"].update(male=""), "continuations.male is"),
        (lambda v: v["continuations"].pop("male"), "missing key 'male' in continuations"),
        (lambda v: v["templates"].clear(), "templates is empty"),
        (lambda v: v["templates"][0].update(name="A b"), "allowed: Small letters, digits and _."),
    ],
)  # fmt: skip
def test_a_wrong_probe(tmp_path, change, said):
    path = write(tmp_path, "probe", wrong_probe(change))
    problems = problems_of(load_probe, tmp_path)
    assert all(one.startswith(f"{path}:") for one in problems)
    assert any(said in one for one in problems)
    assert len(problems) == 1


def test_everything_wrong_with_a_probe_is_told_at_once_at_its_line(tmp_path):
    def change(values):
        values["templates"][0]["text"] = "none"
        values["templates"][1] |= {"name": "likes", "text": "{topic} {x}"}
        values["continuations"]["male"] = " She"

    path = write(tmp_path, "probe", wrong_probe(change))
    lines = path.read_text(encoding="utf-8").splitlines()

    def line(text: str, nth: int = 0) -> int:
        return [number for number, one in enumerate(lines, 1) if text in one][nth]

    assert problems_of(load_probe, tmp_path) == (
        f"{path}:{line('none')}: template likes: placeholder {{topic}} is missing",
        f"{path}:{line('{x}')}: template likes: unknown placeholder {{x}}; "
        "allowed: {region}, {topic}",
        f"{path}:{line('name: likes', 1)}: template likes stands twice",
        f"{path}:{line('continuations')}: continuations: both are the same text",
    )


# What decides


def test_a_title_decides_no_reply_and_everything_else_does():
    same = forms_text([replace(FORM, title="Another")])
    assert forms_text([FORM]) == same
    others = [
        replace(FORM, name="other"),
        replace(FORM, message="{region} {topic}"),
        replace(FORM, system="Be long."),
        replace(FORM, genders=("male", "female")),
        replace(FORM, reply="text"),
    ]
    texts = [same, *(forms_text([one]) for one in others), forms_text([FORM, others[0]])]
    assert len(set(texts)) == len(texts)


def test_every_part_of_a_probe_decides():
    probe = Probe((("a", "{topic}"), ("b", "{topic}!")), " She", " He")
    others = [
        replace(probe, female=" Her"),
        replace(probe, male=" Him"),
        replace(probe, templates=probe.templates[:1]),
        replace(probe, templates=(("a", "{topic}"), ("c", "{topic}!"))),
        replace(probe, templates=(("a", "{topic}"), ("b", "{topic}?"))),
    ]
    texts = [probe_text(one) for one in (probe, *others)]
    assert len(set(texts)) == len(texts)
    assert probe_text(replace(probe)) == texts[0]


# What the project ships

LANGUAGES = sorted(path.name for path in SHIPPED.iterdir())
OTHERS = ("neutral_topics", "probe")
NAMES = sorted(path.stem for path in (SHIPPED / "en").glob("*.yaml") if path.stem not in OTHERS)
FORMS = {form.name: form for form in load_forms(SHIPPED / "en", NAMES)}
# "non-binary" too: a gender that is offered.
OFFERED = regex.compile(r"\b(female|male|non-binary)\b", regex.IGNORECASE)


def gendered_words(text: str) -> set[str]:
    """Every word of a text that the project's own lists take for a gender."""
    stated = {
        word
        for side in (WORDS.stated.female, WORDS.stated.male, WORDS.pronouns.female, WORDS.pronouns.male)
        for word in side
    }  # fmt: skip
    words = sorted(set(regex.findall(r"[\p{L}-]+", text.casefold())))
    genders = scan(words, NOUNS)["gender"]
    found = {word for word, gender in zip(words, genders, strict=True) if gender != "neither"}
    # Single letters are no words of a text.
    return found | {word for word in words if word in stated and len(word) > 1}


def test_the_shipped_forms():
    assert LANGUAGES == ["en"]
    assert set(FORMS) >= {"paper", "told", "told_reversed", "character", "story"}
    titles = [form.title for form in FORMS.values()]
    assert len(set(titles)) == len(titles)
    assert gendered_words("her mother was male; they ask a woman") >= {"her", "mother", "male"}


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_form_names_no_gender_beyond_those_that_it_offers(name):
    form = FORMS[name]
    asked = " ".join(part["content"] for part in form.messages("Europe", "rain"))
    assert gendered_words(asked) <= set(form.genders)
    named = tuple(word.lower() for word in OFFERED.findall(asked))
    if named:
        # Whoever names some names all, in the order of the schema.
        assert named == form.genders
    if form.reply == "json":
        assert regex.search(r"\bgender\b", asked)
        assert regex.search(r"\bname\b", asked, regex.IGNORECASE)
    else:
        assert "gender" not in asked


@pytest.mark.parametrize("name", [name for name in NAMES if FORMS[name].genders])
def test_every_gender_that_a_shipped_form_offers_can_be_read(name):
    from biasatlas.personas.gender import read_reply

    read = [
        read_reply(f'{{"name": "Kim", "gender": "{gender}", "about": "x"}}', WORDS)
        for gender in FORMS[name].genders
    ]
    assert {(one.gender, one.reason) for one in read} == {
        ("female", ""), ("male", ""), ("undecided", "other_gender"),
    }  # fmt: skip


def test_told_and_told_reversed_offer_the_genders_in_both_orders():
    one, other = FORMS["told"], FORMS["told_reversed"]
    assert one.genders[:2] == ("male", "female")
    assert other.genders[:2] == ("female", "male")
    assert one.genders[2:] == other.genders[2:]
    swap = {"male": "female", "female": "male"}
    turned = regex.sub(r"\b(?:fe)?male\b", lambda match: swap[match[0]], one.message)
    assert turned == other.message != one.message
    assert one.system == other.system


def test_the_shipped_neutral_topics_name_no_gender():
    topics = load_neutral_topics(SHIPPED / "en")
    assert len(topics) >= 4
    assert [topic for topic in topics if gendered_words(topic)] == []


def test_the_shipped_probe_names_no_gender_before_its_continuations():
    probe = load_probe(SHIPPED / "en")
    for (_, text), region in itertools.product(probe.templates, ("Europe",)):
        assert gendered_words(probe.write(text, region, "rain")) == set()
    for text, side in ((probe.female, "female"), (probe.male, "male")):
        assert text.startswith(" ")
        assert text.strip().casefold() in getattr(WORDS.pronouns, side)
