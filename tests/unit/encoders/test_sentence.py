"""Embeddings depend on the text alone; the cache and damaged models."""

from __future__ import annotations

import logging
import shutil

import numpy as np
import pandas as pd
import pytest

from biasatlas.encoders import sentence as embedding
from biasatlas.encoders.cache import content_hash, embed_with_cache, read_cache, write_cache
from biasatlas.encoders.sentence import (
    SentenceEncoder,
    choose_device,
    has_bf16,
)
from biasatlas.errors import InputError

TEXTS = [
    "the woman and the man",
    "she sings",
    "Queen of the cats, running; a dog and the child of the doctor",
    "goal",
    "election vote " * 12,
    "the river and the mountain " * 40,
    "",
    "a school of mothers and a hospital of fathers",
    "été 猫 unknown words",
]


@pytest.fixture(scope="module")
def encoder(encoder_folder) -> SentenceEncoder:
    return SentenceEncoder(encoder_folder, batch_size=4, precision="fp32")


@pytest.fixture
def forward_rows(encoder, monkeypatch) -> list[int]:
    """Rows of every forward call."""
    calls: list[int] = []
    forward = encoder._forward

    def counted(rows, length):
        calls.append(len(rows))
        return forward(rows, length)

    monkeypatch.setattr(encoder, "_forward", counted)
    return calls


def test_the_tokenizer_is_a_real_one(encoder):
    tokenizer = encoder._model.tokenizer
    assert tokenizer.tokenize("Queens singing zoo") == [
        "queen", "##s", "sing", "##ing", "z", "##o", "##o",
    ]  # fmt: skip


def test_rows_are_unit_vectors_in_the_order_of_the_texts(encoder):
    vectors = encoder.encode(TEXTS)
    assert vectors.shape == (len(TEXTS), 32)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-6)
    assert len({row.tobytes() for row in vectors}) == len(TEXTS)


def test_it_is_the_model_s_own_embedding(encoder):
    own = encoder._model.encode(TEXTS, normalize_embeddings=True, batch_size=1)
    assert encoder.encode(TEXTS) == pytest.approx(own, abs=1e-5)


def test_order_and_company_change_no_bit(encoder):
    together = encoder.encode(TEXTS)
    assert np.array_equal(encoder.encode(TEXTS[::-1])[::-1], together)
    for number, text in enumerate(TEXTS):
        assert np.array_equal(encoder.encode([text])[0], together[number])
    rng = np.random.default_rng(0)
    for _ in range(5):
        chosen = rng.permutation(len(TEXTS))[:6]
        assert np.array_equal(encoder.encode([TEXTS[i] for i in chosen]), together[chosen])


def test_every_batch_has_a_shape_that_its_texts_alone_decide(encoder, monkeypatch):
    """A shape decides the bits of a product, on some processors more than on this one."""
    shapes: list[tuple[int, int]] = []
    model = encoder._model

    def recorded(features):
        shapes.append(tuple(features["input_ids"].shape))
        return model(features)

    recorded.tokenizer, recorded.max_seq_length = model.tokenizer, model.max_seq_length
    monkeypatch.setattr(encoder, "_model", recorded)
    alone = []
    for text in TEXTS:
        encoder.encode([text])
        alone.append(shapes.pop())
    encoder.encode(TEXTS)
    assert {rows for rows, _ in [*alone, *shapes]} == {4}
    assert sorted(set(shapes)) == sorted(set(alone))
    assert {length for _, length in alone} == {16, 32, 64}


def test_a_text_that_stands_twice_is_embedded_once(encoder, forward_rows):
    vectors = encoder.encode(["the cat", "the dog", "the cat", "the cat"])
    assert sum(forward_rows) == 2
    assert np.array_equal(vectors[0], vectors[2])
    assert np.array_equal(vectors[0], vectors[3])
    assert not np.array_equal(vectors[0], vectors[1])


def test_no_text_gives_no_row(encoder):
    assert encoder.encode([]).shape == (0, 32)


