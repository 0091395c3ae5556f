"""What a tokenizer makes of a text: its own pieces, unknown ones, and texts cut into letters."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from biasatlas.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

Span = tuple[int, int]

# Texts a call: the tokenizer holds all of a call's offsets at once.
CHUNK = 2048
# What SentencePiece, byte-level and older pair encodings set at the edge of a word.
_MARKS = ("\u2581", "\u0120", "</w>")
# One character is a syllable or a word here: Han, the kana, Hangul and its single letters.
_CJK = re.compile(
    "[\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3041-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\U0001b000-\U0001b16f"
    "\U00020000-\U0003ffff]"
)


@dataclass(frozen=True)
class Cut:
    """A text as a model reads it.

    Attributes
    ----------
    ids : tuple of int
        The special tokens and the pieces.
    own : ndarray of bool, shape (n_tokens,)
        Which of them are pieces of the text, or of the asked part of it.
    cls : int
        Place of the classification token, -1 where the tokenizer adds none.
    unknown : bool
        One of the own pieces is a special token, such as the one for unknown pieces, or there
        are none.
    letters : bool
        The own pieces are letters, from `is_letter_by_letter`.
    """

    ids: tuple[int, ...]
    own: NDArray[np.bool_]
    cls: int
    unknown: bool
    letters: bool


def check_vocabulary(tokenizer: Any, folder: str | Path) -> dict[str, int]:
    """Give the pieces of a tokenizer and their numbers.

    Raises
    ------
    InputError
        For a tokenizer without words: without its files it still loads, knows its special tokens
        alone, and makes every word unknown.
    """
    vocabulary: dict[str, int] = tokenizer.get_vocab()
    if len(vocabulary) <= len(set(tokenizer.all_special_tokens)):
        raise InputError(f"{folder}: its tokenizer has no words (tokenizer.json is missing)")
    return vocabulary


def cut_texts(
    tokenizer: Any, texts: Sequence[str], spans: Sequence[Span] | None = None
) -> list[Cut]:
    """Cut texts into the pieces of a tokenizer, none of them shortened.

    Parameters
    ----------
    tokenizer : PreTrainedTokenizerFast
    texts : sequence of str
        Each is read after a space, as a word stands in running text: byte-level tokenizers
        (RoBERTa) have other pieces for the start of a text than for the start of a word.
    spans : sequence of (int, int), optional
        The part of each text, from and to which character, that own pieces are of; without it
        all of the text.

    Returns
    -------
    list of Cut

    Notes
    -----
    A piece is the text's own if it covers a character of it, or of the part, that is no white
    space. Special tokens cover none. A subword mark that stands alone is no piece of a text
    either: XLM-R puts ``▁`` before every Chinese word, which would all have one first piece.
    """
    cuts: list[Cut] = []
    for first in range(0, len(texts), CHUNK):
        some = texts[first : first + CHUNK]
        parts = spans[first : first + CHUNK] if spans is not None else [(0, len(t)) for t in some]
        cuts += _cut(tokenizer, some, parts)
    return cuts


def _cut(tokenizer: Any, texts: Sequence[str], parts: Sequence[Span]) -> list[Cut]:
    # A tokenizer's own file may ask for truncation and padding.
    encoded = tokenizer(
        [f" {text}" for text in texts],
        add_special_tokens=True,
        padding=False,
        truncation=False,
        return_special_tokens_mask=True,
        return_offsets_mapping=True,
        return_attention_mask=False,
        return_token_type_ids=False,
    )
    special = set(tokenizer.all_special_ids)
    marks = {*tokenizer.convert_tokens_to_ids(list(_MARKS))} - special
    cuts = []
    for text, part, ids, added, places in zip(
        texts,
        parts,
        encoded["input_ids"],
        encoded["special_tokens_mask"],
        encoded["offset_mapping"],
        strict=True,
    ):
        covered = [
            []
            if mask or one in marks
            else _letters_between(text, max(start - 1, part[0]), min(stop - 1, part[1]))
            for one, mask, (start, stop) in zip(ids, added, places, strict=True)
        ]
        own = np.array([bool(letters) for letters in covered], dtype=bool)
        pieces = [letters for letters in covered if letters]
        cuts.append(
            Cut(
                ids=tuple(ids),
                own=own,
                cls=_find_cls(ids, added, tokenizer.cls_token_id),
                unknown=not pieces or any(ids[place] in special for place in np.flatnonzero(own)),
                letters=is_letter_by_letter(text, pieces),
            )
        )
    return cuts


def _letters_between(text: str, start: int, stop: int) -> list[int]:
    """Places of a part's characters that are no white space."""
    return [place for place in range(start, stop) if not text[place].isspace()]


def _find_cls(ids: Sequence[int], added: Sequence[int], cls: int) -> int:
    """Place of the tokenizer's own classification token, -1 without; one spelt out is none."""
    places = (place for place, one in enumerate(ids) if one == cls and added[place])
    return next(places, -1)


def is_letter_by_letter(text: str, pieces: Sequence[Sequence[int]]) -> bool:
    """Say whether a text was cut into its letters: into nothing that a model learnt as a word.

    English BERT has the single letters of Arabic, Devanagari and Cyrillic in its vocabulary, so
    that their words are not unknown to it, and still it cannot read them.

    Parameters
    ----------
    text : str
    pieces : sequence of sequence of int
        The places of the characters that each own piece covers.

    Returns
    -------
    bool
        True if the text has two letters or more and more than half of them stand in no piece
        with another. A letter is a character that is no white space and no combining mark: ``é``
        and ``मा`` are one letter however they are encoded. Several pieces may share a letter, as
        byte-level tokenizers cut it into bytes. In texts with Han, kana or Hangul one piece a
        character is how words are read: there it is True if at least half of the characters take
        several pieces.
    """
    times = Counter(place for piece in pieces for place in piece)
    if _CJK.search("".join(text[place] for place in times)):
        return 2 * sum(count > 1 for count in times.values()) >= len(times)
    letters = {place for place in times if unicodedata.category(text[place])[0] != "M"}
    shared = {place for piece in pieces if len(letters & {*piece}) > 1 for place in piece}
    return len(letters) > 1 and 2 * len(letters - shared) > len(letters)
