"""The gaps of Borah et al. between a female and a male topic, and the rule on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

RULES = ("either", "both", "same")


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
