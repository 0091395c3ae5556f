"""A fastText model on disk: vectors of words, seen or not, without loading it.

A file of 7 GB (``cc.{language}.300.bin``) has 4.8 GB of input vectors. They are mapped into
memory, so that only the rows of the words asked for are read; of its dictionary of two million
words only those asked for are kept.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from biasatlas.errors import InputError
from biasatlas.vectors.store import FASTTEXT_HEADER, SUPERVISED, is_fasttext

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

# The newest version of the format, which fastText has written since 2017.
NEWEST = 12
# fastText's sign for the end of a line; it alone has no n-grams.
END_OF_LINE = "</s>"
# Behind the null that ends a word: how often it occurs (8 bytes), word or label (1).
_BEHIND_WORD = 10
# A longer word is none: the file is damaged.
_LONGEST_WORD = 1 << 20
# Whether it is quantised; rows and columns.
_MATRIX = struct.Struct("<?2q")


@dataclass(frozen=True)
class FastTextFile:
    """Vectors of a fastText model as its own `get_word_vector` gives them.

    Attributes
    ----------
    path : Path
    matrix : ndarray, shape (n_words + buckets, d), float32
        Mapped into memory, read only: words first, then the buckets of character n-grams.
    n_words, buckets : int
    shortest, longest : int
        Lengths of the n-grams; `longest` is 0 for a model without.
    """

    path: Path
    matrix: Floats
    n_words: int
    buckets: int
    shortest: int
    longest: int

    @property
    def size(self) -> int:
        """Dimensions of a vector."""
        return int(self.matrix.shape[1])

    def find(self, words: Collection[str]) -> dict[str, int]:
        """Rows of those words that the vocabulary has; one pass through it."""
        wanted = {word.encode(): word for word in words}
        found: dict[str, int] = {}
        if not wanted:
            return found
        with _mapped(self.path) as data:
            spans = _word_spans(data, self.n_words, self.path)
            for row, (start, end) in enumerate(spans):
                word = wanted.get(data[start:end])
                # Of a word that stands twice the last row counts, as in fastText.
                if word is not None:
                    found[word] = row
        return found

    def has_capitals(self) -> bool:
        """Whether a word of the vocabulary has a capital letter."""
        with _mapped(self.path) as data:
            spans = _word_spans(data, self.n_words, self.path)
            words = (data[start:end].decode(errors="replace") for start, end in spans)
            return any(word != word.lower() for word in words)

    def ngram_rows(self, word: str) -> list[int]:
        """Rows of the character n-grams of a word within its boundary marks."""
        from gensim.models.fasttext_inner import compute_ngrams_bytes, ft_hash_bytes

        if not self.longest or not self.buckets or word == END_OF_LINE:
            return []
        grams = compute_ngrams_bytes(word, self.shortest, self.longest)
        return [self.n_words + ft_hash_bytes(gram) % self.buckets for gram in grams]

    def vector(self, word: str, row: int | None) -> Floats | None:
        """Mean of the word's own row, where it has one, and the rows of its n-grams.

        Bojanowski et al. 2017, section 3.2.

        Parameters
        ----------
        word : str
        row : int or None
            Its own row, as from `find`.

        Returns
        -------
        ndarray or None
            None where there is no row at all, for which fastText itself gives zeros: a word that
            is new to a model without n-grams, or too short for one.
        """
        rows = [] if row is None else [row]
        rows += self.ngram_rows(word)
        if not rows:
            return None
        return self.matrix[rows].mean(axis=0, dtype=np.float64).astype(np.float32)

    def vectors(self, words: Sequence[str]) -> tuple[Floats, NDArray[np.bool_]]:
        """Vectors of words, and which of them are in the vocabulary.

        Returns
        -------
        vectors : ndarray, shape (n, d), float32
            NaN in the rows of words without a vector.
        known : ndarray of bool, shape (n,)
        """
        rows = self.find(set(words))
        found = np.full((len(words), self.size), np.nan, dtype=np.float32)
        for number, word in enumerate(words):
            vector = self.vector(word, rows.get(word))
            if vector is not None:
                found[number] = vector
        return found, np.array([word in rows for word in words], dtype=bool)


def open_fasttext(path: str | Path) -> FastTextFile:
    """Open a model in fastText's own binary format.

    Parameters
    ----------
    path : str or Path

    Raises
    ------
    InputError
        For another format, a file that was cut short, a classifier, and a pruned or quantised
        model.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: no such file of word vectors")
    try:
        if not is_fasttext(path):
            raise InputError(f"{path}: not a fastText model; its first bytes are others")
        with _mapped(path) as data:
            return _read_model(path, data)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error})") from error


