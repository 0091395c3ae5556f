from __future__ import annotations

import random
import re
import unicodedata

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biasatlas.errors import InputError
from biasatlas.lexicons.character_classes import characters
from biasatlas.lexicons.term_kernel import hash_word, search
from biasatlas.lexicons.term_search import _buffers, _compile, find_terms, parse_terms


def hits(text: str, terms: list[str], **options) -> list[str]:
    frame = find_terms([text], terms, **options)
    assert set(frame["row"]) <= {0}
    return [terms[term] for term in frame["term"]]


# The slow, obvious implementation: one character at a time, on the text as Python holds it.
def fold_slowly(character: str, dotted_i: bool) -> str:
    if dotted_i and character in "Iİ":
        return {"I": "ı", "İ": "i"}[character]
    forms = [form for form in (character.casefold(), character.lower()) if len(form) == 1]
    return forms[0] if forms else character


def prepare_slowly(text: str, dotted_i: bool) -> str:
    kept = [
        c for c in text if c != "\u00ad" and "VARIATION SELECTOR-" not in unicodedata.name(c, "")
    ]
    composed = unicodedata.normalize("NFC", "".join(kept))
    if dotted_i:
        composed = composed.replace("\u0307", "")
    hyphens = composed.replace("\u2010", "-").replace("\u2011", "-").replace("’", "'")
    return "".join(fold_slowly(character, dotted_i) for character in hyphens)


def find_slowly(text: str, terms: list[str], hyphen_is_letter: bool, dotted_i: bool) -> list[int]:
    text = prepare_slowly(text, dotted_i)
    split = r"([\s_']+)" if hyphen_is_letter else r"([\s_'\-]+)"
    phrases = [re.split(split, prepare_slowly(term, dotted_i)) for term in terms]

    def is_letter(character: str) -> bool:
        kind = unicodedata.category(character)
        joiner = character in "\u200c\u200d" or (hyphen_is_letter and character == "-")
        return kind[0] in "LM" or kind in ("Nd", "Nl") or joiner

    def is_gap(character: str) -> bool:
        return character.isspace() or unicodedata.category(character) == "Pc" or character == "-"

    def is_boundary(place: int) -> bool:
        inner = 0 < place < len(text)
        return not (inner and is_letter(text[place - 1]) and is_letter(text[place]))

    def end_of(phrase: list[str], place: int) -> int:
        for number, part in enumerate(phrase):
            if number % 2 == 0 or part == "'":
                if not text.startswith(part, place):
                    return -1
                place += len(part)
            else:
                start = place
                while place < len(text) and is_gap(text[place]) and not is_letter(text[place]):
                    place += 1
                if place == start:
                    return -1
            if not is_boundary(place):
                return -1
        return place

    found, place = [], 0
    while place < len(text):
        ends = [end_of(phrase, place) if is_boundary(place) else -1 for phrase in phrases]
        end = max(ends)
        if end > place:
            found.append(ends.index(end))
            place = end
        else:
            place += 1
    return found


SCRIPTS = {
    "latin": (
        "aehilmnosxyzAEHSÉÀÊñçßøœ\u0301\u0327\u0308\u030aſıİI\u212a\u212b",
        ["he", "she", "He said", "él", "ex novia", "novia", "l'homme", "homme", "l'école normale",
         "niño", "großmutter", "mother-in-law", "mother", "law", "Ångström", "k", "extraordinary"],
    ),
    "cyrillic": (
        "онамьчикЖЙйёЁЩя\u0306\u0308\u0301",
        ["он", "она", "бывшая жена", "жена", "мальчик", "мой", "м'ята", "он её"],
    ),
    "greek": (
        "αβγςσΣέΈϊΐώΆό\u0301\u0308\u0345\u1f71",
        ["γυναίκα", "άντρας", "ο πατέρας", "πατέρας μου", "πατέρας", "ο", "γιός", "σ'αγαπώ"],
    ),
    "arabic": (
        "هوامرأةبتأ\u0651\u064e\u064f\u0653\u0654\u0640\u200cىئ",
        ["هو", "هي", "امرأة", "زوجة الأب", "الأب", "مُعَلِّمَة", "آنسة", "زوج"],
    ),
    "devanagari": (
        "मालड़कीवहऔरतनऩयय़\u093c\u0958\u095c\u0902\u0901\u094d\u200d",
        ["माँ", "लड़की", "वह औरत", "औरत", "पिता", "वह", "क़लम", "बड़ा भाई"],
    ),
}  # fmt: skip
SPECIAL = list(
    " \t\n\u00a0\u2003\u3000_\u203f-\u2010\u2011–—'’ʼ.,!“”()12٣²½中\u00ad\ufe0f\ufe00\u200d\u200b😀=\u0338\u1100\u1161\u11a8가\u2adc\U0001d15e\u0307"
)
# What NFC joins to a letter or takes apart, as the character that ends a word.
CHANGED_BY_NFC = ["\u2adc", "\U0001d15e", "\u0307", "\u0338"]


