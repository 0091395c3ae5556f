"""Layer encoders equal their definitions, written out slowly; damaged and foreign models."""

from __future__ import annotations

import json
import re
import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from biasatlas.encoders.layers import CLS, LAYER_ENCODERS, LayerEncoder, read_layers
from biasatlas.encoders.pieces import cut_texts, is_letter_by_letter
from biasatlas.errors import InputError

KINDS = ("bert", "distilbert", "albert", "roberta", "xlm-roberta")
POSITIONS = 40
# Words of one piece and of several, a phrase, a word in capitals.
WORDS = ["flower", "singing", "mothers", "grand mother", "dogs", "zoo", "SHE", "housing", "a"]


@pytest.fixture(scope="module")
def encoder(transformer_folder):
    made = {}

    def find(kind: str) -> LayerEncoder:
        if kind not in made:
            made[kind] = LayerEncoder(transformer_folder(kind), batch_size=4)
        return made[kind]

    return find


def by_definition(folder, text):
    """One text, one forward, the definitions of Mukherjee et al. 2023 word for word."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder).eval()
    ids = tokenizer(f" {text}", truncation=False, padding=False)["input_ids"]
    tokens = tokenizer.convert_ids_to_tokens(ids)
    assert tokens[0] in ("[CLS]", "<s>")
    assert tokens[-1] in ("[SEP]", "</s>")
    own = [p for p in range(1, len(tokens) - 1) if tokens[p] not in ("▁", "Ġ")]
    with torch.no_grad():
        states = model(torch.tensor([ids]), output_hidden_states=True).hidden_states
    layers = [state[0].double().numpy() for state in states]
    assert len(layers) == 4
    everything = sum(layers) / len(layers)
    return tokens, {
        "layer0_mean": sum(layers[0][p] for p in own) / len(own),
        "layer0_first": layers[0][own[0]],
        "last_first": layers[3][own[0]],
        "last_mean": sum(layers[3][p] for p in own) / len(own),
        "penultimate_first": layers[2][own[0]],
        "penultimate_mean": sum(layers[2][p] for p in own) / len(own),
        "all_first": everything[own[0]],
        "all_mean": sum(everything[p] for p in own) / len(own),
        "cls_phrase": layers[3][0],
    }


@pytest.mark.parametrize("kind", KINDS)
def test_every_encoder_is_its_definition(encoder, transformer_folder, kind):
    found = encoder(kind).encode(WORDS)
    assert set(found.vectors) == {*LAYER_ENCODERS, CLS}
    several = 0
    for row, word in enumerate(WORDS):
        tokens, expected = by_definition(transformer_folder(kind), word)
        several += len(tokens) > 3
        for name, vector in expected.items():
            assert found.vectors[name].dtype == np.float32
            assert found.vectors[name][row] == pytest.approx(vector, abs=2e-5), (name, word)
    assert several >= 4
    # The definitions differ from one another by far more than that.
    row = WORDS.index("zoo")
    vectors = [found.vectors[name][row] for name in found.vectors]
    distances = [np.abs(a - b).max() for n, a in enumerate(vectors) for b in vectors[:n]]
    assert min(distances) > 0.01


def test_continuation_pieces_are_not_read_as_signs(encoder, transformer_folder):
    """The published code tokenised ``##ing`` again, so that it became the vector of ``#``."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    folder = transformer_folder("bert")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder).eval()

    def published(piece):
        ids = tokenizer(piece, truncation=False, padding=False, return_tensors="pt").input_ids
        with torch.no_grad():
            return model(ids, output_hidden_states=True).hidden_states[0][0, 1].numpy()

    assert tokenizer.tokenize("singing") == ["sing", "##ing"]
    assert np.array_equal(published("##ing"), published("##s"))
    found = encoder("bert").encode(["singing", "mothers"]).vectors
    second = 2 * found["layer0_mean"] - found["layer0_first"]
    for vector in second:
        assert np.abs(vector - published("##ing")).max() > 0.1
    assert np.abs(second[0] - second[1]).max() > 0.1
    embeddings = model.embeddings
    ids = torch.tensor([[0, 0, tokenizer.convert_tokens_to_ids("##ing")]])
    with torch.no_grad():
        assert second[0] == pytest.approx(embeddings(ids)[0, 2].numpy(), abs=1e-5)


