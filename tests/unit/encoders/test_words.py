"""The words of a language are encoded once; what comes from the cache is the same bit by bit."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from biasatlas.encoders import in_context as context_module
from biasatlas.encoders import layers as layers_module
from biasatlas.encoders.layers import CLS, LAYER_ENCODERS, LayerEncoder
from biasatlas.encoders.load import load_encoder
from biasatlas.encoders.words import (
    COLUMNS,
    TextsForContext,
    encode_words,
    read_encoded,
    write_encoded,
)
from biasatlas.errors import InputError
from biasatlas.vectors import WordVectors, save_word2vec
from biasatlas.vectors.train import train_fasttext

ENTRIES = ["woman", "man and queens", "кот", "", "zxq", "father", "woman"]
TEXTS = ["", "and", "father", "man", "man and queens", "queens", "woman", "zxq", "кот"]
SENTENCES = ["the woman and the man", "a woman sings and a queen", "father and woman", "the cat"]
CONTEXT = TextsForContext(SENTENCES, "digest", occurrences=2, window=3, seed=1)


class Run:
    """Runs of one model, one after another, in a folder of their own."""

    def __init__(self, folder: Path, kind: str, path: Path) -> None:
        self.folder, self.kind, self.path = folder, kind, path
        self.cache = folder / "kept.parquet"

    def __call__(self, entries, *, key="a model", context=None, language="en") -> bytes:
        """Run as a job does: encode, write; gives the bytes of the file."""
        output = self.folder / "encoded.parquet"
        output.unlink(missing_ok=True)
        frame = encode_words(
            entries, kind=self.kind, path=self.path, cache_file=self.cache, key=key,
            batch_size=4, in_context=context, language=language,
        )  # fmt: skip
        write_encoded(frame, output, self.cache, key, context.key(language) if context else "")
        return output.read_bytes()

    def frame(self) -> pd.DataFrame:
        return read_encoded(self.folder / "encoded.parquet")


@pytest.fixture(scope="module")
def static_file(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("words") / "v.bin"
    matrix = np.array([[1, 2], [3, 4], [5, 6]], dtype=np.float32)
    save_word2vec(WordVectors(("woman", "man", "queens"), matrix), path)
    return path


@pytest.fixture(scope="module")
def subword_file(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("words") / "v.bin"
    rng = np.random.default_rng(5)
    words = ["woman", "man", *(f"word{number}" for number in range(20))]
    texts = [" ".join(rng.choice(words, 8)) for _ in range(100)]
    train_fasttext(texts, path, seed=1, size=6, window=2, min_count=1, epochs=1, buckets=1000)
    return path


@pytest.fixture(params=["layers", "sentence", "static"])
def run(request, tmp_path, encoder_folder, static_file) -> Run:
    path = static_file if request.param == "static" else encoder_folder
    return Run(tmp_path, request.param, path)


@pytest.fixture
def layers(tmp_path, encoder_folder) -> Run:
    return Run(tmp_path, "layers", encoder_folder)


@pytest.fixture
def encoded_texts(monkeypatch) -> list[str]:
    """Texts that a transformer encoded, and `LOADED` for each model that was loaded."""
    calls: list[str] = []

    class Counted(LayerEncoder):
        def __init__(self, folder, *, batch_size=32):
            calls.append("LOADED")
            super().__init__(folder, batch_size=batch_size)

        def encode(self, texts, what="words"):
            calls.extend(texts)
            return super().encode(texts, what)

    monkeypatch.setattr(layers_module, "LayerEncoder", Counted)
    return calls


def test_layers_are_those_of_the_encoder(layers, encoder_folder):
    layers(ENTRIES)
    frame = layers.frame()
    assert list(frame.columns) == [*COLUMNS, *LAYER_ENCODERS, CLS]
    assert frame["text"].tolist() == TEXTS
    assert frame["status"].tolist() == [
        "unknown", "read", "read", "read", "read", "read", "read", "read", "unknown",
    ]  # fmt: skip
    assert frame["pieces"].tolist() == [0, 1, 1, 1, 4, 2, 1, 3, 1]
    assert frame["letters"].tolist() == [False] * 7 + [True, False]
    own = LayerEncoder(encoder_folder, batch_size=4).encode(TEXTS)
    for name in (*LAYER_ENCODERS, CLS):
        for text, row, expected in zip(TEXTS, frame[name], own.vectors[name], strict=True):
            if text in ("", "кот") or (text == "man and queens" and name != CLS):
                assert row is None
            else:
                assert row.dtype == np.float32
                assert row.tobytes() == expected.tobytes()


def test_a_word_with_more_pieces_than_the_model_reads_has_no_vector(layers):
    layers(["woman", "z" * 70])
    frame = layers.frame().set_index("text")
    assert frame["status"].to_dict() == {"woman": "read", "z" * 70: "too_long"}
    assert frame.loc["z" * 70, CLS] is None


def test_sentences_are_those_of_the_encoder(tmp_path, encoder_folder):
    run = Run(tmp_path, "sentence", encoder_folder)
    run(ENTRIES)
    frame = run.frame()
    assert list(frame.columns) == [*COLUMNS, "sentence"]
    assert frame["text"].tolist() == TEXTS
    own = load_encoder(encoder_folder, batch_size=4).encode(TEXTS)
    for text, row, expected in zip(TEXTS, frame["sentence"], own, strict=True):
        if text in ("", "кот"):
            assert row is None
        else:
            assert row.tobytes() == expected.tobytes()


def test_static_vectors_by_hand(tmp_path, static_file):
    run = Run(tmp_path, "static", static_file)
    run(["Woman", "man queens", "man new", "", " "])
    frame = run.frame()
    assert list(frame.columns) == [*COLUMNS, "static"]
    assert dict(zip(frame["text"], frame["status"], strict=True)) == {
        "": "absent", " ": "absent", "Woman": "read", "man": "read", "man new": "absent",
        "man queens": "read", "new": "absent", "queens": "read",
    }  # fmt: skip
    found = dict(zip(frame["text"], frame["static"], strict=True))
    assert {text: row.tolist() for text, row in found.items() if row is not None} == {
        "Woman": [1, 2], "man": [3, 4], "queens": [5, 6],
    }  # fmt: skip


def test_subwords_have_a_column_of_their_own(tmp_path, subword_file):
    run = Run(tmp_path, "static", subword_file)
    run(["woman", "womanly woman"])
    frame = run.frame()
    assert list(frame.columns) == [*COLUMNS, "fasttext"]
    assert frame["text"].tolist() == ["woman", "womanly", "womanly woman"]
    assert frame["pieces"].tolist() == [0, 22, 0]
    assert [row is None for row in frame["fasttext"]] == [False, False, True]


def test_rows_from_the_cache_are_the_same_bit_by_bit(run, tmp_path):
    (tmp_path / "fresh").mkdir()
    whole = Run(tmp_path / "fresh", run.kind, run.path)(ENTRIES)
    run(["woman", "queens", "кот", "dog"])
    assert run(ENTRIES) == whole
    assert run(ENTRIES[::-1] * 2) == whole


def test_a_model_is_not_loaded_when_no_word_is_new(run):
    whole = run(ENTRIES)
    run.path = run.folder / "gone"
    assert run(ENTRIES) == whole
    assert run(["father"]) != whole
    with pytest.raises(InputError, match="gone"):
        run(["father", "mother"])


def test_only_new_words_are_encoded(layers, encoded_texts):
    layers(["woman", "father"])
    layers(["father", "mother and woman"])
    assert encoded_texts == [
        "LOADED", "father", "woman", "LOADED", "and", "mother", "mother and woman",
    ]  # fmt: skip


def test_another_key_or_a_damaged_cache_is_not_used(layers, encoded_texts, caplog):
    whole = layers(["woman"])
    layers(["woman"], key="another model")
    assert encoded_texts == ["LOADED", "woman"] * 2
    layers.cache.write_bytes(layers.cache.read_bytes()[:-9])
    assert layers(["woman"]) == whole
    assert "kept.parquet: cannot be read" in caplog.text
    pd.DataFrame({"a": [1]}).to_parquet(layers.cache)
    assert layers(["woman"]) == whole
    assert encoded_texts == ["LOADED", "woman"] * 4


def test_words_in_texts(layers, encoder_folder):
    layers(ENTRIES, context=CONTEXT)
    frame = layers.frame()
    assert frame.columns[-1] == "token_in_context"
    own, n_read = context_module.encode_in_context(
        LayerEncoder(encoder_folder, batch_size=4), TEXTS, SENTENCES,
        occurrences=2, window=3, seed=1, language="en",
    )  # fmt: skip
    assert {t for t, n in zip(TEXTS, n_read, strict=True) if n} == {"woman", "and", "man", "father"}
    for row, expected, n in zip(frame["token_in_context"], own, n_read, strict=True):
        assert (row is None) == (n == 0)
        assert row is None or row.tobytes() == expected.tobytes()


def test_other_texts_make_words_in_texts_anew_and_nothing_else(layers, encoded_texts, monkeypatch):
    asked: list[list[str]] = []
    original = context_module.encode_in_context

    def recorded(encoder, entries, *args, **kwargs):
        asked.append(list(entries))
        return original(encoder, entries, *args, **kwargs)

    monkeypatch.setattr(context_module, "encode_in_context", recorded)
    whole = layers(["woman", "man"], context=CONTEXT)
    assert layers(["woman", "man"], context=CONTEXT) == whole
    assert asked == [["man", "woman"]]
    assert encoded_texts == ["LOADED", "man", "woman"]
    del encoded_texts[:], asked[:]
    # A new word, the same texts.
    layers(["woman", "man", "father"], context=CONTEXT)
    assert asked == [["father"]]
    assert encoded_texts == ["LOADED", "father"]
    assert layers(["woman", "man"], context=CONTEXT) == whole
    del encoded_texts[:], asked[:]
    # Other texts.
    other = TextsForContext(["the man"], "other digest", occurrences=2, window=3, seed=1)
    layers(["woman", "man"], context=other)
    assert asked == [["man", "woman"]]
    assert encoded_texts == ["LOADED"]
    rows = layers.frame().set_index("text")["token_in_context"]
    assert rows["woman"] is None
    assert rows["man"] is not None
    # No texts, and texts again.
    layers(["woman", "man"])
    assert "token_in_context" not in layers.frame()
    assert layers(["woman", "man"], context=CONTEXT) == whole


def test_words_are_not_looked_for_by_a_model_that_reads_too_few(layers, monkeypatch):
    """Of four words one is unknown and one is cut into letters."""
    entries = ["woman", "man", "zxq", "кот"]
    whole = layers(entries, context=replace(CONTEXT, readable_min=0.5))
    assert "token_in_context" in layers.frame()
    with monkeypatch.context() as patch:
        patch.setattr(context_module, "encode_in_context", None)
        layers(entries, context=replace(CONTEXT, readable_min=0.51))
    assert "token_in_context" not in layers.frame()
    assert layers(entries, context=replace(CONTEXT, readable_min=0.5)) == whole


def test_all_that_decides_a_vector_in_texts_is_in_its_key():
    keys = {
        TextsForContext([], "a").key("en"),
        TextsForContext([], "b").key("en"),
        TextsForContext([], "a", occurrences=3).key("en"),
        TextsForContext([], "a", window=3).key("en"),
        TextsForContext([], "a", seed=3).key("en"),
        TextsForContext([], "a").key("tr"),
    }
    assert len(keys) == 6


def test_the_cache_is_a_second_name_of_the_file_or_a_copy(layers, monkeypatch):
    whole = layers(["woman"])
    assert os.path.samefile(layers.folder / "encoded.parquet", layers.cache)
    (layers.folder / "encoded.parquet").unlink()
    assert layers.cache.read_bytes() == whole

    def refuse(*_):
        raise OSError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    assert layers(["woman"]) == whole
    assert not os.path.samefile(layers.folder / "encoded.parquet", layers.cache)
    assert layers.cache.read_bytes() == whole
    assert sorted(path.name for path in layers.folder.iterdir()) == [
        "encoded.parquet", "kept.parquet",
    ]  # fmt: skip


def test_no_word_at_all(run):
    run([])
    frame = run.frame()
    assert len(frame) == 0
    assert list(frame.columns[:4]) == list(COLUMNS)
    assert len(frame.columns) > 4


numbers = st.floats(allow_nan=False, allow_infinity=False, width=32)


@settings(max_examples=50)
@given(data=st.data(), n=st.integers(0, 6), size=st.integers(1, 5))
def test_any_vectors_come_back_bit_by_bit(data, n, size, tmp_path_factory):
    columns = {}
    for name in ("one", "other"):
        matrix = data.draw(hnp.arrays(np.float32, (n, size), elements=numbers))
        present = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
        columns[name] = np.empty(n, dtype=object)
        for place in range(n):
            columns[name][place] = matrix[place] if present[place] else None
    texts = [f"слово {place}" for place in range(n)]
    frame = pd.DataFrame({"text": pd.Series(texts, dtype="str")})
    frame = frame.assign(status=pd.Series(["read"] * n, dtype="str"), letters=True, pieces=7)
    frame = frame.assign(**columns)
    folder = tmp_path_factory.mktemp("roundtrip")
    write_encoded(frame, folder / "a.parquet", folder / "b.parquet", "key")
    again = read_encoded(folder / "a.parquet")
    assert list(again.columns) == list(frame.columns)
    assert again["text"].tolist() == texts
    for name in columns:
        for row, expected in zip(again[name], columns[name], strict=True):
            assert (row is None) == (expected is None)
            assert row is None or row.tobytes() == expected.tobytes()


def test_a_folder_s_name_is_no_column(tmp_path, static_file):
    folder = tmp_path / "run=x"
    folder.mkdir()
    run = Run(folder, "static", static_file)
    whole = run(["woman"])
    assert list(run.frame().columns) == [*COLUMNS, "static"]
    assert run(["woman"]) == whole


def test_lists_have_a_fixed_size_in_the_file(layers):
    import pyarrow as pa
    import pyarrow.parquet as pq

    layers(ENTRIES)
    schema = pq.read_schema(layers.folder / "encoded.parquet")
    assert schema.field(CLS).type == pa.list_(pa.float32(), 32)


def test_wrong_input_is_named(tmp_path, encoder_folder):
    def encode(entries, **changed):
        asked = {"kind": "layers", "path": encoder_folder, "key": "k", "language": "en"}
        encode_words(entries, cache_file=tmp_path / "c.parquet", **(asked | changed))

    with pytest.raises(InputError, match="kind 'glove' is unknown; allowed: layers, sentence, s"):
        encode(["a"], kind="glove")
    with pytest.raises(InputError, match="kind static: only models of kind layers"):
        encode(["a"], kind="static", in_context=CONTEXT)
    with pytest.raises(InputError, match="half of a character"):
        encode(["a\ud800"])
    (tmp_path / "no.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"no.parquet: cannot be read"):
        read_encoded(tmp_path / "no.parquet")
    with pytest.raises(InputError, match=r"none.parquet: cannot be read"):
        read_encoded(tmp_path / "none.parquet")
    pd.DataFrame({"text": ["a"]}).to_parquet(tmp_path / "other.parquet")
    with pytest.raises(InputError, match=r"other.parquet: no file of encoded words"):
        read_encoded(tmp_path / "other.parquet")
