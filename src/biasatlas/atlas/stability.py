"""What makes a score move, and whether regions differ by more than that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from biasatlas.atlas.charts import category_axis, finish, rows, tooltips
from biasatlas.atlas.parts import (
    LEVEL,
    DataTable,
    Figure,
    given,
    integer,
    listing,
    missing,
    number,
    plural,
    probability,
    records_of,
)
from biasatlas.atlas.places import is_control, rank_test
from biasatlas.atlas.scores import add_series

if TYPE_CHECKING:
    import pandas as pd

PARTS = {
    "var_region": ("regions", "#0072B2"),
    "var_seed": ("seeds", "#D55E00"),
    "var_documents": ("documents", "#E69F00"),
    "var_words": ("words (the same in every region)", "#cfcfcf"),
}
_NO_VERDICT = "no verdict: "
_COMPARED = (
    "Only regions with alike numbers of documents (at most 1.5 times) and vectors that pass the "
    "control are compared."
)
VERDICTS = {
    "exceeds": "exceeds the noise",
    "within": "within the noise",
    "unknown": "cannot be told",
}


def prepare(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame | None:
    """Give the table ``stability`` with names of vectors, ordered by test."""
    frame = given(tables, "stability")
    if frame is None:
        return None
    frame = add_series(frame)
    if frame["language"].nunique() > 1:
        frame["series"] = [
            f"{name} · {language}"
            for name, language in zip(frame["series"], frame["language"], strict=True)
        ]
    order = {test: place for place, test in enumerate(sorted(set(frame["test"]), key=rank_test))}
    return frame.sort_values("test", key=lambda tests: tests.map(order), kind="stable")


def _reasons(unknown: pd.DataFrame) -> str:
    """Count why tests have no verdict: by their status, or by what their note says."""
    reasons = [
        row["status"]
        if row["status"] != "ok"
        else row["note"].partition(_NO_VERDICT)[2].partition(";")[0] or "for the reason in its note"
        for row in records_of(unknown)
    ]
    return listing(f"{count} × {reason}" for reason, count in Counter(reasons).items())


def sentence(frame: pd.DataFrame | None) -> str:
    """Say on which vectors regions differ by more than the noise; empty without a table."""
    if frame is None:
        return ""
    tested = frame[~frame["test"].map(is_control).astype(bool)]
    parts = []
    for series in sorted(set(tested["series"])):
        part = tested[tested["series"] == series]
        known = part[part["verdict"] != "unknown"]
        if known.empty:
            parts.append(f"on {series} vectors no test can tell ({_reasons(part)})")
            continue
        exceeds = int((known["verdict"] == "exceeds").sum())
        text = f"on {series} vectors they do in {exceeds} of {plural(len(known), 'test')}"
        noise = known["noise_sd"].median()
        if not missing(noise):
            text += (
                f", where the noise of one model's d has a standard deviation of {number(noise)}"
            )
        if len(known) < len(part):
            unknown = part[part["verdict"] == "unknown"]
            text += f" ({len(unknown)} more cannot be told: {_reasons(unknown)})"
        parts.append(text)
    if not parts:
        return ""
    text = (
        "Whether regions differ by more than seeds and documents make them "
        f"(q ≤ {LEVEL:.2f}): {'; '.join(parts)}."
    )
    if (tested["verdict"] == "exceeds").any():
        text += " Where they do, the texts differ, which is no sign of bias."
    return text


def figure(frame: pd.DataFrame) -> Figure:
    """Draw the variance of each test's d by its sources, with the verdict."""
    caption = (
        "How much d varies (variance), by what makes it vary: blue is the difference between "
        "regions, orange and yellow are noise of training and of the choice of documents. Where "
        "the blue part is small beside them, regions cannot be told apart. Grey is the choice of "
        f"words, which is the same in every region. {_COMPARED} A difference is no sign of bias."
    )
    records = [
        {**row, "row": f"{row['test']} · {row['series']}", "word": VERDICTS[row["verdict"]]}
        for row in records_of(frame)
    ]
    headers = ["Test", "Vectors", "Regions", "Seeds", "Redrawn"]
    headers += [
        "sd regions",
        "sd seeds",
        "sd documents",
        "sd words",
        "Noise (sd of one model)",
        "p",
        "q",
        "Verdict",
        "Note",
    ]
    body = [
        [
            r["test"],
            r["series"],
            *(integer(r[name]) for name in ("regions", "seeds", "resampled")),
            *(number(_root(r[name])) for name in PARTS),
            number(r["noise_sd"]),
            probability(r["p_value"]),
            probability(r["q_value"]),
            r["word"],
            r["note"],
        ]
        for r in records
    ]
    table = DataTable(
        headers, body, frozenset(headers[2:12]), f"Numbers: {plural(len(body), 'test')}"
    )
    drawn = [r for r in records if not all(missing(r[name]) for name in PARTS)]
    chart = _chart(drawn, caption) if drawn else None
    return Figure(caption, chart, table, title="What makes a score move")


def _root(variance: Any) -> Any:
    return variance if missing(variance) else variance**0.5


def _segments(
    records: list[dict[str, Any]],
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Stack the variances of each row; give the segments, and where each row ends."""
    segments, ends = [], []
    for record in records:
        start = 0.0
        common = {"row": record["row"], "verdict": record["word"]}
        for column, (label, _) in PARTS.items():
            value = record[column]
            if missing(value):
                continue
            ends_at = {"from": start, "to": start + value}
            segments.append({**common, **ends_at, "part": label, "sd": number(value**0.5)})
            start += value
        ends.append({**common, "to": start, "bold": record["verdict"] == "exceeds"})
    return segments, ends


def _chart(records: list[dict[str, Any]], caption: str) -> dict[str, Any]:
    import altair as alt

    names = [record["row"] for record in records]
    segments, ends = _segments(records)
    labels = [label for label, _ in PARTS.values()]
    far = max(end["to"] for end in ends) * 1.22 or 1.0
    x = alt.X("from:Q", title="variance of d", scale=alt.Scale(domain=[0, far], nice=False))
    y = alt.Y("row:N", sort=names, axis=category_axis(260))
    hover = [
        ("row:N", "test", ""),
        ("part:N", "varies with", ""),
        ("sd:N", "sd of d", ""),
        ("verdict:N", "verdict", ""),
    ]
    bars = (
        alt.Chart(rows(segments))
        .mark_bar(height={"band": 0.72})
        .encode(
            x=x,
            x2="to:Q",
            y=y,
            color=alt.Color(
                "part:N",
                title=None,
                scale=alt.Scale(domain=labels, range=[colour for _, colour in PARTS.values()]),
            ),
            tooltip=tooltips(hover),
        )
    )
    text = (
        alt.Chart(rows(ends))
        .mark_text(align="left", dx=6, fontSize=12)
        .encode(
            x=alt.X("to:Q"),
            y=y,
            text="verdict:N",
            opacity=alt.condition("datum.bold", alt.value(1), alt.value(0.65)),
        )
    )
    return finish(alt.layer(bars, text), caption, 22 * len(names))
