"""The association test as one call, for use without the workflow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.association.score import Settings, score_tests
from biasatlas.errors import InputError
from biasatlas.lexicons.word_lists import SETS, AssociationTest, WordSet, load_test
from biasatlas.vectors.convert import as_word_vectors

if TYPE_CHECKING:
    import pandas as pd

# Columns of a row that are fields of the result under the same name.
AS_THEY_ARE = (
    "test",
    "description",
    "effect_size",
    "statistic",
    "p_value",
    "p_strict",
    "p_two_sided",
    "p_min",
    "method",
    "status",
    "note",
)


@dataclass(frozen=True, repr=False)
class WeatResult:
    """The result of one association test.

    Attributes
    ----------
    test, description : str
        Its name and what it compares.
    effect_size : float
        d, with ddof 1; positive where X goes with A.
    interval : tuple of float
        95% interval of d over words.
    statistic : float
        Difference of the mean associations of X and Y.
    p_value, p_strict, p_two_sided : float
        Permutation p: one-sided (at least the observed), with *greater than*, and two-sided.
    p_bounds : tuple of float
        Certified bounds of p_value.
    p_min : float
        Smallest p_value that sets of this size can give.
    method : str
        How p was found.
    null : tuple of float or None
        2.5%, 50% and 97.5% of d of random matched word sets; None where none were drawn.
    null_p, null_p_two_sided : float or None
        Share of the random sets with at least this d, and at least this absolute d; None where
        none were drawn.
    status, note : str
        ``ok`` or ``thin``, and what else to know.
    used, asked : dict of str to int
        Words used and asked for, by set.
    missing : tuple of str
        Words without a vector.
    doubled : tuple of str
        Words that stand twice in a set, or in two sets.
    words : DataFrame
        Association and influence of each word.
    """

    test: str
    description: str
    effect_size: float
    interval: tuple[float, float]
    statistic: float
    p_value: float
    p_strict: float
    p_two_sided: float
    p_bounds: tuple[float, float]
    p_min: float
    method: str
    null: tuple[float, float, float] | None
    null_p: float | None
    null_p_two_sided: float | None
    status: str
    note: str
    used: dict[str, int]
    asked: dict[str, int]
    missing: tuple[str, ...]
    doubled: tuple[str, ...]
    words: pd.DataFrame = field(compare=False)
    _frame: pd.DataFrame = field(compare=False)

    def to_frame(self) -> pd.DataFrame:
        """Give the result as one row with the association columns of the tables."""
        return self._frame.copy()

    def __repr__(self) -> str:
        low, high = self.interval
        used = ", ".join(f"{s.upper()} {self.used[s]}/{self.asked[s]}" for s in SETS)
        lines = [
            f"{self.test}: {self.description}" if self.description else self.test,
            f"  d = {self.effect_size:.2f} [{low:.2f}, {high:.2f}], S' = {self.statistic:.4f}",
            f"  p = {self.p_value:.2g} ({self.method}; smallest possible {self.p_min:.2g}), "
            f"two-sided {self.p_two_sided:.2g}",
        ]
        if self.null is not None and self.null_p is not None:
            lines.append(
                f"  random matched sets: d from {self.null[0]:.2f} to {self.null[2]:.2f}, "
                f"at least this d in {self.null_p:.1%}"
            )
        lines.append(f"  words used: {used}")
        if self.missing:
            lines.append(f"  missing: {', '.join(self.missing)}")
        if self.doubled:
            lines.append(f"  twice in a set or in two sets: {', '.join(self.doubled)}")
        if self.note:
            lines.append(f"  {self.note}")
        return "\n".join(lines)


def weat(
    vectors: Any,
    test: AssociationTest | Mapping[str, Any] | str | Path,
    *,
    words: Sequence[str] | None = None,
    case: str = "as_is",
    coverage_min: float = 0.8,
    min_words: int = 4,
    nulls: int = 0,
    seed: int = 0,
) -> WeatResult:
    """Test whether targets X go with attributes A, and Y with B, in word vectors.

    Parameters
    ----------
    vectors : WordVectors, gensim KeyedVectors or model, mapping, or array
        As `biasatlas.vectors.convert.as_word_vectors` takes them.
    test : AssociationTest, mapping, str or Path
        A test, a mapping with the word lists ``x``, ``y``, ``a``, ``b``, or the path of a YAML
        file (docs/word_lists.md).
    words : sequence of str, optional
        Words of an array, the most frequent first.
    case : {"as_is", "lower", "both"}
        How words are looked up: as they are, in lower case, or as they are and else in lower
        case.
    coverage_min, min_words : float, int
        Below this share of a set's words the result is thin; below this number the test is
        refused.
    nulls : int
        Random word sets, matched in frequency and coherence, to compare with; they need vectors
        whose words come most frequent first.
    seed : int
        Of the draws.

    Returns
    -------
    WeatResult

    Raises
    ------
    InputError
        For vectors or a test of the wrong form, and for a test that cannot be scored, with the
        reason.

    Examples
    --------
    >>> import numpy as np
    >>> directions = {"up": [0, 1], "north": [1, 4], "down": [0, -1], "south": [1, -4],
    ...               "high": [1, 3], "top": [2, 5], "low": [1, -3], "bottom": [2, -5]}
    >>> result = weat(directions, {"x": ["up", "north"], "y": ["down", "south"],
    ...                            "a": ["high", "top"], "b": ["low", "bottom"]}, min_words=2)
    >>> round(result.effect_size, 2), round(result.p_value, 3), round(result.p_min, 3)
    (1.73, 0.167, 0.167)
    """
    if not 0 <= coverage_min <= 1:
        raise InputError(f"coverage_min: {coverage_min}; allowed is a share from 0 to 1")
    settings = Settings(
        case=case, coverage_min=coverage_min, min_words=min_words, nulls=nulls, seed=seed
    )
    scored = score_tests([_as_test(test)], as_word_vectors(vectors, words), settings)
    (row,) = scored.scores.to_dict("records")
    if row["status"] == "refused":
        reason = f"{row['test']}: {row['note']}"
        if row["words_missing"]:
            reason += f"; without a vector: {row['words_missing']}"
            reason += "" if case != "as_is" else ' (case="lower" or case="both" looks further)'
        raise InputError(reason)
    drawn = bool(row["null_n"])
    return WeatResult(
        **{name: row[name] for name in AS_THEY_ARE},
        interval=(row["effect_low"], row["effect_high"]),
        p_bounds=(row["p_lower"], row["p_upper"]),
        null=(row["null_low"], row["null_median"], row["null_high"]) if drawn else None,
        null_p=row["null_p"] if drawn else None,
        null_p_two_sided=row["null_p_two_sided"] if drawn else None,
        used={name: row[f"n_{name}"] for name in SETS},
        asked={name: row[f"asked_{name}"] for name in SETS},
        missing=_split(row["words_missing"]),
        doubled=tuple(dict.fromkeys(_split(row["words_duplicate"]) + _split(row["words_shared"]))),
        words=scored.words.drop(columns="test"),
        _frame=scored.scores,
    )


def _as_test(test: AssociationTest | Mapping[str, Any] | str | Path) -> AssociationTest:
    if isinstance(test, AssociationTest):
        return test
    if isinstance(test, (str, Path)):
        return load_test(test)
    problems = [f"test: the set {name} is missing" for name in SETS if name not in test]
    allowed = (*SETS, "test", "description")
    problems += [
        f"test: {name!r} is unknown; allowed are {', '.join(allowed)}"
        for name in test
        if name not in allowed
    ]
    problems += [
        f"test: set {name} is {test[name]!r}; allowed is a list of words"
        for name in SETS
        if name in test and (isinstance(test[name], str) or not _are_words(test[name]))
    ]
    if problems:
        raise InputError(problems)
    x, y, a, b = (WordSet(name.upper(), tuple(test[name])) for name in SETS)
    return AssociationTest(
        test=str(test.get("test", "test")),
        description=str(test.get("description", "")),
        language="",
        citation="",
        x=x,
        y=y,
        a=a,
        b=b,
    )


def _split(words: str) -> tuple[str, ...]:
    return tuple(word for word in words.split("; ") if word)


def _are_words(words: Any) -> bool:
    return isinstance(words, Sequence) and all(isinstance(word, str) for word in words)
