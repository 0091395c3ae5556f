"""Which words of a test have vectors, and what happened to the others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from biasatlas.vectors import WordVectors

Kind = Literal["term", "name"]
KINDS: tuple[Kind, ...] = ("term", "name")
CASES = ("as_is", "lower", "both")


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
    asked_names : int
        Those of them that are names of persons; the others are generic terms.
    kinds : mapping of str to {"term", "name"}
        Kind of every word in `found` and `missing`, as looked up.
    case : str
        How the words were looked up.
    """

    found: tuple[str, ...]
    missing: tuple[str, ...]
    duplicate: tuple[str, ...]
    composed: tuple[str, ...]
    asked: int
    asked_names: int = 0
    kinds: Mapping[str, Kind] = field(default_factory=dict, hash=False)
    case: str = "lower"

    @property
    def share(self) -> float:
        """Found among the distinct words asked for."""
        distinct = self.asked - len(self.duplicate)
        return len(self.found) / distinct if distinct else 0.0

    @property
    def asked_terms(self) -> int:
        """Generic terms on the list."""
        return self.asked - self.asked_names

    @property
    def found_terms(self) -> int:
        """Distinct generic terms with a vector of their own."""
        return len(self.own("term"))

    @property
    def found_names(self) -> int:
        """Distinct names with a vector of their own."""
        return len(self.own("name"))

    @property
    def share_terms(self) -> float:
        """Generic terms with a vector of their own among the distinct ones, NaN without any."""
        return self.share_of("term")

    @property
    def share_names(self) -> float:
        """Names with a vector of their own among the distinct ones, NaN without any."""
        return self.share_of("name")

    def asked_of(self, kind: Kind) -> int:
        """Words of a kind on the list, each time that they stand there."""
        return self.asked_names if kind == "name" else self.asked_terms

    def distinct(self, kind: Kind) -> int:
        """Distinct words of a kind, as looked up."""
        return len(self._of(kind, (*self.found, *self.missing)))

    def own(self, kind: Kind) -> tuple[str, ...]:
        """Words of a kind with a vector of their own; a composed one is no evidence of use."""
        composed = set(self.composed)
        return self._of(kind, (word for word in self.found if word not in composed))

    def lacking(self, kind: Kind) -> tuple[str, ...]:
        """Words of a kind without a vector of their own, in the order of the list."""
        own = set(self.own(kind))
        return tuple(word for word, one in self.kinds.items() if one == kind and word not in own)

    def share_of(self, kind: Kind) -> float:
        """Words of a kind with a vector of their own among the distinct ones, NaN without any."""
        distinct = self.distinct(kind)
        return len(self.own(kind)) / distinct if distinct else float("nan")

    def _of(self, kind: Kind, words: Iterable[str]) -> tuple[str, ...]:
        return tuple(word for word in words if self.kinds.get(word, "term") == kind)


def look_up(
    words: Sequence[str],
    vectors: WordVectors,
    *,
    case: str = "lower",
    compose: bool = False,
    names: Collection[str] = (),
) -> SetCoverage:
    """Find the words of a set in a vocabulary.

    Parameters
    ----------
    words : sequence of str
        The list as published.
    vectors : WordVectors
    case : {"lower", "as_is", "both"}
        How a word is looked up. ``both`` takes it as it stands where that has a vector, and in
        lower case otherwise, so that ``John`` and ``john`` are one word where only ``john`` has
        a vector.
    compose : bool
        Whether a word without a vector may be composed from its subwords.
    names : collection of str
        Those of `words` that are names of persons. A word that stands on the list both as a
        term and, in another case, as a name counts as what it is first.

    Returns
    -------
    SetCoverage

    Raises
    ------
    ValueError
        For an unknown `case`.
    """
    if case not in CASES:
        raise ValueError(f"case {case!r} is unknown; allowed: {', '.join(CASES)}")
    named = frozenset(names)
    kinds: dict[str, Kind] = {}
    found: list[str] = []
    missing: list[str] = []
    duplicate: list[str] = []
    composed: list[str] = []
    for word in words:
        stands = case == "as_is" or (case == "both" and word in vectors)
        key = word if stands else word.lower()
        if key in kinds:
            duplicate.append(word)
            continue
        kinds[key] = "name" if word in named else "term"
        if key in vectors:
            found.append(key)
        elif compose and vectors.can_compose(key):
            found.append(key)
            composed.append(key)
        else:
            missing.append(key)
    return SetCoverage(
        found=tuple(found),
        missing=tuple(missing),
        duplicate=tuple(duplicate),
        composed=tuple(composed),
        asked=len(words),
        asked_names=sum(word in named for word in words),
        kinds=kinds,
        case=case,
    )
