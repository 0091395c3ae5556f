"""Random word sets as frequent, as coherent and as near each other as given ones.

A set is drawn around a centre word: from each group of like frequency as many words as the given
set has there, at random among those nearest the centre. The fewer the words to choose among, the
tighter the set, so the width of the choice is tuned until the set is as coherent as the given one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.floating]
    Ints = NDArray[np.int64]

# Candidates that a group of like frequency needs for each word to draw from it, or it is merged.
CHOICE = 4
# Ranks up to this one are one octave: there are too few such words to tell apart.
COMMON = 128
# Step between two widths of the choice around a centre.
WIDEN = np.sqrt(2)
# Draws handled at once, which bounds the memory.
BATCH = 64
# Closeness to a centre is sorted as 16-bit integers, which numpy sorts by radix, 4x faster.
FARTHEST = 2**16 - 2
TAKEN = 2**16 - 1
# Tries to place the centre of Y' so that its set is as near X' as Y is to X.
PASSES = 3
# A set less coherent than asked by more than this is drawn anew around its own centroid ...
SHORT = 0.01
# ... this often: a word beside the middle of its topic makes a poor centre of a tight set.
TIGHTEN = 2


def octaves(ranks: Ints) -> Ints:
    """Octave of each rank (1 = most frequent): ranks from 2^k to 2^(k + 1) - 1 share one."""
    return np.floor(np.log2(np.maximum(ranks, COMMON - 1) + 0.5)).astype(np.int64)


def merge_octaves(available: Sequence[int], needed: Sequence[int]) -> list[list[int]]:
    """Join neighbouring octaves until each group has `CHOICE` candidates for a word.

    Parameters
    ----------
    available, needed : sequence of int
        Candidates in each octave, and words to draw from it.

    Returns
    -------
    list of list of int
        Octaves of each group, the most frequent first. The only group may still fall short.
    """

    def falls_short(group: list[int]) -> bool:
        return sum(available[k] for k in group) < CHOICE * sum(needed[k] for k in group)

    groups: list[list[int]] = []
    for octave in range(len(available)):
        if groups and falls_short(groups[-1]):
            groups[-1].append(octave)
        else:
            groups.append([octave])
    while len(groups) > 1 and falls_short(groups[-1]):
        groups[-2:] = [groups[-2] + groups[-1]]
    return groups


def share_out(available: Sequence[int], wanted: Sequence[int], total: int) -> list[int]:
    """Share `total` places among groups in proportion to `wanted`, at most what each has."""
    shares = [0] * len(available)
    left, weight = total, sum(wanted)
    # The group with the fewest candidates for its share first, so that others get what it leaves.
    for group in sorted(range(len(available)), key=lambda k: (available[k] / wanted[k], k)):
        shares[group] = min(available[group], left * wanted[group] // weight)
        left -= shares[group]
        weight -= wanted[group]
    return shares


def coherence(sets: Floats) -> Floats:
    """Mean cosine over the pairs of words of each set.

    Parameters
    ----------
    sets : ndarray, shape (..., n, d)
        Unit rows.

    Returns
    -------
    ndarray, shape (...)
        ``(|sum of rows|^2 - n) / (n (n - 1))``; NaN for a set of one word.
    """
    n = sets.shape[-2]
    total = sets.sum(axis=-2)
    squares = np.einsum("...d,...d->...", total, total)
    return (squares - n) / (n * (n - 1)) if n > 1 else np.full(squares.shape, np.nan)


def centroids(sets: Floats) -> Floats:
    """Direction of the mean of each set's unit rows, shape (..., d), length one."""
    total = sets.sum(axis=-2)
    lengths = np.linalg.norm(total, axis=-1, keepdims=True)
    return np.asarray(total / np.maximum(lengths, np.finfo(total.dtype).tiny))


def distinct_positions(uniform: Floats, widths: Ints) -> Ints:
    """Distinct positions below each width, every subset equally likely (Floyd's algorithm).

    Parameters
    ----------
    uniform : ndarray, shape (draws, n)
        Numbers from [0, 1), the same for all widths, so that sets change little with it.
    widths : ndarray, shape (k,)
        Each at least n.

    Returns
    -------
    ndarray, shape (k, draws, n)
    """
    draws, n = uniform.shape
    chosen = np.full((len(widths), draws, n), -1, dtype=np.int64)
    for step in range(n):
        last = (widths - n + step)[:, None]
        drawn = (uniform[None, :, step] * (last + 1)).astype(np.int64)
        repeated = (chosen[:, :, :step] == drawn[:, :, None]).any(axis=-1)
        chosen[:, :, step] = np.where(repeated, last, drawn)
    return chosen


