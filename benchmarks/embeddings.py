"""Passages a CPU second: SentenceTransformer.encode with its defaults, ours fp32, ours bf16.

    python benchmarks/embeddings.py passages.parquet
    python benchmarks/embeddings.py passages.parquet --encoder resources/fetched/minilm_l6_v2 \
        --passages 1500 --repeats 3

The Parquet file has a column text. The three take turns in one process; CPU seconds are those of
all its threads. Prints a Markdown table with the least cosine of a passage to ours fp32.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from biasatlas.encoders.sentence import SentenceEncoder, has_bf16

ENCODER = Path("resources/fetched/minilm_l6_v2")


def encode_with_defaults(folder: Path) -> Callable[[list[str]], Any]:
    """SentenceTransformer.encode on this processor, with as many threads as PyTorch takes."""
    import torch
    from sentence_transformers import SentenceTransformer

    threads = torch.get_num_threads()
    model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)

    def encode(texts: list[str]) -> Any:
        torch.set_num_threads(threads)
        try:
            return model.encode(texts, show_progress_bar=False)
        finally:
            torch.set_num_threads(1)

    return encode


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--encoder", type=Path, default=ENCODER)
    parser.add_argument("--passages", type=int, default=1500)
    parser.add_argument("--repeats", type=int, default=2)
    options = parser.parse_args()
    texts = list(pd.read_parquet(options.path, columns=["text"])["text"].head(options.passages))
    ways: dict[str, Callable[[list[str]], Any]] = {
        "SentenceTransformer.encode": encode_with_defaults(options.encoder),
        "ours, fp32": SentenceEncoder(options.encoder, precision="fp32").encode,
    }
    if has_bf16("cpu"):
        ways["ours, bf16"] = SentenceEncoder(options.encoder, precision="bf16").encode
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    found = {}
    for _ in range(options.repeats):
        for name, encode in ways.items():
            start = time.process_time()
            vectors = np.asarray(encode(texts), dtype=np.float64)
            seconds[name].append(time.process_time() - start)
            found[name] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    words = np.mean([len(text.split()) for text in texts])
    print(f"{len(texts)} passages of {words:.0f} words, {options.repeats} turns\n")
    print("| | passages a CPU second | of each turn | ratio | least cosine |\n|" + " --- |" * 5)
    first = min(seconds["SentenceTransformer.encode"])
    for name, taken in seconds.items():
        rates = ", ".join(f"{len(texts) / one:.1f}" for one in taken)
        cosine = (found[name] * found["ours, fp32"]).sum(axis=1).min()
        best = min(taken)
        cells = [f"{len(texts) / best:.1f}", rates, f"{first / best:.2f}x", f"{cosine:.6f}"]
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
