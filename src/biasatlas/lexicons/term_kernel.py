"""The search itself, compiled: UTF-8 bytes to words, words to terms, in one pass over the text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

# An entry of the table of characters. They stand here since the compiled code holds their values
# and is kept for as long as this file does not change.
FOLD = (1 << 21) - 1
# Classes. A character without one ends a word and a phrase.
WORD = 1 << 21
GAP = 1 << 22
APOSTROPHE = 1 << 23
SKIP = 1 << 24
# Marks: first or second of a pair that composes; in NFC two letters, the entries of which stand at
# twice the folded code point in `Lexicon.pairs`; in NFC something that one pass cannot tell.
FIRST = 1 << 25
SECOND = 1 << 26
PAIR = 1 << 27
NOT_NFC = 1 << 28
# Above these combining classes, by which NFC orders marks: the character's own, and that of the
# last mark it is composed of.
ORDER, LAST_ORDER = 32, 40

SEED = np.uint64(0x9E3779B97F4A7C15)
PRIME = np.uint64(0xD6E8FEB86659FD93)
BREAK, BY_GAP, BY_APOSTROPHE = 2, 0, 1
# Bits that make a look at normal form NFC needed.
DOUBTFUL = SECOND | NOT_NFC | 0xFF << ORDER
# What may stand before the first character that is looked at.
UNKNOWN = FIRST | 0xFF << LAST_ORDER
OPENING_BITS = 13
OPENING_SHIFT = np.uint64(64 - OPENING_BITS)

ONES = 0x0101010101010101
HIGH = np.uint64(0x80 * ONES)
LOW = np.uint64(0x7F * ONES)
CASE = np.uint64(0x20 * ONES)
FROM_A, AFTER_Z = np.uint64((0x80 - 0x61) * ONES), np.uint64((0x80 - 0x7B) * ONES)
FROM_0, AFTER_9 = np.uint64((0x80 - 0x30) * ONES), np.uint64((0x80 - 0x3A) * ONES)
HYPHEN = np.uint64(0x2D * ONES)
ZERO, ONE, SEVEN = np.uint64(0), np.uint64(1), np.uint64(7)
MIX = np.uint64(29)
# Times 1 << 8 k this has k in its highest byte.
BYTE_NUMBER = np.uint64(0x0001020304050607)

_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True}
# For what makes no arrays: counting references to those it is given would take half the time.
_HELPER_OPTIONS = {**_OPTIONS, "_nrt": False}
_compiled = njit(**_OPTIONS)
_helper = njit(**_HELPER_OPTIONS)


class Lexicon(NamedTuple):
    """Compiled terms, as arrays.

    Attributes
    ----------
    table, pairs : ndarray of int64
        From `characters`.
    openings : ndarray of uint8, shape (2**OPENING_BITS,)
        Not 0 at the hash of the first 8 bytes of every ASCII word that can begin a term.
    slots : ndarray of int32, a power of 2 long
        Word at the hash, or the next free place after it; -1 is free.
    hashes : ndarray of uint64, shape (w,)
        Hash of each distinct word.
    bounds : ndarray of int64, shape (w + 1,)
        Where its code points stand in `points`.
    points : ndarray of int64
        Folded code points.
    initial : ndarray of int32, shape (w,)
        State after the word as the first of a term, or -1.
    keys : ndarray of int64, ascending
        (state * 2 + separator) * w + word, a step within a phrase.
    targets : ndarray of int32
        The state it leads to.
    ends : ndarray of int32, one a state
        Term that ends here, or -1.
    goes_on : ndarray of uint8, one a state
        Whether a step leads on.
    hyphen : uint64
        All high bits where the hyphen is a letter, else 0.
    """

    table: NDArray[np.int64]
    pairs: NDArray[np.int64]
    openings: NDArray[np.uint8]
    slots: NDArray[np.int32]
    hashes: NDArray[np.uint64]
    bounds: NDArray[np.int64]
    points: NDArray[np.int64]
    initial: NDArray[np.int32]
    keys: NDArray[np.int64]
    targets: NDArray[np.int32]
    ends: NDArray[np.int32]
    goes_on: NDArray[np.uint8]
    hyphen: np.uint64


def hash_word(word: str) -> int:
    """Hash of a folded word, as `search` computes it."""
    value = int(SEED)
    for letter in word:
        value = ((value ^ ord(letter)) * int(PRIME)) % 2**64
    return value ^ (value >> int(MIX))


def place_opening(letters: bytes) -> int:
    """Place in `openings` of a word's first 8 lower-case letters, as `search` computes it."""
    return (int.from_bytes(letters[:8], "little") * int(PRIME)) % 2**64 >> int(OPENING_SHIFT)


