"""Topics as points of a plane, near where their passages mean the like."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from biasatlas.topics.hierarchy import cosine_distances

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.floating[Any]]

COLUMNS = ("region", "topic", "x", "y", "map_method")
# UMAP keeps neighbours and little else; below this every topic is a neighbour of every other,
# and classical scaling keeps the distances themselves.
UMAP_FROM = 16
N_NEIGHBORS = 15


def map_topics(
    topics: pd.DataFrame, vectors: Floats, *, seed: int = 0, umap_from: int = UMAP_FROM
) -> pd.DataFrame:
    """Place topics in the unit square: all those given share one space.

    Parameters
    ----------
    topics : DataFrame
        `region`, `topic`, in any order. Give the topics of all regions at once, and a place
        means the same in each region's map.
    vectors : ndarray, shape (n, d)
        Mean embedding of each topic's passages, rows as in `topics`.
    seed : int
        Of UMAP.
    umap_from : int
        Fewest topics for UMAP.

    Returns
    -------
    DataFrame
        `COLUMNS`, rows by region and topic; `x`, `y` in [0, 1], by one scale for both, so that
        distances keep their proportions; `map_method` is ``umap`` or, for fewer topics,
        ``mds`` (classical scaling of 1 - cosine). The axes have no meaning.
    """
    import pandas as pd

    frame = topics[["region", "topic"]].reset_index(drop=True)
    frame = frame.sort_values(["region", "topic"], kind="stable")
    order = frame.index.to_numpy()
    frame = frame.reset_index(drop=True)
    method = "umap" if len(frame) >= umap_from else "mds"
    places = np.zeros((0, 2))
    if len(frame):
        distances = cosine_distances(np.asarray(vectors, dtype=np.float64)[order])
        places = classical_scaling(distances)
        if method == "umap":
            places = _umap(distances, places, seed)
        places = _into_square(places)
    square = pd.DataFrame({"x": places[:, 0], "y": places[:, 1]})
    return pd.concat([frame, square], axis=1).assign(map_method=method)[list(COLUMNS)]


def classical_scaling(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Two coordinates whose distances come near the given ones (Torgerson 1952).

    Parameters
    ----------
    distances : ndarray, shape (n, n)

    Returns
    -------
    ndarray, shape (n, 2)
        Each axis points to its largest coordinate, as eigenvectors have no sign of their own.
    """
    n = len(distances)
    centre = np.eye(n) - 1.0 / n
    values, axes = np.linalg.eigh(-0.5 * centre @ distances**2 @ centre)
    places = np.zeros((n, 2))
    for k in range(min(2, n)):
        axis = axes[:, -1 - k] * np.sqrt(max(values[-1 - k], 0.0))
        sign = np.sign(axis[np.argmax(np.abs(axis).round(9))])
        places[:, k] = axis * (sign or 1.0)
    return places


def _umap(
    distances: NDArray[np.float64], start: NDArray[np.float64], seed: int
) -> NDArray[np.float64]:
    from umap import UMAP

    # UMAP expects coordinates of about this extent; the start makes its map the same each time.
    extent = np.abs(start).max() or 1.0
    model = UMAP(
        n_neighbors=min(N_NEIGHBORS, len(distances) - 1),
        n_components=2,
        min_dist=0.1,
        metric="precomputed",
        init=(10.0 * start / extent).astype(np.float32),
        random_state=seed,
        n_jobs=1,
    )
    with warnings.catch_warnings():
        # That no new topic can be placed; none ever is.
        warnings.filterwarnings("ignore", message="using precomputed metric")
        return np.asarray(model.fit_transform(distances), dtype=np.float64)


def _into_square(places: NDArray[np.float64]) -> NDArray[np.float64]:
    low, high = places.min(axis=0), places.max(axis=0)
    extent = float((high - low).max())
    if extent == 0:
        return np.full_like(places, 0.5)
    # Centred along the shorter side; rounded, as the last bits are the processor's.
    inside = 0.5 + (places - (low + high) / 2) / extent
    return np.asarray(np.clip(inside.round(6), 0.0, 1.0))
