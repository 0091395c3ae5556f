"""The effect size of à la carte vectors, its interval over documents, and the text's part of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from biasatlas.association.documents.corrected import (
    corrected_draws,
    interval,
    largest_effect,
    spread_of,
)
from biasatlas.association.documents.sums import (
    DocumentSums,
    draw_weights,
    in_parts,
    sum_documents,
    unit_vectors,
)
from biasatlas.association.documents.swap_test import swap_test
from biasatlas.association.product import Design, effect_sizes
from biasatlas.association.resolve import SETS, ResolvedTest, Rules, resolve
from biasatlas.vectors.store import WordVectors

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from biasatlas.lexicons.gender_swap import GenderSwap
    from biasatlas.lexicons.word_lists import AssociationTest
    from biasatlas.vectors.alc import Transform

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

NUMBERS = (
    "effect_size",
    "documents_low",
    "documents_high",
    "documents_sd",
    "swapped",
    "swapped_low",
    "swapped_high",
    "text_part",
    "text_low",
    "text_high",
    "text_p",
)
# Intervals are of level 1 - ALPHA.
ALPHA = 0.05
# Below this many documents the intervals held the true d in about 86% of trials (docs/alc.md).
FEW_DOCUMENTS = 400


@dataclass(frozen=True)
class Settings:
    """How documents are resampled.

    Attributes
    ----------
    window : int
        Context words on either side.
    min_count : int
        Fewest occurrences of a word that has a vector.
    replicates : int
    seed : int
    """

    window: int = 6
    min_count: int = 2
    replicates: int = 1_000
    seed: int = 0


def words_of(tests: Sequence[AssociationTest]) -> list[str]:
    """Every word that the tests may look up, as written and in lower case, sorted."""
    words = {word for test in tests for name in SETS for word in getattr(test, name).words}
    return sorted(words | {word.lower() for word in words})


def region_vectors(sums: DocumentSums, transform: Transform, min_count: int) -> WordVectors:
    """The region's own vectors, length one, of the words that occur often enough."""
    whole = sums.weighted(np.ones((len(sums.documents), 1)))[0]
    unit, present = unit_vectors(whole, transform, min_count)
    words = [word for word, here in zip(sums.words, present, strict=True) if here]
    return WordVectors(tuple(words), unit[present].astype(np.float32))


def design_of(resolved: Sequence[ResolvedTest], words: Sequence[str]) -> Design:
    """Compile the words of the tests that are not refused, over `words`."""
    index = {word: place for place, word in enumerate(words)}
    members = {name: np.zeros((len(resolved), len(words))) for name in SETS}
    for row, one in enumerate(resolved):
        for name in SETS if not one.refusal else ():
            members[name][row, [index[word] for word in one.words[name]]] = 1.0
    return Design(tuple(words), **members)


# The order in which threads add changes the last bits.
@threadpool_limits.wrap(limits=1, user_api="blas")
def bootstrap_tests(
    passages: pd.DataFrame,
    tests: Mapping[str, Sequence[AssociationTest]],
    vectors: WordVectors,
    transform: Transform,
    rules: Rules,
    settings: Settings,
    swap: GenderSwap | None = None,
) -> pd.DataFrame:
    """Score tests on a region's à la carte vectors and resample its documents.

    Parameters
    ----------
    passages : DataFrame
        Columns ``document`` and ``text``.
    tests : mapping of str to sequence of AssociationTest
        By origin.
    vectors : WordVectors
        Pretrained.
    transform : Transform
        Taken as known: its own error, fitted on the text of all regions, is not resampled.
    rules : Rules
        Which words are looked up how, and how many are enough.
    settings : Settings
    swap : GenderSwap, optional
        Exchanges the gendered words; without it the swapped columns stay empty. A test that
        holds no such word has a part of the text as a check, and no p of it.

    Returns
    -------
    DataFrame
        Rows of the table `alc`, without language, region and corpus.
    """
    import pandas as pd

    flat = [(origin, test) for origin, some in tests.items() for test in some]
    words = words_of([test for _, test in flat])
    text, document = passages["text"].tolist(), passages["document"].tolist()
    real = sum_documents(text, document, words, vectors, settings.window)
    own = region_vectors(real, transform, settings.min_count)
    resolved = [_resolve(test, own, rules, transform) for _, test in flat]
    design = design_of(resolved, real.words)
    sources = [real]
    if swap is not None:
        sources.append(sum_documents(text, document, words, vectors, settings.window, swap=swap))
    columns = _columns(sources, transform, design, settings)
    rows = []
    for place, ((origin, test), one) in enumerate(zip(flat, resolved, strict=True)):
        row: dict[str, Any] = {"origin": origin, "test": test.test}
        row |= {name: columns[name][place] for name in NUMBERS}
        row |= {"n_documents": len(real.documents), "replicates": int(columns["replicates"][place])}
        if not _exchanged(one, swap):
            row["text_p"] = float("nan")
        if not one.refusal and np.isnan(row["effect_size"]):
            one = one.refuse("refused: all association scores are equal, so d is undefined")
        note = _note(one, len(real.documents), swap)
        rows.append(row | {"status": one.status, "note": note})
    order = ["origin", "test", *NUMBERS[:4], "n_documents", "replicates", *NUMBERS[4:]]
    return pd.DataFrame(rows, columns=[*order, "status", "note"])