def _read_model(path: Path, data: mmap.mmap) -> FastTextFile:
    if len(data) < FASTTEXT_HEADER.size:
        raise _cut(path, "in its header")
    values = FASTTEXT_HEADER.unpack_from(data)
    version, size = values[1], values[2]
    kind, buckets, shortest, longest = values[9:13]
    n_entries, n_words, n_labels, pruned = values[15], values[16], values[17], values[19]
    _check_header(path, version, kind, pruned)
    counts = (size, buckets, shortest, longest, n_words, n_labels)
    if min(counts) < 0 or size == 0 or n_entries != n_words + n_labels:
        raise InputError(f"{path}: not a whole fastText model; its header makes no sense")
    end = FASTTEXT_HEADER.size
    for _, stop in _word_spans(data, n_entries, path):
        end = stop + _BEHIND_WORD
    rows, columns, start = _read_shape(path, data, end, "input")
    if columns != size or rows != n_words + buckets:
        raise InputError(
            f"{path}: not a fastText model of words: {rows} x {columns} vectors where its header "
            f"promises {n_words} words and {buckets} buckets of {size} numbers"
        )
    _read_shape(path, data, start + 4 * rows * columns, "output")
    matrix: Floats = np.empty((0, size), dtype=np.float32)
    if rows:
        matrix = np.memmap(path, dtype="<f4", mode="r", offset=start, shape=(rows, columns))
    return FastTextFile(path, matrix, n_words, buckets, shortest, longest)


def _check_header(path: Path, version: int, kind: int, pruned: int) -> None:
    if not 0 < version <= NEWEST:
        raise InputError(f"{path}: fastText's format {version}; allowed is up to {NEWEST}")
    if kind == SUPERVISED:
        raise InputError(f"{path}: a classifier of texts; allowed are models of word vectors")
    if pruned >= 0:
        raise InputError(f"{path}: a pruned model; allowed is one with all its n-grams")


def _read_shape(path: Path, data: mmap.mmap, at: int, which: str) -> tuple[int, int, int]:
    """Rows, columns and the first byte of a matrix that must be there as a whole."""
    if at + _MATRIX.size > len(data):
        raise _cut(path, f"before its {which} vectors")
    quantised, rows, columns = _MATRIX.unpack_from(data, at)
    if quantised:
        raise InputError(f"{path}: a quantised model; allowed is the whole one (.bin)")
    start = at + _MATRIX.size
    if rows < 0 or columns < 0 or start + 4 * rows * columns > len(data):
        raise _cut(path, f"in its {which} vectors")
    return rows, columns, start


def _word_spans(data: mmap.mmap, n: int, path: Path) -> Iterator[tuple[int, int]]:
    """First byte of each word of the dictionary, and the byte behind its last one."""
    start, find = FASTTEXT_HEADER.size, data.find
    for _ in range(n):
        end = find(b"\0", start, start + _LONGEST_WORD)
        if end < 0:
            raise _cut(path, "in its dictionary")
        yield start, end
        start = end + _BEHIND_WORD


def _mapped(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _cut(path: Path, where: str) -> InputError:
    return InputError(
        f"{path}: not a whole fastText model; it breaks off or is damaged {where}. Fetch or train "
        "it again"
    )
