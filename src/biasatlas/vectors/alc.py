"""À la carte vectors: one linear map from context means to word vectors.

Khodak, Saunshi, Liang, Ma, Stewart & Arora 2018, arXiv:1805.05388; for inference Rodriguez,
Spirling & Stewart 2023, American Political Science Review, and their R package conText.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from biasatlas.errors import InputError
from biasatlas.files import atomic_path, write_text
from biasatlas.vectors.store import WordVectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from biasatlas.vectors.contexts import ContextSums

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

logger = logging.getLogger(__name__)

FOLDS = 10
# Fewer words than this for each dimension leave the map undetermined or close to it.
WORDS_PER_DIMENSION = 2


@dataclass(frozen=True)
class Fit:
    """How well the map gives back the pretrained vectors.

    Attributes
    ----------
    n_words, n_needed : int
        Words that it was fitted on, and the fewest that it can be fitted on.
    cosine, r_squared : float
        Mean cosine of A u with v, and the weighted share of variance explained, on these words.
    cosine_held_out, r_squared_held_out : float
        The same for words that the map has not seen (ten folds by a hash of the word).
    """

    n_words: int
    n_needed: int
    cosine: float
    r_squared: float
    cosine_held_out: float
    r_squared_held_out: float


@dataclass(frozen=True)
class Transform:
    """The map A and its fit.

    Attributes
    ----------
    matrix : ndarray, shape (dims, dims), float64
        ``v = A u``; all NaN where the text held too few words to fit it.
    fit : Fit
    """

    matrix: Floats
    fit: Fit

    @property
    def is_fitted(self) -> bool:
        """Whether there is a map."""
        return bool(np.isfinite(self.matrix).all())

    def apply(self, contexts: Floats) -> Floats:
        """Map context means u, shape (..., dims), to vectors of the same shape."""
        return contexts @ self.matrix.T


# The order in which threads add changes the last bits.
@threadpool_limits.wrap(limits=1, user_api="blas")
def fit_transform(contexts: ContextSums, vectors: WordVectors, *, min_count: int = 20) -> Transform:
    """Fit A by least squares of v_w on u_w, each word weighted with the log of its count.

    Parameters
    ----------
    contexts : ContextSums
        Of all regions together.
    vectors : WordVectors
        The pretrained vectors v.
    min_count : int
        Fewest occurrences of a word that takes part.

    Returns
    -------
    Transform
        Its matrix is NaN where fewer than two words a dimension take part.
    """
    chosen = [
        (word, row)
        for row, (word, n) in enumerate(zip(contexts.words, contexts.counts, strict=True))
        if n >= min_count and word in vectors
    ]
    # Sorted, so that the order of regions and passages moves no bit of the sums below.
    chosen.sort()
    rows = np.array([row for _, row in chosen], dtype=np.int64)
    dims = vectors.size
    needed = WORDS_PER_DIMENSION * dims
    if len(chosen) < needed:
        logger.warning("%d words occur %d times; the map needs %d", len(rows), min_count, needed)
        nan = float("nan")
        return Transform(np.full((dims, dims), nan), Fit(len(rows), needed, nan, nan, nan, nan))
    u = contexts.sums[rows] / contexts.counts[rows, None]
    v = vectors.rows(word for word, _ in chosen)
    weights = np.log(contexts.counts[rows])
    folds = np.array([_fold(word) for word, _ in chosen])
    products = [_products(u, v, weights, folds == fold) for fold in range(FOLDS)]
    matrix = _solve(products)
    held_out = np.empty_like(v)
    for fold in range(FOLDS):
        out = folds == fold
        held_out[out] = u[out] @ _solve(products[:fold] + products[fold + 1 :]).T
    fit = Fit(
        len(rows),
        needed,
        *_agreement(u @ matrix.T, v, weights),
        *_agreement(held_out, v, weights),
    )
    logger.info("A from %d words: cosine %.3f, held out %.3f", *_head(fit))
    return Transform(matrix, fit)


def _head(fit: Fit) -> tuple[int, float, float]:
    return fit.n_words, fit.cosine, fit.cosine_held_out


def _products(u: Floats, v: Floats, weights: Floats, chosen: Bools) -> tuple[Floats, Floats]:
    """Weighted u'u and u'v of the chosen words, the two sides of the normal equations."""
    weighted = (u[chosen] * weights[chosen, None]).T
    return weighted @ u[chosen], weighted @ v[chosen]


def _solve(products: Sequence[tuple[Floats, Floats]]) -> Floats:
    """Solve the normal equations of several groups of words together for A."""
    left = np.sum([one for one, _ in products], axis=0)
    right = np.sum([other for _, other in products], axis=0)
    # Least squares gives the shortest solution where the contexts span fewer dimensions.
    return np.linalg.lstsq(left, right, rcond=None)[0].T


def _agreement(fitted: Floats, v: Floats, weights: Floats) -> tuple[float, float]:
    """Mean cosine, and the weighted share of variance explained."""
    lengths = np.linalg.norm(fitted, axis=1) * np.linalg.norm(v, axis=1)
    cosine = float(np.mean(np.einsum("ij,ij->i", fitted, v) / lengths))
    centre = np.average(v, axis=0, weights=weights)
    rest = float(weights @ np.square(v - fitted).sum(axis=1))
    whole = float(weights @ np.square(v - centre).sum(axis=1))
    return cosine, 1.0 - rest / whole


def _fold(word: str) -> int:
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=4).digest(), "little") % FOLDS


def induce(contexts: ContextSums, transform: Transform, *, min_count: int = 2) -> WordVectors:
    """Give every word of a region its vector ``A u``, most frequent first.

    Parameters
    ----------
    contexts : ContextSums
        Of one region.
    transform : Transform
    min_count : int
        Fewest occurrences of a word that gets a vector.

    Returns
    -------
    WordVectors
        Empty where there is no map. Words of equal count stand in the order of the alphabet.
    """
    counts = contexts.counts
    enough = np.flatnonzero(counts >= min_count) if transform.is_fitted else np.zeros(0, int)
    order = sorted(enough.tolist(), key=lambda row: (-counts[row], contexts.words[row]))
    u = contexts.sums[order] / counts[order, None]
    matrix = transform.apply(u).astype(np.float32).reshape(len(order), len(transform.matrix))
    return WordVectors(tuple(contexts.words[row] for row in order), matrix)


def save_transform(transform: Transform, matrix: str | Path, fit: str | Path) -> None:
    """Write A as a plain NumPy file and its fit as JSON, each whole or not at all."""
    with atomic_path(matrix) as temporary, temporary.open("wb") as file:
        np.save(file, transform.matrix, allow_pickle=False)
    # JSON knows no NaN.
    values = {
        key: value if value == value else None for key, value in asdict(transform.fit).items()
    }
    write_text(json.dumps(values, indent=2, sort_keys=True) + "\n", fit)


def load_transform(matrix: str | Path, fit: str | Path) -> Transform:
    """Read what `save_transform` wrote.

    Raises
    ------
    InputError
        When a file is missing or damaged.
    """
    try:
        values = json.loads(Path(fit).read_text(encoding="utf-8"))
        loaded = np.load(matrix, allow_pickle=False)
        known: dict[str, Any] = {
            key: float("nan") if value is None else value for key, value in values.items()
        }
        return Transform(np.asarray(loaded, dtype=np.float64), Fit(**known))
    except (OSError, EOFError, ValueError, TypeError) as error:
        raise InputError(f"{matrix}: not a map of à la carte vectors ({error})") from error
