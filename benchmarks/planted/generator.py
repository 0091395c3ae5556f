"""Documents of a region, with or without a planted association.

Every passage holds two slots: a word of X or Y, and one to three places on a word of A or B.
A document speaks of one test, keeps to some of the words of its sets and to two kinds of
discourse, and has its own share of agreeing slots, so that no two passages of it are independent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from planted.geometry import Language

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Bools = NDArray[np.bool_]

LENGTH = 40
# One in each half of a passage, so that their windows of six hardly meet.
SLOTS = 2
PASSAGES = 6.0
# Agreement of two slots of one document correlates with this.
WITHIN = 1 / 16
# A document keeps to some words of a set (Dirichlet) and mostly to the first of its two kinds.
BURST = 1.0
MAIN_KIND = 0.7
# Every second test has an association that is the same in all regions.
BASE = (1.0, 2.0)


@dataclass(frozen=True)
class Slots:
    """Where the planted pairs of words are, and what an oracle may know of them.

    Attributes
    ----------
    theme : ndarray, shape (n_documents,), int64
        Test of which each document speaks.
    passages : ndarray, shape (n_documents,), int64
    document : ndarray, shape (n_slots,), int64
    agrees : ndarray of bool, shape (n_slots,)
        X followed by A, or Y followed by B.
    """

    theme: Integers
    passages: Integers
    document: Integers
    agrees: Bools


@dataclass(frozen=True)
class Region:
    """Text of a region and its slots.

    Attributes
    ----------
    texts, documents : list of str, length n_passages
        Passages, and the document of each.
    slots : Slots
    """

    texts: list[str]
    documents: list[str]
    slots: Slots


def draw_slots(
    n_documents: int, odds: Floats, rng: np.random.Generator, passages: float = PASSAGES
) -> Slots:
    """Draw the slots of a region.

    Parameters
    ----------
    n_documents : int
    odds : ndarray, shape (n_tests,)
        Odds over all documents that a slot agrees. The share of a document is Beta distributed.
    rng : Generator
    passages : float
        Mean passages of a document: one and a Poisson number.
    """
    n_passages = 1 + rng.poisson(passages - 1.0, n_documents)
    theme = rng.integers(len(odds), size=n_documents)
    mean = (odds / (1.0 + odds))[theme]
    concentration = 1.0 / WITHIN - 1.0
    share = rng.beta(mean * concentration, (1.0 - mean) * concentration)
    document = np.repeat(np.arange(n_documents), n_passages * SLOTS)
    return Slots(theme, n_passages, document, rng.random(len(document)) < share[document])


def write_region(language: Language, slots: Slots, rng: np.random.Generator) -> Region:
    """Write the text around the slots."""
    n_documents = len(slots.theme)
    document = np.repeat(np.arange(n_documents), slots.passages)
    kinds = rng.integers(len(language.kinds), size=(n_documents, 2))
    second = (rng.random(len(document)) > MAIN_KIND).astype(np.int64)
    kind = kinds[document, second]
    tokens = _background(language, kind, rng)
    _fill_slots(language, slots, tokens, kind, rng)
    words = np.array(language.vectors.words, dtype=object)
    texts = [" ".join(row) for row in words[tokens].tolist()]
    names = [f"d{number:06d}" for number in range(n_documents)]
    return Region(texts, [names[number] for number in document], slots)


def make_regions(
    language: Language,
    n_documents: int,
    odds: float,
    rng: np.random.Generator,
    *,
    passages: tuple[float, ...] = (PASSAGES,) * 3,
) -> list[Region]:
    """Write regions; the first has `odds` in test 0, the others odds 1.

    The odds of the other tests are those of `BASE` in every region.

    Parameters
    ----------
    passages : tuple of float
        Mean passages of a document in each region, of which there are as many.
    """
    return [
        write_region(language, slots, rng)
        for slots in draw_all_slots(len(language.sets), n_documents, odds, rng, passages=passages)
    ]


def draw_all_slots(
    n_tests: int,
    n_documents: int,
    odds: float,
    rng: np.random.Generator,
    *,
    passages: tuple[float, ...] = (PASSAGES,) * 3,
) -> list[Slots]:
    """Draw the slots of all regions, as in `make_regions`."""
    base = np.resize(BASE, n_tests)
    planted = np.concatenate([[odds], base[1:]])
    return [
        draw_slots(n_documents, base if number else planted, rng, length)
        for number, length in enumerate(passages)
    ]


def _background(language: Language, kind: Integers, rng: np.random.Generator) -> Integers:
    """Draw every word from the kind of its passage, shape (n_passages, 40)."""
    n_kinds, n_words = language.cumulative.shape
    running = (language.cumulative + np.arange(n_kinds)[:, None]).ravel()
    wanted = rng.random((len(kind), LENGTH)) + kind[:, None]
    # Rounding at the upper end of a kind must not lead into the next.
    found = np.searchsorted(running, wanted, side="right") - kind[:, None] * n_words
    return np.minimum(found, n_words - 1)


def _fill_slots(
    language: Language,
    slots: Slots,
    tokens: Integers,
    kind: Integers,
    rng: np.random.Generator,
) -> None:
    """Put the words of the slots into the text.

    Which set a slot takes depends on nothing but the odds. Which word of the set depends on the
    document and, as in the background, on the kind of discourse.
    """
    n = len(slots.document)
    passage = np.repeat(np.arange(len(tokens)), SLOTS)
    theme = slots.theme[slots.document]
    target = rng.integers(2, size=n)
    attribute = 2 + np.where(slots.agrees, target, 1 - target)
    taste = np.log(rng.gamma(BURST, size=(len(slots.theme), 4, language.sets.shape[2])))
    half = LENGTH // SLOTS
    start = np.tile(np.arange(SLOTS), len(tokens)) * half + rng.integers(2, half - 6, size=n)
    gap = rng.integers(1, 4, size=n)
    for place, which in ((start, target), (start + gap, attribute)):
        candidates = language.sets[theme, which]
        vectors = language.vectors.matrix[candidates].astype(np.float64)
        pull = np.einsum("nwd,nd->nw", vectors, language.kinds[kind[passage]])
        # The largest of log weights with Gumbel noise is a draw by weight.
        noisy = pull + taste[slots.document, which] + rng.gumbel(size=pull.shape)
        tokens[passage, place] = candidates[np.arange(n), np.argmax(noisy, axis=1)]
