"""Documents drawn with replacement, for vectors that show what the choice of documents does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def resample_documents(documents: Sequence[str], seed: int) -> NDArray[np.int64]:
    """Draw as many documents as there are, with replacement, and give their passages.

    Parameters
    ----------
    documents : sequence of str
        The document of each passage; its passages are drawn together, as they depend on each
        other.
    seed : int

    Returns
    -------
    ndarray of int
        Places of passages; a document drawn twice gives its passages twice.
    """
    names, of_passage = np.unique(np.asarray(documents, dtype=str), return_inverse=True)
    if not len(names):
        return np.empty(0, dtype=np.int64)
    drawn = np.random.default_rng(seed).integers(len(names), size=len(names))
    order = np.argsort(of_passage, kind="stable")
    ends = np.cumsum(np.bincount(of_passage, minlength=len(names)))
    starts = np.concatenate([[0], ends[:-1]])
    return np.concatenate([order[starts[one] : ends[one]] for one in np.sort(drawn)])
