"""Train word vectors on a region's passages, the same bytes for the same seed."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from biasatlas.files import atomic_path
from biasatlas.tokens import tokenize
from biasatlas.vectors.store import WordVectors, save_word2vec

logger = logging.getLogger(__name__)


def train_word2vec(
    texts: Sequence[str],
    path: str | Path,
    *,
    seed: int,
    size: int,
    window: int,
    min_count: int,
    epochs: int,
    skip_gram: bool,
) -> None:
    """Train gensim's word2vec with one worker and write it in word2vec's binary format.

    Parameters
    ----------
    texts : sequence of str
        Passages; a context never crosses the end of one.
    path : str or Path
        Where the vectors go; none when not a single word occurs `min_count` times.
    seed, size, window, min_count, epochs, skip_gram
        As in gensim; more than one worker would make reruns differ.
    """
    from gensim.models import Word2Vec

    model: Any = Word2Vec(
        vector_size=size,
        window=window,
        min_count=min_count,
        epochs=epochs,
        sg=int(skip_gram),
        seed=seed,
        workers=1,
        hashfxn=stable_hash,
    )
    if not _train(model, texts):
        save_word2vec(_empty(size), path)
        return
    save_word2vec(WordVectors(tuple(model.wv.index_to_key), model.wv.vectors), path)


def _train(model: Any, texts: Sequence[str]) -> bool:
    """Train a gensim model in place; False when no word is frequent enough for a vector."""
    sentences = [tokenize(text) for text in texts]
    model.build_vocab(sentences)
    name = type(model).__name__
    if len(model.wv) == 0:
        logger.warning("%s: no word occurs %d times; no vectors", name, model.min_count)
        return False
    model.train(sentences, total_examples=model.corpus_count, epochs=model.epochs)
    logger.info("%s: %d words from %d passages", name, len(model.wv), len(texts))
    return True


def _empty(size: int) -> WordVectors:
    return WordVectors((), np.empty((0, size), dtype=np.float32))


def stable_hash(text: str) -> int:
    """Hash a word alike in every process, as Python's own hash of text is not."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "little")


def train_fasttext(
    texts: Sequence[str],
    path: str | Path,
    *,
    seed: int,
    size: int,
    window: int,
    min_count: int,
    epochs: int,
    buckets: int,
) -> None:
    """Train fastText's skip-gram with one worker and write it in fastText's own format.

    gensim trains it: the fasttext module itself takes no seed, and with one thread it leaves
    nine tenths of its input matrix uninitialised, so that reruns differ or give NaN.

    Parameters
    ----------
    texts : sequence of str
        Passages; a context never crosses the end of one.
    path : str or Path
        Where the model goes. A corpus in which no word occurs `min_count` times gives an
        empty file in word2vec's format.
    seed, size, window, min_count, epochs, buckets
        As in fastText.
    """
    from gensim.models.fasttext import FastText, save_facebook_model

    model: Any = FastText(
        vector_size=size,
        window=window,
        min_count=min_count,
        epochs=epochs,
        sg=1,
        bucket=buckets,
        seed=seed,
        workers=1,
        hashfxn=stable_hash,
    )
    if not _train(model, texts):
        save_word2vec(_empty(size), path)
        return
    with atomic_path(path) as temporary:
        save_facebook_model(model, str(temporary))
