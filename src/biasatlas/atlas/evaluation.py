"""Section on region-aware tests: topic pairs scored as association tests."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from biasatlas.atlas import words
from biasatlas.atlas.charts import SERIES, finish, rows, tooltips
from biasatlas.atlas.forest import forest_chart, series_colours
from biasatlas.atlas.legend import forest_key
from biasatlas.atlas.parts import (
    EMPTY,
    DataTable,
    Figure,
    Section,
    given,
    listing,
    number,
    plural,
)
from biasatlas.atlas.places import PRETRAINED, add_place, region_label, region_order
from biasatlas.atlas.scores import (
    BEYOND,
    BORROWED,
    add_documents,
    add_series,
    is_significant,
    refused_table,
    score_table,
    separates,
    summarise,
)

if TYPE_CHECKING:
    import pandas as pd

_SOURCES = (("published_reddit", "Reddit"), ("published_ungdc", "UN debates"))


def section(tables: Mapping[str, pd.DataFrame], info: Mapping[str, Any]) -> Section:
    """Show found pairs on their region's vectors, and published pairs beside the paper's values."""
    frame = add_documents(_prepare(tables["evaluation"], info), given(tables, "alc"))
    found = [
        _found_figure(frame[frame["origin"] == origin], tables, title, info)
        for origin, title in (
            ("found", "Pairs found in this run"),
            ("found_other", "Pairs by the other selection"),
        )
    ]
    figures = [figure for figure in found if figure is not None]
    drawn = bool(figures)
    behind = any(figure.words is not None for figure in figures)
    comparable = published_scores(frame)
    for series in dict.fromkeys(record["vectors"] for record in comparable):
        figures.append(_scatter([r for r in comparable if r["vectors"] == series], series))
    if comparable:
        figures.append(_published_table(comparable))
    if len(frame):
        lead = [("Pair", "row"), ("Scored on", "place")]
        table = score_table(frame, lead, f"Numbers: all {plural(len(frame), 'score')}")
        figures.append(Figure("Every region-aware score, seed by seed.", table=table))
        refused = refused_table(frame, lead)
        if refused:
            figures.append(Figure("Tests refused, and why.", table=refused, title="Refused"))
    notes = [
        "X holds key words of the female topic and Y of the male one, A female and B male terms; "
        "so a positive d agrees with the pair.",
        "The thick bar of à la carte vectors is the interval over documents, the thin line that "
        "over words. Inside the grey band a pair does no better than random words of the same "
        "frequency and coherence.",
        "Found pairs are scored on text of the region that they come from: agreement there is a "
        "check of consistency, and only other text can confirm it.",
        "The published values come from other corpora and vectors (table 4 of the paper): "
        "agreement in sign and rank is the most that can be asked.",
    ]
    return Section(
        "Region-aware evaluation",
        "evaluation",
        _finding(frame, comparable),
        figures,
        cards=forest_key(behind) if drawn else EMPTY,
        notes=notes,
        read_more=[
            (
                "Borah, Garimella & Mihalcea, Towards Region-aware Bias Evaluation Metrics",
                "https://arxiv.org/abs/2406.16152",
            )
        ],
    )


def _prepare(evaluation: pd.DataFrame, info: Mapping[str, Any]) -> pd.DataFrame:
    frame = add_series(add_place(evaluation, info))
    rank = {name: n for n, name in enumerate(region_order(frame, info, "pair_region"))}
    names = [
        pair if not text else f"{_short(pair, region, info)}: {text}"
        for pair, region, text in zip(
            frame["pair"], frame["pair_region"], frame["description"], strict=True
        )
    ]
    frame = frame.assign(row=names, _rank=[rank[r] for r in frame["pair_region"]])
    if frame.empty:
        frame = frame.astype({"row": "str"})
    return frame.sort_values(["_rank", "pair"], kind="stable", ignore_index=True).drop(
        columns="_rank"
    )


def _comparable(frame: pd.DataFrame) -> pd.Series:
    return (frame["region"] == frame["pair_region"]) | (frame["region"] == PRETRAINED)


def _short(pair: str, region: str, info: Mapping[str, Any]) -> str:
    head, _, number_ = pair.rpartition("-")
    rank = f"P{number_}" if number_.isdecimal() else number_
    # `europe-1`, or `europe-gap-1` where the other selection made the pair.
    selection = head.removeprefix(region).removeprefix("-")
    if not head.startswith(region) or selection not in ("", "gap", "matching"):
        return pair
    return " ".join(filter(None, (region_label(region, info), selection, rank)))


def published_scores(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Give mean d over seeds of each published pair on each kind of vectors.

    Only pretrained vectors and those of the pair's own region are compared.
    """
    published = frame[(frame["origin"] == "published") & _comparable(frame)]
    records = []
    for (pair, series, region), part in published.groupby(["row", "series", "region"], sort=False):
        cell = summarise(part)
        first = part.iloc[0]
        where = "" if region == PRETRAINED else " of the pair's own region"
        records.append(
            {
                "pair": pair,
                "vectors": f"{series}{where}",
                "d": cell["mean"],
                "sd": cell["sd"],
                "thin": cell["thin"],
                "failed": cell["control"] == "failed",
                **{column: float(first[column]) for column, _ in _SOURCES},
            }
        )
    return records


