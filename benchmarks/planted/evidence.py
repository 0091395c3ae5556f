"""What the project reads from the text of a region: no slot is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biasatlas.association.companions.cooccurrence import count_cells, find_cooccurrences
from biasatlas.association.documents.sums import DocumentSums, sum_documents
from biasatlas.vectors.alc import Transform, fit_transform
from biasatlas.vectors.contexts import pool, sum_contexts
from planted.geometry import SETS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from biasatlas.association.product import Design
    from planted.generator import Region
    from planted.geometry import Language

    Floats = NDArray[np.float64]

WINDOW = 6
OPPOSITE = {"x": ("a", "b"), "y": ("a", "b"), "a": ("x", "y"), "b": ("x", "y")}


@dataclass(frozen=True)
class Evidence:
    """One region.

    Attributes
    ----------
    sums : DocumentSums
        Context means of the words of all tests.
    cells : ndarray, shape (n_documents, n_tests, 4)
        Co-occurrences of X with A, X with B, Y with A, Y with B.
    leanings : ndarray, shape (n_documents, n_tests, 8)
        Sums of the context means of X, Y, A, B along the pretrained line between the two
        opposite sets, and the occurrences of X, Y, A, B.
    """

    sums: DocumentSums
    cells: Floats
    leanings: Floats


def fit_map(regions: Sequence[Region], language: Language) -> Transform:
    """Fit the à la carte map on the regions together."""
    contexts = pool(sum_contexts(region.texts, language.vectors, WINDOW) for region in regions)
    return fit_transform(contexts, language.vectors)


def read_region(region: Region, language: Language, design: Design) -> Evidence:
    """Read the text of a region."""
    sums = sum_documents(region.texts, region.documents, design.words, language.vectors, WINDOW)
    near = find_cooccurrences(region.texts, region.documents, design.words, WINDOW)
    cells = np.stack([count_cells(near, test) for test in language.tests()], axis=1)
    return Evidence(sums, cells, _lean(sums, language))


def _lean(sums: DocumentSums, language: Language) -> Floats:
    tests = language.tests()
    leanings = np.zeros((len(sums.documents), len(tests), 2 * len(SETS)))
    place = {word: number for number, word in enumerate(sums.words)}
    for number, test in enumerate(tests):
        means = {name: language.vectors.rows(test[name]).mean(axis=0) for name in SETS}
        for column, name in enumerate(SETS):
            one, other = OPPOSITE[name]
            line = means[one] - means[other]
            for word in test[name]:
                here = slice(*sums.starts[place[word] : place[word] + 2])
                documents, rows = sums.document[here], sums.sums[here]
                leanings[documents, number, column] += rows[:, :-1] @ line
                leanings[documents, number, len(SETS) + column] += rows[:, -1]
    return leanings
