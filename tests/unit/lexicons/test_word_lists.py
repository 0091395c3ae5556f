from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from biasatlas.errors import InputError
from biasatlas.lexicons.word_lists import (
    AssociationTest,
    WordSet,
    load_region_pair,
    load_region_terms,
    load_test,
    load_tests,
    shared_words,
)

GOOD = """\
test: WEAT1
description: Flowers and insects
language: en
citation: own list
targets:
  x:
    name: Flowers
    words:
      - rose
      - tulip
  y:
    name: Insects
    words:
      - ant
      - bee
attributes:
  a:
    name: Pleasant
    words:
      - love
      - peace
  b:
    name: Unpleasant
    words:
      - death
      - ugly
published:
  effect_size: 1.50
"""
PAIR = """\
kind: region_aware
region: africa
pair: P1
description: Parenting (female), Movies (male)
language: en
citation: own list
targets:
  x:
    name: Parenting
    words: [mother, Her, child]
  y:
    name: Movies
    words: [movie, actor]
published: {reddit: 0.5, ungdc: 0.979}
"""
TERMS = """\
region: africa
language: en
citation: own list
forms:
  paper_table:
    female: {name: Female terms, words: [mother, her]}
    male: {name: Male terms, words: [father, his]}
"""


@pytest.fixture
def write(tmp_path: Path):
    def put(text: str | bytes, name: str = "list.yaml") -> Path:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return put


def problems(call, *arguments) -> list[str]:
    with pytest.raises(InputError) as caught:
        call(*arguments)
    assert all("\n" not in problem for problem in caught.value.problems)
    return list(caught.value.problems)


def test_a_good_list(write):
    path = write(GOOD)
    assert load_test(path) == AssociationTest(
        test="WEAT1",
        description="Flowers and insects",
        language="en",
        x=WordSet("Flowers", ("rose", "tulip")),
        y=WordSet("Insects", ("ant", "bee")),
        a=WordSet("Pleasant", ("love", "peace")),
        b=WordSet("Unpleasant", ("death", "ugly")),
        citation="own list",
        published={"effect_size": 1.5},
    )
    assert load_test(str(path)).path == path
    hash(load_test(path))


NAMED = GOOD.replace("      - peace\n", "      - peace\n    names:\n      - Joy\n      - Grace\n")


def test_names_stand_after_the_words_and_are_part_of_the_set(write):
    test = load_test(write(NAMED))
    assert test.a == WordSet("Pleasant", ("love", "peace", "Joy", "Grace"), ("Joy", "Grace"))
    assert (test.b.words, test.b.names) == (("death", "ugly"), ())
    only = load_test(write(GOOD.replace("words:\n      - love", "names:\n      - love")))
    assert only.a.words == only.a.names == ("love", "peace")
    start = TERMS.replace("words: [mother, her]", "words: [mother], names: [Nia]")
    female, _ = load_region_terms(write(start, "terms.yaml"), "paper_table")
    assert female == WordSet("Female terms", ("mother", "Nia"), ("Nia",))
    order = NAMED.replace("    words:\n      - love\n      - peace\n", "").replace(
        "      - Grace\n", "      - Grace\n    words:\n      - love\n      - peace\n"
    )
    assert load_test(write(order)) == test


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("- Joy", "- no", 23, 'quote it ("no")'),
        ("- Joy", '- " Joy"', 23, "stray white space"),
        ("- Joy", '- "Jo\\u0301y"', 23, "item 1 of attributes.a.names is not in Unicode form NFC"),
        ("- Grace", "- Joy", 24, "'Joy' stands twice in attributes.a.names; it stood on line 23"),
        ("- Grace", "- love", 24, "'love' stands twice in attributes.a; it stood on line 20"),
        ("\n      - Joy\n      - Grace", " []", 22, "attributes.a.names is empty"),
        ("\n      - Joy\n      - Grace", "", 22, "attributes.a.names is empty; it must be a list"),
    ],
)
def test_mistakes_in_names_have_their_line(write, old, new, line, said):
    path = write(NAMED.replace(old, new))
    found = problems(load_test, path)
    assert len(found) == 1
    assert found[0].startswith(f"{path}:{line}: ")
    assert said in found[0]


def test_a_set_needs_words_or_names(write):
    path = write(GOOD.replace("    words:\n      - love\n      - peace\n", ""))
    assert problems(load_test, path) == [
        f"{path}:17: missing key 'words' or 'names' in attributes.a"
    ]


def test_a_repeated_word_hides_no_other_mistake(write):
    text = NAMED.replace("- tulip", "- rose").replace("- Joy", '- "Jo\\u0301y"')
    assert [one.split(":")[1] for one in problems(load_test, write(text))] == ["10", "23"]


