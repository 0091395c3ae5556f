"""What tests of readers share: all rows of a source, and what its reader counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from biasatlas.corpora.readers import read_source
from biasatlas.corpora.readers.batches import Limits, Report

Rows = list[dict[str, str]]


def read_rows(
    reader: str,
    path: Path,
    options: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
) -> tuple[Rows, Counter[tuple[str, str, str]]]:
    """Give the rows of all batches and the counts by (item, unit, rule)."""
    report = Report()
    batches = read_source(reader, path, options, limits=limits, report=report)
    return [row for batch in batches for row in batch.to_pylist()], report.counts
