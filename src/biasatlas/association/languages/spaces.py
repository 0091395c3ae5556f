"""Word vectors without what all words share.

The vectors of a contextual model lie in a narrow cone: every cosine is near 1, and a few directions
that have to do with frequency or position decide what is left. Standardised, the words of a
language are compared by where they differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from biasatlas.vectors import WordVectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# Words needed for each direction that is removed. With fewer, the directions are those of a few
# words and not of the language.
WORDS_PER_COMPONENT = 3


def count_components(dimensions: int) -> int:
    """Directions to remove from vectors of that many dimensions: one in a hundred."""
    return max(1, round(dimensions / 100))


# The order in which threads add changes the last bits.
@threadpool_limits.wrap(limits=1, user_api="blas")
def standardise(vectors: WordVectors) -> WordVectors:
    """Remove the mean of all words, and then the first principal components.

    Parameters
    ----------
    vectors : WordVectors
        All distinct words of a language's lists: they are the sample that tells what is shared.

    Returns
    -------
    WordVectors
        The same words, without a way to compose others.

    Raises
    ------
    ValueError
        When there are fewer than three words for each component to remove.

    References
    ----------
    Mu & Viswanath 2018, All-but-the-Top: Simple and Effective Postprocessing for Word
    Representations, ICLR. Ethayarajh 2019, How Contextual are Contextualized Word
    Representations?, EMNLP.
    """
    removed = count_components(vectors.size)
    needed = WORDS_PER_COMPONENT * removed
    if len(vectors.words) < needed:
        raise ValueError(
            f"{len(vectors.words)} words are too few to remove {removed} common components; "
            f"{needed} are needed"
        )
    # In the order of the words, so that no other order reaches the sums.
    order = np.array(sorted(range(len(vectors.words)), key=vectors.words.__getitem__))
    centred = vectors.matrix[order].astype(np.float64)
    centred -= centred.mean(axis=0)
    directions = _principal(centred, removed)
    centred -= (centred @ directions) @ directions.T
    matrix = np.empty(centred.shape, dtype=np.float32)
    matrix[order] = centred
    return WordVectors(vectors.words, matrix)


def _principal(centred: Floats, number: int) -> Floats:
    """First principal directions, shape (d, number). Their signs do not matter here."""
    from scipy.linalg import eigh

    n, d = centred.shape
    # The smaller of the two products has the same eigenvalues.
    product = centred.T @ centred if d <= n else centred @ centred.T
    last = len(product) - 1
    _, found = eigh(product, subset_by_index=(max(0, last - number + 1), last))
    if d > n:
        found = centred.T @ found
        # A direction without any spread is none: what it would remove is zero.
        lengths = np.linalg.norm(found, axis=0)
        found = found[:, lengths > 1e-9 * max(float(lengths.max()), 1e-300)]
        found, _ = np.linalg.qr(found)
    directions: Floats = found
    return directions
