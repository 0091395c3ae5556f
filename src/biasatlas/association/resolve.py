"""Which words of a test are scored on a set of vectors, and whether they are enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from biasatlas.association.lookup import SetCoverage, look_up
from biasatlas.lexicons.word_lists import SETS

if TYPE_CHECKING:
    from biasatlas.lexicons.word_lists import AssociationTest
    from biasatlas.vectors import WordVectors


@dataclass(frozen=True)
class Rules:
    """Which words are looked up how, and how many are enough; as in the configuration.

    Attributes
    ----------
    case : {"lower", "as_is", "both"}
        How a word is looked up.
    coverage_min : float
        A test whose worst set has a smaller share of its words is thin.
    min_words : int
        A test with a set of fewer distinct words is refused.
    compose_missing : bool
        Whether a word without a vector may be composed from its subwords.
    drop_shared : bool
        Drop target words that are also attribute words (they would score themselves).
    """

    case: str = "lower"
    coverage_min: float = 0.8
    min_words: int = 4
    compose_missing: bool = False
    drop_shared: bool = False


@dataclass(frozen=True)
class ResolvedTest:
    """A test and the words of it that are scored.

    Attributes
    ----------
    test : AssociationTest
    coverage : mapping of str to SetCoverage
        By set: what was found and what not.
    words : mapping of str to list of str
        By set: the words to score, sorted, so that the order of a list changes no result.
    shared : list of str
        Words that stand in two sets.
    refusal : str
        Why the test cannot be scored; empty where it can.
    notes : list of str
        What else a reader must know.
    thin : bool
        Whether the worst set has too small a share of its words.
    """

    test: AssociationTest
    coverage: Mapping[str, SetCoverage]
    words: Mapping[str, list[str]]
    shared: list[str]
    refusal: str
    notes: list[str] = field(default_factory=list)
    thin: bool = False

    @property
    def status(self) -> str:
        """``refused``, ``thin`` or ``ok``."""
        return "refused" if self.refusal else "thin" if self.thin else "ok"

    @property
    def note(self) -> str:
        """The refusal and the notes as one text."""
        return "; ".join([self.refusal, *self.notes] if self.refusal else self.notes)

    def refuse(self, reason: str) -> ResolvedTest:
        """The same test, refused for a reason that only scoring could find."""
        return replace(self, refusal=reason)

    def kind(self, name: str, word: str) -> str:
        """``name`` where the word of set `name` is a given name, else ``term``."""
        return self.coverage[name].kinds.get(word, "term")


def resolve(test: AssociationTest, vectors: WordVectors, rules: Rules) -> ResolvedTest:
    """Look a test's words up and decide whether it can be scored, and whether it is thin."""
    coverage = {name: _look_up(test, name, vectors, rules) for name in SETS}
    words = {name: sorted(one.found) for name, one in coverage.items()}
    attributes = set(words["a"]) | set(words["b"])
    leaked = sorted({word for word in words["x"] + words["y"] if word in attributes})
    opposed = sorted(set(words["x"]) & set(words["y"]) | set(words["a"]) & set(words["b"]))
    notes = []
    if rules.drop_shared and leaked:
        notes.append(f"dropped as they are attribute words: {', '.join(leaked)}")
        for name in ("x", "y"):
            words[name] = [word for word in words[name] if word not in attributes]
    shared = list(dict.fromkeys(opposed + leaked))
    refusal = _refusal(words, coverage, rules.min_words) or _without_cosine(words, vectors)
    worst = min(SETS, key=lambda name: used(words[name], coverage[name])[1])
    n_used, share = used(words[worst], coverage[worst])
    thin = share < rules.coverage_min
    if thin and not refusal:
        of = distinct(coverage[worst])
        notes.insert(0, f"thin: {n_used} of {of} words of {getattr(test, worst).name} found")
    return ResolvedTest(test, coverage, words, shared, refusal, notes, thin)


def used(words: Sequence[str], coverage: SetCoverage) -> tuple[int, float]:
    """Words scored on a vector of their own, and their share of the distinct words asked for.

    Neither a word that was dropped nor one composed from subwords makes a set complete.
    """
    number = len(set(words) - set(coverage.composed))
    of = distinct(coverage)
    return number, number / of if of else 0.0


def distinct(coverage: SetCoverage) -> int:
    """Distinct words that a set asks for."""
    return coverage.asked - len(coverage.duplicate)


def describe(resolved: ResolvedTest, case: str) -> dict[str, Any]:
    """Give the columns of a row that say what was asked and found."""
    test, coverage, words = resolved.test, resolved.coverage, resolved.words
    row: dict[str, Any] = {"test": test.test, "description": test.description}
    row |= {name: getattr(test, name).name for name in SETS}
    row |= {f"n_{name}": len(words[name]) for name in SETS}
    row |= {f"asked_{name}": coverage[name].asked for name in SETS}
    row["coverage"] = min(used(words[name], coverage[name])[1] for name in SETS)
    row["coverage_terms"] = _worst(coverage[name].share_terms for name in SETS)
    row["coverage_names"] = _worst(coverage[name].share_names for name in SETS)
    row["case"] = case
    for kind in ("missing", "duplicate", "composed"):
        row[f"words_{kind}"] = "; ".join(
            word for name in SETS for word in getattr(coverage[name], kind)
        )
    row["words_shared"] = "; ".join(resolved.shared)
    return row


def _look_up(test: AssociationTest, name: str, vectors: WordVectors, rules: Rules) -> SetCoverage:
    words = getattr(test, name)
    return look_up(
        words.words, vectors, case=rules.case, compose=rules.compose_missing, names=words.names
    )


def _worst(shares: Any) -> float:
    return min((share for share in shares if share == share), default=float("nan"))


def _refusal(
    words: Mapping[str, list[str]], coverage: Mapping[str, SetCoverage], min_words: int
) -> str:
    few = [
        f"{name.upper()} has {len(words[name])} of {distinct(coverage[name])} words"
        for name in SETS
        if len(words[name]) < min_words
    ]
    if few:
        return f"refused: {', '.join(few)}; at least {min_words} are needed"
    if set(words["x"]) == set(words["y"]) or set(words["a"]) == set(words["b"]):
        return "refused: the two opposing sets hold the same words"
    return ""


def _without_cosine(words: Mapping[str, list[str]], vectors: WordVectors) -> str:
    distinct = sorted({word for some in words.values() for word in some})
    squares = np.square(vectors.rows(distinct)).sum(axis=1)
    bad = [word for word, square in zip(distinct, squares, strict=True) if not 0 < square < np.inf]
    return f"refused: the vectors of {', '.join(bad)} are zero or not finite" if bad else ""
