"""Whether two regions differ in the text itself: log odds of co-occurrence, documents permuted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from biasatlas.association.companions.cooccurrence import Cooccurrences, count_cells
from biasatlas.association.companions.pmi import (
    CORRECTION,
    find_thin_cells,
    log_odds_ratio,
    refuse_counts,
)
from biasatlas.association.companions.score import as_vectors
from biasatlas.association.documents.sums import draw_weights, in_parts
from biasatlas.association.resolve import ResolvedTest, Rules, resolve

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from biasatlas.lexicons.word_lists import AssociationTest

    Floats = NDArray[np.float64]

# X with A, X with B, Y with A, Y with B.
SIGNS = np.array([1.0, -1.0, -1.0, 1.0])
TAILS = (0.025, 0.975)


@dataclass(frozen=True)
class Comparison:
    """Log odds of two regions on every test.

    Attributes
    ----------
    effects : ndarray, shape (2, n_tests)
        Log odds ratio of each region.
    p_value : ndarray, shape (n_tests,)
        Two-sided, by permuting documents.
    low, high : ndarray, shape (n_tests,)
        95% interval of the difference, over documents.
    """

    effects: Floats
    p_value: Floats
    low: Floats
    high: Floats


def compare(
    one: Floats,
    other: Floats,
    *,
    permutations: int = 999,
    replicates: int = 1_000,
    seed: Sequence[int] = (0,),
) -> Comparison:
    """Compare the log odds of two regions on every test by permuting documents.

    The statistic is the difference of the two log odds ratios divided by its standard error,
    which is worked out anew for each permutation (delta method, each document one draw): so the
    test keeps its level also where the documents of the regions differ in number, length or
    spread (Chung & Romano 2013, Annals of Statistics 41(2)).

    Parameters
    ----------
    one, other : ndarray, shape (n_documents, n_tests, 4)
        Co-occurrences of X with A, X with B, Y with A, Y with B, as `count_cells` gives them.
    permutations, replicates : int
    seed : sequence of int

    Returns
    -------
    Comparison
    """
    rng = np.random.default_rng(list(seed))
    pooled = np.concatenate([one, other])
    n, n_tests, _ = pooled.shape
    squares = np.einsum("dti,dtj->dtij", pooled, pooled).reshape(n, -1)
    first = np.zeros((n, 1))
    first[: len(one)] = 1.0
    observed = np.abs(_studentised(pooled, squares, first)[0])
    beyond = np.zeros(n_tests, dtype=np.int64)
    for size in in_parts(permutations):
        labels = rng.permuted(np.tile(first, size), axis=0)
        drawn = np.abs(_studentised(pooled, squares, labels))
        # A permutation without a value counts against the difference; 1e-12 is rounding.
        beyond += (~(drawn < observed - 1e-12)).sum(axis=0)
    low, high = _interval(one, other, replicates, rng)
    effects = np.stack([log_odds_ratio(cells.sum(axis=0)) for cells in (one, other)])
    return Comparison(effects, (1 + beyond) / (1 + permutations), low, high)


def _studentised(pooled: Floats, squares: Floats, labels: Floats) -> Floats:
    """Difference over its standard error, shape (n, n_tests); 0 / 0 is NaN."""
    n_tests = pooled.shape[1]
    flat = pooled.reshape(len(pooled), -1)
    difference = np.zeros((labels.shape[1], n_tests))
    variance = np.zeros_like(difference)
    for sign, drawn in ((1.0, labels), (-1.0, 1.0 - labels)):
        sums = (drawn.T @ flat).reshape(-1, n_tests, 4)
        products = (drawn.T @ squares).reshape(-1, n_tests, 4, 4)
        slope = SIGNS / (sums + CORRECTION)
        difference += sign * log_odds_ratio(sums)
        variance += np.einsum("pti,ptij,ptj->pt", slope, products, slope, optimize=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(difference / np.sqrt(variance))


def _interval(one: Floats, other: Floats, replicates: int, rng: np.random.Generator) -> Floats:
    """Percentile interval over documents, never narrower than that of independent counts."""
    drawn = np.zeros((replicates, one.shape[1]))
    centre, variance = np.zeros(one.shape[1]), np.zeros(one.shape[1])
    for sign, cells in ((1.0, one), (-1.0, other)):
        totals = cells.sum(axis=0)
        centre += sign * log_odds_ratio(totals)
        variance += (1 / (totals + CORRECTION)).sum(axis=-1)
        start = 0
        for size in in_parts(replicates):
            weights = draw_weights(len(cells), size, rng)
            sums = (weights.T @ cells.reshape(len(cells), -1)).reshape(size, -1, 4)
            drawn[start : start + size] += sign * log_odds_ratio(sums)
            start += size
    half = NormalDist().inv_cdf(TAILS[1]) * np.sqrt(variance)
    low, high = np.quantile(drawn, TAILS, axis=0)
    return np.stack([np.minimum(low, centre - half), np.maximum(high, centre + half)])


# The order in which threads add changes the last bits.
@threadpool_limits.wrap(limits=1, user_api="blas")
def compare_texts(
    regions: Mapping[str, Cooccurrences],
    tests: Sequence[AssociationTest],
    rules: Rules,
    *,
    permutations: int = 999,
    replicates: int = 1_000,
    seed: int = 0,
) -> pd.DataFrame:
    """Compare the text of each pair of regions on each test.

    Parameters
    ----------
    regions : mapping of str to Cooccurrences
        Over all words of the tests.
    tests : sequence of AssociationTest
    rules : Rules
        Applied to the words that each region's text holds, in lower case.
    permutations, replicates, seed : int

    Returns
    -------
    DataFrame
        Rows of the table `differences`, without language, corpus, model and the corrections.
    """
    import pandas as pd

    resolved = {
        name: [resolve(test, as_vectors(pairs), rules) for test in tests]
        for name, pairs in regions.items()
    }
    # All words of a list count, whichever region holds them: a missing word adds nothing.
    sets = [{s: [w.lower() for w in getattr(test, s).words] for s in "xyab"} for test in tests]
    cells = {
        name: np.stack([count_cells(pairs, one) for one in sets], axis=1)
        for name, pairs in regions.items()
    }
    rows = []
    for number, (name_1, name_2) in enumerate(combinations(regions, 2)):
        pair = {"region_1": name_1, "region_2": name_2}
        one, other = cells[name_1], cells[name_2]
        found = None
        if len(one) and len(other):
            options = {"permutations": permutations, "replicates": replicates}
            found = compare(one, other, seed=[seed, number], **options)
        for place, both in enumerate(zip(resolved[name_1], resolved[name_2], strict=True)):
            totals = [cells[name][:, place].sum(axis=0) for name in (name_1, name_2)]
            row = {"test": tests[place].test} | pair
            rows.append(row | _row(pair, both, totals, found, place, permutations))
    return pd.DataFrame(rows)


def _row(
    pair: Mapping[str, str],
    both: Sequence[ResolvedTest],
    totals: Sequence[Floats],
    found: Comparison | None,
    place: int,
    permutations: int,
) -> dict[str, Any]:
    refusals, thin = [], []
    for name, one, counts in zip(pair.values(), both, totals, strict=True):
        refusal = one.refusal or refuse_counts(counts)
        refusals += [f"{name}: {refusal.removeprefix('refused: ')}"] if refusal else []
        few = find_thin_cells(counts) or (one.note if one.thin else "")
        thin += [f"{name}: {few.removeprefix('thin: ')}"] if few else []
    numbers = ("effect_1", "effect_2", "difference", "low", "high", "p_value", "p_min")
    if refusals or found is None:
        note = f"refused: {'; '.join(refusals) or 'a region has no document'}"
        nothing = dict.fromkeys(numbers, float("nan"))
        return nothing | {"permutations": 0, "status": "refused", "note": note}
    first, second = found.effects[:, place]
    values = (first, second, first - second, found.low[place], found.high[place])
    return dict(zip(numbers, values, strict=False)) | {
        "p_value": found.p_value[place],
        "p_min": 1 / (1 + permutations),
        "permutations": permutations,
        "status": "thin" if thin else "ok",
        "note": f"thin: {'; '.join(thin)}" if thin else "",
    }
