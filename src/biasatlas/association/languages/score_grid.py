"""Score all tests of a language under all encoders of a model, in both spaces."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from threadpoolctl import threadpool_limits

from biasatlas.association.languages.null_sets import OtherTargets, name_test
from biasatlas.association.languages.spaces import published_words, standardise
from biasatlas.association.languages.variances import variance_rows
from biasatlas.association.p_cache import CachedPermutation, Mode
from biasatlas.association.resolve import resolve
from biasatlas.association.score import Settings, row_without_score, score_tests
from biasatlas.encoders.phrases import entry_vectors, find_composed, set_apart
from biasatlas.lexicons.weathub import tests_of
from biasatlas.lexicons.word_lists import SETS, shared_words

if TYPE_CHECKING:
    import pandas as pd

    from biasatlas.lexicons.word_lists import AssociationTest
    from biasatlas.vectors import WordVectors

logger = logging.getLogger(__name__)

SPACES = ("raw", "standardised")
# Columns of encoded.parquet that are no encoder.
ABOUT_TEXTS = ("text", "status", "letters", "pieces")
# Corrections belong to the whole table, which is put together later.
LATER = ("q_value", "p_holm", "q_two_sided")
VARIANCES = (
    "language",
    "model",
    "group",
    "variant",
    "test",
    "encoder",
    "space",
    "variance",
    "n_sets",
)


@dataclass(frozen=True)
class _Listed:
    """A test of one variant, why it is refused (nothing where it is not), and what to note."""

    variant: str
    test: AssociationTest
    refusal: str
    note: str


# The order in which threads add changes the last bits, and with them the keys of the cache.
@threadpool_limits.wrap(limits=1, user_api="blas")
def score_language(
    words: pd.DataFrame,
    encoded: pd.DataFrame,
    reading: pd.DataFrame,
    *,
    settings: Settings,
    p_cache_file: str | Path | None,
    nulls: int,
    seed: int,
    thin_words: int = 4,
    min_words: int = 2,
    spaces: Sequence[str] = SPACES,
    p_values: Mode = "certified",
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Score every test of a language under every encoder of a model.

    Parameters
    ----------
    words : DataFrame
        Entries of the language's lists, from `biasatlas.lexicons.weathub.read_lists`.
    encoded : DataFrame
        Vectors of their texts, a column an encoder.
    reading : DataFrame
        The one row of table weathub_models that is of this language and model.
    settings : Settings
        Of it count `coverage_min`, `max_exact` and `relative_width`.
    p_cache_file : str, Path or None
        Where p-values are kept between runs.
    nulls, seed : int
        Pairs of other tests' target sets that each score is compared with, and their seed.
    thin_words : int
        A test with a set of fewer words is thin.
    min_words : int
        A test with a set of fewer words is refused.
    spaces : sequence of {"raw", "standardised"}
    p_values : {"certified", "saddlepoint"}

    Returns
    -------
    scores : DataFrame
        Rows of table weathub without its corrections, by encoder and space in the order of
        `words`. A test whose list is refused, and every test where the model cannot read the
        language, has a row that says so.
    variances : DataFrame
        language, model, group, variant, test, encoder, space, variance, n_sets: see
        `variance_rows`; of the tests that are not refused.
    """
    import pandas as pd

    from biasatlas.tables.language_tables import WEATHUB

    settings = replace(
        settings,
        case="as_is",
        min_words=min_words,
        nulls=nulls,
        seed=seed,
        compose_missing=True,
    )
    about = reading.iloc[0]
    unread = f"the model cannot read the language: {about['note']}"
    listed = [
        _Listed(variant, test, unread if about["status"] == "refused" else refusal, _shared(test))
        for variant, test, refusal in tests_of(words)
    ]
    permutation = CachedPermutation(
        p_cache_file, settings.max_exact, settings.relative_width, p_values
    )
    scores: list[dict[str, Any]] = []
    variances: list[dict[str, Any]] = []
    entries, sample = sorted(set(words["word"])), published_words(words)
    for encoder in [name for name in encoded.columns if name not in ABOUT_TEXTS]:
        raw = entry_vectors(encoded, encoder, entries)
        composed = find_composed(encoded, encoder, entries)
        for space in spaces:
            rows, spread = _score_space(
                listed, raw, composed, sample, space, settings, permutation, thin_words
            )
            cell = {name: about[name] for name in ("language", "model", "group")}
            cell |= {"encoder": encoder, "space": space}
            scores += [cell | row for row in rows]
            variances += [cell | row for row in spread]
    permutation.save()
    logger.info(
        "%s, %s: %d rows; %d p-values worked out, %d known",
        *(about["language"], about["model"], len(scores), permutation.misses, permutation.hits),
    )
    columns = [column.name for column in WEATHUB.columns if column.name not in LATER]
    return pd.DataFrame(scores, columns=columns), pd.DataFrame(variances, columns=VARIANCES)


