"""Languages grouped by their profile of d over tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from biasatlas.lexicons.weathub_files import SIX_TESTS
from biasatlas.seeds import stable_seed
from biasatlas.tables.language_tables import LANGUAGE_CLUSTERS
from biasatlas.tables.storage import empty_table

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

MIN_LANGUAGES = 3
MIN_TESTS = 4
# With fewer tests a correlation of two profiles is mostly noise, which is said.
FEW_TESTS = 8
# Clusters that shuffled profiles give as clearly, this often, are no find.
SIGNIFICANT = 0.05
BOOTSTRAPS = 200
PERMUTATIONS = 99
# A profile whose spread is below this is rounding.
FLAT = 1e-9


@dataclass(frozen=True)
class Tree:
    """A tree of languages and its best cut.

    Attributes
    ----------
    order : ndarray, shape (n,)
        Languages (rows) along the tree.
    clusters : ndarray, shape (n,)
        Cluster of each language, from 1 along the tree.
    silhouettes : ndarray, shape (n,)
    cophenetic : float
    """

    order: Integers
    clusters: Integers
    silhouettes: Floats
    cophenetic: float


def cluster_languages(
    weathub: pd.DataFrame,
    *,
    seed: int,
    bootstraps: int = BOOTSTRAPS,
    permutations: int = PERMUTATIONS,
) -> pd.DataFrame:
    """Cluster languages by their profiles, for each model, encoder and space.

    A profile is d of the six classic tests in human translation (English: WEATHub's own list)
    and of the new dimensions, rows that are ok. Where a language lacks a test, the language or
    the test that lacks the larger share goes, until all have all.

    Parameters
    ----------
    weathub : DataFrame
        The table `weathub`.
    seed : int
    bootstraps : int
        Over tests, for the support of a cluster.
    permutations : int
        Of the languages within each test, for what clusters mere noise gives.

    Returns
    -------
    DataFrame
        Rows of the table `language_clusters`, along the tree of each model, encoder and space;
        none with fewer than three languages or four tests.

    References
    ----------
    Rousseeuw 1987, Silhouettes, Journal of Computational and Applied Mathematics 20.
    """
    import pandas as pd

    standard = np.where(weathub["language"] == "en", "original", "human")
    classic = weathub["test"].isin(SIX_TESTS) & (weathub["variant"] == standard)
    usable = (weathub["status"] == "ok") & weathub["effect_size"].notna()
    frame = weathub[usable & (classic | (weathub["variant"] == "new"))]
    rows: list[dict[str, Any]] = []
    for cell, some in frame.groupby(["model", "encoder", "space"], sort=True):
        profiles = some.pivot(index="language", columns="test", values="effect_size")
        kept = complete_profiles(profiles.sort_index(axis=0).sort_index(axis=1))
        if len(kept) < MIN_LANGUAGES or len(kept.columns) < MIN_TESTS:
            continue
        rng = np.random.default_rng(stable_seed(seed, "/".join(map(str, cell))))
        left_out = sorted(set(profiles.index) - set(kept.index))
        key = dict(zip(("model", "encoder", "space"), cell, strict=True))
        rows += [key | row for row in _rows(kept, left_out, rng, bootstraps, permutations)]
    if not rows:
        return empty_table("language_clusters")
    return pd.DataFrame(rows, columns=[column.name for column in LANGUAGE_CLUSTERS.columns])


def complete_profiles(profiles: pd.DataFrame) -> pd.DataFrame:
    """Leave out languages and tests until no d is missing, and then profiles without spread.

    Parameters
    ----------
    profiles : DataFrame, shape (languages, tests)
        Sorted both ways, NaN where there is no score.
    """
    kept = profiles
    while kept.isna().to_numpy().any():
        missing = kept.isna().to_numpy()
        by_language, by_test = missing.mean(axis=1), missing.mean(axis=0)
        # A tie costs a test: languages are what is compared.
        if by_language.max() > by_test.max():
            kept = kept.drop(index=kept.index[int(by_language.argmax())])
        else:
            kept = kept.drop(columns=kept.columns[int(by_test.argmax())])
    if not kept.size:
        return kept
    return kept[np.ptp(kept.to_numpy(), axis=1) > FLAT]


def distances(profiles: Floats) -> Floats:
    """One less the correlation of each two rows, in scipy's condensed order."""
    from scipy.spatial.distance import pdist

    # Rounded, so that equal distances are equal in every order of languages.
    return np.round(np.clip(pdist(profiles, metric="correlation"), 0.0, 2.0), 12)


def grow_tree(profiles: Floats) -> Tree:
    """Link languages by average distance and cut where the mean silhouette is highest.

    Parameters
    ----------
    profiles : ndarray, shape (n, n_tests)
        At least three rows, none without spread.
    """
    from scipy.cluster.hierarchy import cophenet, leaves_list, linkage, optimal_leaf_ordering

    condensed = distances(profiles)
    tree = optimal_leaf_ordering(linkage(condensed, "average"), condensed)
    order = leaves_list(tree).astype(np.int64)
    # A tree reads the same from either end; the first by name goes before the last.
    if order[0] > order[-1]:
        order = order[::-1]
    clusters, widths = best_cut(tree, condensed)
    flat = float(np.ptp(condensed)) <= FLAT
    return Tree(
        order=order,
        clusters=_number_along(clusters, order),
        silhouettes=widths,
        cophenetic=float("nan") if flat else float(cophenet(tree, condensed)[0]),
    )


def best_cut(tree: Floats, condensed: Floats) -> tuple[Integers, Floats]:
    """Cut a tree into the 2 to n - 1 clusters with the highest mean silhouette.

    Returns
    -------
    clusters : ndarray, shape (n,)
        The fewer ones where two cuts are as good; all one where the tree cannot be cut.
    silhouettes : ndarray, shape (n,)
    """
    from scipy.spatial.distance import squareform

    square = squareform(condensed)
    n = len(square)
    best = np.ones(n, dtype=np.int64), np.zeros(n)
    highest = -np.inf
    for n_clusters in range(2, n):
        clusters = cut(tree, n_clusters)
        if len(np.unique(clusters)) != n_clusters:
            continue
        found = silhouettes(square, clusters)
        if found.mean() > highest + FLAT:
            highest, best = found.mean(), (clusters, found)
    return best


def silhouettes(square: Floats, clusters: Integers) -> Floats:
    """Silhouette of each item, as sklearn's but without its checks at every call.

    Parameters
    ----------
    square : ndarray, shape (n, n)
        Distances.
    clusters : ndarray, shape (n,)
        At least two, numbered from 1 without gaps.

    Returns
    -------
    ndarray, shape (n,)
        ``(b - a) / max(a, b)``: a is the mean distance within the own cluster, b that to the
        nearest other one. 0 for a cluster of one, and where both are 0.
    """
    member = clusters[:, None] == np.arange(1, clusters.max() + 1)
    sizes = member.sum(axis=0)
    sums = square @ member
    own = (sums * member).sum(axis=1)
    others = sizes[clusters - 1] - 1
    a = np.divide(own, others, out=np.zeros(len(square)), where=others > 0)
    b = np.where(member, np.inf, sums / sizes).min(axis=1)
    widest = np.maximum(a, b)
    return np.divide(b - a, widest, out=np.zeros(len(square)), where=(widest > 0) & (others > 0))


def cut(tree: Floats, n_clusters: int) -> Integers:
    """Clusters of a tree's leaves, from 1; fewer where several branches join at one height."""
    from scipy.cluster.hierarchy import fcluster

    found: Integers = fcluster(tree, n_clusters, criterion="maxclust").astype(np.int64)
    return found


def _number_along(clusters: Integers, order: Integers) -> Integers:
    names = dict.fromkeys(clusters[order].tolist())
    number = {name: place for place, name in enumerate(names, start=1)}
    return np.array([number[name] for name in clusters.tolist()], dtype=np.int64)


def support(
    profiles: Floats, clusters: Integers, rng: np.random.Generator, bootstraps: int
) -> Floats:
    """Share of bootstraps over tests in which a language stays with those of its cluster.

    Parameters
    ----------
    profiles : ndarray, shape (n, n_tests)
    clusters : ndarray, shape (n,)
    rng : Generator
    bootstraps : int
        Each is cut into as many clusters. Those in which a profile has no spread are left out.

    Returns
    -------
    ndarray, shape (n,)
        Mean over the other members; NaN for a cluster of one.
    """
    from scipy.cluster.hierarchy import linkage

    n, n_tests = profiles.shape
    together = np.zeros((n, n))
    used = 0
    for drawn in rng.integers(0, n_tests, (bootstraps, n_tests)):
        sample = profiles[:, drawn]
        if (np.ptp(sample, axis=1) <= FLAT).any():
            continue
        found = cut(linkage(distances(sample), "average"), int(clusters.max()))
        together += found[:, None] == found[None, :]
        used += 1
    same = (clusters[:, None] == clusters[None, :]) & ~np.eye(n, dtype=bool)
    others = same.sum(axis=1)
    if not used:
        return np.full(n, np.nan)
    total = np.where(same, together / used, 0.0).sum(axis=1)
    return np.divide(total, others, out=np.full(n, np.nan), where=others > 0)


def chance(
    profiles: Floats, silhouette: float, rng: np.random.Generator, permutations: int
) -> float:
    """Share of shuffled profiles that cluster at least as clearly.

    Each test's d are dealt anew to the languages, so that each test keeps its d and a language
    has no profile. Best cuts of noise have high silhouettes too, which no fixed bar allows for.

    Parameters
    ----------
    profiles : ndarray, shape (n, n_tests)
    silhouette : float
        Mean silhouette of the best cut.
    rng : Generator
    permutations : int

    Returns
    -------
    float
        ``(1 + k) / (1 + permutations)``.
    """
    from scipy.cluster.hierarchy import linkage

    beyond = 0
    for _ in range(permutations):
        shuffled = rng.permuted(profiles, axis=0)
        if (np.ptp(shuffled, axis=1) <= FLAT).any():
            beyond += 1
            continue
        condensed = distances(shuffled)
        found = best_cut(linkage(condensed, "average"), condensed)[1].mean()
        beyond += int(found >= silhouette - FLAT)
    return (1 + beyond) / (1 + permutations)


def _rows(
    kept: pd.DataFrame,
    left_out: list[str],
    rng: np.random.Generator,
    bootstraps: int,
    permutations: int,
) -> list[dict[str, Any]]:
    profiles = kept.to_numpy(dtype=np.float64)
    tree = grow_tree(profiles)
    held = support(profiles, tree.clusters, rng, bootstraps)
    notes = []
    if len(kept.columns) < FEW_TESTS:
        notes.append(f"thin: {len(kept.columns)} tests")
    p_value = chance(profiles, float(tree.silhouettes.mean()), rng, permutations)
    if p_value > SIGNIFICANT:
        notes.append(f"shuffled profiles give clusters as clear (p = {p_value:.2g})")
    if left_out:
        notes.append(f"left out for want of tests: {', '.join(left_out)}")
    return [
        {
            "language": kept.index[row],
            "n_tests": len(kept.columns),
            "place": place,
            "cluster": int(tree.clusters[row]),
            "silhouette": float(np.clip(tree.silhouettes[row], -1, 1)),
            "support": float(held[row]),
            "cophenetic": tree.cophenetic,
            "structure_p": p_value,
            "note": "; ".join(notes),
        }
        for place, row in enumerate(tree.order.tolist(), start=1)
    ]
