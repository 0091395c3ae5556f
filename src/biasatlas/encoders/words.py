"""The words of a language under one model: encoded once, and kept for the next run."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from biasatlas.encoders.phrases import is_phrase, split_phrase, with_words
from biasatlas.encoders.reading import Reading, name_status, read_sentences, share_readable
from biasatlas.errors import InputError
from biasatlas.files import atomic_path

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

logger = logging.getLogger(__name__)

KINDS = ("layers", "sentence", "static")
COLUMNS = ("text", "status", "letters", "pieces")
SENTENCE = "sentence"
IN_CONTEXT = "token_in_context"
# Under these the file says what its vectors are of.
KEY = b"biasatlas_words"
CONTEXT_KEY = b"biasatlas_words_in_context"


@dataclass(frozen=True)
class TextsForContext:
    """Texts in which words are read as they are used.

    Attributes
    ----------
    texts : sequence of str
    digest : str
        Hash of the texts, whatever their order.
    occurrences, window, seed : int
        As in `biasatlas.encoders.in_context.encode_in_context`.
    readable_min : float
        Words are not looked for where the model can read a smaller share of them.
    """

    texts: Sequence[str]
    digest: str
    occurrences: int = 10
    window: int = 10
    seed: int = 0
    readable_min: float = 0.0

    def key(self, language: str) -> str:
        """All that decides the vectors beside the model."""
        return f"{self.digest} {self.occurrences} {self.window} {self.seed} {language}"


def encode_words(
    entries: Sequence[str],
    *,
    kind: str,
    path: str | Path,
    cache_file: str | Path,
    key: str,
    batch_size: int = 32,
    in_context: TextsForContext | None = None,
    language: str,
) -> pd.DataFrame:
    """Encode the entries of a language's lists, and the single words of phrases among them.

    What an earlier run encoded under the same key is taken from its cache; where all is, the
    model is not even loaded. A row's bits are the same either way.

    Parameters
    ----------
    entries : sequence of str
    kind : {"layers", "sentence", "static"}
        What the model is: a transformer that is read layer by layer, an encoder of sentences, or
        a file of word vectors.
    path : str or Path
        Its folder or file.
    cache_file : str or Path
        The cache, as `write_encoded` keeps it.
    key : str
        What else decides a vector: the model's content, its kind, the batch size.
    batch_size : int
        Rows of every batch of a transformer.
    in_context : TextsForContext, optional
        For kind layers: texts of the language; without them there is no `token_in_context`.
    language : str
        ISO 639 code.

    Returns
    -------
    DataFrame
        One row a distinct text, sorted: text, status (read, unknown, too_long, absent), letters,
        pieces, and for each encoder a column of float32 vectors. It holds None where the encoder
        has no vector of that text: a phrase under an encoder that takes the mean of its words,
        a text that was not read, a word that does not occur in the texts.

    Raises
    ------
    InputError
        For an unknown kind, text that UTF-8 cannot hold, and a model that cannot be read.
    """
    import pandas as pd

    texts = with_words(entries)
    _check(kind, texts, in_context)
    context_key = in_context.key(language) if in_context else ""
    cached, cached_context = _read_cache(Path(cache_file), key)
    known = set() if cached is None else set(cached["text"])
    new = [text for text in texts if text not in known]
    logger.info("%s: %d words new, %d from the cache", language, len(new), len(texts) - len(new))
    model = _Model(kind, Path(path), batch_size, language)
    frame = cached
    if cached is None or new:
        frame = pd.concat([one for one in (cached, model.encode(new)) if one is not None])
    assert frame is not None
    frame = frame.set_index("text").loc[texts].reset_index()
    if in_context is None:
        return frame.drop(columns=IN_CONTEXT, errors="ignore")
    if share_readable(frame) < in_context.readable_min:
        logger.info("%s: too few words can be read, so none is read in context", language)
        return frame.drop(columns=IN_CONTEXT, errors="ignore")
    stale = new if cached_context == context_key and IN_CONTEXT in frame else texts
    if stale or IN_CONTEXT not in frame:
        old = dict(zip(texts, frame.get(IN_CONTEXT, [None] * len(texts)), strict=True))
        old |= dict(zip(stale, model.encode_in_context(stale, in_context), strict=True))
        frame[IN_CONTEXT] = _objects([old[text] for text in texts])
    return frame


def _check(kind: str, texts: Sequence[str], in_context: TextsForContext | None) -> None:
    problems = []
    if kind not in KINDS:
        problems.append(f"kind {kind!r} is unknown; allowed: {', '.join(KINDS)}")
    elif in_context is not None and kind != "layers":
        problems.append(f"kind {kind}: only models of kind layers read words in texts")
    problems += [
        f"word {text!r}: holds half of a character, which is no text"
        for text in texts
        if any("\ud800" <= letter <= "\udfff" for letter in text)
    ]
    if problems:
        raise InputError(problems)


@dataclass
class _Model:
    """A model that is loaded when a text is new, once."""

    kind: str
    path: Path
    batch_size: int
    language: str
    _loaded: Any = None

    def encode(self, texts: Sequence[str]) -> pd.DataFrame:
        """Rows of texts under all encoders of the model."""
        encode = {"layers": self._layers, "sentence": self._sentence, "static": self._static}
        return encode[self.kind](texts)

    def encode_in_context(
        self, texts: Sequence[str], in_context: TextsForContext
    ) -> list[Floats | None]:
        """Vectors of words as they are used in texts."""
        from biasatlas.encoders.in_context import encode_in_context

        if not texts:
            return []
        vectors, n_read = encode_in_context(
            self._layer_encoder(),
            texts,
            in_context.texts,
            occurrences=in_context.occurrences,
            window=in_context.window,
            seed=in_context.seed,
            language=self.language,
        )
        some = n_read[n_read > 0]
        logger.info(
            "%s: %d of %d words occur in %d texts, read in %.1f places each",
            self.language, len(some), len(texts), len(in_context.texts),
            some.mean() if len(some) else 0,
        )  # fmt: skip
        return _rows(vectors)

    def _layer_encoder(self) -> Any:
        from biasatlas.encoders.layers import LayerEncoder

        if self._loaded is None:
            self._loaded = LayerEncoder(self.path, batch_size=self.batch_size)
        return self._loaded

    def _layers(self, texts: Sequence[str]) -> pd.DataFrame:
        from biasatlas.encoders.layers import CLS

        encoded = self._layer_encoder().encode(texts, f"{self.language}: words")
        status = name_status(encoded.unknown, encoded.too_long)
        phrases = np.array([is_phrase(text) for text in texts], dtype=bool)
        columns = {
            name: _rows(vectors, phrases if name != CLS else None)
            for name, vectors in encoded.vectors.items()
        }
        return _frame(texts, Reading(status, encoded.letters, encoded.pieces), columns)

    def _sentence(self, texts: Sequence[str]) -> pd.DataFrame:
        from biasatlas.encoders.load import load_encoder

        encoder = load_encoder(self.path, batch_size=self.batch_size)
        vectors = encoder.encode(texts, f"{self.language}: words")
        read = read_sentences(encoder, self.path, texts)
        missing = np.array([status != "read" for status in read.status], dtype=bool)
        return _frame(texts, read, {SENTENCE: _rows(vectors, missing)})

    def _static(self, texts: Sequence[str]) -> pd.DataFrame:
        from biasatlas.encoders.static import open_static

        encoder = open_static(self.path, self.language)
        parts = {text: split_phrase(text) for text in texts}
        words = sorted({word for some in parts.values() for word in some})
        looked = encoder.encode(words)
        place = {word: row for row, word in enumerate(words)}
        single = {text: place[some[0]] for text, some in parts.items() if len(some) == 1}
        held = _rows(looked.vectors)
        status = [
            "read" if some and all(looked.status[place[word]] == "read" for word in some)
            else "absent"
            for some in parts.values()
        ]  # fmt: skip
        pieces = [int(looked.pieces[single[text]]) if text in single else 0 for text in texts]
        vectors = [held[single[text]] if text in single else None for text in texts]
        read = Reading(status, np.zeros(len(texts), dtype=bool), np.array(pieces, dtype=np.int64))
        return _frame(texts, read, {encoder.name: vectors})


def _frame(
    texts: Sequence[str], read: Reading, columns: Mapping[str, list[Floats | None]]
) -> pd.DataFrame:
    import pandas as pd

    frame = pd.DataFrame(
        {
            "text": pd.Series(texts, dtype="str"),
            "status": pd.Series(read.status, dtype="str"),
            "letters": read.letters,
            "pieces": read.pieces,
        }
    )
    return frame.assign(**{name: _objects(rows) for name, rows in columns.items()})


def _rows(vectors: Floats, missing: NDArray[np.bool_] | None = None) -> list[Floats | None]:
    """Rows of a matrix, None for those that are missing or not finite."""
    kept = np.isfinite(vectors).all(axis=1, keepdims=True).ravel()
    if missing is not None:
        kept &= ~missing
    return [row if keep else None for row, keep in zip(vectors, kept, strict=True)]


def _objects(rows: Sequence[Floats | None]) -> NDArray[np.object_]:
    column = np.empty(len(rows), dtype=object)
    for place, row in enumerate(rows):
        column[place] = row
    return column


def write_encoded(
    frame: pd.DataFrame,
    path: str | Path,
    cache_file: str | Path,
    key: str,
    context_key: str = "",
) -> None:
    """Write encoded words, and keep them as the cache of the next run.

    The cache is a second name of the same file where the disk allows that, else a copy.

    Parameters
    ----------
    frame : DataFrame
        As from `encode_words`.
    path : str or Path
        Parquet file; each encoder is a column of fixed-size lists of float32.
    cache_file : str or Path
        On the same disk, best beside it.
    key : str
        As in `encode_words`.
    context_key : str
        `TextsForContext.key` of the texts that words were read in; empty without.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pandas(frame[list(COLUMNS)], preserve_index=False)
    for name in frame.columns[len(COLUMNS) :]:
        table = table.append_column(name, _to_lists(frame[name].tolist()))
    table = table.replace_schema_metadata({KEY: key.encode(), CONTEXT_KEY: context_key.encode()})
    with atomic_path(path) as temporary:
        pq.write_table(table, temporary, compression="zstd", use_dictionary=["status"])
    with atomic_path(cache_file) as temporary:
        try:
            os.link(path, temporary)
        except OSError:
            shutil.copyfile(path, temporary)


