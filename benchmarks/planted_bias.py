"""Planted-bias simulation: is an association that stands in one region's text found?

    python benchmarks/planted_bias.py                          # 200 runs a setting, tables
    python benchmarks/planted_bias.py --runs 20                # a quick look
    python benchmarks/planted_bias.py --plot docs/planted_bias.png
    python benchmarks/planted_bias.py --runs 600 --seed 1 --only "log odds, studentised"

Prints Markdown tables. Seeds are fixed: the same call prints the same tables, CPU seconds apart.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from planted.methods import METHODS
from planted.plot import draw
from planted.study import NULL, PLANTED, SEED, Cell, Share, oracle_power, study, table

Timed = tuple[dict[str, Share], float]


def timed_study(cell: Cell, runs: int, seed: int, names: Sequence[str]) -> Timed:
    """Study a setting, and say how many CPU seconds it took."""
    started = time.process_time()
    return study(cell, runs, seed, names), time.process_time() - started


def study_all(
    cells: Sequence[Cell], runs: int, seed: int, names: Sequence[str], jobs: int
) -> list[Timed]:
    """Study every setting, some at a time; the seeds of a setting are its own."""
    one = partial(timed_study, runs=runs, seed=seed, names=names)
    if jobs == 1:
        return [one(cell) for cell in cells]
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        return list(pool.map(one, cells))


def show(head: str, cells: Sequence[Cell], found: Sequence[Timed]) -> None:
    """Print one table, a setting a column."""
    names = [
        f"odds {cell.odds:g}, {cell.documents} documents of "
        + ", ".join(f"{n:g}" for n in cell.passages)
        + " passages"
        for cell in cells
    ]
    rows = {name: [str(shares[name]) for shares, _ in found] for name in found[0][0]}
    rows["CPU seconds"] = [f"{seconds:.0f}" for _, seconds in found]
    print(f"{head}\n\n{table(rows, ['', *names])}\n", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--oracle-runs", type=int, default=4_000)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--only", action="append", choices=list(METHODS), help="these tests")
    parser.add_argument("--jobs", type=int, default=1, help="settings at a time")
    parser.add_argument("--plot", type=Path, help="write the picture here")
    arguments = parser.parse_args()
    powers = {
        f"{cell.odds:g}": [f"{cell.documents}", str(oracle_power(cell, arguments.oracle_runs))]
        for cell in PLANTED
    }
    print(f"Power of the oracle\n\n{table(powers, ['odds', 'documents a region', 'power'])}\n")
    names = arguments.only or list(METHODS)
    found = study_all((*PLANTED, *NULL), arguments.runs, arguments.seed, names, arguments.jobs)
    planted, nothing = found[: len(PLANTED)], found[len(PLANTED) :]
    show(f"Both planted pairs of regions found, share of {arguments.runs} runs", PLANTED, planted)
    show(f"Any discovery, nothing planted, share of {arguments.runs} runs", NULL, nothing)
    if arguments.plot:
        shares = [[one for one, _ in some] for some in (planted, nothing)]
        draw(PLANTED, shares[0], NULL, shares[1], arguments.plot)


if __name__ == "__main__":
    main()
