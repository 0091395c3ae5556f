"""The check of a folder of word lists: what is an error, what a warning, and where."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from biasatlas.errors import InputError
from biasatlas.lexicons.__main__ import main
from biasatlas.lexicons.lint import COLUMNS, lint, list_errors
from biasatlas.tables import read_table, write_table

ROOT = Path(__file__).parents[3]
GOOD = """\
test: T1
description: Flowers and insects
language: en
citation: own list
targets:
  x:
    name: Flowers
    words:
      - rose
      - tulip
      - iris
      - lily
  y:
    name: Insects
    words:
      - ant
      - bee
      - wasp
      - moth
attributes:
  a:
    name: Pleasant
    words:
      - love
      - peace
    names:
      - Joy
      - Grace
  b:
    name: Unpleasant
    words:
      - death
      - ugly
      - war
      - grief
"""
TERMS = """\
region: africa
language: en
citation: own list
forms:
  paper_table:
    female:
      name: Female terms
      words: [mother, she, her, aunt]
      names: [Nia]
    male:
      name: Male terms
      words: [father, he, his, uncle]
"""
PAIR = """\
kind: region_aware
region: africa
pair: P1
description: Parenting, movies
language: en
citation: own list
targets:
  x:
    name: Parenting
    words:
      - Mother
      - child
      - nia
      - mum
  y: {name: Movies, words: [movie, actor, film, tv]}
"""
PAIRS = """\
name: own
language: en
citation: own list
pairs:
  - {male: Dad, female: mum}
  - {male: dad, female: mother-in-law}