def _to_lists(column: Sequence[Floats | None]) -> pa.Array:
    import pyarrow as pa

    present = np.array([row is not None for row in column], dtype=bool)
    rows = [row for row in column if row is not None]
    flat = np.zeros((len(present), len(rows[0]) if rows else 1), dtype=np.float32)
    if rows:
        flat[present] = rows
    values = pa.array(flat.ravel(), pa.float32())
    return pa.FixedSizeListArray.from_arrays(values, flat.shape[1], mask=pa.array(~present))


def read_encoded(path: str | Path) -> pd.DataFrame:
    """Read encoded words.

    Parameters
    ----------
    path : str or Path
        As `write_encoded` writes it.

    Returns
    -------
    DataFrame
        As from `encode_words`.

    Raises
    ------
    InputError
        When the file is missing, damaged, or none of encoded words.
    """
    return _read(Path(path))[0]


def _read(path: Path) -> tuple[pd.DataFrame, dict[bytes, bytes]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # `read_table` would take columns from folders that are named like `a=b`.
        with pq.ParquetFile(path) as file:
            table = file.read()
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"{path}: cannot be read ({' '.join(str(error).split())})") from error
    metadata = table.schema.metadata or {}
    if KEY not in metadata or table.column_names[: len(COLUMNS)] != list(COLUMNS):
        raise InputError(f"{path}: no file of encoded words")
    frame: pd.DataFrame = table.select(list(COLUMNS)).to_pandas()
    frame["text"] = frame["text"].astype("str")
    frame["status"] = frame["status"].astype("str")
    columns = {name: _from_lists(table[name]) for name in table.column_names[len(COLUMNS) :]}
    return frame.assign(**columns), dict(metadata)


def _from_lists(column: pa.ChunkedArray) -> NDArray[np.object_]:
    """Turn lists into rows of one matrix, missing ones into None."""
    values = column.combine_chunks()
    present = values.is_valid().to_numpy(zero_copy_only=False)
    # Missing lists have no part in what `flatten` gives.
    flat = values.flatten().to_numpy().reshape(int(present.sum()), -1 if present.any() else 0)
    rows: list[Floats | None] = [None] * len(present)
    for place, row in zip(np.flatnonzero(present), flat, strict=True):
        rows[place] = row
    return _objects(rows)


def _read_cache(path: Path, key: str) -> tuple[pd.DataFrame | None, str]:
    """Read the cache and the key of its texts; None when there is none under this key."""
    if not path.is_file():
        return None, ""
    try:
        frame, metadata = _read(path)
    except InputError as error:
        logger.warning("%s; all words are encoded anew", error)
        return None, ""
    if metadata[KEY].decode() != key:
        logger.info("the cached words are of another model; all are encoded anew")
        return None, ""
    return frame, metadata.get(CONTEXT_KEY, b"").decode()
