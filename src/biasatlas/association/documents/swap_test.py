"""Is there more to a score than the pretrained vectors: a coin swaps the genders of documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biasatlas.association.documents.sums import DocumentSums, in_parts, unit_vectors
from biasatlas.association.product import Design, effect_sizes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from biasatlas.vectors.alc import Transform

    Floats = NDArray[np.float64]


def text_part(
    real: Floats, swapped: Floats, design: Design, transform: Transform, min_count: int
) -> Floats:
    """Half of what d loses when the gendered words of the text are exchanged.

    Parameters
    ----------
    real, swapped : ndarray, shape (n, n_words, dims + 1)
        Sums of context means, from `DocumentSums.weighted`.
    design, transform
    min_count : int
        Fewest occurrences of a word that has a vector.

    Returns
    -------
    ndarray, shape (n, n_tests)
        ``(d - d_swapped) / 2``.
    """
    effects = []
    for totals in (real, swapped):
        unit, present = unit_vectors(totals, transform, min_count)
        effects.append(effect_sizes(unit, design, present)[1])
    return (effects[0] - effects[1]) / 2


def swap_test(
    real: DocumentSums,
    swapped: DocumentSums,
    design: Design,
    transform: Transform,
    *,
    replicates: int,
    min_count: int,
    seed: int,
) -> Floats:
    """Two-sided p that the documents use female and male words alike.

    Under that hypothesis a document and its swapped self are equally likely, so that a coin may
    choose between them: ``p = (1 + #{|part| >= |observed|}) / (1 + n)`` over `replicates` throws
    of a coin for every document. A bootstrap of documents does not give a valid p here: where
    the words are used alike, d is noise over noise, and resampling repeats that noise.

    Parameters
    ----------
    real, swapped : DocumentSums
        Of the same documents and words.
    design, transform
    replicates, min_count, seed : int

    Returns
    -------
    ndarray, shape (n_tests,)
        NaN where the part is undefined. A throw without a part counts against the text.
    """
    rng = np.random.default_rng([seed, 1])
    n_documents = len(real.documents)
    ones = np.ones((n_documents, 1))
    whole = real.weighted(ones) + swapped.weighted(ones)
    observed = text_part(real.weighted(ones), swapped.weighted(ones), design, transform, min_count)[
        0
    ]
    beyond = np.zeros(len(observed), dtype=np.int64)
    for n in in_parts(replicates):
        heads = rng.integers(0, 2, (n, n_documents)).T.astype(np.float64)
        one = real.weighted(heads) + swapped.weighted(1.0 - heads)
        part = text_part(one, whole - one, design, transform, min_count)
        # 1e-12 is rounding.
        beyond += (~(np.abs(part) < np.abs(observed) - 1e-12)).sum(axis=0)
    p: Floats = np.where(np.isfinite(observed), (1 + beyond) / (1 + replicates), np.nan)
    return p
