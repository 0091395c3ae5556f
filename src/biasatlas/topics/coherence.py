"""Topic coherence as gensim computes it, from one pass over the texts.

Both measures count over the topic tokens of a passage (`biasatlas.tokens.topic_tokens`: letters
only, long enough, stop words among them), of which topic words are made. The windows of c_v are
windows of these tokens, so they reach a little further than windows of all words would.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from biasatlas.topics.sliding_window import count_windows, find_occurrences

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

    Topics = Mapping[int, Sequence[str]]

# gensim's constant: a pair that never occurs together gets the log of (almost) zero.
EPSILON = 1e-12
# Tokens of a window of c_v (Röder et al. 2015).
WINDOW = 110


def u_mass(topics: Topics, texts: Sequence[str], language: str = "en") -> dict[int, float]:
    """u_mass coherence of each topic's words (Mimno et al. 2011).

    Parameters
    ----------
    topics : mapping of int to sequence of str
        Words of each topic, best first.
    texts : sequence of str
        The passages that the topics were found in.
    language : str

    Returns
    -------
    dict of int to float
        Mean over pairs j < i of ``log((D(w_i, w_j) / D + 1e-12) / (D(w_j) / D))``, where D
        counts passages; nearer to 0 is more coherent. NaN for fewer than two words.

    Raises
    ------
    ValueError
        For a topic word that stands in no passage.
    """
    column, together, n = _count(topics, texts, language, None)
    coherence = {}
    for topic, words in topics.items():
        pairs = [(column[w], column[v]) for i, w in enumerate(words) for v in words[:i]]
        terms = [np.log((together[i, j] / n + EPSILON) / (together[j, j] / n)) for i, j in pairs]
        coherence[topic] = float(np.mean(terms)) if terms else float("nan")
    return coherence


def c_v(
    topics: Topics, texts: Sequence[str], language: str = "en", *, window: int = WINDOW
) -> dict[int, float]:
    """c_v coherence of each topic's words (Röder, Both & Hinneburg 2015).

    Each word has the vector of its normalised pointwise mutual information (NPMI) with the words
    of its topic, over sliding windows; the coherence is the mean cosine of the words' vectors to
    the sum of all of them.

    Parameters
    ----------
    topics : mapping of int to sequence of str
        Words of each topic.
    texts : sequence of str
        The passages that the topics were found in.
    language : str
    window : int
        Topic tokens of a window. A shorter passage is one window.

    Returns
    -------
    dict of int to float
        At most 1, which is the most coherent. NaN for fewer than two words, where gensim has 1.

    Raises
    ------
    ValueError
        For a topic word that stands in no passage.
    """
    column, together, n = _count(topics, texts, language, window)
    coherence = {}
    for topic, words in topics.items():
        if len(words) < 2:
            coherence[topic] = float("nan")
            continue
        # A word that a topic holds twice counts twice.
        rows, times = np.unique([column[word] for word in words], return_counts=True)
        vectors = _npmi(together[np.ix_(rows, rows)], n) * times
        total = (times[:, None] * vectors).sum(axis=0)
        lengths = np.sqrt((vectors**2).sum(axis=1)) * np.sqrt((total**2).sum())
        cosines = (vectors * total).sum(axis=1) / lengths
        coherence[topic] = float((cosines * times).sum() / times.sum())
    return coherence


def _npmi(together: Integers, n: int) -> NDArray[np.float64]:
    """Normalised pointwise mutual information of words, shape (n_words, n_words)."""
    joint = together / n
    alone = np.diagonal(joint)
    information = np.log((joint + EPSILON) / (alone[:, None] * alone))
    return np.asarray(information / -np.log(joint + EPSILON))


def _count(
    topics: Topics, texts: Sequence[str], language: str, window: int | None
) -> tuple[dict[str, int], Integers, int]:
    """Column of each topic word, windows that hold two of them, and number of windows."""
    vocabulary = sorted({word for words in topics.values() for word in words})
    together, n = count_windows(find_occurrences(texts, vocabulary, language), window)
    counts = np.diagonal(together)
    absent = [word for word, count in zip(vocabulary, counts, strict=True) if count == 0]
    if absent:
        raise ValueError(f"topic words that no passage holds: {', '.join(absent)}")
    return {word: number for number, word in enumerate(vocabulary)}, together, n
