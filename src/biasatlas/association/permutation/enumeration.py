"""Exact counts in the farthest tail: subsets that reach a threshold, found one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]


def enumerate_subsets(scores: Integers, size: int, low: int, high: int) -> tuple[int, int]:
    """Count the subsets of `size` scores whose sum is >= `low` and > `high`.

    The largest completion of a subset begun is known from running sums, so no branch is entered
    that holds no subset to count: the time grows with the count and not with the total.

    Parameters
    ----------
    scores : ndarray of int64, shape (n,)
        Scores in any order.
    size : int
        Scores in a subset, 1 to n.
    low, high : int
        Ends of the interval of ties.

    Returns
    -------
    at_least, above : int
    """
    at_least, above = _enumerate(np.sort(scores)[::-1].copy(), size, low, high)
    return int(at_least), int(above)


@njit(cache=True, nogil=True)
def _enumerate(scores, size, low, high):  # type: ignore[no-untyped-def]
    words = scores.size
    running = np.zeros(words + 1, np.int64)
    for word in range(words):
        running[word + 1] = running[word] + scores[word]
    # chosen[d] is the next candidate for place d, sums[d] the sum of the places before it.
    chosen = np.zeros(size + 1, np.int64)
    sums = np.zeros(size + 1, np.int64)
    at_least = 0
    above = 0
    depth = 0
    while depth >= 0:
        word = chosen[depth]
        missing = size - depth
        if word + missing > words or sums[depth] + running[word + missing] - running[word] < low:
            depth -= 1
        elif missing == 1:
            at_least += 1
            above += sums[depth] + scores[word] > high
            chosen[depth] += 1
        else:
            chosen[depth] += 1
            chosen[depth + 1] = word + 1
            sums[depth + 1] = sums[depth] + scores[word]
            depth += 1
    return at_least, above
