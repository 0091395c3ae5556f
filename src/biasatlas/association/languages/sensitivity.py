"""How far apart an encoder puts the words of a set (Mukherjee et al. 2023)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from biasatlas.lexicons.weathub_files import SIX_TESTS
from biasatlas.tables.language_tables import SENSITIVITY
from biasatlas.tables.storage import empty_table

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from biasatlas.association.languages.published import Published

    Floats = NDArray[np.float64]

N_SETS = 4
LEVEL = 0.95
CELL = ["language", "model", "group", "variant", "encoder", "space"]


def mean_and_interval(values: Floats, level: float = LEVEL) -> tuple[float, float, float]:
    """Mean of a sample of variances and its jackknife interval.

    Parameters
    ----------
    values : ndarray, shape (n,)
        At least 0.
    level : float

    Returns
    -------
    mean, low, high : float
        The jackknife's standard error of a mean is ``sd / sqrt(n)``; the quantile is that of t
        with n - 1 degrees of freedom, and `low` is at least 0, as no variance is smaller. NaN
        ends where one value is all.
    """
    from scipy.special import stdtrit

    n = len(values)
    mean = float(np.mean(values))
    if n < 2:
        return mean, float("nan"), float("nan")
    half = float(stdtrit(n - 1, (1 + level) / 2) * np.std(values, ddof=1) / np.sqrt(n))
    return mean, max(0.0, mean - half), mean + half


def sensitivity(variances: pd.DataFrame, published: Published) -> pd.DataFrame:
    """Bias sensitivity rho of every encoder.

    ``rho = mean over tests of the mean over the four sets of the variance of the cosine
    distances between two words of the set``, equation 2 of the paper, over the six tests that it
    uses, or those of them that are scored.

    Parameters
    ----------
    variances : DataFrame
        Columns language, model, group, variant, test, encoder, space, variance (mean over the
        sets) and n_sets (sets that it is a mean of).
    published : Published
        The paper's figures. They are of its own models, on vectors as the model gives them.

    Returns
    -------
    DataFrame
        Rows of the table `sensitivity`, sorted by its key. A variant without one of the six
        tests (new dimensions, India) has no row.

    References
    ----------
    Mukherjee et al. 2023, Global Voices, Local Biases, EMNLP, section 4.1.
    """
    import pandas as pd

    of_paper = variances["test"].isin(SIX_TESTS) & variances["variance"].notna()
    frame = variances[of_paper].sort_values([*CELL, "test"])
    rows: list[dict[str, Any]] = []
    for cell, some in frame.groupby(CELL, sort=True):
        row: dict[str, Any] = dict(zip(CELL, cell, strict=True))
        values = some["variance"].to_numpy(dtype=np.float64)
        row["rho"], row["rho_low"], row["rho_high"] = mean_and_interval(values)
        row["n_tests"] = len(some)
        as_the_paper = row["space"] == "raw"
        row["published_rho"] = row["published_mean"] = float("nan")
        if as_the_paper:
            place = (row["language"], row["encoder"])
            row["published_rho"] = published.by_language.get(place, float("nan"))
            row["published_mean"] = published.means.get(row["encoder"], float("nan"))
        row["note"] = _note(some)
        rows.append(row)
    if not rows:
        return empty_table("sensitivity")
    columns = [column.name for column in SENSITIVITY.columns]
    table = pd.DataFrame(rows, columns=columns).sort_values(list(SENSITIVITY.key))
    return table.reset_index(drop=True)


def _note(some: pd.DataFrame) -> str:
    notes = []
    if len(some) < len(SIX_TESTS):
        notes.append(f"{len(some)} of the paper's {len(SIX_TESTS)} tests are scored")
    short = some[some["n_sets"] < N_SETS]["test"].tolist()
    if short:
        notes.append(f"fewer than {N_SETS} sets in {', '.join(short)}")
    return "; ".join(notes)
