"""Certified tail probabilities of the sum of a random subset of fixed size.

The share of subsets with a sum S >= T is the mean of a step function of S. Vaaler (1985, Bull.
AMS 12, 183-216) and, for the truncated exponential, Graham & Vaaler (1981, Trans. AMS 265,
283-302) give the closest functions above and below it whose Fourier transform ends at a given
frequency. Their means follow from the characteristic function phi at K frequencies, and they
differ by 1/(K + 1) of the period times the density at T: a band that holds the probability, with
nothing assumed about the distribution.

Subsets are drawn under the exponentially tilted measure Q, whose weights are exp(L S) for S and
T in periods. With M = E exp(L S) over all subsets alike and any L > 0

    sum over wraps m of E_Q[F(S - T + m)] = (1 - exp(-L))^-1 (p + exp(-L)(1 - p)) / (M exp(-L T)),

    F(x) = exp(-L x) for x >= 0, else 0,

exactly, as long as every S lies within one period of T. L at the saddlepoint puts the mean of Q
near T, so the band is relative to p however small p is. L = 0 is the limit: the sawtooth.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biasatlas.association.permutation.characteristic import (
    characteristic_function,
    rounding_error,
    size_probability,
)
from biasatlas.association.permutation.enumeration import enumerate_subsets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Complex = NDArray[np.complex128]
    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

FEWEST, MOST = 1 << 10, 1 << 20
UNIT = 2.0**-53
# Logarithm of Chernoff's bound at three standard deviations: beyond, the tilted form.
TILT_BELOW = -4.5
# Largest exponent per period.
STEEPEST = 500.0
# Subsets in the tail that are counted one by one, by Chernoff's bound of their number.
ENUMERABLE = 1 << 22


@dataclass(frozen=True)
class Tail:
    """Bounds of an upper tail: `lower` <= P(S > T), P(S >= T) <= `upper`."""

    lower: float
    upper: float
    method: str


@dataclass(frozen=True)
class Tilt:
    """Conditional Poisson sampling with a mean near the threshold.

    Attributes
    ----------
    rate : float
        L, the exponent per period.
    inside, outside : ndarray, shape (n,)
        Probabilities of each word to enter and not to, before the size is given.
    log_moment : float
        log M, the logarithm of E exp(L S) over all subsets alike.
    relative_error : float
        Bound of the rounding of ``exp(log_moment)`` and of the weights.
    """

    rate: float
    inside: Floats
    outside: Floats
    log_moment: float = 0.0
    relative_error: float = 0.0

    def chernoff(self, edge: float) -> float:
        """Logarithm of Chernoff's bound of P(S >= edge), `edge` in periods."""
        return self.log_moment - self.rate * edge


def tail(
    scores: Integers, size: int, threshold: int, slack: int, *, relative_width: float = 1e-3
) -> Tail:
    """Bound the share of subsets whose sum reaches a threshold at or above the mean.

    Parameters
    ----------
    scores : ndarray of int64, shape (n,)
        Scores that add up to 0, magnitudes to at most 2**60.
    size : int
        Scores in a subset, 1 to n - 1.
    threshold : int
        T >= 0.
    slack : int
        Sums within it are ties: counted by the upper bound and not by the lower.
    relative_width : float
        Width of the band, relative to its upper end, at which refinement stops; it also stops
        at `MOST` frequencies.

    Returns
    -------
    Tail
        With method ``exact`` (counted one by one), ``certified`` or ``certified_tail``.
    """
    ordered = np.sort(scores)
    lowest, highest = int(ordered[:size].sum()), int(ordered[-size:].sum())
    # A word's phase is rounded to 2**-64 of a period, less than one unit of the scores.
    slack += size
    if threshold - slack > highest:
        return Tail(0.0, 0.0, "exact")
    # Every sum within one period of either edge, and none where the wrap begins.
    period = max(threshold - lowest, highest - threshold) + 4 * slack
    period += period >> 10
    tilt = saddlepoint(ordered / period, size, threshold / period)
    number = math.comb(scores.size, size)
    chance = tilt.chernoff((threshold - slack) / period)
    if math.log(number) + chance < math.log(ENUMERABLE):
        at_least, above = enumerate_subsets(scores, size, threshold - slack, threshold + slack)
        return Tail(above / number, at_least / number, "exact")
    if chance > TILT_BELOW:
        tilt = _uniform(scores.size, size)
    return _refine(ordered, size, (threshold, slack, period), tilt, relative_width)


def _refine(
    scores: Integers, size: int, place: tuple[int, int, int], tilt: Tilt, relative_width: float
) -> Tail:
    threshold, slack, period = place
    phases = np.array([_turn(int(score), period) for score in scores])
    method = "certified_tail" if tilt.rate else "certified"
    phi = np.empty(0, np.complex128)
    upper, lower, terms = 1.0, 0.0, FEWEST
    while True:
        more = characteristic_function(
            phases, tilt.inside, tilt.outside, size, phi.size + 1, terms + 1
        )
        phi = np.concatenate([phi, more])
        error = rounding_error(scores.size)
        # Every band holds the truth, so their intersection does.
        upper = min(upper, _bound(phi, tilt, threshold - slack, period, error, above=True))
        lower = max(lower, _bound(phi, tilt, threshold + slack, period, error, above=False))
        if upper - lower <= relative_width * upper or terms >= MOST:
            return Tail(lower, upper, method)
        terms *= 2