def test_byte_order_mark_and_windows_line_ends_do_not_matter(write):
    plain = load_test(write(GOOD))
    marked = b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode()
    assert load_test(write(marked, "marked.yaml")) == plain


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("- rose", "- no", 9, "quote it (\"no\")"),
        ("- rose", "- Null", 9, "quote it (\"Null\")"),
        ("- rose", "- 12", 9, "quote it (\"12\")"),
        ("- rose", "- 1.5", 9, "quote it (\"1.5\")"),
        ("- rose", "- 2001-01-01", 9, "read by YAML as timestamp: quote it (\"2001-01-01\")"),
        ("- rose", "- 2001-99-99", 9, "read by YAML as timestamp: quote it"),
        ("- rose", "-", 9, "item 1 of targets.x.words is empty"),
        ("- rose", "- [rose]", 9, "item 1 of targets.x.words must be text"),
        ("- rose", "- a: b", 9, "item 1 of targets.x.words must be text"),
        ("- rose", '- ""', 9, "is blank"),
        ("- rose", '- "  "', 9, "is blank"),
        ("- rose", '- " rose"', 9, "stray white space: ' rose'"),
        ("- rose", '- "rose\\n"', 9, "stray white space"),
        ("- rose", '- "rose\\u00a0"', 9, "stray white space"),
        ("- rose", "- wild  rose", 9, "one plain space between its words"),
        ("- rose", '- "rose\\u0301"', 9, "not in Unicode form NFC; write 'rosé'"),
        ("- rose", "- nan", 9, "nan"),
        ("- rose", "- NaN", 9, "nan"),
        ("- rose", "- tulip", 10, "'tulip' stands twice in targets.x.words; it stood on line 9"),
        ("- tulip", "\t- tulip", 10, "a tab"),
        ("- bee", "- bee\n      - {", 18, "not YAML"),
        ("      - rose\n      - tulip\n", "", 8, "targets.x.words is empty; it must be a list"),
        ("words:\n      - rose\n      - tulip", "words: []", 8, "targets.x.words is empty"),
        ("words:\n      - rose\n      - tulip", "words: rose", 8, "words must be a list"),
        ("      - ant\n      - bee", "      - tulip\n      - rose", 11, "x and y hold the same words"),
        ("- death\n      - ugly", "- peace\n      - love", 22, "a and b hold the same words"),
        ("name: Flowers", "name: Flowers\n    colour: red", 8, "unknown key 'colour' in targets.x"),
        ("language: en", "language: en\ncomment: x", 4, "unknown key 'comment'; allowed: kind, test"),
        ("language: en\n", "", 1, "missing key 'language'"),
        ("    name: Insects\n", "", 11, "missing key 'name' in targets.y"),
        ("language: en", "language: no", 3, "quote it (\"no\")"),
        ("language: en", "language: English", 3, "ISO 639"),
        ("language: en", "language: en\nlanguage: en", 4, "'language' stands twice; it stood on line 3"),
        ("test: WEAT1", "test: a/b", 1, "allowed: Name of the test"),
        ("test: WEAT1", "test: WEAT1\nregion: africa", 2, "'region' does not belong"),
        ("test: WEAT1", "test: WEAT1\nkind: other", 2, "allowed: association"),
        ("effect_size: 1.50", "effect_size: .nan", 28, "it must be a number"),
        ("effect_size: 1.50", "effect_size: high", 28, "published.effect_size must be a number"),
        ("effect_size: 1.50", "effect_size: yes", 28, "is yes; it must be a number"),
        ("effect_size: 1.50", "size: 1.50", 28, "unknown key 'size' in published"),
        ("citation: own list", "citation: &c own list\nkind: *c", 5, "allowed: association"),
    ],
)  # fmt: skip
def test_one_mistake_is_named_with_file_and_line(write, old, new, line, said):
    assert GOOD.count(old) == 1
    path = write(GOOD.replace(old, new))
    found = problems(load_test, path)
    assert len(found) == 1, found
    assert found[0].startswith(f"{path}:{line}: ")
    assert said in found[0]


def test_alias_to_a_set_is_refused(write):
    text = GOOD.replace("  a:\n", "  a: &set\n", 1)
    text = text[: text.index("  b:")] + "  b: *set\n"
    assert "aliases" in problems(load_test, write(text))[0]


def test_an_alias_within_itself_ends(write):
    assert "aliases" in problems(load_test, write("test: &loop\n  - *loop\n"))[0]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", ":1: the file is empty"),
        (b"# only a comment\n", ":1: the file is empty"),
        (b"- a\n- b\n", ":1:  must be keys with values"),
        (b"test: A\n---\ntest: B\n", "not YAML"),
        (b"test: WEAT1\nlanguage: caf\xe9\n", ":2: byte 0xe9 is not UTF-8"),
        (b"test: WEAT1\nlanguage: \x00\n", ":2: a character that YAML does not allow"),
        (b"test: !!python/object:os.system x\n", "quote it"),
    ],
)
def test_files_that_are_no_word_list(write, content, said):
    found = problems(load_test, write(content))
    assert len(found) >= 1
    assert said.replace("  ", " ") in found[0].replace("  ", " ")


