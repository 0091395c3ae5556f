from __future__ import annotations

import unicodedata
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biasatlas.errors import InputError
from biasatlas.lexicons.gender_scan import apply_both_rule, counts, scan
from biasatlas.lexicons.gender_terms import GenderTerms, load_gender_pairs

GENDER = Path(__file__).parents[3] / "resources/word_lists/gender/en"
TERMS = load_gender_pairs(GENDER / "bolukbasi52.yaml")


def make_terms(female, male, language="en") -> GenderTerms:
    return GenderTerms("own", language, tuple(female), tuple(male), 1, 1, "own")


SPANISH = make_terms(["ella", "mamá", "ex novia", "niña"], ["él", "papá", "ex novio", "niño"], "es")


def found(text: str, terms: GenderTerms = TERMS, **options) -> tuple[list[str], list[str]]:
    row = scan([text], terms, **options).row(0, named=True)
    return row["female_terms"], row["male_terms"]


@pytest.mark.parametrize(
    ("text", "female", "male"),
    [
        ("the theme of these", [], []),
        ("He said. HE SAID.", [], ["he"]),
        ("Men's", [], ["men"]),
        ("Men’s and women’s", ["women"], ["men"]),
        ("he's", [], ["he"]),
        ("mother-in-law", ["mother"], []),
        ("mother\u2011in\u2011law", ["mother"], []),
        ("the co-chairman", [], ["chairman"]),
        ("hé hë éhe he\u0301 ïhe", [], []),
        ("heя he中 he٣ he2 2he", [], []),
        ("«he» “she” —king—", ["she"], ["he", "king"]),
        ("naïve he, café", [], ["he"]),
        ("he² she½", ["she"], ["he"]),
        ("_he_ she_said", ["she"], ["he"]),
        ("é _he_ ‿she‿", ["she"], ["he"]),
        ("the\u00adory he\u00adro, é", [], []),
        ("\u2640\ufe0fshe", ["she"], []),
        ("\u017fhe \u212aing", ["she"], ["king"]),
        ("a Catholic priest", [], ["catholic priest"]),
        ("catholic\n \tpriests", [], []),
        ("Catholic\n \tpriest", [], ["catholic priest"]),
        ("Catholic\u00a0priest", [], ["catholic priest"]),
        ("Catholic, priest", [], []),
        ("prostate cancer, Ovarian Cancer", ["ovarian cancer"], ["prostate cancer"]),
        ("ex girlfriend", ["ex girlfriend"], []),
        ("ex-girlfriend", ["ex girlfriend"], []),
        ("Ex - Boyfriend", [], ["ex boyfriend"]),
        ("girlfriend", [], []),
        ("twin brother", [], ["twin brother"]),
        ("twin brother\u2adche", [], ["twin brother"]),
        ("twin brothers", [], ["brothers"]),
        ("twin, brother", [], ["brother"]),
        ("twin_brother", [], ["twin brother"]),
        ("twin‿brother", [], ["twin brother"]),
        ("him hers wife husband", [], []),
        ("", [], []),
    ],
)
def test_the_stated_rule(text, female, male):
    assert found(text) == (female, male)


@pytest.mark.parametrize(
    ("text", "female", "male"),
    [
        ("mother-in-law", [], []),
        ("co-chairman", [], []),
        ("ex-girlfriend", [], []),
        ("ex girlfriend - he", ["ex girlfriend"], ["he"]),
        ("é mother‐in‐law mother", ["mother"], []),
        ("_he_ he_he", [], ["he"]),
    ],
)
def test_the_hyphen_as_a_letter(text, female, male):
    assert found(text, hyphen_is_letter=True) == (female, male)


def test_terms_with_hyphens_and_signs():
    terms = make_terms(["mother-in-law", "queen's aunt"], ["father-in-law", "law"])
    for hyphen in (True, False):
        assert found("Mother-in-Law", terms, hyphen_is_letter=hyphen) == (["mother-in-law"], [])
    assert found("mother in law", terms) == (["mother-in-law"], [])
    assert found("mother in law", terms, hyphen_is_letter=True) == ([], ["law"])
    assert found("a Queen's  aunt, a QUEEN’S AUNT", terms) == (["queen's aunt"], [])
    assert found("a queens aunt, queen s aunt", terms) == ([], [])


def test_terms_that_no_text_can_hold():
    terms = make_terms(["c.e.o's wife", "she"], ["c.e.o", "he"])
    with pytest.raises(InputError) as caught:
        scan(["he"], terms)
    assert "the term \"c.e.o's wife\" holds '.'" in str(caught.value)
    assert "the term 'c.e.o' holds '.'" in str(caught.value)