def test_a_byte_level_word_is_read_as_after_a_space(encoder, transformer_folder):
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(transformer_folder("roberta"))
    assert tokenizer.tokenize(" dog") == ["Ġdog"]
    assert tokenizer.tokenize("dog") != ["Ġdog"]
    (cut,) = cut_texts(tokenizer, ["dog"])
    assert tokenizer.convert_ids_to_tokens(list(cut.ids)) == ["<s>", "Ġdog", "</s>"]
    assert encoder("roberta").encode(["dog"]).pieces.tolist() == [1]


@pytest.mark.parametrize(
    ("kind", "text", "own"),
    [
        ("bert", "singing dogs", ["sing", "##ing", "dog", "##s"]),
        ("bert", "  she  ", ["she"]),
        ("albert", "singing zoo", ["▁sing", "ing", "z", "o", "o"]),
        ("xlm-roberta", "花木", ["花木"]),
        ("xlm-roberta", "the 花木", ["▁the", "花木"]),
        ("roberta", "singing dog", ["Ġsinging", "Ġdog"]),
        ("roberta", "花", ["è", "Ĭ", "±"]),
    ],
)
def test_own_pieces_leave_out_special_tokens_and_lone_marks(transformer_folder, kind, text, own):
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(transformer_folder(kind))
    (cut,) = cut_texts(tokenizer, [text])
    tokens = np.array(tokenizer.convert_ids_to_tokens(list(cut.ids)))
    assert tokens[cut.own].tolist() == own
    assert cut.cls == 0


def test_pieces_of_a_part(transformer_folder):
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(transformer_folder("bert"))
    text = "the singing dog, flowers"
    cuts = cut_texts(tokenizer, [text, text, text], [(4, 11), (4, 15), (17, 24)])
    tokens = np.array(tokenizer.convert_ids_to_tokens(list(cuts[0].ids)))
    assert [tokens[cut.own].tolist() for cut in cuts] == [
        ["sing", "##ing"],
        ["sing", "##ing", "dog"],
        ["flower", "##s"],
    ]
    # The comma is unknown to this model; only a part that holds it is.
    assert [cut.unknown for cut in cuts] == [False] * 3
    assert cut_texts(tokenizer, [text])[0].unknown


@pytest.mark.parametrize("kind", KINDS)
def test_order_and_company_change_no_bit(encoder, kind):
    model = encoder(kind)
    texts = [*WORDS, "the mother of the queen", "dog", "flower"]
    together = model.encode(texts).vectors
    rng = np.random.default_rng(0)
    for size in (len(texts), 7, 1):
        chosen = rng.permutation(len(texts))[:size]
        found = model.encode([texts[row] for row in chosen]).vectors
        for name, vectors in together.items():
            assert vectors[chosen].tobytes() == found[name].tobytes()


def test_shapes_are_decided_by_the_text_alone(encoder, monkeypatch):
    model = encoder("bert")
    shapes, forward = [], model._forward

    def recorded(rows, last_only):
        shapes.append((len(rows), len(rows[0]), model._count_rows(len(rows[0]))))
        return forward(rows, last_only)

    monkeypatch.setattr(model, "_forward", recorded)
    model.encode(["she", *(f"{word} singing" for word in ("he", "a", "dog", "the", "in"))])
    model.encode(["the dog " * 8])
    assert shapes == [(1, 3, 4), (4, 5, 4), (1, 5, 4), (1, 18, 1)]


def test_blank_and_unknown_texts_have_no_vector(encoder):
    texts = ["", "   ", "\t\n", "\u200b", "dog", "q€", "[MASK]", "dog [CLS]", "さくら"]
    found = encoder("bert").encode(texts)
    assert found.unknown.tolist() == [t != "dog" for t in texts]
    assert found.read.tolist() == [t == "dog" for t in texts]
    assert not found.too_long.any()
    for vectors in found.vectors.values():
        assert np.isnan(vectors).all(axis=1).tolist() == found.unknown.tolist()
    assert found.pieces.tolist()[:3] == [0, 0, 0]


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_beyond_the_limit_is_told_and_never_shortened(encoder, kind):
    model = encoder(kind)
    assert model.limit == POSITIONS
    most = POSITIONS - 2
    found = model.encode([" ".join(["dog"] * n) for n in (most, most + 1, 500)])
    assert found.pieces.tolist() == [most, most + 1, 500]
    assert found.too_long.tolist() == [False, True, True]
    assert not np.isnan(found.vectors["last_mean"][0]).any()
    assert np.isnan(found.vectors["last_mean"][1:]).all()


