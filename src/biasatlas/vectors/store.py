"""Word vectors in memory and in word2vec's binary format."""

from __future__ import annotations

import logging
import struct
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from biasatlas.errors import InputError
from biasatlas.files import atomic_path

if TYPE_CHECKING:
    from numpy.typing import NDArray

logger = logging.getLogger(__name__)

# The first four bytes of fastText's own format, as its reader checks them.
FASTTEXT_MAGIC = (793712314).to_bytes(4, "little")
# Magic and version; 12 settings (size first, kind eighth, buckets ninth) and a rate; words and
# labels, words, labels; tokens, pruned entries.
FASTTEXT_HEADER = struct.Struct("<2i12id3i2q")
SUPERVISED = 3


class Composer(Protocol):
    """Gives a vector for any word, seen or not (fastText)."""

    def __call__(self, word: str) -> NDArray[np.float32]:
        """Vector of `word`, shape (d,)."""
        ...


@dataclass(frozen=True)
class WordVectors:
    """Words and their vectors.

    Attributes
    ----------
    words : sequence of str
        The vocabulary, most frequent first.
    matrix : ndarray, shape (n_words, d), float32
        One row a word.
    compose : callable or None
        Gives a vector for a word outside the vocabulary; None where there is no such way.
    composable : collection of str or None
        The only words that `compose` can be asked for; None for any.
    """

    words: Sequence[str]
    matrix: NDArray[np.float32]
    compose: Composer | None = None
    composable: Collection[str] | None = None
    index: Mapping[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if len(self.words) != len(self.matrix):
            raise ValueError(f"{len(self.words)} words but {len(self.matrix)} vectors")
        object.__setattr__(self, "index", {word: row for row, word in enumerate(self.words)})

    def can_compose(self, word: str) -> bool:
        """Whether a word outside the vocabulary can be given a vector."""
        within = self.composable is None or word in self.composable
        return self.compose is not None and within

    @property
    def size(self) -> int:
        """Dimensions of a vector."""
        return int(self.matrix.shape[1])

    def __contains__(self, word: object) -> bool:
        return word in self.index

    def rows(self, words: Iterable[str]) -> NDArray[np.float64]:
        """Vectors of `words` in their order, shape (n, d), float64.

        Raises
        ------
        KeyError
            For a word that has no vector and cannot be composed.
        """
        found = []
        for word in words:
            if word in self.index:
                found.append(self.matrix[self.index[word]])
            elif self.compose is not None and self.can_compose(word):
                found.append(self.compose(word))
            else:
                raise KeyError(word)
        return np.asarray(found, dtype=np.float64).reshape(len(found), self.size)


def save_word2vec(vectors: WordVectors, path: str | Path) -> None:
    """Write vectors in word2vec's binary format, whole or not at all."""
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        file.write(f"{len(vectors.words)} {vectors.size}\n".encode())
        for word, row in zip(vectors.words, vectors.matrix, strict=True):
            file.write(word.encode() + b" " + row.astype("<f4").tobytes() + b"\n")


def load_word2vec(path: str | Path) -> WordVectors:
    """Read vectors in word2vec's binary or text format through gensim.

    Raises
    ------
    InputError
        When the file is missing, damaged or of another format.
    """
    from gensim.models import KeyedVectors

    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: no such file of word vectors")
    binary = path.suffix == ".bin"
    try:
        loaded: Any = KeyedVectors.load_word2vec_format(str(path), binary=binary)
    except (EOFError, UnicodeDecodeError, ValueError, OSError, MemoryError) as error:
        reason = str(error) or "its first line promises more than memory holds"
        raise InputError(
            f"{path}: not word vectors in word2vec's {'binary' if binary else 'text'} format "
            f"({reason}); a binary file ends in .bin, a text file in .vec or .txt"
        ) from error
    # gensim reads a repeated word once, and leaves None at the end in place of the others.
    words = tuple(word for word in loaded.index_to_key if word is not None)
    repeated = len(loaded.index_to_key) - len(words)
    if repeated:
        logger.warning("%s: %d words stand twice; the first vector counts", path.name, repeated)
    return WordVectors(words, np.asarray(loaded.vectors[: len(words)], dtype=np.float32))


def is_fasttext(path: str | Path) -> bool:
    """Whether a file begins as fastText's own format does."""
    with Path(path).open("rb") as file:
        return file.read(len(FASTTEXT_MAGIC)) == FASTTEXT_MAGIC


def load_fasttext(path: str | Path) -> WordVectors:
    """Read a model in fastText's own binary format; it composes words that it never saw."""
    import fasttext

    _check_fasttext_size(Path(path))
    try:
        model: Any = fasttext.load_model(str(path))
    except (ValueError, RuntimeError, MemoryError) as error:
        raise InputError(f"{path}: not a fastText model ({error})") from error
    words = tuple(model.get_words())
    matrix = np.stack([model.get_word_vector(word) for word in words]).astype(np.float32)
    return WordVectors(words, matrix, compose=model.get_word_vector)


def _check_fasttext_size(path: Path) -> None:
    """Refuse a file that was cut short: fastText reads it, and leaves noise in the matrices."""
    with path.open("rb") as file:
        header = file.read(FASTTEXT_HEADER.size)
    held, needed = path.stat().st_size, FASTTEXT_HEADER.size
    if held >= needed:
        values = FASTTEXT_HEADER.unpack(header)
        size, kind, buckets, n_words = values[2], values[9], values[10], values[16]
        # Supervised models can be quantised, which makes their matrices smaller.
        needed += 0 if kind == SUPERVISED else 4 * size * (2 * n_words + buckets)
    if held < needed:
        raise InputError(
            f"{path}: not a whole fastText model ({held} bytes where its header and matrices take "
            f"{needed}); fetch or train it again"
        )


def load_vectors(path: str | Path) -> WordVectors:
    """Read word vectors of any known form, told apart by the file itself.

    Parameters
    ----------
    path : str or Path
        The GloVe asset's folder, a fastText model, or word2vec's binary or text format.
    """
    path = Path(path)
    if path.is_dir():
        return load_glove(path)
    if not path.is_file():
        raise InputError(f"{path}: no such file of word vectors")
    return load_fasttext(path) if is_fasttext(path) else load_word2vec(path)


def load_glove(folder: str | Path) -> WordVectors:
    """Read the GloVe 6B asset: a float32 matrix beside a table of its words.

    Parameters
    ----------
    folder : str or Path
        Holds ``glove_6B_50d_emb.npy`` and ``glove_6B_index.parquet``.
    """
    import pandas as pd

    folder = Path(folder)
    try:
        matrix = np.load(folder / "glove_6B_50d_emb.npy", allow_pickle=False)
        words = pd.read_parquet(folder / "glove_6B_index.parquet")["index"].astype(str)
    except (OSError, EOFError, ValueError, KeyError) as error:
        raise InputError(f"{folder}: not the GloVe 6B asset ({error}); fetch it again") from error
    if len(words) != len(matrix):
        raise InputError(f"{folder}: {len(matrix)} vectors but {len(words)} words; fetch it again")
    return WordVectors(tuple(words), np.ascontiguousarray(matrix, dtype=np.float32))
