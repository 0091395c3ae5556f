"""One test under all encoders of a model: a multiverse of what a researcher might have chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from biasatlas.tables.language_tables import AGREEMENT
from biasatlas.tables.storage import empty_table

if TYPE_CHECKING:
    import pandas as pd

SIGNIFICANT = 0.05
CELL = ["language", "model", "group", "variant", "space", "test"]


def agreement(weathub: pd.DataFrame) -> pd.DataFrame:
    """Say how many encoders of a model agree on a test.

    Parameters
    ----------
    weathub : DataFrame
        The table `weathub` with `q_two_sided`. Rows with a d count, thin ones included, as a
        sign is no claim; a thin row has no q, so it is never significant.

    Returns
    -------
    DataFrame
        Rows of the table `agreement`, sorted by its key; spaces apart. A model that has one
        encoder for a test cannot disagree with itself and has no row. An encoder with d = 0
        agrees with none. In the paper's own results for multilingual DistilBERT (24 languages, 6
        tests, lists `all`) the ten encoders are not of one sign in 74% of the cells.
    """
    import pandas as pd

    scored = weathub[weathub["effect_size"].notna()].sort_values([*CELL, "encoder"])
    rows: list[dict[str, Any]] = []
    for cell, some in scored.groupby(CELL, sort=True):
        if len(some) < 2:
            continue
        d = some["effect_size"].to_numpy(dtype=np.float64)
        positive = int((d > 0).sum())
        significant = some["q_two_sided"].to_numpy(dtype=np.float64) < SIGNIFICANT
        rows.append(
            dict(zip(CELL, cell, strict=True))
            | {
                "n_encoders": len(d),
                "n_positive": positive,
                "share_agreeing": max(positive, int((d < 0).sum())) / len(d),
                "d_median": float(np.median(d)),
                "d_low": float(d.min()),
                "d_high": float(d.max()),
                "n_significant": int(significant.sum()),
                "n_significant_positive": int((significant & (d > 0)).sum()),
            }
        )
    if not rows:
        return empty_table("agreement")
    table = pd.DataFrame(rows, columns=[column.name for column in AGREEMENT.columns])
    return table.sort_values(list(AGREEMENT.key)).reset_index(drop=True)