@dataclass(frozen=True)
class Candidates:
    """Words that random sets are drawn from.

    Attributes
    ----------
    unit : ndarray, shape (n, d), float32
        Unit rows, ordered by group.
    bounds : ndarray, shape (groups + 1,)
        Group g holds rows ``bounds[g]`` to ``bounds[g + 1] - 1``.
    """

    unit: NDArray[np.float32]
    bounds: Ints

    @property
    def sizes(self) -> Ints:
        """Candidates in each group."""
        return np.diff(self.bounds)


@dataclass(frozen=True)
class Wanted:
    """What a random set should be like.

    Attributes
    ----------
    counts : ndarray, shape (groups,)
        Words to draw from each group.
    coherence : float
        Mean pairwise cosine; NaN (a set of one word) asks for none.
    """

    counts: Ints
    coherence: float


@dataclass(frozen=True)
class Drawn:
    """Random sets.

    Attributes
    ----------
    picks : ndarray, shape (draws, n)
        Rows of the candidates.
    coherence : ndarray, shape (draws,)
        Mean pairwise cosine reached.
    """

    picks: Ints
    coherence: Floats


def draw_around(
    candidates: Candidates,
    centres: Ints,
    wanted: Wanted,
    rng: np.random.Generator,
    taken: Ints | None = None,
) -> Drawn:
    """Draw one set around each centre, or near it where that set is not coherent enough.

    Parameters
    ----------
    candidates : Candidates
    centres : ndarray, shape (draws,)
        Rows of the candidates.
    wanted : Wanted
    rng : numpy Generator
    taken : ndarray, shape (draws, m), optional
        Rows that a draw's set must not hold.

    Returns
    -------
    Drawn
    """
    uniform = rng.random((len(centres), int(wanted.counts.sum())))
    parts = []
    for start in range(0, len(centres), BATCH):
        batch = slice(start, start + BATCH)
        banned = None if taken is None else taken[batch]
        middles = candidates.unit[centres[batch]]
        picks, reached = _around(candidates, middles, wanted, uniform[batch], banned)
        for _ in range(TIGHTEN):
            short = np.flatnonzero(reached < wanted.coherence - SHORT)
            if not short.size:
                break
            middles = centroids(candidates.unit[picks[short]])
            some = None if banned is None else banned[short]
            again, tighter = _around(candidates, middles, wanted, uniform[batch][short], some)
            better = tighter > reached[short]
            picks[short[better]], reached[short[better]] = again[better], tighter[better]
        parts.append(Drawn(picks, reached))
    return _join(parts)


def _join(parts: Sequence[Drawn]) -> Drawn:
    return Drawn(
        np.concatenate([part.picks for part in parts]),
        np.concatenate([part.coherence for part in parts]),
    )


def _around(
    candidates: Candidates, middles: Floats, wanted: Wanted, uniform: Floats, banned: Ints | None
) -> tuple[Ints, Floats]:
    """Rows and coherence of one set around each unit vector of `middles`."""
    closeness = _closeness(candidates, middles)
    if banned is not None:
        np.put_along_axis(closeness, banned, TAKEN, axis=1)
    choices = _choices(candidates, closeness, wanted.counts, uniform, banned)
    return _most_alike(candidates, choices, wanted.coherence)


def _closeness(candidates: Candidates, middles: Floats) -> NDArray[np.uint16]:
    """Rank-like distance of every candidate from each middle, 0 = nearest, scaled by draw.

    In narrow spaces, where all cosines are above .9, a fixed scale would leave a few steps only.
    """
    cosine = middles @ candidates.unit.T
    low = cosine.min(axis=1, keepdims=True)
    high = cosine.max(axis=1, keepdims=True)
    # In place: these arrays are most of the work.
    np.subtract(high, cosine, out=cosine)
    cosine *= FARTHEST / np.maximum(high - low, np.float32(1e-12))
    return cosine.astype(np.uint16)


