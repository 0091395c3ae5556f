"""Find given terms, words and phrases, in many texts of any language, as whole words.

The rule is stated in `biasatlas.lexicons.gender_scan`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from biasatlas.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from biasatlas.lexicons.term_kernel import Lexicon

# A term as the search sees it: folded words, with "" (a gap) or "'" between them.
Key = tuple[str, ...]

# Texts go to the search in batches of about this many bytes, which stay in the processor's cache.
BATCH_BYTES = 1 << 21
PLACES = ("row", "start", "stop")


def find_terms(
    texts: pl.Series | Iterable[str | None],
    terms: Sequence[str],
    *,
    language: str = "en",
    hyphen_is_letter: bool = False,
) -> pl.DataFrame:
    """Find every occurrence of the terms.

    Parameters
    ----------
    texts : polars.Series, pyarrow array, pandas Series or iterable of str, length n
        None is read as empty. Text of a language that writes no spaces must come with spaces
        between its words.
    terms : sequence of str
        Words and phrases in any case. Of terms that are the same to the search the first is found.
    language : str
        ISO 639 code; ``tr`` and ``az`` have a capital of ``ı`` and one of ``i``.
    hyphen_is_letter : bool
        Whether ``mother-in-law`` is one word.

    Returns
    -------
    polars.DataFrame
        One row an occurrence, in the order of the text: row (position in `texts`) and term
        (position in `terms`), both Int64 and from 0.

    Raises
    ------
    InputError
        For terms that no text can hold, all of them at once.
    TypeError
        For texts that are not text.
    """
    import numpy as np
    import polars as pl

    series = as_text(texts)
    keys = parse_terms(terms, language=language, hyphen_is_letter=hyphen_is_letter)
    lexicon = _compile(keys, language, hyphen_is_letter)
    rows: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
    found: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
    first = 0
    for batch in _batches(series):
        some_rows, some_terms = _search_batch(batch, lexicon)
        rows.append(some_rows + first)
        found.append(some_terms)
        first += len(batch)
    return pl.DataFrame({"row": np.concatenate(rows), "term": np.concatenate(found)})


def locate_terms(
    texts: pl.Series, terms: Sequence[str], *, language: str = "en", hyphen_is_letter: bool = False
) -> tuple[pl.Series, pl.DataFrame]:
    """Say where the occurrences stand that `find_terms` finds.

    Parameters
    ----------
    texts : polars.Series
        From `as_text`.
    terms, language, hyphen_is_letter
        As in `find_terms`.

    Returns
    -------
    texts : polars.Series
        The texts as they are searched: in form NFC, without soft hyphens.
    places : polars.DataFrame
        One row an occurrence, in the order of the text: row, and start and stop, in bytes of
        the UTF-8 of the returned text.
    """
    import numpy as np
    import polars as pl

    from biasatlas.lexicons.character_classes import INVISIBLE
    from biasatlas.lexicons.term_kernel import locate

    keys = parse_terms(terms, language=language, hyphen_is_letter=hyphen_is_letter)
    lexicon = _compile(keys, language, hyphen_is_letter)
    composed = texts.str.replace_all(INVISIBLE, "").str.normalize("NFC").rechunk()
    if composed.is_empty():
        return composed, pl.DataFrame({name: np.empty(0, np.int64) for name in PLACES})
    data, offsets = _buffers(composed)
    row, start, stop = locate(data, offsets, lexicon)
    first = offsets[row]
    places = zip(PLACES, (row, start - first, stop - first), strict=True)
    return composed, pl.DataFrame(dict(places))


def parse_terms(
    terms: Sequence[str], *, language: str = "en", hyphen_is_letter: bool = False
) -> list[Key]:
    """Take terms apart into what the search compares.

    Returns
    -------
    list of tuple of str
        For each term its folded words, and between them ``""`` for a gap, ``"'"`` for an
        apostrophe. Terms with equal tuples are the same to the search.

    Raises
    ------
    InputError
        For a term with another character than letters, digits, gaps and apostrophes, for one that
        does not begin and end with a letter or digit, and for an apostrophe beside a gap or
        another apostrophe.
    """
    from biasatlas.lexicons.character_classes import characters, has_dotted_i

    dotted_i = has_dotted_i(language)
    table = characters(dotted_i=dotted_i, hyphen_is_letter=hyphen_is_letter).table
    keys, problems = [], []
    for term in terms:
        try:
            keys.append(_parse(term, table))
        except ValueError as problem:
            problems.append(f"the term {term!r} {problem}")
    if problems:
        raise InputError(problems)
    return keys


def as_text(texts: pl.Series | Iterable[str | None]) -> pl.Series:
    """Make a polars series of text without nulls."""
    import polars as pl

    if isinstance(texts, pl.Series):
        series = texts
    elif hasattr(texts, "to_numpy"):
        series = pl.Series(texts)
    else:
        series = pl.Series(list(texts), dtype=pl.String, strict=True)
    if series.dtype == pl.Null:
        series = series.cast(pl.String)
    if series.dtype != pl.String:
        raise TypeError(f"texts must be text; found {series.dtype}")
    return series.fill_null("")


def _parse(term: str, table: NDArray[np.int64]) -> Key:
    from biasatlas.lexicons.character_classes import INVISIBLE
    from biasatlas.lexicons.term_kernel import APOSTROPHE, FOLD, GAP, SKIP, WORD

    words, separators = [""], [""]
    for character in unicodedata.normalize("NFC", re.sub(INVISIBLE, "", term)):
        entry = int(table[ord(character)])
        if entry & WORD:
            if separators[-1]:
                words.append("")
                separators.append("")
            words[-1] += chr(entry & FOLD)
        elif entry & GAP:
            separators[-1] += " "
        elif entry & APOSTROPHE:
            separators[-1] += "'"
        elif not entry & SKIP:
            raise ValueError(
                f"holds {character!r}; allowed between its words: white space, hyphens, "
                "underscores, one apostrophe"
            )
    if not words[0] or separators[-1]:
        raise ValueError("must begin and end with a letter or digit")
    key = [words[0]]
    for separator, word in zip(separators, words[1:], strict=False):
        if "'" in separator and separator != "'":
            raise ValueError("has an apostrophe beside a space, a hyphen or another apostrophe")
        key += [separator.strip(), word]
    return tuple(key)


def _compile(keys: list[Key], language: str, hyphen_is_letter: bool) -> Lexicon:
    import numpy as np

    from biasatlas.lexicons.character_classes import characters, has_dotted_i
    from biasatlas.lexicons.term_kernel import HIGH, ZERO, Lexicon, hash_word

    dotted_i = has_dotted_i(language)
    table, pairs = characters(dotted_i=dotted_i, hyphen_is_letter=hyphen_is_letter)
    words = sorted({word for key in keys for word in key[::2]})
    number = {word: place for place, word in enumerate(words)}
    steps, ends = _build_trie(keys, number)
    hashes = np.array([hash_word(word) for word in words], dtype=np.uint64)
    initial = np.full(len(words), -1, dtype=np.int32)
    goes_on = np.zeros(len(ends), dtype=np.uint8)
    later = {}
    for (state, separator, word), target in steps.items():
        if state == 0:
            initial[word] = target
        else:
            goes_on[state] = 1
            later[(state * 2 + separator) * len(words) + word] = target
    return Lexicon(
        table=table,
        pairs=pairs,
        openings=_mark_openings({key[0] for key in keys}, table),
        slots=_place(hashes),
        hashes=hashes,
        bounds=np.cumsum([0, *map(len, words)], dtype=np.int64),
        points=np.array([ord(letter) for word in words for letter in word], dtype=np.int64),
        initial=initial,
        keys=np.array(sorted(later), dtype=np.int64),
        targets=np.array([later[key] for key in sorted(later)], dtype=np.int32),
        ends=np.array(ends, dtype=np.int32),
        goes_on=goes_on,
        hyphen=HIGH if hyphen_is_letter else ZERO,
    )


def _build_trie(
    keys: list[Key], number: dict[str, int]
) -> tuple[dict[tuple[int, int, int], int], list[int]]:
    """Give the steps (state, separator, word) to state, and the term that ends at each state."""
    from biasatlas.lexicons.term_kernel import BY_APOSTROPHE, BY_GAP

    steps: dict[tuple[int, int, int], int] = {}
    ends = [-1]
    for term, key in enumerate(keys):
        state = 0
        for separator, word in zip(("", *key[1::2]), key[::2], strict=True):
            kind = BY_APOSTROPHE if separator else BY_GAP
            state = steps.setdefault((state, kind, number[word]), len(ends))
            if state == len(ends):
                ends.append(-1)
        if ends[state] < 0:
            ends[state] = term
    return steps, ends


def _mark_openings(words: set[str], table: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Mark the first 8 letters of the words that text can spell in ASCII."""
    import numpy as np

    from biasatlas.lexicons.term_kernel import FOLD, OPENING_BITS, WORD, place_opening

    # In Turkish the capital I is an ASCII spelling of a letter that is not ASCII.
    spellings = {int(table[b]) & FOLD: b | 0x20 for b in range(128) if int(table[b]) & WORD}
    openings = np.zeros(1 << OPENING_BITS, dtype=np.uint8)
    for word in words:
        letters = [spellings.get(ord(c), 0) for c in word]
        if all(letters):
            openings[place_opening(bytes(letters))] = 1
    return openings


