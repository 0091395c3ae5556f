"""Topics that several regions have in common, and whether their gender is the same."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.floating[Any]]
    Flags = NDArray[np.bool_]

logger = logging.getLogger(__name__)
# Read off real groups in three corpora: docs/common_topics.md.
CLOSENESS = 0.55
COLUMNS = (
    "group",
    "region",
    "topic",
    "label",
    "gender",
    "gender_paper",
    "similarity_mean",
    "similarity_min",
    "matched_by",
    "kind",
    "kind_paper",
)
SUMMARY = ("rule", "kind", "n_groups", "expected", "low", "high")
KINDS = ("same_gender", "different_gender", "undecided")
RULES = {"tested": "gender", "paper": "gender_paper"}


def find_common(
    topics: pd.DataFrame,
    vectors: Floats,
    *,
    threshold: float | None = None,
    closeness: float = CLOSENESS,
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Group the topics of different regions that are about the same.

    Two topics match if their cosine is at least the threshold, or their labels are the same and
    they are at least as near as two topics of one region mostly are (Borah et al. App. E names no
    threshold). Groups grow best match first: the two groups join
    whose *least* similar pair is most similar, as long as every pair matches, no region stands
    twice, and at least one pair is each other's nearest in the two regions (or of one label).
    So a chain of neighbours, each a little further, is no group.

    Parameters
    ----------
    topics : DataFrame
        `region`, `topic`, `label`, `gender`, `gender_paper` (female, male or none) of all
        regions of one language, in any order, without topic -1.
    vectors : ndarray, shape (n, d)
        Mean embedding of each topic's passages, rows as in `topics`; one encoder for all.
    threshold : float, optional
        Least cosine. By default ``m + closeness * (1 - m)`` with m the median cosine of two
        topics of one region: each corpus and each encoder has its own m (.3 for news and .6
        for UN debates with one encoder), and a part that all embeddings share changes nothing.
    closeness : float
        0 is as alike as two ordinary topics of a region, 1 is the same.

    Returns
    -------
    groups : DataFrame
        `COLUMNS`, one row a member. `group` counts from 1, the largest group first, then the
        most similar. `similarity_mean` and `similarity_min` are a topic's cosines to the others
        of its group. `matched_by` is ``label`` where one of them is under the threshold.
    matching : dict
        `threshold`, `ordinary` (m, NaN if no region has two topics), `pairs_across` and
        `pairs_within` regions, and of each the share over the threshold, `share_across` and
        `share_within`.
    """
    frame, similarity = _sorted(topics, vectors)
    region = _codes(frame["region"].tolist())
    across = region[:, None] != region[None, :]
    upper = np.triu(np.ones(across.shape, dtype=bool), 1)
    within = similarity[~across & upper]
    ordinary = float(np.median(within)) if within.size else float("nan")
    if threshold is None:
        threshold = ordinary + closeness * (1.0 - ordinary)
        if np.isnan(threshold) and len(set(region.tolist())) > 1:
            logger.warning("no region has two topics: only labels can tell common topics")
    near = similarity >= threshold
    label = _codes([_plain(text) for text in frame["label"]])
    # One label for two topics that have less in common than two of one region mostly have is a
    # poor label.
    alike = (label[:, None] == label[None, :]) & across & ~(similarity < ordinary)
    nearest = _mutual_nearest(similarity, region)
    groups = _join(similarity, (near | alike) & across, (nearest & near) | alike)
    rows = _rows(frame, groups, similarity, threshold)
    logger.info("%d groups of topics common to regions, cosine >= %.3f", len(groups), threshold)
    return rows, {
        "threshold": threshold,
        "ordinary": ordinary,
        "pairs_across": int((across & upper).sum()),
        "pairs_within": int(within.size),
        "share_across": _share(near[across & upper]),
        "share_within": _share(within >= threshold),
    }


def gender_kind(genders: Sequence[str]) -> str:
    """Kind of a group: its members' genders agree, differ, or too few have one.

    ``undecided`` for fewer than two members that are female or male.
    """
    known = [gender for gender in genders if gender in ("female", "male")]
    if len(known) < 2:
        return "undecided"
    return "same_gender" if len(set(known)) == 1 else "different_gender"


def summarise_kinds(
    groups: pd.DataFrame, topics: pd.DataFrame, *, permutations: int = 2_000, seed: int = 0
) -> pd.DataFrame:
    """How many groups of each kind there are, and would be if topics had no part in gender.

    Parameters
    ----------
    groups : DataFrame
        From `find_common`.
    topics : DataFrame
        All topics, as given to it: genders (with ``none``) are dealt anew among the topics of
        each region, so that a region's share of male topics alone makes no `same_gender`.
    permutations, seed : int

    Returns
    -------
    DataFrame
        `rule` (tested: by `gender`; paper: by `gender_paper`), `kind`, `n_groups`, `expected`
        (mean over the permutations), `low` and `high` (their 2.5% and 97.5% points).
    """
    import pandas as pd

    frame = topics.sort_values(["region", "topic"], kind="stable").reset_index(drop=True)
    names = zip(frame["region"], frame["topic"], strict=True)
    where = {name: k for k, name in enumerate(names)}
    members = [
        np.array([where[name] for name in zip(some["region"], some["topic"], strict=True)])
        for _, some in groups.groupby("group", sort=True)
    ]
    region = _codes(frame["region"].tolist())
    rows: list[dict[str, Any]] = []
    for rule, column in RULES.items():
        sign = frame[column].map({"female": 1, "male": -1}).fillna(0).to_numpy(dtype=np.int64)
        rng = np.random.default_rng(seed)
        dealt = np.tile(sign, (permutations, 1))
        for code in np.unique(region):
            own = region == code
            dealt[:, own] = rng.permuted(dealt[:, own], axis=1)
        found = _count_kinds(sign[None, :], members)[0]
        chance = _count_kinds(dealt, members)
        low, high = np.quantile(chance, [0.025, 0.975], axis=0)
        rows += [
            {
                "rule": rule,
                "kind": kind,
                "n_groups": int(found[k]),
                "expected": float(chance[:, k].mean()),
                "low": float(low[k]),
                "high": float(high[k]),
            }
            for k, kind in enumerate(KINDS)
        ]
    return pd.DataFrame(rows, columns=list(SUMMARY))


