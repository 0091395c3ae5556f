"""What the sections on association tests share: when a score counts, marks of doubt, tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from biasatlas.atlas.parts import (
    DASH,
    LEVEL,
    DataTable,
    listing,
    percent,
    plural,
    probability,
    records_of,
    with_interval,
)
from biasatlas.atlas.places import ALC, model_label

if TYPE_CHECKING:
    import pandas as pd

SCORE_HEADERS = (
    "Vectors",
    "Seed",
    "d [95%]",
    "p",
    "q",
    "Holm p",
    "Two-sided p",
    "Random words [95%]",
    "Percentile",
    "Two-sided p among them",
    "Words used X, Y, A, B",
    "Coverage",
    "Control",
    "Status",
    "Note",
)
SCORE_NUMERIC = frozenset(SCORE_HEADERS[1:10])
SURE = (
    f"in every seed (q ≤ {LEVEL:.2f} and an interval without 0), on enough words, with one sign "
    "and on vectors that pass the positive control"
)
BEYOND = "what random word sets of the same frequency and coherence give"
BORROWED = "that may come from the pretrained vectors"
OF_DOCUMENTS = ("documents_low", "documents_high", "text_part", "text_q")
"""Columns of the table ``alc`` that `add_documents` puts beside its scores."""


def series_name(row: Mapping[str, Any], corpora: int) -> str:
    """Name a kind of vectors: its model, with its corpus where the run has several."""
    model = model_label(row["model"])
    return f"{model}, {row['corpus']}" if corpora > 1 and row["corpus"] else model


def add_series(frame: pd.DataFrame) -> pd.DataFrame:
    """Add the column ``series``, the name of the vectors that a row was scored on."""
    corpora = len(set(frame["corpus"]) - {""})
    names = [series_name(row, corpora) for row in records_of(frame[["model", "corpus"]])]
    placed = frame.assign(series=names)
    return placed.astype({"series": "str"}) if frame.empty else placed


def add_documents(frame: pd.DataFrame, alc: pd.DataFrame | None, origin: str = "") -> pd.DataFrame:
    """Add what the table ``alc`` knows of the scores on à la carte vectors.

    Parameters
    ----------
    frame : pandas.DataFrame
        Scores; with a column ``origin`` where `origin` is empty.
    alc : pandas.DataFrame or None
        The table ``alc``; None where the run has none.
    origin : str
        Which of its rows belong to the scores.

    Returns
    -------
    pandas.DataFrame
        With ``documents_low`` and ``documents_high``, the interval of d over documents, and
        ``text_part`` and ``text_q``, the text's own part of d; NaN where unknown.
    """
    keys = ["language", "region", "corpus", "origin", "test"]
    if alc is None or frame.empty:
        return frame.assign(**dict.fromkeys(OF_DOCUMENTS, float("nan")))
    mine = frame.assign(origin=origin) if origin else frame
    known = alc.reindex(columns=[*keys, *OF_DOCUMENTS])
    merged = mine[keys].merge(known, on=keys, how="left", validate="many_to_one")
    is_alc = (frame["model"] == ALC).to_numpy()
    return frame.assign(**{name: merged[name].where(is_alc).to_numpy() for name in OF_DOCUMENTS})


def combine_control(values: pd.Series) -> str:
    """Give one verdict of several: failed where one failed, passed where all passed."""
    found = set(values)
    if "failed" in found:
        return "failed"
    return "passed" if found == {"passed"} else "none"


def beyond_null(frame: pd.DataFrame) -> pd.Series:
    """Whether a score lies outside the band that holds 95% of random word sets; False without one.

    This is descriptive: a two-sided 5%, not corrected for the number of scores. What is called
    beyond the band is what is drawn beyond it.
    """
    effects = frame["effect_size"]
    return (effects < frame["null_low"]) | (effects > frame["null_high"])


def has_own_text(scored: pd.DataFrame) -> bool:
    """Whether scores are the text's own: always, but on à la carte vectors.

    These are built on pretrained vectors, which bring associations with them. There the part of d
    that turns round with the gendered words must be clear (``text_q``) and on the side of d.
    """
    same_side = scored["text_part"] * scored["effect_size"] > 0
    own = (scored["model"] != ALC) | ((scored["text_q"] <= LEVEL) & same_side)
    return bool(own.all())


def summarise(part: pd.DataFrame) -> dict[str, Any]:
    """Sum up the seeds of one test on one kind of vectors.

    Parameters
    ----------
    part : pandas.DataFrame
        Rows of `add_documents` that differ in their seed only.

    Returns
    -------
    dict
        mean and sd of d (sd None for one seed), seeds, and the marks thin, partial (some seeds
        have no d), significant (every seed has a d with q at most 0.10), flips (d changes its
        sign between seeds), holds_zero (the interval of a seed holds 0), refused (no seed has a
        d), null (random word sets were drawn for every seed), beyond (every seed lies beyond
        them), own_text (`has_own_text`), control (passed, failed or none).
    """
    scored = part[part["effect_size"].notna()]
    marks = ("thin", "partial", "significant", "flips", "holds_zero", "null", "beyond", "own_text")
    cell: dict[str, Any] = {"mean": None, "sd": None, "seeds": 0, **dict.fromkeys(marks, False)}
    cell |= {"refused": scored.empty, "control": combine_control(part["control"])}
    if scored.empty:
        return cell
    effects = scored["effect_size"]
    partial = len(scored) < len(part)
    return cell | {
        "mean": float(effects.mean()),
        "sd": float(effects.std(ddof=1)) if len(effects) > 1 else None,
        "seeds": len(effects),
        "thin": bool((scored["status"] == "thin").any()),
        "partial": partial,
        "significant": bool((scored["q_value"] <= LEVEL).all()) and not partial,
        "flips": bool(effects.min() < 0 < effects.max()),
        "holds_zero": bool(((scored["effect_low"] <= 0) & (scored["effect_high"] >= 0)).any()),
        "null": bool(scored[["null_low", "null_high"]].notna().all(axis=None)),
        "beyond": bool(beyond_null(scored).all()),
        "own_text": has_own_text(scored),
    }


def is_significant(cell: Mapping[str, Any]) -> bool:
    """Whether q is small in every seed and no seed's interval holds 0."""
    return bool(cell["significant"] and not cell["holds_zero"])


