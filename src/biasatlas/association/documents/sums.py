"""Sums of context means by word and document, and word vectors of weighted documents.

A document is an article, a speech or a thread: passages of one document depend on each other.
A vector is a linear map of a mean over occurrences, so the vectors of any resampled region are
a matrix product of document weights and these sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biasatlas.vectors.contexts import find_occurrences, in_chunks, sum_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from biasatlas.vectors import WordVectors
    from biasatlas.vectors.alc import Transform
    from biasatlas.vectors.contexts import Swap

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Bools = NDArray[np.bool_]

# Replicates in memory at a time; no result depends on it but for the speed.
CHUNK = 50


@dataclass(frozen=True)
class DocumentSums:
    """Sums of context means, one entry a word and document in which it occurs.

    Attributes
    ----------
    words : tuple of str
        The words looked for, sorted; one that never occurs has no entry.
    documents : tuple of str
        Every document of the region, sorted, with or without an entry.
    starts : ndarray, shape (n_words + 1,), int64
        Entries ``starts[w]:starts[w + 1]`` belong to word w.
    document : ndarray, shape (n,), int64
        Document of each entry, rising within a word.
    sums : ndarray, shape (n, dims + 1), float64
        Sum of the context means, and last the number of occurrences.
    """

    words: tuple[str, ...]
    documents: tuple[str, ...]
    starts: Integers
    document: Integers
    sums: Floats

    @property
    def counts(self) -> Integers:
        """Occurrences of each word in the region, shape (n_words,)."""
        running = np.concatenate([[0.0], np.cumsum(self.sums[:, -1])])
        return np.diff(running[self.starts]).astype(np.int64)

    def weighted(self, weights: Floats) -> Floats:
        """Sums of each word over weighted documents.

        Parameters
        ----------
        weights : ndarray, shape (n_documents, n)
            How often each document is drawn, one column a replicate.

        Returns
        -------
        ndarray, shape (n, n_words, dims + 1)
            The last column holds the occurrences.
        """
        total = np.zeros((weights.shape[1], len(self.words), self.sums.shape[1]))
        for word, (start, stop) in enumerate(zip(self.starts[:-1], self.starts[1:], strict=True)):
            if stop > start:
                drawn = weights[self.document[start:stop]]
                total[:, word] = drawn.T @ self.sums[start:stop]
        return total


def sum_documents(
    texts: Sequence[str],
    documents: Sequence[str],
    words: Sequence[str],
    vectors: WordVectors,
    window: int,
    *,
    swap: Swap | None = None,
) -> DocumentSums:
    """Sum the context means of some words in each document.

    Parameters
    ----------
    texts, documents : sequence of str, length n_passages
        Passages and the document of each.
    words : sequence of str
        Words in lower case, as the tokenizer gives them.
    vectors : WordVectors
        Pretrained.
    window : int
        Context words on either side, within the passage.
    swap : callable, optional
        Changes the tokens of each passage before anything is looked at.
    """
    words = tuple(sorted(set(words)))
    names = tuple(sorted(set(documents)))
    place = {name: number for number, name in enumerate(names)}
    owner = np.array([place[name] for name in documents], dtype=np.int64)
    row = {word: number for number, word in enumerate(words)}
    keys: list[Integers] = []
    parts: list[Floats] = []
    first = 0
    for passages in in_chunks(texts, swap):
        found = find_occurrences(passages, vectors, window, row)
        rows = np.array([row[word] for word in found.words], dtype=np.int64)
        key = rows[found.word] * len(names) + owner[first + found.passage]
        means = np.column_stack([found.means, np.ones(len(key))])
        key, summed = _by_key(key, means)
        keys.append(key)
        parts.append(summed)
        first += len(passages)
    empty = np.zeros((0, vectors.size + 1))
    key, sums = _by_key(
        np.concatenate([np.zeros(0, dtype=np.int64), *keys]), np.concatenate([empty, *parts])
    )
    n_documents = max(len(names), 1)
    starts = np.searchsorted(key, np.arange(len(words) + 1) * n_documents)
    return DocumentSums(words, names, starts.astype(np.int64), key % n_documents, sums)


def _by_key(key: Integers, rows: Floats) -> tuple[Integers, Floats]:
    """Add the rows of each key; keys come back sorted."""
    unique, groups = np.unique(key, return_inverse=True)
    return unique, sum_rows(groups.astype(np.int64), rows, len(unique))[0]


def unit_vectors(totals: Floats, transform: Transform, at_least: int = 1) -> tuple[Floats, Bools]:
    """Vectors of length one from sums of context means.

    Parameters
    ----------
    totals : ndarray, shape (..., n_words, dims + 1)
        From `DocumentSums.weighted`.
    transform : Transform
    at_least : int
        Fewest occurrences of a word that has a vector.

    Returns
    -------
    unit : ndarray, shape (..., n_words, dims)
        Zero for absent words.
    present : ndarray of bool, shape (..., n_words)
    """
    counts = totals[..., -1]
    # A sum needs no division by the count: the length is scaled to one anyway.
    mapped = transform.apply(totals[..., :-1])
    lengths = np.linalg.norm(mapped, axis=-1)
    present = (counts >= at_least) & (lengths > 0)
    return mapped * (present / np.where(present, lengths, 1.0))[..., None], present


def draw_weights(n_documents: int, n: int, rng: np.random.Generator) -> Floats:
    """Draw documents with replacement, as many as there are.

    Returns
    -------
    ndarray, shape (n_documents, n), float64
        How often each document was drawn, one column a replicate. Replicates are drawn one
        after the other, so that asking for them in parts gives the same.
    """
    weights = np.zeros((n_documents, n))
    for column in range(n if n_documents else 0):
        drawn = rng.integers(0, n_documents, size=n_documents)
        weights[:, column] = np.bincount(drawn, minlength=n_documents)
    return weights


def in_parts(n: int, size: int = CHUNK) -> Iterator[int]:
    """Sizes of the parts in which `n` replicates are made."""
    for start in range(0, n, size):
        yield min(size, n - start)