"""


@pytest.fixture
def check(tmp_path: Path):
    def run(text: str, name: str = "list.yaml") -> list[tuple[int, str, str, str, str]]:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        frame = lint(tmp_path)
        assert list(frame.columns) == list(COLUMNS)
        return [tuple(row)[1:] for row in frame[frame["file"] == name].itertuples(index=False)]

    return run


def test_a_good_list_says_nothing(check):
    assert check(GOOD) == []


@pytest.mark.parametrize(
    ("old", "new", "line", "place", "word", "said"),
    [
        ("- tulip", "- rose", 10, "targets.x.words", "rose", "stands twice"),
        ("- Grace", "- love", 28, "attributes.a.names", "love", "stands twice in attributes.a;"),
        ("- rose", '- "rose\\u0301"', 9, "targets.x.words", "rose\u0301", "Unicode form NFC"),
        ("- rose", '- " rose"', 9, "targets.x.words", " rose", "stray white space"),
        ("- rose", "- wild  rose", 9, "targets.x.words", "wild  rose", "one plain space"),
        ("- rose", "- nan", 9, "targets.x.words", "nan", "nan"),
        ("- rose", "- no", 9, "targets.x.words", "no", "without quotes"),
        ("- rose", "- null", 9, "targets.x.words", "null", "without quotes"),
        ("- rose", "- 12", 9, "targets.x.words", "12", "without quotes"),
        ("- rose", "- .nan", 9, "targets.x.words", ".nan", "without quotes"),
        ("- rose", "- 2001-01-01", 9, "targets.x.words", "2001-01-01", "timestamp"),
        ("language: en\n", "", 1, "", "", "missing key 'language'"),
        ("    words:\n      - love\n      - peace\n    names:\n      - Joy\n      - Grace\n", "",
         21, "attributes.a", "", "missing key 'words' or 'names' in attributes.a"),
        ("targets:", "targets: {", 7, "", "", "not YAML"),
    ],
)  # fmt: skip
def test_errors_have_line_place_and_word(check, old, new, line, place, word, said):
    found = [one for one in check(GOOD.replace(old, new, 1)) if one[-1] == "error"]
    assert len(found) == 1
    assert found[0][:3] == (line, place, word)
    assert said in found[0][3]


def test_equal_sets_and_empty_sets_are_errors(check):
    start, end = GOOD.index("      - ant"), GOOD.index("attributes:")
    same = GOOD[:start] + "      - lily\n      - iris\n      - tulip\n      - rose\n" + GOOD[end:]
    errors = [one for one in check(same) if one[-1] == "error"]
    assert [one[:3] for one in errors] == [(13, "targets.y", "")]
    assert "hold the same words" in errors[0][3]
    empty = check(re.sub(r"words:\n      - death(\n      - \w+)+", "words: []", GOOD))
    assert [(one[1], one[3]) for one in empty if one[-1] == "error"] == [
        ("attributes.b.words", "attributes.b.words is empty")
    ]


def test_all_errors_of_a_list_come_at_once(check):
    text = GOOD.replace("- tulip", "- rose").replace("- bee", '- "be\\u0301e"')
    text = text.replace("- war", "- no").replace("- moth", '- " moth"')
    assert len([one for one in check(text) if one[-1] == "error"]) >= 3
    text = GOOD.replace("- tulip", "- rose").replace("- bee", '- "be\\u0301e"')
    assert [one[0] for one in check(text) if one[-1] == "error"] == [10, 17]


@pytest.mark.parametrize(
    ("old", "new", "row"),
    [
        ("- bee", "- Rose", (17, "targets.y.words", "Rose", "mixed case: 1 of 4")),
        ("- bee", "- rose",
         (9, "targets.x.words", "rose", "shared by opposing sets: also in targets.y, line 17")),
        ("- ugly", "- Peace", (25, "attributes.a.words", "peace",
         "shared by opposing sets: also in attributes.b, line 33")),
        ("- bee", "- joy", (17, "targets.y.words", "joy",
         "leakage: also an attribute, in attributes.a, line 27")),
        ("- tulip", "- Rose", (10, "targets.x.words", "Rose",
         "same word in another case: also on line 9, as 'rose'")),
        ("- tulip", "- wild rose", (10, "targets.x.words", "wild rose",
         "not one token: own vectors never hold it, as text is cut into wild, rose")),
        ("- tulip", "- Ji-hye", (10, "targets.x.words", "Ji-hye", "cut into ji, hye")),
        ("- tulip", "- o'clock", (10, "targets.x.words", "o'clock", "cut into o, clock")),
        ("- tulip", "- '...'", (10, "targets.x.words", "...", "cut into nothing")),
        ("- tulip", '- "tu\\u200blip"', (10, "targets.x.words", "tu\\u200blip",
         "invisible character: U+200B (zero width space)")),
        ("      - tulip\n", "", (6, "targets.x", "", "few words: 3 distinct; a test with fewer")),
    ],
)  # fmt: skip
def test_warnings(check, old, new, row):
    found = check(GOOD.replace(old, new, 1))
    line, place, word, said = row
    assert all(one[-1] == "warning" for one in found)
    assert [one for one in found if one[:3] == (line, place, word) and said in one[3]]


def test_names_do_not_make_a_set_mixed_and_joiners_are_letters(check):
    assert check(GOOD.replace("- tulip", '- "\\u0645\\u06cc\\u200c\\u062e\\u0648\\u0627"')) == []
    assert check(GOOD.replace("- Grace", "- ada")) == []
    capitals = GOOD
    for word in ("rose", "tulip", "iris", "lily"):
        capitals = capitals.replace(f"- {word}", f"- {word.title()}")
    assert check(capitals) == []


def test_topics_are_compared_with_the_terms_of_their_region(check):
    check(TERMS, "terms/africa.yaml")
    found = check(PAIR, "africa/P1.yaml")
    there = "leakage: also an attribute, in forms.paper_table.female of terms/africa.yaml, line"
    leaks = [one for one in found if "leakage" in one[3]]
    assert leaks == [
        (11, "targets.x.words", "Mother", f"{there} 8", "warning"),
        (13, "targets.x.words", "nia", f"{there} 9", "warning"),
    ]
    assert check(PAIR.replace("africa", "asia"), "asia/P1.yaml")[0][3].startswith("mixed case")


def test_terms_shared_by_both_genders(check):
    found = check(TERMS.replace("uncle", "Her"), "terms/africa.yaml")
    assert found[0][:3] == (8, "forms.paper_table.female.words", "her")
    assert "also in forms.paper_table.male, line 12" in found[0][3]


def test_gender_pairs_count_once_and_may_be_phrases(check):
    # a term with another form of its partner is no repeat
    assert check(PAIRS) == []
    found = check(PAIRS.replace("mother-in-law", "Mum"))
    said = "repeated: the pair is also on line 5, as '{}'; it counts once"
    assert sorted(found) == [
        (6, "pairs.female", "Mum", said.format("mum"), "warning"),
        (6, "pairs.male", "dad", said.format("Dad"), "warning"),
    ]
    wrong = check(PAIRS.replace("mother-in-law", "Dad"))
    assert [one[-1] for one in wrong].count("error") == 1


def test_two_tests_of_one_name_in_a_folder(check):
    check(GOOD)
    assert "also stands in" in check(GOOD, "other.yaml")[0][3]
    assert check(GOOD, "elsewhere/list.yaml") == []


GAZETTEER = """\
iso3,names,demonyms,abbreviations,guarded
FRA,France,French,,
GBR,United Kingdom|Britain,British,UK,
"""


@pytest.mark.parametrize(
    ("old", "new", "row", "severity"),
    [
        ("Britain", " Britain", (3, "names", " Britain", "stray white space"), "error"),
        ("Britain", "Great  Britain", (3, "names", "Great  Britain", "plain space"), "error"),
        ("Britain", "", (3, "names", "", "an empty name"), "error"),
        ("French", "Franc\u0327ais", (2, "demonyms", "Franc\u0327ais", "NFC"), "error"),
        ("British", "French", (3, "demonyms", "French", "also on line 2, under FRA"), "error"),
        ("UK", "Britain", (3, "abbreviations", "Britain", "also on line 3, under GBR"), "warning"),
        ("demonyms", "people", (1, "", "", "missing column demonyms"), "error"),
    ],
)
def test_gazetteer(check, old, new, row, severity):
    assert check(GAZETTEER, "en.csv") == []
    found = check(GAZETTEER.replace(old, new, 1), "en.csv")
    assert len(found) == 1
    assert (*found[0][:3], found[0][4]) == (*row[:3], severity)
    assert row[3] in found[0][3]


def test_errors_become_one_message_and_warnings_do_not(tmp_path):
    (tmp_path / "a.yaml").write_text(GOOD.replace("- rose", "- no"), encoding="utf-8")
    (tmp_path / "b.yaml").write_text(
        GOOD.replace("T1", "T2").replace("- bee", "- ant").replace("- ugly", "- Love"),
        encoding="utf-8",
    )
    frame = lint(tmp_path)
    errors = list_errors(frame, "lists")
    assert [error.split(" ")[0] for error in errors] == ["lists/a.yaml:9:", "lists/b.yaml:17:"]
    assert (frame["severity"] == "warning").any()


def test_a_folder_without_lists(tmp_path):
    with pytest.raises(InputError, match="there is no such folder"):
        lint(tmp_path / "none")
    with pytest.raises(InputError, match="holds no word list"):
        lint(tmp_path)


def test_our_own_resources_have_no_error(tmp_path):
    frame = lint(ROOT / "resources")
    assert list_errors(frame) == []
    splits = frame[frame["problem"].str.startswith("not one token")]
    assert sorted(set(splits["word"])) == ["Ji-hye", "short-term"]
    leaks = frame[frame["problem"].str.startswith("leakage")]
    assert sorted(set(leaks["word"])) == ["father", "female", "her", "male", "mother", "woman"]
    assert not frame["problem"].str.startswith(("shared", "same word", "few", "invisible")).any()
    assert not frame["file"].str.contains("control").any()
    write_table("word_lists", frame, tmp_path / "word_lists.csv")
    assert read_table("word_lists", tmp_path / "word_lists.csv").equals(frame)


def test_the_list_of_the_documentation_is_right(check):
    page = (ROOT / "docs/word_lists.md").read_text(encoding="utf-8")
    example = page.split("```yaml\n")[1].split("```")[0]
    assert check(example) == []


def test_the_command_prints_the_same(tmp_path, capsys):
    path = tmp_path / "list.yaml"
    path.write_text(GOOD.replace("- bee", "- rose"), encoding="utf-8")
    assert main([str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert out.splitlines() == [
        f"{path}:9: warning: targets.x.words 'rose': "
        "shared by opposing sets: also in targets.y, line 17",
        "errors: 0, warnings: 1",
    ]
    assert main([str(path)]) == 0
    assert capsys.readouterr().out == out
    path.write_text(GOOD.replace("- bee", "- ant"), encoding="utf-8")
    assert main([str(tmp_path)]) == 1
    assert capsys.readouterr().out.endswith("errors: 1, warnings: 1\n")
    assert main([str(tmp_path / "none")]) == 1
    assert "no such folder" in capsys.readouterr().err


def test_the_module_runs(tmp_path):
    command = [sys.executable, "-m", "biasatlas.lexicons", str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "holds no word list" in result.stderr