@_compiled
def search(data, offsets, lexicon, trust):  # type: ignore[no-untyped-def]
    """Find the terms of a lexicon in texts.

    Parameters
    ----------
    data : ndarray of uint8
        UTF-8.
    offsets : ndarray of int64, shape (n + 1,)
        Where each text begins in `data`.
    lexicon : Lexicon
    trust : bool
        Whether all texts are known to be in normal form NFC.

    Returns
    -------
    rows : ndarray of int64
        Text of each occurrence, ascending.
    terms : ndarray of int64
        Its term.
    doubtful : ndarray of int64
        Texts that may not be in NFC; they were not searched. Empty with `trust`.
    """
    rows, terms = np.empty(1024, np.int64), np.empty(1024, np.int64)
    doubtful = np.empty(len(offsets) - 1 if not trust else 0, np.int64)
    found = skipped = 0
    for row in range(len(offsets) - 1):
        before = found
        pos, end = offsets[row], offsets[row + 1]
        while pos < end:
            word, pos, after, doubt = _next_word(data, pos, end, False, lexicon)
            term = np.int64(-1)
            if word >= 0 and lexicon.initial[word] >= 0:
                term, after, within = _take_longest(data, pos, after, end, word, lexicon)
                doubt |= within
            if doubt and not trust:
                doubtful[skipped] = row
                skipped += 1
                found = before
                break
            if term >= 0:
                if found == len(rows):
                    rows, terms = _double(rows), _double(terms)
                rows[found], terms[found] = row, term
                found += 1
            pos = after
    return rows[:found].copy(), terms[:found].copy(), doubtful[:skipped].copy()


@_compiled
def _double(values):  # type: ignore[no-untyped-def]
    longer = np.empty(2 * len(values), values.dtype)
    # A slice would compile for a second: numba prepares the text of an error about its length.
    for place, value in enumerate(values):
        longer[place] = value
    return longer


@_helper
def _next_word(data, pos, end, only, lexicon):  # type: ignore[no-untyped-def]
    """Find the next word that the lexicon knows; with `only`, look at the word here and no other.

    Returns its number or -1, where it ends, the place after the character that ended it, and
    whether the text up to there may not be in NFC.
    """
    doubt = False
    while pos < end:
        start = pos if only else _skip_words(data, pos, end, lexicon.openings, lexicon.hyphen)
        value, pos, after, doubtful = _read_word(data, start, end, lexicon.table, lexicon.pairs)
        doubt |= doubtful
        word = _look_up(value, data, start, pos, lexicon)
        if word >= 0 or only or doubt:
            return word, pos, after, doubt
        pos = after
    return np.int64(-1), pos, pos, doubt


@_helper
def _skip_words(data, pos, end, openings, hyphen):  # type: ignore[no-untyped-def]
    """Pass over ASCII words that begin no term, 8 bytes at a time."""
    start, inside = pos, False
    while pos + 8 <= end:
        packed = ZERO
        for place in range(8):
            packed |= np.uint64(data[np.uint64(pos + place)]) << np.uint64(8 * place)
        # The one high bit of the first byte that is no ASCII letter; 0 if all eight are.
        ended = _first_other(packed, hyphen)
        if packed & ended != ZERO:
            break
        opening = (packed | CASE) & ((ended >> SEVEN) - ONE)
        if not inside and openings[(opening * PRIME) >> OPENING_SHIFT]:
            break
        inside = ended == ZERO
        if inside:
            pos += 8
        else:
            pos += np.int64(((ended >> SEVEN) * BYTE_NUMBER) >> np.uint64(56)) + 1
            start = pos
    return start


@_helper
def _first_other(packed, hyphen):  # type: ignore[no-untyped-def]
    """Give the high bit of the first of 8 bytes that is no ASCII letter or digit, or 0."""
    low = packed & LOW
    lower = low | CASE
    letters = (lower + FROM_A) & ~(lower + AFTER_Z)
    letters |= (low + FROM_0) & ~(low + AFTER_9)
    letters |= ~((low ^ HYPHEN) + LOW) & hyphen
    others = (~letters | packed) & HIGH
    return others & (~others + ONE)


@_helper
def _read_word(data, pos, end, table, pairs):  # type: ignore[no-untyped-def]
    """Read to the end of a word: its hash, its end, the place after what ended it, any doubt."""
    value, previous, entry, size, doubt = SEED, UNKNOWN, 0, 0, False
    while pos < end:
        entry, size = _read(data, pos, end, table)
        if entry & PAIR:
            pair = 2 * (entry & FOLD)
            value = (value ^ np.uint64(pairs[pair] & FOLD)) * PRIME
            entry, previous = pairs[pair + 1], 0
        if entry & WORD:
            value = (value ^ np.uint64(entry & FOLD)) * PRIME
        elif not entry & SKIP:
            doubt |= entry & NOT_NFC != 0
            return value ^ (value >> MIX), pos, pos + size, doubt
        if entry & DOUBTFUL:
            doubt |= _is_doubtful(entry, previous)
        previous = entry
        pos += size
    return value ^ (value >> MIX), pos, pos, doubt


@_helper
def _is_doubtful(entry, previous):  # type: ignore[no-untyped-def]
    order, before = (entry >> ORDER) & 0xFF, previous >> LAST_ORDER
    return (
        entry & NOT_NFC != 0
        or (entry & SECOND != 0 and (previous & FIRST != 0 or (order > 0 and before > 0)))
        or 0 < order < before
    )