def _place(hashes: NDArray[np.uint64]) -> NDArray[np.int32]:
    import numpy as np

    size = 1 << max(4, (8 * len(hashes)).bit_length())
    slots = np.full(size, -1, dtype=np.int32)
    for word, value in enumerate(hashes.tolist()):
        place = value % size
        while slots[place] >= 0:
            place = (place + 1) % size
        slots[place] = word
    return slots


def _batches(series: pl.Series) -> Iterator[pl.Series]:
    if series.is_empty():
        return
    size = int(series.str.len_bytes().cast(int).sum())
    rows = max(1, len(series) * BATCH_BYTES // (size + 1))
    for chunk in series.get_chunks():
        for first in range(0, len(chunk), rows):
            yield chunk.slice(first, rows)


def _search_batch(
    batch: pl.Series, lexicon: Lexicon
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    import numpy as np

    from biasatlas.lexicons.character_classes import INVISIBLE
    from biasatlas.lexicons.term_kernel import search

    rows, terms, doubtful = search(*_buffers(batch), lexicon, False)
    if len(doubtful) == 0:
        return rows, terms
    composed = batch.gather(doubtful).str.replace_all(INVISIBLE, "").str.normalize("NFC")
    more_rows, more_terms, _ = search(*_buffers(composed), lexicon, True)
    rows = np.concatenate([rows, doubtful[more_rows]])
    order = np.argsort(rows, kind="stable")
    return rows[order], np.concatenate([terms, more_terms])[order]


def _buffers(batch: pl.Series) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Give bytes and offsets of a series without nulls, read-only."""
    import numpy as np
    import polars as pl

    array: Any = batch.to_arrow(compat_level=pl.CompatLevel.oldest())
    _, offsets, data = array.buffers()
    starts = np.frombuffer(offsets, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    return np.frombuffer(data if data and data.size else b"\0", dtype=np.uint8), starts
