"""The file of words by which a persona's gender is read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from biasatlas.errors import InputError
from biasatlas.lexicons.gender_terms import GenderTerms, load_gender_pairs
from biasatlas.personas.gender_words import load_gender_words

LISTS = Path(__file__).parents[3] / "resources" / "word_lists"
SHIPPED = LISTS.parent / "persona_gender"


@pytest.fixture(scope="module")
def nouns() -> GenderTerms:
    return load_gender_pairs(LISTS / "gender" / "en" / "extended.yaml")


def write(folder: Path, change) -> Path:
    """Write the shipped file with a change as the file of English."""
    data = yaml.safe_load((SHIPPED / "en.yaml").read_text(encoding="utf-8"))
    change(data)
    (folder / "en.yaml").write_text(yaml.safe_dump(data, allow_unicode=True), encoding="utf-8")
    return folder


def problems(folder: Path, nouns: GenderTerms) -> tuple[str, ...]:
    with pytest.raises(InputError) as caught:
        load_gender_words(folder, "en", nouns)
    return caught.value.problems


def test_nouns_are_those_of_the_gender_list_without_pronouns_and_things(nouns):
    words = load_gender_words(SHIPPED, "en", nouns)
    assert {"woman", "daughter", "actress"} <= set(words.nouns.female)
    assert {"man", "son", "catholic priest"} <= set(words.nouns.male)
    every = {*words.nouns.female, *words.nouns.male}
    assert not every & {"she", "he", "her", "his", "convent", "testosterone", "mare"}
    assert {"non-binary", "they/them"} <= set(words.stated.other)


def test_missing_language_names_what_there_is(nouns):
    with pytest.raises(InputError, match=r"xx\.yaml: there is no such file.*there are: en"):
        load_gender_words(SHIPPED, "xx", nouns)


def test_all_problems_at_once_with_lines(tmp_path, nouns):
    def change(data):
        data["stated"]["male"] += ["woman", "male", True, " tall"]
        data["pronouns"]["female"] += [""]
        data["refusals"] = []

    found = problems(write(tmp_path, change), nouns)
    assert len(found) == 4
    text = "\n".join(found)
    assert "'male' stands twice in stated.male; it stood on line" in text
    assert "stated.male holds true; quote it" in text
    assert "' tall': blank, or stray white space" in text
    assert "pronouns.female holds '': blank" in text
    assert all(":" in one and one.split(":")[1].isdigit() for one in found)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda d: d["stated"]["male"].append("Woman"),
            "stands in stated.male and in stated.female",
        ),
        (lambda d: d["identities"].append("they"), "stands in identities and in stated.other"),
        (lambda d: d.update(extra=1), "unknown key 'extra' in the file; allowed: language"),
        (lambda d: d.pop("common"), "missing key 'common' in the file"),
        (lambda d: d["nouns"].pop("after"), "missing key 'after' in nouns"),
        (lambda d: d.update(fields=[]), "fields must have the keys name, gender, about"),
        (lambda d: d["fields"].update(gender=[]), "fields.gender must be a list of words"),
        (lambda d: d.update(refusals="no"), "refusals must be a list of words"),
        (lambda d: d.update(language="de"), "language is 'de', but the file is named en.yaml"),
        (lambda d: d.update(citation=3), "citation must be text"),
        (lambda d: d["nouns"]["male"].append("aunt"), "nouns of both genders.*extended.yaml: aunt"),
    ],
)
def test_wrong_files_are_refused(tmp_path, nouns, change, message):
    (problem,) = problems(write(tmp_path, change), nouns)
    assert re.search(message, problem)
    assert "en.yaml" in problem


def test_a_language_without_gendered_pronouns_or_articles_is_read(tmp_path, nouns):
    def change(data):
        data["pronouns"] = {"female": [], "male": [], "other": []}
        data["nouns"] |= {"after": [], "titles_female": [], "titles_male": []}
        data |= {"refusals": [], "common": [], "identities": []}

    words = load_gender_words(write(tmp_path, change), "en", nouns)
    assert words.pronouns.female == ()
    assert not words.after
