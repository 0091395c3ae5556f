"""Whether a pair of topics comes again when the region's documents are drawn anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biasatlas.association.multiplicity import benjamini_hochberg
from biasatlas.topics.alignment import (
    expected_female,
    log_odds,
    permutation_p,
    tested_gender,
)
from biasatlas.topics.matching import match_by_strength
from biasatlas.topics.stability import (
    RECOVERED,
    Refit,
    UsedPassages,
    compare_refits,
    count_genders,
    decides_stability,
    main_topics,
)

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Recurrence:
    """What became of the main fit's topics in the bootstrap refits that did not choose them.

    Every method that follows pairs takes topic numbers, shape (n_female,) and (n_male,), and
    gives a share of the refits for each two of them, shape (n_female, n_male); NaN without
    refits.

    Attributes
    ----------
    topics : ndarray of int, shape (n_topics,)
        Sorted numbers of the main fit's topics.
    odds : ndarray, shape (n_refits, n_topics)
        Log odds of the topic that each is recovered as; NaN where it is not recovered.
    partner : ndarray of int, shape (n_refits, n_topics)
        Where all tested topics of the refit are matched: place in `topics` of the male topic
        whose match was joined to this topic's match; -1 for none.
    """

    topics: Integers
    odds: Floats
    partner: Integers

    @property
    def n_draws(self) -> int:
        """Refits behind every share."""
        return len(self.odds)

    def interval(self, share: float) -> tuple[float, float]:
        """95% Wilson interval of a share of the refits; NaN where there is no share.

        It says how exact so many draws are, not how another corpus of the region would do.
        """
        from scipy.stats import binomtest

        if np.isnan(share):
            return float("nan"), float("nan")
        found = binomtest(round(share * self.n_draws), self.n_draws).proportion_ci(method="wilson")
        return float(found.low), float(found.high)

    def leaning_again(self, female: Integers, male: Integers) -> Floats:
        """Both are recovered, one leaning female and one leaning male."""
        f, m = self._leaning(female, male)
        return self._share(f[:, :, None] & m[:, None, :])

    def paired_again(self, female: Integers, male: Integers) -> Floats:
        """So, and joined to each other when all such topics are matched by strength.

        The topics given are the candidates, so the limits to coherent and stable topics hold in
        the refits too. They are not tested again: a refit holds about 63% of the documents, and
        a test on these would measure how small it is.
        """
        f, m = self._leaning(female, male)
        strength_f, strength_m = (np.abs(self._of(topics)) for topics in (female, male))
        again = np.zeros((len(self.odds), len(female), len(male)), dtype=bool)
        for one in range(len(again)):
            i, j = np.flatnonzero(f[one]), np.flatnonzero(m[one])
            for a, b in match_by_strength(strength_f[one, i], strength_m[one, j]):
                again[one, i[a], j[b]] = True
        return self._share(again)

    def tested_again(self, female: Integers, male: Integers) -> Floats:
        """Both recovered, tested to be female and male, and joined among all such topics.

        This is not the whole procedure. Tests are corrected within the refit of one region,
        where the run corrects over all regions of the language; nothing is limited to coherent
        and stable topics, so topics of the refit alone compete; and on fewer documents fewer
        topics are significant.
        """
        partner = self.partner[:, np.searchsorted(self.topics, female)]
        return self._share(partner[:, :, None] == np.searchsorted(self.topics, male))

    def _of(self, topics: Integers) -> Floats:
        return self.odds[:, np.searchsorted(self.topics, topics)]

    def _leaning(
        self, female: Integers, male: Integers
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        return self._of(female) > 0, self._of(male) < 0

    def _share(self, again: NDArray[np.bool_]) -> Floats:
        if not len(again):
            return np.full(again.shape[1:], np.nan)
        return np.asarray(again.mean(axis=0), dtype=np.float64)


def follow_topics(
    assignments: pd.DataFrame,
    refits: pd.DataFrame,
    used: pd.DataFrame,
    *,
    fdr: float,
    permutations: int,
    seed: int,
) -> Recurrence:
    """Follow the main fit's topics, and how they are paired, through bootstrap refits.

    Only refits of odd number are read: the even ones chose the stable topics
    (`stability.decides_stability`), and their pairs would seem too well supported there. With
    one bootstrap refit nothing is known.

    In each refit every topic is tested by permutations over documents, as in the main fit, and
    all female and male ones (Benjamini-Hochberg, directions that agree) are matched by strength.
    Two things differ from the run. The tests of a refit are a family of their own, while
    `alignment.tell_genders` takes those of all regions of the language as one: a refit knows
    nothing of other regions. And a refit's topics have no words and no refits of their own, so
    no limits to coherent and stable topics hold there.

    Parameters
    ----------
    assignments : DataFrame
        Main fit: id, topic.
    refits : DataFrame
        kind, replicate, id, topic; only kind bootstrap is read, and of it odd replicates.
    used : DataFrame
        id, document, gender.
    fdr : float
    permutations : int
        For each refit. The smallest two-sided p is ``2 / (permutations + 1)``; above ``fdr / n``
        for n topics, a single topic with a gender cannot be found: with 999 and an `fdr` of
        0.10 that is so beyond 50 topics in the refit.
    seed : int
    """
    topics = main_topics(assignments)
    passages = UsedPassages.read(used, assignments)
    odds, partner = [], []
    followed = (refits["kind"] == "bootstrap") & ~decides_stability(refits["replicate"])
    for refit in compare_refits(assignments, refits[followed]):
        taken, female, document = passages.taken(refit, len(assignments))
        theirs = log_odds(*count_genders(taken, female, refit.n_topics))[:-1]
        value, column = refit.best()
        match = np.where(value >= RECOVERED, column, -1)
        odds.append(np.append(theirs, np.nan)[match])
        gender = _test(refit, taken, female, document, theirs, fdr, permutations, seed)
        partner.append(_partners(match, np.abs(theirs), gender))
    shape = (len(odds), len(topics))
    return Recurrence(
        topics,
        np.array(odds, dtype=np.float64).reshape(shape),
        np.array(partner, dtype=np.int64).reshape(shape),
    )


def _test(
    refit: Refit,
    column: Integers,
    female: NDArray[np.bool_],
    document: Integers,
    odds: Floats,
    fdr: float,
    permutations: int,
    seed: int,
) -> NDArray[np.str_]:
    """Tested gender of each topic of a refit, by the rule of `align_topics`."""
    n = refit.n_topics + 1
    document = np.unique(document, return_inverse=True)[1]
    p_value = permutation_p(
        column, female, document, n, permutations=permutations, seed=seed + refit.replicate
    )[0]
    excess = np.bincount(column[female], minlength=n) - expected_female(column, female, document, n)
    return tested_gender(benjamini_hochberg(p_value[:-1]), odds, excess[:-1], fdr)


def _partners(match: Integers, strength: Floats, gender: NDArray[np.str_]) -> Integers:
    """Place of each main topic's male partner in a refit, -1 for none.

    Parameters
    ----------
    match : ndarray of int, shape (n_main,)
        The refit's topic that each main topic is recovered as, -1 for none.
    strength, gender : ndarray, shape (n_topics,)
        Of the refit's topics.
    """
    female, male = (np.flatnonzero(gender == name) for name in ("female", "male"))
    joined = {
        int(female[i]): int(male[j]) for i, j in match_by_strength(strength[female], strength[male])
    }
    row = {int(column): i for i, column in reversed(list(enumerate(match))) if column >= 0}
    found = [row.get(joined.get(int(column), -1), -1) for column in match]
    return np.array(found, dtype=np.int64)
