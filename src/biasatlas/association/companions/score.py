"""Score the companion measures of tests into rows of the table `companions`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from biasatlas.association.companions.cooccurrence import (
    Cooccurrences,
    count_cells,
    find_cooccurrences,
)
from biasatlas.association.companions.interval import (
    MEASURES,
    NEUTRAL,
    Companion,
    measure_words,
)
from biasatlas.association.companions.pmi import (
    CELLS,
    find_thin_cells,
    measure_documents,
    refuse_counts,
)
from biasatlas.association.resolve import ResolvedTest, Rules, resolve
from biasatlas.lexicons.word_lists import SETS
from biasatlas.vectors import WordVectors

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from biasatlas.lexicons.word_lists import AssociationTest

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Settings(Rules):
    """How companions are scored: words by the same rules as those of the tests.

    Attributes
    ----------
    window : int
        Tokens on each side within which two words of the text stand near each other.
    bootstrap : int
        Bootstrap replicates.
    seed : int
        Seed of the bootstraps.
    """

    window: int = 5
    bootstrap: int = 2_000
    seed: int = 0


def score_vectors(
    tests: Iterable[AssociationTest], vectors: WordVectors, settings: Settings
) -> pd.DataFrame:
    """Score the measures that are taken on word vectors.

    Returns
    -------
    DataFrame
        One row a test and measure, the columns of the table from `test` to `note`; a test that
        cannot be scored has rows that say why.
    """
    import pandas as pd

    rows = []
    for test in tests:
        resolved = resolve(test, vectors, settings)
        found = [_empty(name) for name in MEASURES]
        if not resolved.refusal:
            found = measure_words(
                *(vectors.rows(resolved.words[name]) for name in SETS),
                replicates=settings.bootstrap,
                seed=settings.seed,
            )
        rows += [_vector_row(resolved, one) for one in found]
    return pd.DataFrame(rows)


def score_corpus(
    tests: Sequence[AssociationTest],
    texts: Sequence[str],
    documents: Sequence[str],
    settings: Settings,
) -> pd.DataFrame:
    """Score the log odds ratio of co-occurrence in a region's text.

    Parameters
    ----------
    tests : sequence of AssociationTest
    texts, documents : sequence of str
        The passages, and the document of each.
    settings : Settings

    Returns
    -------
    DataFrame
        Rows as of `score_vectors`, measure `pmi`. A word is found when the text holds it.
    """
    import pandas as pd

    pairs = find_cooccurrences(texts, documents, list_words(tests), settings.window)
    # Tokens are in lower case, whatever the word vectors are.
    rules = replace(settings, case="lower")
    held = as_vectors(pairs)
    resolved = [resolve(test, held, rules) for test in tests]
    cells = [count_cells(pairs, one.words) for one in resolved]
    if not cells:
        return pd.DataFrame()
    stacked = np.stack(cells, axis=1)
    found = measure_documents(stacked, replicates=settings.bootstrap, seed=settings.seed)
    return pd.DataFrame(
        [_corpus_row(*triple) for triple in zip(resolved, found, cells, strict=True)]
    )


def list_words(tests: Iterable[AssociationTest]) -> list[str]:
    """Every word of every test once, in lower case as tokens are, sorted."""
    return sorted(
        {word.lower() for test in tests for name in SETS for word in getattr(test, name).words}
    )


def as_vectors(pairs: Cooccurrences) -> WordVectors:
    """Give the listed words that the text holds the shape that words are looked up in."""
    held = np.flatnonzero(pairs.frequency)
    words = tuple(pairs.words[place] for place in held)
    return WordVectors(words, np.ones((len(words), 1), dtype=np.float32))


def _empty(name: str) -> Companion:
    nothing = float("nan")
    return Companion(name, nothing, nothing, nothing, NEUTRAL[name], 0)


def _vector_row(resolved: ResolvedTest, found: Companion) -> dict[str, Any]:
    if not resolved.refusal and np.isnan(found.value):
        reason = f"refused: {found.measure} is undefined on these vectors"
        return _row(resolved, _empty(found.measure), "refused", [reason, *resolved.notes])
    notes = [*[resolved.refusal] * bool(resolved.refusal), *resolved.notes]
    if found.undefined:
        notes.append(f"{found.undefined} bootstrap replicates have no value and are left out")
    return _row(resolved, found, resolved.status, notes)


def _corpus_row(resolved: ResolvedTest, found: Companion, cells: Floats) -> dict[str, Any]:
    totals = cells.sum(axis=0)
    holding = int(cells.any(axis=1).sum())
    counts = ", ".join(f"{name} {int(number)}" for name, number in zip(CELLS, totals, strict=True))
    told = f"co-occurrences in {holding} of {len(cells)} documents: {counts}"
    refusal = resolved.refusal or refuse_counts(totals)
    if refusal:
        notes = [note for note in resolved.notes if not note.startswith("thin: ")]
        return _row(resolved, _empty("pmi"), "refused", [refusal, *notes, told])
    thin = find_thin_cells(totals)
    status = "thin" if thin or resolved.thin else "ok"
    return _row(resolved, found, status, [*resolved.notes, *[thin] * bool(thin), told])


def _row(
    resolved: ResolvedTest, found: Companion, status: str, notes: Sequence[str]
) -> dict[str, Any]:
    distinct = {word for name in SETS for word in resolved.words[name]}
    found = replace(found, n_words=len(distinct))
    return {
        "test": resolved.test.test,
        "measure": found.measure,
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "neutral": found.neutral,
        "n_words": found.n_words,
        "status": status,
        "note": "; ".join(notes),
    }
