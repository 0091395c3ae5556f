"""Characteristic function of the sum of a random subset of fixed size.

Subsets of k of n scores are drawn with the probabilities of conditional Poisson sampling: each
word enters with its own probability, given that k enter. Equal probabilities give the uniform
subset of a permutation test, unequal ones the exponentially tilted. The characteristic function
is the elementary-symmetric recurrence, word by word, over a block of frequencies at once.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Complex = NDArray[np.complex128]
    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

BLOCK = 32
# A phase of 2**64 is one turn, so that integers that overflow lose whole turns and nothing else.
TURN = 2.0 * math.pi / 2.0**64
# Bound of the rounding of one step of the recurrence, in units of 2**-53: two phases (each within
# 11, as angles of up to pi are rounded three times), their product, one with a probability, a
# complex product, a sum; and the recurrence of real numbers that it is divided by.
STEP_ERROR = 32.0


def size_probability(inside: Floats, outside: Floats, size: int) -> float:
    """Probability that independent words with these probabilities number exactly `size`."""
    return float(_size_probability(inside, outside, size))


def characteristic_function(
    phases: Integers, inside: Floats, outside: Floats, size: int, start: int, stop: int
) -> Complex:
    """Characteristic function of the tilted sum at the frequencies `start` to `stop` - 1.

    Parameters
    ----------
    phases : ndarray of int64, shape (n,)
        Scores as turns of the base frequency, one turn = 2**64. Multiples of them are exact.
    inside, outside : ndarray, shape (n,)
        Probabilities of a word to enter and not to enter, independently.
    size : int
        Number of words that enter.
    start, stop : int
        Frequencies in multiples of the base frequency.

    Returns
    -------
    ndarray of complex128, shape (stop - start,)
        E exp(2 pi i f S) over subsets of `size` words; within `rounding_error` of the truth.
    """
    real, imaginary = _recurrence(phases, inside, outside, size, start, stop)
    total = _size_probability(inside, outside, size)
    return (real + 1j * imaginary) / total


def rounding_error(words: int) -> float:
    """Bound of the absolute error of the characteristic function of a sum of `words` words.

    Every term of the recurrence is a product of at most `words` rounded factors, and the
    magnitudes of the terms add up to 1 after the division by the probability of the size.
    """
    return (words + 2) * STEP_ERROR * 2.0**-53


@njit(cache=True, nogil=True)
def _size_probability(inside, outside, size):  # type: ignore[no-untyped-def]
    chance = np.zeros(size + 1)
    chance[0] = 1.0
    for word in range(inside.size):
        for taken in range(min(word + 1, size), 0, -1):
            chance[taken] = outside[word] * chance[taken] + inside[word] * chance[taken - 1]
        chance[0] *= outside[word]
    return chance[size]


@njit(cache=True, nogil=True)
def _recurrence(phases, inside, outside, size, start, stop):  # type: ignore[no-untyped-def]
    words = phases.size
    out_real = np.empty(stop - start)
    out_imaginary = np.empty(stop - start)
    # exp(i f s) of the frequency within a block; that of the block's first is worked out anew.
    table_real = np.empty((words, BLOCK))
    table_imaginary = np.empty((words, BLOCK))
    for word in range(words):
        for place in range(BLOCK):
            angle = np.float64(phases[word] * place) * TURN
            table_real[word, place] = math.cos(angle)
            table_imaginary[word, place] = math.sin(angle)
    real = np.empty((size + 1, BLOCK))
    imaginary = np.empty((size + 1, BLOCK))
    step_real = np.empty(BLOCK)
    step_imaginary = np.empty(BLOCK)
    for first in range(start, stop, BLOCK):
        real[:] = 0.0
        imaginary[:] = 0.0
        real[0] = 1.0
        for word in range(words):
            angle = np.float64(phases[word] * first) * TURN
            base_real = inside[word] * math.cos(angle)
            base_imaginary = inside[word] * math.sin(angle)
            stay = outside[word]
            for place in range(BLOCK):
                one, two = table_real[word, place], table_imaginary[word, place]
                step_real[place] = base_real * one - base_imaginary * two
                step_imaginary[place] = base_real * two + base_imaginary * one
            least = max(1, size - (words - 1 - word))
            for taken in range(min(word + 1, size), least - 1, -1):
                _advance(real, imaginary, taken, stay, step_real, step_imaginary)
            if least == 1:
                for place in range(BLOCK):
                    real[0, place] *= stay
        number = min(BLOCK, stop - first)
        out_real[first - start : first - start + number] = real[size, :number]
        out_imaginary[first - start : first - start + number] = imaginary[size, :number]
    return out_real, out_imaginary


# Contraction to fused products rounds once instead of twice, so the bound holds with it.
@njit(cache=True, nogil=True, fastmath={"contract"}, inline="never")
def _advance(real, imaginary, taken, stay, step_real, step_imaginary):  # type: ignore[no-untyped-def]
    for place in range(BLOCK):
        a, b = real[taken - 1, place], imaginary[taken - 1, place]
        c, d = step_real[place], step_imaginary[place]
        real[taken, place] = stay * real[taken, place] + (a * c - b * d)
        imaginary[taken, place] = stay * imaginary[taken, place] + (a * d + b * c)
