"""How the topics of a region join into fewer, wider ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.floating[Any]]

COLUMNS = ("node", "left", "right", "distance", "topics", "words")


def topic_hierarchy(
    means: Mapping[int, Floats], words: pd.DataFrame, *, top_words: int = 10
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Join the two nearest topics, or groups of topics, until one is left.

    Parameters
    ----------
    means : mapping of int to ndarray, shape (d,)
        Mean embedding of each topic's passages.
    words : DataFrame
        `topic`, `word`, `weight`.
    top_words : int
        Words of a joined topic.

    Returns
    -------
    tree : DataFrame
        One row a join, the nearest first: `node` (its number, from the largest topic + 1 on),
        `left` and `right` (a topic or an earlier node, as they are drawn), `distance`, `topics`
        (list, as they are drawn), `words` (list: largest sum of the topics' weights first). No
        row for fewer than two topics.
    order : DataFrame
        `topic`, `position` (from 0): the leaves as a tree is drawn, neighbours alike.

    Notes
    -----
    Average linkage over the distance 1 - cosine, so that `distance` is the mean distance
    between the topics of the left and those of the right, and never falls from a node to its
    parent. BERTopic joins c-TF-IDF rows by Ward's method, which needs squared Euclidean
    distances; two topics without a word in common are all equally far there.
    """
    import pandas as pd
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering

    topics = sorted(means)
    types = dict.fromkeys(("node", "left", "right"), "int64") | {"distance": "float64"}
    if len(topics) < 2:
        order = pd.DataFrame({"topic": topics, "position": range(len(topics))})
        return pd.DataFrame(columns=list(COLUMNS)).astype(types), order.astype("int64")
    distances = cosine_distances(np.stack([means[topic] for topic in topics]))
    condensed = distances[np.triu_indices(len(topics), 1)]
    joins = optimal_leaf_ordering(linkage(condensed, method="average"), condensed)
    leaves = [topics[k] for k in leaves_list(joins)]
    position = {topic: k for k, topic in enumerate(leaves)}
    # scipy numbers leaves 0 to n - 1 and joins from n on; topics may have gaps.
    number = [*topics, *(max(topics) + 1 + k for k in range(len(joins)))]
    members: dict[int, list[int]] = {topic: [topic] for topic in topics}
    weights = _weights(words)
    rows: list[dict[str, Any]] = []
    for k, (one, other, distance, _) in enumerate(joins):
        pair = [number[int(one)], number[int(other)]]
        left, right = sorted(pair, key=lambda node: position[members[node][0]])
        node = number[len(topics) + k]
        members[node] = members[left] + members[right]
        rows.append(
            {
                "node": node,
                "left": left,
                "right": right,
                "distance": float(distance),
                "topics": members[node],
                "words": _merged_words(weights, members[node], top_words),
            }
        )
    order = pd.DataFrame({"topic": leaves, "position": range(len(leaves))}).astype("int64")
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(types), order


def cosine_distances(vectors: Floats) -> NDArray[np.float64]:
    """1 - cosine of all pairs of rows, symmetric, in [0, 2], 0 on the diagonal.

    Rounded to nine decimals, so that the last bits of a matrix product do not order equals.
    """
    rows = np.asarray(vectors, dtype=np.float64)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    distances = np.clip(1.0 - np.round(unit @ unit.T, 9), 0.0, 2.0)
    distances = (distances + distances.T) / 2
    np.fill_diagonal(distances, 0.0)
    return np.asarray(distances)


def _weights(words: pd.DataFrame) -> dict[int, dict[str, float]]:
    weights: dict[int, dict[str, float]] = defaultdict(dict)
    for row in words.to_dict("records"):
        weights[int(row["topic"])][row["word"]] = float(row["weight"])
    return weights


def _merged_words(
    weights: Mapping[int, Mapping[str, float]], topics: Sequence[int], top: int
) -> list[str]:
    total: dict[str, float] = defaultdict(float)
    # By number, so that a sum does not depend on how the tree is drawn.
    for topic in sorted(topics):
        for word, weight in weights.get(topic, {}).items():
            total[word] += weight
    ordered = sorted(total.items(), key=lambda item: (-round(item[1], 9), item[0]))
    return [word for word, _ in ordered[:top]]
