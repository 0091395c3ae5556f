"""Corrections for many tests over a whole table of many languages, models and encoders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biasatlas.association.multiplicity import benjamini_hochberg, holm

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.05


def correct_grid(weathub: pd.DataFrame) -> pd.DataFrame:
    """Fill `q_value`, `p_holm` and `q_two_sided` of the table `weathub`.

    All of it is one family: every language, model, variant, encoder, space and test that is ok
    could have been the find. A thin row is shown and never claimed, so it gets no correction.

    Parameters
    ----------
    weathub : DataFrame
        Holds `p_value`, `p_two_sided` and `status`.

    Returns
    -------
    DataFrame
        The same rows in the same order.
    """
    claimed = weathub["status"] == "ok"
    p_value = weathub["p_value"].where(claimed).to_numpy(dtype="float64")
    two_sided = weathub["p_two_sided"].where(claimed).to_numpy(dtype="float64")
    return weathub.assign(
        q_value=benjamini_hochberg(p_value),
        p_holm=holm(p_value),
        q_two_sided=benjamini_hochberg(two_sided),
    )


def correct_translations(translations: pd.DataFrame) -> pd.DataFrame:
    """Fill `q_value` of the table `translations`.

    Rows that are ok and can give a p of .05 are one family; the others can show nothing.

    Parameters
    ----------
    translations : DataFrame
        Holds `p_value`, `p_min` and `status`.
    """
    tested = (translations["status"] == "ok") & (translations["p_min"] <= LEVEL)
    claimed = translations["p_value"].where(tested)
    return translations.assign(q_value=benjamini_hochberg(claimed.to_numpy(dtype="float64")))
