"""Word vectors of any form that a Python user may hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from biasatlas.errors import InputError
from biasatlas.vectors.store import WordVectors


def as_word_vectors(vectors: Any, words: Sequence[str] | None = None) -> WordVectors:
    """Give word vectors one form.

    Parameters
    ----------
    vectors : WordVectors, gensim KeyedVectors or model, mapping, or array
        A mapping goes from words to vectors. An array has one row a word of `words`.
    words : sequence of str, optional
        Of an array: its words, the most frequent first.

    Returns
    -------
    WordVectors
        Not a copy where there is no need for one.

    Raises
    ------
    InputError
        For another type, an array without words or with words that do not fit, a word that
        stands twice, or vectors of unequal length.
    """
    if words is not None and (isinstance(vectors, Mapping) or not hasattr(vectors, "shape")):
        raise InputError(
            f"words: they belong to an array, and vectors is a {type(vectors).__name__}"
        )
    if isinstance(vectors, WordVectors):
        return vectors
    vectors = getattr(vectors, "wv", vectors)
    if isinstance(vectors, Mapping):
        return _from_mapping(vectors)
    if hasattr(vectors, "index_to_key"):
        return WordVectors(tuple(vectors.index_to_key), _matrix(vectors.vectors))
    if words is None or not hasattr(vectors, "shape"):
        raise InputError(
            f"vectors: a {type(vectors).__name__}; allowed are WordVectors, gensim KeyedVectors, "
            "a mapping from words to vectors, and an array with words=[...]"
        )
    repeated = sorted({word for word in words if list(words).count(word) > 1})[:5]
    if repeated:
        raise InputError(f"words: {', '.join(map(repr, repeated))} stands twice")
    matrix = _matrix(vectors)
    if len(words) != len(matrix):
        raise InputError(f"words: {len(words)} words, but the array has {len(matrix)} rows")
    return WordVectors(tuple(words), matrix)


def _from_mapping(vectors: Mapping[str, Any]) -> WordVectors:
    if not vectors:
        raise InputError("vectors: the mapping is empty")
    try:
        matrix = np.array([np.asarray(vector, dtype=np.float32) for vector in vectors.values()])
    except ValueError as error:
        raise InputError("vectors: the vectors of the mapping differ in length") from error
    return WordVectors(tuple(vectors), _matrix(matrix))


def _matrix(values: Any) -> Any:
    matrix = np.asarray(values, dtype=np.float32)
    if matrix.ndim != 2:
        raise InputError(f"vectors: an array of shape {matrix.shape}; allowed is (words, size)")
    return matrix
