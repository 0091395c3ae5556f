"""UMAP's layout of its graph: the same stochastic descent, in about half the time.

McInnes, Healy & Melville 2018, section 4.2. Two things differ from umap-learn's own loop. The
negative samples of one edge are all taken from where its head stands, so that the processor can
work on them together (umap-learn moves the head after each); and powers are computed in single
precision. docs/topic_speed.md shows that the clusters agree with umap-learn's as well as those of
two seeds of umap-learn agree.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import float32, njit, uint64
from numba.extending import intrinsic
from numpy.typing import NDArray

# Coordinates are filled up with zeros to a multiple of this, and negative samples are taken so
# many at a time: what one vector instruction holds.
LANES = 8
NEGATIVE_SAMPLES = 5


def lay_out(
    start: NDArray[np.float32],
    graph: Any,
    a: float,
    b: float,
    seed: int,
) -> NDArray[np.float32]:
    """Move points until near ones in the graph are near each other.

    Parameters
    ----------
    start : ndarray, shape (n, n_components)
        UMAP's first coordinates.
    graph : sparse matrix, shape (n, n)
        UMAP's fuzzy simplicial set.
    a, b : float
        Of the curve 1 / (1 + a d^(2b)).
    seed : int

    Returns
    -------
    ndarray, shape (n, n_components), float32
    """
    n, n_components = start.shape
    edges = graph.tocoo()
    edges.sum_duplicates()
    # umap-learn's numbers of epochs.
    epochs = 500 if n <= 10_000 else 200
    kept = edges.data >= edges.data.max() / epochs
    weights = edges.data[kept].astype(np.float64)
    points = np.zeros((n, -(-n_components // LANES) * LANES), dtype=np.float32)
    points[:, :n_components] = start
    # xorshift must not start at 0.
    state = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0] | np.uint64(1)
    _descend(
        points,
        edges.row[kept].astype(np.uint32),
        edges.col[kept].astype(np.uint32),
        (weights.max() / weights).astype(np.float32),
        epochs,
        np.float32(a),
        np.float32(b),
        state,
    )
    return np.ascontiguousarray(points[:, :n_components])


@intrinsic
def _fma(typing, x, y, z):  # type: ignore[no-untyped-def]
    """Single-precision ``x y + z``, rounded once on any processor."""

    def generate(context, builder, signature, values):  # type: ignore[no-untyped-def]
        return builder.fma(*values)

    return float32(float32, float32, float32), generate


@njit(inline="always")
def _power(x, b):  # type: ignore[no-untyped-def]
    """Power of a positive number, to 1e-5 of the value: exp2(b log2 x) by series."""
    bits = np.float32(x).view(np.int32)
    exponent = float32((bits >> 23) - 127)
    mantissa = np.int32((bits & 0x7FFFFF) | 0x3F800000).view(np.float32)
    if mantissa > float32(1.4142135):
        mantissa *= float32(0.5)
        exponent += float32(1)
    s = (mantissa - float32(1)) / (mantissa + float32(1))
    z = s * s
    series = _fma(z, float32(0.4121986), float32(0.5770780))
    series = _fma(z, _fma(z, series, float32(0.9617967)), float32(2.885390))
    y = _fma(s, series, exponent) * b
    whole = np.floor(y)
    r = y - whole
    p = _fma(r, float32(0.000154035), float32(0.0013333558))
    p = _fma(r, _fma(r, p, float32(0.009618129)), float32(0.05550411))
    p = _fma(r, _fma(r, p, float32(0.2402265)), float32(0.6931472))
    p = _fma(r, p, float32(1))
    return p * np.int32((np.int32(whole) + 127) << 23).view(np.float32)


@njit(inline="always")
def _square(away, lanes):  # type: ignore[no-untyped-def]
    """Sum of the squares of a row, in an order that is written out."""
    for lane in range(LANES):
        lanes[lane] = away[lane] * away[lane]
    for first in range(LANES, away.shape[0], LANES):
        for lane in range(LANES):
            lanes[lane] = _fma(away[first + lane], away[first + lane], lanes[lane])
    low = (lanes[0] + lanes[4]) + (lanes[2] + lanes[6])
    return low + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))


# No fastmath: whether a loop runs in vector instructions is decided at each turn by where the arrays
# happen to lie in memory, so that sums which may be reordered would differ from run to run.
@njit(cache=True, error_model="numpy")
def _descend(points, heads, tails, every, epochs, a, b, state):  # type: ignore[no-untyped-def]
    """All epochs; an edge is taken every `every` epochs, and `points` are moved in place."""
    n, width = uint64(points.shape[0]), points.shape[1]
    one, most = float32(1), float32(4)
    following = every.copy()
    every_negative = every / float32(NEGATIVE_SAMPLES)
    following_negative = every_negative.copy()
    here = np.empty(width, np.float32)
    away = np.zeros((LANES, width), np.float32)
    lanes = np.zeros(LANES, np.float32)
    squares = np.ones(LANES, np.float32)
    pushes = np.zeros(LANES, np.float32)
    for epoch in range(epochs):
        rate = float32(1.0 - epoch / epochs)
        now = float32(epoch)
        for edge in range(heads.shape[0]):
            if following[edge] > now:
                continue
            head, tail = heads[edge], tails[edge]
            for d in range(width):
                here[d] = points[head, d]
                away[0, d] = here[d] - points[tail, d]
            square = _square(away[0], lanes)
            if square > 0:
                power = _power(square, b)
                pull = float32(-2) * a * b * power / (square * _fma(a, power, one))
                for d in range(width):
                    step = min(max(pull * away[0, d], -most), most) * rate
                    here[d] += step
                    points[tail, d] -= step
            following[edge] += every[edge]
            wanted = int((now - following_negative[edge]) / every_negative[edge])
            following_negative[edge] += wanted * every_negative[edge]
            while wanted > 0:
                taken = min(wanted, LANES)
                wanted -= taken
                for p in range(taken):
                    state ^= state << uint64(13)
                    state ^= state >> uint64(7)
                    state ^= state << uint64(17)
                    other = ((state >> uint64(32)) * n) >> uint64(32)
                    for d in range(width):
                        away[p, d] = here[d] - points[other, d]
                    squares[p] = _square(away[p], lanes)
                for p in range(LANES):
                    scale = (float32(0.001) + squares[p]) * _fma(a, _power(squares[p], b), one)
                    pushes[p] = float32(2) * b / scale
                for p in range(taken):
                    for d in range(width):
                        here[d] = _fma(min(max(pushes[p] * away[p, d], -most), most), rate, here[d])
            for d in range(width):
                points[head, d] = here[d]
