"""A language model small enough to be built in a test, and the real small one where it is."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[3]
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
# Types of values and tensors in a GGUF file.
U32, I32, F32, TEXT, LIST = 4, 5, 6, 8, 9
TRAINED = 512


def _text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def _value(value) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", TEXT) + _text(value)
    if isinstance(value, float):
        return struct.pack("<If", F32, value)
    if isinstance(value, int):
        return struct.pack("<II", U32, value)
    kind = {str: TEXT, float: F32, int: I32}[type(value[0])]
    pack = {TEXT: _text, F32: lambda v: struct.pack("<f", v), I32: lambda v: struct.pack("<i", v)}
    return struct.pack("<IIQ", LIST, kind, len(value)) + b"".join(map(pack[kind], value))


def write_gguf(path: Path, template: str | None = TEMPLATE, seed: int = 0) -> Path:
    """Save a Llama of one layer with random weights and one token a byte."""
    width, hidden = 32, 64
    special = ["<unk>", "<s>", "</s>", "<|im_start|>", "<|im_end|>"]
    tokens = [*special, *(f"<0x{byte:02X}>" for byte in range(256))]
    # The sign that stands for a space.
    tokens.append("\u2581")
    kinds = [2, 3, 3, 3, 3, *[6] * 256, 1]
    values = {
        "general.architecture": "llama",
        "llama.block_count": 1,
        "llama.context_length": TRAINED,
        "llama.embedding_length": width,
        "llama.feed_forward_length": hidden,
        "llama.attention.head_count": 2,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.scores": [0.0] * len(tokens),
        "tokenizer.ggml.token_type": kinds,
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 4,
    }
    if template is not None:
        values["tokenizer.chat_template"] = template
    square, up, down = (width, width), (hidden, width), (width, hidden)
    shapes = {"token_embd": (len(tokens), width), "output": (len(tokens), width)}
    shapes |= {"output_norm": (width,), "blk.0.attn_norm": (width,), "blk.0.ffn_norm": (width,)}
    shapes |= {f"blk.0.attn_{name}": square for name in ("q", "k", "v", "output")}
    shapes |= {"blk.0.ffn_gate": up, "blk.0.ffn_up": up, "blk.0.ffn_down": down}
    rng = np.random.default_rng(seed)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), len(values))
    head += b"".join(_text(key) + _value(value) for key, value in values.items())
    data = b""
    for name, shape in shapes.items():
        sizes = shape[::-1]
        head += _text(f"{name}.weight") + struct.pack("<I", len(sizes))
        head += struct.pack(f"<{len(sizes)}QIQ", *sizes, 0, len(data))
        weights = rng.normal(1 if len(shape) == 1 else 0, 0.5, size=shape).astype("<f4").tobytes()
        data += weights + bytes(-len(weights) % 32)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(head + bytes(-len(head) % 32) + data)
    return path


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory) -> Path:
    pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed (make llm)")
    return write_gguf(tmp_path_factory.mktemp("gguf") / "tiny.gguf")


def write_causal(folder: Path, template: str | None = TEMPLATE) -> Path:
    """Save a causal model of transformers with random weights, and a tokenizer trained on a text."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    special = ["<s>", "<|im_start|>", "<|im_end|>"]
    cut = Tokenizer(models.BPE())
    cut.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    cut.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=320,
        special_tokens=special,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    cut.train_from_iterator(["She likes the rain. He likes the town. the the She He"] * 20, trainer)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=cut, bos_token="<s>", eos_token="<|im_end|>", pad_token="<|im_end|>"
    )
    if template is not None:
        tokenizer.chat_template = template
    tokenizer.save_pretrained(folder)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=TRAINED,
        bos_token_id=0,
        eos_token_id=2,
        initializer_range=0.4,
    )
    with torch.random.fork_rng():
        torch.manual_seed(0)
        LlamaForCausalLM(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_causal(tmp_path_factory) -> Path:
    return write_causal(tmp_path_factory.mktemp("causal") / "tiny")


@pytest.fixture
def make_causal(tmp_path) -> Callable[..., Path]:
    """A tiny causal model of one's own, with another chat template, or none."""
    return lambda template=TEMPLATE: write_causal(tmp_path / "causal", template)


@pytest.fixture
def make_model(tmp_path, tiny_model) -> Callable[[str | None], Path]:
    """A tiny model with another chat template, or none."""
    return lambda template: write_gguf(tmp_path / "model" / "other.gguf", template)


@pytest.fixture(scope="session")
def small_model() -> Path:
    """SmolLM2 as the demo fetches it, or where BIASATLAS_SMOLLM2 says."""
    pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed (make llm)")
    path = Path(os.environ.get("BIASATLAS_SMOLLM2", ROOT / "resources/fetched/smollm2_135m"))
    if not path.exists():
        pytest.skip(f"{path} is not there: run the demo first, or set BIASATLAS_SMOLLM2")
    return path
