"""Repair of the broken quotes: one hand-made example a trace, and no glued words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasatlas.corpora.repair import repair_news

LOST = "\ufffd"


@pytest.mark.parametrize(
    ("broken", "mended"),
    [
        ('DeVos"?highly paid', "DeVos' highly paid"),
        ('an impasse,"?Sen. Smith', 'an impasse," Sen. Smith'),
        ('the "bathroom bills"?like it', 'the "bathroom bills" like it'),
        ('the end "?or so', "the end \u2013 or so"),
        ('imagine -"?and that', "imagine \u2013 and that"),
        ('her children"?"?Ivanka', 'her children" \u2013 Ivanka'),
        ('in 2011"?12', "in 2011\u201312"),
        (f'she"{LOST}s here', "she's here"),
        (f'O"{LOST}Neill', "O'Neill"),
        (f'he said, "{LOST}Yes', 'he said, "Yes'),
        (f'the voters"{LOST}who came', "the voters \u2013 who came"),
        (f'the nations"{LOST} front', "the nations' front"),
        (f"money, {LOST}?is bliss", "money, \u2013 is bliss"),
        ('didn"t', "didn't"),
        ("they'r late and I'l go", "they're late and I'll go"),
        ("the police.- Others", "the police. Others"),
        ('he said.-"A small', 'he said. "A small'),
        ("of the-whole of-them", "of the whole of them"),
        ("the U.S.-led state-of-the-art", "the U.S.-led state-of-the-art"),
        (f"Siobh{LOST}{LOST}n", "Siobhn"),
        (f"garda{LOST}{LOST}-it", "garda it"),
        ("Why? A 'quoted' word, \"said\" he - fine.", "Why? A 'quoted' word, \"said\" he - fine."),
    ],
)
def test_each_trace(broken: str, mended: str) -> None:
    assert repair_news(broken) == mended


WORDS = st.lists(st.sampled_from(["women", "voters", "Sessions", "house", "Texas"]), min_size=2)


@given(
    WORDS, st.sampled_from(['"?', ',"?', '."?', ' "?', '-"?', f'"{LOST}', f" {LOST}?", ".- ", ",-"])
)
def test_words_are_never_glued(words: list[str], mark: str) -> None:
    repaired = repair_news(mark.join(words))
    cleaned = "".join(c if c.isalpha() else " " for c in repaired)
    assert cleaned.split() == words
