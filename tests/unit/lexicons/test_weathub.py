"""Lists of many languages: read strictly, mended by stated rules, everything told."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasatlas.errors import InputError
from biasatlas.lexicons import weathub_files
from biasatlas.lexicons.weathub import WORD_COLUMNS, read_lists
from biasatlas.lexicons.weathub import tests_of as build
from biasatlas.lexicons.weathub_files import (
    LANGUAGES,
    find_data,
    list_files,
    list_languages,
    lists_digest,
)
from biasatlas.lexicons.weathub_repairs import repair_entry, show
from biasatlas.lexicons.word_lists import AssociationTest, WordSet, load_tests
from biasatlas.tables.language_tables import WEATHUB_LISTS
from biasatlas.tables.schemas import check_table

WEAT = Path(__file__).parents[3] / "resources/word_lists/weat/en"
GOOD = {
    "x": ["rose", "iris", "lily", "tulip"],
    "y": ["ant", "flea", "wasp", "moth"],
    "a": ["love", "peace", "gift", "joy"],
    "b": ["war", "hate", "pain", "grief"],
}
KEYS = {"x": "targ1", "y": "targ2", "a": "attr1", "b": "attr2"}
NAMES = {"x": "Flowers", "y": "Insects", "a": "Pleasant", "b": "Unpleasant"}


def content(**sets):
    return {
        KEYS[one]: {"category": NAMES[one], "examples": sets.get(one, GOOD[one])} for one in KEYS
    }


@pytest.fixture
def put(tmp_path):
    def write(name: str, data=None, **sets) -> Path:
        path = tmp_path / "repository/data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not isinstance(data, (str, bytes)):
            data = json.dumps(data if data is not None else content(**sets), ensure_ascii=False)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return tmp_path / "repository"

    return write


def problems_of(lists) -> set[tuple]:
    frame = lists.problems[["set", "problem", "word", "n", "action"]]
    return set(frame.itertuples(index=False, name=None))


def words_of(lists, name: str) -> list[tuple[int, str]]:
    rows = lists.words[lists.words["set"] == name]
    return list(zip(rows["position"], rows["word"], strict=True))


# Files


def test_the_folder_may_be_the_repository_or_its_data(put):
    root = put("xx_gt/weat1.json")
    assert find_data(root) == find_data(root / "data") == root / "data"


@pytest.mark.parametrize("name", ["xx_gt/weat1.txt", "xx_draft/weat1.json", "weat1.json"])
def test_a_folder_without_lists(put, name):
    root = put(name)
    with pytest.raises(InputError, match="neither it nor its folder data holds lists"):
        find_data(root)
    with pytest.raises(InputError, match="no such folder"):
        find_data(root / "nowhere")


def test_variants_and_tests_have_an_order(put):
    for name in ("en_new/weat12b.json", "en_new/weat12.json", "en/weat10.json", "en/weat2.json"):
        put(name)
    root = put("fr_human/weat1.json")
    assert list_languages(root) == ["en", "fr"]
    found = [(file.variant, file.test, file.name) for file in list_files(root, "en")]
    assert found == [
        ("original", "WEAT2", "en/weat2.json"),
        ("original", "WEAT10", "en/weat10.json"),
        ("new", "WEAT12", "en_new/weat12.json"),
        ("new", "WEAT12b", "en_new/weat12b.json"),
    ]
    words = read_lists(root, "en").words
    assert list(dict.fromkeys(words["test"])) == ["WEAT2", "WEAT10", "WEAT12", "WEAT12b"]
    assert list(words["set"].iloc[:16]) == list("xxxxyyyyaaaabbbb")


def test_a_language_without_lists_is_told_which_there_are(put):
    put("de_gt/weat1.json")
    root = put("fr_gt/weat1.json")
    with pytest.raises(InputError, match="no list in language 'xx'; there are: de, fr"):
        read_lists(root, "xx")
    with pytest.raises(InputError, match="no copy of WEATHub is given"):
        read_lists(None, "xx")


def test_a_folder_of_no_known_variant_is_named_in_the_log(put, caplog):
    put("fr_gt/weat1.json")
    root = put("fr_draft/weat1.json")
    assert set(read_lists(root, "fr").words["variant"]) == {"gt"}
    assert "fr_draft" in caplog.text


def test_the_digest_is_of_words_and_places(put):
    root = put("fr_gt/weat1.json")
    before = lists_digest(root, "fr")
    put("fr_gt/weat1.json", json.dumps(content(), indent=4) + "\n\n")
    put("de_gt/weat1.json")
    assert lists_digest(root, "fr") == before
    put("fr_gt/weat1.json", x=["iris", "rose", "lily", "tulip"])
    moved = lists_digest(root, "fr")
    put("fr_gt/weat1.json", "not JSON")
    broken = lists_digest(root, "fr")
    put("fr_gt/weat1.json", "not JSON ")
    assert len({before, moved, broken, lists_digest(root, "fr")}) == 4


# Untrusted content

SURROGATE = json.dumps(content(), ensure_ascii=True).replace("rose", "\\ud800")
BROKEN = {
    "half": ('{"targ1": ', "line 1: not JSON"),
    "not_utf8": (b'{"targ1": "\xff"}', "byte 0xff is not UTF-8"),
    "twice": ('{"targ1": 1, "targ1": 2}', "key 'targ1' stands twice"),
    "deep": ("[" * 100_000, "brackets within brackets"),
    "list": ("[1]", "the file is not an object"),
    "lacks": ('{"targ1": {}}', "lacks key 'targ2'"),
    "surplus": (json.dumps(content() | {"targ3": 1}), "unknown key 'targ3'"),
    "number": (json.dumps(content(x=["rose", 3])), "item 2 of targ1.examples is 3"),
    "truth": (json.dumps(content(x=["rose", True])), "is True; it must be text"),
    "infinite": (json.dumps(content(x=[float("inf")])), "is inf; it must be text"),
    "nested": (json.dumps(content(x=[["rose"]])), "it must be text"),
    "category": (json.dumps(content()).replace('"Flowers"', '" "'), "targ1.category must be text"),
    "examples": (json.dumps(content()).replace("[", '"', 1).replace("]", '"', 1), ""),
    "object": (json.dumps(content(x={"rose": 1})), "targ1.examples must be a list"),
    "surrogate": (SURROGATE, "holds half a character"),
    "long": (" " * 1_000_001, "more than 1,000,000 bytes"),
    "digits": ("9" * 5000, ""),
    "empty": ("", "not JSON"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_refused_and_the_others_are_read(put, case):
    data, message = BROKEN[case]
    put("fr_gt/weat1.json", data)
    root = put("fr_gt/weat2.json")
    lists = read_lists(root, "fr")
    (row,) = lists.problems.to_dict("records")
    assert (row["test"], row["problem"], row["action"]) == ("WEAT1", "broken", "refused")
    assert row["file"] == "fr_gt/weat1.json"
    assert message in row["note"]
    assert set(lists.words["test"]) == {"WEAT2"}
    check_table("weathub_lists", lists.problems)


def test_a_broken_file_of_another_language_does_not_matter(put):
    put("de_gt/weat1.json", "not JSON")
    assert read_lists(put("fr_gt/weat1.json"), "fr").problems.empty


def test_a_file_of_no_known_test_is_told(put):
    put("fr_gt/notes.json", "not JSON")
    lists = read_lists(put("fr_gt/weat1.json"), "fr")
    (row,) = lists.problems.to_dict("records")
    assert (row["problem"], row["file"], row["test"]) == ("unknown", "fr_gt/notes.json", "none")
    check_table("weathub_lists", lists.problems)


def test_a_byte_order_mark_before_the_file_is_no_fault(put):
    root = put("fr_gt/weat1.json", b"\xef\xbb\xbf" + json.dumps(content()).encode())
    lists = read_lists(root, "fr")
    assert lists.problems.empty
    assert len(lists.words) == 16


# Repairs


def test_a_clean_file_is_taken_as_it_is(put):
    lists = read_lists(put("fr_human/weat1.json"), "fr")
    assert lists.problems.empty
    assert list(lists.problems.columns) == [column.name for column in WEATHUB_LISTS.columns]
    assert list(lists.words.columns) == list(WORD_COLUMNS)
    assert set(lists.words["description"]) == {"Flowers v Insects: Pleasant v Unpleasant"}
    assert {one: words_of(lists, one) for one in "xyab"} == {
        one: list(enumerate(words)) for one, words in GOOD.items()
    }


def test_what_is_no_word_is_dropped_and_places_stay(put):
    text = json.dumps(
        content(x=["rose", "nan", "NaN ", "HOLE", None, " ", "", "lily", "iris", "x"])
    )
    root = put("fr_gt/weat1.json", text.replace('"HOLE"', "NaN"))
    lists = read_lists(root, "fr")
    assert words_of(lists, "x") == [(0, "rose"), (7, "lily"), (8, "iris"), (9, "x")]
    assert problems_of(lists) == {
        ("x", "nan", "nan", 1, "dropped"),
        ("x", "nan", "NaN ", 1, "dropped"),
        ("x", "nan", "NaN", 1, "dropped"),
        ("x", "nan", "null", 1, "dropped"),
        ("x", "blank", "", 2, "dropped"),
    }
    check_table("weathub_lists", lists.problems)


REPAIRS = [
    ("rose", ["rose"], {}),
    ("e\u0301te\u0301", ["été"], {"not_nfc": "fixed"}),
    # a composition exclusion: NFC takes the letter apart
    ("\u09ac\u09dc", ["\u09ac\u09a1\u09bc"], {"not_nfc": "fixed"}),
    ("σάπιος/σάπια", ["σάπιος", "σάπια"], {"several_words": "fixed"}),
    ("عمه، خاله", ["عمه", "خاله"], {"several_words": "fixed"}),
    ("cat; dog؛ cow", ["cat", "dog", "cow"], {"several_words": "fixed"}),
    ("a / b", ["a", "b"], {"several_words": "fixed"}),
    ("父/母", ["父", "母"], {"several_words": "fixed"}),
    ("love / nan", ["love"], {"stray": "fixed"}),
    ("AC/DC", ["AC/DC"], {}),
    ("HIV/AIDS", ["HIV/AIDS"], {}),
    ("km/h", ["km/h"], {}),
    ("24/7", ["24/7"], {}),
    ("1,000", ["1,000"], {}),
    ("well-being", ["well-being"], {}),
    ("bouton d'or", ["bouton d'or"], {}),
    ("दु:खी", ["दु:खी"], {}),
    ("H.c. Ørsted", ["H.c. Ørsted"], {}),
    ("  sick \t person ", ["sick person"], {"stray": "fixed"}),
    ("「友達」", ["友達"], {"stray": "fixed"}),
    ("μενεξές;", ["μενεξές"], {"stray": "fixed"}),
    ("(사람)", [], {"stray": "dropped"}),
    ("(very) sick", ["(very) sick"], {}),
    ("nurse (male, female);", ["nurse (male, female)"], {"stray": "fixed"}),
    ("\ufeffrose\u200f", ["rose"], {"stray": "fixed"}),
    ("ไทย\u200bคำ", ["ไทยคำ"], {"stray": "fixed"}),
    ("می\u200cروم", ["می\u200cروم"], {}),
    ("अ\u200dॅन", ["अ\u200dॅन"], {}),
    ("\u200crose", ["rose"], {"stray": "fixed"}),
    ("\u200e", [], {"blank": "dropped"}),
]


@pytest.mark.parametrize(("raw", "words", "problems"), REPAIRS)
def test_repair_of_an_entry(raw, words, problems):
    repaired, findings = repair_entry(raw)
    assert repaired == words
    assert {one.problem: one.action for one in findings} == problems


LETTERS = ("a", "É", "e\u0301", "母", "\u09dc", "\u0301", "1", "nan")
MARKS = (" ", "\t", "\u2000", "/", ",", "،", ";", "\u037e", "「", "」", '"', "(", ")")
HIDDEN = ("\u200b", "\u200c", "\ufeff", "\x00")
PIECES = st.sampled_from(LETTERS + MARKS + HIDDEN)


@given(st.one_of(st.lists(PIECES, max_size=9).map("".join), st.text(max_size=12)))
def test_mending_twice_changes_nothing(raw):
    words, findings = repair_entry(raw)
    assert words == [raw] or findings
    for word in words:
        assert repair_entry(word) == ([word], [])


@given(st.lists(st.lists(PIECES, max_size=4).map("".join), max_size=8))
def test_a_repaired_list_needs_no_repair(tmp_path_factory, entries):
    folder = tmp_path_factory.mktemp("lists")
    path = folder / "fr_gt/weat1.json"
    path.parent.mkdir()
    path.write_text(json.dumps(content(x=entries)), encoding="utf-8")
    once = read_lists(folder, "fr")
    kept = [word for _, word in words_of(once, "x")]
    path.write_text(json.dumps(content(x=kept)), encoding="utf-8")
    twice = read_lists(folder, "fr")
    assert [word for _, word in words_of(twice, "x")] == kept
    assert set(twice.problems["problem"]) <= {"few_words"}
    check_few = once.problems[once.problems["problem"] == "few_words"]
    assert len(check_few) == (len(kept) < 4)
    assert bool(set(once.words["refusal"]) - {""}) == (not kept)


def test_split_words_share_their_place_and_repeats_go(put):
    entries = ["iris", "rose / lily", "lily", "iris", "iris", "ti\u0302", "tî"]
    lists = read_lists(put("fr_gt/weat1.json", x=entries), "fr")
    assert words_of(lists, "x") == [(0, "iris"), (1, "rose"), (1, "lily"), (5, "tî")]
    assert problems_of(lists) == {
        ("x", "several_words", "rose / lily", 1, "fixed"),
        ("x", "duplicate", "lily", 1, "dropped"),
        ("x", "duplicate", "iris", 2, "dropped"),
        ("x", "duplicate", "tî", 1, "dropped"),
        ("x", "not_nfc", "ti\u0302", 1, "fixed"),
    }


def test_what_a_table_would_not_show_is_written_out():
    assert show("\u200brose\x00") == "\\u200brose\\x00"
    assert show("می\u200cروم") == "می\u200cروم"


# Sets against each other


def test_words_of_two_sets_are_kept_and_told(put):
    lists = read_lists(put("fr_gt/weat1.json", y=["rose", "ant", "joy", "flea"]), "fr")
    assert problems_of(lists) == {
        ("x y", "shared", "rose", 1, "kept"),
        ("y a", "leak", "joy", 1, "kept"),
    }
    assert [word for _, word in words_of(lists, "y")] == ["rose", "ant", "joy", "flea"]
    assert set(lists.words["refusal"]) == {""}


def test_equal_sets_refuse_the_test_and_its_words_stay(put):
    root = put("fr_gt/weat1.json", b=["joy", "gift", "peace ", "love", "love"])
    lists = read_lists(root, "fr")
    assert set(lists.words["refusal"]) == {"sets A and B hold the same words"}
    assert len(lists.words) == 16
    assert ("a b", "same_sets", "", 1, "refused") in problems_of(lists)
    assert "shared" not in set(lists.problems["problem"])


def test_few_words_are_told_and_none_refuses(put):
    put("fr_gt/weat2.json", x=[" ", "nan"], y=[])
    lists = read_lists(put("fr_gt/weat1.json", x=["rose", "iris", "rose"]), "fr")
    few = lists.problems[lists.problems["problem"] == "few_words"]
    assert list(few[["test", "set", "action", "note"]].itertuples(index=False, name=None)) == [
        ("WEAT1", "x", "kept", "2 distinct words"),
        ("WEAT2", "x", "refused", "no word is left"),
        ("WEAT2", "y", "refused", "no word is left"),
    ]
    refusals = {test.test: why for _, test, why in build(lists.words)}
    assert refusals == {"WEAT1": "", "WEAT2": "set X has no word; set Y has no word"}
    check_table("weathub_lists", lists.problems)


# Tests of a frame, and own tests


def test_own_tests_keep_their_names_and_stand_last(put):
    own = load_tests(WEAT)
    root = put("en/weat1.json")
    lists = read_lists(root, "en", own[::-1])
    assert list(dict.fromkeys(lists.words["variant"])) == ["original", "own"]
    rebuilt = {test.test: test for variant, test, _ in build(lists.words) if variant == "own"}
    assert list(rebuilt) == [test.test for test in own]
    for test in own:
        for name in "xyab":
            assert getattr(rebuilt[test.test], name) == getattr(test, name)
        assert rebuilt[test.test].description == test.description
    files = set(lists.words["file"])
    assert "en/weat1.json" in files
    assert not any(file.startswith("/") for file in files)
    variant, test, refusal = build(lists.words)[0]
    assert (variant, test.test, refusal) == ("original", "WEAT1", "")
    assert test.x.words == tuple(GOOD["x"])
    assert test.x.names == ()


def test_own_tests_alone_and_of_other_languages():
    own = load_tests(WEAT)
    assert set(read_lists(None, "en", own).words["variant"]) == {"own"}
    with pytest.raises(InputError, match="language 'de'"):
        read_lists(None, "de", own)
    with pytest.raises(InputError, match="test 'WEAT1' also stands in"):
        read_lists(None, "en", [*own, own[0]])


# The lists as published


@pytest.fixture(scope="module")
def published(shared_folder):
    folder = shared_folder("weathub")
    lists = {language: read_lists(folder, language) for language in list_languages(folder)}
    assert tuple(lists) == LANGUAGES
    words = pd.concat([one.words for one in lists.values()], ignore_index=True)
    problems = pd.concat([one.problems for one in lists.values()], ignore_index=True)
    return words, problems


def test_known_faults_of_the_published_lists(published):
    _, problems = published
    by_kind = {kind: rows for kind, rows in problems.groupby("problem")}
    counts = {
        kind: (int(rows["n"].sum()), rows["file"].nunique()) for kind, rows in by_kind.items()
    }
    # 530 files repeat an entry; in ko_new 12 it is a remark in brackets, which is dropped first.
    # 142 files share words between opposing sets, and 4 have equal ones: 146.
    assert counts == {
        "nan": (10, 4),
        "not_nfc": (82, 35),
        "several_words": (18, 9),
        "duplicate": (2334, 529),
        "shared": (224, 142),
        "leak": (2, 2),
        "same_sets": (4, 4),
        "few_words": (14, 7),
        "stray": (77, 28),
    }
    files = {kind: sorted(set(rows["file"])) for kind, rows in by_kind.items()}
    assert files["nan"] == [
        "el_new/weat12.json", "el_new/weat12b.json", "mr_gt/weat2.json", "vi_gt/weat6.json",
    ]  # fmt: skip
    assert files["same_sets"] == [
        "bn_india/weat17.json", "bn_india/weat18.json",
        "en_india/weat17.json", "en_india/weat18.json",
    ]  # fmt: skip
    assert files["leak"] == ["ar_new/weat14.json", "ko_new/weat15.json"]
    assert {file.split("_")[0] for file in files["several_words"]} == {"el", "fa", "tl"}
    # In Bengali, Gurmukhi and other letters NFC itself has no single character.
    assert {file[:2] for file in files["not_nfc"]} >= {"bn", "pa"}


def test_the_published_words_and_problems_are_sound(published):
    words, problems = published
    assert words["file"].nunique() == 694
    assert not words.duplicated(["file", "set", "word"]).any()
    assert set(words[words["refusal"] != ""]["file"]) == set(
        problems[problems["action"] == "refused"]["file"]
    )
    assert all(word == word.strip() != "" for word in words["word"])
    for _, rows in words.groupby(["file", "set"]):
        assert all(one <= other for one, other in pairwise(rows["position"]))
    check_table("weathub_lists", problems)


def test_translations_of_the_published_lists_are_aligned(published):
    words, _ = published
    rows = words[(words["language"] == "de") & (words["test"] == "WEAT1") & (words["set"] == "x")]
    at = {v: dict(zip(p["position"], p["word"], strict=True)) for v, p in rows.groupby("variant")}
    assert at["human"][9] == "Rose"
    assert at["gt"][9] in ("Rose", "rose", "Rosé")


def test_a_digest_reads_files_of_its_language_only(put, monkeypatch):
    put("de_gt/weat1.json")
    root = put("fr_gt/weat1.json")
    opened = []
    read = weathub_files._read_bytes
    monkeypatch.setattr(weathub_files, "_read_bytes", lambda f: opened.append(f.name) or read(f))
    lists_digest(root, "fr")
    assert opened == ["fr_gt/weat1.json"]


def test_an_own_test_with_the_words_of_a_published_one_is_scored_once(put):
    folder = put("en/weat1.json")
    words = {
        name: WordSet(name, tuple(reversed(content()[key]["examples"])))
        for name, key in zip("xyab", ("targ1", "targ2", "attr1", "attr2"), strict=True)
    }
    same = AssociationTest("WEAT1", "d", "en", citation="c", path=Path("en/WEAT1.yaml"), **words)
    x = WordSet("x", ("another", *words["x"].words))
    lists = read_lists(folder, "en", [same, replace(same, test="WEAT2", x=x)])
    own = lists.words[lists.words["variant"] == "own"]
    assert set(own["test"]) == {"WEAT2"}
    row = lists.problems[lists.problems["problem"] == "repeated"].iloc[0]
    assert (row["test"], row["action"], row["n"]) == ("WEAT1", "dropped", 1)
    assert row["note"] == "the same words as original WEAT1; scored once"
    alone = read_lists(folder, "en", [same], variants=["own"])
    assert set(alone.words.loc[alone.words["variant"] == "own", "test"]) == {"WEAT1"}
    assert alone.problems.empty
