"""Exact counts of fixed-size subsets whose sum reaches a threshold, by meeting in the middle.

The scores are dealt into two halves. The sums of all subsets of each half are kept sorted, one
class for each subset size, and grown score by score with linear merges. Pairs of sums that reach
the threshold are then counted by two pointers that never turn back (Horowitz & Sahni 1974,
J. ACM 21(2), 277-292). Where the lists would be longer than `longest`, scores are left over, and
every way to take or leave them is counted in turn on the same two lists.

Merges and counts are cut into four stretches of equal length that advance side by side (the
"merge path" of Odeh et al. 2012): one stretch alone would wait on its own loads.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

# Entries in a list: two lists and the room for their merges take 24 bytes each, 0.8 GB.
LONGEST = 1 << 25
# Stands before and after each class, beyond any sum (magnitudes of scores add up to 2**60).
END = 1 << 61


def list_length(words: int, size: int) -> int:
    """Return the number of subsets of at most `size` out of `words` words."""
    return sum(math.comb(words, taken) for taken in range(min(words, size) + 1))


def count_subsets(
    scores: Integers,
    size: int,
    low: int,
    high: int,
    other: int | None = None,
    longest: int = LONGEST,
) -> tuple[int, int, int]:
    """Count the subsets of `size` scores whose sum reaches each of three thresholds.

    Parameters
    ----------
    scores : ndarray of int64, shape (n,)
        Sorted scores; their magnitudes add up to at most 2**60.
    size : int
        Scores in a subset, 1 to n - 1.
    low, high : int
        Ends of the interval of ties, within 2**60 of nought.
    other : int, optional
        A third threshold.
    longest : int
        Entries in a list beyond which scores are left over.

    Returns
    -------
    at_least, above, others : int
        Subsets with a sum >= low, > high and >= other (0 without a third threshold).
    """
    # Neighbours in value go to different halves, so that the halves are alike.
    halves = [scores[::2], scores[1::2]]
    kept = [_kept(half.size, size, longest) for half in halves]
    first, second = (half[:keep] for half, keep in zip(halves, kept, strict=True))
    left_over = np.concatenate([half[keep:] for half, keep in zip(halves, kept, strict=True)])
    # Allocated by numpy, which asks for large pages.
    room = max(_room(half.size, size) for half in (first, second))
    buffers = np.empty((3, room), np.int64)
    third = low if other is None else other
    wanted = other is not None
    return _count(first, second, left_over, size, low, high, third, wanted, buffers)


def _room(words: int, size: int) -> int:
    return list_length(words, size) + 2 * (min(words, size) + 1)


def _kept(words: int, size: int, longest: int) -> int:
    while words > 0 and list_length(words, size) > longest:
        words -= 1
    return words


@njit(cache=True, nogil=True)
def _count(first, second, left_over, size, low, high, other, wanted, buffers):  # type: ignore[no-untyped-def]
    # The first list lands in one of two buffers; the other is free for the second list.
    sums_1, spare = _sorted_sums(first, size, buffers[0], buffers[1])
    sums_2, spare = _sorted_sums(second, size, buffers[2], spare)
    starts_1, starts_2 = _starts(first.size, size), _starts(second.size, size)
    at_least = ties = others = 0
    for choice in range(1 << left_over.size):
        taken = 0
        shift = 0
        for word in range(left_over.size):
            if choice >> word & 1:
                taken += 1
                shift += left_over[word]
        for one in range(starts_1.size - 1):
            two = size - taken - one
            if two < 0 or two >= starts_2.size - 1:
                continue
            place_1, number_1 = starts_1[one], starts_1[one + 1] - starts_1[one] - 2
            place_2, number_2 = starts_2[two], starts_2[two + 1] - starts_2[two] - 2
            pairs = (sums_1, place_1, number_1, sums_2, place_2, number_2)
            count, least = _pairs(*pairs, low - shift)
            at_least += count
            if least <= np.uint64(high - low):
                ties += count - _pairs(*pairs, high + 1 - shift)[0]
            if wanted:
                others += _pairs(*pairs, other - shift)[0]
    return at_least, at_least - ties, others


@njit(cache=True, nogil=True)
def _starts(words, size):  # type: ignore[no-untyped-def]
    """Place of the first sum of each class, with room for an end on either side of it."""
    classes = min(words, size) + 1
    starts = np.empty(classes + 1, np.int64)
    starts[0] = 1
    number = 1
    for taken in range(classes):
        starts[taken + 1] = starts[taken] + number + 2
        number = number * (words - taken) // (taken + 1)
    return starts


@njit(cache=True, nogil=True)
def _sorted_sums(scores, size, sums, grown):  # type: ignore[no-untyped-def]
    """Sums of all subsets of up to `size` scores, sorted within each class; and the spare buffer.

    A class of more than half of the scores mirrors that of the scores it leaves out.
    """
    starts = _starts(0, size)
    sums[0], sums[1], sums[2] = -END, 0, END
    total = 0
    for seen in range(1, scores.size + 1):
        score = scores[seen - 1]
        total += score
        old = starts
        starts = _starts(seen, size)
        for taken in range(starts.size - 1):
            place = starts[taken]
            number = starts[taken + 1] - place - 2
            if taken == 0:
                grown[place] = 0
            elif 2 * taken > seen:
                mirror = starts[seen - taken] + number - 1
                for step in range(number):
                    grown[place + step] = total - grown[mirror - step]
            else:
                with_it = (old[taken - 1], old[taken] - old[taken - 1] - 2)
                without = (old[taken], number - with_it[1])
                if taken == seen:  # one score: nothing leaves it out
                    without = (old[taken] - 1, 0)
                _merge(sums, *with_it, *without, score, grown, place)
            grown[place - 1] = -END
            grown[place + number] = END
        sums, grown = grown, sums
    return sums, grown


@njit(cache=True, nogil=True)
def _merge(sums, f0, number_1, s0, number_2, score, grown, to0):  # type: ignore[no-untyped-def]
    """Merge one class plus a score with another class; both are followed by an end."""
    stretch = (number_1 + number_2) // 4
    f1 = f0 + _merge_cut(sums, f0, number_1, s0, number_2, score, stretch)
    f2 = f0 + _merge_cut(sums, f0, number_1, s0, number_2, score, 2 * stretch)
    f3 = f0 + _merge_cut(sums, f0, number_1, s0, number_2, score, 3 * stretch)
    s1 = s0 + stretch - (f1 - f0)
    s2 = s0 + 2 * stretch - (f2 - f0)
    s3 = s0 + 3 * stretch - (f3 - f0)
    to1, to2, to3 = to0 + stretch, to0 + 2 * stretch, to0 + 3 * stretch
    for step in range(stretch):
        left = sums[f0] + score
        right = sums[s0]
        take = left < right
        grown[to0 + step] = left if take else right
        f0 += take
        s0 += not take
        left = sums[f1] + score
        right = sums[s1]
        take = left < right
        grown[to1 + step] = left if take else right
        f1 += take
        s1 += not take
        left = sums[f2] + score
        right = sums[s2]
        take = left < right
        grown[to2 + step] = left if take else right
        f2 += take
        s2 += not take
        left = sums[f3] + score
        right = sums[s3]
        take = left < right
        grown[to3 + step] = left if take else right
        f3 += take
        s3 += not take
    for step in range(stretch, number_1 + number_2 - 3 * stretch):
        left = sums[f3] + score
        right = sums[s3]
        take = left < right
        grown[to3 + step] = left if take else right
        f3 += take
        s3 += not take


@njit(cache=True, nogil=True)
def _merge_cut(sums, place_1, number_1, place_2, number_2, score, taken):  # type: ignore[no-untyped-def]
    """How many of the `taken` smallest come from the first class."""
    low = max(0, taken - number_2)
    high = min(number_1, taken)
    while low < high:
        middle = (low + high) // 2
        if sums[place_1 + middle] + score < sums[place_2 + taken - 1 - middle]:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def _pairs(first, place_1, number_1, second, place_2, number_2, low):  # type: ignore[no-untyped-def]
    """Count pairs that reach `low`; and the least excess among those that were looked at.

    The excess is at most that of any pair above `low`, as a pointer turns at each boundary.
    """
    last = place_2 + number_2 - 1
    skip_1 = _below(first, place_1, number_1, low - second[last])
    skip_2 = _below(second, place_2, number_2, low - first[place_1 + number_1 - 1])
    place_1 += skip_1
    number_1 -= skip_1
    number_2 -= skip_2
    # s counts the sums of the second half found to reach the threshold with the present f - s.
    stretch = (number_1 + number_2) // 4
    s0 = 0
    s1 = stretch - _pairs_cut(first, place_1, number_1, second, last, number_2, low, stretch)
    s2 = 2 * stretch - _pairs_cut(
        first, place_1, number_1, second, last, number_2, low, 2 * stretch
    )
    s3 = 3 * stretch - _pairs_cut(
        first, place_1, number_1, second, last, number_2, low, 3 * stretch
    )
    f0, f1 = place_1, place_1 + stretch
    f2, f3 = f1 + stretch, f1 + 2 * stretch
    count0 = count1 = count2 = count3 = 0
    least = np.uint64(1 << 63)
    for _ in range(stretch):
        excess = first[f0 - s0] + second[last - s0] - low
        short = excess >> 63
        least = min(least, np.uint64(excess))
        count0 += s0 & short
        s0 += 1 + short
        f0 += 1
        excess = first[f1 - s1] + second[last - s1] - low
        short = excess >> 63
        least = min(least, np.uint64(excess))
        count1 += s1 & short
        s1 += 1 + short
        f1 += 1
        excess = first[f2 - s2] + second[last - s2] - low
        short = excess >> 63
        least = min(least, np.uint64(excess))
        count2 += s2 & short
        s2 += 1 + short
        f2 += 1
        excess = first[f3 - s3] + second[last - s3] - low
        short = excess >> 63
        least = min(least, np.uint64(excess))
        count3 += s3 & short
        s3 += 1 + short
        f3 += 1
    for _ in range(number_1 + number_2 - 4 * stretch):
        excess = first[f3 - s3] + second[last - s3] - low
        short = excess >> 63
        least = min(least, np.uint64(excess))
        count3 += s3 & short
        s3 += 1 + short
        f3 += 1
    return count0 + count1 + count2 + count3, least


@njit(cache=True, nogil=True)
def _below(sums, place, number, threshold):  # type: ignore[no-untyped-def]
    """How many sums of a class lie below a threshold."""
    low = 0
    while number > 0:
        half = number // 2
        if sums[place + low + half] < threshold:
            low += half + 1
            number -= half + 1
        else:
            number = half
    return low


@njit(cache=True, nogil=True)
def _pairs_cut(first, place_1, number_1, second, last, number_2, low, steps):  # type: ignore[no-untyped-def]
    """How many sums of the first half are passed after so many steps of the two pointers."""
    least = max(0, steps - number_2)
    most = min(number_1, steps)
    while least < most:
        middle = (least + most) // 2
        if first[place_1 + middle] + second[last - (steps - 1 - middle)] < low:
            least = middle + 1
        else:
            most = middle
    return least
