"""The positive control: an association of frequent words that no text lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    import pandas as pd

LEVEL = 0.05
# Stands for the seed where nothing is random.
NO_SEED = -1


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
        ``passed`` where every control has status ok, d > 0, p <= 0.05 and, where random sets were
        drawn, a d above their band; ``failed`` where one has not; ``none`` where there is no
        control. Without the band a third of random word sets pass on small vectors, as any two
        topics differ.
    """
    if not controls:
        return "none"
    rows = scores[scores["test"].isin(list(controls))]
    held = (rows["status"] == "ok") & (rows["effect_size"] > 0) & (rows["p_value"] <= LEVEL)
    held &= (rows["null_n"] == 0) | (rows["effect_size"] > rows["null_high"])
    return "passed" if len(rows) == len(controls) and bool(held.all()) else "failed"


def add_control(frame: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """Add the verdict of the positive control to rows on the same vectors.

    Parameters
    ----------
    frame : DataFrame
        Holds language, corpus and region, or region_1 and region_2; and model and seed where it
        has several. Without a model its vectors are à la carte.
    scores : DataFrame
        Rows of the tables weat and evaluation.

    Returns
    -------
    DataFrame
        With the column `control`: failed where one of the vectors of a row failed, ``none`` for
        rows that have no vectors, such as counts in the text.
    """
    keys = ["language", "corpus", "region", "model", "seed"]
    rows = scores[[*keys, "control"]].to_dict("records")
    known = {tuple(row[key] for key in keys): str(row["control"]) for row in rows}
    regions = [name for name in ("region", "region_1", "region_2") if name in frame]
    verdicts = []
    for row in frame.to_dict("records"):
        model, seed = row.get("model", "alc"), row.get("seed", NO_SEED)
        found = {
            known.get((row["language"], row["corpus"], row[name], model, seed), "none")
            for name in regions
        }
        passed = "passed" if found == {"passed"} else "none"
        verdicts.append("failed" if "failed" in found else passed)
    return frame.assign(control=verdicts)
