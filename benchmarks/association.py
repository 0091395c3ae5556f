"""Time the association engine beside scipy and, in a Python of its own, wefe 1.0.1.

    python benchmarks/association.py
    python benchmarks/association.py --wefe /path/to/wefe-environment/bin/python

Both run on the same random vectors in the same minutes, so the ratios count. wefe needs older
packages than this project: make it an environment of its own (``python -m venv``, ``pip install
wefe==1.0.1``). Prints Markdown; seconds are processor seconds of one core.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.stats import permutation_test as scipy_test

from biasatlas.association.permutation.p_value import permutation_test
from biasatlas.association.product import Design, effect_sizes
from biasatlas.association.scores import unit_rows, word_associations

EXACT = (8, 16, 20, 25, 28)
CERTIFIED = (32, 50, 100)
UNEQUAL = ((3, 60), (40, 60))
REGIONS, SEEDS, TESTS, DIMS = 5, 20, 10, 100
WEFE = Path(__file__).with_name("association_wefe.py")


def timed(call: Callable[[], object], least: float = 0.2) -> float:
    """Processor seconds of one call: the smallest of three means."""
    call()
    best, calls = float("inf"), 1
    for _ in range(3):
        while True:
            start = time.process_time()
            for _ in range(calls):
                call()
            spent = time.process_time() - start
            if spent >= least or calls >= 4096:
                break
            calls *= 4
        best = min(best, spent / calls)
    return best


def draw(n: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Random vectors of four sets of n words; X leans to A."""
    rng = np.random.default_rng(seed)
    sets = {name: rng.normal(size=(n, DIMS)) for name in "xyab"}
    sets["x"][:, 0] += 0.5
    sets["a"] += np.eye(DIMS)[0]
    return sets


def scores_of(sets: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Association scores of X and Y."""
    both = word_associations(np.vstack([sets["x"], sets["y"]]), sets["a"], sets["b"])
    return both[: len(sets["x"])], both[len(sets["x"]) :]


def time_p_values() -> list[str]:
    """Rows of the table of p-values: equal sets, a deep tail, unequal sets."""
    cases = [scores_of(draw(n)) for n in (*EXACT, *CERTIFIED)]
    rng = np.random.default_rng(2)
    cases.append((rng.normal(1.8, 1, 50), rng.normal(0, 1, 50)))
    cases += [(rng.normal(0.5, 1, n_x), rng.normal(0, 1, n_y)) for n_x, n_y in UNEQUAL]
    rows = []
    for x, y in cases:
        result = permutation_test(x, y)
        seconds = timed(lambda x=x, y=y: permutation_test(x, y))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        rows.append(
            f"| {len(x)} v {len(y)} | {result.method} | {seconds:.2g} s | {result.p_value:.3g} | "
            f"{result.p_upper - result.p_lower:.1g} | {peak:.0f} |"
        )
    return rows


def time_scipy() -> list[str]:
    """Rows for scipy's permutation test: exact at 8 v 8, sampled at 25 v 25."""

    def statistic(x: np.ndarray, y: np.ndarray, axis: int) -> np.ndarray:
        return np.mean(x, axis=axis) - np.mean(y, axis=axis)

    rows = []
    for n, resamples in ((8, np.inf), (25, 9_999)):
        x, y = scores_of(draw(n))
        options = {"vectorized": True, "n_resamples": resamples, "alternative": "greater"}
        seconds = timed(lambda: scipy_test((x, y), statistic, **options))  # noqa: B023
        p = scipy_test((x, y), statistic, **options).pvalue
        kind = "exact" if resamples == np.inf else f"{resamples:.0f} samples"
        rows.append(f"| {n} v {n} | {kind} | {seconds:.2g} s | {p:.3g} |")
    return rows


def time_scores() -> float:
    """Seconds a test: d of all tests of all regions and seeds in one product."""
    rng = np.random.default_rng(1)
    words = [f"w{n}" for n in range(600)]
    tests = []
    for _ in range(TESTS):
        chosen = rng.choice(words, size=66, replace=False)
        tests.append(dict(zip("xyab", np.split(chosen, [25, 50, 58]), strict=True)))
    design = Design.of(tests)
    models = rng.normal(size=(REGIONS * SEEDS, len(design.words), DIMS))

    def score() -> None:
        unit = np.stack([unit_rows(model) for model in models])
        effect_sizes(unit, design)

    return timed(score) / (REGIONS * SEEDS * TESTS)


def time_wefe(python: str) -> list[str]:
    """Rows for wefe, from its own Python on the same vectors."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vectors.npz"
        sizes = (8, 25)
        np.savez(path, **{f"{s}{n}": v for n in sizes for s, v in draw(n).items()})
        done = subprocess.run(
            [python, str(WEFE), str(path), *map(str, sizes)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    if done.returncode:
        sys.exit(f"wefe failed:\n{done.stderr}")
    return done.stdout.splitlines()


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--wefe", metavar="PYTHON", help="Python of an environment with wefe")
    python = parser.parse_args().wefe
    write = sys.stdout.write
    write("| sizes | method | time | p | width of the bounds | peak memory so far (MB) |\n")
    write("|---|---|---|---|---|---|\n")
    write("\n".join(time_p_values()) + "\n\n")
    write("| scipy.stats.permutation_test | method | time | p |\n|---|---|---|---|\n")
    write("\n".join(time_scipy()) + "\n\n")
    write(
        f"d of {TESTS} tests x {REGIONS} regions x {SEEDS} seeds: "
        f"{time_scores() * 1e6:.0f} us a test\n"
    )
    if python:
        write("\n| wefe 1.0.1 | part | time | result |\n|---|---|---|---|\n")
        write("\n".join(time_wefe(python)) + "\n")


if __name__ == "__main__":
    main()
