"""A null distribution for encoders without a vocabulary: the targets of the other tests.

A contextual model has no list of words from which random sets could be drawn. But a language's
other tests hold sets that people put together, each about one thing: two of them, scored on the
test's own attributes, show what d any two topics have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from biasatlas.association.nulls.matched_sets import centroids, coherence
from biasatlas.association.nulls.random_sets import MatchedNull
from biasatlas.association.scores import effect_sizes, unit_rows
from biasatlas.seeds import stable_seed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from biasatlas.lexicons.word_lists import AssociationTest
    from biasatlas.vectors import WordVectors

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

# With fewer ordered pairs of sets the null would be a handful of numbers drawn again and again.
FEWEST_PAIRS = 20


def name_test(variant: str, test: str) -> str:
    """Name of a test among all variants of a language."""
    return f"{variant} {test}"


@dataclass(frozen=True)
class _Set:
    """A target set: the rows of its words, and of which test and side it is."""

    test: str
    side: str
    rows: Ints


class OtherTargets:
    """Draws pairs of target sets from the other tests of a language.

    Parameters
    ----------
    vectors : WordVectors
        Under one encoder and in one space.
    tests : sequence of (str, AssociationTest)
        All tests of the language with their variant. Variants of one test are one concept told in
        other words: a draw first takes two concepts and then a variant of each.
    seed : int

    Notes
    -----
    Left out are the sets of a test of the same name; words of the scored test itself, in any
    capitals; a set that is then smaller than the one it stands for; and a pair of sets that have a
    word in common. The words of a set are drawn without replacement.
    """

    # The order in which threads add changes the last bits.
    @threadpool_limits.wrap(limits=1, user_api="blas")
    def __init__(
        self, vectors: WordVectors, tests: Sequence[tuple[str, AssociationTest]], *, seed: int = 0
    ) -> None:
        self.vectors = vectors
        self.seed = seed
        self.names = {name_test(variant, test.test): test.test for variant, test in tests}
        spelled = {word for _, test in tests for side in "xy" for word in getattr(test, side).words}
        matrix = vectors.matrix
        words = sorted(word for word in spelled if word in vectors)
        rows = [vectors.index[word] for word in words]
        squares = np.square(matrix[rows].astype(np.float64)).sum(axis=1)
        kept = (squares > 0) & np.isfinite(squares)
        self.words = [word for word, is_kept in zip(words, kept, strict=True) if is_kept]
        self.unit = unit_rows(vectors.rows(self.words))
        self.gram = (self.unit @ self.unit.T).astype(np.float32)
        forms = sorted({word.casefold() for word in self.words})
        self.form_of = {form: number for number, form in enumerate(forms)}
        self.forms = np.array([self.form_of[word.casefold()] for word in self.words], dtype=int)
        self._lay_out(self._find_sets(tests))

    def _lay_out(self, sets: Sequence[_Set]) -> None:
        """Arrays of the sets: padded rows, concepts, tests, and what any two have in common."""
        longest = max((len(one.rows) for one in sets), default=0)
        self.rows = np.zeros((len(sets), longest), dtype=np.int64)
        self.present = np.zeros((len(sets), longest), dtype=bool)
        holders: dict[int, list[int]] = {}
        for number, one in enumerate(sets):
            self.rows[number, : len(one.rows)] = one.rows
            self.present[number, : len(one.rows)] = True
            for form in self.forms[one.rows].tolist():
                holders.setdefault(form, []).append(number)
        self.tests = [one.test for one in sets]
        self.concepts = np.array(_number([(one.test, one.side) for one in sets]), dtype=np.int64)
        self.common = np.array(
            [
                (one, other, form)
                for form, numbers in holders.items()
                for one, other in combinations(numbers, 2)
                if self.concepts[one] != self.concepts[other]
            ],
            dtype=np.int64,
        ).reshape(-1, 3)

    def _find_sets(self, tests: Sequence[tuple[str, AssociationTest]]) -> list[_Set]:
        """The distinct target sets, in an order that does not hang on that of the tests."""
        index = {word: row for row, word in enumerate(self.words)}
        found: dict[tuple[int, ...], _Set] = {}
        for _, test in sorted(tests, key=lambda one: (one[1].test, one[0])):
            for side in "xy":
                spelled = {word: index[word] for word in getattr(test, side).words if word in index}
                # One spelling of a word is enough.
                first = {
                    word.casefold(): row for word, row in sorted(spelled.items(), reverse=True)
                }
                key = (*sorted(self.form_of[form] for form in first),)
                rows = np.array(sorted(first.values()), dtype=np.int64)
                # WEAT 3, 4 and 5 have one list of names: it is one concept.
                found.setdefault(key, _Set(test.test, side, rows))
        return [one for key, one in found.items() if key]

    def null(
        self,
        test_name: str,
        x_words: Sequence[str],
        y_words: Sequence[str],
        a_words: Sequence[str],
        b_words: Sequence[str],
        n: int = 500,
    ) -> MatchedNull:
        """Score pairs of other tests' target sets on the attribute sets A and B.

        Parameters
        ----------
        test_name : str
            As from `name_test`.
        x_words, y_words, a_words, b_words : sequence of str
            The test's own words, which have vectors.
        n : int
            Pairs of sets.

        Returns
        -------
        MatchedNull
            Of at most as many draws as there are pairs. Without `log_rank`, as there are no
            frequencies, and without `similarity`. With no d at all, and a note that says so, where
            there are fewer than 20 ordered pairs of sets.
        """
        x, y, a, b = (self.vectors.rows(words) for words in (x_words, y_words, a_words, b_words))
        x, y, a, b = (unit_rows(rows) for rows in (x, y, a, b))
        sizes = len(x), len(y)
        asked = np.array([float(coherence(one)) for one in (x, y)])
        similarity = float(centroids(x) @ centroids(y))
        free = np.ones(len(self.form_of), dtype=bool)
        own = {word.casefold() for word in (*x_words, *y_words, *a_words, *b_words)}
        free[[self.form_of[form] for form in own if form in self.form_of]] = False
        members = self.present & free[self.forms[self.rows]]
        members[[test == self.names[test_name] for test in self.tests]] = False
        pairs, chances, n_pairs = self._pairs(members.sum(axis=1), free, sizes)
        if n_pairs < FEWEST_PAIRS or not n:
            note = f"no null: {n_pairs} pairs of the other tests' target sets, of {FEWEST_PAIRS}"
            picks = [np.empty((0, size), dtype=np.int64) for size in sizes]
            return self._describe(picks, np.empty(0), asked, similarity, note if n else "")
        rng = np.random.default_rng(stable_seed(self.seed, test_name))
        # More draws than there are pairs would promise a p that so few pairs cannot give.
        note = f"rough null: {n_pairs} pairs of other topics" if n_pairs < n else ""
        n = min(n, n_pairs)
        drawn = pairs[rng.choice(len(pairs), size=n, p=chances)]
        picks = [
            _draw(self.rows[drawn[:, side]], members[drawn[:, side]], size, rng)
            for side, size in zip((0, 1), sizes, strict=True)
        ]
        # Not by BLAS, for its threads may change the last bits.
        scores = np.einsum("wd,d->w", self.unit, a.mean(axis=0) - b.mean(axis=0))
        d = effect_sizes(np.concatenate([scores[one] for one in picks], axis=1), sizes[0])
        return self._describe(picks, d, asked, similarity, note)

    def _pairs(self, counts: Ints, free: Bools, sizes: tuple[int, int]) -> tuple[Ints, Floats, int]:
        """Ordered pairs of sets with their chances, and how many pairs of concepts they are of."""
        allowed = (counts >= sizes[0])[:, None] & (counts >= sizes[1])
        allowed &= self.concepts[:, None] != self.concepts
        one, other, _ = self.common[free[self.common[:, 2]]].T
        allowed[one, other] = allowed[other, one] = False
        pairs = np.argwhere(allowed)
        concepts = self.concepts[pairs] @ (self.concepts.max(initial=0) + 1, 1)
        _, which, often = np.unique(concepts, return_inverse=True, return_counts=True)
        return pairs, 1.0 / (often[which] * len(often)), len(often)

    def _describe(
        self, picks: Sequence[Ints], d: Floats, asked: Floats, similarity: float, note: str
    ) -> MatchedNull:
        kept = np.isfinite(d)
        x, y = (one[kept] for one in picks)
        rows = np.array([self.vectors.index[word] for word in self.words], dtype=np.int64)
        reached = [self._coherence(one) for one in (x, y)]
        return MatchedNull(
            d=d[kept],
            coherence=np.stack(reached, axis=1),
            coherence_asked=asked,
            log_rank=np.full((len(x), 2), np.nan),
            log_rank_asked=np.full(2, np.nan),
            similarity=np.full(len(x), np.nan),
            similarity_asked=similarity,
            rows_x=rows[x],
            rows_y=rows[y],
            note=note,
        )

    def _coherence(self, picks: Ints) -> Floats:
        """Mean cosine between two different words of each set; NaN for a set of one word."""
        n = picks.shape[1]
        if n < 2:
            return np.full(len(picks), np.nan)
        within = self.gram[picks[:, :, None], picks[:, None, :]]
        total: Floats = within.sum(axis=(1, 2), dtype=np.float64)
        return (total - n) / (n * (n - 1))


def _draw(rows: Ints, members: Bools, size: int, rng: np.random.Generator) -> Ints:
    """Draw `size` members of each row without replacement, shape (n, size)."""
    keys = np.where(members, rng.random(members.shape), 2.0)
    places = np.argpartition(keys, size - 1, axis=1)[:, :size]
    drawn: Ints = np.take_along_axis(rows, places, axis=1)
    return drawn


def _number(values: Sequence[tuple[str, str]]) -> list[int]:
    numbers = {value: number for number, value in enumerate(dict.fromkeys(values))}
    return [numbers[value] for value in values]
