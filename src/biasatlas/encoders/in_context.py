"""Vectors of words as they are used: the mean over their occurrences in running texts.

The stated rule
---------------
- An entry with a character of a script that is written without spaces (Han, kana, Thai, Lao,
  Khmer, Myanmar) is found wherever its characters stand, but not before a combining mark, which
  would make another letter of its last one. Only ASCII letters are compared without case there.
- Any other entry, a word or a phrase, is found as whole words, without case; what that means for
  signs and gaps is stated in `biasatlas.lexicons.gender_scan`. Unlike there, what one entry finds
  does not depend on the others: ``sister`` is found in ``big sister`` too.
- An occurrence is read within a window: so many words, between white space, on each side of it,
  or so many characters for scripts without spaces. White space is read as one space. Where the
  window has more pieces than the model reads, it is halved until it fits.
- Of equal windows one counts. Of the others those with the smallest hash of seed, text and place
  are read, so that neither the order of the texts nor the other entries decide.
"""

from __future__ import annotations

import hashlib
import logging
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from biasatlas.errors import InputError
from biasatlas.lexicons.character_classes import INVISIBLE
from biasatlas.lexicons.term_search import Key, as_text, find_terms, locate_terms, parse_terms

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from biasatlas.encoders.layers import LayerEncoder

logger = logging.getLogger(__name__)

_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U0001b000-\U0001b16f"
    "\U00020000-\U0003ffff]"
)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class Place(NamedTuple):
    """An occurrence: bytes of a text's UTF-8, and whether its script is written with spaces."""

    row: int
    start: int
    stop: int
    spaced: bool


class Window(NamedTuple):
    """An occurrence with what stands around it: characters of a short text."""

    text: str
    start: int
    stop: int


