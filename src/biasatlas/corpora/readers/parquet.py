"""Parquet files, row group by row group."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from biasatlas.corpora.readers.batches import Report
from biasatlas.corpora.readers.common import decode
from biasatlas.corpora.readers.table_columns import Table, as_texts
from biasatlas.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

# Rows unpacked at once. One value may stand in the file once and in all rows, so that neither the
# file's size nor what it says of its columns tells what rows unpack to; more rows are no faster.
_ROWS = 64


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
        As in `read_table`; also a column of text that holds lists or objects, and rows that need
        more memory than there is.
    """
    with open_parquet(table.path) as file:
        table.check(file.schema_arrow.names)
        _check_text(file, table)
        given = 0
        try:
            for held in _few_rows(file, table):
                yield from _documents(table, held, given)
                given += sum(map(len, held))
        except MemoryError as error:
            raise InputError(
                f"{table.path}: the rows behind row {given} need more memory than there is "
                f"({str(error) or 'MemoryError'})"
            ) from error


def _check_text(file: pq.ParquetFile, table: Table) -> None:
    import pyarrow as pa

    kind = file.schema_arrow.field(table.wanted["text"]).type
    if pa.types.is_nested(kind):
        raise InputError(
            f"{table.path}: column {table.wanted['text']!r} (option text) holds {kind}, which is "
            "no text; name a column of text"
        )


def _few_rows(file: pq.ParquetFile, table: Table) -> Iterator[list[pa.RecordBatch]]:
    """Give rows of about the size of a batch, in parts of some rows, dictionaries unpacked."""
    import pyarrow as pa

    most = table.limits.unpacked_bytes
    given = unpacked = length = 0
    held: list[pa.RecordBatch] = []
    parts = _parts(file, table)
    while True:
        try:
            part = next(parts, None)
            part = part if part is None else _plain(part)
        except MemoryError:
            raise
        except (pa.ArrowException, OSError) as error:
            if held:
                yield held
            reason = f"cannot be read beyond row {given} ({error})"
            table.report.damage(table.path, reason, table.limits)
            table.report.count("dropped_damaged", file.metadata.num_rows - given)
            return
        if part is None:
            break
        unpacked += part.nbytes
        if unpacked > most:
            raise InputError(
                f"{table.path}: unpacks to more than {table.limits.max_unpacked_gb:g} GB; "
                "raise documents.max_unpacked_gb if the file is what it should be"
            )
        held.append(part)
        given += len(part)
        length += part.nbytes
        if length >= table.limits.batch_bytes:
            yield held
            held, length = [], 0
    if held:
        yield held


def _parts(file: pq.ParquetFile, table: Table) -> Iterator[pa.RecordBatch]:
    columns = list(dict.fromkeys(table.wanted.values()))
    for group in range(file.metadata.num_row_groups):
        # by group: a fault in one takes no rows of the group before it
        rows = _rows_at_once(file.metadata.row_group(group), columns, table.limits.batch_bytes)
        yield from file.iter_batches(rows, row_groups=[group], columns=columns, use_threads=False)


def _rows_at_once(group: pq.RowGroupMetaData, columns: list[str], batch_bytes: int) -> int:
    """Choose how many rows are unpacked at once, by what the file states of the columns."""
    size = repeated = 0
    for i in range(group.num_columns):
        column = group.column(i)
        if column.path_in_schema.split(".")[0] not in columns:
            continue
        size += column.total_uncompressed_size
        first = column.dictionary_page_offset
        # mostly a dictionary: any row may hold nearly all of it
        if first is not None and (
            2 * (column.data_page_offset - first) > column.total_compressed_size
        ):
            repeated += column.total_uncompressed_size
    mean = size // max(1, group.num_rows)
    return max(1, min(_ROWS, batch_bytes // max(1, mean), 4 * batch_bytes // max(1, repeated)))


def _plain(batch: pa.RecordBatch) -> pa.RecordBatch:
    import pyarrow as pa

    arrays = [
        values.dictionary_decode() if pa.types.is_dictionary(values.type) else values
        for values in batch.columns
    ]
    return pa.RecordBatch.from_arrays(arrays, names=batch.schema.names)


def _documents(table: Table, held: list[pa.RecordBatch], before: int) -> Iterator[pa.RecordBatch]:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    column = table.wanted["text"]
    text = pa.concat_arrays([_string_array(part.column(column), table.report) for part in held])
    short = pc.less_equal(pc.binary_length(text), table.limits.document_bytes)
    numbers = np.arange(before + 1, before + 1 + len(text))
    kept = np.asarray(short)
    rows = pa.Table.from_batches(held)
    if not kept.all():
        table.report.count("dropped_too_long", int((~kept).sum()))
        mask = pa.array(kept)
        text, numbers, rows = text.filter(mask), numbers[kept], rows.filter(mask)
    if len(text):
        others = {
            key: rows.column(column).to_pylist()
            for key, column in table.wanted.items()
            if key != "text"
        }
        yield table.batch(numbers.tolist(), {**others, "text": text})


def _string_array(values: pa.Array, report: Report) -> pa.LargeStringArray:
    """Turn a column of any type into valid text without missing values."""
    import pyarrow as pa
    import pyarrow.compute as pc

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