def rank_correlation(x: list[float], y: list[float]) -> tuple[float, float, float] | None:
    """Give Spearman's rho with its 95% interval (Fisher's z, standard error 1.03/sqrt(n - 3)).

    Returns
    -------
    tuple of float or None
        rho, low, high; None below 5 points or where one side does not vary.

    References
    ----------
    Fieller, Hartley & Pearson 1957, Biometrika 44, 470 (the standard error).
    """
    import pandas as pd

    if len(x) < 5:
        return None
    rho = pd.Series(x).rank().corr(pd.Series(y).rank())
    if math.isnan(rho):
        return None
    z = math.atanh(max(-0.999999, min(0.999999, rho)))
    half = 1.96 * 1.03 / math.sqrt(len(x) - 3)
    return float(rho), math.tanh(z - half), math.tanh(z + half)


def _agreement(records: list[dict[str, Any]], column: str) -> tuple[int, int, str]:
    both = [
        (r[column], r["d"]) for r in records if r["d"] is not None and not math.isnan(r[column])
    ]
    same = sum((x > 0) == (y > 0) for x, y in both)
    rho = rank_correlation([x for x, _ in both], [y for _, y in both])
    text = f"rank correlation {number(rho[0])} [{number(rho[1])}, {number(rho[2])}]" if rho else ""
    return same, len(both), text


def _found_figure(
    frame: pd.DataFrame, tables: Mapping[str, pd.DataFrame], title: str, info: Mapping[str, Any]
) -> Figure | None:
    found = frame[_comparable(frame)]
    if not found["effect_size"].notna().any():
        return None
    caption = (
        f"{title} ({_selection(frame, info)}), on the vectors of their own region; right of 0 the "
        "text has the bias that the pair predicts."
    )
    keyed = words.add_keys(found)
    chart = forest_chart(keyed, "row", series_colours(found), caption)
    behind = words.merge(words.islands(keyed, given(tables, "words"), given(tables, "coverage")))
    return Figure(caption, chart, title=title, words=behind)


def _selection(frame: pd.DataFrame, info: Mapping[str, Any]) -> str:
    """What chose the pairs of these rows, in words."""
    own = info.get("settings", {}).get("pairs", {}).get("selection", "matching")
    if (frame["origin"] == "found_other").all():
        own = {"matching": "gap", "gap": "matching"}[own]
    return {"matching": "matched one to one", "gap": "chosen by the paper's gap"}[own]


def _finding(frame: pd.DataFrame, comparable: list[dict[str, Any]]) -> str:
    if frame.empty:
        return "The run has no region-aware evaluation."
    sentences = []
    found = frame[(frame["origin"] == "found") & (frame["region"] == frame["pair_region"])]
    cells = [summarise(part) for _, part in found.groupby(["row", "series"], sort=False)]
    cells = [cell for cell in cells if not cell["refused"]]
    if cells:
        agree = sum(cell["mean"] > 0 for cell in cells)
        sentences.append(
            f"{agree} of {plural(len(cells), 'score')} of found pairs on their own region's "
            f"vectors {'has' if agree == 1 else 'have'} the predicted sign ({_of_these(cells)})"
        )
    else:
        sentences.append("no found pair could be scored on its own region's vectors")
    for vectors in dict.fromkeys(record["vectors"] for record in comparable):
        part = [record for record in comparable if record["vectors"] == vectors]
        parts = []
        for column, source in _SOURCES:
            same, n, text = _agreement(part, column)
            if n:
                parts.append(f"{same} of {n} with {source}{f' ({text})' if text else ''}")
        if parts:
            sentences.append(f"on {vectors} published pairs agree in sign {listing(parts)}")
    joined = "; ".join(sentences)
    return f"{joined[0].upper()}{joined[1:]}."


