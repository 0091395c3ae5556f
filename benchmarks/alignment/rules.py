"""What each rule says of the gender of a topic, and p-values of many shuffles at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.stats import hypergeom

from biasatlas.topics.alignment import expected_female, log_odds, tell_genders

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from alignment.fits import Fit

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]


FDR = 0.10
# Shuffles at a time.
BATCH = 256


def count(fit: Fit, chosen: Bools) -> Integers:
    """Passages of each topic among the chosen, no topic last."""
    return np.bincount(fit.topic[chosen], minlength=fit.n_topics + 1)


def score_log_odds(fit: Fit, female: Bools, part: Bools) -> Floats:
    """Log odds of female against the rest, from the passages in `part`."""
    return log_odds(count(fit, female & part), count(fit, ~female & part))[:-1]


def score_paper(fit: Fit, female: Bools, part: Bools) -> Floats:
    """p_F - p_M of Borah et al. from the passages in `part`; NaN with passages of one gender."""
    means = []
    for chosen in (female & part, ~female & part):
        weights = np.bincount(
            fit.topic[chosen], weights=fit.probability[chosen], minlength=fit.n_topics + 1
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            means.append(weights / count(fit, chosen))
    return np.asarray((means[0] - means[1])[:-1])


def document_strata(document: Integers) -> list[Integers]:
    """Rows of the documents with equally many passages, shape (documents, passages)."""
    order = np.argsort(document, kind="stable")
    counts = np.bincount(document)
    starts = np.cumsum(counts) - counts
    return [
        order[starts[counts == size][:, None] + np.arange(size)]
        for size in np.unique(counts[counts > 0])
    ]


def shuffle(female: Bools, strata: list[Integers], rng: np.random.Generator) -> Bools:
    """Exchange the genders of whole documents with equally many passages."""
    shuffled = np.empty_like(female)
    for rows in strata:
        shuffled[rows] = female[rows[rng.permutation(len(rows))]]
    return shuffled


def shuffled_counts(
    fit: Fit, female: Bools, strata: list[Integers], times: int, rng: np.random.Generator
) -> Integers:
    """Female passages of each topic in shuffles, shape (times, n_topics)."""
    counts = np.zeros((times, fit.n_topics + 1))
    for rows in strata:
        columns = np.zeros((rows.size, fit.n_topics + 1), dtype=np.float32)
        columns[np.arange(rows.size), fit.topic[rows].ravel()] = 1
        labels = female[rows].astype(np.float32)
        for start in range(0, times, BATCH):
            n = min(BATCH, times - start)
            order = rng.permuted(np.tile(np.arange(len(rows)), (n, 1)), axis=1)
            counts[start : start + n] += labels[order].reshape(n, -1) @ columns
    return np.rint(counts[:, :-1]).astype(np.int64)


def permutation_p(counts: Integers, reference: Integers) -> Floats:
    """Two-sided p of female counts, as `align_topics` has it, from one set of permutations.

    A shuffle of documents has the same permutations as the data that were shuffled, so that one
    set serves all.
    """
    p = np.empty(counts.shape)
    for topic in range(counts.shape[1]):
        ordered = np.sort(reference[:, topic])
        at_most = np.searchsorted(ordered, counts[:, topic], side="right")
        at_least = len(ordered) - np.searchsorted(ordered, counts[:, topic], side="left")
        p[:, topic] = 2 * (1 + np.minimum(at_most, at_least)) / (1 + len(ordered))
    return np.minimum(p, 1.0)


def fisher_p(counts: Integers, sizes: Integers, n_female: int, n: int) -> Floats:
    """Two-sided p of Fisher's exact test, passages as units: female counts of topics."""
    p = np.empty(counts.shape)
    for topic, size in enumerate(sizes):
        chance = hypergeom.pmf(np.arange(size + 1), n, n_female, size)
        by_count = [chance[chance <= one * (1 + 1e-7)].sum() for one in chance]
        p[:, topic] = np.asarray(by_count)[counts[:, topic]]
    return p


def measure_topics(
    fit: Fit, female: Bools, unit: Integers, permutations: int, rng: np.random.Generator
) -> pd.DataFrame:
    """What `tell_genders` needs of a region, as `measure_genders` has it, but faster."""
    reference = shuffled_counts(fit, female, document_strata(unit), permutations, rng)
    counts = count(fit, female)[:-1]
    ends = [np.vstack([counts, reference]).max(axis=0), np.vstack([counts, reference]).min(axis=0)]
    everyone = np.ones(len(female), dtype=bool)
    return pd.DataFrame(
        {
            "p_value": permutation_p(counts[None], reference)[0],
            "p_min": permutation_p(np.stack(ends), reference).min(axis=0),
            "log_odds": score_log_odds(fit, female, everyone),
            "excess": counts - expected_count(fit, female, unit),
        }
    )


def expected_count(fit: Fit, female: Bools, unit: Integers) -> Floats:
    """Mean female passages of each topic over all permutations."""
    return expected_female(fit.topic, female, unit, fit.n_topics + 1)[:-1]


def call_topics(
    regions: Sequence[tuple[Fit, Bools, Integers]], permutations: int, rng: np.random.Generator
) -> list[pd.DataFrame]:
    """Call the topics of all regions of a language, one family of tests, as a run does.

    Parameters
    ----------
    regions : sequence of (Fit, ndarray of bool, ndarray of int)
        Topics, which passages are female, and the unit (document) of each passage.

    Returns
    -------
    list of DataFrame
        A region each; `p_value`, `q_value` and `gender` (female, male or none) of its topics.
    """
    tests = [measure_topics(*region, permutations, rng) for region in regions]
    return tell_genders(tests, fdr=FDR)
