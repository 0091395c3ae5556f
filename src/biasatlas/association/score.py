"""Score association tests on word vectors into rows of the association tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from biasatlas.association.coverage import coverage_rows
from biasatlas.association.influence import leave_one_out
from biasatlas.association.intervals import effect_size_interval
from biasatlas.association.nulls.random_sets import MatchedNull, NullSampler, label_band
from biasatlas.association.permutation.p_value import PermutationResult, permutation_test
from biasatlas.association.resolve import ResolvedTest, Rules, describe, resolve
from biasatlas.association.scores import effect_size, statistic, unit_rows
from biasatlas.lexicons.word_lists import SETS

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from biasatlas.lexicons.word_lists import AssociationTest
    from biasatlas.vectors import WordVectors

    Floats = NDArray[np.float64]
    Permutation = Callable[[Floats, Floats], PermutationResult]

INTERVAL = ("statistic", "effect_size", "effect_low", "effect_high")
P_VALUES = ("p_value", "p_strict", "p_two_sided", "p_lower", "p_upper", "p_min")
NULLS = (
    "coherence",
    "label_low",
    "label_high",
    "null_low",
    "null_median",
    "null_high",
    "null_percentile",
    "null_p",
    "null_p_two_sided",
    "null_coherence",
)


@dataclass(frozen=True)
class Settings(Rules):
    """How tests are scored; the meaning of each field stands in the configuration's page.

    Attributes
    ----------
    nulls : int
        Random matched sets that each score is compared with; 0 for none.
    seed : int
        Of the draws: random sets, shuffled labels.
    """

    max_exact: int = 56
    relative_width: float = 1e-3
    nulls: int = 500
    seed: int = 0


class Sampler(Protocol):
    """Gives the null distribution that a test's score is compared with."""

    def null(
        self,
        test_name: str,
        x_words: Sequence[str],
        y_words: Sequence[str],
        a_words: Sequence[str],
        b_words: Sequence[str],
        n: int,
    ) -> MatchedNull:
        """Null of the named test with these words, of `n` pairs of sets."""
        ...


@dataclass(frozen=True)
class Scored:
    """What scoring some tests on one set of vectors gives.

    Attributes
    ----------
    scores : DataFrame
        One row a test: the association columns of the tables from `test` to `note`, except the
        corrections, which belong to a family of rows, and the control.
    words : DataFrame
        One row a word of a scored test: its association and its influence on d.
    coverage : DataFrame
        One row a set and kind of word.
    """

    scores: pd.DataFrame
    words: pd.DataFrame
    coverage: pd.DataFrame


def score_tests(
    tests: Iterable[AssociationTest],
    vectors: WordVectors,
    settings: Settings,
    *,
    permutation: Permutation | None = None,
    sampler: Sampler | None = None,
) -> Scored:
    """Score tests on one set of vectors.

    A test that cannot be scored gives a row that says why.

    Parameters
    ----------
    tests : iterable of AssociationTest
    vectors : WordVectors
    settings : Settings
    permutation : callable, optional
        Gives the p-values of the scores of X and Y, such as a `CachedPermutation`; else
        `permutation_test` does, by `settings`.
    sampler : Sampler, optional
        Draws the sets of the null; else a `NullSampler` of the vectors does, by `settings`.

    Returns
    -------
    Scored
    """
    import pandas as pd

    resolved = [resolve(test, vectors, settings) for test in tests]
    cosines = _Cosines(resolved, vectors)
    if settings.nulls and sampler is None:
        sampler = NullSampler(vectors, seed=settings.seed)
    permutation = permutation or partial(
        permutation_test, max_exact=settings.max_exact, relative_width=settings.relative_width
    )
    rows, words, coverage = [], [], []
    for one in resolved:
        row = row_without_score(one, settings.case)
        if not one.refusal:
            try:
                row |= _numbers(one, cosines, settings, sampler, permutation)
                words += _words(one, cosines)
            except ValueError as error:
                one = one.refuse(f"refused: {error}")
                row = row_without_score(one, settings.case)
        rows.append(row | {"status": one.status, "note": one.note})
        coverage += coverage_rows(one.test, one.coverage)
    columns = ("test", "set", "word", "kind", "score", "influence")
    return Scored(
        pd.DataFrame(rows, columns=None if rows else ["test", "effect_size", "p_value"]),
        pd.DataFrame(words, columns=columns),
        pd.DataFrame(coverage, columns=None if coverage else ["test"]),
    )


