"""Samples and duplicates that depend on content and seed, never on the order of rows."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


def content_keys(texts: pl.Series, seed: int) -> pl.Series:
    """Give the content key of every text: its 64-bit xxh3 hash under a seed.

    Parameters
    ----------
    texts : polars.Series of str
        Without missing values.
    seed : int

    Returns
    -------
    polars.Series of uint64
        Computed from the series' own bytes.
    """
    import numpy as np
    import polars as pl
    import pyarrow as pa
    import xxhash

    if not len(texts):
        return pl.Series("key", [], dtype=pl.UInt64)
    array = texts.to_arrow().cast(pa.large_string())
    _, offsets, data = array.buffers()
    places = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
    raw = memoryview(data) if data is not None else memoryview(b"")
    digest = xxhash.xxh3_64_intdigest
    keys = [digest(raw[start:end], seed) for start, end in pairwise(places.tolist())]
    return pl.Series("key", keys, dtype=pl.UInt64)


def fold(texts: pl.Series) -> pl.Series:
    """Fold case and white space: texts that are equal then count as the same text."""
    # a single blank stays; matching it too would be six times slower
    folded = texts.str.to_lowercase().str.replace_all(r"\s\s+|[^\S ]", " ").str.strip_chars()
    return folded.rename(texts.name)


def sample(
    frame: pl.DataFrame, k: int, seed: int, by: str | None = None, *, id_column: str = "id"
) -> pl.DataFrame:
    """Draw at most `k` rows a group: those with the smallest content keys (bottom-k sample).

    For a fixed seed the keys are as good as random and each is its text's own, so the draw does
    not depend on the order of rows, and a larger `k` only adds rows.

    Parameters
    ----------
    frame : polars.DataFrame
        With columns text and `id_column` (which breaks ties).
    k : int
        Rows to keep a group, at least 0.
    seed : int
        Another seed gives another sample.
    by : str, optional
        Column of groups, for example country; without it the frame is one group.

    Returns
    -------
    polars.DataFrame
        The drawn rows, sorted by `id_column`.
    """
    import polars as pl

    keys = content_keys(frame["text"], seed).alias("_key")
    ordered = frame.with_columns(keys).sort("_key", id_column)
    drawn = ordered.head(k) if by is None else ordered.filter(pl.int_range(pl.len()).over(by) < k)
    return drawn.select(frame.columns).sort(id_column)


def is_duplicate(frame: pl.DataFrame, *, id_column: str = "id") -> pl.Series:
    """Mark rows whose text stands in another row too, all but the one with the smallest id.

    Texts are the same when they are equal after folding case and white space.

    Returns
    -------
    polars.Series of bool
        In the order of the rows.
    """
    import polars as pl

    folded = fold(frame["text"]).alias("_text")
    smallest = pl.col(id_column).min().over("_text")
    return frame.with_columns(folded).select((pl.col(id_column) != smallest).alias("duplicate"))[
        "duplicate"
    ]