def test_positions_that_are_no_multiple_of_the_step(make_encoder_folder):
    encoder = SentenceEncoder(make_encoder_folder(40), batch_size=2, precision="fp32")
    texts = ["the cat " * 100, "the cat " * 17, "the cat"]
    own = encoder._model.encode(texts, normalize_embeddings=True, batch_size=1)
    assert encoder.encode(texts) == pytest.approx(own, abs=1e-5)


@pytest.fixture
def reduced(encoder_folder, monkeypatch) -> SentenceEncoder:
    """A bf16 encoder; a processor without bf16 imitates it."""
    monkeypatch.setattr(embedding, "has_bf16", lambda device: True)
    return SentenceEncoder(encoder_folder, batch_size=4, precision="bf16")


def test_bf16_is_near_fp32(encoder, reduced):
    one, other = encoder.encode(TEXTS), reduced.encode(TEXTS)
    assert reduced.precision == "bf16"
    assert other.dtype == np.float32
    assert not np.array_equal(one, other)
    assert ((one * other).sum(axis=1) > 0.999).all()


def test_order_and_company_change_no_bit_of_bf16_either(reduced):
    together = reduced.encode(TEXTS)
    assert np.array_equal(reduced.encode(TEXTS[::-1])[::-1], together)
    for number in (0, 5, 8):
        assert np.array_equal(reduced.encode([TEXTS[number]])[0], together[number])


def test_fp32_is_the_default(encoder_folder, monkeypatch):
    monkeypatch.setattr(embedding, "has_bf16", lambda device: True)
    assert choose_device() in ("cpu", "cuda", "mps")
    assert SentenceEncoder(encoder_folder).precision == "fp32"


def test_bf16_is_refused_where_there_is_none(encoder_folder, monkeypatch):
    monkeypatch.setattr(embedding, "has_bf16", lambda device: False)
    assert SentenceEncoder(encoder_folder, precision="fp32").precision == "fp32"
    with pytest.raises(InputError, match=r"precision: 'bf16', which this machine's .* has not"):
        SentenceEncoder(encoder_folder, precision="bf16")


@pytest.mark.parametrize("wanted", ["auto", "float32", "BF16", ""])
def test_another_precision_is_named(encoder_folder, wanted):
    with pytest.raises(InputError, match=f"'{wanted}'; allowed are 'fp32' and 'bf16'"):
        SentenceEncoder(encoder_folder, precision=wanted)


@pytest.mark.parametrize(
    ("machine", "avx512", "amx", "onednn", "found"),
    [
        ("x86_64", True, False, True, True),
        ("AMD64", False, True, True, True),
        # AVX-512 without bf16: oneDNN says yes and imitates it.
        ("x86_64", False, False, True, False),
        ("aarch64", False, False, True, True),
        ("aarch64", False, False, False, False),
    ],
)
def test_which_processors_have_bf16(monkeypatch, machine, avx512, amx, onednn, found):
    import platform

    import torch

    monkeypatch.setattr(platform, "machine", lambda: machine)
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: avx512)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: amx)
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: onednn)
    assert has_bf16("cpu") is found


def test_this_processor_is_asked():
    assert has_bf16("cpu") in (True, False)


@pytest.mark.parametrize(
    "name", ["model.safetensors", "config.json", "tokenizer.json", "modules.json"]
)
@pytest.mark.parametrize("damage", ["cut", "gone"])
def test_a_damaged_model_is_named(encoder_folder, name, damage, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(encoder_folder, folder)
    path = folder / name
    if damage == "cut":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    else:
        path.unlink()
    with pytest.raises(InputError) as error:
        SentenceEncoder(folder)
    assert str(error.value).startswith(f"{folder}: ")
    assert len(error.value.problems) == 1
    assert "\n" not in str(error.value)


def test_a_model_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="not a sentence-transformers model"):
        SentenceEncoder(tmp_path / "nothing")


def test_weights_that_are_a_pickle_are_not_read(encoder_folder, tmp_path):
    import torch

    folder = tmp_path / "model"
    shutil.copytree(encoder_folder, folder)
    (folder / "model.safetensors").unlink()
    torch.save({}, folder / "pytorch_model.bin")
    with pytest.raises(InputError):
        SentenceEncoder(folder)