def _score_space(
    listed: Sequence[_Listed],
    raw: WordVectors,
    composed: set[str],
    sample: frozenset[str],
    space: str,
    settings: Settings,
    permutation: CachedPermutation,
    thin_words: int,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows of scores, one a test in their order, and rows of variances."""
    vectors = raw
    if space == "standardised" and any(not one.refusal for one in listed):
        try:
            vectors = standardise(raw, sample)
        except ValueError as error:
            listed = [replace(one, refusal=one.refusal or str(error)) for one in listed]
    tested = set_apart(vectors, composed)
    tests = [(one.variant, one.test) for one in listed if not one.refusal]
    # Tests of several variants have one name; the null's draws and the rows need one for each.
    named = [replace(test, test=name_test(variant, test.test)) for variant, test in tests]
    frame = score_tests(
        named,
        tested,
        settings,
        permutation=permutation,
        sampler=OtherTargets(vectors, tests, seed=settings.seed),
    ).scores
    scored = iter(frame.to_dict("records"))
    rows: list[dict[str, Any]] = []
    for one in listed:
        if one.refusal:
            looked = replace(resolve(one.test, tested, settings), notes=[])
            refused = looked.refuse(f"refused: {one.refusal}")
            row = row_without_score(refused, settings.case)
        else:
            row = {str(name): value for name, value in next(scored).items()}
        rows.append(_finish(row, one, thin_words, settings.coverage_min))
    return rows, variance_rows(tests, vectors)


def _finish(
    row: dict[str, Any], one: _Listed, thin_words: int, coverage_min: float
) -> dict[str, Any]:
    """Give a row its variant and name, call it thin where sets are small, and note what is odd."""
    notes = [row["note"]]
    if row["status"] != "refused":
        notes.append(one.note)
        small = [f"{name.upper()} has {row[f'n_{name}']} words" for name in SETS]
        few = [
            note for note, name in zip(small, SETS, strict=True) if row[f"n_{name}"] < thin_words
        ]
        few += _half_shared(one.test, most=1 - coverage_min)
        if few:
            row["status"] = "thin"
            notes.insert(0, f"thin: {', '.join(few)}")
    note = "; ".join(note for note in notes if note)
    return row | {"variant": one.variant, "test": one.test.test, "note": note}


def _half_shared(test: AssociationTest, most: float) -> list[str]:
    """Opposing sets of which more than that share is the same: little is left to compare."""
    found = []
    for (one, other), words in shared_words(test).items():
        n = min(len(set(getattr(test, name).words)) for name in (one, other))
        if {one, other} in ({"x", "y"}, {"a", "b"}) and len(words) > most * n:
            found.append(f"{one.upper()} and {other.upper()} share {len(words)} of {n} words")
    return found


def _shared(test: AssociationTest) -> str:
    """Say which sets of a test have words in common: the row holds the words themselves."""
    return "; ".join(
        f"{one.upper()} and {other.upper()} share {len(found)} {'word' if len(found) == 1 else 'words'}"
        for (one, other), found in shared_words(test).items()
    )
