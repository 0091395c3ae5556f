"""Transformers of three layers, small enough to be built in a test, with real tokenizers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

LETTERS = "abcdefghijklmnopqrstuvwxyz"
WORDS = "the a of she he sing flower mother father queen grand dog big sister house in".split()
# Single letters of other scripts, as English BERT has them.
FOREIGN = "حبسلامкошад花木さく一ক"
POSITIONS = 40
_SIZES: dict[str, Any] = {
    "hidden_size": 16,
    "num_hidden_layers": 3,
    "num_attention_heads": 2,
    "intermediate_size": 24,
    # So large that each layer changes a vector's direction.
    "initializer_range": 0.5,
}


def _wordpiece(positions: int) -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    letters = [*LETTERS, "#", *FOREIGN]
    pieces = [*special, *letters, *(f"##{c}" for c in letters), *WORDS, "##ing", "##s", "##ер"]
    numbers = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    # MiniLM's own file asks for this, which would shorten texts without a word.
    tokenizer.enable_truncation(6)
    tokenizer.enable_padding(length=6)
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=positions,
        **dict(zip(names, special, strict=True)),
    )


def _unigram(special: dict[str, str], positions: int) -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    tokens = list(special.values())
    pieces = [(token, 0.0) for token in tokens]
    pieces += [(f"▁{word}", -4.0) for word in WORDS]
    pieces += [("▁", -5.0), ("ing", -4.0), ("s", -4.5), ("ower", -5.0), ("花木", -5.0)]
    pieces += [(letter, -9.0) for letter in LETTERS if letter != "s"]
    pieces += [(letter, -9.0) for letter in FOREIGN]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=tokens.index(special["unk_token"])))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    cls, sep = special["cls_token"], special["sep_token"]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{cls} $A {sep}",
        special_tokens=[(cls, tokens.index(cls)), (sep, tokens.index(sep))],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=positions, **special
    )


def _byte_level(positions: int) -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=420,
        special_tokens=special,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([" ".join(["", *WORDS, "singing", "houses"])] * 9, trainer)
    tokenizer.post_processor = processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), trim_offsets=True, add_prefix_space=False
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=positions,
        bos_token="<s>",
        eos_token="</s>",
        cls_token="<s>",
        sep_token="</s>",
        unk_token="<unk>",
        pad_token="<pad>",
        mask_token="<mask>",
    )


def write_transformer(folder: Path, kind: str, *, head: bool = False) -> Path:
    """Save a model and its tokenizer; with `head` as it is left by masked-language training."""
    import torch
    from transformers import AutoConfig, AutoModel, AutoModelForMaskedLM

    sizes = dict(_SIZES)
    if kind in ("roberta", "xlm-roberta"):
        sizes |= {"pad_token_id": 1, "max_position_embeddings": POSITIONS + 2}
    else:
        sizes |= {"pad_token_id": 0, "max_position_embeddings": POSITIONS}
    if kind in ("bert", "distilbert"):
        tokenizer = _wordpiece(POSITIONS)
    elif kind == "roberta":
        tokenizer = _byte_level(POSITIONS)
    elif kind == "albert":
        names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
        tokens = ("<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]")
        tokenizer = _unigram(dict(zip(names, tokens, strict=True)), POSITIONS)
        sizes["embedding_size"] = 8
    else:
        names = ("cls_token", "pad_token", "sep_token", "unk_token", "mask_token")
        tokens = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
        tokenizer = _unigram(dict(zip(names, tokens, strict=True)), POSITIONS)
    if kind == "distilbert":
        for theirs, ours in (
            ("dim", "hidden_size"),
            ("n_layers", "num_hidden_layers"),
            ("n_heads", "num_attention_heads"),
            ("hidden_dim", "intermediate_size"),
        ):
            sizes[theirs] = sizes.pop(ours)
    torch.manual_seed(len(kind))
    config = AutoConfig.for_model(kind, vocab_size=len(tokenizer), **sizes)
    (AutoModelForMaskedLM if head else AutoModel).from_config(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def transformer_folder(tmp_path_factory) -> Callable[[str], Path]:
    """Give the folder of a tiny model of a kind, made once; not to be changed."""
    made: dict[str, Path] = {}
    parent = tmp_path_factory.mktemp("transformers")

    def find(kind: str) -> Path:
        if kind not in made:
            made[kind] = write_transformer(parent / kind, kind)
        return made[kind]

    return find


@pytest.fixture
def make_transformer(tmp_path) -> Callable[..., Path]:
    """Save a tiny model of a kind in a folder of the test's own."""
    return lambda kind, **options: write_transformer(tmp_path / kind, kind, **options)


@pytest.fixture
def gpt2_folder(tmp_path) -> Path:
    """A decoder, which reads a text from the left only."""
    from transformers import GPT2Config, GPT2Model

    tokenizer = _byte_level(POSITIONS)
    config = GPT2Config(
        vocab_size=len(tokenizer), n_embd=16, n_layer=2, n_head=2, n_positions=POSITIONS
    )
    GPT2Model(config).save_pretrained(tmp_path / "gpt2")
    tokenizer.save_pretrained(tmp_path / "gpt2")
    return tmp_path / "gpt2"
