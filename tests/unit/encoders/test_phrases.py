"""Vectors of entries: a phrase is the mean of its words, or is read whole."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasatlas.encoders.phrases import (
    entry_vectors,
    find_composed,
    is_phrase,
    set_apart,
    split_phrase,
    with_words,
)
from biasatlas.errors import InputError

ROWS = {
    "hot": [1.0, 2.0],
    "dog": [3.0, -4.0],
    "cold": [-1.0, -2.0],
    "nothing": [0.0, 0.0],
    "new": None,
    "hot dog": [9.0, 9.0],
    "hot new": [8.0, 8.0],
    "hot cold": [7.0, 7.0],
    "hot nothing": [6.0, 6.0],
}


def make_frame(rows: dict) -> pd.DataFrame:
    """Encoded words: `last_mean` without phrases, `sentence` with all."""
    texts = sorted(rows)
    columns = {}
    for name, keep in (("last_mean", lambda text: " " not in text), ("sentence", lambda _: True)):
        columns[name] = np.empty(len(texts), dtype=object)
        for place, text in enumerate(texts):
            if rows[text] is not None and keep(text):
                columns[name][place] = np.array(rows[text], dtype=np.float32)
    frame = pd.DataFrame({"text": texts, "status": "read", "letters": False, "pieces": 1})
    return frame.assign(**columns)


def test_what_stands_between_white_space_is_a_word():
    assert split_phrase(" hot  dog\u00a0stand\u3000x ") == ["hot", "dog", "stand", "x"]
    assert split_phrase("") == split_phrase(" ") == []
    # Persian writes a zero-width non-joiner within a word.
    assert split_phrase("می\u200cخواهم") == ["می\u200cخواهم"]
    assert is_phrase("hot dog")
    assert not is_phrase(" dog ")
    assert with_words(["hot dog", "cat", "hot dog", ""]) == ["", "cat", "dog", "hot", "hot dog"]


def test_a_phrase_is_the_mean_of_its_words_by_hand():
    vectors = entry_vectors(make_frame(ROWS), "last_mean", ["hot dog", "dog", "hot", "hot dog hot"])
    assert vectors.words == ("dog", "hot", "hot dog", "hot dog hot")
    assert vectors.matrix.dtype == np.float32
    assert vectors.matrix[:3].tolist() == [[3, -4], [1, 2], [2, -1]]
    assert vectors.matrix[3] == pytest.approx([5 / 3, 0])


def test_the_mean_is_taken_in_double_precision():
    rows = {"a": [16777216.0], "b": [1.0], "c": [1.0], "d": [2.0]}
    vectors = entry_vectors(make_frame(rows), "last_mean", ["a b c d"])
    # 2^24 + 1 is no float32: added one by one the two ones would be lost.
    assert vectors.matrix.tolist() == [[np.float32((16777216 + 4) / 4)]]


def test_a_phrase_is_missing_when_a_word_is():
    entries = ["hot new", "hot nothing", "new", "nothing", "hot unlisted", "", "cold"]
    assert entry_vectors(make_frame(ROWS), "last_mean", entries).words == ("cold",)


def test_a_mean_of_zeros_is_no_vector():
    assert entry_vectors(make_frame(ROWS), "last_mean", ["hot cold"]).words == ()


def test_some_encoders_read_a_phrase_whole():
    entries = ["hot dog", "hot new", "hot cold", "hot nothing", "dog", "new", "nothing"]
    vectors = entry_vectors(make_frame(ROWS), "sentence", entries)
    assert vectors.words == ("dog", "hot cold", "hot dog", "hot new", "hot nothing")
    assert vectors.matrix.tolist() == [[3, -4], [7, 7], [9, 9], [8, 8], [6, 6]]


def test_no_vector_at_all_and_no_such_encoder():
    frame = make_frame({"a": None, "b": None})
    assert entry_vectors(frame, "last_mean", ["a", "a b"]).words == ()
    assert entry_vectors(make_frame(ROWS), "last_mean", []).matrix.shape == (0, 2)
    with pytest.raises(InputError, match="'cls' is not among last_mean, sentence"):
        entry_vectors(frame, "cls", ["a"])


words = st.sampled_from(sorted(text for text in ROWS if " " not in text))


@given(entries=st.lists(st.lists(words, min_size=1, max_size=4).map(" ".join), max_size=8))
def test_order_and_repeats_change_nothing(entries):
    frame = make_frame(ROWS)
    one = entry_vectors(frame, "last_mean", entries)
    other = entry_vectors(frame.iloc[::-1], "last_mean", [*entries[::-1], *entries])
    assert one.words == other.words == tuple(sorted(set(one.words)))
    assert one.matrix.tobytes() == other.matrix.tobytes()
    for entry in entries:
        rows = [ROWS[word] for word in entry.split()]
        if any(row is None or not any(row) for row in rows) or not np.any(np.mean(rows, axis=0)):
            assert entry not in one
        else:
            assert one.rows([entry])[0] == pytest.approx(np.mean(rows, axis=0), abs=1e-6)


def test_composed_words_stand_apart_and_are_composed_when_asked_for():
    frame = make_frame(ROWS).rename(columns={"last_mean": "fasttext"})
    frame["pieces"] = [3 if text == "dog" else 0 for text in frame["text"]]
    entries = ["hot", "dog", "cold", "hot dog"]
    vectors = entry_vectors(frame, "fasttext", entries)
    # A phrase with a composed word is composed itself.
    composed = find_composed(frame, "fasttext", entries)
    assert composed == {"dog", "hot dog"}
    apart = set_apart(vectors, composed)
    assert apart.words == ("cold", "hot")
    assert apart.can_compose("hot dog")
    assert not apart.can_compose("unlisted")
    assert apart.rows(entries).tolist() == vectors.rows(entries).tolist()
    with pytest.raises(KeyError):
        apart.rows(["unlisted"])
    # Pieces of other encoders are pieces of words that they know.
    assert find_composed(frame, "sentence", entries) == set()
    assert set_apart(vectors, set()) is vectors
