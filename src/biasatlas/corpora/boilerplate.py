"""Sentences that an outlet prints under many articles: they are no part of any."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from biasatlas.corpora.passages import split_sentences

if TYPE_CHECKING:
    import polars as pl

# A shorter sentence ("He smiled.") can come again by chance.
MIN_WORDS = 3


def drop_boilerplate(
    documents: pl.DataFrame, min_documents: int | None
) -> tuple[pl.DataFrame, dict[str, int]]:
    """Drop sentences that stand in many documents of one source.

    Parameters
    ----------
    documents : polars.DataFrame
        `source` and cleaned `text`.
    min_documents : int or None
        A sentence of at least three words that this many documents of a source hold, whatever
        its case, is dropped from all of them; None keeps every sentence.

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
    sentences = [split_sentences(text) for text in documents["text"]]
    sources = documents["source"].to_list()
    counts: Counter[tuple[str, str]] = Counter()
    for source, some in zip(sources, sentences, strict=True):
        counts.update({(source, one.casefold()) for one in some if len(one.split()) >= MIN_WORDS})
    repeated = {key for key, n in counts.items() if n >= min_documents}
    dropped: Counter[str] = Counter()
    texts = []
    for source, text, some in zip(sources, documents["text"], sentences, strict=True):
        kept = [one for one in some if (source, one.casefold()) not in repeated]
        if len(kept) == len(some):
            texts.append(text)
            continue
        texts.append(" ".join(kept))
        dropped[source] += sum(len(one.split()) for one in some) - sum(len(o.split()) for o in kept)
    words = {source: n for source, n in sorted(dropped.items()) if n}
    return documents.with_columns(pl.Series("text", texts, dtype=pl.String)), words
