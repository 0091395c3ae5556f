"""Several words in one entry of a list: the mean of their vectors, or the phrase as a whole."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from biasatlas.errors import InputError
from biasatlas.vectors import WordVectors

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

# Encoders that read a phrase whole, as the text that it is.
WHOLE = frozenset({"cls_phrase", "sentence", "token_in_context"})
FASTTEXT = "fasttext"


def split_phrase(text: str) -> list[str]:
    """Words of an entry: what stands between white space.

    A zero-width non-joiner, which Persian writes within words, is no white space.
    """
    return text.split()


def is_phrase(text: str) -> bool:
    """Whether an entry has more than one word."""
    return len(split_phrase(text)) > 1


def with_words(entries: Sequence[str]) -> list[str]:
    """Distinct entries and the single words of the phrases among them, sorted."""
    return sorted({*entries, *(word for text in entries for word in split_phrase(text))})


def entry_vectors(encoded: pd.DataFrame, encoder: str, entries: Sequence[str]) -> WordVectors:
    """Vectors of the entries of lists under one encoder.

    Parameters
    ----------
    encoded : DataFrame
        As from `biasatlas.encoders.words.encode_words`.
    encoder : str
        One of its columns.
    entries : sequence of str

    Returns
    -------
    WordVectors
        The distinct entries that have a vector, sorted. A phrase is the mean of its words'
        vectors, and has none where a word has none; under the encoders of `WHOLE` it has its
        own. A vector of zeros is none, for its cosine is undefined.

    Raises
    ------
    InputError
        When there is no such encoder.
    """
    if encoder not in encoded.columns:
        raise InputError(f"encoder {encoder!r} is not among {', '.join(encoded.columns[4:])}")
    rows = {
        text: vector
        for text, vector in zip(encoded["text"], encoded[encoder], strict=True)
        if vector is not None
    }
    found = {}
    for entry in sorted(set(entries)):
        parts = [entry] if encoder in WHOLE else split_phrase(entry)
        vector = _mean(parts, rows)
        if vector is not None:
            found[entry] = vector
    size = len(next(iter(rows.values()))) if rows else 0
    matrix = np.stack([*found.values()]) if found else np.empty((0, size), dtype=np.float32)
    return WordVectors(tuple(found), matrix)


def find_composed(encoded: pd.DataFrame, encoder: str, entries: Sequence[str]) -> set[str]:
    """Entries whose vector was put together from parts that are no words.

    Words that fastText never saw, made of character n-grams, and words that a model spells letter
    by letter; a phrase with such a word is one.

    Parameters
    ----------
    encoded : DataFrame
        As in `entry_vectors`.
    encoder : str
    entries : sequence of str
    """
    from_parts = encoded["pieces"] > 0 if encoder == FASTTEXT else encoded["letters"].astype(bool)
    parts = set(encoded["text"][from_parts])
    if encoder in WHOLE:
        return parts.intersection(entries)
    return {entry for entry in entries if any(word in parts for word in split_phrase(entry))}


def set_apart(vectors: WordVectors, composed: Collection[str]) -> WordVectors:
    """Take composed words out of the vocabulary, to be composed when asked for.

    So they are scored, and yet do not make a set complete.

    Parameters
    ----------
    vectors : WordVectors
    composed : collection of str
        Words among those of `vectors`.
    """
    apart = {
        word: vectors.matrix[vectors.index[word]] for word in vectors.words if word in composed
    }
    if not apart:
        return vectors
    kept = [word for word in vectors.words if word not in apart]
    matrix = vectors.matrix[[vectors.index[word] for word in kept]]
    return WordVectors(
        tuple(kept), matrix, compose=lambda word: apart[word], composable=apart.keys()
    )


def _mean(
    words: Sequence[str], rows: Mapping[str, NDArray[np.float32]]
) -> NDArray[np.float32] | None:
    """Mean of words' vectors; None when a word has none, or the mean has no direction."""
    if not words or not all(word in rows and rows[word].any() for word in words):
        return None
    if len(words) == 1:
        return rows[words[0]]
    mean = np.stack([rows[word] for word in words]).mean(axis=0, dtype=np.float64)
    rounded = np.asarray(mean, dtype=np.float32)
    return rounded if rounded.any() else None
