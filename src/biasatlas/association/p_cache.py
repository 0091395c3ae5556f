"""P-values kept between runs, by the scores themselves.

A p-value hangs on the scores of X and Y and on how it is found, and on nothing else. So after one
list is edited every other test takes its p from here.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import astuple, fields
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from biasatlas.association.permutation.p_value import PermutationResult, permutation_test
from biasatlas.association.permutation.saddlepoint import saddlepoint_p
from biasatlas.provenance import code_version

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

logger = logging.getLogger(__name__)

Mode = Literal["certified", "saddlepoint"]
KEY = b"biasatlas_p_values"
# Up to so many words counting takes no longer than approximating.
ALWAYS_EXACT = 24
COLUMNS = tuple(field.name for field in fields(PermutationResult))


class CachedPermutation:
    """A permutation test that remembers.

    Parameters
    ----------
    path : str, Path or None
        Parquet file of earlier p-values; there need be none. None keeps them in memory only.
    max_exact, relative_width
        As of `permutation_test`.
    mode : {"certified", "saddlepoint"}
        Exact or within certified bounds; or approximated where there are more than 24 words, and
        counted, whatever `max_exact`, where there are not.

    Attributes
    ----------
    hits, misses : int
        P-values taken from what was there, and worked out.
    """

    def __init__(
        self,
        path: str | Path | None,
        max_exact: int = 56,
        relative_width: float = 1e-3,
        mode: Mode = "certified",
    ) -> None:
        if mode not in ("certified", "saddlepoint"):
            raise ValueError(f"mode {mode!r} is unknown; allowed: certified, saddlepoint")
        self.path = None if path is None else Path(path)
        self.max_exact = max_exact if mode == "certified" else ALWAYS_EXACT
        self.relative_width = relative_width
        self.mode = mode
        self.hits = self.misses = 0
        # What else decides a p-value: under other settings or code the file is of no use.
        settings = "" if mode == "saddlepoint" else f" {max_exact} {relative_width!r}"
        self._key = f"{code_version('association.p_cache')} {mode}{settings}"
        self._known = {} if self.path is None else _read(self.path, self._key)
        self._used: dict[bytes, PermutationResult] = {}

    def __call__(self, scores_x: Floats, scores_y: Floats) -> PermutationResult:
        """Give the p-values of one test, as `permutation_test` does."""
        key = _digest(scores_x, scores_y)
        result = self._used.get(key) or self._known.get(key)
        if result is None:
            result = self._work_out(scores_x, scores_y)
            self.misses += 1
        else:
            self.hits += 1
        self._used[key] = result
        return result

    def save(self) -> None:
        """Write what this run used, and nothing else, so that the file does not grow."""
        if self.path is None:
            return
        import pyarrow as pa
        import pyarrow.parquet as pq

        from biasatlas.files import atomic_path

        # In an order that does not hang on that of the tests.
        ordered = sorted(self._used)
        columns = zip(*(astuple(self._used[key]) for key in ordered), strict=True)
        values = dict(zip(COLUMNS, map(list, columns), strict=True)) if ordered else {}
        table = pa.table(
            {"scores": ordered} | {name: values.get(name, []) for name in COLUMNS},
            schema=_schema(self._key),
        )
        with atomic_path(self.path) as temporary:
            pq.write_table(table, temporary, compression="zstd")

    def _work_out(self, scores_x: Floats, scores_y: Floats) -> PermutationResult:
        if self.mode == "saddlepoint" and len(scores_x) + len(scores_y) > ALWAYS_EXACT:
            return saddlepoint_p(scores_x, scores_y)
        return permutation_test(
            scores_x, scores_y, max_exact=self.max_exact, relative_width=self.relative_width
        )


def _digest(scores_x: Floats, scores_y: Floats) -> bytes:
    """128 bits of the scores of X and of Y, each in order of size."""
    hashed = hashlib.blake2b(digest_size=16)
    for scores in (scores_x, scores_y):
        # Little-endian, so that a file may move to another machine; + 0.0 makes -0.0 a zero.
        ordered = np.sort(np.asarray(scores, dtype="<f8")) + 0.0
        hashed.update(len(ordered).to_bytes(8, "little") + ordered.tobytes())
    return hashed.digest()


def _schema(key: str):  # type: ignore[no-untyped-def]
    import pyarrow as pa

    kinds = [pa.string() if name == "method" else pa.float64() for name in COLUMNS]
    columns = [("scores", pa.binary(16)), *zip(COLUMNS, kinds, strict=True)]
    return pa.schema(columns, metadata={KEY: key.encode()})


def _read(path: Path, key: str) -> dict[bytes, PermutationResult]:
    """P-values by their scores; none from a damaged file, or one of other settings."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not path.exists():
        return {}
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowException) as error:
        logger.warning("%s cannot be read (%s); all p-values are worked out anew", path, error)
        return {}
    found = (table.schema.metadata or {}).get(KEY)
    if found is None or not table.schema.equals(_schema(key)):
        logger.warning("%s does not hold p-values; all are worked out anew", path)
        return {}
    if found != key.encode():
        logger.info("the cached p-values are of other settings; all are worked out anew")
        return {}
    rows = zip(*(table[name].to_pylist() for name in COLUMNS), strict=True)
    results = (PermutationResult(*row) for row in rows)
    return dict(zip(table["scores"].to_pylist(), results, strict=True))
