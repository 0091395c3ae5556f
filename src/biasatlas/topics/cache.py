"""The embedding cache of one region: kept between runs, read only under the same key."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from biasatlas.files import atomic_path

if TYPE_CHECKING:
    import pandas as pd

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
