from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasatlas.lexicons.digests import digest
from biasatlas.lexicons.word_lists import AssociationTest, WordSet, load_test

LISTS = Path(__file__).parents[3] / "resources/word_lists"
SETS = {key: WordSet(key.upper(), (f"{key}1", f"{key}2")) for key in "xyab"}
TEST = AssociationTest("T", "about", "en", **SETS, citation="own", published={"effect_size": 1.0})


def test_the_way_a_file_is_written_does_not_matter(tmp_path):
    path = LISTS / "weat/en/WEAT7.yaml"
    lines = path.read_text(encoding="utf-8").splitlines()
    first = lines.index("      - math")
    lines[first], lines[first + 1] = lines[first + 1] + "  # a comment", lines[first] + "   "
    at = lines.index("attributes:")
    lines = ["# a comment", *lines[at:], *lines[:at], ""]
    changed = tmp_path / "other.yaml"
    changed.write_text("\n".join(lines), encoding="utf-8")
    assert digest(load_test(changed)) == digest(load_test(path))
    changed.write_text("\n".join(lines).replace("- math", "- maths"), encoding="utf-8")
    assert digest(load_test(changed)) != digest(load_test(path))


@pytest.mark.parametrize(
    "change",
    [
        {"test": "U"},
        {"description": "other"},
        {"language": "de"},
        {"x": WordSet("Other", SETS["x"].words)},
        {"x": WordSet("X", ("x1", "X2"))},
        {"x": WordSet("X", ("x1",))},
        {"x": WordSet("X", ("x1", "x2"), ("x2",))},
        {"x": SETS["y"], "y": SETS["x"]},
        {"a": SETS["b"], "b": SETS["a"]},
        {"published": {"effect_size": 1.1}},
        {"published": {}},
    ],
)
def test_what_reaches_a_table_counts(change):
    assert digest(replace(TEST, **change)) != digest(TEST)


def test_citation_and_path_do_not_count():
    assert digest(replace(TEST, citation="elsewhere", path=Path("b"))) == digest(TEST)


def test_form():
    assert len(digest(TEST)) == 16
    assert int(digest(TEST), 16) >= 0
    # sha256 of {"a":null,"b":[1,2]}: stays, or an update would rerun everything.
    assert (
        digest({"b": [2, 1], "a": None}) == digest({"a": None, "b": (1, 2)}) == "ee743f2fa2570a1b"
    )
    with pytest.raises(TypeError, match="cannot digest a object"):
        digest(object())


@given(st.lists(st.text(), unique=True), st.randoms())
def test_order_never_matters(words, random):
    shuffled = list(words)
    random.shuffle(shuffled)
    assert digest(words) == digest(shuffled) == digest(set(words))


@given(st.sets(st.text()), st.sets(st.text()))
def test_different_words_differ(one, other):
    assert (digest(one) == digest(other)) == (one == other)