def test_missing_file_and_folder(tmp_path):
    path = tmp_path / "none.yaml"
    assert problems(load_test, path) == [f"{path}: there is no such file"]
    assert problems(load_tests, tmp_path / "none") == [
        f"{tmp_path / 'none'}: there is no such folder"
    ]
    assert "holds no word list" in problems(load_tests, tmp_path)[0]
    assert "at least one" in problems(load_tests, [])[0]
    assert "cannot be read" in problems(load_test, tmp_path)[0]


def test_all_problems_of_all_files_come_at_once(write, tmp_path):
    write(GOOD.replace("- rose", "- no").replace("language: en\n", ""), "one.yaml")
    write(GOOD.replace("WEAT1", "WEAT2"), "two.yaml")
    write(GOOD.replace("WEAT1", "WEAT3").replace("- bee", "- ant"), "three.yaml")
    write(b"\xff", "four.yml")
    found = problems(load_tests, tmp_path)
    names = [Path(problem.split(":")[0]).name for problem in found]
    assert sorted(names) == ["four.yml", "one.yaml", "one.yaml", "three.yaml"]


def test_two_files_must_not_share_a_name(write, tmp_path):
    write(GOOD, "a.yaml")
    write(GOOD, "b.yaml")
    found = problems(load_tests, tmp_path)
    assert found == [f"{tmp_path / 'b.yaml'}:1: test 'WEAT1' also stands in {tmp_path / 'a.yaml'}"]


def test_natural_order_and_the_kinds_of_source(write, tmp_path):
    names = ["WEAT10", "WEAT2", "WEAT1"]
    paths = [write(GOOD.replace("WEAT1", name), f"{name}.yaml") for name in names]
    ordered = ["WEAT1", "WEAT2", "WEAT10"]
    assert [test.test for test in load_tests(tmp_path)] == ordered
    assert [test.test for test in load_tests(paths)] == ordered
    assert [test.test for test in load_tests(paths[0])] == ["WEAT10"]


def test_shared_words_are_allowed_and_reported(write):
    text = GOOD.replace("- bee", "- Rose").replace("- ugly", "- love").replace("- peace", "- ant")
    test = load_test(write(text))
    assert shared_words(test) == {
        ("x", "y"): ("rose",),
        ("y", "a"): ("ant",),
        ("a", "b"): ("love",),
    }
    assert shared_words(load_test(write(GOOD))) == {}


def test_region_pair_takes_the_female_terms_first(write):
    female, male = load_region_terms(write(TERMS, "terms.yaml"), "paper_table")
    assert (female.words, male.words) == (("mother", "her"), ("father", "his"))
    test = load_region_pair(write(PAIR), female, male)
    assert test.test == "africa-P1"
    assert (test.a, test.b) == (female, male)
    assert test.x.words == ("mother", "Her", "child")
    assert test.published == {"reddit": 0.5, "ungdc": 0.979}
    assert shared_words(test) == {("x", "a"): ("mother", "Her")}


def test_the_two_kinds_are_not_mixed_up(write):
    female, male = load_region_terms(write(TERMS, "terms.yaml"), "paper_table")
    assert "kind: region_aware" in problems(load_region_pair, write(GOOD), female, male)[0]
    assert "load_region_pair" in problems(load_test, write(PAIR))[0]
    with_attributes = PAIR + "attributes: {}\n"
    assert "'attributes' does not belong" in " ".join(
        problems(load_region_pair, write(with_attributes), female, male)
    )
    no_pair = PAIR.replace("pair: P1\n", "")
    assert "missing key 'pair'" in problems(load_region_pair, write(no_pair), female, male)[0]


def test_region_terms_mistakes(write):
    path = write(TERMS)
    found = problems(load_region_terms, path, "prose")
    assert found == [f"{path}:4: there is no form 'prose'; allowed: paper_table"]
    same = write(TERMS.replace("[father, his]", "[her, mother]"))
    assert (
        "female and male hold the same words" in problems(load_region_terms, same, "paper_table")[0]
    )
    padded = write(TERMS.replace("his]", '"his "]'))
    assert f"{padded}:7:" in problems(load_region_terms, padded, "paper_table")[0]


def test_loading_is_quick_and_leaves_heavy_modules_alone(write, tmp_path):
    for number in range(10):
        words = "\n".join(f"      - word{number}x{i}" for i in range(50))
        text = GOOD.replace("WEAT1", f"T{number}").replace("      - rose", words)
        write(text, f"T{number}.yaml")
    load_tests(tmp_path)
    start = time.perf_counter()
    load_tests(tmp_path)
    assert time.perf_counter() - start < 0.2
    code = (
        "import sys; from biasatlas.lexicons import word_lists, gender_terms, gender_scan; "
        "print([m for m in ('jsonschema', 'polars', 'pandas', 'numpy') if m in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"
