"""Word vectors that stand in a file: one vector a word, whatever is around it."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from biasatlas.encoders.fasttext_file import FastTextFile, open_fasttext
from biasatlas.encoders.phrases import FASTTEXT
from biasatlas.lexicons.character_classes import has_dotted_i
from biasatlas.vectors.store import WordVectors, is_fasttext, load_vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

logger = logging.getLogger(__name__)

STATIC = "static"


class Looked(NamedTuple):
    """Words as a file of vectors has them.

    Attributes
    ----------
    vectors : ndarray, shape (n, d), float32
        NaN in the rows of words without a vector.
    status : list of str
        ``read`` or ``absent``.
    pieces : ndarray of int64, shape (n,)
        Character n-grams that the vector of a word outside the vocabulary was made of; 0 for a
        word that stands in it.
    """

    vectors: NDArray[np.float32]
    status: list[str]
    pieces: NDArray[np.int64]


class _Source(Protocol):
    """A vocabulary with vectors."""

    @property
    def size(self) -> int:
        """Dimensions of a vector."""
        ...

    def find(self, words: set[str]) -> Mapping[str, int]:
        """Rows of those words that stand in the vocabulary."""
        ...

    def vector(self, word: str, row: int | None) -> NDArray[np.float32] | None:
        """Vector of a word, None where there is none."""
        ...

    def ngram_rows(self, word: str) -> Sequence[int]:
        """What a word outside the vocabulary is made of."""
        ...

    def has_capitals(self) -> bool:
        """Whether words of the vocabulary are written with capitals."""
        ...


@dataclass(frozen=True)
class _Table:
    """Vectors without subwords: a word is there or absent."""

    held: WordVectors

    @property
    def size(self) -> int:
        return self.held.size

    def find(self, words: set[str]) -> Mapping[str, int]:
        return {word: self.held.index[word] for word in words if word in self.held.index}

    def vector(self, word: str, row: int | None) -> NDArray[np.float32] | None:
        return None if row is None else self.held.matrix[row]

    def ngram_rows(self, word: str) -> Sequence[int]:
        return ()

    def has_capitals(self) -> bool:
        return True


@dataclass(frozen=True)
class StaticEncoder:
    """Looks words up in a file of vectors.

    Attributes
    ----------
    name : {"fasttext", "static"}
        Name as an encoder: with subwords or without.
    source : FastTextFile or table of vectors
    language : str
        ISO 639 code; it decides how Turkish and Azerbaijani I and İ are lower-cased.
    """

    name: str
    source: _Source
    language: str = ""

    @property
    def size(self) -> int:
        """Dimensions of a vector."""
        return self.source.size

    def encode(self, words: Sequence[str]) -> Looked:
        """Look words up, each as it stands and else in lower case.

        A model with subwords gives a vector to a word that it has in neither form: the mean of
        the n-grams of the word as it stands, or in lower case where the model's own words all
        are. A vector of zeros is none, for it has no direction.
        """
        forms = {word: (word, lower(word, self.language)) for word in words}
        rows = self.source.find({form for pair in forms.values() for form in pair if form})
        vectors = np.full((len(words), self.size), np.nan, dtype=np.float32)
        status = ["absent"] * len(words)
        pieces = np.zeros(len(words), dtype=np.int64)
        composed = 0 if self._keeps_case(set(forms) - set(rows)) else 1
        for number, word in enumerate(words):
            if not word:
                continue
            form = next((form for form in forms[word] if form in rows), forms[word][composed])
            vector = self.source.vector(form, rows.get(form))
            if vector is None or not np.isfinite(vector).all() or not vector.any():
                continue
            vectors[number] = vector
            status[number] = "read"
            if form not in rows:
                pieces[number] = len(self.source.ngram_rows(form))
        return Looked(vectors, status, pieces)

    def _keeps_case(self, words: set[str]) -> bool:
        """Whether n-grams of capitals mean something; asked only where a word has a capital."""
        if all(word == lower(word, self.language) for word in words):
            return True
        return self.source.has_capitals()


def lower(word: str, language: str = "") -> str:
    """Lower-case a word as `biasatlas.tokens.tokenize` does in its language."""
    if has_dotted_i(language):
        word = word.replace("İ", "i").replace("I", "ı")
    return word.lower()


def open_static(path: str | Path, language: str = "") -> StaticEncoder:
    """Open word vectors of any known form, told apart by what they hold.

    Parameters
    ----------
    path : str or Path
        A fastText model (``.bin``), which is mapped into memory and not loaded; a file in
        word2vec's binary (``.bin``) or text format (``.vec``, ``.txt``); or the GloVe asset's
        folder.
    language : str
        As in `StaticEncoder`.

    Raises
    ------
    InputError
        For a missing or damaged file, and one of another format.
    """
    path = Path(path)
    if path.is_file() and is_fasttext(path):
        model: FastTextFile = open_fasttext(path)
        name = FASTTEXT if model.longest and model.buckets else STATIC
        logger.info("%s: %d words and %d buckets", path.name, model.n_words, model.buckets)
        return StaticEncoder(name, model, language)
    held = load_vectors(path)
    logger.info("%s: %d words", path.name, len(held.words))
    return StaticEncoder(STATIC, _Table(held), language)
