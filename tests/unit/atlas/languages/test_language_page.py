"""The page of one language: its words in their script, its scores and downloads."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from biasatlas.atlas.language_words import word_cards
from biasatlas.atlas.page import build_language_page
from biasatlas.errors import InputError

Make = Callable[..., Any]
INFO = {"title": "A run", "run": "demo", "version": "1.0.0"}
HOSTILE = "<script>document.title='taken'</script>"
ARABIC = [
    ("gt", "WEAT7", "x", 0, "رياضيات"),
    ("human", "WEAT7", "x", 0, "رياضيات"),
    ("gt", "WEAT7", "a", 2, "رجل"),
    ("human", "WEAT7", "a", 1, "ذكر"),
    ("original", "WEAT7", "a", 2, "man"),
]


def test_words_carry_language_and_direction(make_words: Make) -> None:
    html = word_cards("ar", make_words("ar", ARABIC), None)
    assert html.count('<td dir="rtl"><span lang="ar" dir="auto">') == 4
    # The English original is not Arabic, and not written from the right.
    assert '<td dir="ltr"><span lang="en" dir="auto">man</span></td>' in html
    hindi = word_cards("hi", make_words("hi", [("human", "WEAT7", "x", 0, "गणित")]), None)
    assert '<td dir="ltr"><span lang="hi" dir="auto">गणित</span></td>' in hindi


def test_a_line_holds_one_place_of_the_lists(make_words: Make) -> None:
    html = word_cards("ar", make_words("ar", ARABIC), None)
    part = html.partition("<caption>A: A</caption>")[2]
    head = re.findall(r'<th scope="col">(.*?)</th>', part)
    assert head == ["English original", "human translation", "machine translation"]
    lines = [
        re.sub(r"<(?!/td)[^>]*>", "", line).split("</td>")[:-1]
        for line in re.findall(r"<tr>(.*?)</tr>", part.partition("<tbody>")[2])
    ]
    assert lines == [["", "ذكر", ""], ["man", "", "رجل"]]


def test_problems_are_marked_in_their_set_and_listed(make_words: Make, fill: Make) -> None:
    words = make_words(
        "el",
        [
            ("human", "WEAT7", "x", 0, "same"),
            ("human", "WEAT7", "y", 0, "same"),
            ("gt", "WEAT7", "x", 0, "same"),
            ("human", "WEAT7", "a", 0, "\u00e9"),
            ("human", "WEAT7", "b", 0, "one"),
            ("human", "WEAT7", "b", 0, "two"),
            ("human", "WEAT7", "b", 1, "on"),
        ],
    )
    where = {"language": "el", "variant": "human", "test": "WEAT7", "file": "el_human/weat7.json", "n": 1}  # fmt: skip
    problems = fill(
        "weathub_lists",
        [
            {**where, "set": "x y", "problem": "shared", "word": "same", "action": "kept"},
            {**where, "set": "a", "problem": "not_nfc", "word": "e\u0301", "action": "fixed"},
            {**where, "set": "b", "problem": "several_words", "word": "“one” ／ two", "action": "fixed"},
            {**where, "set": "b", "problem": "nan", "word": "nan", "n": 3, "action": "dropped"},
        ],
    )  # fmt: skip
    html = word_cards("el", words, problems)
    # Twice in the human list, never in the machine's.
    assert html.count("in both sets</span>") == 2
    assert '\u00e9</span><span class="mark" lang="en" dir="ltr">form repaired</span>' in html
    assert html.count("taken apart</span>") == 2
    assert (
        "<li>human translation, set b: no word (“nan”) "
        '<span lang="el" dir="auto">nan</span>, 3 times; dropped</li>'
    ) in html


def test_refused_lists_say_why(make_words: Make) -> None:
    words = make_words("ar", ARABIC)
    words.loc[words["variant"] == "gt", "refusal"] = "X and Y are the same"
    html = word_cards("ar", words, None)
    assert "Refused, machine translation: X and Y are the same" in html
    assert '<span class="mark">refused</span>' in html
    page = build_language_page("ar", words, {}, INFO)
    assert "3 lists of 1 test with 5 entries. 1 list refused" in page


def test_words_stay_text(make_words: Make, make_tables: Make) -> None:
    words = make_words("ar", [(*entry[:4], entry[4] + HOSTILE) for entry in ARABIC])
    words = words.assign(refusal=HOSTILE, set_name=HOSTILE, description=HOSTILE)
    words["test"] = '"><img src=x onerror=1>'
    html = build_language_page("ar", words, make_tables(["ar", "hi"]), INFO)
    assert html.count("<script>") == 2
    assert "<script>document" not in html
    assert "<img" not in html.partition("<script>")[0]
    assert "&lt;script&gt;document" in html


def test_page_holds_its_language_only(make_words: Make, make_tables: Make) -> None:
    tables, words = make_tables(["ar", "hi"]), make_words("ar", ARABIC)
    html = build_language_page("ar", words, tables, INFO)
    assert "<title>Arabic (ar): A run</title>" in html
    assert '<a href="../languages.html">All languages</a>' in html
    assert "Hindi" not in html.partition("<script>")[0]
    scores, entries = (
        pd.read_csv(io.BytesIO(base64.b64decode(text)), keep_default_na=False)
        for text in re.findall(r'href="data:text/csv;charset=utf-8;base64,([^"]+)"', html)
    )
    mine = tables["weathub"][tables["weathub"]["language"] == "ar"]
    assert len(scores) == len(mine)
    assert set(scores["language"]) == {"ar"}
    assert sorted(entries["word"]) == sorted(word for *_, word in ARABIC)
    assert 'href="../../tables/weathub.csv"' in html


def test_same_rows_in_any_order_give_the_same_bytes(make_words: Make, make_tables: Make) -> None:
    tables, words = make_tables(["ar"]), make_words("ar", ARABIC)
    mixed = {name: frame.sample(frac=1, random_state=3) for name, frame in tables.items()}
    again = build_language_page("ar", words.sample(frac=1, random_state=2), mixed, INFO)
    assert build_language_page("ar", words, tables, INFO) == again


def test_a_language_without_scores_has_a_page(make_words: Make) -> None:
    html = build_language_page("ar", make_words("ar", ARABIC), {}, INFO)
    assert "The run scores nothing in Arabic." in html
    assert "رياضيات" in html


def test_bad_input_names_all_faults(make_words: Make, make_tables: Make) -> None:
    words = make_words("ar", ARABIC).drop(columns=["position", "name"])
    with pytest.raises(InputError) as caught:
        build_language_page("ar", words, {}, INFO)
    assert list(caught.value.problems) == [
        "words of ar: the column 'position' is missing",
        "words of ar: the column 'name' is missing",
    ]
    with pytest.raises(InputError, match="info lacks the key 'run'"):
        build_language_page("ar", words, {}, {"title": "A run", "version": "1"})
    tables = make_tables(["ar"])
    tables["weathub"]["status"] = "odd"
    with pytest.raises(InputError, match="column status"):
        build_language_page("ar", make_words("ar", ARABIC), tables, INFO)