def test_no_text_gives_no_row(encoder):
    found = encoder("bert").encode([])
    assert {vectors.shape for vectors in found.vectors.values()} == {(0, 16)}
    assert found.texts == ()
    assert len(found.letters) == 0


@pytest.mark.parametrize(
    ("kind", "letters"),
    [
        (
            "bert",
            {
                "سلام": True,
                "кошаер": True,
                "singing": False,
                "a": False,
                "ح": False,
                "花木": False,
            },
        ),
        ("roberta", {"سلام": True, "кошаер": True, "singing": False, "花木": True, "é": False}),
        ("xlm-roberta", {"سلام": True, "花木": False, "花": False, "mothers": False}),
    ],
)
def test_texts_cut_into_letters_are_told(encoder, kind, letters):
    found = encoder(kind).encode(list(letters))
    assert dict(zip(found.texts, found.letters.tolist(), strict=True)) == letters


@pytest.mark.parametrize(
    ("text", "pieces", "expected"),
    [
        ("dog", [[0], [1], [2]], True),
        ("dog", [[0, 1, 2]], False),
        ("dogs", [[0], [1], [2, 3]], False),
        ("doggs", [[0], [1], [2], [3, 4]], True),
        ("d", [[0], [0]], False),
        ("d\u0301", [[0], [1]], False),
        ("माया", [[0, 1], [2, 3]], True),
        ("माया", [[0, 1, 2, 3]], False),
        ("до", [[0], [0], [1], [1]], True),
        ("花木", [[0], [1]], False),
        ("花木", [[0], [0], [1]], True),
        ("花木x", [[0], [0], [1], [2]], False),
        ("나라", [[0], [0], [1], [1]], True),
        ("", [], False),
    ],
)
def test_letter_by_letter_by_hand(text, pieces, expected):
    assert is_letter_by_letter(text, pieces) is expected