def _choices(
    candidates: Candidates,
    closeness: NDArray[np.uint16],
    counts: Ints,
    uniform: Floats,
    banned: Ints | None,
) -> Ints:
    """One set for each width of the choice and draw, shape (widths, draws, n)."""
    used = np.flatnonzero(counts)
    banned_most = _banned_most(candidates, banned)
    room = candidates.sizes - banned_most
    steps = int(np.ceil(np.log(max(room[used] / counts[used])) / np.log(WIDEN))) + 1
    factors = WIDEN ** np.arange(max(steps, 1))
    picks = []
    first = 0
    for group in used:
        n = counts[group]
        low, high = candidates.bounds[group : group + 2]
        order = np.argsort(closeness[:, low:high], axis=1, kind="stable")
        widths = np.minimum(np.ceil(factors * n).astype(np.int64), room[group])
        places = distinct_positions(uniform[:, first : first + n], widths)
        first += n
        picks.append(low + np.take_along_axis(order[None], places, axis=2))
    return np.concatenate(picks, axis=2)


def _banned_most(candidates: Candidates, banned: Ints | None) -> Ints:
    """Most words of each group that any draw bans; they stand last in its order."""
    if banned is None:
        return np.zeros_like(candidates.sizes)
    groups = np.searchsorted(candidates.bounds, banned, side="right") - 1
    return np.array([(groups == g).sum(axis=1).max() for g in range(len(candidates.sizes))])


def _most_alike(candidates: Candidates, choices: Ints, asked: float) -> tuple[Ints, Floats]:
    """Of each draw's sets the one whose coherence comes nearest the one asked for."""
    reached = np.stack([coherence(candidates.unit[picks]) for picks in choices])
    draws = np.arange(choices.shape[1])
    if np.isfinite(asked):
        best = np.abs(reached - asked).argmin(axis=0)
    else:
        best = np.full(len(draws), len(choices) - 1)
    return choices[best, draws], reached[best, draws]


def draw_beside(
    candidates: Candidates,
    first: Ints,
    wanted: Wanted,
    similarity: float,
    rng: np.random.Generator,
) -> Drawn:
    """Draw one set beside each given one, disjoint from it and as near it as asked.

    The centre is first put where its cosine with the given set's centroid is the one asked for,
    then moved by what the set drawn around it misses; the best of `PASSES` sets is kept.

    Parameters
    ----------
    candidates : Candidates
    first : ndarray, shape (draws, m)
        Rows of the sets drawn before.
    wanted : Wanted
    similarity : float
        Cosine of the two sets' centroids.
    rng : numpy Generator
    """
    parts = [
        _beside_batch(candidates, first[start : start + BATCH], wanted, similarity, rng)
        for start in range(0, len(first), BATCH)
    ]
    return _join(parts)


def _beside_batch(
    candidates: Candidates,
    first: Ints,
    wanted: Wanted,
    similarity: float,
    rng: np.random.Generator,
) -> Drawn:
    beside = centroids(candidates.unit[first])
    nearness = beside @ candidates.unit.T
    # A word of the first set is no centre of the second.
    np.put_along_axis(nearness, first, -2, axis=1)
    draws = np.arange(len(first))
    aim = np.full(len(first), similarity, dtype=np.float32)
    best = np.full(len(first), np.inf)
    picks = np.zeros((len(first), int(wanted.counts.sum())), dtype=np.int64)
    reached = np.full(len(first), np.nan)
    for _ in range(PASSES):
        centres = np.abs(nearness - aim[:, None]).argmin(axis=1)
        drawn = draw_around(candidates, centres, wanted, rng, taken=first)
        cosine = np.einsum("nd,nd->n", centroids(candidates.unit[drawn.picks]), beside)
        misses = np.abs(cosine - similarity)
        if np.isfinite(wanted.coherence):
            misses = misses + np.abs(drawn.coherence - wanted.coherence)
        better = misses < best
        best[better] = misses[better]
        picks[better], reached[better] = drawn.picks[better], drawn.coherence[better]
        aim = np.clip(nearness[draws, centres] + similarity - cosine, -1, 1)
    return Drawn(picks, reached)
