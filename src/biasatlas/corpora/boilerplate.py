"""Sentences that an outlet prints under many articles: they are no part of any."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from biasatlas.corpora.passages import split_sentences

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

# A shorter sentence ("He smiled.") can come again by chance.
MIN_WORDS = 3


def drop_boilerplate(
    documents: pl.DataFrame, min_documents: int | None, min_share: float = 0.0
) -> tuple[pl.DataFrame, dict[str, int]]:
    """Drop sentences that stand in many documents of one source.

    Parameters
    ----------
    documents : polars.DataFrame
        `source` and cleaned `text`.
    min_documents : int or None
        A sentence of at least three words that this many documents of a source hold, whatever
        its case, is dropped from all of them; None keeps every sentence.
    min_share : float
        Where this share of the source's documents is more, so many must hold it: in a large
        source common short sentences come again by chance.

    Returns
    -------
    documents : polars.DataFrame
        Its rows in the same order, with what is left of their text.
    words : dict of str to int
        Words dropped a source; a source that lost none is left out.
    """
    import polars as pl

    if min_documents is None:
        return documents, {}
    sources = documents["source"].to_list()
    texts = documents["text"].to_list()
    keys = [_keys(source, text) for source, text in zip(sources, texts, strict=True)]
    by_source: dict[str, list[np.ndarray]] = {}
    for source, some in zip(sources, keys, strict=True):
        by_source.setdefault(source, []).append(some)
    repeated: set[int] = set()
    for all_of_one in by_source.values():
        least = max(min_documents, math.ceil(min_share * len(all_of_one)))
        repeated |= _repeated(all_of_one, least)
    dropped: Counter[str] = Counter()
    for row, own in enumerate(keys):
        if repeated.isdisjoint(own.tolist()):
            continue
        sentences = split_sentences(texts[row])
        kept = [one for one in sentences if _key(sources[row], one) not in repeated]
        texts[row] = " ".join(kept)
        dropped[sources[row]] += sum(len(one.split()) for one in sentences)
        dropped[sources[row]] -= sum(len(one.split()) for one in kept)
    words = {source: n for source, n in sorted(dropped.items()) if n}
    return documents.with_columns(pl.Series("text", texts, dtype=pl.String)), words


def _keys(source: str, text: str) -> np.ndarray:
    """Give the keys of a document's sentences, each once: eight bytes each, not their text."""
    import numpy as np

    found = {_key(source, one) for one in split_sentences(text) if len(one.split()) >= MIN_WORDS}
    return np.fromiter(found, np.uint64, len(found))


def _key(source: str, sentence: str) -> int:
    import xxhash

    return xxhash.xxh3_64_intdigest(f"{source}\0{sentence.casefold()}".encode())


def _repeated(keys: list[np.ndarray], min_documents: int) -> set[int]:
    """Give the keys that stand in that many documents."""
    import numpy as np

    unique, counts = np.unique(np.concatenate(keys), return_counts=True)
    return set(unique[counts >= min_documents].tolist())