def _resolve(
    test: AssociationTest, own: WordVectors, rules: Rules, transform: Transform
) -> ResolvedTest:
    one = resolve(test, own, rules)
    if transform.is_fitted:
        return one
    fit = transform.fit
    reason = f"{fit.n_words} frequent words to fit the vectors on, {fit.n_needed} are needed"
    return one.refuse(f"refused: {reason}")


def _columns(
    sources: Sequence[DocumentSums], transform: Transform, design: Design, settings: Settings
) -> dict[str, Floats]:
    """Every number of the table for the real text and, where given, the swapped one."""
    estimates, bases, replicates = _resample(sources, transform, design, settings)
    columns = {name: np.full(len(design.x), np.nan) for name in NUMBERS}
    limits = [largest_effect(design.x @ base, design.y @ base) for base in bases]
    for prefix, d, drawn, limit in zip(
        ("documents", "swapped"), estimates, replicates, limits, strict=False
    ):
        low, high = interval(corrected_draws(d, drawn, limit))
        columns |= {f"{prefix}_low": low, f"{prefix}_high": high}
    columns["effect_size"] = estimates[0]
    columns["documents_sd"] = spread_of(replicates[0])
    columns["replicates"] = np.isfinite(replicates[0]).sum(axis=0)
    if len(sources) == 2:
        columns["swapped"] = estimates[1]
        part = (estimates[0] - estimates[1]) / 2
        drawn = (replicates[0] - replicates[1]) / 2
        columns["text_part"] = part
        p = swap_test(
            sources[0],
            sources[1],
            design,
            transform,
            replicates=settings.replicates,
            min_count=settings.min_count,
            seed=settings.seed,
        )
        low, high = interval(corrected_draws(part, drawn, limits[0]))
        # Near 0 the bootstrap repeats noise and is sure of it; the test is not misled.
        alike = p > ALPHA
        columns["text_p"] = p
        columns["text_low"] = np.where(alike, np.minimum(low, 0.0), low)
        columns["text_high"] = np.where(alike, np.maximum(high, 0.0), high)
    return columns


def _resample(
    sources: Sequence[DocumentSums], transform: Transform, design: Design, settings: Settings
) -> tuple[list[Floats], list[Bools], list[Floats]]:
    """Effect sizes of each source, the words that it has, and its replicates.

    All sources are the same documents, so a replicate draws the same of them from each.
    """
    n_documents = len(sources[0].documents)
    rng = np.random.default_rng(settings.seed)
    estimates, bases = [], []
    for sums in sources:
        unit, present = unit_vectors(
            sums.weighted(np.ones((n_documents, 1))), transform, settings.min_count
        )
        estimates.append(effect_sizes(unit, design, present)[1][0])
        bases.append(present[0])
    parts: list[list[Floats]] = [[] for _ in sources]
    for n in in_parts(settings.replicates):
        weights = draw_weights(n_documents, n, rng)
        for collected, sums, base in zip(parts, sources, bases, strict=True):
            unit, present = unit_vectors(sums.weighted(weights), transform)
            collected.append(effect_sizes(unit, design, present & base)[1])
    return estimates, bases, [np.concatenate(collected) for collected in parts]


def _note(one: ResolvedTest, n_documents: int, swap: GenderSwap | None) -> str:
    notes = [one.note] if one.note else []
    if one.refusal:
        return one.note
    if n_documents < FEW_DOCUMENTS:
        notes.append(f"{n_documents} documents: 95% intervals hold the true d in about 85%")
    if swap is not None:
        exchanged = [
            f"{n} of {len(one.words[name])} words of {name.upper()}"
            for name, n in _exchanged(one, swap).items()
        ]
        what = ", ".join(exchanged) or "no word of the test, its contexts only"
        notes.append(f"the swap exchanges {what}")
    return "; ".join(notes)


def _exchanged(one: ResolvedTest, swap: GenderSwap | None) -> dict[str, int]:
    """Words of each set that the swap exchanges, of the sets that hold one."""
    if swap is None:
        return {}
    counts = {name: sum(word in swap.terms for word in one.words[name]) for name in SETS}
    return {name: n for name, n in counts.items() if n}
