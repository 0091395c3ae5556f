"""Human against machine translation over languages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from biasatlas.association.languages.paired import signed_rank
from biasatlas.association.languages.translations import SAME_WORDS
from biasatlas.association.multiplicity import benjamini_hochberg
from biasatlas.tables.language_tables import TRANSLATION_SUMMARY
from biasatlas.tables.storage import empty_table

if TYPE_CHECKING:
    import pandas as pd


def summarise_translations(translations: pd.DataFrame) -> pd.DataFrame:
    """Human against machine translation over languages.

    Parameters
    ----------
    translations : DataFrame
        The whole table `translations`. Rows that are ok count, and those that are thin for
        no other reason than that both translations are the same words: their difference is 0.

    Returns
    -------
    DataFrame
        Rows of the table `translation_summary`, sorted by its key. The tests of a language
        share its words, so that a language's mean over its tests is one observation.
    """
    import pandas as pd

    reasons = translations["note"].str.count("thin: ")
    same = translations["note"].str.startswith(SAME_WORDS) & (reasons == 1)
    frame = translations[(translations["status"] == "ok") | same]
    key = list(TRANSLATION_SUMMARY.key)
    rows: list[dict[str, Any]] = []
    for cell, some in frame.sort_values([*key, "language", "test"]).groupby(key, sort=True):
        human, machine = some["d_human"], some["d_machine"]
        by_language = (human - machine).groupby(some["language"]).mean().to_numpy()
        stronger = (human.abs() - machine.abs()).groupby(some["language"]).mean().to_numpy()
        sizes = (human - machine).abs().groupby(some["language"]).mean()
        p_value, p_min = signed_rank(by_language)
        rows.append(
            dict(zip(key, cell, strict=True))
            | {
                "n_languages": len(by_language),
                "n_tests": len(some),
                "difference": float(np.median(by_language)),
                "absolute_difference": float(sizes.median()),
                "sign_agreement": float((np.sign(human) == np.sign(machine)).mean()),
                "p_value": p_value,
                "p_min": p_min,
                "strength_difference": float(np.median(stronger)),
                "strength_p": signed_rank(stronger)[0],
                "note": "",
            }
        )
    if not rows:
        return empty_table("translation_summary")
    columns = [column.name for column in TRANSLATION_SUMMARY.columns]
    table = pd.DataFrame(rows, columns=columns)
    p_values = table["p_value"].to_numpy(dtype=np.float64)
    return table.assign(q_value=benjamini_hochberg(p_values))