def make_text(rng: random.Random, letters: str, terms: list[str]) -> str:
    pieces = []
    for _ in range(rng.randint(0, 12)):
        kind = rng.random()
        if kind < 0.4:
            term = rng.choice(terms)
            shape = rng.choice(
                [str, str, str.upper, str.title, lambda x: unicodedata.normalize("NFD", x)]
            )
            for old, new in ((" ", " \u00a0-_\u2011"), ("'", "'’"), ("-", "-\u2010 ")):
                term = term.replace(old, rng.choice(new))
            pieces.append(shape(term))
            if rng.random() < 0.1:
                pieces.append(rng.choice(CHANGED_BY_NFC))
        elif kind < 0.47:
            pieces.append("".join(rng.choices(letters, k=rng.randint(1, 5))))
        elif kind < 0.55:
            place = rng.randint(0, len("".join(pieces)))
            whole = "".join(pieces)
            pieces = [whole[:place], rng.choice(SPECIAL), whole[place:]]
        else:
            pieces += rng.choices(
                SPECIAL, weights=[8] + [1] * (len(SPECIAL) - 1), k=rng.choice([1, 1, 2])
            )
    return "".join(pieces)


@pytest.mark.parametrize("script", SCRIPTS)
def test_agrees_with_the_slow_search_on_2000_strings(script):
    rng = random.Random(f"strings of {script}")
    letters, terms = SCRIPTS[script]
    n_found = 0
    for hyphen in (False, True):
        for language in ("xx", "tr"):
            texts = [make_text(rng, letters, terms) for _ in range(500)]
            frame = find_terms(texts, terms, language=language, hyphen_is_letter=hyphen)
            slow = [find_slowly(text, terms, hyphen, language == "tr") for text in texts]
            expected = [(row, term) for row, found in enumerate(slow) for term in found]
            differing = set(frame.iter_rows()) ^ set(expected)
            assert not differing, [(texts[row], terms[term]) for row, term in sorted(differing)][:3]
            assert list(frame.iter_rows()) == expected
            n_found += len(expected)
    assert n_found > 1000


