"""Time of a permutation p-value by size of the sets, and the band it reaches.

    python benchmarks/association_p.py
    python benchmarks/association_p.py 8 25 28      # sizes of X, Y as large

Prints a Markdown table: method, p, width of its band relative to p, processor milliseconds of a
whole call (the best of several; compilation and the first touch of memory left out), and the
peak memory of the process so far. Scores are normal, X moved by an effect of half a deviation;
the last rows take a deep tail and sets of unequal size.
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np

from biasatlas.association import PermutationResult, permutation_test

SIZES = (8, 16, 20, 25, 28, 32, 50, 100)
UNEQUAL = ((3, 60), (40, 60))


def timed(x: np.ndarray, y: np.ndarray) -> tuple[PermutationResult, float]:
    """Return the result and the least processor time of a call."""
    best, spent, runs = float("inf"), 0.0, 0
    while spent < 1.0 or runs < 3:
        runs += 1
        start = time.process_time()
        for _ in range(repeats := 100 if best < 1e-3 else 1):
            result = permutation_test(x, y)
        taken = time.process_time() - start
        best, spent = min(best, taken / repeats), spent + taken
    return result, best


def row(n_x: int, n_y: int, effect: float) -> str:
    """One row of the table."""
    rng = np.random.default_rng(n_x)
    result, seconds = timed(rng.normal(effect, 1, n_x), rng.normal(0, 1, n_y))
    width = (result.p_upper - result.p_lower) / result.p_value
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return (
        f"| {n_x} v {n_y} | {result.method} | {result.p_value:.3g} | {width:.1g} "
        f"| {seconds * 1e3:.3g} | {peak:.0f} |"
    )


def main() -> None:
    """Print the table."""
    sizes = [int(size) for size in sys.argv[1:]] or SIZES
    print("| sets | method | p | relative width | processor ms | peak memory (MB) |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    row(4, 4, 0.5)
    cases = [(size, size, 0.5) for size in sizes]
    if not sys.argv[1:]:
        cases += [(50, 50, 1.8), *((n_x, n_y, 0.5) for n_x, n_y in UNEQUAL)]
    for case in cases:
        print(row(*case), flush=True)


if __name__ == "__main__":
    main()
