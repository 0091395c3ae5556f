"""The positive control: an association of frequent words that no text lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    import pandas as pd

LEVEL = 0.05


def control_verdict(scores: pd.DataFrame, controls: Collection[str]) -> str:
    """Say whether one set of vectors passes the positive control.

    Parameters
    ----------
    scores : DataFrame
        Rows of `score_tests` on these vectors.
    controls : collection of str
        Names of the control tests.

    Returns
    -------
    str
        ``passed`` where every control has d > 0 and p <= 0.05, ``failed`` where one has not or
        could not be scored, ``none`` where there is no control.
    """
    if not controls:
        return "none"
    rows = scores[scores["test"].isin(list(controls))]
    held = (rows["effect_size"] > 0) & (rows["p_value"] <= LEVEL)
    return "passed" if len(rows) == len(controls) and bool(held.all()) else "failed"