@given(st.text("abcdeжзا", min_size=2, max_size=8), st.data())
def test_letter_by_letter_for_every_way_to_cut(text, data):
    inner = range(1, len(text))
    cuts = sorted(data.draw(st.sets(st.sampled_from(inner))))
    pieces = [list(range(*pair)) for pair in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    alone = sum(len(piece) == 1 for piece in pieces)
    assert is_letter_by_letter(text, pieces) is (alone > len(text) / 2)


STATES = hnp.arrays(
    np.float32,
    hnp.array_shapes(min_dims=4, max_dims=4, min_side=2, max_side=5),
    elements=st.floats(-8, 8, width=16),
)


@settings(max_examples=40)
@given(STATES, st.data())
def test_read_layers_is_its_definition(layers, data):
    n_layers, n, n_tokens, _ = layers.shape
    own = data.draw(hnp.arrays(bool, (n, n_tokens)))
    own[:, data.draw(st.integers(0, n_tokens - 1))] = True
    cls = data.draw(hnp.arrays(np.int64, n, elements=st.integers(0, n_tokens - 1)))
    found = read_layers(layers, own, cls)
    for row in range(n):
        places = [p for p in range(n_tokens) if own[row, p]]
        for name, some in (
            ("layer0", [0]),
            ("last", [n_layers - 1]),
            ("penultimate", [n_layers - 2]),
            ("all", list(range(n_layers))),
        ):
            states = [[layers[k, row, p].astype(float) for k in some] for p in places]
            each = [sum(one) / len(one) for one in states]
            assert found[f"{name}_first"][row] == pytest.approx(each[0], abs=1e-5)
            assert found[f"{name}_mean"][row] == pytest.approx(sum(each) / len(each), abs=1e-5)
        assert np.array_equal(found["cls_phrase"][row], layers[-1, row, cls[row]])


@settings(max_examples=25)
@given(STATES)
def test_read_layers_sees_nothing_but_own_pieces(layers):
    own = np.zeros(layers.shape[1:3], dtype=bool)
    own[:, 1] = True
    cls = np.zeros(layers.shape[1], dtype=np.int64)
    found = read_layers(layers, own, cls)
    spoiled = layers.copy()
    spoiled[:, :, 2:] = np.nan
    spoiled[:-1, :, 0] = np.inf
    for name, vectors in read_layers(spoiled, own, cls).items():
        assert np.array_equal(vectors, found[name])
        if name.endswith("_mean"):
            # One piece is its own mean.
            assert np.array_equal(vectors, found[name.replace("_mean", "_first")])


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_a_masked_language_model_is_read_without_its_head(make_transformer, kind):
    """It has a head too much and lacks the pooler, and neither is read."""
    from transformers import AutoModel

    folder = make_transformer(kind, head=True)
    encoder = LayerEncoder(folder)
    vectors = encoder.encode(["singing"]).vectors["last_mean"]
    _, expected = by_definition(folder, "singing")
    assert vectors[0] == pytest.approx(expected["last_mean"], abs=2e-5)
    assert hasattr(AutoModel.from_pretrained(folder), "pooler")


def test_half_precision_weights_are_computed_in_full(make_transformer):
    import torch
    from transformers import AutoModel

    folder = make_transformer("bert")
    AutoModel.from_pretrained(folder, dtype=torch.float16).save_pretrained(folder)
    encoder = LayerEncoder(folder)
    assert {one.dtype for one in encoder._model.parameters()} == {torch.float32}


@pytest.fixture
def copied(transformer_folder, tmp_path):
    """Give a copy of a model that may be damaged."""

    def copy(kind="bert"):
        shutil.copytree(transformer_folder(kind), tmp_path / "model")
        return tmp_path / "model"

    return copy


def change_config(folder, name="config.json", **values):
    path = folder / name
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def check_refused(folder, *said):
    with pytest.raises(InputError) as caught:
        LayerEncoder(folder)
    assert str(caught.value).startswith(f"{folder}: ")
    for words in said:
        assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_that_is_not_there(tmp_path):
    check_refused(tmp_path / "absent", "no such folder")


def test_a_decoder(gpt2_folder):
    check_refused(gpt2_folder, "'gpt2' is no encoder", "from both sides", "xlm-roberta")


@pytest.mark.parametrize("name", ["T5Config", "BartConfig"])
def test_encoders_that_have_a_decoder_too(copied, name):
    import transformers

    folder = copied()
    getattr(transformers, name)().save_pretrained(folder)
    check_refused(folder, "is no encoder")


def test_an_encoder_s_type_as_a_decoder(copied):
    folder = copied()
    change_config(folder, is_decoder=True)
    check_refused(folder, "'bert' is no encoder")


def test_a_config_with_a_value_of_another_type(copied):
    folder = copied()
    change_config(folder, hidden_size="wide")
    check_refused(folder, "not a whole model", "hidden_size")


def test_a_tokenizer_without_fast_version(copied):
    folder = copied()
    (folder / "tokenizer.json").unlink()
    change_config(folder, "tokenizer_config.json", tokenizer_class="CanineTokenizer")
    check_refused(folder, "CanineTokenizer has no fast version")


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["model.safetensors"], "no weights; model.safetensors is needed"),
        (["config.json"], "no config.json"),
        (["tokenizer.json"], "tokenizer"),
        (["tokenizer.json", "tokenizer_config.json"], "tokenizer"),
        (["model.safetensors", "tokenizer.json", "tokenizer_config.json"], "no weights"),
    ],
)
def test_a_half_downloaded_model(copied, names, said):
    folder = copied()
    for name in names:
        (folder / name).unlink()
    check_refused(folder, said)


@pytest.mark.parametrize("share", [0, 0.001, 0.5, 0.999])
def test_weights_cut_off(copied, share):
    folder = copied()
    path = folder / "model.safetensors"
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    check_refused(folder, "not a whole model")


