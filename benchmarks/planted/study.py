"""Runs of the simulation: who finds the planted association, and who finds what is not there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import binomtest

from biasatlas.association.multiplicity import benjamini_hochberg
from biasatlas.association.product import Design
from planted.evidence import fit_map, read_region
from planted.generator import PASSAGES, draw_all_slots, make_regions
from planted.geometry import make_language
from planted.methods import METHODS
from planted.oracle import ask_oracle

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from planted.methods import Found

    Floats = NDArray[np.float64]

Q = 0.10
SEED = 20_261_130
N_TESTS = 4
ORACLE = "oracle"


@dataclass(frozen=True)
class Cell:
    """One setting.

    Attributes
    ----------
    odds : float
        1 where nothing is planted.
    documents : int
        Of each region.
    passages : tuple of float
        Mean passages of a document in each region.
    """

    odds: float
    documents: int
    passages: tuple[float, ...] = (PASSAGES,) * 3


# Numbers of documents at which the oracle finds both planted pairs in 99 of 100 runs.
PLANTED = (Cell(1.5, 690), Cell(2.0, 250), Cell(3.0, 108))
NULL = (Cell(1.0, 250), Cell(1.0, 250, (3.0, 6.0, 12.0)))


@dataclass(frozen=True)
class Share:
    """Runs of which something is true, with the exact (Clopper-Pearson) 95% interval."""

    hits: int
    runs: int

    @property
    def value(self) -> float:
        """The share."""
        return self.hits / self.runs

    @property
    def interval(self) -> tuple[float, float]:
        """Its ends."""
        found = binomtest(self.hits, self.runs).proportion_ci(method="exact")
        return float(found.low), float(found.high)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.value:.3f} ({low:.3f}, {high:.3f})"


def discoveries(p_values: Floats) -> NDArray[np.bool_]:
    """Benjamini-Hochberg over all tests and pairs of regions, shape (n_pairs, n_tests)."""
    return benjamini_hochberg(p_values.ravel()).reshape(p_values.shape) <= Q


def judge(found: Found, cell: Cell) -> bool:
    """Whether a run counts: planted pairs all found with their sign; at odds 1, any discovery."""
    difference, p_value = found
    claimed = discoveries(p_value)
    if cell.odds == 1.0:
        return bool(claimed.any())
    # Pairs come as (0, 1), (0, 2), ..., so those of the planted region stand first.
    pairs = len(cell.passages) - 1
    return bool((claimed[:pairs, 0] & (difference[:pairs, 0] > 0)).all())


def study(
    cell: Cell, runs: int, seed: int = SEED, names: Sequence[str] = tuple(METHODS)
) -> dict[str, Share]:
    """Share of runs that count, for the oracle and each of some methods.

    The à la carte map is fitted on the regions of the first run and kept: language and kinds of
    discourse are the same in all.
    """
    language = make_language(N_TESTS)
    design = Design.of(language.tests())
    hits = dict.fromkeys((ORACLE, *names), 0)
    transform = None
    for run in range(runs):
        rng = np.random.default_rng([seed, round(100 * cell.odds), len(set(cell.passages)), run])
        regions = make_regions(language, cell.documents, cell.odds, rng, passages=cell.passages)
        transform = transform or fit_map(regions, language)
        evidence = [read_region(region, language, design) for region in regions]
        hits[ORACLE] += judge(ask_oracle([region.slots for region in regions], N_TESTS), cell)
        for name in names:
            method = METHODS[name]
            pairs = [method(*pair, design, transform, run) for pair in combinations(evidence, 2)]
            difference, p_value = (np.array(some) for some in zip(*pairs, strict=True))
            hits[name] += judge((difference, p_value), cell)
    return {name: Share(n, runs) for name, n in hits.items()}


def oracle_power(cell: Cell, runs: int, seed: int = SEED) -> Share:
    """Share of runs that count for the oracle, from slots alone."""
    rng = np.random.default_rng([seed, round(100 * cell.odds), cell.documents])
    hits = 0
    for _ in range(runs):
        slots = draw_all_slots(N_TESTS, cell.documents, cell.odds, rng, passages=cell.passages)
        hits += judge(ask_oracle(slots, N_TESTS), cell)
    return Share(hits, runs)


def table(rows: Mapping[str, Sequence[str]], heads: Sequence[str]) -> str:
    """Write a Markdown table."""
    lines = [heads, ["---"] * len(heads), *([name, *row] for name, row in rows.items())]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
