"""Words of a made-up language: pretrained vectors, frequencies and kinds of documents.

Texts follow the model in which à la carte vectors are derived (Arora et al. 2018; Khodak et al.
2018): a word appears in a discourse c with probability proportional to f_w exp(v_w . c). The
lengths below are those of GloVe 6B, 50 dimensions, as measured on the ten tests of Caliskan et
al.: vectors of length 5, of which 3.5 is common to all; the means of A and B 2 to 4 apart;
variance of running text along that line 0.35, of the words of one set 0.1 to 0.9.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biasatlas.vectors import WordVectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SETS = ("x", "y", "a", "b")
DIMS = 50
SET_SIZE = 8
COMMON = 3.5
APART = 3.0
SPREAD = 0.54
RANKS = (100, 1_000)
DISCOURSE = 1.85


@dataclass(frozen=True)
class Language:
    """Everything that the regions have in common.

    Attributes
    ----------
    vectors : WordVectors
        The pretrained vectors, most frequent words first.
    sets : ndarray, shape (n_tests, 4, 8), int64
        Words of X, Y, A, B of each test, as rows of `vectors`.
    kinds : ndarray, shape (n_kinds, dims)
        Discourse vectors of the kinds of documents.
    cumulative : ndarray, shape (n_kinds, n_words)
        Running sums of the probability of each word in each kind.
    """

    vectors: WordVectors
    sets: NDArray[np.int64]
    kinds: Floats
    cumulative: Floats

    def tests(self) -> list[dict[str, list[str]]]:
        """Word sets of each test."""
        words = self.vectors.words
        return [
            {name: [words[i] for i in some] for name, some in zip(SETS, test, strict=True)}
            for test in self.sets
        ]


def make_language(
    n_tests: int = 4, n_words: int = 2_000, n_kinds: int = 400, seed: int = 0
) -> Language:
    """Draw a language; the sets of a test are four clusters, as those of real tests are."""
    rng = np.random.default_rng(seed)
    common = _direction(rng) * COMMON
    matrix = common + rng.normal(0.0, SPREAD, (n_words, DIMS))
    ranks = rng.permutation(np.arange(*RANKS))[: n_tests * 4 * SET_SIZE]
    sets = ranks.reshape(n_tests, 4, SET_SIZE)
    for test in sets:
        targets, attributes = _direction(rng), _direction(rng)
        for some, line in zip(test, (targets, -targets, attributes, -attributes), strict=True):
            matrix[some] += line * APART / 2
    kinds = rng.normal(0.0, DISCOURSE / np.sqrt(DIMS), (n_kinds, DIMS))
    frequency = 1.0 / (np.arange(n_words) + 2.7)
    chances = frequency * np.exp(kinds @ (matrix - common).T)
    cumulative = np.cumsum(chances, axis=1)
    words = tuple(f"w{number:04d}" for number in range(n_words))
    vectors = WordVectors(words, matrix.astype(np.float32))
    return Language(vectors, sets, kinds, cumulative / cumulative[:, -1:])


def _direction(rng: np.random.Generator) -> Floats:
    """Draw a line of length one."""
    line = rng.normal(size=DIMS)
    return line / np.linalg.norm(line)
