"""The embedding cache: what was embedded before, kept between runs, read only under its key."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from biasatlas.files import atomic_path

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

logger = logging.getLogger(__name__)
KEY = b"biasatlas_encoder"


def read_cache(path: Path, key: str) -> pd.DataFrame | None:
    """Read cached embeddings, None when there are none under this key.

    Parameters
    ----------
    path : Path
        Parquet file with columns `hash` and `embedding`.
    key : str
        What else decides an embedding: model, precision, batch size.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not path.is_file():
        return None
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowException) as error:
        logger.warning("%s cannot be read (%s); everything is embedded anew", path.name, error)
        return None
    if (table.schema.metadata or {}).get(KEY) != key.encode():
        logger.info("the cache is of another encoder; everything is embedded anew")
        return None
    frame: pd.DataFrame = table.to_pandas()
    return frame


def write_cache(frame: pd.DataFrame, key: str, path: Path) -> None:
    """Write the cache with its key, whole or not at all."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pandas(frame, preserve_index=False)
    table = table.replace_schema_metadata({**(table.schema.metadata or {}), KEY: key.encode()})
    with atomic_path(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")


def content_hash(text: str) -> str:
    """Key of a text in the embedding cache: 128 bits of BLAKE2b, as hex."""
    return hashlib.blake2b(text.encode("utf-8"), digest_size=16).hexdigest()


def embed_with_cache(
    texts: Sequence[str], cache: pd.DataFrame | None, make_encoder: Any, what: str
) -> tuple[NDArray[np.float32], pd.DataFrame]:
    """Embed texts, taking from a cache what was embedded before.

    Parameters
    ----------
    texts : sequence of str
    cache : DataFrame or None
        Columns `hash` and `embedding` of earlier texts under the same model and precision.
    make_encoder : callable
        Gives a `SentenceEncoder`; called only when a text is new.
    what : str
        What the texts are, for the log.

    Returns
    -------
    embeddings : ndarray, shape (n, d), float32
    cache : DataFrame
        The cache for the next run: these texts and the earlier ones, sorted by hash.
    """
    import pandas as pd

    known = {} if cache is None else dict(zip(cache["hash"], cache["embedding"], strict=True))
    keys = [content_hash(text) for text in texts]
    new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    logger.info("%s: %d new, %d from the cache", what, len(new), len(set(keys)) - len(new))
    if new:
        vectors = make_encoder().encode(list(new.values()), what)
        known |= {key: vectors[row] for row, key in enumerate(new)}
    embeddings = np.array([known[key] for key in keys], dtype=np.float32)
    ordered = sorted(known)
    return embeddings, pd.DataFrame({"hash": ordered, "embedding": [known[key] for key in ordered]})
