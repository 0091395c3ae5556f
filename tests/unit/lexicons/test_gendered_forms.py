"""Gendered forms in a list: found by endings, told one by one, left out in a variant of its own."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasatlas.errors import InputError
from biasatlas.lexicons.gendered_forms import (
    GenderRules,
    add_plain_variant,
    find_gendered_forms,
    load_gender_rules,
    without_gendered_forms,
)
from biasatlas.lexicons.weathub import WORD_COLUMNS, read_lists
from biasatlas.tables.schemas import check_table

RULES = Path(__file__).parents[3] / "resources/grammatical_gender"
HEAD = "language: es\ncitation: own\n"
SPANISH = GenderRules("es", (("o", "a"), ("or", "ora")))


def frame(*lists: tuple[str, str, str, str], language: str = "es") -> pd.DataFrame:
    """Make a frame of words of lists (variant, test, set, words)."""
    rows = [
        {
            "language": language, "variant": variant, "test": test, "description": "", "set": name,
            "set_name": name, "position": position, "word": word, "name": False,
            "file": f"{language}_{variant}/{test}.json", "refusal": "",
        }
        for variant, test, name, words in lists
        for position, word in enumerate(words.split(", "))
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=list(WORD_COLUMNS)).astype(WORD_COLUMNS)


def pairs(words: pd.DataFrame, rules: GenderRules = SPANISH) -> list[tuple[str, ...]]:
    forms = find_gendered_forms(words, rules)
    check_table("gendered_forms", forms)
    keys = ["test", "set", "word", "other", "rule"]
    return list(forms[keys].itertuples(index=False, name=None))


def test_the_masculine_form_stays():
    words = frame(("all", "WEAT1", "a", "amiga, paz, amigo, lectora, lector"))
    assert pairs(words) == [
        ("WEAT1", "a", "amiga", "amigo", "-o -a"),
        ("WEAT1", "a", "lectora", "lector", "-or -ora"),
    ]


def test_the_translated_form_stays():
    words = frame(
        ("human", "WEAT1", "a", "amiga, paz"),
        ("human", "WEAT1", "b", "malo"),
        ("human", "WEAT2", "a", "otro"),
        ("all", "WEAT1", "a", "amiga, paz, amigo"),
        ("all", "WEAT2", "a", "amiga, amigo"),
    )
    assert pairs(words) == [
        ("WEAT1", "a", "amigo", "amiga", "-o -a"),
        ("WEAT2", "a", "amiga", "amigo", "-o -a"),
    ]


def test_two_translated_words_are_two_words():
    words = frame(
        ("human", "WEAT2", "y", "cuchillo, cuchilla"), ("all", "WEAT2", "y", "cuchillo, cuchilla")
    )
    assert pairs(words) == []


def test_opposing_sets_of_gendered_terms_are_untouched():
    lists = [("a", "hermano, hijo, amigo"), ("b", "hermana, hija, amiga")]
    words = frame(*[(v, "WEAT7", one, some) for v in ("human", "all") for one, some in lists])
    forms = find_gendered_forms(words, SPANISH)
    assert forms.empty
    assert without_gendered_forms(words, forms).empty
    # Neither are the sets x and y, nor a and x.
    crossed = frame(("all", "WEAT7", "x", "hermano"), ("all", "WEAT7", "a", "hermana"))
    assert find_gendered_forms(crossed, SPANISH).empty


@pytest.mark.parametrize(
    "words",
    [
        "tío, tía",  # too short to tell
        "gran tío, gran tía",  # its last word is
        "amigo, enemiga",
        "puerto, puerta",  # an exception
        "Amigo, amiga",
    ],
)
def test_no_pair(words):
    rules = GenderRules("es", (("o", "a"),), (("puerto", "puerta"),))
    assert pairs(frame(("all", "WEAT1", "a", words)), rules) == []


def test_only_the_variant_all_is_looked_at():
    words = frame(("human", "WEAT1", "a", "amigo, amiga"), ("new", "WEAT11", "a", "amigo, amiga"))
    assert pairs(words) == []


def test_a_form_of_a_form_names_the_word_that_stays():
    rules = GenderRules("xx", (("o", "a"), ("o", "e")))
    words = frame(
        ("human", "WEAT1", "a", "amiga"),
        ("all", "WEAT1", "a", "amigo, amiga, amige"),
        language="xx",
    )
    assert pairs(words, rules) == [
        ("WEAT1", "a", "amigo", "amiga", "-o -a"),
        ("WEAT1", "a", "amige", "amiga", "-o -e"),
    ]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["amig", "cuñad", "lect"]), st.sampled_from(["o", "a", "e", "or"])
        ),
        unique=True,
    ),
    st.integers(0, 4),
)
def test_what_stays_is_never_left_out(parts, n_human):
    rules = GenderRules("xx", (("o", "a"), ("o", "e"), ("or", "o"), ("", "or")))
    listed = [stem + ending for stem, ending in parts]
    lists = [("all", "WEAT1", "a", ", ".join(listed))] if listed else []
    if listed[:n_human]:
        lists.append(("human", "WEAT1", "a", ", ".join(listed[:n_human])))
    words = frame(*lists, language="xx")
    forms = find_gendered_forms(words, rules)
    gone, stays = set(forms["word"]), set(forms["other"])
    assert forms["word"].is_unique
    assert not gone & stays
    assert not gone & set(listed[:n_human])
    plain = without_gendered_forms(words, forms)
    assert list(plain["word"]) == ([word for word in listed if word not in gone] if gone else [])


def test_the_plain_variant_holds_the_tests_with_forms_and_stands_after_all(tmp_path):
    (tmp_path / "es.yaml").write_text(HEAD + "endings: [{masculine: o, feminine: a}]\n")
    words = frame(
        ("human", "WEAT1", "a", "amigo"),
        ("all", "WEAT1", "x", "rosa"),
        ("all", "WEAT1", "a", "amiga, paz, amigo"),
        ("all", "WEAT2", "a", "paz, honor"),
        ("own", "mine", "a", "amigo, amiga"),
    )
    both, forms = add_plain_variant(words, "es", tmp_path)
    assert list(dict.fromkeys(both["variant"])) == ["human", "all", "all_plain", "own"]
    plain = both[both["variant"] == "all_plain"]
    kept = plain[["test", "set", "position", "word"]].itertuples(index=False, name=None)
    assert list(kept) == [
        ("WEAT1", "x", 0, "rosa"),
        ("WEAT1", "a", 1, "paz"),
        ("WEAT1", "a", 2, "amigo"),
    ]
    assert len(forms) == 1
    others = both[both["variant"] != "all_plain"].reset_index(drop=True)
    pd.testing.assert_frame_equal(others, words)


def test_sets_that_become_equal_are_refused():
    words = frame(
        ("all", "WEAT1", "x", "amigo"), ("all", "WEAT1", "y", "amigo, amiga"),
        ("all", "WEAT1", "a", "paz"), ("all", "WEAT1", "b", "odio"),
    )  # fmt: skip
    plain = without_gendered_forms(words, find_gendered_forms(words, SPANISH))
    assert set(plain["refusal"]) == {"sets X and Y hold the same words"}


def test_a_language_without_endings_stays_as_it_is(tmp_path):
    words = frame(("all", "WEAT1", "a", "amigo, amiga"))
    same, forms = add_plain_variant(words, "es", tmp_path)
    pd.testing.assert_frame_equal(same, words)
    check_table("gendered_forms", forms)
    assert forms.empty


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("endings: []", "endings is empty"),
        ("endings: [{masculine: o}]", "missing key 'feminine'"),
        ("endings: [{masculine: on, feminine: onne}]", "quote it"),
        ("endings: [{masculine: -o, feminine: -a}]", "without a hyphen"),
        ("endings: [{masculine: o, feminine: o}]", "are the same"),
        ("endings: [{masculine: o, feminine: a}, {masculine: o, feminine: a}]", "stand twice"),
        ("endings: [{masculine: o, feminine: a, neuter: e}]", "unknown key 'neuter'"),
    ],
)
def test_wrong_rules_are_told(tmp_path, text, message):
    path = tmp_path / "es.yaml"
    path.write_text(HEAD + text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load_gender_rules(path)


def test_rules_of_another_language(tmp_path):
    (tmp_path / "fr.yaml").write_text(HEAD + "endings: [{masculine: o, feminine: a}]\n")
    with pytest.raises(InputError, match="language is 'es'; by its name it is 'fr'"):
        add_plain_variant(frame(), "fr", tmp_path)


def test_the_rules_of_the_project_and_their_examples():
    paths = sorted(RULES.glob("*.yaml"))
    assert {path.stem for path in paths} >= {"ar", "de", "el", "es", "fr", "hi", "it", "ru"}
    for path in paths:
        rules = load_gender_rules(path)
        assert rules.language == path.stem
        assert not {pair for pair in rules.exceptions if pair[0] == pair[1]}


def test_forms_of_the_published_lists(shared_folder):
    folder = shared_folder("weathub")
    found = {}
    for path in sorted(RULES.glob("*.yaml")):
        words = read_lists(folder, path.stem).words
        _, forms = add_plain_variant(words, path.stem, RULES)
        check_table("gendered_forms", forms)
        found[path.stem] = forms
    counts = {one: (len(forms), forms["word"].nunique()) for one, forms in found.items()}
    assert {one: n for one, n in counts.items() if n[0]} == {
        "de": (2, 1), "el": (37, 26), "fr": (10, 5), "hi": (8, 5),
    }  # fmt: skip
    french = found["fr"][found["fr"]["test"] == "WEAT1"]
    assert list(zip(french["word"], french["other"], strict=True)) == [
        ("ami", "amie"),  # the translator wrote amie
        ("contente", "content"),
        ("copine", "copain"),
        ("heureuse", "heureux"),
        ("joyeuse", "joyeux"),
    ]
    # Every other pair of endings was looked at: adjectives, an animal, a possessive.
    greek = found["el"]
    assert set(greek["rule"]) == {"-ος -η", "-ός -ή", "-ος -α"}
    assert {"Freundin"} == set(found["de"]["word"])
    assert set(found["hi"]["word"]) == {"टिड्डा", "चींटा", "मकड़ा", "उसकी", "लंबी"}