def separates(cell: Mapping[str, Any]) -> bool:
    """Whether a sum of `summarise` is all that `SURE` says."""
    doubtful = cell["thin"] or cell["flips"] or cell["control"] != "passed"
    return is_significant(cell) and not doubtful


def is_sure(cell: Mapping[str, Any]) -> bool:
    """Whether a sum of `summarise` is the text's own, and beyond what random words give."""
    return separates(cell) and bool(cell["beyond"] and cell["own_text"])


def marks_of(cell: Mapping[str, Any]) -> list[str]:
    """Name every reason why a sum of `summarise` is not sure; ``refused`` stands alone."""
    if cell["refused"]:
        return ["refused"]
    marks = []
    # A thin score gets no q, so it is neither significant nor not.
    if not cell["significant"] and not cell["thin"]:
        marks.append(f"q > {LEVEL:.2f}")
    if cell["holds_zero"] and not cell["thin"]:
        marks.append("interval holds 0")
    named = (("thin", "thin"), ("partial", "seed refused"), ("flips", "sign flips"))
    marks += [text for key, text in named if cell[key]]
    if cell["control"] != "passed":
        marks.append("control failed" if cell["control"] == "failed" else "no control")
    if not cell["beyond"]:
        marks.append("in null band" if cell["null"] else "no null band")
    if separates(cell) and not cell["own_text"]:
        marks.append("pretrained?")
    return marks


def verdict(cells: Sequence[Mapping[str, Any]], noun: str, what: str) -> tuple[str, str]:
    """Say how many sums of `summarise` separate their words, and what holds these back.

    Returns
    -------
    tuple of str
        The two clauses; the second is empty where no sum separates its words.
    """
    held = [cell for cell in cells if separates(cell)]
    count = len(held)
    first = (
        f"{count or 'None'} of {plural(len(cells), noun)} ({what}) "
        f"{'separates' if count == 1 else 'separate'} their words {SURE}"
    )
    if not held:
        return first, ""
    beyond = [cell for cell in held if cell["beyond"]]
    n = len(beyond)
    if not all(cell["null"] for cell in held) and not n:
        second = f"; whether that goes beyond {BEYOND} was not tested"
    elif count == 1:
        second = f"; it {'lies' if n else 'does not lie'} beyond {BEYOND}"
    else:
        second = f"; {n or 'none'} of these {'lies' if n == 1 else 'lie'} beyond {BEYOND}"
    return first, second + (_borrowed(beyond, "those") if n else _borrowed(held, "these"))