def _bound(
    phi: Complex, tilt: Tilt, edge: int, period: int, phi_error: float, *, above: bool
) -> float:
    """One end of the band: the mean of the majorant or minorant with its jump at `edge`."""
    terms = phi.size
    rate = tilt.rate / (terms + 1)
    transform, size = extremal_transform(rate, terms)
    half = 0.5 if above else -0.5
    n = np.arange(1, terms + 1)
    transform = transform + half * (1 - n / (terms + 1))
    turns = n * np.int64(_turn(-edge, period))  # exact: overflow drops whole turns
    shift = np.exp((2j * math.pi * 2.0**-64) * turns)
    total = 2 * float(np.real(transform * phi * shift).sum())
    error = 2 * (phi_error + 64 * UNIT) * float(size.sum())
    if tilt.rate == 0.0:
        scale = 1 / (terms + 1)
        value = 0.5 - edge / period + scale * (total + half)
        error = scale * error + 8 * UNIT
    else:
        scale = math.exp(tilt.chernoff(edge / period)) / (terms + 1)
        mean = total + 0.5 / math.tanh(rate / 2) + half
        wrapped = math.exp(-tilt.rate) / -math.expm1(-tilt.rate)
        value = scale * mean - wrapped
        error = scale * (error + abs(mean) * (tilt.relative_error + 16 * UNIT))
        error += 4 * UNIT * wrapped
    return value + error if above else value - error


def extremal_transform(rate: float, terms: int) -> tuple[Complex, Floats]:
    """Fourier transform of the mean of the extremal majorant and minorant of exp(-rate x), x >= 0.

    With t = n / (terms + 1) and h(t) = coth((rate + 2 pi i t) / 2) / 2 it is, at t > 0,

        (1 - t) h(t) + (rate h(0) - rate h(t)) / (2 pi i),

    where rate h(0) is 1 at rate 0. The majorant has (1 - t) / 2 more, the minorant as much less
    (Graham & Vaaler 1981; at rate 0 the polynomials of Vaaler 1985, theorem 18).

    Parameters
    ----------
    rate : float
        Exponent per 1 / (terms + 1) of the period, >= 0.
    terms : int
        Number of frequencies.

    Returns
    -------
    transform : ndarray of complex128, shape (terms,)
        At n = 1 to terms.
    size : ndarray, shape (terms,)
        Sum of the magnitudes of its parts, the scale of its rounding, and of 1 / 2.
    """
    n = np.arange(1, terms + 1)
    t = n / (terms + 1)
    sine = np.sin(math.pi * t)
    below = 4 * (math.sinh(rate / 2) ** 2 + sine**2)
    h = (math.sinh(rate) - 1j * np.sin(2 * math.pi * t)) / below
    at_zero = 0.5 * rate / math.tanh(rate / 2) if rate else 1.0
    transform = (1 - t) * h + (at_zero - rate * h) / (2j * math.pi)
    return transform, np.abs(h) * (1 + rate) + at_zero + 0.5


def saddlepoint(scores: Floats, size: int, mean: float) -> Tilt:
    """Tilt the subsets so that their sum is about `mean`; not at all where that needs no raising.

    Minimises sum log(1 + exp(m + L z)) - m k - L mean, by Newton's method. Any rate gives valid
    bounds, so an early end costs width and not truth.
    """
    spread = float(np.sqrt(np.square(scores).sum()))
    features = np.column_stack([np.ones(scores.size), scores / spread])
    target = np.array([float(size), mean / spread])

    def objective(at: Floats) -> float:
        return float(np.logaddexp(0.0, features @ at).sum() - at @ target)

    at = np.array([math.log(size / (scores.size - size)), 0.0])
    value = objective(at)
    for _ in range(100):
        inside = _logistic(features @ at)
        slope = inside @ features - target
        curvature = (features * (inside * (1 - inside))[:, None]).T @ features
        curvature += 1e-12 * np.eye(2)
        step = np.linalg.solve(curvature, slope)
        fraction = 1.0
        while fraction > 1e-6 and objective(at - fraction * step) > value:
            fraction /= 2
        following = at - fraction * step
        proposed = objective(following)
        # At the largest sums the rate has no limit.
        if not proposed < value - 1e-12 * abs(value) or following[1] > STEEPEST * spread:
            break
        at, value = following, proposed
    if at[1] <= 0:
        return _uniform(scores.size, size)
    return _tilt(scores, size, float(at[0]), float(at[1]) / spread)


def _tilt(scores: Floats, size: int, level: float, rate: float) -> Tilt:
    exponents = level + rate * scores
    inside, outside = _logistic(exponents), _logistic(-exponents)
    log_sums = float(np.logaddexp(0.0, exponents).sum())
    log_number = math.log(math.comb(scores.size, size))
    log_size = math.log(size_probability(inside, outside, size))
    rounding = log_sums + log_number + abs(level) * size + abs(log_size)
    rounding += float(np.abs(exponents).sum()) + 4 * scores.size
    return Tilt(
        rate=rate,
        inside=inside,
        outside=outside,
        log_moment=log_size + log_sums - level * size - log_number,
        relative_error=8 * UNIT * rounding,
    )


def _uniform(words: int, size: int) -> Tilt:
    inside = np.full(words, size / words)
    return Tilt(0.0, inside, 1 - inside)


def _logistic(exponents: Floats) -> Floats:
    return np.exp(-np.logaddexp(0.0, -exponents))


def _turn(value: int, period: int) -> int:
    """Whole part of 2**64 value / period, as a signed integer without whole turns."""
    turn = ((value << 64) // period) % (1 << 64)
    return turn - (1 << 64) if turn >> 63 else turn
