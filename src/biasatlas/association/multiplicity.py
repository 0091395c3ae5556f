"""Corrections for many tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def benjamini_hochberg(p_values: Floats) -> Floats:
    """Benjamini-Hochberg adjusted p-values (q-values); NaN stays NaN and is no test.

    Parameters
    ----------
    p_values : ndarray, shape (n,)
    """
    from scipy.stats import false_discovery_control

    p_values = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full_like(p_values, np.nan)
    tested = ~np.isnan(p_values)
    if tested.any():
        adjusted[tested] = false_discovery_control(p_values[tested], method="bh")
    return adjusted


def holm(p_values: Floats) -> Floats:
    """Holm (1979) step-down adjusted p-values; NaN stays NaN and is no test.

    Parameters
    ----------
    p_values : ndarray, shape (n,)
    """
    p_values = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full_like(p_values, np.nan)
    tested = np.flatnonzero(~np.isnan(p_values))
    order = tested[np.argsort(p_values[tested], kind="stable")]
    factors = np.arange(order.size, 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p_values[order] * factors))
    return adjusted


def add_corrections(frame: pd.DataFrame, family: Sequence[str]) -> pd.DataFrame:
    """Fill `q_value` and `p_holm` within each family of tests.

    Parameters
    ----------
    frame : DataFrame
        Holds `p_value`, `status` and the columns of `family`. A thin row is shown and never
        claimed, so it belongs to no family and gets no correction.
    family : sequence of str
        Columns whose values together name a family.
    """
    claimed = frame["p_value"].where(frame["status"] == "ok")
    groups = claimed.groupby([frame[column] for column in family], sort=False)
    return frame.assign(
        q_value=groups.transform(lambda p: benjamini_hochberg(p.to_numpy())),
        p_holm=groups.transform(lambda p: holm(p.to_numpy())),
    )