def encode_in_context(
    encoder: LayerEncoder,
    entries: Sequence[str],
    texts: pl.Series | Iterable[str | None],
    *,
    occurrences: int = 10,
    window: int = 10,
    seed: int = 0,
    language: str = "en",
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Average the last layer's vectors of each entry over its occurrences in texts.

    Parameters
    ----------
    encoder : LayerEncoder
    entries : sequence of str
        Words and phrases.
    texts : polars.Series or iterable of str, length m
    occurrences : int
        Most of an entry that are read.
    window : int
        Words on each side of an occurrence; characters, for scripts without spaces.
    seed : int
    language : str
        ISO 639 code; ``tr`` and ``az`` have a capital of ``ı`` and one of ``i``.

    Returns
    -------
    vectors : ndarray, shape (n, d), float32
        The mean over occurrences of the mean over the entry's own pieces; NaN without any.
    n_occurrences : ndarray of int64, shape (n,)
        How many were read; those with a piece that the model does not know are not.

    Raises
    ------
    InputError
        For numbers out of range.
    """
    _check_numbers(occurrences, window)
    series = as_text(texts)
    series = series.str.replace_all(INVISIBLE, "").str.normalize("NFC").rechunk()
    terms, numbers = _distinct_terms(entries, language)
    found = find_places(series, terms, language)
    chosen = choose_places(found, series, len(terms), occurrences, window, seed)
    owners = np.repeat(np.arange(len(terms)), [len(some) for some in chosen])
    vectors = _read_places(encoder, [place for some in chosen for place in some], series, window)
    read = np.flatnonzero(~np.isnan(vectors).any(axis=1))
    sums = np.zeros((len(terms) + 1, encoder.size))
    # One after the other, in the order of their hashes: a sum's last bits depend on its order.
    np.add.at(sums, owners[read], vectors[read])
    counts = np.bincount(owners[read], minlength=len(sums)).astype(np.int64)
    with np.errstate(invalid="ignore"):
        means = (sums / counts[:, None]).astype(np.float32)
    return means[numbers], counts[numbers]


def _check_numbers(occurrences: int, window: int) -> None:
    problems = [
        f"{name}: {value}; allowed are whole numbers from {least}"
        for name, value, least in (("occurrences", occurrences, 1), ("window", window, 0))
        if value < least
    ]
    if problems:
        raise InputError(problems)


def _distinct_terms(
    entries: Sequence[str], language: str
) -> tuple[dict[Key, str], NDArray[np.int64]]:
    """Give what to search for, and the number of each entry's term; the last for none.

    A term is told by what the search compares, so that ``She`` and ``she`` are one.
    """
    keys = [_make_key(entry, language) for entry in entries]
    terms = {
        key: key[0] if is_unspaced(key[0]) else entry
        for key, entry in sorted(
            (key, entry) for key, entry in zip(keys, entries, strict=True) if key
        )
    }
    number: dict[Key, int] = {key: place for place, key in enumerate(terms)}
    unsearchable = sorted({entry for entry, key in zip(entries, keys, strict=True) if not key})
    if unsearchable:
        logger.warning(
            "%d entries hold signs that no search for whole words finds, such as %r",
            len(unsearchable),
            unsearchable[0],
        )
    return terms, np.array([number.get(key, len(terms)) for key in keys], dtype=np.int64)


def _make_key(entry: str, language: str) -> Key:
    if is_unspaced(entry):
        composed = unicodedata.normalize("NFC", re.sub(INVISIBLE, "", entry))
        return (_lower_ascii(composed.strip()),)
    try:
        return parse_terms([entry], language=language)[0]
    except InputError:
        return ()


def _lower_ascii(text: str) -> str:
    return "".join(letter.lower() if letter.isascii() else letter for letter in text)


def is_unspaced(text: str) -> bool:
    """Say whether a text has a character of a script that is written without spaces."""
    return _UNSPACED.search(text) is not None


def find_places(series: pl.Series, terms: Mapping[Key, str], language: str) -> pl.DataFrame:
    """Find every occurrence of terms, each as if it were the only one.

    Parameters
    ----------
    series : polars.Series
        Texts in form NFC.
    terms : mapping of tuple of str to str
        What the search compares, and a term that stands for it.
    language : str

    Returns
    -------
    polars.DataFrame
        Columns term (position in `terms`), row, start, stop (bytes) and spaced.
    """
    import polars as pl

    numbers = {key: number for number, key in enumerate(terms)}
    unspaced = [key for key in terms if is_unspaced(key[0])]
    frames = [
        _find_characters(series, [key[0] for key in unspaced]).with_columns(spaced=pl.lit(False))
    ]
    owners = [[numbers[key] for key in unspaced]]
    for group in _share_no_word([key for key in terms if not is_unspaced(key[0])]):
        words = [terms[key] for key in group]
        _, places = locate_terms(series, words, language=language)
        # The same search in the same order, which says the term in place of where it stands.
        which = find_terms(series, words, language=language)
        assert which["row"].equals(places["row"])
        frames.append(
            places.with_columns(which["term"], spaced=pl.lit(True)).select(frames[0].columns)
        )
        owners.append([numbers[key] for key in group])
    return pl.concat(
        frame.with_columns(pl.Series("term", np.array(own, dtype=np.int64)[frame["term"]]))
        for frame, own in zip(frames, owners, strict=True)
    )


def _share_no_word(keys: Sequence[Key]) -> list[list[Key]]:
    """Group terms so that no two of a group share a word: the search finds no two that overlap."""
    groups: list[list[Key]] = []
    taken: list[set[str]] = []
    for key in sorted(keys, key=lambda key: (len(key), key)):
        words = set(key[::2])
        place = next((n for n, some in enumerate(taken) if not some & words), len(groups))
        if place == len(groups):
            groups.append([])
            taken.append(set())
        groups[place].append(key)
        taken[place] |= words
    return groups


def _find_characters(series: pl.Series, patterns: Sequence[str]) -> pl.DataFrame:
    """Find strings wherever they stand, but before a combining mark."""
    import polars as pl

    options: dict[str, Any] = {"ascii_case_insensitive": True, "overlapping": True}
    numbers = {pattern: number for number, pattern in enumerate(patterns)}
    columns: dict[str, list[int]] = {"term": [], "row": [], "start": [], "stop": []}
    if not patterns:
        return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.Int64))
    # Both calls run the same automaton: one says where it stopped, the other at what.
    starts = series.str.find_many(list(patterns), **options)
    strings = series.str.extract_many(list(patterns), **options)
    for row, (some, which) in enumerate(zip(starts, strings, strict=True)):
        data = series[row].encode() if len(some) else b""
        for start, string in zip(some, which, strict=True):
            stop = start + len(string.encode())
            following = data[stop : stop + 4].decode(errors="ignore")[:1]
            if not following or unicodedata.category(following)[0] != "M":
                values = (numbers[_lower_ascii(string)], row, start, stop)
                for column, value in zip(columns.values(), values, strict=True):
                    column.append(value)
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.Int64))


def choose_places(
    found: pl.DataFrame,
    series: pl.Series,
    n_terms: int,
    occurrences: int,
    window: int,
    seed: int,
) -> list[list[Place]]:
    """Choose the occurrences that are read, for each term: those with the smallest hashes.

    Parameters
    ----------
    found : polars.DataFrame
        From `find_places`.
    series : polars.Series
    n_terms, occurrences, window, seed : int

    Returns
    -------
    list of list of Place
        By term, in the order of the hashes; no two have equal windows.
    """
    import polars as pl

    hashes = _hash_places(found, series, seed)
    chosen: list[list[Place]] = [[] for _ in range(n_terms)]
    ordered = found.with_columns(pl.Series("hash", hashes)).sort("term", "hash")
    seen: set[Window] = set()
    last = -1
    for term, *place, _ in ordered.select("term", *Place._fields, "hash").iter_rows():
        if term != last:
            seen, last = set(), term
        if len(chosen[term]) < occurrences:
            one = Place(*place)
            around = cut_window(series[one.row], one, window)
            if around not in seen:
                seen.add(around)
                chosen[term].append(one)
    return chosen


def _hash_places(found: pl.DataFrame, series: pl.Series, seed: int) -> NDArray[np.uint64]:
    """Hash seed, text and place (splitmix64 of the text's BLAKE2 and the place)."""
    rows = found["row"].to_numpy()
    of_text = np.zeros(len(series), dtype=np.uint64)
    for row in np.unique(rows):
        value = hashlib.blake2b(f"{seed}\n{series[int(row)]}".encode(), digest_size=8).digest()
        of_text[row] = int.from_bytes(value, "little")
    mixed = of_text[rows] + (found["start"].to_numpy().astype(np.uint64) + np.uint64(1)) * _GOLDEN
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)), dtype=np.uint64)