def test_a_term_on_both_sides():
    terms = make_terms(["ex-wife", "she"], ["Ex wife", "he"])
    message = "the female term 'ex-wife' and the male term 'Ex wife' are one to the search"
    with pytest.raises(InputError, match=message):
        scan(["he"], terms)
    assert found("ex-wife", terms, hyphen_is_letter=True) == (["ex-wife"], [])


@pytest.mark.parametrize(
    ("text", "female", "male"),
    [
        ("Él y ELLA", ["ella"], ["él"]),
        ("E\u0301l", [], ["él"]),
        ("papel del él", [], ["él"]),
        ("mamá_papá ex‐novia", ["ex novia", "mamá"], ["papá"]),
        ("niñas NIÑO", [], ["niño"]),
        ("plain ella", ["ella"], []),
        ("ex novio", [], ["ex novio"]),
    ],
)
def test_terms_that_are_not_ascii(text, female, male):
    assert found(text, SPANISH) == (female, male)


def test_sharp_s_and_scripts_without_case():
    german = make_terms(["großmutter"], ["großvater"], "de")
    assert found("Die Großmutter, DER GROßVATER", german) == (["großmutter"], ["großvater"])
    hindi = make_terms(["माँ", "लड़की"], ["लड़का"], "hi")
    assert found("माँ और लड़का।", hindi)[0] == ["माँ"]
    assert found("माँग", hindi) == ([], [])


def test_occurrences_are_counted_and_do_not_overlap():
    terms = make_terms(["a b", "b c"], ["b"])
    row = scan(["a b c b, b a b"], terms).row(0, named=True)
    assert row == {
        "gender": "both",
        "female_terms": ["a b"],
        "male_terms": ["b"],
        "female_count": 2,
        "male_count": 2,
    }


def test_the_longest_term_at_a_place_is_taken():
    terms = make_terms(["ex", "ex wife of"], ["ex wife"])
    assert found("ex wife", terms) == ([], ["ex wife"])
    assert found("é ex-wife of", terms) == (["ex wife of"], [])
    assert found("ex wife off, ex", terms) == (["ex"], ["ex wife"])


def test_frame_keeps_order_and_kinds_of_input():
    texts = ["she", None, "é he", "he", "", "her he"]
    frame = scan(texts, TERMS)
    assert frame["gender"].to_list() == ["female", "neither", "male", "male", "neither", "both"]
    assert frame.schema == {
        "gender": pl.String,
        "female_terms": pl.List(pl.String),
        "male_terms": pl.List(pl.String),
        "female_count": pl.Int64,
        "male_count": pl.Int64,
    }
    assert frame["female_terms"].null_count() == 0
    chunked = pa.chunked_array([texts[:2], texts[2:]])
    for other in (pl.Series(texts), pa.array(texts), chunked, iter(texts)):
        assert scan(other, TERMS).equals(frame)
    assert counts(frame) == {"female": 1, "male": 2, "both": 1, "neither": 2}
    import pandas as pd

    assert scan(pd.Series(texts), TERMS).equals(frame)


def test_a_frame_is_its_rows_one_by_one():
    texts = ["she", None, "é he", "e\u0301l", "", "her he he", "Él, papá", "mamá\u00ad mama\u0301"]
    for terms in (TERMS, SPANISH):
        frame = scan(texts, terms)
        assert frame.equals(pl.concat([scan([text], terms) for text in texts]))
        for start in range(len(texts)):
            assert scan(pl.Series(texts)[start:], terms).equals(frame[start:])


def test_the_language_of_the_terms_folds_case():
    pair = ["kız"], ["oğlan"]
    assert found("KIZ", make_terms(*pair, "tr")) == (["kız"], [])
    assert found("KIZ", make_terms(*pair, "en")) == ([], [])


def test_no_passages():
    for empty in ([], pl.Series([], dtype=pl.String), [None]):
        frame = scan(empty, TERMS)
        assert len(frame) == len(list(empty))
        assert counts(frame) == {"female": 0, "male": 0, "both": 0, "neither": len(frame)}
    with pytest.raises(TypeError):
        scan(pl.Series([1, 2]), TERMS)


BOTH = ["she", "he", "nothing", "she he", "she she he", "he his her"]


def test_both_excluded():
    result = apply_both_rule(scan(BOTH, TERMS), "exclude")
    assert result.used.rows() == [(0, "female"), (1, "male")]
    assert (result.n_both, result.n_excluded, result.n_ties) == (3, 3, 0)


