"""Embeddings as a matrix, from the column of lists in which a file holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray


def stack_embeddings(frame: pd.DataFrame) -> NDArray[np.float32]:
    """Stack the column `embedding`.

    Parameters
    ----------
    frame : DataFrame
        With a column `embedding` of arrays of one length.

    Returns
    -------
    ndarray of float32, shape (n, d)
        ``(0, 0)`` for no row, whose length nobody knows.
    """
    if not len(frame):
        return np.empty((0, 0), dtype=np.float32)
    return np.stack([np.asarray(row, dtype=np.float32) for row in frame["embedding"]])
