"""Clusters of embeddings by UMAP and HDBSCAN: the step that the fit and its refits share."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biasatlas.encoders.cache import content_hash
from biasatlas.topics.neighbours import Neighbours, find_neighbours

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Integers = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class ClusterSettings:
    """Settings of UMAP and HDBSCAN; the configuration's page says what each does."""

    seed: int
    n_neighbors: int = 15
    n_components: int = 5
    min_dist: float = 0.0
    metric: str = "cosine"
    min_cluster_size: int | str = "auto"
    min_samples: int | None = None
    cluster_selection_method: str = "leaf"


@dataclass(frozen=True)
class Clusters:
    """Clusters of the rows.

    Attributes
    ----------
    labels : ndarray of int64, shape (n,)
        0 is the largest cluster; -1 is none.
    probabilities : ndarray of float64, shape (n,)
        How strongly a row is in its own cluster; 0 for none.
    membership : ndarray of float64, shape (n, n_clusters), or None
        HDBSCAN's soft clustering, where it was asked for.
    """

    labels: Integers
    probabilities: NDArray[np.float64]
    membership: NDArray[np.float64] | None = None


def smallest_topic(n: int, wanted: int | str) -> int:
    """Smallest cluster size for n passages: as configured, or max(10, n / 100)."""
    return max(10, n // 100) if wanted == "auto" else int(wanted)


def content_order(texts: Sequence[str], ids: Sequence[str] | None = None) -> Integers:
    """Row numbers in the order that clustering sees: by content hash, then by id.

    UMAP gives other clusters for another order of rows; ordered so, neither new ids nor shuffled
    rows change anything.

    Parameters
    ----------
    texts : sequence of str
    ids : sequence of str, optional
        Tells rows of the same text apart; without them the given order does.
    """
    hashes = [content_hash(text) for text in texts]
    ties = [""] * len(hashes) if ids is None else [str(name) for name in ids]
    return np.array(
        sorted(range(len(hashes)), key=lambda row: (hashes[row], ties[row])), dtype=np.int64
    )


def cluster(
    embeddings: Floats,
    settings: ClusterSettings,
    *,
    seed: int | None = None,
    neighbours: Neighbours | None = None,
    membership: bool = False,
) -> Clusters:
    """Cluster rows as BERTopic does: UMAP, then HDBSCAN on the coordinates.

    Parameters
    ----------
    embeddings : ndarray, shape (n, d)
        Unit rows, in the order of `content_order`.
    settings : ClusterSettings
    seed : int, optional
        Instead of that of the settings.
    neighbours : Neighbours, optional
        Neighbours of the rows (cosine), at least `n_neighbors` of them, when known.
    membership : bool
        Whether soft clustering is wanted; it takes n x n_clusters numbers and some time.

    Returns
    -------
    Clusters
        Without any cluster where n is under twice the smallest size.
    """
    n = len(embeddings)
    size = smallest_topic(n, settings.min_cluster_size)
    # HDBSCAN takes a cluster from a split into two parts of this size, and never the root: with
    # fewer rows it finds nothing. So UMAP, which fails in several ways below 7 rows, is not asked.
    if n < 2 * size:
        return Clusters(np.full(n, -1, dtype=np.int64), np.zeros(n), np.zeros((n, 0)))
    coordinates = reduce_dimensions(
        embeddings, settings, settings.seed if seed is None else seed, neighbours
    )
    return _find_clusters(coordinates, settings, size, membership=membership)


def reduce_dimensions(
    embeddings: Floats,
    settings: ClusterSettings,
    seed: int,
    neighbours: Neighbours | None = None,
) -> Floats:
    """UMAP's coordinates, shape (n, n_components); n is at least 4."""
    from umap import UMAP
    from umap.umap_ import find_ab_params

    from biasatlas.topics.layout import lay_out

    n = len(embeddings)
    k = min(settings.n_neighbors, n - 1)
    near = find_neighbours(embeddings, k) if neighbours is None else neighbours.nearest(k)
    # Unit rows have the same neighbours by both metrics: |x - y|^2 = 2 (1 - cos).
    distances = np.sqrt(2 * near.distances) if settings.metric == "euclidean" else near.distances
    # The spectral start needs n_components + 1 eigenvectors, from a solver that needs more rows
    # than that; with so few rows UMAP's random start is as good.
    spectral = n > 2 * (settings.n_components + 1)
    model = UMAP(
        n_neighbors=k,
        n_components=settings.n_components,
        min_dist=settings.min_dist,
        metric=settings.metric,
        init="spectral" if spectral else "random",
        random_state=seed,
        n_jobs=1,
        low_memory=False,
        # The graph and the start only; the layout is ours.
        n_epochs=0,
        # Copies: UMAP writes into them. Without the flag it computes small n again itself.
        precomputed_knn=(near.indices.copy(), distances.copy(), None),
        force_approximation_algorithm=True,
    )
    with warnings.catch_warnings():
        # That no search index comes with the neighbours; no new row is ever placed.
        warnings.filterwarnings("ignore", message="precomputed_knn")
        # Rows far from all others lose their neighbours; HDBSCAN needs numbers for them too.
        start = np.nan_to_num(model.fit_transform(embeddings)).astype(np.float32)
    a, b = find_ab_params(1.0, settings.min_dist)
    return lay_out(start, model.graph_, a, b, seed)


def _find_clusters(
    coordinates: Floats, settings: ClusterSettings, size: int, *, membership: bool
) -> Clusters:
    from hdbscan import HDBSCAN, all_points_membership_vectors

    n = len(coordinates)
    model = HDBSCAN(
        min_cluster_size=size,
        # HDBSCAN takes the size for it; it may not have more rows than there are.
        min_samples=min(settings.min_samples or size, n - 1),
        cluster_selection_method=settings.cluster_selection_method,
        metric="euclidean",
        core_dist_n_jobs=1,
        prediction_data=membership,
    ).fit(coordinates)
    raw = np.asarray(model.labels_, dtype=np.int64)
    sizes = np.bincount(raw[raw >= 0])
    first = np.array([np.flatnonzero(raw == label)[0] for label in range(len(sizes))], dtype=int)
    order = np.lexsort((first, -sizes))
    number = np.full(len(sizes) + 1, -1, dtype=np.int64)
    number[order] = np.arange(len(sizes))
    # Label -1 reads the last entry, which is -1.
    labels = number[raw]
    soft = None
    if membership:
        found = np.asarray(all_points_membership_vectors(model), dtype=np.float64)
        soft = found.reshape(n, -1)[:, order] if len(sizes) else np.zeros((n, 0))
    return Clusters(labels, np.asarray(model.probabilities_, dtype=np.float64), soft)
