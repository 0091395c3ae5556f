"""Which words of a test have vectors, and what happened to the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from biasatlas.vectors import WordVectors


@dataclass(frozen=True)
class SetCoverage:
    """How one word set meets a vocabulary.

    Attributes
    ----------
    found : tuple of str
        Distinct words to score, in the order of the list, as looked up.
    missing, duplicate, composed : tuple of str
        Words without a vector; words that came again after case folding; words whose vector
        fastText composed from subwords (they are in `found` too).
    asked : int
        Words on the list.
    """

    found: tuple[str, ...]
    missing: tuple[str, ...]
    duplicate: tuple[str, ...]
    composed: tuple[str, ...]
    asked: int

    @property
    def share(self) -> float:
        """Found among the distinct words asked for."""
        distinct = self.asked - len(self.duplicate)
        return len(self.found) / distinct if distinct else 0.0


def look_up(
    words: Sequence[str], vectors: WordVectors, *, case: str = "lower", compose: bool = False
) -> SetCoverage:
    """Find the words of a set in a vocabulary.

    Parameters
    ----------
    words : sequence of str
        The list as published.
    vectors : WordVectors
    case : {"lower", "as_is"}
        How a word is looked up.
    compose : bool
        Whether a word without a vector may be composed from its subwords.
    """
    found: list[str] = []
    missing: list[str] = []
    duplicate: list[str] = []
    composed: list[str] = []
    for word in words:
        key = word.lower() if case == "lower" else word
        if key in found or key in missing:
            duplicate.append(word)
        elif key in vectors:
            found.append(key)
        elif compose and vectors.compose is not None:
            found.append(key)
            composed.append(key)
        else:
            missing.append(key)
    return SetCoverage(tuple(found), tuple(missing), tuple(duplicate), tuple(composed), len(words))
