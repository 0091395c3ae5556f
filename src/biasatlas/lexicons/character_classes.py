"""What every character is to the term search: letter, gap or end of a word, and its folded form.

One entry a code point, the same table for every script; `biasatlas.lexicons.term_kernel` says what
its bits are.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from biasatlas.lexicons.term_kernel import (
    APOSTROPHE,
    FIRST,
    FOLD,
    GAP,
    LAST_ORDER,
    NOT_NFC,
    ORDER,
    PAIR,
    SECOND,
    SKIP,
    UNKNOWN,
    WORD,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Four bytes of UTF-8 hold 21 bits: with an entry for each, no text can lead past the table.
N_ENTRIES = 1 << 21
HYPHENS = "-\u2010\u2011"
APOSTROPHES = "'\u2019"
# The soft hyphen and the variation selectors: they change how a text looks, not what it says.
INVISIBLE = "[\u00ad\ufe00-\ufe0f\U000e0100-\U000e01ef]"
DOTTED_I = frozenset({"tr", "az"})

# Beyond these Unicode has no letter or mark, but for the variation selectors.
_CHARACTERS = (range(0x0, 0xD800), range(0xE000, 0x33480), range(0xE0100, 0xE01F0))
_JOINERS = "\u200c\u200d"
_CATEGORIES = {
    **dict.fromkeys(("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl"), WORD),
    "Pc": GAP,
}
# Hangul composes by a formula: lead and vowel, then that and a tail.
_HANGUL_FIRST = (*range(0x1100, 0x1113), *range(0xAC00, 0xD7A4, 28))
_HANGUL_SECOND = (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))


def has_dotted_i(language: str) -> bool:
    """Whether ``I`` is the capital of ``ı`` in this language, and ``İ`` that of ``i``."""
    return language.split("-")[0].lower() in DOTTED_I


class Characters(NamedTuple):
    """Entries of all code points.

    Attributes
    ----------
    table : ndarray of int64, shape (2**21,), read-only
    pairs : ndarray of int64, shape (2 p,), read-only
        Entries of the two letters of what NFC takes apart, such as U+095C.
    """

    table: NDArray[np.int64]
    pairs: NDArray[np.int64]


@lru_cache(maxsize=4)
def characters(*, dotted_i: bool, hyphen_is_letter: bool) -> Characters:
    """Build the table of all code points.

    Parameters
    ----------
    dotted_i : bool
        From `has_dotted_i`. A dot above is then nothing: ``i̇`` is what other languages' rules
        make of ``İ``.
    hyphen_is_letter : bool

    Returns
    -------
    Characters

    Notes
    -----
    Folding is the simple case folding of Unicode, one character to one: ``ſ`` to ``s``, ``ς`` to
    ``σ``, ``ẞ`` to ``ß``, never ``ß`` to ``ss``.
    """
    import numpy as np

    table = np.zeros(N_ENTRIES, dtype=np.int64)
    for block in _CHARACTERS:
        table[block.start : block.stop] = [_entry(chr(code)) for code in block]
    for hyphen in HYPHENS:
        table[ord(hyphen)] = WORD | ord("-") if hyphen_is_letter else GAP
    if dotted_i:
        marks = int(table[ord("I")]) & ~FOLD
        table[ord("I")] = marks | ord("ı")
        table[ord("İ")] = WORD | ord("i")
        table[0x307] = _skip(int(table[0x307]))
    pairs = _mark_compositions(table)
    table.flags.writeable = pairs.flags.writeable = False
    return Characters(table, pairs)


def _entry(character: str) -> int:
    category = unicodedata.category(character)
    if character in APOSTROPHES:
        return APOSTROPHE
    if re.match(INVISIBLE, character):
        return _skip(0)
    if character.isspace():
        return GAP
    found = _CATEGORIES.get(category, WORD if character in _JOINERS else 0)
    if found == WORD:
        found |= ord(_fold(character))
    last = unicodedata.normalize("NFD", character)[-1]
    found |= unicodedata.combining(last) << LAST_ORDER
    return found | unicodedata.combining(character) << ORDER


def _skip(marks: int) -> int:
    # What stands on its two sides may compose or be reordered once it is gone.
    return (marks & (SECOND | 0xFF << ORDER)) | SKIP | UNKNOWN


def _fold(character: str) -> str:
    for folded in (character.casefold(), character.lower()):
        if len(folded) == 1:
            return folded
    return character


def _split(code: int) -> list[int]:
    """Give the parts of a canonical decomposition, one step of it; [] without one."""
    decomposed = unicodedata.decomposition(chr(code))
    if not decomposed or decomposed[0] == "<":
        return []
    return [int(part, 16) for part in decomposed.split()]


def _mark_compositions(table: NDArray[np.int64]) -> NDArray[np.int64]:
    """Mark what composes, give characters that NFC replaces the entries of what they become."""
    import numpy as np

    table[list(_HANGUL_FIRST)] |= FIRST
    table[list(_HANGUL_SECOND)] |= SECOND
    replaced = {}
    for code in (code for block in _CHARACTERS for code in block):
        parts = _split(code)
        composed = unicodedata.normalize("NFC", chr(code)) if parts else ""
        if composed == chr(code):
            table[parts[0]] |= FIRST
            table[parts[1]] |= SECOND
        elif parts:
            replaced[code] = [ord(part) for part in composed]
    pairs: list[int] = []
    for code, parts in replaced.items():
        entries = [int(table[part]) for part in parts]
        if len(parts) == 1:
            table[code] = entries[0]
        elif len(parts) == 2 and _are_letters(*entries):
            table[code] = WORD | PAIR | len(pairs) // 2
            pairs += entries
        else:
            table[code] |= NOT_NFC
    return np.array(pairs, dtype=np.int64)


def _are_letters(first: int, second: int) -> bool:
    return bool(first & second & WORD and not first & (SECOND | 0xFF << ORDER))
