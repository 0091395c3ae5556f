"""Word vectors without what all words share.

The vectors of a contextual model lie in a narrow cone: every cosine is near 1, and a few dimensions
of large values decide what is left. Standardised, words are compared by where they differ.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from biasatlas.vectors import WordVectors

if TYPE_CHECKING:
    import pandas as pd

# Means and deviations of fewer words are those of the few and not of the language.
MIN_WORDS = 20


def standardise(vectors: WordVectors, sample: Collection[str] = ()) -> WordVectors:
    """Give each dimension mean 0 and standard deviation 1 over the words.

    Parameters
    ----------
    vectors : WordVectors
        All distinct words of a language's lists.
    sample : collection of str
        Those of them that tell what is shared, all where none is given or fewer than 20 have a
        vector. Published lists alone, so that a list of the user's changes no published score.

    Returns
    -------
    WordVectors
        The same words, without a way to compose others. A dimension in which all words are
        equal is 0.

    Raises
    ------
    ValueError
        For fewer than 20 words.

    Notes
    -----
    To remove principal components as well (Mu & Viswanath 2018) is meant for a whole vocabulary,
    whose first components tell frequency. Those of word lists tell the contrasts that are tested:
    without the first five of the Universal Sentence Encoder, d of WEAT 1 falls from 1.6 to -0.2.

    References
    ----------
    Timkey & van Schijndel 2021, All Bark and No Bite: Rogue Dimensions in Transformer Language
    Models Obscure Representational Quality, EMNLP, section 5. Ethayarajh 2019, How Contextual are
    Contextualized Word Representations?, EMNLP.
    """
    if len(vectors.words) < MIN_WORDS:
        raise ValueError(
            f"{len(vectors.words)} words are too few to standardise vectors; {MIN_WORDS} are needed"
        )
    # In the order of the words, so that no other order reaches the sums.
    order = np.array(sorted(range(len(vectors.words)), key=vectors.words.__getitem__))
    values = vectors.matrix[order].astype(np.float64)
    chosen = np.array([vectors.words[row] in sample for row in order], dtype=bool)
    if chosen.sum() < MIN_WORDS:
        chosen[:] = True
    values -= values[chosen].mean(axis=0)
    spread = values[chosen].std(axis=0)
    # A spread of about the last bit of the vectors' float32 is rounding.
    flat = spread <= 1e-7 * np.abs(vectors.matrix).max(axis=0)
    values = np.where(flat, 0.0, values / np.where(flat, 1.0, spread))
    matrix = np.empty(values.shape, dtype=np.float32)
    matrix[order] = values
    return WordVectors(vectors.words, matrix)


def published_words(words: pd.DataFrame) -> frozenset[str]:
    """Words of a language's published lists, the sample of `standardise`.

    Parameters
    ----------
    words : DataFrame
        Rows of ``words.parquet``.
    """
    return frozenset(words["word"][words["variant"] != "own"])
