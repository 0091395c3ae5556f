"""Whether a topic is found again with another seed, row order, sample of documents or view."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from biasatlas.errors import InputError
from biasatlas.topics.alignment import log_odds

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

KINDS = ("seed", "order", "bootstrap", "masking")
# Hennig (2007): a cluster whose best match lies under one half is dissolved.
RECOVERED = 0.5
# The three that decide whether a topic is stable.
DECIDING = ("jaccard_seed", "jaccard_order", "recovered")
REGION_COLUMNS = {
    "kind": "str",
    "n_replicates": "int64",
    "n_topics": "int64",
    "outlier_share": "float64",
    "topics_mean": "float64",
    "outlier_share_mean": "float64",
    "ari_mean": "float64",
    "ari_min": "float64",
    "ari_max": "float64",
    "ari_clustered": "float64",
    "n_lost": "int64",
}


def decides_stability(replicate: Any) -> Any:
    """Whether a bootstrap refit is one of those that say which topics are stable: the even ones.

    The odd ones give the support of pairs. Stable topics are those that are often recovered, so
    their pairs would seem better supported than they are in the draws that chose them.
    """
    return replicate % 2 == 0


@dataclass(frozen=True)
class Refit:
    """One refit beside the main fit, over the passages that took part in it.

    Attributes
    ----------
    kind : str
    replicate : int
    rows : ndarray of int, shape (m,)
        Rows of the main fit's assignments.
    column : ndarray of int, shape (m,)
        Topic of each of these in the refit, 0 to n_topics - 1; n_topics is no topic.
    n_topics : int
    table : ndarray of int, shape (n_main + 1, n_topics + 1)
        Passages by main topic and topic of the refit; the last row and column are no topic.
    """

    kind: str
    replicate: int
    rows: Integers
    column: Integers
    n_topics: int
    table: Integers

    @cached_property
    def jaccard(self) -> Floats:
        """Jaccard index of each main topic and each topic of the refit."""
        both = self.table[:-1, :-1]
        union = self.table[:-1].sum(axis=1)[:, None] + self.table[:, :-1].sum(axis=0) - both
        # A topic of the refit holds a passage, so no union is empty.
        return np.asarray(both / union, dtype=np.float64)

    def best(self) -> tuple[Floats, Integers]:
        """Best Jaccard index of each main topic, and the column that gives it; -1 for none.

        A main topic without a passage in the refit has 0 and -1. Ties: the first column.
        """
        n_main = len(self.table) - 1
        if not self.n_topics:
            return np.zeros(n_main), np.full(n_main, -1)
        column = self.jaccard.argmax(axis=1)
        value = self.jaccard[np.arange(n_main), column]
        return value, np.where(value > 0, column, -1)


def main_topics(assignments: pd.DataFrame) -> Integers:
    """Sorted numbers of the topics, without -1."""
    topics = np.unique(_before_moves(assignments))
    return topics[topics != -1]


def _before_moves(assignments: pd.DataFrame) -> Integers:
    """Topic of each passage before outliers were moved: in the refits none are."""
    topic = assignments["topic"].to_numpy(dtype=np.int64)
    if "moved" not in assignments:
        return topic
    return np.where(assignments["moved"].to_numpy(dtype=bool), -1, topic)


def compare_refits(assignments: pd.DataFrame, refits: pd.DataFrame) -> Iterator[Refit]:
    """Set each refit beside the main fit, by kind and replicate.

    Parameters
    ----------
    assignments : DataFrame
        Main fit: id (each once), topic; a passage that is `moved`, if the column is there, was
        an outlier and counts as one.
    refits : DataFrame
        kind, replicate, id, topic; only passages that took part have rows.

    Raises
    ------
    InputError
        For a kind that is not known, or a refit that holds a passage twice or one that the main
        fit does not have.
    """
    import pandas as pd

    unknown = sorted(set(refits["kind"]) - set(KINDS))
    if unknown:
        raise InputError(f"refits: kind {unknown[0]!r} is none of {', '.join(KINDS)}")
    if refits.duplicated(["kind", "replicate", "id"]).any():
        raise InputError("refits: a passage stands twice in one replicate; fit the topics anew")
    rows = pd.Index(assignments["id"]).get_indexer(refits["id"])
    if (rows < 0).any():
        strange = refits["id"].to_numpy()[rows < 0][0]
        raise InputError(f"refits: passage {strange!r} is not in the main fit; fit them both anew")
    topics = main_topics(assignments)
    main = _columns(_before_moves(assignments), topics)
    topic = refits["topic"].to_numpy(dtype=np.int64)
    kinds = refits["kind"].to_numpy(dtype=str)
    replicates = refits["replicate"].to_numpy(dtype=np.int64)
    for kind in KINDS:
        of_kind = np.flatnonzero(kinds == kind)
        for replicate in np.unique(replicates[of_kind]):
            chosen = of_kind[replicates[of_kind] == replicate]
            yield _compare(kind, int(replicate), main, len(topics), rows[chosen], topic[chosen])


def _compare(
    kind: str, replicate: int, main: Integers, n_main: int, rows: Integers, topic: Integers
) -> Refit:
    others = np.unique(topic)
    others = others[others != -1]
    column = _columns(topic, others)
    shape = (n_main + 1, len(others) + 1)
    cells = main[rows] * shape[1] + column
    table = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)
    return Refit(kind, replicate, rows, column, len(others), table)


def _columns(topic: Integers, topics: Integers) -> Integers:
    """Place of each topic in the sorted list, its length for -1."""
    return np.where(topic == -1, len(topics), np.searchsorted(topics, topic))


@dataclass(frozen=True)
class UsedPassages:
    """The gendered passages as arrays, to be counted by any refit.

    Attributes
    ----------
    row : ndarray of int, shape (n,)
        Row of each in the assignments; with `both: duplicate` a row stands twice.
    female : ndarray of bool, shape (n,)
    document : ndarray of int, shape (n,)
    """

    row: Integers
    female: NDArray[np.bool_]
    document: Integers

    @classmethod
    def read(cls, used: pd.DataFrame, assignments: pd.DataFrame) -> UsedPassages:
        """Take `used` (id, document, gender) in the order of the assignments' rows.

        Raises
        ------
        InputError
            For a passage that has no topic assignment.
        """
        import pandas as pd

        row = pd.Index(assignments["id"]).get_indexer(used["id"])
        if (row < 0).any():
            strange = used["id"].to_numpy()[row < 0][0]
            raise InputError(f"used passages: {strange!r} is not in the topic assignments")
        female = (used["gender"] == "female").to_numpy()
        order = np.lexsort((~female, row))
        document = pd.factorize(used["document"].to_numpy()[order])[0]
        return cls(row[order], female[order], document)

    def taken(self, refit: Refit, n_rows: int) -> tuple[Integers, NDArray[np.bool_], Integers]:
        """Topic column, gender and document of those that took part in a refit."""
        column = np.full(n_rows, -1, dtype=np.int64)
        column[refit.rows] = refit.column
        found = column[self.row]
        there = found >= 0
        return found[there], self.female[there], self.document[there]


def count_genders(
    column: Integers, female: NDArray[np.bool_], n_topics: int
) -> tuple[Integers, Integers]:
    """Female and male passages of each topic, the last being no topic."""
    counts = [np.bincount(column[some], minlength=n_topics + 1) for some in (female, ~female)]
    return counts[0], counts[1]


def assess_topics(
    assignments: pd.DataFrame,
    refits: pd.DataFrame,
    used: pd.DataFrame,
    *,
    stable_min: float = 0.5,
) -> pd.DataFrame:
    """How well each topic of the main fit is found again in the refits.

    A topic's match in a refit is the topic with the largest Jaccard index (shared passages over
    passages in either), counted over the passages that took part. A topic none of whose passages
    took part has index 0 there: a topic of one document is not found without that document.

    Of the bootstrap refits only those of even number are read (`decides_stability`): the pairs of
    the stable topics are followed in the others.

    Parameters
    ----------
    assignments : DataFrame
        Main fit: id, topic, and `moved` as for `compare_refits`.
    refits : DataFrame
        kind (seed, order, bootstrap, masking), replicate, id, topic.
    used : DataFrame
        id, document, gender; an id can stand twice.
    stable_min : float
        What each of the figures that decide must reach.

    Returns
    -------
    DataFrame
        One row a topic, without -1: `topic`; `jaccard_seed`, `jaccard_order`,
        `jaccard_bootstrap`, `jaccard_masking`, means over the kind's refits; `recovered`, share
        of even bootstrap refits with an index of at least .5 (Hennig 2007, Computational
        Statistics & Data Analysis 52: 258-271, calls a cluster under it dissolved);
        `same_gender`, share of them in which it is recovered and the log odds of its match have
        the sign of its own (0 is no sign); `stable`: `jaccard_seed`, `jaccard_order` and
        `recovered` each reach `stable_min`. A kind that was not run is NaN and does not decide;
        where none of the three was run nothing is known, and `stable` is False.
    """
    import pandas as pd

    topics = main_topics(assignments)
    best, same = _find_again(assignments, refits, used)
    nothing = np.full(len(topics), np.nan)
    means = {kind: np.mean(best[kind], axis=0) if best[kind] else nothing for kind in KINDS}
    recovered = [value >= RECOVERED for value in best["bootstrap"]]
    frame = pd.DataFrame(
        {
            "topic": topics,
            "jaccard_seed": means["seed"],
            "jaccard_order": means["order"],
            "jaccard_bootstrap": means["bootstrap"],
            "recovered": np.mean(recovered, axis=0) if recovered else nothing,
            "same_gender": np.mean(same, axis=0) if same else nothing,
            "jaccard_masking": means["masking"],
        }
    )
    decide = frame[list(DECIDING)]
    frame["stable"] = ((decide >= stable_min) | decide.isna()).all(axis=1) & was_assessed(frame)
    return frame


def _find_again(
    assignments: pd.DataFrame, refits: pd.DataFrame, used: pd.DataFrame
) -> tuple[dict[str, list[Floats]], list[NDArray[np.bool_]]]:
    """Best Jaccard indices of the topics by kind, and whether each draw keeps their gender."""
    topics = main_topics(assignments)
    passages = UsedPassages.read(used, assignments)
    main = _columns(_before_moves(assignments), topics)
    sign = _signs(main[passages.row], passages.female, len(topics))[:-1]
    best: dict[str, list[Floats]] = {kind: [] for kind in KINDS}
    same = []
    for refit in compare_refits(assignments, refits):
        if refit.kind == "bootstrap" and not decides_stability(refit.replicate):
            continue
        value, column = refit.best()
        best[refit.kind].append(value)
        if refit.kind == "bootstrap":
            taken, female, _ = passages.taken(refit, len(assignments))
            theirs = _signs(taken, female, refit.n_topics)[column]
            same.append((value >= RECOVERED) & (theirs == sign) & (sign != 0))
    return best, same


def was_assessed(topics: pd.DataFrame) -> NDArray[np.bool_]:
    """Which topics have a figure that decides about `stable`; none where no refit was run."""
    known = [topics[name].notna() for name in DECIDING if name in topics]
    return np.any(known, axis=0) if known else np.zeros(len(topics), dtype=bool)


def _signs(column: Integers, female: NDArray[np.bool_], n_topics: int) -> Floats:
    return np.asarray(np.sign(log_odds(*count_genders(column, female, n_topics))))


def assess_region(assignments: pd.DataFrame, refits: pd.DataFrame) -> pd.DataFrame:
    """How alike the refits of a region are to its main fit, as wholes.

    Nothing is chosen by these figures, so all bootstrap refits are read.

    Parameters
    ----------
    assignments, refits : DataFrame
        As for `assess_topics`.

    Returns
    -------
    DataFrame
        One row a kind that was run: `kind`, `n_replicates`; `n_topics` and `outlier_share` of
        the main fit; `topics_mean` and `outlier_share_mean` of the refits; `ari_mean`,
        `ari_min`, `ari_max` (adjusted Rand index with the main fit over the passages of both,
        no topic being one more cluster); `ari_clustered` (mean of the index over passages that
        have a topic in both; NaN without one); `n_lost`, main topics whose mean Jaccard index
        is under .5.
    """
    import pandas as pd

    topics = main_topics(assignments)
    outliers = float((_before_moves(assignments) == -1).mean()) if len(assignments) else np.nan
    by_kind: dict[str, list[Refit]] = {kind: [] for kind in KINDS}
    for refit in compare_refits(assignments, refits):
        by_kind[refit.kind].append(refit)
    rows = [
        {"kind": kind, "n_topics": len(topics), "outlier_share": outliers, **_likeness(some)}
        for kind, some in by_kind.items()
        if some
    ]
    return pd.DataFrame(rows, columns=list(REGION_COLUMNS)).astype(REGION_COLUMNS)


def _likeness(refits: list[Refit]) -> dict[str, float]:
    whole = [adjusted_rand(refit.table) for refit in refits]
    clustered = [adjusted_rand(refit.table[:-1, :-1]) for refit in refits]
    known = [value for value in clustered if not np.isnan(value)]
    jaccard = np.mean([refit.best()[0] for refit in refits], axis=0)
    return {
        "n_replicates": len(refits),
        "topics_mean": float(np.mean([refit.n_topics for refit in refits])),
        "outlier_share_mean": float(
            np.mean([refit.table[:, -1].sum() / refit.table.sum() for refit in refits])
        ),
        "ari_mean": float(np.mean(whole)),
        "ari_min": min(whole),
        "ari_max": max(whole),
        "ari_clustered": float(np.mean(known)) if known else np.nan,
        "n_lost": int((jaccard < RECOVERED).sum()),
    }


def adjusted_rand(table: Integers) -> float:
    """Adjusted Rand index (Hubert & Arabie 1985) from a contingency table.

    Parameters
    ----------
    table : ndarray of int, shape (a, b)

    Returns
    -------
    float
        1 for the same partition (also where chance can give no other), NaN for an empty table.
    """
    n = int(table.sum())
    if n == 0:
        return float("nan")
    together, rows, columns = (
        float((counts * (counts - 1)).sum()) / 2
        for counts in (table, table.sum(axis=1), table.sum(axis=0))
    )
    pairs = n * (n - 1) / 2
    expected = rows * columns / pairs if pairs else 0.0
    most = (rows + columns) / 2
    return 1.0 if most == expected else (together - expected) / (most - expected)
