"""Mean pretrained vectors of the words around each occurrence of a word."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from biasatlas.tokens import tokenize

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from biasatlas.vectors.store import WordVectors

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

logger = logging.getLogger(__name__)

# Passages in memory at a time; sums are taken in this order, so it is a constant.
CHUNK = 2_000
Tokens = list[str]
Swap = Callable[[Tokens], Tokens]


@dataclass(frozen=True)
class Occurrences:
    """Occurrences of words that have at least one context word with a pretrained vector.

    Attributes
    ----------
    words : tuple of str
        Distinct words.
    word, passage : ndarray, shape (n,), int64
        Which of `words` occurs, and in which passage.
    means : ndarray, shape (n, dims), float64
        Mean pretrained vector of the context words.
    """

    words: tuple[str, ...]
    word: Integers
    passage: Integers
    means: Floats


@dataclass(frozen=True)
class ContextSums:
    """Sums of context means by word.

    Attributes
    ----------
    words : tuple of str
        In the order in which they first occur.
    sums : ndarray, shape (n_words, dims), float64
    counts : ndarray, shape (n_words,), int64
        Occurrences in the sum.
    """

    words: tuple[str, ...]
    sums: Floats
    counts: Integers

    @property
    def means(self) -> Floats:
        """The vectors u_w, shape (n_words, dims)."""
        return self.sums / self.counts[:, None]


def find_occurrences(
    passages: Sequence[Sequence[str]],
    vectors: WordVectors,
    window: int,
    wanted: Collection[str] | None = None,
) -> Occurrences:
    """Average the pretrained vectors around each occurrence of each word.

    Parameters
    ----------
    passages : sequence of sequences of str
        Tokens; no context crosses the end of a passage.
    vectors : WordVectors
        Pretrained.
    window : int
        Context words on either side. A word without a pretrained vector takes its place in the
        window and adds nothing to the mean.
    wanted : collection of str, optional
        Words to look for; all where left out.

    Returns
    -------
    Occurrences
        In the order of the text. An occurrence without any context word is not among them.
    """
    codes, rows, owner, names = _encode(passages, vectors, window, wanted)
    positions = np.flatnonzero(codes >= 0)
    # The chunk's own small table: gathers from it stay in the cache.
    used, places = np.unique(rows, return_inverse=True)
    table = np.zeros((len(used), vectors.size))
    known = used >= 0
    table[known] = vectors.matrix[used[known]]
    sums = np.zeros((len(positions), vectors.size))
    n_context = np.zeros(len(positions), dtype=np.int64)
    for shift in (*range(-window, 0), *range(1, window + 1)):
        around = places[positions + shift]
        sums += table[around]
        n_context += known[around]
    counted = n_context > 0
    positions = positions[counted]
    return Occurrences(
        names, codes[positions], owner[positions], sums[counted] / n_context[counted, None]
    )


def _encode(
    passages: Sequence[Sequence[str]],
    vectors: WordVectors,
    window: int,
    wanted: Collection[str] | None,
) -> tuple[Integers, Integers, Integers, tuple[str, ...]]:
    """Lay passages in one row with `window` empty places between them.

    Returns the word at each place (-1: empty or not wanted), its row among the pretrained
    vectors (-1: none), the passage, and the words.
    """
    index: dict[str, int] = {}
    allowed = None if wanted is None else frozenset(wanted)
    pretrained = vectors.index
    gap = [-1] * window
    codes, rows, owner = list(gap), list(gap), list(gap)
    for number, tokens in enumerate(passages):
        if allowed is None:
            codes += [index.setdefault(token, len(index)) for token in tokens]
        else:
            codes += [
                index.setdefault(token, len(index)) if token in allowed else -1 for token in tokens
            ]
        rows += [pretrained.get(token, -1) for token in tokens]
        owner += [number] * len(tokens)
        for places in (codes, rows, owner):
            places += gap
    arrays = (np.array(places, dtype=np.int64) for places in (codes, rows, owner))
    return (*arrays, tuple(index))  # type: ignore[return-value]


def sum_rows(groups: Integers, rows: Floats, n_groups: int) -> tuple[Floats, Integers]:
    """Add rows by group in their order.

    Parameters
    ----------
    groups : ndarray, shape (n,), int64
        Group of each row, from 0.
    rows : ndarray, shape (n, dims)
    n_groups : int

    Returns
    -------
    sums : ndarray, shape (n_groups, dims)
    counts : ndarray, shape (n_groups,), int64
    """
    from scipy.sparse import csr_array

    n = len(groups)
    members = csr_array((np.ones(n), (groups, np.arange(n))), shape=(n_groups, n))
    return members @ rows, np.bincount(groups, minlength=n_groups).astype(np.int64)


def in_chunks(
    texts: Iterable[str], swap: Swap | None = None, size: int = CHUNK
) -> Iterator[list[Tokens]]:
    """Tokenise passages, some at a time; with `swap`, change the tokens of each."""
    source = iter(texts)
    while chunk := [tokenize(text) for text in islice(source, size)]:
        yield chunk if swap is None else [swap(tokens) for tokens in chunk]


def sum_contexts(texts: Iterable[str], vectors: WordVectors, window: int) -> ContextSums:
    """Sum the context means of every word of some passages.

    Parameters
    ----------
    texts : iterable of str
        Passages.
    vectors, window
        As in `find_occurrences`.
    """
    index: dict[str, int] = {}
    sums = np.zeros((0, vectors.size))
    counts = np.zeros(0, dtype=np.int64)
    for passages in in_chunks(texts):
        found = find_occurrences(passages, vectors, window)
        rows = np.array([index.setdefault(w, len(index)) for w in found.words], dtype=np.int64)
        more = len(index) - len(counts)
        sums = np.concatenate([sums, np.zeros((more, vectors.size))])
        counts = np.concatenate([counts, np.zeros(more, dtype=np.int64)])
        added, n = sum_rows(found.word, found.means, len(found.words))
        sums[rows] += added
        counts[rows] += n
    counted = counts > 0
    words = tuple(word for word, here in zip(index, counted, strict=True) if here)
    return ContextSums(words, sums[counted], counts[counted])


def pool(parts: Iterable[ContextSums]) -> ContextSums:
    """Add the sums of several texts, word by word, in their order."""
    parts = list(parts)
    index: dict[str, int] = {}
    places = [[index.setdefault(word, len(index)) for word in part.words] for part in parts]
    dims = parts[0].sums.shape[1] if parts else 0
    sums = np.zeros((len(index), dims))
    counts = np.zeros(len(index), dtype=np.int64)
    for rows, part in zip(places, parts, strict=True):
        sums[rows] += part.sums
        counts[rows] += part.counts
    return ContextSums(tuple(index), sums, counts)
