"""Words in running text: what is found, what is chosen, and the mean against a slow reference."""

from __future__ import annotations

import logging
import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biasatlas.encoders.in_context import (
    Place,
    choose_places,
    cut_window,
    encode_in_context,
    find_places,
    is_unspaced,
)
from biasatlas.encoders.layers import LayerEncoder
from biasatlas.errors import InputError
from biasatlas.lexicons.term_search import parse_terms

TEXTS = [
    "the big sister of the queen in the house",
    "She sing the flower in a house the big\nsister house",
    "a dog of the Mother the mother of a dog",
    "grand mother she sing",
    "flowers the dogs",
    None,
    "",
]
ENTRIES = ["sister", "big sister", "SHE", "sister house", "mother", "dog", "zoo", "mother"]


@pytest.fixture(scope="module")
def encoder(transformer_folder):
    made = {}

    def find(kind: str = "bert") -> LayerEncoder:
        if kind not in made:
            made[kind] = LayerEncoder(transformer_folder(kind), batch_size=4)
        return made[kind]

    return find


def same(first, second):
    return first[0].tobytes() == second[0].tobytes() and np.array_equal(first[1], second[1])


def by_definition(folder, entry, texts, window):
    """One occurrence, one forward: the mean over pieces, then over distinct windows."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder).eval()
    wanted = entry.lower().split()
    windows = set()
    for text in texts:
        words = (text or "").split()
        for place in range(len(words)):
            if [word.lower() for word in words[place : place + len(wanted)]] == wanted:
                stop = place + len(wanted)
                left = words[max(0, place - window) : place]
                windows.add((tuple(left), tuple(words[place:stop]),
                             tuple(words[stop : stop + window])))  # fmt: skip
    means = []
    for left, middle, right in windows:
        cut = [tokenizer.tokenize(" " + " ".join(part)) if part else [] for part in
               (left, middle, right)]  # fmt: skip
        tokens = [tokenizer.cls_token, *cut[0], *cut[1], *cut[2], tokenizer.sep_token]
        with torch.no_grad():
            ids = torch.tensor([tokenizer.convert_tokens_to_ids(tokens)])
            states = model(ids, output_hidden_states=True).hidden_states[-1][0].double().numpy()
        start = 1 + len(cut[0])
        own = [start + n for n, token in enumerate(cut[1]) if token not in ("▁", "Ġ")]
        means.append(states[own].mean(axis=0))
    return np.mean(means, axis=0) if means else None, len(means)


@pytest.mark.parametrize("kind", ["bert", "roberta", "xlm-roberta", "albert", "distilbert"])
@pytest.mark.parametrize("window", [0, 2, 16])
def test_it_is_the_mean_over_occurrences(encoder, transformer_folder, kind, window):
    entries = [*ENTRIES, "flowers", "grand mother"]
    vectors, counts = encode_in_context(encoder(kind), entries, TEXTS, window=window)
    assert vectors.dtype == np.float32
    assert counts.dtype == np.int64
    assert counts[0] >= 1
    for row, entry in enumerate(entries):
        expected, n = by_definition(transformer_folder(kind), entry, TEXTS, window)
        assert counts[row] == n, entry
        if n:
            assert vectors[row] == pytest.approx(expected, abs=2e-5), entry
        else:
            assert np.isnan(vectors[row]).all()


def test_counts_by_hand(encoder):
    _, counts = encode_in_context(encoder(), ENTRIES, TEXTS)
    assert dict(zip(ENTRIES, counts.tolist(), strict=True)) == {
        "sister": 2, "big sister": 2, "SHE": 2, "sister house": 1, "mother": 3, "dog": 2, "zoo": 0,
    }  # fmt: skip


def test_a_letter_is_found_however_it_is_encoded(encoder):
    texts = ["the siste\u0301r", "a sis\u00adt\u00e9r", "the sister"]
    _, counts = encode_in_context(encoder(), ["sist\u00e9r", "siste\u0301r"], texts)
    assert counts.tolist() == [2, 2]
    texts = ["\u4e00\u82b1\u6728", "\U0002f993\ufe00\u6728"]
    entries = ["\u82b1\u6728", "\U0002f993\ufe00\u6728"]
    assert encode_in_context(encoder("xlm-roberta"), entries, texts)[1].tolist() == [2, 2]


def test_order_company_and_repeats_change_no_bit(encoder):
    texts = [*TEXTS, *(f"the dog in {word} house sing" for word in ("a", "the", "big", "grand"))]
    together = encode_in_context(encoder(), ENTRIES, texts, occurrences=3, seed=5)
    assert together[1].max() == 3
    rng = np.random.default_rng(1)
    for _ in range(3):
        some = [texts[k] for k in rng.permutation(len(texts))]
        assert same(encode_in_context(encoder(), ENTRIES, some, occurrences=3, seed=5), together)
    assert same(encode_in_context(encoder(), ENTRIES, texts * 3, occurrences=3, seed=5), together)
    chosen = rng.permutation(len(ENTRIES))
    for rows in (chosen, chosen[:3], chosen[:1]):
        found = encode_in_context(
            encoder(), [ENTRIES[k] for k in rows], texts, occurrences=3, seed=5
        )
        assert same(found, (together[0][rows], together[1][rows]))


def test_the_seed_chooses(encoder):
    texts = [f"{'the ' * n}dog {'sing ' * (9 - n)}" for n in range(9)]
    runs = {
        encode_in_context(encoder(), ["dog"], texts, occurrences=2, seed=seed)[0].tobytes()
        for seed in range(12)
    }
    # Of 36 pairs, 12 draws hit at least this many but once in a million.
    assert len(runs) >= 6
    _, counts = encode_in_context(encoder(), ["dog"], texts, occurrences=100)
    assert counts.tolist() == [9]


def test_every_occurrence_is_as_likely():
    texts = pl.Series([f"{'a ' * n}dog {'b ' * (9 - n)}" for n in range(10)])
    found = find(texts, ["dog"])
    hits = np.zeros(10)
    for seed in range(400):
        (chosen,) = choose_places(found, texts, 1, 3, 16, seed)
        for place in chosen:
            hits[place.row] += 1
    # 120 expected; a binomial's standard deviation is 9.2.
    assert np.abs(hits - 120).max() < 4.5 * 9.2


def test_equal_windows_count_once(encoder):
    texts = ["the dog sing", "the dog  sing", "the dog\nsing", "a dog sing"]
    vectors, counts = encode_in_context(encoder(), ["dog"], texts)
    assert counts.tolist() == [2]
    expected, _ = encode_in_context(encoder(), ["dog"], texts[2:])
    assert np.array_equal(vectors, expected)
    # The same words around it at another place are another window.
    _, counts = encode_in_context(encoder(), ["dog"], ["dog the dog"], window=5)
    assert counts.tolist() == [2]


def test_what_the_model_does_not_know_is_not_read(encoder):
    texts = ["the q€ house", "the dog of q€", "zoo"]
    vectors, counts = encode_in_context(encoder(), ["dog", "house", "queen", "€", ""], texts)
    assert counts.tolist() == [1, 1, 0, 0, 0]
    assert np.isnan(vectors).all(axis=1).tolist() == [False, False, True, True, True]
    # Han that is no piece of this model.
    assert encode_in_context(encoder(), ["猫"], ["the 猫 sing"])[1].tolist() == [0]


def test_entries_that_no_search_finds_are_told(encoder, caplog):
    with caplog.at_level(logging.WARNING):
        encode_in_context(encoder(), ["dog", "c++", "(a)"], ["the dog"])
    assert "2 entries hold signs" in caplog.text
    assert "'(a)'" in caplog.text


def test_no_texts_and_no_entries(encoder):
    vectors, counts = encode_in_context(encoder(), ["dog"], [])
    assert np.isnan(vectors).all()
    assert counts.tolist() == [0]
    vectors, counts = encode_in_context(encoder(), [], ["the dog"])
    assert vectors.shape == (0, 16)


def test_windows_that_are_too_long_are_halved(encoder):
    """Three pieces a word: 40 positions hold 38 of them."""
    model = encoder()
    text = " ".join([*["zoo"] * 30, "dog", *["zoo"] * 30])
    whole = encode_in_context(model, ["dog"], [text], window=20)
    # 20 and 10 words a side are too many, 5 are not, and 6 would not be.
    assert same(whole, encode_in_context(model, ["dog"], [text], window=5))
    for other in (3, 4, 6):
        assert not same(whole, encode_in_context(model, ["dog"], [text], window=other))
    phrase = " ".join(["dog"] * 50)
    assert encode_in_context(model, [phrase], [phrase])[1].tolist() == [0]


def test_characters_are_the_window_of_scripts_without_spaces(encoder):
    model = encoder("xlm-roberta")
    vectors, counts = encode_in_context(model, ["花木", "木", "花花"], ["一花木一", "花花花木"])
    assert counts.tolist() == [2, 2, 2]
    assert not np.isnan(vectors).any()
    # One character each side: the first two windows are equal.
    _, counts = encode_in_context(model, ["木"], ["一花木一", "さ花木一花"], window=1)
    assert counts.tolist() == [1]


@pytest.mark.parametrize(("name", "value"), [("occurrences", 0), ("window", -1)])
def test_numbers_out_of_range(encoder, name, value):
    with pytest.raises(InputError, match=f"{name}: {value}; allowed are whole numbers from"):
        encode_in_context(encoder(), ["dog"], ["dog"], **{name: value})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("แมว", True), ("花", True), ("さくら", True), ("ネコ", True), ("LGBT人", True),
        ("ខ្មែរ", True), ("ລາວ", True), ("dog", False), ("나무", False), ("कुत्ता", False),
        ("سلام", False), ("кот", False),
    ],
)  # fmt: skip
def test_scripts_without_spaces(text, expected):
    assert is_unspaced(text) is expected


def find(texts, terms, language="en"):
    keys = {
        (term,) if is_unspaced(term) else parse_terms([term], language=language)[0]: term
        for term in terms
    }
    return find_places(pl.Series(texts, dtype=pl.String), keys, language)


def found_strings(texts, terms, language="en"):
    return sorted(
        (terms[term], row, texts[row].encode()[start:stop].decode())
        for term, row, start, stop, _ in find(texts, terms, language)
        .select("term", *Place._fields)
        .iter_rows()
    )


def test_no_part_of_a_thai_letter_is_found():
    texts = ["กากีกา้"]
    assert found_strings(texts, ["กา", "ก"]) == [("ก", 0, "ก")] * 2 + [("กา", 0, "กา")]
    assert found_strings(["漢字xABx漢"], ["漢", "漢字xab"]) == [
        ("漢", 0, "漢"), ("漢", 0, "漢"), ("漢字xab", 0, "漢字xAB"),
    ]  # fmt: skip


def test_turkish_letters():
    assert found_strings(["IŞIK ve İNEK"], ["ışık", "inek"], "tr") == [
        ("inek", 0, "İNEK"), ("ışık", 0, "IŞIK"),
    ]  # fmt: skip


PHRASES = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(" ".join)


@settings(max_examples=60)
@given(
    st.lists(st.text("abcAB \n", max_size=14), max_size=4),
    st.lists(PHRASES, min_size=1, max_size=6, unique=True),
)
def test_every_entry_is_found_as_if_alone(texts, terms):
    expected = []
    for term in terms:
        pattern = r"\s+".join(term.split())
        for row, text in enumerate(texts):
            hits = re.finditer(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE)
            expected += [(term, row, hit.group()) for hit in hits]
    assert found_strings(texts, terms) == sorted(expected)


@settings(max_examples=60)
@given(
    st.lists(st.text("花木กa", max_size=10), max_size=4),
    st.lists(st.text("花木ก", min_size=1, max_size=3), min_size=1, max_size=5, unique=True),
)
def test_characters_are_found_wherever_they_stand(texts, terms):
    expected = [
        (term, row, term)
        for term in terms
        for row, text in enumerate(texts)
        for start in range(len(text))
        if text.startswith(term, start)
    ]
    assert found_strings(texts, terms) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "middle", "window", "spaced", "expected"),
    [
        ("é a  b DOG, c\nd e", "DOG", 2, True, "a b DOG, c"),
        ("é a  b DOG, c\nd e", "DOG", 0, True, "DOG"),
        ("é a b (DOG) c d", "DOG", 1, True, "(DOG)"),
        ("big\n  sister", "big\n  sister", 3, True, "big sister"),
        ("DOG", "DOG", 5, True, "DOG"),
        ("さくら花木\n一ка", "花木", 2, False, "くら花木 一"),
        ("花木", "木", 0, False, "木"),
    ],
)
def test_windows_by_hand(text, middle, window, spaced, expected):
    start = text.encode().index(middle.encode())
    found = cut_window(text, Place(0, start, start + len(middle.encode()), spaced), window)
    assert found.text == expected
    assert found.text[found.start : found.stop] == " ".join(middle.split())


def test_a_word_s_use_moves_its_vector(fetched_asset):
    """Planted: one word in two senses, by texts of each."""
    encoder = LayerEncoder(fetched_asset("minilm_l6_v2"))
    money = ["He put the money into his account at the bank.", "The bank lends money to firms."]
    river = ["They sat on the bank of the river and fished.", "Boats lay at the muddy bank."]
    (bank, lender), _ = encode_in_context(encoder, ["bank", "money"], money)
    (shore, water), _ = encode_in_context(encoder, ["bank", "river"], river)

    def cosine(one, other):
        return one @ other / np.sqrt(one @ one * (other @ other))

    assert cosine(bank, lender) > cosine(shore, lender) + 0.1
    assert cosine(shore, water) > cosine(bank, water) + 0.1
