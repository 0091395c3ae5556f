"""Corrections for many tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

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


def kind_of_test(
    tests: pd.Series, gender_tests: Collection[str], control_tests: Collection[str]
) -> pd.Series:
    """Say which family a test belongs to: gender, control or other.

    A family is what one reader looks at together. Tests that are sure to succeed, as controls
    are, would dilute it.
    """
    kinds = dict.fromkeys(gender_tests, "gender") | dict.fromkeys(control_tests, "control")
    return tests.map(lambda test: kinds.get(test, "other")).astype("str")


def add_q(frame: pd.DataFrame, p: str, q: str, family: Sequence[str]) -> pd.DataFrame:
    """Fill the column `q` with Benjamini-Hochberg q of the column `p` within each family.

    Parameters
    ----------
    frame : DataFrame
        Holds `p`, `status` and the columns of `family`; only rows with status ok are tests.
    p, q : str
        Columns.
    family : sequence of str
    """
    claimed = frame[p].where(frame["status"] == "ok")
    groups = claimed.groupby([frame[column] for column in family], sort=False)
    return frame.assign(**{q: groups.transform(lambda p: benjamini_hochberg(p.to_numpy()))})


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
    frame = add_q(frame, "p_value", "q_value", family)
    claimed = frame["p_value"].where(frame["status"] == "ok")
    groups = claimed.groupby([frame[column] for column in family], sort=False)
    return frame.assign(p_holm=groups.transform(lambda p: holm(p.to_numpy())))