class Refusing:
    """A maker of encoders that must not be called."""

    def __call__(self):
        raise AssertionError("nothing is new")


def test_only_new_texts_are_embedded(encoder, forward_rows):
    first, cache = embed_with_cache(TEXTS[:4], None, lambda: encoder, "texts")
    assert sum(forward_rows) == 4
    assert np.array_equal(first, encoder.encode(TEXTS[:4]))
    forward_rows.clear()
    more, grown = embed_with_cache(
        [TEXTS[5], TEXTS[1], TEXTS[5], TEXTS[0]], cache, lambda: encoder, "texts"
    )
    assert forward_rows == [1]
    assert np.array_equal(more[1], first[1])
    assert np.array_equal(more[3], first[0])
    assert np.array_equal(more[0], more[2])
    assert list(grown["hash"]) == sorted(content_hash(text) for text in [*TEXTS[:4], TEXTS[5]])
    again, same = embed_with_cache(TEXTS[:4], grown, Refusing(), "texts")
    assert np.array_equal(again, first)
    assert same["hash"].equals(grown["hash"])


def test_a_new_gender_word_embeds_new_passages_only(encoder, forward_rows, caplog):
    """With gender terms hidden, what a new term changes is what it hides, and what it finds."""

    def used(terms):
        found = [text for text in PASSAGES if any(term in text.split() for term in terms)]
        return [" ".join("x" if w in terms else w for w in text.split()) for text in found]

    before, after = used(["she", "he"]), used(["she", "he", "mother"])
    _, cache = embed_with_cache(before, None, lambda: encoder, "passages")
    assert sum(forward_rows) == 3
    forward_rows.clear()
    with caplog.at_level(logging.INFO):
        vectors, _ = embed_with_cache(after, cache, lambda: encoder, "passages")
    # One passage is new, and in one that was there the mother is hidden now.
    assert sum(forward_rows) == 2
    assert "passages: 2 new, 2 from the cache" in caplog.text
    forward_rows.clear()
    assert np.array_equal(vectors, encoder.encode(after))


PASSAGES = ["she sings", "he and the mother run", "a mother of the king", "the vote", "he votes"]


def test_the_cache_changes_no_bit(encoder):
    _, cache = embed_with_cache(TEXTS[3:6], None, lambda: encoder, "texts")
    with_cache, _ = embed_with_cache(TEXTS, cache, lambda: encoder, "texts")
    assert np.array_equal(with_cache, encoder.encode(TEXTS))


def test_the_cache_file_serves_its_own_key_only(encoder, tmp_path, caplog):
    path = tmp_path / "cache.parquet"
    assert read_cache(path, "tiny fp32 4") is None
    vectors, cache = embed_with_cache(TEXTS, None, lambda: encoder, "texts")
    write_cache(cache, "tiny fp32 4", path)
    back = read_cache(path, "tiny fp32 4")
    reread, _ = embed_with_cache(TEXTS, back, Refusing(), "texts")
    assert reread.dtype == np.float32
    assert np.array_equal(reread, vectors)
    with caplog.at_level(logging.INFO):
        assert read_cache(path, "tiny bf16 4") is None
    assert "another encoder" in caplog.text


def test_the_same_cache_is_the_same_file(tmp_path):
    cache = pd.DataFrame({"hash": ["a", "b"], "embedding": [np.ones(3, "f4"), np.zeros(3, "f4")]})
    for name in ("one", "two"):
        write_cache(cache, "key", tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize("content", [b"", b"PAR1", b"no parquet at all" * 20])
def test_a_damaged_cache_is_a_warning(content, tmp_path, caplog):
    path = tmp_path / "cache.parquet"
    path.write_bytes(content)
    assert read_cache(path, "key") is None
    assert "everything is embedded anew" in caplog.text
    assert caplog.records[-1].levelno == logging.WARNING


def test_a_cache_of_another_program_is_not_read(tmp_path):
    path = tmp_path / "cache.parquet"
    pd.DataFrame({"hash": ["a"]}).to_parquet(path)
    assert read_cache(path, "key") is None
