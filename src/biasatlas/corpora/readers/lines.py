"""Plain text with one document a line, for example gensim's ``lee_background.cor``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.corpora.readers.batches import Limits, Report, check_options, make_batch
from biasatlas.corpora.readers.common import check_file, given_country
from biasatlas.corpora.readers.dates import given_date
from biasatlas.corpora.readers.streams import iter_lines
from biasatlas.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

OPTIONS = ("name", "source", "country", "outlet_country", "region", "date")

# White space that is not ASCII's, by its bytes in UTF-8, and ASCII's four separators.
_SEPARATORS = (0x1C, 0x1D, 0x1E, 0x1F)
_WIDE = tuple(
    int.from_bytes(chr(code).encode())
    for code in (0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000)
)


def read_lines(
    path: Path, options: Mapping[str, Any], limits: Limits, report: Report
) -> Iterator[pa.RecordBatch]:
    """Read a text file, plain, ``.gz`` or ``.zst``, with one document a line.

    Parameters
    ----------
    path : Path
        The file.
    options : mapping
        name (id prefix; default: the file's stem), source (outlet; default: name), country,
        outlet_country, region, date: one value for all documents.
    limits, report
        As in `read_source`.

    Returns
    -------
    iterator of pyarrow.RecordBatch
        The id is the line's number, so blank lines, which are no documents, shift nothing.

    Raises
    ------
    InputError
        File missing, empty or damaged; unknown option or country; a date that cannot be read.
    """
    check_options("lines", options, OPTIONS)
    check_file(path)
    name = str(options.get("name") or path.name.split(".")[0])
    constants = {
        "country": given_country("lines", options, "country"),
        "outlet_country": given_country("lines", options, "outlet_country"),
        "region": str(options.get("region") or ""),
        "source": str(options.get("source") or name),
        "date": given_date("lines", options),
    }
    return line_documents(path, name, constants, limits, report)


def line_documents(
    path: Path, prefix: str, constants: Mapping[str, str], limits: Limits, report: Report
) -> Iterator[pa.RecordBatch]:
    """Give the lines of one file as documents.

    Parameters
    ----------
    prefix : str
        Of the ids; a hyphen and the line's number follow.
    constants : mapping
        Columns that are the same for all lines.

    Raises
    ------
    InputError
        No line holds text.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    lines = iter_lines(path, limits, report)
    dropped = sum(n for (item, _, _), n in report.counts.items() if item.startswith("dropped_"))
    any_text = False
    for block in lines:
        texts, filled = trim(block.texts)
        numbers = np.arange(block.first, block.first + len(filled))
        if not filled.all():
            texts, numbers = texts.filter(pa.array(filled)), numbers[filled]
        if len(texts):
            any_text = True
            ids = pc.binary_join_element_wise(
                pa.scalar(prefix, pa.large_string()),
                pa.array(numbers).cast(pa.large_string()),
                pa.scalar("-", pa.large_string()),
            )
            yield make_batch({"document": ids, "text": texts, **constants})
    now = sum(n for (item, _, _), n in report.counts.items() if item.startswith("dropped_"))
    if not any_text and not lines.damaged and now == dropped:
        raise InputError(f"{path}: holds no text; fetch it again")


def trim(texts: pa.LargeStringArray) -> tuple[pa.LargeStringArray, np.ndarray]:
    """Take white space off both ends of texts, as `str.strip` does.

    Returns
    -------
    texts : pyarrow.LargeStringArray
    filled : numpy.ndarray of bool
        False where nothing is left.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    trimmed = pc.ascii_trim_whitespace(texts)
    if _has_wide_edge(trimmed):
        # rare, so that the fast way serves nearly all text
        trimmed = pa.array([text.strip() for text in trimmed.to_pylist()], pa.large_string())
    return trimmed, np.asarray(pc.binary_length(trimmed)) > 0


def _has_wide_edge(texts: pa.LargeStringArray) -> bool:
    """Tell whether a text may begin or end with white space other than ASCII's."""
    import numpy as np

    _, offsets, data = texts.buffers()
    if data is None or not data.size:
        return False
    codes = np.frombuffer(data, np.uint8)
    edges = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    filled = edges[1:] > edges[:-1]
    first, last = edges[:-1][filled], edges[1:][filled] - 1
    # three bytes at each edge; where a text is shorter they are its neighbour's, which at worst
    # costs the slow way
    for places in ((first, first + 1, first + 2), (last - 2, last - 1, last)):
        a, b, c = (codes[np.clip(at, 0, len(codes) - 1)].astype(np.int64) for at in places)
        edge, pair = (a, (a << 8) | b) if places[0] is first else (c, (b << 8) | c)
        wide = (edge >= _SEPARATORS[0]) & (edge <= _SEPARATORS[-1])
        wide |= np.isin(pair, _WIDE) | np.isin((a << 16) | (b << 8) | c, _WIDE)
        if wide.any():
            return True
    return False