def _count_kinds(
    sign: NDArray[np.integer[Any]], members: Sequence[NDArray[np.integer[Any]]]
) -> NDArray[np.int64]:
    """Groups of each of `KINDS`, one row a deal of genders (1 female, -1 male, 0 none)."""
    counts = np.zeros((len(sign), len(KINDS)), dtype=np.int64)
    for some in members:
        female, male = (sign[:, some] == 1).sum(axis=1), (sign[:, some] == -1).sum(axis=1)
        same = (female + male >= 2) & ((female == 0) | (male == 0))
        different = (female > 0) & (male > 0)
        counts += np.stack([same, different, ~same & ~different], axis=1)
    return counts


def _sorted(topics: pd.DataFrame, vectors: Floats) -> tuple[pd.DataFrame, NDArray[np.float64]]:
    """Topics by region and number, and their cosines."""
    frame = topics.reset_index(drop=True).sort_values(["region", "topic"], kind="stable")
    rows = np.asarray(vectors, dtype=np.float64)[frame.index.to_numpy()]
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    # Rounded, so that a difference in the last bits does not reorder equals.
    return frame.reset_index(drop=True), np.round(unit @ unit.T, 6)


def _plain(label: str) -> str:
    return " ".join(str(label).casefold().split())


def _codes(values: Sequence[str]) -> NDArray[np.int64]:
    return np.unique(np.array(values, dtype=object).astype(str), return_inverse=True)[1]


def _share(flags: Flags) -> float:
    return float(flags.mean()) if flags.size else float("nan")


def _mutual_nearest(similarity: Floats, region: NDArray[np.int64]) -> Flags:
    """Whether two topics are each other's most similar in the other's region; ties all are."""
    n = len(region)
    is_best = np.zeros((n, n), dtype=bool)
    for code in np.unique(region):
        own = region == code
        best = similarity[:, own].max(axis=1, keepdims=True)
        is_best[:, own] = similarity[:, own] == best
    is_best &= region[:, None] != region[None, :]
    return np.asarray(is_best & is_best.T)


def _join(similarity: Floats, matched: Flags, reason: Flags) -> list[list[int]]:
    """Groups of at least two topics, by complete linkage over the pairs that match.

    Topics of one region never match, so no group holds two of them.
    """
    n = len(similarity)
    # Similarity of the least similar pair of two groups; minus infinity once a pair fails.
    least = np.where(matched, np.asarray(similarity, dtype=np.float64), -np.inf)
    # The wish to join needs one pair with a reason of its own.
    wish = reason.copy()
    members: dict[int, list[int]] = {k: [k] for k in range(n)}
    while n:
        open_ = np.where(wish, least, -np.inf)
        i, j = sorted(divmod(int(np.argmax(open_)), n))
        if open_[i, j] == -np.inf:
            break
        members[i] += members.pop(j)
        least[i] = np.minimum(least[i], least[j])
        least[i, [i, j]] = -np.inf
        least[:, i] = least[i]
        least[j], least[:, j] = -np.inf, -np.inf
        wish[i] |= wish[j]
        wish[:, i] = wish[i]
    return [sorted(some) for some in members.values() if len(some) > 1]


def _rows(
    frame: pd.DataFrame, groups: list[list[int]], similarity: Floats, threshold: float
) -> pd.DataFrame:
    import pandas as pd

    def order(some: list[int]) -> tuple[int, float, list[int]]:
        pairs = similarity[np.ix_(some, some)][np.triu_indices(len(some), 1)]
        return -len(some), -round(float(pairs.mean()), 6), some

    rows: list[dict[str, Any]] = []
    for number, some in enumerate(sorted(groups, key=order), start=1):
        kinds = {
            name: gender_kind(frame[column].iloc[some].tolist())
            for name, column in (("kind", "gender"), ("kind_paper", "gender_paper"))
        }
        for k in some:
            others = similarity[k, [m for m in some if m != k]]
            topic = frame.iloc[k]
            rows.append(
                {
                    "group": number,
                    **{name: topic[name] for name in ("region", "topic", "label")},
                    **{name: topic[name] for name in ("gender", "gender_paper")},
                    "similarity_mean": float(others.mean()),
                    "similarity_min": float(others.min()),
                    "matched_by": "embedding" if (others >= threshold).all() else "label",
                    **kinds,
                }
            )
    types = dict.fromkeys(COLUMNS, "str") | dict.fromkeys(("group", "topic"), "int64")
    types |= dict.fromkeys(("similarity_mean", "similarity_min"), "float64")
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(types)
