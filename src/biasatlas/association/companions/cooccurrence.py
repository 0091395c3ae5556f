"""Where listed words stand near each other in a region's text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biasatlas.tokens import tokenize

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Cooccurrences:
    """Every two places at most a window apart that hold listed words.

    Attributes
    ----------
    words : tuple of str
        The listed words; a word's number is its place here.
    frequency : ndarray, shape (n_words,), int64
        How often each stands in the text.
    document : ndarray, shape (n_pairs,), int64
        Number of the document of each pair of places.
    first, second : ndarray, shape (n_pairs,), int64
        Numbers of the words at the earlier and at the later place.
    n_documents : int
        All documents, also those without a pair.
    """

    words: tuple[str, ...]
    frequency: Integers
    document: Integers
    first: Integers
    second: Integers
    n_documents: int


def find_cooccurrences(
    texts: Iterable[str], documents: Sequence[str], words: Sequence[str], window: int
) -> Cooccurrences:
    """Find the pairs of places of listed words that are at most `window` tokens apart.

    Parameters
    ----------
    texts : iterable of str
        Passages. No pair reaches over the end of one, as in the training of word vectors.
    documents : sequence of str
        The document of each passage.
    words : sequence of str
        Distinct listed words, as `biasatlas.tokens.tokenize` gives them.
    window : int
        Tokens on each side.
    """
    number = {word: place for place, word in enumerate(words)}
    document_number = {name: place for place, name in enumerate(dict.fromkeys(documents))}
    places, found, owners, start = [], [], [], 0
    for text, document in zip(texts, documents, strict=True):
        tokens = tokenize(text)
        here = [(place, number[token]) for place, token in enumerate(tokens) if token in number]
        places += [start + place for place, _ in here]
        found += [word for _, word in here]
        owners += [document_number[document]] * len(here)
        # The gap keeps the last word of a passage out of reach of the next one's first.
        start += len(tokens) + window
    at, word, owner = (np.asarray(some, dtype=np.int64) for some in (places, found, owners))
    left, right = _near(at, window)
    return Cooccurrences(
        words=tuple(words),
        frequency=np.bincount(word, minlength=len(number)),
        document=owner[left],
        first=word[left],
        second=word[right],
        n_documents=len(document_number),
    )


def _near(at: Integers, window: int) -> tuple[Integers, Integers]:
    """Pairs of indices whose sorted places differ by at most `window`."""
    left, right = [], []
    # There is one token a place, so no more than `window` others are in reach to the right.
    for step in range(1, window + 1):
        near = np.flatnonzero(at[step:] - at[:-step] <= window)
        left.append(near)
        right.append(near + step)
    return np.concatenate(left), np.concatenate(right)


def count_cells(pairs: Cooccurrences, sets: Mapping[str, Sequence[str]]) -> Floats:
    """Count for each document how often X and Y stand near A and B.

    Parameters
    ----------
    pairs : Cooccurrences
    sets : mapping of str to sequence of str
        The words of x, y, a and b, all of them listed.

    Returns
    -------
    ndarray, shape (n_documents, 4), float64
        Co-occurrences of X with A, X with B, Y with A, Y with B. A pair of places counts once
        for each way in which one word is of the target set and the other of the attribute set;
        a word in both sets never meets itself at one place.
    """
    listed = {name: set(some) for name, some in sets.items()}
    member = {
        name: np.array([word in some for word in pairs.words], dtype=bool)
        for name, some in listed.items()
    }
    cells = []
    for target in ("x", "y"):
        for attribute in ("a", "b"):
            one, other = member[target], member[attribute]
            forth = one[pairs.first] & other[pairs.second]
            back = one[pairs.second] & other[pairs.first]
            times = forth.astype(np.float64) + back
            cells.append(np.bincount(pairs.document, times, minlength=pairs.n_documents))
    return np.stack(cells, axis=1)