def test_both_by_majority_of_occurrences():
    result = apply_both_rule(scan(BOTH, TERMS), "majority")
    assert result.used.rows() == [(0, "female"), (1, "male"), (4, "female"), (5, "male")]
    assert (result.n_both, result.n_excluded, result.n_ties) == (3, 1, 1)


def test_both_duplicated():
    result = apply_both_rule(scan(BOTH, TERMS), "duplicate")
    twice = [(row, gender) for row in (3, 4, 5) for gender in ("female", "male")]
    assert result.used.rows() == [(0, "female"), (1, "male"), *twice]
    assert (result.n_both, result.n_excluded, result.n_ties) == (3, 0, 0)


def test_unknown_rule():
    with pytest.raises(InputError, match="allowed: exclude, majority, duplicate"):
        apply_both_rule(scan(BOTH, TERMS), "drop")


@given(st.lists(st.sampled_from(BOTH)), st.sampled_from(["exclude", "majority", "duplicate"]))
@settings(max_examples=40, deadline=None)
def test_every_passage_is_accounted_for(texts, rule):
    frame = scan(texts, TERMS)
    tally = counts(frame)
    result = apply_both_rule(frame, rule)
    n_used = result.used["row"].n_unique()
    assert n_used == tally["female"] + tally["male"] + tally["both"] - result.n_excluded
    assert result.n_both == tally["both"]
    assert sum(tally.values()) == len(texts)


# A slow reference: one character at a time, no regular expression.
CHARACTERS = "heshimnbrotc ÉéßñяЯ中अि\u0301٣2²½\t\n\u00a0\u2003__--\u2010\u2011–—'’“”.,😀ſ\u212a\u00ad\ufe0f\u200d‿İ\u2adc\U0001d15e\u0307"
PIECES = [
    "he", "SHE", "twin", "brother", "Twin Brother", "ex", "girlfriend", "men", "women", "catholic",
    "priest", "él", "ELLA", "mamá", "niño", "novia", "ex-novia", "e\u0301l",
]  # fmt: skip
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(CHARACTERS, max_size=4))).map("".join)


def is_letter(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] in "LM" or category == "Nd" or character in "\u200c\u200d"


def search_slowly(text: str, terms: GenderTerms, hyphen_is_letter: bool) -> list[str]:
    for old, new in (("ſ", "s"), ("\u212a", "k"), ("\u00ad", ""), ("\ufe0f", "")):
        text = text.replace(old, new)
    for hyphen in "\u2010\u2011":
        text = text.replace(hyphen, "-")
    text = unicodedata.normalize("NFC", text)
    letter = [is_letter(c) or (hyphen_is_letter and c == "-") for c in text]
    gap = [
        c.isspace() or unicodedata.category(c) == "Pc" or (c == "-" and not hyphen_is_letter)
        for c in text
    ]

    def boundary(place: int) -> bool:
        return not (0 < place < len(text) and letter[place - 1] and letter[place])

    def end_of(term: str, place: int) -> int | None:
        if not boundary(place):
            return None
        for number, word in enumerate(term.split(" ")):
            start = place
            while number and place < len(text) and gap[place]:
                place += 1
            if number and place == start:
                return None
            if text[place : place + len(word)].lower() != word:
                return None
            place += len(word)
        return place if boundary(place) else None

    hits, place = [], 0
    ordered = sorted([*terms.female, *terms.male], key=lambda term: (-len(term), term))
    while place < len(text):
        ends = ((term, end_of(term, place)) for term in ordered)
        hit = next(((term, end) for term, end in ends if end is not None), None)
        if hit is None:
            place += 1
        else:
            hits.append(hit[0])
            place = hit[1]
    return hits


@given(st.lists(TEXTS, min_size=1, max_size=5), st.booleans(), st.sampled_from([TERMS, SPANISH]))
@settings(max_examples=300, deadline=None)
def test_agrees_with_the_slow_reference(texts, hyphen_is_letter, terms):
    frame = scan(texts, terms, hyphen_is_letter=hyphen_is_letter)
    for text, row in zip(texts, frame.iter_rows(named=True), strict=True):
        hits = search_slowly(text, terms, hyphen_is_letter)
        for gender in ("female", "male"):
            own = [term for term in hits if term in getattr(terms, gender)]
            assert row[f"{gender}_terms"] == sorted(set(own))
            assert row[f"{gender}_count"] == len(own)