def _of_these(cells: list[dict[str, Any]]) -> str:
    """Say how many scores of found pairs are significant, beyond the null, thin, or unchecked."""
    significant = [c for c in cells if is_significant(c) and not c["thin"] and c["mean"] > 0]
    held = [cell for cell in significant if separates(cell)]
    text = f"{len(significant) or 'none'} significant in every seed"
    if significant and any(cell["control"] != "none" for cell in cells):
        text += f", {len(held) or 'none'} of these on vectors that pass the control"
    if held and any(cell["null"] for cell in held):
        beyond = [cell for cell in held if cell["beyond"]]
        text += f" and {len(beyond) or 'none'} of those beyond {BEYOND}"
        lent = sum(not cell["own_text"] for cell in beyond)
        if lent:
            text += f", {lent} of them à la carte scores {BORROWED}"
    text += f", {sum(c['thin'] for c in cells)} thin"
    return text


def _scatter(records: list[dict[str, Any]], vectors: str) -> Figure:
    import altair as alt

    points = [
        {
            "pair": r["pair"],
            "source": source,
            "published": r[column],
            "d": r["d"],
            "doubt": _doubt(r).strip(" ()"),
        }
        for r in records
        for column, source in _SOURCES
        if r["d"] is not None and not math.isnan(r[column])
    ]
    caption = f"Published pairs on {vectors}: the paper's d (across) and ours (up)."
    if not points:
        return Figure(f"{caption} None could be scored.", title=vectors, narrow=True)
    scale = alt.Scale(domain=[-2, 2], clamp=True)
    names = [source for _, source in _SOURCES]
    axis = alt.Axis(values=[-2, -1, 0, 1, 2], format="~g")
    marks = (
        alt.Chart(rows(points))
        .mark_point(size=60, strokeWidth=1.8, opacity=0.9)
        .encode(
            x=alt.X("published:Q", title="published d", scale=scale, axis=axis),
            y=alt.Y("d:Q", title="d here, mean over seeds", scale=scale, axis=axis),
            color=alt.Color(
                "source:N", title="published for", scale=alt.Scale(domain=names, range=SERIES[:2])
            ),
            shape=alt.Shape(
                "source:N", scale=alt.Scale(domain=names, range=["circle", "triangle-up"])
            ),
            tooltip=tooltips(
                [
                    ("pair:N", "pair", ""),
                    ("source:N", "published for", ""),
                    ("published:Q", "published d", ".2f"),
                    ("d:Q", "d here", ".2f"),
                    ("doubt:N", "doubt", ""),
                ]
            ),
        )
    )
    line = (
        alt.Chart(rows([{"a": -2}, {"a": 2}]))
        .mark_line(color="#9a9a9a", strokeDash=[4, 4])
        .encode(x=alt.X("a:Q"), y=alt.Y("a:Q"))
    )
    return Figure(
        f"{caption} On the dashed line they agree.",
        finish(alt.layer(line, marks), caption, 330),
        title=f"Published pairs on {vectors}",
        narrow=True,
    )


def _doubt(record: Mapping[str, Any]) -> str:
    marks = [text for key, text in (("thin", "thin"), ("failed", "control failed")) if record[key]]
    return f" ({', '.join(marks)})" if marks else ""


def _published_table(comparable: list[dict[str, Any]]) -> Figure:
    vectors = list(dict.fromkeys(record["vectors"] for record in comparable))
    by_pair: dict[str, dict[str, Any]] = {}
    for record in comparable:
        spread = "" if record["sd"] is None else f" ± {number(record['sd'])}"
        cell = f"{number(record['d'])}{spread}{_doubt(record)}"
        row = by_pair.setdefault(record["pair"], {column: record[column] for column, _ in _SOURCES})
        row[record["vectors"]] = cell
    headers = ["Pair", *(f"Published, {source}" for _, source in _SOURCES), *vectors]
    body = [
        [pair, *(number(row[c]) for c, _ in _SOURCES), *(row.get(v, number(None)) for v in vectors)]
        for pair, row in by_pair.items()
    ]
    caption = (
        "Published pairs: the paper's d and ours (mean over seeds ± their standard deviation)."
    )
    table = DataTable(
        headers, body, frozenset(headers[1:]), f"Numbers: {plural(len(body), 'pair')}"
    )
    return Figure(caption, table=table)
