"""Running texts of a language: to read words in, and to train vectors on."""

from __future__ import annotations

import hashlib
import logging
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from biasatlas.corpora.paths import expand_paths
from biasatlas.corpora.readers import read_source
from biasatlas.corpora.readers.batches import Limits, Report
from biasatlas.corpora.readers.json_lines import read_json
from biasatlas.corpora.readers.table import read_table
from biasatlas.corpora.readers.table_columns import Table
from biasatlas.corpora.segmentation import segment
from biasatlas.encoders.static import lower
from biasatlas.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from biasatlas.config.corpora import Source

logger = logging.getLogger(__name__)

# Where a path of a source holds this, it stands for the code of the language.
PLACEHOLDER = "{language}"
SETTINGS = ("size", "window", "min_count", "epochs", "buckets")
_JSON = (".jsonl", ".ndjson")


class _Origin(NamedTuple):
    """What is asked of a source."""

    reader: str
    paths: tuple[str, ...]
    language: str | None
    options: Mapping[str, Any]


def gather_texts(
    sources: Sequence[Source | Mapping[str, Any]], language: str, limits: Limits | None = None
) -> pd.DataFrame:
    """Read the texts of a language from all sources.

    Parameters
    ----------
    sources : sequence of Source or mapping
        Keys reader, path and options as in the configuration; assets as the paths that they were
        fetched to. ``{language}`` in a path stands for the language's code. A source of another
        language is passed over, and so is one whose ``{language}`` has no file.
    language : str
        ISO 639 code.
    limits : Limits, optional
        As in `biasatlas.corpora.readers.read_source`.

    Returns
    -------
    DataFrame
        Columns id and text, sorted by text, so that the order of sources and files changes
        nothing: NFC, without white space around, no blank text, none twice. The id is the
        reader's own, the first in their order where a text stands twice. A JSON text that is a
        list of texts, such as the pages of a story, has a line for each.

    Raises
    ------
    InputError
        As in `read_source`, and for a path without ``{language}`` that names nothing.
    """
    import pandas as pd

    limits = limits or Limits()
    found: dict[str, str] = {}
    n_read = n_blank = 0
    for reader, path, options in _find_files(sources, language):
        for batch in _read(reader, path, options, limits):
            names, texts = (batch.column(name).to_pylist() for name in ("document", "text"))
            for name, text in zip(names, texts, strict=True):
                n_read += 1
                clean = unicodedata.normalize("NFC", text).strip()
                if clean:
                    found[clean] = min(name, found.get(clean, name))
                else:
                    n_blank += 1
    logger.info(
        "%s: %d texts read, %d blank and %d twice left out",
        language, n_read, n_blank, n_read - n_blank - len(found),
    )  # fmt: skip
    ordered = sorted(found)
    frame = pd.DataFrame({"id": [found[text] for text in ordered], "text": ordered})
    return frame.astype("str")


def digest_texts(texts: Sequence[str]) -> str:
    """Hash texts, whatever their order: 128 bits of BLAKE2b, as hex."""
    digest = hashlib.blake2b(digest_size=16)
    for text in sorted(texts):
        raw = text.encode()
        digest.update(len(raw).to_bytes(8, "little") + raw)
    return digest.hexdigest()


def _find_files(
    sources: Sequence[Source | Mapping[str, Any]], language: str
) -> list[tuple[str, Path, Mapping[str, Any]]]:
    """Files to read, or every path that names nothing."""
    files, problems = [], []
    for source in sources:
        origin = _origin(source)
        if origin.language not in (None, language):
            continue
        for pattern in origin.paths:
            paths = expand_paths(pattern.replace(PLACEHOLDER, language))
            files += [(origin.reader, Path(path), origin.options) for path in paths]
            if paths:
                continue
            if PLACEHOLDER in pattern:
                logger.info("%s: no text at %s", language, pattern)
            else:
                problems.append(f"{pattern}: no such file or folder of texts")
    if problems:
        raise InputError(problems)
    return files


def _origin(source: Source | Mapping[str, Any]) -> _Origin:
    values = source if isinstance(source, Mapping) else source.model_dump()
    path = values.get("path")
    if not path or not values.get("reader"):
        raise InputError(f"source {dict(values)}: give a reader and a path")
    return _Origin(
        values["reader"],
        (str(path),) if isinstance(path, str | Path) else tuple(map(str, path)),
        values.get("language"),
        values.get("options") or {},
    )


class _Pages(Table):
    """A table whose text may be a list of texts."""

    def batches(self, rows: list[tuple[int, list[Any]]]) -> Iterator[pa.RecordBatch]:
        at = self.texts.at
        for _, values in rows:
            pages = values[at]
            if isinstance(pages, list) and all(isinstance(page, str) for page in pages):
                values[at] = "\n".join(pages)
        yield from super().batches(rows)


def _read(
    reader: str, path: Path, options: Mapping[str, Any], limits: Limits
) -> Iterator[pa.RecordBatch]:
    report = Report()
    is_json = any(path.name.lower().removesuffix(end).endswith(_JSON) for end in (".gz", ".zst"))
    if reader == "table" and is_json:
        # It checks the file and the options, and reads nothing yet.
        read_table(path, options, limits, report)
        table = _Pages(path, options, limits, report)
        yield from read_json(table)
        table.texts.warn()
    else:
        yield from read_source(reader, path, options, limits=limits, report=report)
    for (item, unit, rule), n in sorted(report.counts.items()):
        logger.info("%s: %s %d %s %s", path.name, item, n, unit, rule)


def train_language_vectors(
    texts: Sequence[str],
    path: str | Path,
    settings: Mapping[str, int],
    seed: int,
    language: str = "",
) -> None:
    """Train fastText's skip-gram with subwords on the texts of a language.

    Parameters
    ----------
    texts : sequence of str
        As from `gather_texts`; Chinese, Japanese and Thai are cut into words first.
    path : str or Path
        Where the model goes, in fastText's own format (``.bin``). Where no word is frequent
        enough, it is an empty file in word2vec's format.
    settings : mapping
        size, window, min_count, epochs and buckets, as in the configuration's weathub.training;
        other keys are passed over.
    seed : int
    language : str
        ISO 639 code.
    """
    from biasatlas.vectors.train import train_fasttext

    words = [lower(text, language) for text in segment(texts, language)]
    train_fasttext(words, path, seed=seed, **{name: settings[name] for name in SETTINGS})