def _borrowed(cells: Sequence[Mapping[str, Any]], which: str) -> str:
    """Say how many of the sums may come from the pretrained vectors; may be empty."""
    count = sum(not cell["own_text"] for cell in cells)
    if not count:
        return ""
    if len(cells) == 1:
        return f", and it is an à la carte score {BORROWED}"
    noun = "is an à la carte score" if count == 1 else "are à la carte scores"
    return f", and {count} of {which} {noun} {BORROWED}"


def doubts(cells: Sequence[Mapping[str, Any]]) -> str:
    """Say how many sums of `summarise` cannot be used, and why; may be empty."""
    counts = [
        (sum(cell["refused"] for cell in cells), "was refused", "were refused"),
        (sum(cell["thin"] for cell in cells), "is thin", "are thin"),
        (sum(cell["flips"] for cell in cells), "changes sign between seeds", ""),
        (
            sum(cell["control"] == "failed" and not cell["refused"] for cell in cells),
            "stands on vectors that fail the control",
            "stand on vectors that fail the control",
        ),
    ]
    said = [
        f"{n} {one if n == 1 else many or 'change sign between seeds'}"
        for n, one, many in counts
        if n
    ]
    return f"; {listing(said)}" if said else ""


def coverage_text(terms: Any, names: Any, either: Any) -> str:
    """Write the share of words used, generic terms and given names apart where they differ.

    >>> coverage_text(0.9, 0.25, 0.25)
    '90% of terms, 25% of names'
    """
    parts = [percent(terms), percent(names)]
    if DASH in parts or parts[0] == parts[1]:
        return f"{percent(either)} of words"
    return f"{parts[0]} of terms, {parts[1]} of names"


def score_row(row: Mapping[str, Any]) -> list[Any]:
    """Give the cells of one score, in the order of ``SCORE_HEADERS``."""
    used = ", ".join(f"{row[f'n_{side}']}/{row[f'asked_{side}']}" for side in "xyab")
    return [
        row["series"],
        DASH if row["seed"] < 0 else row["seed"],
        with_interval(row["effect_size"], row["effect_low"], row["effect_high"]),
        probability(row["p_value"], row["p_min"]),
        probability(row["q_value"]),
        probability(row["p_holm"]),
        probability(row["p_two_sided"]),
        with_interval(row["null_median"], row["null_low"], row["null_high"]),
        percent(row["null_percentile"], 1),
        probability(row["null_p_two_sided"]),
        used,
        coverage_text(row["coverage_terms"], row["coverage_names"], row["coverage"]),
        row["control"],
        row["status"],
        row["note"],
    ]


def score_table(
    frame: pd.DataFrame, lead: Sequence[tuple[str, str]], summary: str = ""
) -> DataTable:
    """Give a table of scores; `lead` names the first columns as (header, column)."""
    headers = [header for header, _ in lead]
    body = [[*(row[column] for _, column in lead), *score_row(row)] for row in records_of(frame)]
    return DataTable([*headers, *SCORE_HEADERS], body, SCORE_NUMERIC, summary)


def refused_table(frame: pd.DataFrame, lead: Sequence[tuple[str, str]]) -> DataTable | None:
    """List the tests that have no score, with the reason; None where there are none."""
    refused = frame[frame["status"] == "refused"]
    if refused.empty:
        return None
    refused = refused.assign(note=refused["note"].str.removeprefix("refused: "))
    columns = [column for _, column in lead] + ["series", "note"]
    grouped = refused.groupby(columns, sort=False, dropna=False).size().reset_index(name="rows")
    body = [list(row) for row in grouped.itertuples(index=False, name=None)]
    return DataTable([*(header for header, _ in lead), "Vectors", "Reason", "Rows"], body)