@_helper
def _look_up(value, data, start, stop, lexicon):  # type: ignore[no-untyped-def]
    slots = lexicon.slots
    place = np.int64(value) & (len(slots) - 1)
    while slots[np.uint64(place)] >= 0:
        word = np.int64(slots[np.uint64(place)])
        if lexicon.hashes[word] == value and _is_word(data, start, stop, word, lexicon):
            return word
        place = (place + 1) & (len(slots) - 1)
    return np.int64(-1)


@_helper
def _is_word(data, start, stop, word, lexicon):  # type: ignore[no-untyped-def]
    """Compare letter by letter: equal hashes are not trusted."""
    place, last = lexicon.bounds[word], lexicon.bounds[word + 1]
    while start < stop:
        entry, size = _read(data, start, stop, lexicon.table)
        if entry & PAIR:
            pair = 2 * (entry & FOLD)
            if place == last or lexicon.points[place] != lexicon.pairs[pair] & FOLD:
                return False
            place, entry = place + 1, lexicon.pairs[pair + 1]
        if entry & WORD:
            if place == last or lexicon.points[place] != entry & FOLD:
                return False
            place += 1
        start += size
    return place == last


@_helper
def _take_longest(data, pos, after, end, word, lexicon):  # type: ignore[no-untyped-def]
    """Follow a phrase from its first word, which ends at `pos`.

    Returns the longest term, or -1, where to go on (after it or, without one, at `after`), and
    whether the words after the first may not be in NFC: where to go on is beyond them.
    """
    doubt = False
    state = np.int64(lexicon.initial[word])
    term, go_on = np.int64(lexicon.ends[state]), after
    while lexicon.goes_on[state]:
        separator, pos = _read_separator(data, pos, end, lexicon.table)
        if separator == BREAK:
            break
        word, pos, after, doubtful = _next_word(data, pos, end, True, lexicon)
        doubt |= doubtful
        if word < 0:
            break
        key = (state * 2 + separator) * len(lexicon.hashes) + word
        state = _step(key, lexicon.keys, lexicon.targets)
        if state < 0:
            break
        if lexicon.ends[state] >= 0:
            term, go_on = np.int64(lexicon.ends[state]), after
    return term, go_on, doubt


@_helper
def _step(key, keys, targets):  # type: ignore[no-untyped-def]
    low, high = 0, len(keys)
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return np.int64(targets[low]) if low < len(keys) and keys[low] == key else np.int64(-1)


@_helper
def _read_separator(data, pos, end, table):  # type: ignore[no-untyped-def]
    """Read what stands between two words: gaps, or one apostrophe, or else a break."""
    gaps = apostrophes = 0
    while pos < end:
        entry, size = _read(data, pos, end, table)
        if entry & WORD:
            break
        if entry & GAP:
            gaps += 1
        elif entry & APOSTROPHE:
            apostrophes += 1
        elif not entry & SKIP:
            return BREAK, pos
        pos += size
    if gaps and not apostrophes:
        return BY_GAP, pos
    if apostrophes == 1 and not gaps:
        return BY_APOSTROPHE, pos
    return BREAK, pos


@_helper
def _read(data, pos, end, table):  # type: ignore[no-untyped-def]
    """Give the entry of the character at `pos` and its bytes. Unsigned places cost no check."""
    code, size = np.int64(data[np.uint64(pos)]), 1
    if code >= 0x80:
        size = 2 + (code >= 0xE0) + (code >= 0xF0)
        if pos + size > end:
            return 0, end - pos
        code &= 0x7F >> size
        for place in range(1, size):
            code = code << 6 | (np.int64(data[np.uint64(pos + place)]) & 0x3F)
    return table[np.uint64(code)], size


@_compiled
def locate(data, offsets, lexicon):  # type: ignore[no-untyped-def]
    """Give text, start and stop of each term that `search` finds; all texts must be in NFC."""
    found, n = np.empty((3, 1024), np.int64), 0
    for row in range(len(offsets) - 1):
        pos, end = offsets[row], offsets[row + 1]
        while pos < end:
            first, (word, start, pos, _) = pos, _next_word(data, pos, end, False, lexicon)
            if word < 0 or lexicon.initial[word] < 0:
                continue
            term, pos, _ = _take_longest(data, start, pos, end, word, lexicon)
            if term < 0:
                continue
            while start > first and _letter_before(data, start, lexicon.table)[0]:
                start = _letter_before(data, start, lexicon.table)[1]
            # `pos` lies beyond the character that ended the term, if one did.
            inside, before = _letter_before(data, pos, lexicon.table)
            if n == found.shape[1]:
                found = np.concatenate((found, np.empty_like(found)), axis=1)
            found[:, n] = row, start, pos if inside else before
            n += 1
    return found[:, :n].copy()


@_helper
def _letter_before(data, pos, table):  # type: ignore[no-untyped-def]
    """Say whether the character before `pos` is part of a word, and where it begins."""
    pos, end = pos - 1, pos
    while data[np.uint64(pos)] & 0xC0 == 0x80:
        pos -= 1
    return _read(data, pos, end, table)[0] & (WORD | SKIP) != 0, pos
