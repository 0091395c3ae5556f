"""Topics of a region, as a run finds them, without their words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biasatlas.topics.clusters import ClusterSettings, cluster, content_order
from biasatlas.topics.neighbours import exact_neighbours

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Fit:
    """One model.

    Attributes
    ----------
    topic : ndarray of int, shape (n,)
        Column of each passage's topic; the last column, `n_topics`, is no topic.
    probability : ndarray, shape (n,)
    n_topics : int
    """

    topic: Integers
    probability: Floats
    n_topics: int


def fit_seeds(texts: Sequence[str], embeddings: NDArray[np.float32], seeds: range) -> list[Fit]:
    """Cluster once a seed, as a run does; the nearest neighbours are the same for all."""
    order = content_order(texts)
    rows = np.ascontiguousarray(embeddings[order])
    neighbours = exact_neighbours(rows, ClusterSettings.n_neighbors)
    fits = []
    for seed in seeds:
        found = cluster(rows, ClusterSettings(seed=seed), neighbours=neighbours)
        topic, probability = np.empty_like(found.labels), np.empty_like(found.probabilities)
        topic[order], probability[order] = found.labels, found.probabilities
        fits.append(make_fit(topic, probability))
    return fits


def make_fit(topic: Integers, probability: Floats) -> Fit:
    """Put -1, no topic, into the last column."""
    n_topics = int(topic.max(initial=-1)) + 1
    return Fit(np.where(topic < 0, n_topics, topic), probability, n_topics)


def best_matches(one: Fit, other: Fit) -> tuple[Integers, Floats]:
    """For each topic of one fit the topic of the other with the best Jaccard overlap, and that."""
    table = np.zeros((one.n_topics + 1, other.n_topics + 1))
    np.add.at(table, (one.topic, other.topic), 1)
    union = table.sum(axis=1, keepdims=True) + table.sum(axis=0) - table
    jaccard = (table / np.maximum(union, 1))[:-1, :-1]
    if not other.n_topics:
        return np.full(one.n_topics, -1), np.zeros(one.n_topics)
    return jaccard.argmax(axis=1), jaccard.max(axis=1)
