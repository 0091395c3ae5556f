"""Documents cut into passages of about one length at the ends of sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

_ABBREVIATIONS = re.compile(
    r"mr|mrs|ms|mx|dr|prof|sr|jr|st|mt|gen|col|lt|capt|sgt|maj|adm|cmdr|brig|sen|rep|gov|"
    r"pres|hon|rev|fr|supt|insp|det|no|nos|vs|etc|al|inc|ltd|co|corp|dept|est|fig|approx|ave|"
    r"blvd|messrs|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|e\.g|i\.e|cf|vol|pp",
    re.IGNORECASE,
)
_CLOSING = "\"'\u2019\u201d\u00bb)]\u300d\u300f\uff09\u300b"
_OPENING = "\"'\u2018\u201c\u00ab([\u2013\u2014-\u300c\u300e\uff08\u300a"
# In segmented text a closing mark is a word of its own; a straight quote may open as well.
_CLOSING_WORDS = frozenset(_CLOSING) - frozenset(_OPENING)
# The last three end sentences in Chinese and Japanese, Hindi and its kin, and Urdu.
_ENDS = tuple(".!?\u2026\u3002\uff01\uff1f\u0964\u06d4\u061f")


def _ends_sentence(word: str, following: str) -> bool:
    """Tell whether a sentence ends between two words.

    It does after ``. ! ?`` (with closing quotes) when the next word does not begin with a small
    letter, unless the word is a title or abbreviation (Mr., U.S., No.) or an initial (J.).
    """
    bare = word.rstrip(_CLOSING)
    if not bare.endswith(_ENDS):
        return False
    first = following.lstrip(_OPENING)[:1]
    if first.islower():
        return False
    if not bare.endswith("."):
        return True
    stem = bare[:-1].lstrip(_OPENING)
    if _ABBREVIATIONS.fullmatch(stem) or (len(stem) == 1 and stem.isalpha() and stem != "I"):
        return False
    # U.S., a.m.: letters with points between them
    return not ("." in stem and all(len(part) == 1 for part in stem.split(".")))


def _sentences(words: list[str]) -> list[list[str]]:
    result: list[list[str]] = []
    start = 0
    before = words[0] if words else ""
    for i in range(1, len(words)):
        if words[i] in _CLOSING_WORDS:
            continue
        last = before[-1]
        if (last in _CLOSING or last in _ENDS) and _ends_sentence(before, words[i]):
            result.append(words[start:i])
            start = i
        before = words[i]
    if words:
        result.append(words[start:])
    return result


def split_sentences(text: str) -> list[str]:
    """Split text into sentences; white space inside them becomes single spaces."""
    return [" ".join(sentence) for sentence in _sentences(text.split())]


def cut_text(text: str, target_words: int = 100) -> list[str]:
    """Cut one text into passages of about `target_words` words at the ends of sentences.

    Sentences are added while that brings the passage nearer to the target. A rest shorter than
    half the target joins the passage before it. A sentence longer than three targets is cut into
    equal parts of at most one target. No word is lost, added or moved.

    Parameters
    ----------
    text : str
        Words are separated by white space.
    target_words : int
        Wanted length, at least 1.

    Returns
    -------
    list of str
    """
    pieces: list[list[str]] = []
    for sentence in _sentences(text.split()):
        n = len(sentence)
        if n <= 3 * target_words:
            pieces.append(sentence)
            continue
        parts = -(-n // target_words)
        bounds = [i * n // parts for i in range(parts + 1)]
        pieces += [sentence[a:b] for a, b in pairwise(bounds)]
    passages: list[list[str]] = []
    current: list[str] = []
    for piece in pieces:
        if current and len(current) + len(piece) - target_words > target_words - len(current):
            passages.append(current)
            current = []
        current = current + piece
    if current and passages and 2 * len(current) < target_words:
        passages[-1] = passages[-1] + current
    elif current:
        passages.append(current)
    return [" ".join(passage) for passage in passages]


def cut_passages(
    texts: Iterable[str], target_words: int = 100, min_words: int = 30
) -> pl.DataFrame:
    """Cut texts into passages and mark those that are too short to use.

    Parameters
    ----------
    texts : iterable of str
        Cleaned documents.
    target_words, min_words : int
        Wanted and smallest length in words. Languages that write no spaces need text that was
        segmented before.

    Returns
    -------
    polars.DataFrame
        row (position of the text), n (number of the passage in it, from 0), text, words,
        short (words < min_words: to be dropped and counted).
    """
    import polars as pl

    rows: list[int] = []
    numbers: list[int] = []
    passages: list[str] = []
    for row, text in enumerate(texts):
        cut = cut_text(text, target_words)
        rows += [row] * len(cut)
        numbers += range(len(cut))
        passages += cut
    frame = pl.DataFrame(
        {"row": rows, "n": numbers, "text": passages},
        schema={"row": pl.Int64, "n": pl.Int64, "text": pl.String},
    )
    words = pl.Series("words", [p.count(" ") + 1 for p in passages], dtype=pl.Int64)
    return frame.with_columns(words, (words < min_words).alias("short"))
