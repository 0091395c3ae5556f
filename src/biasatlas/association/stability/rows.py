"""The stability table: gather every model's d, find the components, say the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from biasatlas.association.multiplicity import add_corrections
from biasatlas.association.product import Design, effect_sizes
from biasatlas.association.resolve import Rules, resolve
from biasatlas.association.scores import unit_rows
from biasatlas.association.stability.components import (
    NO_VERDICT,
    SIZES,
    Components,
    RegionEffects,
    variance_components,
    verdict,
    words_variance,
)

if TYPE_CHECKING:
    import pandas as pd

    from biasatlas.lexicons.word_lists import AssociationTest
    from biasatlas.vectors import WordVectors

KEYS = ["language", "corpus", "model", "test"]


def effects_of_model(
    tests: Iterable[AssociationTest], vectors: WordVectors, rules: Rules
) -> dict[str, float]:
    """Give d of every test on one model, NaN where it is refused.

    Parameters
    ----------
    tests : iterable of AssociationTest
    vectors : WordVectors
    rules : Rules
    """
    resolved = [resolve(test, vectors, rules) for test in tests]
    scored = [one for one in resolved if not one.refusal]
    effects = {one.test.test: float("nan") for one in resolved}
    if scored:
        design = Design.of([one.words for one in scored])
        _, d = effect_sizes(unit_rows(vectors.rows(design.words)), design)
        effects |= {one.test.test: float(value) for one, value in zip(scored, d, strict=True)}
    return effects


def stability_rows(
    scores: pd.DataFrame,
    words: pd.DataFrame,
    resampled: pd.DataFrame,
    documents: pd.DataFrame,
) -> pd.DataFrame:
    """Make the rows of the stability table, without corrections and verdict.

    Parameters
    ----------
    scores, words : DataFrame
        Scores of the regions' own vectors and the words behind them.
    resampled : DataFrame
        language, corpus, model, region, test, effect_size, n_documents of models on resampled
        documents.
    documents : DataFrame
        Rows of the table `alc`: the bootstrap over documents of à la carte vectors.

    Returns
    -------
    DataFrame
    """
    import pandas as pd

    rows = []
    for key, part in scores.groupby(KEYS, sort=True):
        named = dict(zip(KEYS, map(str, key), strict=True))
        spread = documents if named["model"] == "alc" else resampled
        parts = [_select(frame, named) for frame in (words, spread)]
        rows.append(named | _row(part, *parts))
    return pd.DataFrame(rows)


def correct(frame: pd.DataFrame) -> pd.DataFrame:
    """Add corrections and verdicts to rows of `stability_rows` that have a column ``kind``.

    A row without a verdict is no test: it has no p and belongs to no family.
    """
    open_rows = ~frame["note"].str.contains(NO_VERDICT, regex=False)
    tested = frame.assign(p_value=frame["p_value"].where(open_rows))
    corrected = add_corrections(tested, family=["language", "corpus", "model", "kind"])
    found = zip(frame["status"], frame["note"], corrected["q_value"], strict=True)
    return corrected.assign(
        verdict=[verdict(str(status), str(note), float(q)) for status, note, q in found],
    )


def _select(frame: pd.DataFrame, named: Mapping[str, str]) -> pd.DataFrame:
    """The rows of one test on one kind of vectors."""
    keys = [name for name in KEYS if name in frame]
    return frame[(frame[keys] == [named[name] for name in keys]).all(axis=1)]


def _row(scores: pd.DataFrame, words: pd.DataFrame, spread: pd.DataFrame) -> dict[str, Any]:
    """One test on one kind of vectors, over its regions."""
    regions, left_out, failed, thin = [], [], [], []
    for region, part in scores.groupby("region", sort=True):
        if (part["control"] == "failed").any():
            failed.append(str(region))
            continue
        one = _region(part, *(frame[frame["region"] == region] for frame in (words, spread)))
        if one is None:
            left_out.append(str(region))
            continue
        regions.append(one)
        if (part["status"] == "thin").any():
            thin.append(str(region))
    counts = {
        "regions": len(regions),
        "seeds": min((one.models for one in regions), default=0),
        "resampled": min((one.resampled for one in regions), default=0),
    }
    notes = [f"vectors fail the control in {', '.join(failed)}"] if failed else []
    notes += [f"no d in every model of {', '.join(left_out)}"] if left_out else []
    if len(regions) < 2:
        nothing = dict.fromkeys((field.name for field in fields(Components)), float("nan"))
        notes.insert(0, "refused: d is needed in at least two regions")
        return counts | nothing | {"status": "refused", "note": "; ".join(notes)}
    if thin:
        notes.insert(0, f"thin in {', '.join(thin)}")
    reason = _no_verdict(regions)
    notes += [f"{NO_VERDICT}{reason}"] if reason else []
    status = {"status": "thin" if thin else "ok", "note": "; ".join(notes)}
    return counts | asdict(variance_components(regions)) | status


def _no_verdict(regions: Sequence[RegionEffects]) -> str:
    """Say why regions cannot be compared; empty where they can."""
    if min(one.resampled for one in regions) < 2:
        return "documents were not resampled, so the noise is that of seeds alone"
    sizes = [one.documents for one in regions]
    if max(sizes) > SIZES * min(sizes):
        return f"regions have {min(sizes)} to {max(sizes)} documents, and d shrinks with less text"
    return ""


def _region(
    scores: pd.DataFrame, words: pd.DataFrame, spread: pd.DataFrame
) -> RegionEffects | None:
    """One region; None where not every model has a d."""
    effects = scores["effect_size"].to_numpy(dtype=np.float64)
    if np.isnan(effects).any():
        return None
    by_words = float(np.mean([words_variance(one) for _, one in words.groupby("seed")]))
    if "documents_sd" not in spread:
        resampled = spread["effect_size"].to_numpy(dtype=np.float64)
        documents = int(spread["n_documents"].min()) if len(spread) else 0
        return RegionEffects.of_models(effects, resampled, by_words, documents)
    ((sd, replicates, documents),) = spread[
        ["documents_sd", "replicates", "n_documents"]
    ].to_numpy()
    return RegionEffects.of_bootstrap(
        float(effects[0]), float(sd), int(replicates), by_words, int(documents)
    )
