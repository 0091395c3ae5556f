"""Section on whether regions differ: pairs of regions, sources of noise, the text's own part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from biasatlas.atlas import stability, swapped
from biasatlas.atlas.charts import INK, category_axis, finish, heat_cells, rows, tooltips
from biasatlas.atlas.parts import (
    LEVEL,
    MINUS,
    DataTable,
    Figure,
    Section,
    given,
    interval,
    listing,
    missing,
    number,
    plural,
    probability,
    records_of,
    with_interval,
)
from biasatlas.atlas.places import is_control, rank_test, region_label, region_order
from biasatlas.atlas.scores import add_series, combine_control

if TYPE_CHECKING:
    import pandas as pd

TEXT = "the log odds of co-occurrence in the text itself"
_NOTES = [
    "A difference is tested by dealing the documents of two regions anew between them, and its "
    "interval comes from drawing documents with replacement. Both take the test's words as given: "
    "other words could order the regions otherwise.",
    "Two regions differ in more than bias: in outlets, subjects and size. A difference says that "
    "the texts differ, not why.",
    "The log odds look at the text itself: how often X and Y stand near A and B. Where a difference "
    "was planted they found it as surely as can be, and kept their level; d on à la carte vectors "
    "found few, and too much where the smaller region has the shorter documents "
    "(docs/planted_bias.md).",
]
_SWAP_NOTE = (
    "The text's own part is half of what d changes by when every gendered word is exchanged for its "
    "counterpart. It is 0 where the text does not tell the genders apart, and then d comes "
    "from the pretrained vectors that à la carte vectors are built on."
)


def section(tables: Mapping[str, pd.DataFrame], info: Mapping[str, Any]) -> Section | None:
    """Show which regions differ on which tests; None where the run has nothing on it."""
    controls = control_of(tables["weat"])
    pairs = prepare(tables, info, controls)
    noise = stability.prepare(tables)
    own = swapped.prepare(tables, info, controls)
    if pairs is None and noise is None and own is None:
        return None
    figures: list[Figure] = []
    sentences = [_sentence(pairs), stability.sentence(noise), swapped.sentence(own)]
    if pairs is not None:
        names = ["language", "corpus", "series"]
        groups = [part for _, part in pairs.groupby(names, sort=False)]
        figures += [_figure(part, len(groups) > 1) for part in groups]
    if noise is not None:
        figures.append(stability.figure(noise))
    if own is not None:
        figures += swapped.figures(own)
    return Section(
        "Do the regions differ?",
        "differences",
        " ".join(filter(None, sentences)) or "Nothing can be said of differences between regions.",
        figures,
        notes=_NOTES + ([_SWAP_NOTE] if own is not None else []),
    )


def control_of(weat: pd.DataFrame) -> dict[tuple[str, ...], str]:
    """Give the verdict of the positive control by language, region, corpus and model."""
    keys = ["language", "region", "corpus", "model"]
    verdicts: dict[tuple[str, ...], str] = {}
    for key, part in weat.groupby(keys):
        verdicts[tuple(str(name) for name in key)] = combine_control(part["control"])
    return verdicts


def prepare(
    tables: Mapping[str, pd.DataFrame],
    info: Mapping[str, Any],
    controls: Mapping[tuple[str, ...], str],
) -> pd.DataFrame | None:
    """Give the table ``differences`` with the columns ``pair``, ``failed``, ``found`` and series.

    ``failed`` names the regions of a pair whose vectors fail the control, which the column
    ``control`` says where the table has it; ``found`` is whether q is at most 0.10, words are
    enough and no control fails.
    """
    frame = given(tables, "differences")
    if frame is None:
        return None
    frame = add_series(frame)
    order = [
        region
        for column in ("region_1", "region_2")
        for region in region_order(frame, info, column)
    ]
    known = list(info.get("regions", {}))
    rank = {region: place for place, region in enumerate(dict.fromkeys([*known, *order]))}
    records = []
    for row in records_of(frame):
        both = [row["region_1"], row["region_2"]]
        vectors = (row["corpus"], row["model"])
        failed = [r for r in both if controls.get((row["language"], r, *vectors)) == "failed"]
        if "control" in row:
            # The table does not say whose vectors fail; where nobody knows, it may be either.
            failed = (failed or both) if row["control"] == "failed" else []
        labels = [region_label(region, info) for region in both]
        small = not missing(row["q_value"]) and row["q_value"] <= LEVEL
        records.append(
            {
                "pair": f" {MINUS} ".join(labels),
                "failed": listing(region_label(region, info) for region in failed),
                "found": bool(small and row["status"] == "ok" and not failed),
                "_rank": rank_test(row["test"]),
                "_pair": tuple(rank[region] for region in both),
            }
        )
    added: dict[str, Any] = {
        name: [record[name] for record in records] for name in ("pair", "failed", "found")
    }
    ordered = sorted(range(len(frame)), key=lambda n: (records[n]["_rank"], records[n]["_pair"]))
    return frame.assign(**added).iloc[ordered]


def measure_of(model: str, series: str) -> str:
    """Name what is compared: d on vectors, or co-occurrence in the text itself."""
    return TEXT if model == "corpus" else f"d on {series} vectors"


def _sentence(frame: pd.DataFrame | None) -> str:
    if frame is None:
        return ""
    tested = frame[~frame["test"].map(is_control).astype(bool)]
    if tested.empty:
        return ""
    found = tested[tested["found"]]
    text = (
        f"{len(found) or 'None'} of {plural(len(tested), 'difference')} between two regions "
        f"(test × pair) {'is' if len(found) == 1 else 'are'} larger than documents dealt at random "
        f"would make {'it' if len(found) == 1 else 'them'} (q ≤ {LEVEL:.2f}, enough words, no "
        "failed control)"
    )
    if len(found):
        row = min(records_of(found), key=lambda row: (row["q_value"], -abs(row["difference"])))
        shown = with_interval(row["difference"], row["low"], row["high"])
        measure = measure_of(row["model"], row["series"])
        text += f"; the surest is {row['pair']} on {row['test']}: {shown} in {measure}"
    doubtful = [
        (int((tested["status"] == "refused").sum()), "could not be computed"),
        (int((tested["status"] == "thin").sum()), "are thin"),
        (
            int(((tested["failed"] != "") & (tested["status"] == "ok")).sum()),
            "involve vectors that fail the control",
        ),
    ]
    said = [f"{n} {words}" for n, words in doubtful if n]
    return f"{text}{f'; {listing(said)}' if said else ''}."


def _figure(part: pd.DataFrame, several: bool) -> Figure:
    records = [
        {
            "test": row["test"],
            "pair": row["pair"],
            "column": row["pair"].replace(f" {MINUS} ", f" {MINUS}\n"),
            "difference": row["difference"],
            "value": "" if missing(row["difference"]) else number(row["difference"]),
            "mark": _mark(row),
            "interval": interval(row["low"], row["high"]),
            "q": probability(row["q_value"]),
            "found": row["found"],
            "light": row["found"] and abs(row["difference"]) > 1.3,
        }
        for row in records_of(part)
    ]
    first = part.iloc[0]
    which = measure_of(first["model"], first["series"])
    which += f" ({first['language']})" if several else ""
    caption = (
        f"Difference of {which} between two regions. Full colour and bold: larger than chance "
        f"(q ≤ {LEVEL:.2f}); faded: not, or not to be believed (thin, or ✗ for vectors that fail the "
        "control). Blue: the first region's is higher."
    )
    headers = ["Test", "Regions", "In each", "Difference [95%]", "p", "q", "Holm p"]
    headers += ["Control fails", "Status", "Note"]
    body = [
        [
            row["test"],
            row["pair"],
            f"{number(row['effect_1'])}, {number(row['effect_2'])}",
            with_interval(row["difference"], row["low"], row["high"]),
            probability(row["p_value"], row["p_min"]),
            probability(row["q_value"]),
            probability(row["p_holm"]),
            row["failed"],
            row["status"],
            row["note"],
        ]
        for row in records_of(part)
    ]
    table = DataTable(
        headers, body, frozenset(headers[2:7]), f"Numbers: {plural(len(body), 'difference')}"
    )
    drawn = any(record["value"] for record in records)
    title = "Which regions differ" + (f": {which}" if several else "")
    return Figure(caption, _chart(records, caption) if drawn else None, table, title=title)


def _mark(row: Mapping[str, Any]) -> str:
    if row["status"] == "refused":
        return "refused"
    marks = ["thin"] if row["status"] == "thin" else []
    return " ".join(marks + (["✗"] if row["failed"] else []))


def _chart(records: list[dict[str, Any]], caption: str) -> dict[str, Any]:
    import altair as alt

    tests = list(dict.fromkeys(record["test"] for record in records))
    columns = list(dict.fromkeys(record["column"] for record in records))
    top = alt.Axis(
        title=None,
        orient="top",
        ticks=False,
        domain=False,
        labelAngle=0,
        labelLimit=150,
        labelExpr=r"split(datum.label, '\n')",
        labelLineHeight=14,
    )
    base = alt.Chart(rows(records)).encode(
        x=alt.X("column:N", sort=columns, axis=top, scale=alt.Scale(padding=0)),
        y=alt.Y("test:N", sort=tests, axis=category_axis(150), scale=alt.Scale(padding=0)),
        tooltip=tooltips(
            [
                ("test:N", "test", ""),
                ("pair:N", "regions", ""),
                ("value:N", "difference", ""),
                ("interval:N", "95% interval", ""),
                ("q:N", "q", ""),
                ("mark:N", "mark", ""),
            ]
        ),
    )
    cells = heat_cells(base, "difference", "difference", plain="datum.found", faded=0.3)
    ink = alt.condition("datum.light", alt.value("white"), alt.value(INK))
    layers = list(cells)
    for weight, test in ((700, "datum.found"), (400, "!datum.found")):
        values = base.mark_text(dy=-5, fontSize=12, fontWeight=weight)  # type: ignore[arg-type]
        layers.append(values.encode(text="value:N", color=ink).transform_filter(test))
    layers.append(base.mark_text(dy=8, fontSize=10.5, color="#4d4d4d").encode(text="mark:N"))
    return finish(alt.layer(*layers), caption, 34 * len(tests))
