"""Parquet files, row group by row group."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from biasatlas.corpora.readers.batches import Report
from biasatlas.corpora.readers.common import decode
from biasatlas.corpora.readers.table import Table, as_texts
from biasatlas.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq


def open_parquet(path: Path) -> pq.ParquetFile:
    """Open a parquet file.

    Raises
    ------
    InputError
        It is none, or its end, where its columns are described, is lost.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # read bit by bit rather than a column of a row group at once
        return pq.ParquetFile(
            path, pre_buffer=False, buffer_size=1 << 20, page_checksum_verification=True
        )
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path}: is not a readable parquet file ({error})") from error


def read_parquet(table: Table) -> Iterator[pa.RecordBatch]:
    """Give a parquet file's rows as batches of documents; only wanted columns are read.

    Raises
    ------
    InputError
        As in `read_table`.
    """
    import pyarrow as pa

    most = table.limits.unpacked_bytes
    with open_parquet(table.path) as file:
        table.check(file.schema_arrow.names)
        columns = list(dict.fromkeys(table.wanted.values()))
        given = unpacked = 0
        batches = file.iter_batches(_rows_of_batch(file, table), columns=columns, use_threads=False)
        while True:
            try:
                batch = next(batches, None)
            except (pa.ArrowException, OSError) as error:
                reason = f"cannot be read beyond row {given} ({error})"
                table.report.damage(table.path, reason, table.limits)
                table.report.count("dropped_damaged", file.metadata.num_rows - given)
                break
            if batch is None:
                break
            unpacked += batch.nbytes
            if unpacked > most:
                raise InputError(
                    f"{table.path}: unpacks to more than {table.limits.max_unpacked_gb:g} GB; "
                    "raise documents.max_unpacked_gb if the file is what it should be"
                )
            yield from _parquet_batch(table, batch, given)
            given += len(batch)


def _rows_of_batch(file: pq.ParquetFile, table: Table) -> int:
    """Choose the rows of a batch by the mean length of a row's text, as the file states it."""
    meta = file.metadata
    sizes = 0
    for group in range(meta.num_row_groups):
        row_group = meta.row_group(group)
        for i in range(row_group.num_columns):
            if row_group.column(i).path_in_schema == table.wanted["text"]:
                sizes += row_group.column(i).total_uncompressed_size
    mean = max(1, sizes // max(1, meta.num_rows))
    return max(1, min(1 << 16, table.limits.batch_bytes // mean))


def _parquet_batch(table: Table, batch: pa.RecordBatch, before: int) -> Iterator[pa.RecordBatch]:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    text = _string_array(batch.column(table.wanted["text"]), table.report)
    short = pc.less_equal(pc.binary_length(text), table.limits.document_bytes)
    numbers = np.arange(before + 1, before + 1 + len(batch))
    kept = np.asarray(short)
    if not kept.all():
        table.report.count("dropped_too_long", int((~kept).sum()))
        mask = pa.array(kept)
        text, numbers, batch = text.filter(mask), numbers[kept], batch.filter(mask)
    if len(batch):
        others = {
            key: batch.column(column).to_pylist()
            for key, column in table.wanted.items()
            if key != "text"
        }
        yield table.batch(numbers.tolist(), {**others, "text": text})


def _string_array(values: pa.Array, report: Report) -> pa.LargeStringArray:
    """Turn a column of any type into valid text without missing values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    kind = values.type
    binary = pa.types.is_binary(kind) or pa.types.is_large_binary(kind)
    if not (binary or pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        texts = as_texts(values.to_pylist())
        return pa.array(texts, pa.large_string())
    raw = pc.fill_null(values.cast(pa.large_binary()), b"")
    try:
        return raw.cast(pa.large_string())
    except pa.ArrowInvalid:
        decoded = [decode(value) for value in raw.to_pylist()]
        report.count("decoded_by_fallback", sum(guessed for _, guessed in decoded))
        return pa.array([text for text, _ in decoded], pa.large_string())
