"""How much the distances within word sets vary under an encoder: the stuff of its sensitivity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from biasatlas.association.scores import unit_rows
from biasatlas.lexicons.word_lists import SETS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from biasatlas.lexicons.word_lists import AssociationTest
    from biasatlas.vectors import WordVectors

    Floats = NDArray[np.float64]

# Two words have one distance, whose variance is 0 whatever the encoder.
FEWEST_WORDS = 3


def distance_variance(unit: Floats) -> float:
    """Variance (ddof 0) of the cosine distances between the words of a set, each pair once.

    Parameters
    ----------
    unit : ndarray, shape (n, d)
        Vectors of length one. NaN for fewer than three.

    References
    ----------
    Mukherjee et al. 2023, Global Voices, Local Biases, EMNLP.
    """
    n = len(unit)
    if n < FEWEST_WORDS:
        return float("nan")
    return float(np.var((unit @ unit.T)[np.triu_indices(n, 1)]))


def variance_rows(
    tests: Sequence[tuple[str, AssociationTest]], vectors: WordVectors
) -> list[dict[str, Any]]:
    """Mean over a test's four sets of the variance of distances within the set.

    Parameters
    ----------
    tests : sequence of (str, AssociationTest)
        With their variant.
    vectors : WordVectors

    Returns
    -------
    list of dict
        variant, test, variance (NaN where no set has three words with a vector), n_sets (sets
        that it is a mean of).
    """
    squares = np.square(vectors.matrix.astype(np.float64)).sum(axis=1)
    usable = np.flatnonzero((squares > 0) & np.isfinite(squares))
    place = {vectors.words[row]: number for number, row in enumerate(usable.tolist())}
    unit = unit_rows(vectors.matrix[usable].astype(np.float64))
    rows = []
    for variant, test in tests:
        values = []
        for name in SETS:
            words = sorted({word for word in getattr(test, name).words if word in place})
            values.append(distance_variance(unit[[place[word] for word in words]]))
        known = [value for value in values if value == value]
        rows.append(
            {
                "variant": variant,
                "test": test.test,
                "variance": float(np.mean(known)) if known else float("nan"),
                "n_sets": len(known),
            }
        )
    return rows