def test_a_cut_off_tokenizer_or_config(copied):
    folder = copied()
    path = folder / "tokenizer.json"
    path.write_bytes(path.read_bytes()[:500])
    check_refused(folder, "not a whole model")
    path = folder / "config.json"
    path.write_bytes(path.read_bytes()[:50])
    check_refused(folder, "no config.json that can be read")


def test_pickled_weights_are_not_opened(copied):
    folder = copied()
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(b"cos\nsystem\n")
    check_refused(folder, "pytorch_model.bin, which could run code", "model.safetensors is needed")


def test_weights_that_the_file_lacks_are_not_drawn_at_random(copied):
    from safetensors.torch import load_file, save_file

    folder = copied()
    path = folder / "model.safetensors"
    weights = load_file(path)
    lost = [name for name in weights if re.search(r"layer\.2\.output", name)]
    kept = {name: value for name, value in weights.items() if name not in lost}
    save_file(kept, path, metadata={"format": "pt"})
    assert len(lost) == 4
    check_refused(folder, "lack 4 weights", "encoder.layer.2.output")


@pytest.mark.parametrize("kind", KINDS)
def test_the_table_of_positions_is_the_limit_of_a_tokenizer_that_has_none(copied, kind):
    """RoBERTa's table has two rows more than it has positions for a text."""
    folder = copied(kind)
    change_config(folder, "tokenizer_config.json", model_max_length=10**30)
    encoder = LayerEncoder(folder)
    assert encoder.limit == POSITIONS
    texts = [" ".join(["dog"] * n) for n in (POSITIONS - 2, POSITIONS - 1)]
    assert encoder.encode(texts).too_long.tolist() == [False, True]
    change_config(folder, "tokenizer_config.json", model_max_length=12)
    assert LayerEncoder(folder).limit == 12


def test_weights_of_another_size(copied):
    folder = copied()
    change_config(folder, hidden_size=18)
    check_refused(folder, "not a whole model")


def test_a_tokenizer_of_another_model(copied, transformer_folder):
    folder = copied("xlm-roberta")
    shutil.copy(transformer_folder("roberta") / "tokenizer.json", folder)
    check_refused(folder, "they are not of one model")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("name", "key"),
    [("tokenizer.json", "post_processor"), ("tokenizer_config.json", "cls_token")],
)
def test_a_tokenizer_that_adds_no_classification_token(copied, kind, name, key):
    folder = copied(kind)
    change_config(folder, name, **{key: None})
    check_refused(folder, "names no classification token ([CLS], <s>), or adds none to a text")


def test_code_of_a_model_is_never_run(copied, tmp_path):
    folder = copied()
    trap = tmp_path / "ran"
    (folder / "own.py").write_text(f"open({str(trap)!r}, 'w')\n")
    own = {"AutoConfig": "own.Config", "AutoModel": "own.Model"}
    change_config(folder, auto_map=own, model_type="owncode")
    check_refused(folder, "code of its own", "never run", "'owncode'")
    # A type that the library knows is read by the library's own code.
    change_config(folder, auto_map=own, model_type="bert")
    assert LayerEncoder(folder).encode(["dog"]).read.all()
    assert not trap.exists()


def test_english_bert_reads_latin_letters_only(fetched_asset, shared_folder):
    """Shares of words read and not cut into letters, of WEATHub's lists of human translations."""
    encoder = LayerEncoder(fetched_asset("minilm_l6_v2"))
    data = shared_folder("weathub") / "data"
    share = {}
    for language in ("ar", "de", "el", "fa", "fr", "hi", "ja", "ko", "ru", "th", "tr", "vi", "zh"):
        words = set()
        for path in sorted((data / f"{language}_human").glob("*.json")):
            for part in json.loads(path.read_text(encoding="utf-8")).values():
                words.update(word for entry in part["examples"] for word in str(entry).split())
        cuts = cut_texts(encoder._tokenizer, sorted(words))
        share[language] = np.mean([not cut.unknown and not cut.letters for cut in cuts])
    assert {language for language, read in share.items() if read >= 0.5} == {
        "de", "fr", "tr", "vi",
    }  # fmt: skip
    assert max(share[language] for language in ("ar", "el", "fa", "hi", "ko", "ru", "th")) < 0.1
