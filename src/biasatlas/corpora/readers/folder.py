"""A folder of text files, one document a file."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.corpora.readers.batches import Limits, Report, check_options, make_batch
from biasatlas.corpora.readers.common import (
    Countries,
    check_file,
    check_pattern,
    decode,
    given_country,
    pattern_group,
    walk_files,
)
from biasatlas.corpora.readers.dates import Dates, given_date, given_format
from biasatlas.corpora.readers.streams import iter_blocks
from biasatlas.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

logger = logging.getLogger(__name__)

ENDINGS = (".txt", ".txt.gz", ".txt.zst")
PATTERNS = ("country", "region", "date")
OPTIONS = (
    "name", "source", "country", "region", "date", "outlet_country",
    "country_pattern", "region_pattern", "date_pattern", "date_format",
)  # fmt: skip


def read_folder(
    path: Path, options: Mapping[str, Any], limits: Limits, report: Report
) -> Iterator[pa.RecordBatch]:
    r"""Read the ``.txt`` files (plain, ``.gz``, ``.zst``) in a folder and all folders below.

    Parameters
    ----------
    path : Path
        The folder.
    options : mapping
        name (put before the ids), source (outlet; default: name, else the folder's name),
        country, region, date, outlet_country: one value for all documents. country_pattern,
        region_pattern, date_pattern: regular expressions, searched in the path below the folder
        without its ending (``NG/2017-02-07_a``), whose one group is the value, such as
        ``^([A-Z]{2})/``; date_format as in `parse_date`.
    limits, report
        As in `read_source`. Counted, unit file: ``skipped_link`` (links that lead out of the
        folder, to a folder, or nowhere), ``skipped_hidden``, ``skipped_other_ending``.

    Returns
    -------
    iterator of pyarrow.RecordBatch
        Sorted by path. The id is the path below the folder without its ending; an empty file is
        a document without text.

    Raises
    ------
    InputError
        Missing or empty folder; unknown option; a value and a pattern for the same thing; a date
        or date_format, or a file, that cannot be read.
    """
    check_options("folder", options, OPTIONS)
    check_file(path, folder=True)
    if not path.is_dir():
        raise InputError(f"{path}: is a file; reader folder takes a folder of .txt files")
    problems = [
        f"reader folder: give option {key} or {key}_pattern, not both"
        for key in PATTERNS
        if options.get(key) and options.get(f"{key}_pattern")
    ]
    if problems:
        raise InputError(problems)
    patterns = {
        key: check_pattern("folder", options, f"{key}_pattern", group=key) for key in PATTERNS
    }
    constants = {
        "country": given_country("folder", options, "country"),
        "outlet_country": given_country("folder", options, "outlet_country"),
        "region": str(options.get("region") or ""),
        "date": given_date("folder", options),
        "source": str(options.get("source") or options.get("name") or path.resolve().name),
    }
    return _read(_Folder(path, options, limits, report, patterns, constants))


@dataclass
class _Folder:
    """What the steps of one folder share."""

    path: Path
    options: Mapping[str, Any]
    limits: Limits
    report: Report
    patterns: Mapping[str, re.Pattern[str] | None]
    constants: Mapping[str, str]

    def __post_init__(self) -> None:
        self.countries = Countries(self.path, self.report)
        self.dates = Dates(self.path, self.report, given_format("folder", self.options))
        self.unmatched: dict[str, list[str]] = {key: [] for key in PATTERNS}

    def batch(self, stems: list[str], texts: list[str]) -> pa.RecordBatch:
        """Build a batch from paths without ending and their texts."""
        before = f"{self.options['name']}-" if self.options.get("name") else ""
        found: dict[str, list[str]] = {}
        for key, pattern in self.patterns.items():
            if pattern is None:
                continue
            found[key] = [pattern_group(pattern, stem, key) for stem in stems]
            missed = [stem for stem, value in zip(stems, found[key], strict=True) if not value]
            self.report.count(f"{key}_pattern_finds_nothing", len(missed))
            self.unmatched[key] += missed[: 3 - len(self.unmatched[key])]
        if "country" in found:
            found["country"] = self.countries.resolve(found["country"])
        if "date" in found:
            found["date"] = self.dates.parse(found["date"])
        ids = [before + stem for stem in stems]
        return make_batch({"document": ids, "text": texts, **self.constants, **found})

    def warn(self) -> None:
        """Warn once of all that the patterns did not find."""
        self.countries.warn()
        self.dates.warn()
        for key, missed in self.unmatched.items():
            if missed:
                n = self.report.counts[f"{key}_pattern_finds_nothing", "document", ""]
                logger.warning(
                    "%s: %s_pattern finds nothing in %d file names, such as %s",
                    self.path, key, n, ", ".join(missed),
                )  # fmt: skip


def _read(folder: _Folder) -> Iterator[pa.RecordBatch]:
    stems: list[str] = []
    texts: list[str] = []
    length = 0
    any_file = False
    for file, relative in _files(folder.path, folder.report):
        any_file = True
        text = _text(file, folder.limits, folder.report)
        if text is None:
            continue
        stems.append(relative)
        texts.append(text)
        # the path counts, so that a million empty files are not one batch
        length += len(text) + len(relative)
        if length >= folder.limits.batch_bytes:
            yield folder.batch(stems, texts)
            stems, texts, length = [], [], 0
    if not any_file:
        raise InputError(f"{folder.path}: the folder holds no file ending in {', '.join(ENDINGS)}")
    if stems:
        yield folder.batch(stems, texts)
    folder.warn()


def _files(root: Path, report: Report) -> Iterator[tuple[Path, str]]:
    """Give (file, path below the folder without ending), sorted."""
    found: list[str] = []
    for file in walk_files(root, report):
        if file.name.lower().endswith(ENDINGS):
            found.append(file.relative_to(root).as_posix())
        else:
            report.count("skipped_other_ending", unit="file")
    for relative in sorted(found):
        ending = max((e for e in ENDINGS if relative.lower().endswith(e)), key=len)
        yield root / relative, relative[: -len(ending)]


def _text(file: Path, limits: Limits, report: Report) -> str | None:
    """Read one document; None when it is counted as one that cannot be given."""
    if file.stat().st_size == 0:
        return ""
    if limits.damaged == "keep" and not os.access(file, os.R_OK):
        report.damage(file, "no permission to read it", limits)
        report.count("dropped_damaged")
        return None
    blocks: list[bytes] = []
    length = 0
    source = iter_blocks(file, limits, report)
    for block in source:
        blocks.append(block)
        length += len(block)
        if length > limits.document_bytes:
            report.count("dropped_too_long")
            return None
    if source.damaged:
        report.count("dropped_damaged")
        return None
    text, guessed = decode(b"".join(blocks))
    report.count("decoded_by_fallback", int(guessed))
    return text
