"""Sentence embeddings that do not depend on the order or the company of the texts."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from biasatlas.encoders.pieces import check_vocabulary
from biasatlas.errors import InputError
from biasatlas.logs import Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

logger = logging.getLogger(__name__)

# Padding in steps of 16 tokens: a row's shape depends on the row alone, so its bits do too.
STEP = 16


class SentenceEncoder:
    """A sentence-transformers model that runs on batches of one fixed shape.

    Parameters
    ----------
    folder : str or Path
        The model's folder; only safetensors weights are read, no code of the model is run.
    batch_size : int
        Rows of every batch; the last one is filled up with copies.
    precision : {"fp32", "bf16"}
        bf16 computes matrix products in bfloat16 and the rest in fp32, about twice as fast where
        the processor has it; processors with and without it would give different topics.

    Raises
    ------
    InputError
        For a folder that is no whole model, and for bf16 on a device that has none.
    """

    def __init__(
        self, folder: str | Path, *, batch_size: int = 32, precision: str = "fp32"
    ) -> None:
        import torch
        from safetensors import SafetensorError
        from sentence_transformers import SentenceTransformer

        folder = Path(folder)
        if not (folder / "modules.json").is_file():
            raise InputError(f"{folder}: not a sentence-transformers model (no modules.json)")
        self.batch_size = batch_size
        self.device = choose_device()
        self.precision = check_precision(precision, self.device)
        # One thread: the split of a product over threads changes its last bits.
        torch.set_num_threads(1)
        try:
            self._model: Any = SentenceTransformer(
                str(folder),
                device=self.device,
                trust_remote_code=False,
                local_files_only=True,
                model_kwargs={"use_safetensors": True},
            ).eval()
        except (OSError, ValueError, TypeError, KeyError, RuntimeError, SafetensorError) as error:
            reason = " ".join(str(error).split())
            raise InputError(f"{folder}: not a whole sentence encoder ({reason})") from error
        check_vocabulary(self._model.tokenizer, folder)

    @property
    def model(self) -> Any:
        """The sentence-transformers model itself, for libraries that take one."""
        return self._model

    def encode(self, texts: Sequence[str], what: str = "texts") -> NDArray[np.float32]:
        """Embed texts, each distinct one once.

        Parameters
        ----------
        texts : sequence of str
        what : str
            What they are, for the progress line.

        Returns
        -------
        ndarray, shape (n, d), float32
            Unit rows in the order of `texts`.
        """
        distinct = sorted(set(texts))
        if not distinct:
            return np.empty((0, self._model.get_embedding_dimension()), dtype=np.float32)
        rows = {text: row for row, text in enumerate(distinct)}
        embedded = self._encode_distinct(distinct, what)
        return embedded[[rows[text] for text in texts]]

    def _encode_distinct(self, texts: Sequence[str], what: str) -> NDArray[np.float32]:
        import torch

        tokens = self._tokenize(texts)
        lengths = np.array([len(ids) for ids in tokens])
        padded = np.minimum(-(-lengths // STEP) * STEP, self.limit)
        progress = Progress(len(texts), what)
        result: NDArray[np.float32] | None = None
        with torch.inference_mode():
            for length in np.unique(padded):
                members = np.flatnonzero(padded == length)
                for start in range(0, len(members), self.batch_size):
                    chosen = members[start : start + self.batch_size]
                    vectors = self._forward([tokens[row] for row in chosen], int(length))
                    if result is None:
                        result = np.empty((len(texts), vectors.shape[1]), dtype=np.float32)
                    result[chosen] = vectors[: len(chosen)]
                    progress.update(len(chosen))
        assert result is not None
        return result

    def _tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        encoded = self._model.tokenizer(
            list(texts), truncation=True, max_length=self.limit, padding=False
        )
        return list(encoded["input_ids"])

    @property
    def limit(self) -> int:
        """Most tokens of a text; the model has no position beyond."""
        return int(self._model.max_seq_length or 512)

    def _forward(self, rows: list[list[int]], length: int) -> NDArray[np.float32]:
        import torch

        pad = self._model.tokenizer.pad_token_id
        filled = rows + [rows[0]] * (self.batch_size - len(rows))
        ids = torch.full((self.batch_size, length), pad, dtype=torch.long)
        mask = torch.zeros((self.batch_size, length), dtype=torch.long)
        for number, row in enumerate(filled):
            ids[number, : len(row)] = torch.tensor(row)
            mask[number, : len(row)] = 1
        features = {"input_ids": ids.to(self.device), "attention_mask": mask.to(self.device)}
        kind = self.device.partition(":")[0]
        reduced = self.precision == "bf16"
        with torch.autocast(kind, dtype=torch.bfloat16, enabled=reduced):
            vectors = self._model(features)["sentence_embedding"]
        vectors = torch.nn.functional.normalize(vectors.float(), dim=1)
        return np.asarray(vectors.cpu().numpy(), dtype=np.float32)


def choose_device() -> str:
    """cuda, mps or cpu, the first that is there."""
    import torch

    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def check_precision(wanted: str, device: str) -> str:
    """Give a precision back if the device computes it.

    Raises
    ------
    InputError
        For a name that is none, and for bf16 where it would be slower than fp32: on a processor
        that only imitates it.
    """
    if wanted not in ("fp32", "bf16"):
        raise InputError(f"precision: '{wanted}'; allowed are 'fp32' and 'bf16'")
    if wanted == "bf16" and not has_bf16(device):
        raise InputError(f"precision: 'bf16', which this machine's {device} has not; take 'fp32'")
    return wanted


def has_bf16(device: str) -> bool:
    """Whether a device multiplies matrices of bfloat16 itself."""
    import platform

    import torch

    kind = device.partition(":")[0]
    if kind == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    if kind == "mps":
        return bool(torch.backends.mps.is_macos_or_newer(14, 0))
    if platform.machine().lower() in ("x86_64", "amd64"):
        # oneDNN's own answer is yes for any AVX-512 processor, most of which only imitate it.
        return bool(torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())
    return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
