"""Female-male topic pairs: the paper's gaps, what chance would give, and one-to-one matching."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# A topic whose smallest attainable p is larger cannot be told from the rest of its region.
TOO_SMALL = 0.05
COLUMNS = (
    "rank",
    "female_topic",
    "male_topic",
    "gap_same",
    "gap_cross",
    "passes_gap",
    "n_candidates",
    "n_passing",
    "chance_passing",
    "note",
)


def gaps(female: Floats, male: Floats, she: Floats, he: Floats) -> tuple[Floats, Floats]:
    """The two differences of cosines of Borah et al. 4.2.

    Parameters
    ----------
    female, male : ndarray, shape (n_female, d) and (n_male, d)
        Topic embeddings: the mean embedding of a topic's ten words.
    she, he : ndarray, shape (d,)

    Returns
    -------
    same, cross : ndarray, shape (n_female, n_male)
        ``|cos(F, she) - cos(M, he)|`` and ``|cos(F, he) - cos(M, she)|``.
    """
    directions = np.stack([she, he])
    directions = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    f = female / np.linalg.norm(female, axis=1, keepdims=True) @ directions.T
    m = male / np.linalg.norm(male, axis=1, keepdims=True) @ directions.T
    return np.abs(f[:, :1] - m[:, 1]), np.abs(f[:, 1:] - m[:, 0])


def passes(same: Floats, cross: Floats, threshold: float, rule: str) -> NDArray[np.bool_]:
    """Which pairs lie under the threshold by the rule: either, both or same."""
    if rule == "same":
        return np.asarray(same < threshold)
    if rule == "both":
        return np.asarray((same < threshold) & (cross < threshold))
    return np.asarray((same < threshold) | (cross < threshold))


def find_pairs(
    topics: pd.DataFrame,
    embeddings: Floats,
    she: Floats,
    he: Floats,
    *,
    selection: str,
    rule: str,
    threshold: float,
    candidates: int,
    top: int,
) -> pd.DataFrame:
    """Choose the female-male topic pairs of one region.

    Parameters
    ----------
    topics : DataFrame
        `topic`, `gender`, `log_odds`, `u_mass`, `p_min_female`, `p_min_male` of the region's topics, without -1.
    embeddings : ndarray, shape (n_topics, d)
        Topic embeddings, rows as in `topics`.
    she, he : ndarray, shape (d,)
    selection : {"matching", "gap"}
        matching: each topic in at most one pair, like strength with like (scipy's
        linear_sum_assignment on products of absolute log odds), strongest pair first. gap: all
        pairs under the threshold, by mean u_mass, as the paper.
    rule, threshold : str, float
        The paper's rule; `passes_gap` in any case.
    candidates : int
        Most coherent topics of each gender that take part.
    top : int
        Pairs kept.

    Returns
    -------
    DataFrame
        One row a pair, `COLUMNS`; without a pair one row of rank 0 whose `note` says why.
    """
    import pandas as pd

    female = _most_coherent(topics, "female", candidates)
    male = _most_coherent(topics, "male", candidates)
    if not len(female) or not len(male):
        return pd.DataFrame([_nothing(topics, len(female), len(male))], columns=list(COLUMNS))
    same, cross = gaps(embeddings[female], embeddings[male], she, he)
    passing = passes(same, cross, threshold, rule)
    chance = _chance(topics, embeddings, she, he, passing.size, rule, threshold)
    strength = topics["log_odds"].abs().to_numpy()
    if selection == "gap":
        chosen = _by_gap(topics["u_mass"].to_numpy(), female, male, passing)
    else:
        chosen = _by_matching(strength, female, male)
    rows = [
        {
            "rank": rank,
            "female_topic": int(topics["topic"].iloc[female[i]]),
            "male_topic": int(topics["topic"].iloc[male[j]]),
            "gap_same": float(same[i, j]),
            "gap_cross": float(cross[i, j]),
            "passes_gap": bool(passing[i, j]),
            "n_candidates": int(passing.size),
            "n_passing": int(passing.sum()),
            "chance_passing": chance,
            "note": "",
        }
        for rank, (i, j) in enumerate(chosen[:top], start=1)
    ]
    if not rows:
        note = f"no pair passes: none of {passing.size} candidate pairs has a gap under {threshold}"
        rows = [_nothing(topics, len(female), len(male)) | {"note": note, "chance_passing": chance}]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _most_coherent(topics: pd.DataFrame, gender: str, most: int) -> NDArray[np.int64]:
    rows = np.flatnonzero((topics["gender"] == gender).to_numpy())
    order = np.lexsort((topics["topic"].to_numpy()[rows], -topics["u_mass"].to_numpy()[rows]))
    return np.asarray(rows[order][:most])


def _nothing(topics: pd.DataFrame, n_female: int, n_male: int) -> dict[str, Any]:
    missing = [name for name, n in (("female", n_female), ("male", n_male)) if n == 0]
    reason = f"no topic could be told to be {' or '.join(missing)}"
    for name in missing:
        small = int((topics[f"p_min_{name}"] > TOO_SMALL).sum())
        if small:
            reason += f"; {small} of {len(topics)} are too small to be told to be {name}"
    return {
        "rank": 0,
        "female_topic": -1,
        "male_topic": -1,
        "gap_same": float("nan"),
        "gap_cross": float("nan"),
        "passes_gap": False,
        "n_candidates": n_female * n_male,
        "n_passing": 0,
        "chance_passing": float("nan"),
        "note": f"no pair: {reason if len(topics) else 'the region has no topics'}",
    }


def _chance(
    topics: pd.DataFrame,
    embeddings: Floats,
    she: Floats,
    he: Floats,
    n_pairs: int,
    rule: str,
    threshold: float,
) -> float:
    """Pairs that would pass if genders were drawn at random: n_pairs times the pass rate of all.

    Over all ordered pairs of different topics of the region, whatever their gender.
    """
    same, cross = gaps(embeddings, embeddings, she, he)
    passing = passes(same, cross, threshold, rule)
    different = ~np.eye(len(topics), dtype=bool)
    return float(passing[different].mean() * n_pairs)


def _by_gap(
    u_mass: Floats, female: NDArray[np.int64], male: NDArray[np.int64], passing: NDArray[np.bool_]
) -> list[tuple[int, int]]:
    pairs = [(int(i), int(j)) for i, j in zip(*np.nonzero(passing), strict=True)]
    return sorted(pairs, key=lambda ij: (-(u_mass[female[ij[0]]] + u_mass[male[ij[1]]]), ij))


def _by_matching(
    strength: Floats, female: Sequence[int] | NDArray[np.int64], male: NDArray[np.int64]
) -> list[tuple[int, int]]:
    from scipy.optimize import linear_sum_assignment

    # The product, not the sum, prefers like with like: with sums every matching of the same
    # topics has the same total.
    weight = strength[female][:, None] * strength[male][None, :]
    rows, columns = linear_sum_assignment(weight, maximize=True)
    pairs = list(zip(rows.tolist(), columns.tolist(), strict=True))
    return sorted(pairs, key=lambda ij: (-weight[ij], ij))
