"""Whether two regions differ: documents permuted between them, and resampled within each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from biasatlas.association.documents.bootstrap import FEW_DOCUMENTS, design_of
from biasatlas.association.documents.corrected import corrected_draws, interval, largest_effect
from biasatlas.association.documents.sums import DocumentSums, draw_weights, in_parts, unit_vectors
from biasatlas.association.product import Design, effect_sizes
from biasatlas.association.resolve import ResolvedTest, Rules, resolve
from biasatlas.vectors.store import WordVectors

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from biasatlas.lexicons.word_lists import AssociationTest
    from biasatlas.vectors.alc import Transform

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

COLUMNS = (
    "test",
    "region_1",
    "region_2",
    "effect_1",
    "effect_2",
    "difference",
    "low",
    "high",
    "p_value",
    "p_min",
    "permutations",
    "status",
    "note",
)
# A mean of the permuted differences beyond this is said in the note.
SHIFT = 0.1
# Documents of the smaller region that are shorter than this share of the other's are said too:
# with a third of the length 11% of tests of no difference had p <= .05 (docs/alc.md).
SHORTER = 2 / 3


@dataclass(frozen=True)
class Settings:
    """How documents are permuted and resampled.

    Attributes
    ----------
    min_count : int
        Fewest occurrences of a word in either region.
    permutations, replicates : int
    seed : int
    """

    min_count: int = 2
    permutations: int = 999
    replicates: int = 1_000
    seed: int = 0


@dataclass(frozen=True)
class Comparison:
    """Two regions compared on every test.

    Attributes
    ----------
    effects : ndarray, shape (2, n_tests)
        d of each region on the words that both have.
    p_value : ndarray, shape (n_tests,)
        Two-sided, by permuting documents.
    low, high : ndarray, shape (n_tests,)
        95% interval of the difference.
    shift : ndarray, shape (n_tests,)
        Mean of the permuted differences: what the two numbers of documents alone do.
    defined : ndarray, shape (n_tests,)
        Permutations in which there is a difference.
    """

    effects: Floats
    p_value: Floats
    low: Floats
    high: Floats
    shift: Floats
    defined: Floats


def pool_documents(one: DocumentSums, other: DocumentSums) -> tuple[DocumentSums, int]:
    """Put the documents of two regions side by side.

    Returns
    -------
    pooled : DocumentSums
        The documents of `one` first.
    n_first : int
        How many they are.
    """
    n_first = len(one.documents)
    word = np.concatenate(
        [np.repeat(np.arange(len(sums.words)), np.diff(sums.starts)) for sums in (one, other)]
    )
    order = np.argsort(word, kind="stable")
    starts = one.starts + other.starts
    document = np.concatenate([one.document, other.document + n_first])[order]
    sums = np.concatenate([one.sums, other.sums])[order]
    return (
        DocumentSums(one.words, (*one.documents, *other.documents), starts, document, sums),
        n_first,
    )


def compare(
    one: DocumentSums,
    other: DocumentSums,
    design: Design,
    transform: Transform,
    settings: Settings,
    stream: Sequence[int] = (),
) -> Comparison:
    """Compare two regions on every test of a design.

    The statistic is d_1 - d_2 on the words that occur at least `min_count` times in both; the
    rule is applied anew to each permutation, so that the test is exact where documents are
    exchangeable: ``p = (1 + #{|permuted| >= |observed|}) / (1 + n)``.

    Parameters
    ----------
    one, other : DocumentSums
        Over the same words as `design`.
    design : Design
    transform : Transform
    settings : Settings
    stream : sequence of int
        Tells the random numbers of this pair from those of the others.

    Returns
    -------
    Comparison
    """
    rng = np.random.default_rng([settings.seed, *stream])
    pooled, n_first = pool_documents(one, other)
    n = len(pooled.documents)
    first = np.zeros((n, 1))
    first[:n_first] = 1.0
    whole = pooled.weighted(np.ones((n, 1)))
    effects, common = _effects(whole, pooled.weighted(first), design, transform, settings)
    observed = (effects[0] - effects[1])[0]
    beyond = np.zeros(len(observed), dtype=np.int64)
    sums, defined = np.zeros(len(observed)), np.zeros(len(observed))
    for size in in_parts(settings.permutations):
        labels = rng.permuted(np.tile(first, size), axis=0)
        permuted, _ = _effects(whole, pooled.weighted(labels), design, transform, settings)
        drawn = permuted[0] - permuted[1]
        # A permutation without a value counts against the difference; 1e-12 is rounding.
        beyond += (~(np.abs(drawn) < np.abs(observed) - 1e-12)).sum(axis=0)
        sums += np.where(np.isfinite(drawn), drawn, 0.0).sum(axis=0)
        defined += np.isfinite(drawn).sum(axis=0)
    p = np.where(np.isfinite(observed), (1 + beyond) / (1 + settings.permutations), np.nan)
    low, high = _interval(one, other, common[0], effects[:, 0], design, transform, settings, rng)
    with np.errstate(invalid="ignore"):
        return Comparison(effects[:, 0], p, low, high, sums / defined, defined)


def _effects(
    whole: Floats, part: Floats, design: Design, transform: Transform, settings: Settings
) -> tuple[Floats, Bools]:
    """D of a part of the documents and of the rest on the words of both, shape (2, n, n_tests)."""
    pieces = [
        unit_vectors(totals, transform, settings.min_count) for totals in (part, whole - part)
    ]
    common = pieces[0][1] & pieces[1][1]
    return np.stack(
        [effect_sizes(unit * common[..., None], design, common)[1] for unit, _ in pieces]
    ), common


def _interval(
    one: DocumentSums,
    other: DocumentSums,
    base: Bools,
    effects: Floats,
    design: Design,
    transform: Transform,
    settings: Settings,
    rng: np.random.Generator,
) -> Floats:
    """Interval of the difference: each region's documents are resampled on their own."""
    drawn: list[list[Floats]] = [[], []]
    for size in in_parts(settings.replicates):
        units, here = [], base
        for sums in (one, other):
            weights = draw_weights(len(sums.documents), size, rng)
            unit, present = unit_vectors(sums.weighted(weights), transform)
            units.append(unit)
            here = here & present
        for collected, unit in zip(drawn, units, strict=True):
            collected.append(effect_sizes(unit * here[..., None], design, here)[1])
    limit = largest_effect(design.x @ base, design.y @ base)
    first, second = (
        corrected_draws(d, np.concatenate(some), limit)
        for d, some in zip(effects, drawn, strict=True)
    )
    return interval(first - second)


# The order in which threads add changes the last bits.
@threadpool_limits.wrap(limits=1, user_api="blas")
def compare_regions(
    regions: Mapping[str, DocumentSums],
    tests: Sequence[AssociationTest],
    transform: Transform,
    rules: Rules,
    settings: Settings,
) -> pd.DataFrame:
    """Compare each pair of regions on each test.

    Parameters
    ----------
    regions : mapping of str to DocumentSums
        Over the same words.
    tests : sequence of AssociationTest
    transform : Transform
    rules : Rules
        Applied to the words that both regions have.
    settings : Settings

    Returns
    -------
    DataFrame
        Rows of the table `differences`, without language, corpus, model and the corrections.
    """
    import pandas as pd

    rows: list[dict[str, Any]] = []
    for number, ((name_1, one), (name_2, other)) in enumerate(combinations(regions.items(), 2)):
        pair = {"region_1": name_1, "region_2": name_2}
        sizes = (len(one.documents), len(other.documents))
        warning = _lengths(pair, one, other)
        pooled = pool_documents(one, other)[0].counts
        common = np.minimum(one.counts, other.counts) >= settings.min_count
        resolved = [resolve(test, _vocabulary(one, common), rules) for test in tests]
        reason = _impossible(pair, sizes, transform)
        if reason:
            resolved = [test.refuse(f"refused: {reason}") for test in resolved]
        # Every word of either region takes part in the permutations: which of them both regions
        # have is for each permutation to say.
        asked = [resolve(test, _vocabulary(one, pooled > 0), rules) for test in tests]
        open_tests = [
            all_words if not test.refusal else all_words.refuse(test.refusal)
            for all_words, test in zip(asked, resolved, strict=True)
        ]
        found = None
        if any(not test.refusal for test in open_tests):
            design = design_of(open_tests, one.words)
            found = compare(one, other, design, transform, settings, [number])
        for place, test in enumerate(resolved):
            rows.append(pair | _row(test, found, place, sizes, settings, warning))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _vocabulary(sums: DocumentSums, here: Bools) -> WordVectors:
    """Words alone, to be looked up: which vector they have does not matter."""
    words = tuple(word for word, one in zip(sums.words, here, strict=True) if one)
    return WordVectors(words, np.ones((len(words), 1), dtype=np.float32))


def _impossible(pair: Mapping[str, str], sizes: Sequence[int], transform: Transform) -> str:
    empty = [name for name, n in zip(pair.values(), sizes, strict=True) if n == 0]
    if empty:
        return f"{' and '.join(empty)} has no document"
    if not transform.is_fitted:
        fit = transform.fit
        return f"{fit.n_words} frequent words to fit the vectors on, {fit.n_needed} are needed"
    return ""


def _lengths(pair: Mapping[str, str], one: DocumentSums, other: DocumentSums) -> str:
    """Warn where the smaller region has the shorter documents, by the test words in them."""
    by_size = sorted(
        zip(pair.values(), (one, other), strict=True), key=lambda item: len(item[1].documents)
    )
    small, large = (sums.counts.sum() / max(len(sums.documents), 1) for _, sums in by_size)
    if small >= SHORTER * large:
        return ""
    return f"documents of {by_size[0][0]} are short, so p may be too small"


def _row(
    test: ResolvedTest,
    found: Comparison | None,
    place: int,
    sizes: Sequence[int],
    settings: Settings,
    warning: str,
) -> dict[str, Any]:
    numbers = ("effect_1", "effect_2", "difference", "low", "high", "p_value", "p_min")
    row: dict[str, Any] = {"test": test.test.test} | dict.fromkeys(numbers, float("nan"))
    row["permutations"] = 0
    if not test.refusal and found is not None and np.isnan(found.effects[:, place]).any():
        test = test.refuse("refused: all association scores are equal, so d is undefined")
    if test.refusal or found is None:
        return row | {"status": "refused", "note": test.note}
    effects = found.effects[:, place]
    row |= {"effect_1": effects[0], "effect_2": effects[1], "difference": effects[0] - effects[1]}
    row |= {name: getattr(found, name)[place] for name in ("low", "high", "p_value")}
    row |= {"p_min": 1 / (1 + settings.permutations), "permutations": int(found.defined[place])}
    notes = [test.note] if test.note else []
    if min(sizes) < FEW_DOCUMENTS:
        notes.append(
            f"{min(sizes)} documents in the smaller region: the interval may be too narrow"
        )
    status = test.status
    if warning:
        # A simulation finds 29% of runs with a false find here (docs/planted_bias.md).
        notes.append(f"thin: {warning}")
        status = "thin"
    if abs(found.shift[place]) > SHIFT:
        notes.append(f"{found.shift[place]:+.2f} comes from the regions' sizes alone")
    return row | {"status": status, "note": "; ".join(notes)}
