"""What every reader yields: Arrow batches of documents, and counts of what it could not give."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from biasatlas.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

logger = logging.getLogger(__name__)

COLUMNS = (
    "document", "title", "text", "country", "region", "source", "outlet_country", "date",
)  # fmt: skip


# Distinct rules of one item that are counted one by one.
MOST_RULES = 20
OTHER_RULES = "others"


@dataclass(frozen=True)
class Limits:
    """How much of a file is read, and what happens when it is damaged.

    Attributes
    ----------
    damaged : {"fail", "keep"}
        A file that breaks off or cannot be unpacked: an error, or what was whole is kept, counted
        and warned of.
    max_document_mb : float
        A longer document is passed over and counted as ``dropped_too_long``.
    max_unpacked_gb : float
        A file that unpacks to more is refused.
    batch_mb : float
        Text of one batch, about; it never changes a result.
    """

    damaged: Literal["fail", "keep"] = "fail"
    max_document_mb: float = 10
    max_unpacked_gb: float = 100
    batch_mb: float = 16

    @property
    def document_bytes(self) -> int:
        """Largest document in bytes."""
        return int(self.max_document_mb * 1e6)

    @property
    def unpacked_bytes(self) -> int:
        """Largest unpacked file in bytes."""
        return int(self.max_unpacked_gb * 1e9)

    @property
    def batch_bytes(self) -> int:
        """Text of a batch in bytes."""
        return max(1, int(self.batch_mb * 1e6))


@dataclass
class Report:
    """What one source's reader counted and warned of.

    Attributes
    ----------
    counts : Counter
        ``{(item, unit, rule): n}``. Items named ``dropped_*`` with the unit document are
        documents that no batch holds; all others tell what was done to documents that are held. An item
        has at most 20 rules of its own; what comes then is counted under the rule ``others``.
    """

    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def count(self, item: str, n: int = 1, *, unit: str = "document", rule: str = "") -> None:
        """Add to a count; zero adds nothing."""
        if not n:
            return
        if rule and (item, unit, rule) not in self.counts:
            own = sum(i == item and r not in ("", OTHER_RULES) for i, _, r in self.counts)
            rule = rule if own < MOST_RULES else OTHER_RULES
        self.counts[item, unit, rule] += n

    def damage(self, path: Path, reason: str, limits: Limits) -> None:
        """Raise for a damaged file, or count it and warn.

        Raises
        ------
        InputError
            With ``damaged: fail``.
        """
        if limits.damaged == "fail":
            raise InputError(
                f"{path}: {reason}; truncated or damaged? Fetch it again, or set "
                "documents.damaged: keep to use what is whole"
            )
        self.count("damaged", unit="file", rule=f"{path.name}: {reason}")
        logger.warning("%s: %s; what is whole is kept", path, reason)


Reader = Callable[[Path, Mapping[str, Any], Limits, Report], "Iterator[pa.RecordBatch]"]


def schema() -> pa.Schema:
    """The schema of every batch: the columns of `COLUMNS`, all text without missing values."""
    import pyarrow as pa

    return pa.schema([pa.field(name, pa.large_string(), nullable=False) for name in COLUMNS])


def make_batch(columns: Mapping[str, Sequence[str] | pa.Array | str]) -> pa.RecordBatch:
    """Build a batch with all columns of `COLUMNS`.

    Parameters
    ----------
    columns : mapping
        A column's values, or one text for all rows; ``document`` must be a column. Columns left
        out are empty text. Lone surrogates, which UTF-8 cannot hold, become question marks.
    """
    import pyarrow as pa

    n = len(columns["document"])
    arrays = [_array(columns.get(name, ""), n) for name in COLUMNS]
    return pa.RecordBatch.from_arrays(arrays, schema=schema())


def _array(values: Any, n: int) -> pa.Array:
    import pyarrow as pa

    if isinstance(values, str):
        return pa.repeat(pa.scalar(values, pa.large_string()), n)
    if isinstance(values, pa.Array):
        return values.cast(pa.large_string())
    try:
        return pa.array(values, pa.large_string())
    except UnicodeEncodeError:
        safe = [value.encode("utf-8", "replace").decode("utf-8") for value in values]
        return pa.array(safe, pa.large_string())


def check_options(reader: str, options: Mapping[str, Any], allowed: Sequence[str]) -> None:
    """Refuse option names that the reader does not know."""
    allowed = sorted(allowed)
    problems = [
        f"reader {reader}: option {key!r} is unknown; allowed: {', '.join(allowed)}"
        for key in sorted(options)
        if key not in allowed
    ]
    if problems:
        raise InputError(problems)
