"""Whether a topic is female or male, and how sure that is.

The passages of one document are alike in topic and in gender, so documents, not passages, are
the units of every permutation and of the bootstrap.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from biasatlas.association.multiplicity import benjamini_hochberg

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

logger = logging.getLogger(__name__)


def align_topics(
    passages: pd.DataFrame,
    *,
    permutations: int = 9_999,
    bootstrap: int = 2_000,
    fdr: float = 0.10,
    rule: str = "log_odds",
    seed: int = 0,
) -> pd.DataFrame:
    """`measure_genders` and `tell_genders` for one region that is a family of its own.

    Parameters
    ----------
    passages, permutations, bootstrap, seed
        As in `measure_genders`.
    fdr, rule
        As in `tell_genders`.
    """
    tests = measure_genders(passages, permutations=permutations, bootstrap=bootstrap, seed=seed)
    return tell_genders([tests], fdr=fdr, rule=rule)[0]


def measure_genders(
    passages: pd.DataFrame, *, permutations: int = 9_999, bootstrap: int = 2_000, seed: int = 0
) -> pd.DataFrame:
    """Log odds of each topic of a region against the rest, its p, and the paper's means.

    Parameters
    ----------
    passages : DataFrame
        `topic`, `probability`, `gender` (female or male), `document`; one row a gendered
        passage, in the order of their ids. With a column `moved`, such passages are left out of
        the paper's means, as they have no probability.
    permutations : int
        Permutations of gender over documents.
    bootstrap : int
        Replicates of the document bootstrap.
    seed : int
        Seed of both.

    Returns
    -------
    DataFrame
        One row a topic, topic -1 first: counts, `p_female_paper`, `p_male_paper`,
        `gender_paper`, `log_odds` with interval, `p_value`, `p_min`, `excess` (female passages
        beyond the mean of the permutations). Topic -1 is no topic: it is not tested.
    """
    import pandas as pd

    # By the first passage of each, not by number: a topic that a rerun numbers anew keeps the
    # random numbers of its interval.
    topics = np.array([*dict.fromkeys([-1, *passages["topic"]])], dtype=np.int64)
    column = pd.Index(topics).get_indexer(pd.Index(passages["topic"]))
    female = (passages["gender"] == "female").to_numpy()
    document = pd.factorize(passages["document"])[0]
    n_female = np.bincount(column[female], minlength=len(topics))
    n_male = np.bincount(column[~female], minlength=len(topics))
    low, high = log_odds_interval(
        column, female, document, len(topics), replicates=bootstrap, seed=seed
    )
    p_value, p_min_female, p_min_male = permutation_p(
        column, female, document, len(topics), permutations=permutations, seed=seed
    )
    is_topic = topics != -1
    frame = pd.DataFrame(
        {
            "topic": topics,
            "n_passages": n_female + n_male,
            "n_documents": [int(np.unique(document[column == k]).size) for k in range(len(topics))],
            "n_female": n_female,
            "n_male": n_male,
            **_paper_columns(passages, column, female, len(topics)),
            "log_odds": log_odds(n_female, n_male),
            "log_odds_low": low,
            "log_odds_high": high,
            "p_value": np.where(is_topic, p_value, np.nan),
            "p_min": np.where(is_topic, np.minimum(p_min_female, p_min_male), np.nan),
            "p_min_female": np.where(is_topic, p_min_female, np.nan),
            "p_min_male": np.where(is_topic, p_min_male, np.nan),
            "excess": n_female - expected_female(column, female, document, len(topics)),
        }
    )
    frame["gender_paper"] = np.where(is_topic, frame["gender_paper"], "none")
    return frame.sort_values("topic", ignore_index=True)


def tell_genders(
    tests: Sequence[pd.DataFrame], *, fdr: float = 0.10, rule: str = "log_odds"
) -> list[pd.DataFrame]:
    """Tell which topics are female or male, all regions of a language being one family.

    With a family a region, a run of five regions without any gendered topic would report one in
    every fifth to sixth run at 0.10.

    Parameters
    ----------
    tests : sequence of DataFrame
        From `measure_genders`, one a region.
    fdr : float
        Benjamini-Hochberg level at which a topic has a gender.
    rule : {"log_odds", "paper"}
        Which rule fills the column `gender`.

    Returns
    -------
    list of DataFrame
        The same with `q_value`, `p_needed` (the largest p that would have been called beside
        the others), `gender_tested` (by log odds, whatever the rule) and `gender`, in place of
        `excess`.

    Notes
    -----
    The rate holds over the language; a single region can hold more false ones than `fdr`.
    """
    p_value = np.concatenate([frame["p_value"].to_numpy(dtype=np.float64) for frame in tests])
    ends = np.cumsum([len(frame) for frame in tests])
    q_value = benjamini_hochberg(p_value)
    n_tests = int(np.isfinite(p_value).sum())
    needed = fdr * min(int((q_value <= fdr).sum()) + 1, n_tests) / n_tests if n_tests else np.nan
    least = _least_p(tests).min(initial=np.inf)
    if n_tests and least > needed:
        logger.warning(
            "%d topics are tested, and no p under %.2g can be had: raise topics.permutations",
            n_tests, least,
        )  # fmt: skip
    told = []
    for frame, q in zip(tests, np.split(q_value, ends[:-1]), strict=True):
        gender = tested_gender(
            q, frame["log_odds"].to_numpy(), frame["excess"].to_numpy(dtype=np.float64), fdr
        )
        chosen = frame["gender_paper"] if rule == "paper" else gender
        told.append(
            frame.drop(columns="excess").assign(
                q_value=q,
                p_needed=np.where(np.isfinite(q), needed, np.nan),
                gender_tested=gender,
                gender=chosen,
            )
        )
    return told


def _least_p(tests: Sequence[pd.DataFrame]) -> Floats:
    values = np.concatenate([frame["p_min"].to_numpy(dtype=np.float64) for frame in tests])
    return values[np.isfinite(values)]


def tested_gender(q_value: Floats, odds: Floats, excess: Floats, fdr: float) -> NDArray[np.str_]:
    """Gender of the topics that are significant and whose two directions agree.

    Documents of one length can be more female than those of another. A topic made of the
    more female kind can then have positive log odds, and yet fewer female passages than gender
    permuted among documents of equal length gives: it has no gender.

    Parameters
    ----------
    q_value, odds, excess : ndarray, shape (n_topics,)
        `odds` are log odds, `excess` is the number of female passages less its mean over the
        permutations. A NaN `q_value` is no test.
    fdr : float
    """
    significant = q_value <= fdr
    female, male = (odds > 0) & (excess > 0), (odds < 0) & (excess < 0)
    return np.select([significant & female, significant & male], ["female", "male"], "none")


def _paper_columns(
    passages: pd.DataFrame, column: Integers, female: NDArray[np.bool_], n_topics: int
) -> dict[str, object]:
    """Borah et al. 4.1: mean probability of a topic over its female and its male passages."""
    probability = passages["probability"].to_numpy()
    own = ~passages["moved"].to_numpy(dtype=bool) if "moved" in passages else np.True_
    means = {}
    for name, chosen in (("female", female & own), ("male", ~female & own)):
        totals = np.bincount(column[chosen], weights=probability[chosen], minlength=n_topics)
        counts = np.bincount(column[chosen], minlength=n_topics)
        with np.errstate(invalid="ignore"):
            means[name] = np.where(counts > 0, totals / counts, np.nan)
    more = np.where(means["female"] > means["male"], "female", "male")
    # A topic of one gender has no mean for the other, so the paper's rule says nothing.
    decided = ~np.isnan(means["female"]) & ~np.isnan(means["male"])
    decided &= means["female"] != means["male"]
    return {
        "p_female_paper": means["female"],
        "p_male_paper": means["male"],
        "gender_paper": np.where(decided, more, "none"),
    }


def log_odds(n_female: Integers, n_male: Integers) -> Floats:
    """Log odds of female to male in a topic against the rest of the region.

    Parameters
    ----------
    n_female, n_male : ndarray, shape (..., n_topics)
        Passages; the rest is the sum over the other topics (and the outliers).

    Returns
    -------
    ndarray, shape (..., n_topics)
        ``log((f + .5) / (m + .5)) - log((F - f + .5) / (M - m + .5))``; one half is added to
        each count (Haldane 1956) so that a zero stays finite. Positive is female.
    """
    f = np.asarray(n_female, dtype=np.float64)
    m = np.asarray(n_male, dtype=np.float64)
    rest_f = f.sum(axis=-1, keepdims=True) - f
    rest_m = m.sum(axis=-1, keepdims=True) - m
    return _log_odds_ratio(f + 0.5, m + 0.5, rest_f + 0.5, rest_m + 0.5)


def _log_odds_ratio(f: Floats, m: Floats, rest_f: Floats, rest_m: Floats) -> Floats:
    return np.asarray(np.log(f) - np.log(m) - np.log(rest_f) + np.log(rest_m))


def permutation_p(
    topic: Integers,
    female: NDArray[np.bool_],
    document: Integers,
    n_topics: int,
    *,
    permutations: int,
    seed: int,
) -> tuple[Floats, Floats, Floats]:
    """Two-sided p of each topic's female count when gender is permuted over documents.

    Whole gender vectors change places among documents with the same number of gendered
    passages, so a document's own mixture and the size of its share in a topic are kept. With
    the totals fixed, a topic's log odds is monotone in its female count.

    Parameters
    ----------
    topic : ndarray of int, shape (n,)
        Column of each passage's topic, 0 to n_topics - 1.
    female : ndarray of bool, shape (n,)
    document : ndarray of int, shape (n,)
    n_topics, permutations, seed : int

    Returns
    -------
    p_value : ndarray, shape (n_topics,)
        ``min(1, 2 min(p_>=, p_<=))``, each ``(1 + hits) / (1 + permutations)``.
    p_min_female, p_min_male : ndarray, shape (n_topics,)
        The same p for the largest and for the smallest count that the permutations gave: where
        it is large the topic is too small to be told to be female, or male. With few female
        passages in the region that is so much more often on the male side.
    """
    rng = np.random.default_rng(seed)
    strata = _strata(document)
    labels = female.astype(np.float64)
    counts = np.empty((permutations + 1, n_topics), dtype=np.int64)
    # The observed assignment is one of the permutations.
    counts[0] = np.bincount(topic[female], minlength=n_topics)
    for row in range(1, permutations + 1):
        shuffled = np.empty_like(labels)
        for members in strata:
            shuffled[members] = labels[members[rng.permutation(len(members))]]
        counts[row] = np.bincount(topic, weights=shuffled, minlength=n_topics)
    smaller = np.minimum((counts >= counts[0]).sum(axis=0), (counts <= counts[0]).sum(axis=0))
    most = (counts == counts.max(axis=0)).sum(axis=0)
    least = (counts == counts.min(axis=0)).sum(axis=0)
    p_value, p_min_female, p_min_male = (
        np.minimum(1.0, 2 * hits / (permutations + 1)) for hits in (smaller, most, least)
    )
    return p_value, p_min_female, p_min_male


def expected_female(
    topic: Integers, female: NDArray[np.bool_], document: Integers, n_topics: int
) -> Floats:
    """Mean female count of each topic over the permutations of `permutation_p`, exactly."""
    labels = female.astype(np.float64)
    share = np.empty_like(labels)
    for members in _strata(document):
        share[members] = labels[members].mean(axis=0)
    return np.asarray(np.bincount(topic, weights=share, minlength=n_topics), dtype=np.float64)


def _strata(document: Integers) -> list[Integers]:
    """Row numbers of documents with equally many passages, shape (n_documents, n_passages)."""
    order = np.argsort(document, kind="stable")
    counts = np.bincount(document)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    return [
        order[starts[counts == size][:, None] + np.arange(size)]
        for size in np.unique(counts[counts > 0])
    ]


def log_odds_interval(
    topic: Integers,
    female: NDArray[np.bool_],
    document: Integers,
    n_topics: int,
    *,
    replicates: int,
    seed: int,
    level: float = 0.95,
) -> tuple[Floats, Floats]:
    """Interval of the log odds from a Bayesian bootstrap over documents (Rubin 1981).

    Each document gets an exponential weight, and each of the four counts half a pseudo-passage
    with a Gamma(1/2) weight (Jeffreys' prior), so a zero count does not get a tiny error.

    Returns
    -------
    low, high : ndarray, shape (n_topics,)
    """
    rng = np.random.default_rng([seed, 1])
    n_documents = int(document.max()) + 1 if document.size else 0
    by_document = []
    for chosen in (female, ~female):
        cells = document[chosen] * n_topics + topic[chosen]
        counts = np.bincount(cells, minlength=n_documents * n_topics)
        by_document.append(counts.reshape(n_documents, n_topics).astype(np.float64))
    weights = rng.exponential(size=(replicates, n_documents))
    f, m = (weights @ counts for counts in by_document)
    half = rng.gamma(0.5, size=(4, replicates, n_topics))
    rest_f = f.sum(axis=1, keepdims=True) - f
    rest_m = m.sum(axis=1, keepdims=True) - m
    draws = _log_odds_ratio(f + half[0], m + half[1], rest_f + half[2], rest_m + half[3])
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low, high
