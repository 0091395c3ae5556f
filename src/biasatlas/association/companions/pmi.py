"""Association in the text itself: co-occurrences, no word vectors (Valentini et al. 2023)."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from biasatlas.association.companions.interval import NEUTRAL, Companion

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# Haldane (1956) and Anscombe (1956): added to each count, so that 0 has a logarithm.
CORRECTION = 0.5
# Fewer co-occurrences of a whole set say nothing; of one cell, too little to claim anything.
MIN_COUNT = 5
CELLS = ("X with A", "X with B", "Y with A", "Y with B")
MARGINS = {"X": (0, 1), "Y": (2, 3), "A": (0, 2), "B": (1, 3)}
# Numbers that a batch of replicates may hold.
BATCH = 4_000_000


def log_odds_ratio(counts: Floats) -> Floats:
    """Log odds ratio of co-occurrence counts.

    Parameters
    ----------
    counts : ndarray, shape (..., 4)
        Co-occurrences of X with A, X with B, Y with A, Y with B.

    Returns
    -------
    ndarray, shape (...)
        ``log [(XA + .5)(YB + .5) / ((XB + .5)(YA + .5))]``, natural logarithm; positive where X
        goes with A. But for the .5 it is PMI(X, A) - PMI(X, B) - PMI(Y, A) + PMI(Y, B): the
        source's bias of X less that of Y, in which the frequencies of all four sets cancel.

    References
    ----------
    Valentini, Rosati, Blasi, Fernandez Slezak & Altszyler 2023, ACL (short papers),
    doi:10.18653/v1/2023.acl-short.44.
    """
    logs = np.log(counts + CORRECTION)
    return np.asarray(logs[..., 0] - logs[..., 1] - logs[..., 2] + logs[..., 3])


def measure_documents(
    cells: Floats, *, replicates: int = 2_000, level: float = 0.95, seed: int = 0
) -> list[Companion]:
    """Give the log odds ratio of many tests, with intervals over documents.

    Words of one document depend on each other, so documents are what is drawn anew. The interval
    is the percentile interval of that bootstrap, widened where need be to the interval of
    independent co-occurrences (Woolf 1955): with few or no co-occurrences in a cell, no draw of
    documents shows how uncertain it is. All tests see the same draws.

    Parameters
    ----------
    cells : ndarray, shape (n_documents, n_tests, 4)
        From `count_cells`.
    replicates : int
        Bootstrap replicates.
    level : float
        Nominal coverage.
    seed : int
        Seed of the draws.

    Returns
    -------
    list of Companion
        One a test; `n_words` is 0, for the counts do not know it.
    """
    totals = cells.sum(axis=0)
    values = log_odds_ratio(totals)
    drawn = log_odds_ratio(_draw_documents(cells, replicates, seed))
    tails = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.quantile(drawn, tails, axis=0)
    half = NormalDist().inv_cdf(tails[1]) * np.sqrt((1 / (totals + CORRECTION)).sum(axis=-1))
    low, high = np.minimum(low, values - half), np.maximum(high, values + half)
    return [
        Companion("pmi", float(value), float(one), float(other), NEUTRAL["pmi"], 0)
        for value, one, other in zip(values, low, high, strict=True)
    ]


def refuse_counts(totals: Floats) -> str:
    """Say which sets co-occur too seldom; empty where none does.

    Parameters
    ----------
    totals : ndarray, shape (4,)
        Counts as in `log_odds_ratio`.
    """
    margins = {name: int(totals[list(cells)].sum()) for name, cells in MARGINS.items()}
    few = [f"{name} {number}" for name, number in margins.items() if number < MIN_COUNT]
    if not few:
        return ""
    return (
        f"refused: too few co-occurrences ({', '.join(few)}; at least {MIN_COUNT} are needed "
        "of X and of Y with A and B, and of A and of B with X and Y)"
    )


def find_thin_cells(totals: Floats) -> str:
    """Say which cells hold so few co-occurrences that the correction decides; else empty."""
    few = [
        f"{name} {int(number)}"
        for name, number in zip(CELLS, totals, strict=True)
        if number < MIN_COUNT
    ]
    return f"thin: fewer than {MIN_COUNT} co-occurrences of {', '.join(few)}" if few else ""


def _draw_documents(cells: Floats, replicates: int, seed: int) -> Floats:
    """Totals over documents drawn with replacement, shape (replicates, n_tests, 4)."""
    n_documents = len(cells)
    if not n_documents:
        return np.zeros((replicates, *cells.shape[1:]))
    flat = cells.reshape(n_documents, -1)
    # Documents without a co-occurrence are drawn too, and add nothing.
    holding = np.flatnonzero(flat.any(axis=1))
    rng = np.random.default_rng(seed)
    batch = max(1, BATCH // n_documents)
    totals = []
    for start in range(0, replicates, batch):
        size = min(batch, replicates - start)
        times = [
            np.bincount(rng.integers(n_documents, size=n_documents), minlength=n_documents)
            for _ in range(size)
        ]
        totals.append(np.stack(times)[:, holding].astype(np.float64) @ flat[holding])
    return np.concatenate(totals).reshape(replicates, *cells.shape[1:])