@pytest.mark.parametrize(
    ("text", "terms", "expected"),
    [
        ("theme hehe the", ["he"], []),
        ("he, HE; (He) he", ["he"], ["he"] * 4),
        ("he\u00e9 \u00e9he he\u0301 \u0301he he\u0663 he2 he\u200d", ["he"], []),
        ("he\u00b2 \u3000he\u3000 he\u200bhe \ufeffhe", ["he"], ["he"] * 5),
        ("Men's Men\u2019s", ["men"], ["men", "men"]),
        ("Men\u02bcs", ["men"], []),
        ("mother-in-law", ["mother", "law"], ["mother", "law"]),
        ("mother\u2014in", ["mother in"], []),
        ("ex\u00a0girlfriend ex\u2010girlfriend ex_-\u2003\u203fgirlfriend", ["ex girlfriend"], ["ex girlfriend"] * 3),
        ("exgirlfriend ex,girlfriend ex' girlfriend ex'girlfriend ex\u200bgirlfriend", ["ex girlfriend"], []),
        ("ex girlfriends", ["ex girlfriend"], []),
        ("so\u00adn s\ufe0fon son\u00ad \u00adson ex\u00ad \u00adson", ["son", "ex son"], ["son"] * 4 + ["ex son"]),
        ("l\u2019homme l'homme L'HOMME", ["l'homme"], ["l'homme"] * 3),
        ("l''homme l' homme l homme lhomme l\u2018homme l\u00ad'\u00adhomme", ["l'homme"], ["l'homme"]),
        ("l'homme", ["homme"], ["homme"]),
        ("l'homme d'affaires", ["l'homme", "l'homme d'affaires"], ["l'homme d'affaires"]),
        ("a b c b c d", ["a b c d", "b c", "c d"], ["b c", "b c"]),
        ("a a a", ["a a"], ["a a"]),
        ("\u0393\u03a5\u039d\u0391\u038a\u039a\u0395\u03a3 \u03b3\u03c5\u03bd\u03b1\u03af\u03ba\u03b5\u03c2", ["\u03b3\u03c5\u03bd\u03b1\u03af\u03ba\u03b5\u03c2"], ["\u03b3\u03c5\u03bd\u03b1\u03af\u03ba\u03b5\u03c2"] * 2),
        ("gro\u00dfmutter GRO\u1e9eMUTTER grossmutter", ["gro\u00dfmutter"], ["gro\u00dfmutter"] * 2),
        ("\u212aing \u017fon", ["king", "son"], ["king", "son"]),
        ("e\u0301l \u00e9l e\u00ad\u0301l el", ["\u00e9l"], ["\u00e9l"] * 3),
        ("माँ माँग माँ।", ["माँ"], ["माँ"] * 2),
        ("लड\u093cकी ल\u095cकी लडकी", ["लड़की"], ["लड़की"] * 2),
        ("मुझे \u0928\u093c \u0929", ["\u0929"], ["\u0929"] * 2),
        ("معل\u0651\u0650م معل\u0650\u0651م معلم", ["معل\u0650\u0651م"], ["معل\u0650\u0651م"] * 2),
        ("\u0627\u0644\u0645\u0631\u0623\u0629 \u0627\u0645\u0631\u0623\u0629\u060c", ["\u0627\u0645\u0631\u0623\u0629"], ["\u0627\u0645\u0631\u0623\u0629"]),
        ("\u1e78\u032d \u1e76\u0303\u0301 \u1e78", ["\u1e76\u0303\u0301"], ["\u1e76\u0303\u0301"] * 2),
        ("a\u0651\u00ad\u064e a\u064e\u0651", ["a\u064e\u0651"], ["a\u064e\u0651"] * 2),
        ("\u1112\u1161\u11ab 한", ["한"], ["한"] * 2),
        ("他 是 一 个 男人 ， 她们", ["他", "男人", "她"], ["他", "男人"]),
        ("他是一个男人", ["他", "男人"], []),
        ("\U00010400\U0001042f", ["\U00010428\U00010407"], ["\U00010428\U00010407"]),
    ],
)  # fmt: skip
def test_hand_cases(text, terms, expected):
    assert hits(text, terms) == expected


@pytest.mark.parametrize(
    ("text", "terms", "language", "expected"),
    [
        # In NFC the last word of each is another, or what follows it is a letter.
        ("a b\u0307", ["a b"], "tr", []),
        ("a b\u0307 b", ["a", "a b", "b"], "tr", ["a", "b"]),
        ("a b\u0307 c", ["a b c", "c"], "tr", ["c"]),
        ("ex wife\u2adcm", ["ex wife", "m"], "en", ["ex wife"]),
        ("wife\u2adcm", ["wife", "m"], "en", ["wife"]),
        ("ex wife\U0001d15em", ["ex wife", "m"], "en", ["ex wife"]),
        ("l'e\u0301l", ["l'e", "l'él"], "en", ["l'él"]),
        ("ex wife\u2adc", ["ex wife"], "en", ["ex wife"]),
        ("ex wif\u00e9 ex wife\u0301", ["ex wife", "ex wifé"], "en", ["ex wifé"] * 2),
        # In NFC nothing changes.
        ("a i\u0307", ["a i"], "tr", ["a i"]),
        ("a b", ["a b"], "tr", ["a b"]),
        ("a b\u0307", ["a ḃ"], "tr", ["a ḃ"]),
    ],
)  # fmt: skip
def test_phrases_in_text_that_is_not_in_nfc(text, terms, language, expected):
    assert hits(text, terms, language=language) == expected
    # The row beside it is read on its own, and a phrase may end where its row does.
    frame = find_terms([terms[0], text, terms[0]], terms, language=language)
    assert frame["row"].to_list() == [0] + [1] * len(expected) + [2]


