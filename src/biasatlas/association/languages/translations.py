"""Human against machine translation of one list, concept by concept."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from biasatlas.association.languages.concepts import Concepts, Entry
from biasatlas.association.scores import effect_sizes
from biasatlas.lexicons.word_lists import SETS
from biasatlas.seeds import stable_seed
from biasatlas.tables.language_tables import TRANSLATIONS
from biasatlas.tables.storage import empty_table

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from biasatlas.vectors import WordVectors

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

# Differences of S' this close are ties.
ROUNDING = 1e-12
# The note of a test whose translations do not differ.
SAME_WORDS = "thin: both translations are the same words"
# A second, longer draw of exchanges: below so many hits, so many times as long, by blocks.
FEW, MORE, BLOCK = 10, 100, 10_000
# An interval needs this share of the replicates.
DEFINED = 0.5


@dataclass(frozen=True)
class Settings:
    """How concepts are resampled and their translations exchanged.

    Attributes
    ----------
    replicates : int
        Bootstraps over concepts.
    permutations : int
        Random exchanges; where there are no more of them at all, every one is counted. Where
        fewer than `FEW` of them reach the observed difference, `MORE` times as many are drawn
        anew, so that a correction for many comparisons leaves something.
    min_concepts : int
        A test whose smallest set has fewer is thin.
    coverage_min : float
        A test is thin where a smaller share of its concepts has a vector in both translations;
        words that fastText composed do not count.
    seed : int
    """

    replicates: int = 1_000
    permutations: int = 999
    min_concepts: int = 4
    coverage_min: float = 0.8
    seed: int = 0


@dataclass(frozen=True)
class Cosines:
    """Cosines of targets with attributes, in either translation of both.

    Attributes
    ----------
    values : ndarray, shape (2 n_targets, 2 n_attributes)
        The human translations first, then the machine's, in the order of the concepts.
    sizes : tuple of int
        Concepts of x, y, a, b.
    differ : ndarray, shape (n_targets + n_attributes,)
        Whether the two translations of a concept are different words.
    """

    values: Floats
    sizes: tuple[int, ...]
    differ: Bools

    @property
    def n_targets(self) -> int:
        """Concepts of X and Y."""
        return self.sizes[0] + self.sizes[1]

    def scores(self, machine_targets: Bools, machine_weights: Floats, weights: Floats) -> Floats:
        """Association scores of the targets, for many choices of a translation.

        Parameters
        ----------
        machine_targets : ndarray of bool, shape (n, n_targets)
            Targets that are taken in machine translation.
        machine_weights, weights : ndarray, shape (n, n_attributes)
            Weights of the attributes in machine translation and in human translation.

        Returns
        -------
        ndarray, shape (n, n_targets)
        """
        scores = np.concatenate([weights, machine_weights], axis=1) @ self.values.T
        n = self.n_targets
        return np.where(machine_targets, scores[:, n:], scores[:, :n])


# The order in which threads add changes the last bits.
@threadpool_limits.wrap(limits=1, user_api="blas")
def compare_translations(
    tests: Mapping[str, Concepts],
    vectors: WordVectors,
    *,
    language: str,
    model: str,
    group: str,
    encoder: str,
    space: str,
    settings: Settings,
) -> pd.DataFrame:
    """Compare human and machine translation of each test under one encoder.

    Parameters
    ----------
    tests : mapping of str to Concepts
        From `pair_concepts`.
    vectors : WordVectors
        A vector for each entry of the lists that has one, phrases included.
    language, model, group, encoder, space : str
        As they go into the table.
    settings : Settings

    Returns
    -------
    DataFrame
        Rows of the table `translations` without `q_value`, in the order of the tests.
    """
    import pandas as pd

    cell = {"language": language, "model": model, "group": group}
    cell |= {"encoder": encoder, "space": space}
    rows = []
    for test, concepts in tests.items():
        name = f"{language}/{model}/{encoder}/{space}/{test}"
        seeded = np.random.default_rng(stable_seed(settings.seed, name))
        rows.append(cell | {"test": test} | compare(concepts, vectors, settings, seeded))
    if not rows:
        return empty_table("translations").drop(columns="q_value")
    columns = [column.name for column in TRANSLATIONS.columns if column.name != "q_value"]
    return pd.DataFrame(rows, columns=columns)


def compare(
    concepts: Concepts,
    vectors: WordVectors,
    settings: Settings,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """Compare the two translations of one test.

    Parameters
    ----------
    concepts : Concepts
    vectors : WordVectors
    settings : Settings
    rng : Generator

    Returns
    -------
    dict
        The measured columns of the table `translations`. d counts each concept once, while the
        table `weathub` counts each distinct word of a set once.

    Notes
    -----
    The interval is the percentile interval of the difference over bootstraps of the concepts
    within each set; a concept that is drawn brings both its translations. It is wider than 95%:
    on simulated lists whose translations are exchangeable it held 0 in 98.4 to 100%. p is that of
    the hypothesis that it does not matter which of its two translations a concept has: they are
    exchanged at random, concept by concept, in the same way in both lists. As in the test of one
    list, p is that of S' and not of d: where d is near its bound it stays there under most
    exchanges, so that a test that a translation turns around entirely had p = .02.
    """
    numbers = ("d_human", "d_machine", "difference", "difference_low", "difference_high")
    row: dict[str, Any] = dict.fromkeys(("n_concepts", "n_alike"), 0)
    row |= dict.fromkeys((*numbers, "p_value", "p_min"), math.nan)
    if concepts.refusal:
        return row | _refused(concepts.refusal, ())
    found, notes = look_up_concepts(concepts, vectors)
    row |= {"n_concepts": len(found.differ), "n_alike": int((~found.differ).sum())}
    if min(found.sizes) == 0:
        empty = ", ".join(name.upper() for name, n in zip(SETS, found.sizes, strict=True) if not n)
        return row | _refused(f"no concept of {empty} has a vector in both translations", notes)
    human, machine = (float(d) for d in observed(found))
    if math.isnan(human) or math.isnan(machine):
        return row | _refused("all association scores are equal, so d is undefined", notes)
    row |= {"d_human": human, "d_machine": machine, "difference": human - machine}
    thin = []
    if min(found.sizes) < settings.min_concepts:
        smallest = min(range(len(SETS)), key=found.sizes.__getitem__)
        thin.append(f"thin: {SETS[smallest].upper()} has {found.sizes[smallest]} concepts")
    complete = sum(all(word in vectors for word in (*one, *two)) for one, two in _pairs(concepts))
    if complete < settings.coverage_min * len(concepts.human):
        of = len(concepts.human)
        thin.append(f"thin: {complete} of {of} concepts have vectors of their own in both")
    if not found.differ.any():
        thin.append(SAME_WORDS)
        row |= {"difference": 0.0, "difference_low": 0.0, "difference_high": 0.0}
        row |= {"p_value": 1.0, "p_min": 1.0}
    else:
        draws = bootstrap(found, settings.replicates, rng)
        low, high = _interval(draws)
        row |= {"difference_low": low, "difference_high": high}
        p_value, p_min = exchange(found, settings.permutations, rng)
        row |= {"p_value": p_value, "p_min": p_min}
    return row | {"status": "thin" if thin else "ok", "note": "; ".join([*thin, *notes])}


def _refused(reason: str, notes: Sequence[str]) -> dict[str, Any]:
    return {"status": "refused", "note": "; ".join([f"refused: {reason}", *notes])}


def look_up_concepts(concepts: Concepts, vectors: WordVectors) -> tuple[Cosines, list[str]]:
    """Take the concepts that have a vector in both translations, and their cosines.

    A concept of several words is the mean of those that have a vector, each of length one.

    Returns
    -------
    Cosines
    notes : list of str
        What was left out.
    """
    pairs = [(_unit(one, vectors), _unit(other, vectors)) for one, other in _pairs(concepts)]
    here = np.array([one is not None and other is not None for one, other in pairs], dtype=bool)
    of_set = np.repeat(np.arange(len(SETS)), concepts.sizes)
    sizes = tuple(int(n) for n in np.bincount(of_set[here], minlength=len(SETS)))
    differ = np.array([one != other for one, other in _pairs(concepts)], dtype=bool)[here]
    notes = []
    if not here.all():
        lost = int((~here).sum())
        notes.append(f"{lost} of {len(here)} concepts lack a vector in one translation")
    if concepts.alone:
        notes.append(f"{concepts.alone} entries stand in one translation only")
    n = sizes[0] + sizes[1]
    if n == 0 or n == len(differ):
        return Cosines(np.empty((2 * n, 2 * (len(differ) - n))), sizes, differ), notes
    both = [np.stack([pairs[place][side] for place in np.flatnonzero(here)]) for side in (0, 1)]
    targets = np.concatenate([side[:n] for side in both])
    attributes = np.concatenate([side[n:] for side in both])
    return Cosines(targets @ attributes.T, sizes, differ), notes


def _pairs(concepts: Concepts) -> Iterable[tuple[Entry, Entry]]:
    return zip(concepts.human, concepts.machine, strict=True)


def _unit(entry: Entry, vectors: WordVectors) -> Any:
    """Vector of length one of an entry, None where it has none."""
    known = [word for word in entry if word in vectors or vectors.can_compose(word)]
    if not known:
        return None
    rows = vectors.rows(known)
    lengths = np.linalg.norm(rows, axis=1)
    usable = np.isfinite(lengths) & (lengths > 0)
    if not usable.any():
        return None
    mean = (rows[usable] / lengths[usable, None]).mean(axis=0)
    length = np.linalg.norm(mean)
    return mean / length if length > 0 else None


def _weights(cosines: Cosines) -> Floats:
    """Weight of each attribute concept in s: 1 / n_a for those of A, -1 / n_b for those of B."""
    n_a, n_b = cosines.sizes[2:]
    return np.repeat([1.0 / n_a, -1.0 / n_b], [n_a, n_b])


def observed(cosines: Cosines) -> Floats:
    """Effect sizes of the human and of the machine translation, shape (2,)."""
    weights = _weights(cosines)
    zero = np.zeros_like(weights)
    machine_targets = np.repeat([[False], [True]], cosines.n_targets, axis=1)
    scores = cosines.scores(machine_targets, np.stack([zero, weights]), np.stack([weights, zero]))
    return effect_sizes(scores, cosines.sizes[0])


def bootstrap(cosines: Cosines, replicates: int, rng: np.random.Generator) -> Floats:
    """Differences of d over concepts drawn with replacement within each set.

    Returns
    -------
    ndarray, shape (replicates,)
        NaN where d is undefined.
    """
    n_x, n_y, n_a, n_b = cosines.sizes
    n = n_x + n_y
    drawn = np.concatenate(
        [rng.integers(0, n_x, (replicates, n_x)), n_x + rng.integers(0, n_y, (replicates, n_y))],
        axis=1,
    )
    counts = [rng.multinomial(size, np.full(size, 1 / size), replicates) for size in (n_a, n_b)]
    weights = np.concatenate(counts, axis=1) * _weights(cosines)
    effects = []
    for targets, attributes in (
        (slice(0, n), slice(0, n_a + n_b)),
        (slice(n, None), slice(n_a + n_b, None)),
    ):
        scores = weights @ cosines.values[targets, attributes].T
        effects.append(effect_sizes(np.take_along_axis(scores, drawn, axis=1), n_x))
    return effects[0] - effects[1]


def exchange(cosines: Cosines, permutations: int, rng: np.random.Generator) -> tuple[float, float]:
    """Two-sided p of the difference when each concept's two translations may change places.

    Returns
    -------
    p_value, p_min : float
        Of the difference of S' of both lists. Exact where at most `permutations` + 1 exchanges
        give differences of other size, else ``(1 + n) / (1 + drawn)``, n of them at least the
        observed. Exchanging all concepts only turns the sign of the difference, so that k
        concepts that differ have ``2^(k - 1)`` such exchanges.

    Notes
    -----
    Where the first draw has fewer than `FEW` hits its p is at most .01 and it is thrown away: a
    new and longer one decides. A p of at most .01 so needs both, and the level is kept.
    """
    k = int(cosines.differ.sum())
    observed = _difference_sizes(cosines, np.zeros((1, k), dtype=bool))[0]
    if 2 ** (k - 1) <= permutations + 1:
        codes = np.arange(2 ** (k - 1))
        flips = ((codes[:, None] >> np.arange(k)) & 1).astype(bool)
        hits = int((_difference_sizes(cosines, flips) >= observed - ROUNDING).sum())
        return hits / len(flips), 1 / len(flips)

    def count(n: int) -> int:
        return sum(
            int((_difference_sizes(cosines, flips) >= observed - ROUNDING).sum())
            for first in range(0, n, BLOCK)
            for flips in [rng.integers(0, 2, (min(BLOCK, n - first), k)).astype(bool)]
        )

    most = permutations * MORE
    hits = count(permutations)
    drawn = permutations if hits >= FEW else most
    hits = hits if hits >= FEW else count(most)
    return (1 + hits) / (1 + drawn), 1 / (1 + most)


def _difference_sizes(cosines: Cosines, flips: NDArray[np.bool_]) -> Floats:
    """Absolute difference of S' of both lists, for each choice of concepts that are exchanged."""
    exchanged = np.zeros((len(flips), len(cosines.differ)), dtype=bool)
    exchanged[:, np.flatnonzero(cosines.differ)] = flips
    n, n_x = cosines.n_targets, cosines.sizes[0]
    weights = _weights(cosines)
    machine = weights * exchanged[:, n:]
    first = cosines.scores(exchanged[:, :n], machine, weights - machine)
    second = cosines.scores(~exchanged[:, :n], weights - machine, machine)
    gain = first - second
    sizes: Floats = np.abs(gain[:, :n_x].mean(axis=1) - gain[:, n_x:].mean(axis=1))
    return sizes


def _interval(draws: Floats) -> tuple[float, float]:
    defined = draws[np.isfinite(draws)]
    if len(defined) < DEFINED * len(draws) or not len(defined):
        return math.nan, math.nan
    low, high = np.quantile(defined, [0.025, 0.975])
    return float(low), float(high)
