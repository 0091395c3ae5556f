"""Influence of each word on the effect size: d without that word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biasatlas.association.scores import effect_sizes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Influence:
    """What leaving out one word adds to d; NaN where d is then undefined.

    Attributes
    ----------
    targets : ndarray, shape (n_x + n_y,)
        Of the target words, X first.
    a, b : ndarray, shape (n_a,) and (n_b,)
        Of the attribute words.
    """

    targets: Floats
    a: Floats
    b: Floats


def leave_one_out(cosines_a: Floats, cosines_b: Floats, n_x: int) -> Influence:
    """Compute d without each word in turn, minus d with all words.

    Parameters
    ----------
    cosines_a, cosines_b : ndarray, shape (n_x + n_y, n_a) and (n_x + n_y, n_b)
        Cosines of target words (X first) with the words of A and of B.
    n_x : int
        Size of X.

    Returns
    -------
    Influence
        ``d(without the word) - d``. A positive value means that the word holds d down. NaN where
        the word was the last of its set, and where the other words leave all scores equal; all
        NaN where d itself is undefined.
    """
    cosines_a = np.asarray(cosines_a, dtype=np.float64)
    cosines_b = np.asarray(cosines_b, dtype=np.float64)
    mean_a, mean_b = cosines_a.mean(axis=1), cosines_b.mean(axis=1)
    scores = mean_a - mean_b
    d = effect_sizes(scores, n_x)
    return Influence(
        targets=_without_targets(scores, n_x) - d,
        a=effect_sizes(_means_without(cosines_a) - mean_b, n_x) - d,
        b=effect_sizes(mean_a - _means_without(cosines_b), n_x) - d,
    )


def _without_targets(scores: Floats, n_x: int) -> Floats:
    """Effect size without each target word.

    Each shortened list is written out, O(n^2): subtracting a word from the sums instead would
    leave rounding where the other scores are all equal.
    """
    n = len(scores)
    others = np.nonzero(~np.eye(n, dtype=bool))[1].reshape(n, n - 1)
    shorter = scores[others]
    return np.concatenate([effect_sizes(shorter[:n_x], n_x - 1), effect_sizes(shorter[n_x:], n_x)])


def _means_without(values: Floats) -> Floats:
    """Row means without each column in turn, shape (columns, rows); NaN for an only column."""
    n = values.shape[1]
    if n < 2:
        return np.full((n, len(values)), np.nan)
    return (values.sum(axis=1) - values.T) / (n - 1)
