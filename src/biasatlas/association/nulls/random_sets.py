"""Null distributions of the effect size: random matched word sets, and shuffled labels.

In word vectors any two topics differ, so an effect size of 0.5 to 1 is normal. A score is told
from that by setting it against random word sets which are like its target sets in all that has
nothing to do with the attributes: as frequent, as coherent, and as near each other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING
from unicodedata import category

import numpy as np
from threadpoolctl import threadpool_limits

from biasatlas.association.nulls.matched_sets import (
    CHOICE,
    Candidates,
    Drawn,
    Wanted,
    centroids,
    coherence,
    draw_around,
    draw_beside,
    merge_octaves,
    octaves,
    share_out,
)
from biasatlas.association.scores import effect_sizes, unit_rows
from biasatlas.seeds import stable_seed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from biasatlas.vectors import WordVectors

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

# Sets that reach less than this below what was asked are called less coherent.
SLACK = 0.02
# Up to this many relabellings the shuffled band counts all of them.
ALL_LABELLINGS = 20_000
JOINERS = "'\u2019-_ \u200c\u200d"


@dataclass(frozen=True)
class MatchedNull:
    """Effect sizes of random sets matched to the target sets of a test.

    Attributes
    ----------
    d : ndarray, shape (n,)
        Effect sizes, scored on the test's own attribute sets.
    coherence, coherence_asked : ndarray, shape (n, 2) and (2,)
        Mean pairwise cosine within X' and Y', and within X and Y; NaN for a set of one word.
    log_rank, log_rank_asked : ndarray, shape (n, 2) and (2,)
        Mean natural logarithm of the words' frequency ranks, 1 = most frequent.
    similarity, similarity_asked : ndarray, shape (n,), and float
        Cosine of the two sets' centroids.
    rows_x, rows_y : ndarray, shape (n, n_x) and (n, n_y)
        The random sets, as rows of the vectors.
    note : str
        Why there is no null, or in what the random sets fall short of the real ones.
    """

    d: Floats
    coherence: Floats
    coherence_asked: Floats
    log_rank: Floats
    log_rank_asked: Floats
    similarity: Floats
    similarity_asked: float
    rows_x: Ints
    rows_y: Ints
    note: str = ""

    def summary(self, effect_size: float) -> dict[str, float]:
        """Place an effect size in the null: the ``null_*`` columns of the tables.

        Parameters
        ----------
        effect_size : float
            Effect size of the real sets.

        Returns
        -------
        dict
            ``null_low``, ``null_median``, ``null_high``: 2.5%, 50% and 97.5% of d;
            ``null_percentile``: share of the null below the effect size, ties half;
            ``null_p``: ``(1 + #{d >= effect size}) / (1 + n)``; ``null_p_two_sided``: twice the
            smaller of that and its counterpart for d <= effect size; ``null_n``; ``null_coherence``: mean coherence reached.
            All but ``null_n`` are NaN where there is no null.
        """
        names = ("low", "median", "high", "percentile", "p", "p_two_sided", "n", "coherence")
        n = len(self.d)
        values = [math.nan] * len(names)
        values[6] = n
        if n:
            values[:3] = np.quantile(self.d, [0.025, 0.5, 0.975]).tolist()
            values[7] = float(self.coherence.mean())
        if n and math.isfinite(effect_size):
            below, ties = (self.d < effect_size).mean(), (self.d == effect_size).mean()
            values[3] = float(below + ties / 2)
            values[4] = (1 + int((self.d >= effect_size).sum())) / (1 + n)
            lower = (1 + int((self.d <= effect_size).sum())) / (1 + n)
            # By the nearer tail and not by |d|, as the null need not be centred on 0.
            values[5] = min(1.0, 2 * min(values[4], lower))
        return {f"null_{name}": value for name, value in zip(names, values, strict=True)}


class NullSampler:
    """Draws random word sets from one model.

    Parameters
    ----------
    vectors : WordVectors
        Words most frequent first.
    pool : int
        Most words that one test's random sets are drawn from. They are taken at random from the
        vocabulary, octave by octave of frequency, where the test's words stand.
    seed : int

    Notes
    -----
    Left out of every random set: words of the test, in any capitals; single letters (but not
    Chinese characters); words with anything but letters, hyphens, apostrophes, spaces and
    underscores; words whose vector is zero.
    """

    def __init__(self, vectors: WordVectors, *, pool: int = 20_000, seed: int = 0) -> None:
        self.vectors = vectors
        self.pool = pool
        self.seed = seed
        squares = np.einsum("nd,nd->n", vectors.matrix, vectors.matrix, dtype=np.float64)
        usable = (squares > 0) & np.isfinite(squares)
        usable &= np.fromiter(map(is_word, vectors.words), dtype=bool, count=len(usable))
        self.usable = np.flatnonzero(usable)
        self.ranks = np.arange(1, len(usable) + 1)
        self.octaves = octaves(self.ranks)
        self._folded: dict[str, list[int]] = {}
        for row in self.usable.tolist():
            self._folded.setdefault(vectors.words[row].casefold(), []).append(row)

    # The order in which threads add changes the last bits, and with them which words are nearest.
    @threadpool_limits.wrap(limits=1, user_api="blas")
    def null(
        self,
        test_name: str,
        x_words: Iterable[str],
        y_words: Iterable[str],
        a_words: Iterable[str],
        b_words: Iterable[str],
        n: int = 500,
        *,
        match_similarity: bool = True,
    ) -> MatchedNull:
        """Score random sets matched to X and Y on the attribute sets A and B.

        The draws depend on the seed and the test's name, not on the order of tests or words.

        Parameters
        ----------
        test_name : str
        x_words, y_words, a_words, b_words : iterable of str
            Words that have vectors; a word given twice counts once.
        n : int
            Random pairs of sets.
        match_similarity : bool
            Match the cosine between the centroids of X and Y too. Without it the null is one of
            any two topics, which is wider where X and Y come from one domain.

        Raises
        ------
        KeyError
            For a word without a vector.
        ValueError
            For a word whose vector is zero.
        """
        words = [sorted(set(some)) for some in (x_words, y_words, a_words, b_words)]
        unit = [unit_rows(self.vectors.rows(some)) for some in words]
        ranks = [self._ranks(some) for some in words[:2]]
        rng = np.random.default_rng(stable_seed(self.seed, test_name))
        asked = np.array([float(coherence(one)) for one in unit[:2]])
        similarity = float(centroids(unit[0]) @ centroids(unit[1]))
        rows, bounds, counts = self._choose_candidates(
            [w for some in words for w in some], ranks, rng
        )
        needed = len(words[0]) + len(words[1])
        if len(rows) < needed or not n:
            reason = f"no random sets: {len(rows)} words to draw {needed} from" if n else ""
            return _no_null(asked, ranks, similarity, reason)
        matrix = self.vectors.matrix[rows].astype(np.float64)
        matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
        candidates = Candidates(matrix.astype(np.float32), bounds)
        wanted = [Wanted(count, one) for count, one in zip(counts, asked.tolist(), strict=True)]
        drawn = _draw_pairs(candidates, wanted, similarity if match_similarity else None, n, rng)
        scores = matrix @ (unit[2].mean(axis=0) - unit[3].mean(axis=0))
        return self._describe(drawn, candidates, scores, rows, asked, ranks, similarity)

    def _ranks(self, words: Sequence[str]) -> Ints:
        """Frequency ranks; a word composed from subwords is rarer than the whole vocabulary."""
        index = self.vectors.index
        return np.array([index.get(word, len(index)) + 1 for word in words], dtype=np.int64)

    def _choose_candidates(
        self, own: Sequence[str], ranks: Sequence[Ints], rng: np.random.Generator
    ) -> tuple[Ints, Ints, list[Ints]]:
        """Rows to draw from by group of like frequency, the groups' bounds, words to draw."""
        banned = sorted({row for word in own for row in self._folded.get(word.casefold(), ())})
        rows = np.setdiff1d(self.usable, banned, assume_unique=True)
        places = octaves(np.minimum(np.concatenate(ranks), len(self.ranks)))
        last = max(int(places.max()), int(self.octaves[rows].max(initial=0))) + 1
        available = np.bincount(self.octaves[rows], minlength=last)
        groups = merge_octaves(available.tolist(), np.bincount(places, minlength=last).tolist())
        group_of = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
        wanted = np.bincount(group_of[places], minlength=len(groups))
        used = np.flatnonzero(wanted)
        parts = [rows[group_of[self.octaves[rows]] == group] for group in used]
        shares = share_out(
            [len(part) for part in parts],
            wanted[used].tolist(),
            max(self.pool, CHOICE * int(wanted.sum())),
        )
        parts = [
            part if share == len(part) else np.sort(rng.choice(part, share, replace=False))
            for part, share in zip(parts, shares, strict=True)
        ]
        of_each = np.split(group_of[places], [len(ranks[0])])
        counts = [np.bincount(one, minlength=len(groups))[used] for one in of_each]
        return np.concatenate(parts), np.cumsum([0, *map(len, parts)]), counts

    def _describe(
        self,
        drawn: Sequence[Drawn],
        candidates: Candidates,
        scores: Floats,
        rows: Ints,
        asked: Floats,
        ranks: Sequence[Ints],
        similarity: float,
    ) -> MatchedNull:
        x, y = (one.picks for one in drawn)
        d = effect_sizes(np.concatenate([scores[x], scores[y]], axis=1), x.shape[1])
        kept = np.isfinite(d)
        middles = [centroids(candidates.unit[picks]) for picks in (x, y)]
        log_ranks = np.log(self.ranks[rows])
        reached = np.stack([one.coherence for one in drawn], axis=1)[kept].astype(np.float64)
        return MatchedNull(
            d=d[kept],
            coherence=reached,
            coherence_asked=asked,
            log_rank=np.stack([log_ranks[picks].mean(axis=1) for picks in (x, y)], axis=1)[kept],
            log_rank_asked=_mean_log_ranks(ranks),
            similarity=np.einsum("nd,nd->n", *middles)[kept].astype(np.float64),
            similarity_asked=similarity,
            rows_x=rows[x[kept]],
            rows_y=rows[y[kept]],
            note=_shortfall(reached, asked),
        )


def label_band(
    scores_x: Floats, scores_y: Floats, *, n: int = 2_000, seed: int = 0
) -> tuple[float, float]:
    """Band of the effect size when the labels X and Y are dealt at random to the words.

    Dealing leaves the standard deviation of all scores as it is, so d is a sum times a constant.

    Parameters
    ----------
    scores_x, scores_y : ndarray, shape (n_x,) and (n_y,)
        Association scores of the target words.
    n, seed : int
        Random labellings, and their seed, where there are more than 20,000 of them.

    Returns
    -------
    low, high : float
        2.5% and 97.5% of d, numpy's linear quantile; NaN when a set is empty or all scores are equal.
    """
    pooled = np.sort(np.concatenate([scores_x, scores_y]).astype(np.float64))
    n_x, n_y = len(scores_x), len(scores_y)
    spread = pooled.std(ddof=1) if n_x and n_y else 0.0
    if not spread > 1e-12 * np.abs(pooled).max(initial=1e-300):
        return math.nan, math.nan
    pooled -= pooled.mean()
    if math.comb(len(pooled), n_x) <= ALL_LABELLINGS:
        dealt = _all_labellings(len(pooled), n_x)
    else:
        keys = np.random.default_rng(seed).random((n, len(pooled)))
        dealt = np.argpartition(keys, n_x - 1, axis=1)[:, :n_x]
    d = pooled[dealt].sum(axis=1) * (1 / n_x + 1 / n_y) / spread
    low, high = np.quantile(d, [0.025, 0.975])
    return float(low), float(high)


@lru_cache(maxsize=16)
def _all_labellings(total: int, n_x: int) -> Ints:
    dealt = np.array(list(combinations(range(total), n_x)))
    dealt.flags.writeable = False
    return dealt


def is_word(token: str) -> bool:
    """Tell a word from a number, a sign, an address or a single letter."""
    if len(token) == 1:
        # A Chinese character, other than a letter, is a word.
        return "\u3400" <= token <= "\u9fff"
    if token.isalpha():
        return True
    # Vowel signs are marks; joiners stand inside Persian and Indian words.
    letters = [category(char)[0] in "LM" for char in token]
    return any(letters) and all(
        letter or char in JOINERS for letter, char in zip(letters, token, strict=True)
    )


def _draw_pairs(
    candidates: Candidates,
    wanted: Sequence[Wanted],
    similarity: float | None,
    n: int,
    rng: np.random.Generator,
) -> tuple[Drawn, Drawn]:
    total = len(candidates.unit)
    x = draw_around(candidates, rng.integers(total, size=n), wanted[0], rng)
    if similarity is None:
        return x, draw_around(candidates, rng.integers(total, size=n), wanted[1], rng, x.picks)
    return x, draw_beside(candidates, x.picks, wanted[1], similarity, rng)


def _mean_log_ranks(ranks: Sequence[Ints]) -> Floats:
    return np.array([np.log(some).mean() for some in ranks])


def _shortfall(reached: Floats, asked: Floats) -> str:
    """Say where random sets are less coherent than the real ones."""
    parts = [
        f"random sets like {name} reach coherence {got:.2f} of {want:.2f}"
        for name, got, want in zip("XY", reached.mean(axis=0), asked, strict=True)
        if got < want - SLACK
    ]
    return "; ".join(parts)


def _no_null(asked: Floats, ranks: Sequence[Ints], similarity: float, note: str) -> MatchedNull:
    return MatchedNull(
        d=np.empty(0),
        coherence=np.empty((0, 2)),
        coherence_asked=asked,
        log_rank=np.empty((0, 2)),
        log_rank_asked=_mean_log_ranks(ranks),
        similarity=np.empty(0),
        similarity_asked=similarity,
        rows_x=np.empty((0, len(ranks[0])), dtype=np.int64),
        rows_y=np.empty((0, len(ranks[1])), dtype=np.int64),
        note=note,
    )
