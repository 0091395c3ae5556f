"""Steps that the measures share, on one test or on many bootstrap replicates of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# Lengths and spreads below this share of their scale are rounding, not size.
NOTHING = 1e-12


def unit(vectors: Floats) -> Floats:
    """Scale each vector along the last axis to length one.

    Raises
    ------
    ValueError
        When a vector is zero or not finite: it has no direction.
    """
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    if not (np.isfinite(lengths).all() and (lengths > 0).all()):
        raise ValueError("a word vector is zero or not finite; it has no direction")
    return vectors / lengths


def correlate(left: Floats, right: Floats) -> Floats:
    """Pearson correlation along the last axis; NaN where one side is constant."""
    left = left - left.mean(axis=-1, keepdims=True)
    right = right - right.mean(axis=-1, keepdims=True)
    squares = np.square(left).sum(axis=-1) * np.square(right).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(squares > 0, (left * right).sum(axis=-1) / np.sqrt(squares), np.nan)
