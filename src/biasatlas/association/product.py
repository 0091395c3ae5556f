"""Many association tests on many models as one matrix product."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biasatlas.lexicons.word_lists import SETS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

# A sum of squares below this share of the scores' scale is rounding: all scores are equal.
EQUAL = 1e-24


@dataclass(frozen=True)
class Design:
    """The word sets of many tests over one list of words.

    Attributes
    ----------
    words : tuple of str
        Every word of every set once, sorted.
    x, y, a, b : ndarray, shape (n_tests, n_words), float64
        1 where the word belongs to the set of that test, else 0.
    """

    words: tuple[str, ...]
    x: Floats
    y: Floats
    a: Floats
    b: Floats

    @classmethod
    def of(cls, tests: Sequence[Mapping[str, Sequence[str]]]) -> Design:
        """Compile tests, each a mapping of ``x``, ``y``, ``a``, ``b`` to its words.

        A word that a set holds twice counts once.
        """
        words = tuple(sorted({word for test in tests for name in SETS for word in test[name]}))
        index = {word: place for place, word in enumerate(words)}
        members = {name: np.zeros((len(tests), len(words))) for name in SETS}
        for row, test in enumerate(tests):
            for name in SETS:
                members[name][row, [index[word] for word in test[name]]] = 1.0
        return cls(words, **members)


def scores(unit: Floats, design: Design, present: Bools | None = None) -> Floats:
    """Association s(w, A, B) of every word with the attributes of every test.

    Parameters
    ----------
    unit : ndarray, shape (..., n_words, dims)
        Rows of length one, in the order of ``design.words``; rows of absent words are zero.
    design : Design
    present : ndarray of bool, shape (..., n_words), optional
        Words that have a vector in each model; all where left out.

    Returns
    -------
    ndarray, shape (..., n_words, n_tests)
        The mean cosine with A less the mean cosine with B: the product ``W (W^T G)``, where
        column t of G weighs the words of A with 1 / n_a and those of B with -1 / n_b. NaN for
        a test without a word of A or of B.
    """
    here = np.ones(unit.shape[:-1]) if present is None else present.astype(np.float64)
    weights = _share(design.a, here) - _share(design.b, here)
    return unit @ (np.swapaxes(unit, -1, -2) @ np.swapaxes(weights, -1, -2))


def effect_sizes(
    unit: Floats, design: Design, present: Bools | None = None
) -> tuple[Floats, Floats]:
    """Statistic and effect size d of every test on every model.

    Parameters
    ----------
    unit, design, present
        As in `scores`.

    Returns
    -------
    statistic, effect_size : ndarray, shape (..., n_tests)
        As in `association.scores`, on the words that are present; NaN where a set has none, or
        where all scores are equal.
    """
    here = np.ones(unit.shape[:-1]) if present is None else present.astype(np.float64)
    by_test = np.swapaxes(scores(unit, design, present), -1, -2)
    in_x, in_y = design.x * here[..., None, :], design.y * here[..., None, :]
    n_x, n_y = in_x.sum(axis=-1), in_y.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean_x = (in_x * by_test).sum(axis=-1) / n_x
        mean_y = (in_y * by_test).sum(axis=-1) / n_y
        n = n_x + n_y
        centre = (n_x * mean_x + n_y * mean_y) / n
        squares = ((in_x + in_y) * np.square(by_test - centre[..., None])).sum(axis=-1)
        statistic = mean_x - mean_y
        scale = np.square(np.abs(mean_x) + np.abs(mean_y))
        effect = np.where(squares > EQUAL * scale, statistic / np.sqrt(squares / (n - 1)), np.nan)
    return statistic, effect


def _share(members: Floats, here: Floats) -> Floats:
    """Members that are present, as shares of their number, shape (..., n_tests, n_words)."""
    held = members * here[..., None, :]
    total = held.sum(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        return held / total
