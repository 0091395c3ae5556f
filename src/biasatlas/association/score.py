"""Score association tests on word vectors into rows of the association tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from biasatlas.association.bootstrap import effect_size_interval
from biasatlas.association.lookup import SetCoverage, look_up
from biasatlas.association.permutation import permutation_test
from biasatlas.association.scores import cosines, effect_size, statistic

if TYPE_CHECKING:
    import pandas as pd

    from biasatlas.lexicons.word_lists import AssociationTest
    from biasatlas.vectors import WordVectors

SETS = ("x", "y", "a", "b")
NUMBERS = (
    "statistic",
    "effect_size",
    "effect_low",
    "effect_high",
    "p_value",
    "p_strict",
    "p_two_sided",
    "p_lower",
    "p_upper",
    "p_min",
)


@dataclass(frozen=True)
class Settings:
    """How tests are scored; the meaning of each field stands in the configuration's page.

    Attributes
    ----------
    drop_shared : bool
        Drop target words that are also attribute words (they would score themselves).
    """

    case: str = "lower"
    coverage_min: float = 0.8
    min_words: int = 4
    max_exact: int = 40
    samples: int = 99_999
    bootstrap: int = 2_000
    compose_missing: bool = False
    drop_shared: bool = False
    seed: int = 0


def score_tests(
    tests: Iterable[AssociationTest], vectors: WordVectors, settings: Settings
) -> pd.DataFrame:
    """Score tests on one set of vectors.

    Parameters
    ----------
    tests : iterable of AssociationTest
    vectors : WordVectors
    settings : Settings

    Returns
    -------
    DataFrame
        One row a test: the association columns of the tables from `test` to `note`, except
        the corrections, which belong to a family of rows.
    """
    import pandas as pd

    return pd.DataFrame([score_test(test, vectors, settings) for test in tests])


def score_test(test: AssociationTest, vectors: WordVectors, settings: Settings) -> dict[str, Any]:
    """Score one test; a test that cannot be scored gives a row that says why."""
    coverage = {
        name: look_up(
            getattr(test, name).words,
            vectors,
            case=settings.case,
            compose=settings.compose_missing,
        )
        for name in SETS
    }
    # Sorted, so that the order of a list, which its hash leaves out, changes no seeded draw.
    words = {name: sorted(one.found) for name, one in coverage.items()}
    shared = _shared(words)
    if settings.drop_shared:
        for name in ("x", "y"):
            words[name] = [word for word in words[name] if word not in shared["attribute"]]
    row = _describe(test, coverage, words, shared["target"] + shared["attribute"])
    row |= dict.fromkeys(NUMBERS, float("nan")) | {"method": ""}
    notes = [f"dropped as they are attribute words: {', '.join(shared['attribute'])}"] * bool(
        settings.drop_shared and shared["attribute"]
    )
    refusal = _refusal(words, coverage, settings) or _without_cosine(words, vectors)
    if refusal:
        return row | {"status": "refused", "note": "; ".join([refusal, *notes])}
    try:
        row |= _numbers(words, vectors, settings)
    except ValueError as error:
        return row | {"status": "refused", "note": "; ".join([f"refused: {error}", *notes])}
    worst = min(SETS, key=lambda name: _used(words[name], coverage[name])[1])
    used, share = _used(words[worst], coverage[worst])
    if share < settings.coverage_min:
        distinct = _distinct(coverage[worst])
        notes.insert(0, f"thin: {used} of {distinct} words of {getattr(test, worst).name} found")
        return row | {"status": "thin", "note": "; ".join(notes)}
    return row | {"status": "ok", "note": "; ".join(notes)}


def _used(words: Sequence[str], coverage: SetCoverage) -> tuple[int, float]:
    """Words scored on a vector of their own, and their share of the distinct words asked for.

    Neither a word that was dropped nor one composed from subwords makes a set complete.
    """
    used = len(set(words) - set(coverage.composed))
    distinct = _distinct(coverage)
    return used, used / distinct if distinct else 0.0


def _distinct(coverage: SetCoverage) -> int:
    return coverage.asked - len(coverage.duplicate)


def _shared(words: Mapping[str, list[str]]) -> dict[str, list[str]]:
    targets = words["x"] + words["y"]
    attributes = set(words["a"]) | set(words["b"])
    return {
        "attribute": sorted({word for word in targets if word in attributes}),
        "target": sorted(set(words["x"]) & set(words["y"]) | set(words["a"]) & set(words["b"])),
    }


def _describe(
    test: AssociationTest,
    coverage: Mapping[str, SetCoverage],
    words: Mapping[str, list[str]],
    shared: list[str],
) -> dict[str, Any]:
    row: dict[str, Any] = {"test": test.test, "description": test.description}
    row |= {name: getattr(test, name).name for name in SETS}
    row |= {f"n_{name}": len(words[name]) for name in SETS}
    row |= {f"asked_{name}": coverage[name].asked for name in SETS}
    row["coverage"] = min(_used(words[name], coverage[name])[1] for name in SETS)
    for kind in ("missing", "duplicate", "composed"):
        row[f"words_{kind}"] = "; ".join(
            word for name in SETS for word in getattr(coverage[name], kind)
        )
    row["words_shared"] = "; ".join(dict.fromkeys(shared))
    return row


def _refusal(
    words: Mapping[str, list[str]], coverage: Mapping[str, SetCoverage], settings: Settings
) -> str:
    few = [
        f"{name.upper()} has {len(words[name])} of {_distinct(coverage[name])} words"
        for name in SETS
        if len(words[name]) < settings.min_words
    ]
    if few:
        return f"refused: {', '.join(few)}; at least {settings.min_words} are needed"
    if set(words["x"]) == set(words["y"]) or set(words["a"]) == set(words["b"]):
        return "refused: the two opposing sets hold the same words"
    return ""


def _without_cosine(words: Mapping[str, list[str]], vectors: WordVectors) -> str:
    distinct = sorted({word for some in words.values() for word in some})
    squares = np.square(vectors.rows(distinct)).sum(axis=1)
    bad = [word for word, square in zip(distinct, squares, strict=True) if not 0 < square < np.inf]
    return f"refused: the vectors of {', '.join(bad)} are zero or not finite" if bad else ""


def _numbers(
    words: Mapping[str, list[str]], vectors: WordVectors, settings: Settings
) -> dict[str, Any]:
    targets = vectors.rows(words["x"] + words["y"])
    cosines_a = cosines(targets, vectors.rows(words["a"]))
    cosines_b = cosines(targets, vectors.rows(words["b"]))
    scores = cosines_a.mean(axis=1) - cosines_b.mean(axis=1)
    n_x = len(words["x"])
    x, y = scores[:n_x], scores[n_x:]
    d = effect_size(x, y)
    low, high = effect_size_interval(
        cosines_a, cosines_b, n_x, replicates=settings.bootstrap, seed=settings.seed
    )
    result = permutation_test(
        x, y, max_exact=settings.max_exact, samples=settings.samples, seed=settings.seed
    )
    p = {name: getattr(result, name) for name in (*NUMBERS[4:], "method")}
    return {
        "statistic": statistic(x, y),
        "effect_size": d,
        "effect_low": low,
        "effect_high": high,
    } | {name: np.float64(value) if name != "method" else value for name, value in p.items()}