def test_the_capital_i_of_turkish():
    terms = ["kız", "kiz", "işçi"]
    assert hits("KIZ KİZ kız kiz", terms, language="tr") == ["kız", "kiz", "kız", "kiz"]
    assert hits("KIZ KİZ kız kiz", terms, language="en") == ["kiz", "kız", "kiz"]
    assert hits("İŞÇİ I\u0307ŞÇI\u0307", terms, language="tr") == ["işçi"] * 2
    lowered = "İŞÇİ".lower()
    assert lowered != "işçi"
    assert hits("işçi İşçi " + lowered, [lowered], language="az") == [lowered] * 3
    assert hits("işçi", [lowered], language="en") == []
    # The first letters of a word are compared in a filter of ASCII spellings.
    assert hits("ISINMAK isinmak ısınmak", ["ısınmak"], language="tr") == ["ısınmak"] * 2


@pytest.mark.parametrize("n_letters", range(1, 28))
def test_words_of_every_length_at_every_place(n_letters):
    word = "abcdefghijklmnopqrstuvwxyzab"[:n_letters]
    others = [word[:-1] + "é", word + "0", "0" + word, word[:-1] + "0", word[:-1]]
    for before in range(12):
        for other in others:
            text = "." * before + word + " " + other + " " + word.upper()
            assert hits(text, [word]) == [word] * 2
            assert hits(text + "é", [word]) == [word]


def test_hyphens_as_letters():
    terms = ["mother-in-law", "mother", "ex wife"]
    text = "mother\u2011in\u2010law mother in law ex-wife ex_wife mother- -mother"
    assert hits(text, terms, hyphen_is_letter=True) == ["mother-in-law", "mother", "ex wife"]
    assert hits(text, terms) == ["mother-in-law"] * 2 + ["ex wife"] * 2 + ["mother"] * 2


def test_terms_that_are_one_to_the_search():
    assert parse_terms(["Ex-Wife", "l’homme"]) == [("ex", "", "wife"), ("l", "'", "homme")]
    assert find_terms(["ex wife"], ["ex-wife", "ex wife"])["term"].to_list() == [0]
    assert parse_terms(["Ex-Wife"], hyphen_is_letter=True) == [("ex-wife",)]


def test_terms_that_no_text_can_hold_are_named_together():
    terms = ["he", "c.e.o", "", " he", "he'", "rock 'n' roll", "a''b", "m²", "-"]
    with pytest.raises(InputError) as caught:
        find_terms(["he"], terms)
    message = str(caught.value)
    assert "'c.e.o' holds '.'; allowed between its words: white space" in message
    for term in terms[1:]:
        assert f"the term {term!r} " in message
    assert message.count("the term") == len(terms) - 1
    with pytest.raises(TypeError, match="texts must be text"):
        find_terms(pl.Series([1]), ["he"])


def test_no_terms_and_no_texts():
    nothing = pl.DataFrame(schema={"row": pl.Int64, "term": pl.Int64})
    for frame in (find_terms(["he"], []), find_terms([], ["he"]), find_terms(["", None], ["he"])):
        assert frame.equals(nothing)
        assert frame.schema == nothing.schema


ROWS = ["she", None, "é he", "", "no", "e\u0301l HE", "é" * 9 + " he", "he", None, "he he"]


@pytest.mark.parametrize("batch_bytes", [1, 8, 1 << 21])
def test_slices_chunks_and_kinds_of_series(batch_bytes, monkeypatch):
    monkeypatch.setattr("biasatlas.lexicons.term_search.BATCH_BYTES", batch_bytes)
    terms = ["she", "he", "él"]
    alone = [[hit[1] for hit in find_terms([row], terms).iter_rows()] for row in ROWS]
    assert alone == [[0], [], [1], [], [], [2, 1], [1], [1], [], [1, 1]]
    for start in range(len(ROWS)):
        for stop in range(start, len(ROWS) + 1):
            expected = [(row, t) for row, own in enumerate(alone[start:stop]) for t in own]
            middle = (start + stop) // 2
            series = pl.Series(ROWS, dtype=pl.String)
            split = series[start:middle].append(series[middle:stop])
            chunked = pa.chunked_array(
                [pa.array(ROWS)[start:middle], pa.array(ROWS)[middle:stop]], pa.string()
            )
            large = pa.array(ROWS, pa.large_string())[start:stop]
            for texts in (ROWS[start:stop], series[start:stop], split, chunked, large):
                assert list(find_terms(texts, terms).iter_rows()) == expected


