"""In how many windows of text listed words stand, and stand together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from biasatlas.tokens import topic_tokens

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Occurrences:
    """Places of listed words in texts.

    Attributes
    ----------
    place, word : ndarray, shape (n_occurrences,)
        Number of the token in its text, in order, and which of the listed words it is.
    start : ndarray, shape (n_texts + 1,)
        Where the occurrences of each text begin in the two others.
    length : ndarray, shape (n_texts,)
        Tokens of each text.
    n_words : int
    """

    place: Integers
    word: Integers
    start: Integers
    length: Integers
    n_words: int


def find_occurrences(
    texts: Iterable[str], words: Sequence[str], language: str = "en"
) -> Occurrences:
    """Find listed words among the topic tokens of texts.

    Parameters
    ----------
    texts : iterable of str
    words : sequence of str
        Distinct words, as `biasatlas.tokens.topic_tokens` gives them.
    language : str
    """
    number = {word: place for place, word in enumerate(words)}
    places: list[int] = []
    found: list[int] = []
    starts, lengths = [0], []
    for text in texts:
        tokens = topic_tokens(text, language)
        here = [(place, number[token]) for place, token in enumerate(tokens) if token in number]
        places += [place for place, _ in here]
        found += [word for _, word in here]
        starts.append(len(found))
        lengths.append(len(tokens))
    columns = (places, found, starts, lengths)
    place, word, start, length = (np.asarray(some, dtype=np.int64) for some in columns)
    return Occurrences(place, word, start, length, n_words=len(words))


def count_windows(occurrences: Occurrences, window: int | None) -> tuple[Integers, int]:
    """Count the windows that hold each word and each two words, as gensim does.

    A text of n tokens has n - window + 1 windows, one if it is shorter. Within a text gensim moves
    the window by a token and then takes the word that left it for absent, though it may stand in
    the window once more, until it enters again; so it is here, as the values would not be those
    of published work otherwise.

    Parameters
    ----------
    occurrences : Occurrences
    window : int or None
        Tokens of a window; None for whole texts.

    Returns
    -------
    together : ndarray, shape (n_words, n_words), int64
        Symmetric; a word's own windows are on the diagonal.
    n_windows : int
    """
    longest = int(occurrences.length.max(initial=0))
    width = max(longest, 1) if window is None else window
    upper = _kernel()(
        occurrences.place,
        occurrences.word,
        occurrences.start,
        np.maximum(occurrences.length - width + 1, 1),
        width,
        occurrences.n_words,
    )
    together = upper + upper.T - np.diag(np.diagonal(upper))
    return together, int(np.maximum(occurrences.length - width + 1, 1).sum())


@lru_cache(maxsize=1)
def _kernel() -> Any:
    """`_count_pairs`, compiled: numba is loaded by those alone who count."""
    from numba import njit

    return njit(cache=True, nogil=True)(_count_pairs)


def _count_pairs(
    place: Integers,
    word: Integers,
    start: Integers,
    n_windows: Integers,
    width: int,
    n_words: int,
) -> Integers:
    """Windows that hold words i <= j, in one pass over the moments a word enters or leaves.

    Only when a word leaves are its windows counted, with those it shared with each present word,
    so the cost does not grow with the number of windows.
    """
    counts = np.zeros((n_words, n_words), dtype=np.int64)
    present = np.empty(n_words, dtype=np.int64)
    position = np.full(n_words, -1, dtype=np.int64)
    since = np.empty(n_words, dtype=np.int64)
    for text in range(len(n_windows)):
        end, last = start[text + 1], n_windows[text]
        entering, leaving, n_present = start[text], start[text], 0
        while True:
            leaves_at = place[leaving] + 1 if leaving < end else last
            enters_at = max(place[entering] - width + 1, 0) if entering < end else last
            if min(leaves_at, enters_at) >= last:
                break
            # Of what leaves and enters at once, what leaves goes first.
            if enters_at < leaves_at:
                one = word[entering]
                entering += 1
                if position[one] < 0:
                    position[one], since[one] = n_present, enters_at
                    present[n_present] = one
                    n_present += 1
                continue
            one = word[leaving]
            leaving += 1
            if position[one] < 0:
                continue
            for slot in range(n_present):
                other = present[slot]
                shared = leaves_at - max(since[one], since[other])
                counts[min(one, other), max(one, other)] += shared
            n_present -= 1
            moved = present[n_present]
            present[position[one]], position[moved] = moved, position[one]
            position[one] = -1
        for slot in range(n_present):
            one = present[slot]
            for before in range(slot + 1):
                other = present[before]
                shared = last - max(since[one], since[other])
                counts[min(one, other), max(one, other)] += shared
        for slot in range(n_present):
            position[present[slot]] = -1
    return counts
