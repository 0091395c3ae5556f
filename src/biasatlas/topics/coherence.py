"""Topic coherence from one sparse product."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from biasatlas.tokens import topic_tokens

if TYPE_CHECKING:
    from numpy.typing import NDArray

# gensim's constant: a pair that never occurs together gets the log of (almost) zero.
EPSILON = 1e-12


def u_mass(topics: Mapping[int, Sequence[str]], texts: Sequence[str]) -> dict[int, float]:
    """u_mass coherence of each topic's words (Mimno et al. 2011), as gensim computes it.

    Parameters
    ----------
    topics : mapping of int to sequence of str
        Words of each topic, best first.
    texts : sequence of str
        The passages that the topics were found in.

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
    vocabulary = sorted({word for words in topics.values() for word in words})
    column = {word: number for number, word in enumerate(vocabulary)}
    together = _cooccurrences(texts, column)
    counts = np.diagonal(together)
    absent = [word for word, count in zip(vocabulary, counts, strict=True) if count == 0]
    if absent:
        raise ValueError(f"topic words that no passage holds: {', '.join(absent)}")
    n = len(texts)
    coherence = {}
    for topic, words in topics.items():
        pairs = [(column[w], column[v]) for i, w in enumerate(words) for v in words[:i]]
        terms = [np.log((together[i, j] / n + EPSILON) / (counts[j] / n)) for i, j in pairs]
        coherence[topic] = float(np.mean(terms)) if terms else float("nan")
    return coherence


def _cooccurrences(texts: Sequence[str], column: Mapping[str, int]) -> NDArray[np.float64]:
    """Number of passages that hold both words, shape (n_words, n_words)."""
    from scipy.sparse import csr_array

    rows, columns = [], []
    for row, text in enumerate(texts):
        present = {column[word] for word in topic_tokens(text) if word in column}
        rows += [row] * len(present)
        columns += sorted(present)
    shape = (len(texts), len(column))
    table = csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
    return np.asarray((table.T @ table).toarray())
