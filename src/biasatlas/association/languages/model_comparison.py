"""Two models on the same tests of a language: multilingual, monolingual, family."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from biasatlas.association.languages.paired import signed_rank
from biasatlas.association.multiplicity import benjamini_hochberg
from biasatlas.tables.language_tables import GROUPS, MODEL_COMPARISON
from biasatlas.tables.storage import empty_table

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# d by variant and test.
Scores = dict[tuple[str, str], float]

# Stands for a model in a comparison with one of another kind, the first of these that it has.
# Of its layers that is their mean over the word's pieces, as the paper compares (its figure 2).
MAIN_ENCODERS = ("sentence", "fasttext", "static", "all_mean")
# A rank correlation of fewer tests says nothing.
MIN_TESTS = 3


def compare_models(weathub: pd.DataFrame) -> pd.DataFrame:
    """Compare each two models of a language on the tests that both score.

    Models with an encoder in common are compared under each of these. Two that have none, such
    as the layers of one and fastText, are compared once, each by its main encoder
    (``MAIN_ENCODERS``); the column `encoder` then names both, such as ``all_mean v fasttext``.

    Parameters
    ----------
    weathub : DataFrame
        The table `weathub`. Only rows that are ok count: a thin row of one model may rest on
        other words than that of the other.

    Returns
    -------
    DataFrame
        Rows of the table `model_comparison`, sorted by its key, each two models once: the first
        is the one whose group comes first (``GROUPS``), then the one whose name does.
        Differences are means over tests and variants; variants of a test share its words, so p
        takes the mean over a test's variants as one observation.
    """
    import pandas as pd

    scored = weathub[(weathub["status"] == "ok") & weathub["effect_size"].notna()]
    rows: list[dict[str, Any]] = []
    for (language, space), here in scored.groupby(["language", "space"], sort=True):
        by_model = _by_model(here)
        for (model, group), (other, other_group) in combinations(_ordered(here), 2):
            for encoder, one, two in _matched(by_model[model], by_model[other]):
                row = {"language": language, "encoder": encoder, "space": space}
                row |= {"model": model, "group": group}
                row |= {"other_model": other, "other_group": other_group}
                common = sorted(one.keys() & two.keys())
                if common:
                    d = np.array([[some[place] for place in common] for some in (one, two)])
                    rows.append(row | _measures(d, [test for _, test in common]))
    if not rows:
        return empty_table("model_comparison")
    columns = [column.name for column in MODEL_COMPARISON.columns]
    table = pd.DataFrame(rows, columns=columns)
    p_values = table["p_value"].to_numpy(dtype=np.float64)
    table = table.assign(q_value=benjamini_hochberg(p_values))
    return table.sort_values(list(MODEL_COMPARISON.key)).reset_index(drop=True)


def _ordered(here: pd.DataFrame) -> list[tuple[str, str]]:
    """Models and their groups: multilingual before monolingual, then by name."""
    pairs = here[["model", "group"]].drop_duplicates().itertuples(index=False, name=None)
    return sorted(pairs, key=lambda pair: (GROUPS.index(pair[1]), pair[0]))


def _by_model(here: pd.DataFrame) -> dict[str, dict[str, Scores]]:
    """Give d by model, then encoder, then variant and test."""
    found: dict[str, dict[str, Scores]] = {}
    columns = ["model", "encoder", "variant", "test", "effect_size"]
    for model, encoder, variant, test, d in here[columns].itertuples(index=False, name=None):
        found.setdefault(model, {}).setdefault(encoder, {})[variant, test] = d
    return found


def _matched(
    one: dict[str, Scores], two: dict[str, Scores]
) -> Iterator[tuple[str, Scores, Scores]]:
    common = sorted(one.keys() & two.keys())
    for encoder in common:
        yield encoder, one[encoder], two[encoder]
    if common:
        return
    mains = [
        next((name for name in MAIN_ENCODERS if name in encoders), None) for encoders in (one, two)
    ]
    if mains[0] is not None and mains[1] is not None:
        yield f"{mains[0]} v {mains[1]}", one[mains[0]], two[mains[1]]


def _measures(d: Floats, tests: list[str]) -> dict[str, Any]:
    """Measures of the d of two models, shape (2, n), each column with the name of its test."""
    from scipy.stats import rankdata

    differences = d[0] - d[1]
    varied = np.ptp(d, axis=1).min() > 0
    correlation = float("nan")
    if len(tests) >= MIN_TESTS and varied:
        # Spearman's, held to its bounds against rounding.
        correlation = float(np.clip(np.corrcoef(rankdata(d, axis=1))[0, 1], -1, 1))
    names, place = np.unique(tests, return_inverse=True)
    by_test = np.bincount(place, weights=differences) / np.bincount(place)
    p_value, p_min = signed_rank(by_test)
    return {
        "n_tests": len(tests),
        "correlation": correlation,
        "difference": float(differences.mean()),
        "absolute_difference": float(np.abs(differences).mean()),
        "sign_agreement": float((np.sign(d[0]) == np.sign(d[1])).mean()),
        "p_value": p_value,
        "note": f"p over {len(names)} tests is at least {p_min:.2g}",
    }
