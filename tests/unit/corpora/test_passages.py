"""Passages: sentence ends, lengths, and no word lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from biasatlas.corpora.passages import cut_passages, cut_text, split_sentences


def test_sentences() -> None:
    assert split_sentences(
        'Mr. Smith of the U.S. Senate met J. Doe. She said: "Go!" He went. '
        "No. 5 fell 3.5 p.m. sharp? Yes."
    ) == [
        "Mr. Smith of the U.S. Senate met J. Doe.",
        'She said: "Go!"',
        "He went.",
        "No. 5 fell 3.5 p.m. sharp?",
        "Yes.",
    ]
    assert split_sentences("He left... and came. (Later.) Then") == [
        "He left... and came.",
        "(Later.)",
        "Then",
    ]
    assert split_sentences("") == []


def test_lengths_by_hand() -> None:
    four = "All the good women. "
    assert [p.count(" ") + 1 for p in cut_text(four * 6, 8)] == [8, 8, 8]
    # the rest of 4 is half of 8 and stays; a rest of 3 joins
    assert [p.count(" ") + 1 for p in cut_text(four * 5, 8)] == [8, 8, 4]
    assert [p.count(" ") + 1 for p in cut_text(four * 4 + "All good women.", 8)] == [8, 11]
    # 31 words in one sentence: more than 3 x 10, so four parts
    assert [p.count(" ") + 1 for p in cut_text("x " * 31, 10)] == [7, 8, 8, 8]
    assert [p.count(" ") + 1 for p in cut_text("x " * 30, 10)] == [30]


def test_short_are_marked() -> None:
    frame = cut_passages(["One two.", "", "One two three four."], target_words=10, min_words=3)
    assert frame.select("row", "n", "words", "short").rows() == [(0, 0, 2, True), (2, 0, 4, False)]


def test_large_document() -> None:
    frame = cut_passages(["He and she went home again today. " * 30_000])
    assert frame["words"].sum() == 210_000
    assert frame["words"].max() <= 150


TEXT = st.lists(
    st.sampled_from(["He", "she", "Mr.", "U.S.", "end.", "Why?", '"Go!"', "and", "(Later.)", "3.5"])
)


@given(TEXT, st.integers(1, 12))
def test_no_word_lost(words: list[str], target: int) -> None:
    passages = cut_text(" ".join(words), target)
    assert " ".join(passages).split() == words
    assert all(len(p.split()) <= 3 * target + target for p in passages)
    assert cut_passages([" ".join(words)], target, 1)["words"].sum() == len(words)


def test_closing_marks_of_segmented_text_stay_with_their_sentence() -> None:
    text = "\u4ed6 \u8bf4 \uff1a \u300c \u597d \u3002 \u300d \u5979 \u8d70 \u4e86 \u3002 \u4ed6 \u6765 \u3002"
    assert split_sentences(text) == [text[:13], text[14:21], text[22:]]
    assert split_sentences('He said " Yes . " She left .') == ['He said " Yes .', '" She left .']