def cut_window(text: str, place: Place, window: int) -> Window:
    """Cut an occurrence out of its text with so many words, or characters, on each side."""
    data = text.encode()
    before, middle, after = (
        part.decode()
        for part in (data[: place.start], data[place.start : place.stop], data[place.stop :])
    )
    if place.spaced:
        left = before.rsplit(None, window)
        right = after.split(None, window)
        glue = " " * before[-1:].isspace(), " " * after[:1].isspace()
        before = " ".join(left[max(0, len(left) - window) :]) + glue[0]
        after = glue[1] + " ".join(right[:window])
    else:
        before, after = before[max(0, len(before) - window) :], after[:window]
    before, middle, after = (re.sub(r"\s+", " ", part) for part in (before, middle, after))
    start = len(before.lstrip())
    return Window((before + middle + after).strip(), start, start + len(middle))


def _read_places(
    encoder: LayerEncoder, places: Sequence[Place], series: pl.Series, window: int
) -> NDArray[np.float64]:
    """Vectors of occurrences, in windows that are halved until the model can read them."""
    vectors = np.full((len(places), encoder.size), np.nan)
    left = np.arange(len(places))
    while len(left):
        some = [places[number] for number in left.tolist()]
        windows = [cut_window(series[place.row], place, window) for place in some]
        spans = [(one.start, one.stop) for one in windows]
        vectors[left], too_long = encoder.encode_parts([one.text for one in windows], spans)
        left = left[too_long] if window else left[:0]
        window //= 2
    return vectors
