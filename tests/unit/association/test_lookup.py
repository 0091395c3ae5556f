"""Which words of a set have vectors, by case and kind."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasatlas.association.lookup import CASES, look_up
from biasatlas.vectors import WordVectors


def make_vectors(*words: str, composing: bool = False) -> WordVectors:
    compose = (lambda word: np.ones(2, dtype=np.float32)) if composing else None
    return WordVectors(words, np.ones((len(words), 2), dtype=np.float32), compose=compose)


def test_case_decides_which_word_is_looked_up():
    vectors = make_vectors("John", "rose", "nasa", "NASA")
    words = ["John", "Rose", "NASA", "Zoe"]
    lower = look_up(words, vectors, case="lower")
    assert (lower.found, lower.missing) == (("rose", "nasa"), ("john", "zoe"))
    as_is = look_up(words, vectors, case="as_is")
    assert (as_is.found, as_is.missing) == (("John", "NASA"), ("Rose", "Zoe"))
    both = look_up(words, vectors, case="both")
    assert (both.found, both.missing) == (("John", "rose", "NASA"), ("zoe",))
    assert [one.case for one in (lower, as_is, both)] == ["lower", "as_is", "both"]
    with pytest.raises(ValueError, match="'upper' is unknown; allowed: as_is, lower, both"):
        look_up(words, vectors, case="upper")


def test_both_takes_two_cases_for_one_word_unless_each_has_a_vector():
    words = ["Rose", "rose", "Zoe", "zoe"]
    one = look_up(words, make_vectors("rose"), case="both")
    assert (one.found, one.missing, one.duplicate) == (("rose",), ("zoe",), ("rose", "zoe"))
    two = look_up(words, make_vectors("rose", "Rose"), case="both")
    assert (two.found, two.missing, two.duplicate) == (("Rose", "rose"), ("zoe",), ("zoe",))


def test_names_are_counted_apart():
    words = ["mother", "she", "aunt", "Aisha", "Nia", "NIA", "Zuri"]
    names = ("Aisha", "Nia", "NIA", "Zuri")
    coverage = look_up(words, make_vectors("mother", "she", "nia"), names=names)
    assert coverage.found == ("mother", "she", "nia")
    assert coverage.missing == ("aunt", "aisha", "zuri")
    assert (coverage.asked, coverage.asked_terms, coverage.asked_names) == (7, 3, 4)
    assert (coverage.found_terms, coverage.found_names) == (2, 1)
    assert (coverage.distinct("term"), coverage.distinct("name")) == (3, 3)
    assert coverage.share == pytest.approx(3 / 6)
    assert coverage.share_terms == pytest.approx(2 / 3)
    assert coverage.share_names == pytest.approx(1 / 3)
    assert (coverage.lacking("term"), coverage.lacking("name")) == (("aunt",), ("aisha", "zuri"))
    assert coverage.kinds == {
        "mother": "term",
        "she": "term",
        "aunt": "term",
        "aisha": "name",
        "nia": "name",
        "zuri": "name",
    }


def test_a_kind_that_is_not_asked_for_has_no_share():
    terms = look_up(["mother"], make_vectors("mother"))
    assert math.isnan(terms.share_names)
    assert terms.share_terms == 1
    names = look_up(["Nia"], make_vectors("mother"), names=["Nia"])
    assert math.isnan(names.share_terms)
    assert names.share_names == 0
    assert math.isnan(look_up([], make_vectors("mother")).share_terms)


def test_a_term_and_a_name_that_fold_into_one_word_count_as_the_first():
    coverage = look_up(["rose", "Rose"], make_vectors("rose"), names=["Rose"])
    assert coverage.kinds == {"rose": "term"}
    assert (coverage.asked_names, coverage.found_names, coverage.duplicate) == (1, 0, ("Rose",))


def test_a_composed_word_is_found_but_no_vector_of_its_own():
    vectors = make_vectors("mother", composing=True)
    coverage = look_up(["mother", "Nia", "she"], vectors, compose=True, names=["Nia"])
    assert coverage.found == ("mother", "nia", "she")
    assert coverage.composed == ("nia", "she")
    assert coverage.share == 1
    assert (coverage.share_terms, coverage.share_names) == (0.5, 0)
    assert (coverage.lacking("term"), coverage.lacking("name")) == (("she",), ("nia",))
    both = look_up(["Nia"], vectors, case="both", compose=True)
    assert both.composed == ("nia",)


WORDS = st.lists(st.text("aAbB", min_size=1, max_size=2), max_size=8)


@given(WORDS, WORDS, st.sets(st.integers(0, 7)), st.sampled_from(CASES), st.booleans())
def test_every_word_is_counted_once(words, vocabulary, named, case, compose):
    vectors = make_vectors(*dict.fromkeys(vocabulary), composing=True)
    names = {words[i] for i in named if i < len(words)}
    coverage = look_up(words, vectors, case=case, compose=compose, names=names)
    distinct = (*coverage.found, *coverage.missing)
    assert len(distinct) + len(coverage.duplicate) == coverage.asked == len(words)
    assert len(set(distinct)) == len(distinct)
    assert set(coverage.kinds) == set(distinct)
    assert not compose or not coverage.missing
    for kind in ("term", "name"):
        assert len(coverage.own(kind)) + len(coverage.lacking(kind)) == coverage.distinct(kind)
        assert set(coverage.own(kind)) <= set(vectors.words)
    assert coverage.distinct("term") + coverage.distinct("name") == len(distinct)
