"""A sentence encoder small enough to be built in a test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

WORDS = (
    "the a of and she he woman man mother father queen king cat dog run sing election vote goal "
    "match school child hospital doctor river mountain".split()
)


def write_encoder(folder: Path, positions: int) -> Path:
    """Save a BERT of two layers with a WordPiece vocabulary as a sentence-transformers model."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    letters = "abcdefghijklmnopqrstuvwxyz"
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = [*special, *letters, *(f"##{c}" for c in letters), *WORDS, "##ing", "##s"]
    pieces = {piece: number for number, piece in enumerate(dict.fromkeys(vocabulary))}
    tokenizer = Tokenizer(models.WordPiece(pieces, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    raw = folder.with_name(f"{folder.name}_raw")
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=positions,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    ).save_pretrained(raw)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(pieces),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=positions,
    )
    BertModel(config).save_pretrained(raw)
    modules = [Transformer(str(raw)), Pooling(32, pooling_mode="mean")]
    SentenceTransformer(modules=modules, device="cpu").save_pretrained(str(folder))
    return folder


@pytest.fixture(scope="session")
def encoder_folder(tmp_path_factory) -> Path:
    return write_encoder(tmp_path_factory.mktemp("encoder") / "tiny", positions=64)


@pytest.fixture(scope="session")
def make_encoder_folder(tmp_path_factory) -> Callable[[int], Path]:
    return lambda positions: write_encoder(
        tmp_path_factory.mktemp("encoder") / "tiny", positions=positions
    )