def row_without_score(one: ResolvedTest, case: str) -> dict[str, Any]:
    """Columns of a test that is not scored, or not yet, in the order of `Scored.scores`."""
    empty = dict.fromkeys((*INTERVAL, *P_VALUES, *NULLS), float("nan"))
    row = describe(one, case) | empty | {"method": "", "null_n": 0}
    return row | {"status": one.status, "note": one.note}


class _Cosines:
    """Cosines between all words of the scored tests: one normalised matrix, one product."""

    def __init__(self, resolved: Sequence[ResolvedTest], vectors: WordVectors) -> None:
        scored = [one for one in resolved if not one.refusal]
        words = sorted({word for one in scored for name in SETS for word in one.words[name]})
        self.index = {word: row for row, word in enumerate(words)}
        unit = unit_rows(vectors.rows(words))
        self.matrix: Floats = unit @ unit.T

    def between(self, left: Sequence[str], right: Sequence[str]) -> Floats:
        """Cosine of each word on the left with each on the right."""
        rows, columns = ([self.index[word] for word in words] for words in (left, right))
        return self.matrix[np.ix_(rows, columns)]

    def of_test(self, one: ResolvedTest) -> tuple[Floats, Floats]:
        """Cosines of the targets (X first) with A and with B."""
        targets = one.words["x"] + one.words["y"]
        return self.between(targets, one.words["a"]), self.between(targets, one.words["b"])


def _numbers(
    one: ResolvedTest,
    cosines: _Cosines,
    settings: Settings,
    sampler: Sampler | None,
    permutation: Permutation,
) -> dict[str, Any]:
    with_a, with_b = cosines.of_test(one)
    scores = with_a.mean(axis=1) - with_b.mean(axis=1)
    n_x = len(one.words["x"])
    x, y = scores[:n_x], scores[n_x:]
    d = effect_size(x, y)
    low, high = effect_size_interval(with_a, with_b, n_x)
    p = permutation(x, y)
    row: dict[str, Any] = dict(zip(INTERVAL, (statistic(x, y), d, low, high), strict=True))
    row |= {name: getattr(p, name) for name in (*P_VALUES, "method")}
    row["label_low"], row["label_high"] = label_band(x, y, seed=settings.seed)
    row["coherence"] = coherence(cosines, one)
    if sampler is not None:
        x_words, y_words, a_words, b_words = (one.words[name] for name in SETS)
        null = sampler.null(one.test.test, x_words, y_words, a_words, b_words, n=settings.nulls)
        row |= null.summary(d)
        if null.note:
            one.notes.append(null.note)
    return row


def coherence(cosines: _Cosines, one: ResolvedTest) -> float:
    """Mean over X and Y of the mean cosine between two different words of the set."""
    means = []
    for name in ("x", "y"):
        within = cosines.between(one.words[name], one.words[name])
        n = len(within)
        means.append((within.sum() - np.trace(within)) / (n * (n - 1)) if n > 1 else np.nan)
    return float(np.mean(means))


def _words(one: ResolvedTest, cosines: _Cosines) -> list[dict[str, Any]]:
    """Association and influence of every word of a test."""
    with_a, with_b = cosines.of_test(one)
    n_x = len(one.words["x"])
    influence = leave_one_out(with_a, with_b, n_x)
    targets = with_a.mean(axis=1) - with_b.mean(axis=1)
    scores = {
        "x": targets[:n_x],
        "y": targets[n_x:],
        "a": with_a[:n_x].mean(axis=0) - with_a[n_x:].mean(axis=0),
        "b": with_b[:n_x].mean(axis=0) - with_b[n_x:].mean(axis=0),
    }
    left_out = {
        "x": influence.targets[:n_x],
        "y": influence.targets[n_x:],
        "a": influence.a,
        "b": influence.b,
    }
    return [
        {
            "test": one.test.test,
            "set": name,
            "word": word,
            "kind": one.kind(name, word),
            "score": scores[name][place],
            "influence": left_out[name][place],
        }
        for name in SETS
        for place, word in enumerate(one.words[name])
    ]
