"""The topics of a region found again: with other seeds, orders of rows, documents, and texts."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from biasatlas.logs import Progress
from biasatlas.topics.clusters import cluster, smallest_topic
from biasatlas.topics.model import TopicSettings, usable_rows
from biasatlas.topics.neighbours import Neighbours, find_neighbours, subset_neighbours

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Integers = NDArray[np.int64]

logger = logging.getLogger(__name__)

# Neighbours kept of each row, in times of those that UMAP takes: about 63% of documents are in a
# bootstrap, so that nearly always enough of them are there too.
SPARE = 4
# Smallest cluster size that scaling to a bootstrap may reach.
SMALLEST = 5


def refit(
    embeddings: Floats,
    ids: Sequence[str],
    texts: Sequence[str],
    documents: Sequence[str],
    settings: TopicSettings,
    *,
    seeds: int,
    orders: int,
    bootstraps: int,
    word_texts: Sequence[str] | None = None,
    other_embeddings: Floats | None = None,
) -> pd.DataFrame:
    """Cluster a region's passages again and again, each time with one thing changed.

    Clusters are as HDBSCAN gives them: the strategy for passages in no topic is not applied.
    Passages that `fit_topics` leaves out, those without a topic word, take part in no replicate.

    A bootstrap holds about 63% of the documents, and so about that share of each topic. Its
    smallest cluster size is therefore that of the fit of all n passages times m / n, m being the
    passages in it, rounded; at least 5, unless the fit of all has a smaller one, which then
    stays. This goes for a fixed size too: with the size of the whole, topics a little above it
    could not come again, however real. `min_samples` follows the size, or is scaled likewise if
    fixed (at least 1). `min_passages` is asked of the whole, not of a replicate.

    Parameters
    ----------
    embeddings : ndarray, shape (n, d)
    ids, texts, documents : sequence of str
        One entry a passage; `texts` (as given to `fit_topics`) fix the order of the rows, and
        with it which documents a bootstrap draws.
    settings : TopicSettings
        As in `fit_topics`; seeds, orders and masking have its sizes.
    seeds, orders, bootstraps : int
        Replicates of each kind: another seed of UMAP; the rows permuted; the passages of the
        distinct documents among as many as there are, drawn with replacement. (A passage drawn
        twice would be its own nearest neighbour.)
    word_texts : sequence of str, optional
        As in `fit_topics`.
    other_embeddings : ndarray, shape (n, d'), optional
        Of the other view of the texts; one more replicate, `masking`.

    Returns
    -------
    DataFrame
        kind (seed, order, bootstrap, masking), replicate (from 0 within a kind), id, topic (0 the
        largest of its replicate, -1 none); one row a passage that took part, in the order of
        `content_order`. Empty where `fit_topics` finds no topics for want of passages.
    """
    import pandas as pd

    frames = [_frame("", 0, [], np.empty(0, dtype=np.int64))]
    counted = texts if word_texts is None else word_texts
    order = usable_rows(texts, counted, settings.language, ids)
    n = len(order)
    if n < settings.min_passages:
        logger.warning("%d gendered passages, under %d: no refits", n, settings.min_passages)
        return frames[0]
    names = np.asarray(ids, dtype=object)[order]
    rows = np.ascontiguousarray(embeddings[order])
    near = find_neighbours(rows, SPARE * settings.n_neighbors)
    plan = _plan(n, np.asarray(documents, dtype=object)[order], settings, seeds, orders, bootstraps)
    total = seeds + orders + bootstraps + (other_embeddings is not None)
    with Progress(total, "topics found again") as progress:
        for kind, replicate, seed, chosen in plan:
            sized = _scaled(settings, len(chosen), n) if kind == "bootstrap" else settings
            labels = _labels(rows, near, chosen, sized, seed)
            frames.append(_frame(kind, replicate, names[chosen], labels))
            progress.update()
        if other_embeddings is not None:
            other = np.ascontiguousarray(other_embeddings[order])
            frames.append(_frame("masking", 0, names, cluster(other, settings).labels))
            progress.update()
    return pd.concat(frames, ignore_index=True)


def _plan(
    n: int,
    documents: NDArray[np.object_],
    settings: TopicSettings,
    seeds: int,
    orders: int,
    bootstraps: int,
) -> Iterator[tuple[str, int, int, Integers]]:
    """Kind, replicate, UMAP's seed and the rows, in the order that UMAP sees them."""
    import pandas as pd

    for replicate in range(seeds):
        yield "seed", replicate, settings.seed + 1 + replicate, np.arange(n)
    for replicate in range(orders):
        rng = np.random.default_rng([settings.seed, 2, replicate])
        yield "order", replicate, settings.seed, rng.permutation(n)
    # Numbered by first appearance in the order of content: names of documents change no draw.
    number = pd.factorize(documents)[0]
    n_documents = int(number.max()) + 1
    for replicate in range(bootstraps):
        rng = np.random.default_rng([settings.seed, 3, replicate])
        drawn = np.zeros(n_documents, dtype=bool)
        drawn[rng.integers(0, n_documents, n_documents)] = True
        yield "bootstrap", replicate, settings.seed, np.flatnonzero(drawn[number])


def _scaled(settings: TopicSettings, m: int, n: int) -> TopicSettings:
    """Settings for m of n passages: sizes as large a share of them."""
    size = smallest_topic(n, settings.min_cluster_size)
    samples = settings.min_samples
    return replace(
        settings,
        min_cluster_size=min(size, max(SMALLEST, round(size * m / n))),
        min_samples=None if samples is None else max(1, round(samples * m / n)),
    )


def _labels(
    rows: Floats, near: Neighbours, chosen: Integers, settings: TopicSettings, seed: int
) -> Integers:
    within = None
    if len(chosen) > 1:
        k = min(settings.n_neighbors, len(chosen) - 1)
        within = subset_neighbours(near, rows, chosen, k)
    return cluster(
        np.ascontiguousarray(rows[chosen]), settings, seed=seed, neighbours=within
    ).labels


def _frame(
    kind: str, replicate: int, ids: Sequence[str] | NDArray[np.object_], topics: Integers
) -> pd.DataFrame:
    import pandas as pd

    frame = pd.DataFrame({"kind": kind, "replicate": replicate, "id": list(ids), "topic": topics})
    return frame.astype({"kind": "str", "replicate": "int64", "id": "str", "topic": "int64"})