def test_many_occurrences():
    frame = find_terms(["he " * 3000, "she", "he " * 2], ["he", "she"])
    assert frame["row"].to_list() == [0] * 3000 + [1, 2, 2]
    assert frame["term"].to_list() == [0] * 3000 + [1, 0, 0]


def test_equal_hashes_are_not_trusted():
    lexicon = _compile(parse_terms(["sister"]), "en", False)
    other = np.array([hash_word("brother")], dtype=np.uint64)
    planted = lexicon._replace(
        hashes=other,
        slots=np.zeros_like(lexicon.slots) - 1,
        openings=np.ones_like(lexicon.openings),
    )
    planted.slots[int(other[0]) % len(planted.slots)] = 0
    text = _buffers(pl.Series(["a brother", "brothér"]))
    assert len(search(*text, planted, False)[0]) == 0
    planted.points[:] = [ord(letter) for letter in "brothe"]
    assert len(search(*text, planted, False)[0]) == 0


def test_broken_utf_8_stays_within_the_text():
    lexicon = _compile(parse_terms(["he"]), "en", False)
    data = np.frombuffer(b"he \xf0\x9f" + b"he \xc3" + b"\xff\xff\xff\xff he", dtype=np.uint8)
    offsets = np.array([0, 5, 9, 16])
    offsets.flags.writeable = False
    rows, _, _ = search(data, offsets, lexicon, False)
    assert rows.tolist() == [0, 1, 2]


COMPOSING = [
    chr(code)
    for code in (*range(0x300), *range(0x900, 0x1200), *range(0x1E00, 0x2000), 0x3099, 0x304B)
    if unicodedata.decomposition(chr(code)) or unicodedata.combining(chr(code))
]
MARKS = [chr(c) for c in range(0x300, 0x1200) if unicodedata.combining(chr(c))]
BASES = [*"aeiosuIKαιυобеرواक़नযলে\u0b47\u0bc6\u1100\u1161\uac00=", "\u09c7", "\u0cc6"]


@given(
    st.lists(st.sampled_from([*COMPOSING, *MARKS, *BASES, "\u00ad", " "]), max_size=6).map("".join)
)
@settings(max_examples=1000, deadline=None)
def test_texts_that_are_not_in_nfc_are_noticed(text):
    lexicon = _compile(parse_terms(["zzz"]), "en", False)
    plain = text.replace("\u00ad", "")
    _, _, doubtful = search(*_buffers(pl.Series([text])), lexicon, False)
    if len(doubtful) == 0:
        # What is left to do must be one character's own, which the table does.
        alone = "".join(unicodedata.normalize("NFC", character) for character in plain)
        assert unicodedata.normalize("NFC", plain) == alone


AFTER_LETTERS = [*"abemEIİ", *" '_.", "\u00ad", *CHANGED_BY_NFC, "\u0301", "\u0323"]


@given(
    st.lists(st.sampled_from([*AFTER_LETTERS, "a b", "ex wife"]), max_size=8).map("".join),
    st.sampled_from(["en", "tr"]),
)
@settings(max_examples=1000, deadline=None)
def test_a_text_and_its_nfc_hold_the_same_phrases(text, language):
    terms = ["a b", "a b e", "ex wife", "a'b", "m", "b", "e", "a ḃ", "é b"]
    composed = unicodedata.normalize("NFC", text.replace("\u00ad", ""))
    assert hits(text, terms, language=language) == hits(composed, terms, language=language)
    assert [terms[term] for term in find_slowly(text, terms, False, language == "tr")] == hits(
        text, terms, language=language
    )


def test_the_table_folds_one_to_one():
    table = characters(dotted_i=False, hyphen_is_letter=False).table
    assert len(table) == 1 << 21
    folded = {c: chr(int(table[ord(c)]) & 0x1FFFFF) for c in "AzſςΣẞßİıК\u212b"}
    assert "".join(folded.values()) == "azsσσßßİıкå"
