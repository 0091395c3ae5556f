"""The first section: all regions and dimensions at a glance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from biasatlas.atlas.charts import INK, category_axis, finish, rows, tooltips, wrap
from biasatlas.atlas.parts import (
    LEVEL,
    DataTable,
    Figure,
    Section,
    listing,
    number,
    percent,
    plural,
)
from biasatlas.atlas.places import (
    CONTROL_TEST,
    GENDER_TESTS,
    PRETRAINED,
    add_place,
    rank_test,
    region_label,
)
from biasatlas.atlas.scores import SURE, add_series, doubts, is_significant, is_sure, summarise

if TYPE_CHECKING:
    import pandas as pd

_PAIRS_ROW = "Topic pairs\nfound in the text"
_CONTROL = region_label(PRETRAINED, {})
_COLOURS = ("#b35806", "#f1a340", "#f7f7f7", "#67a9cf", "#2166ac")


def section(tables: Mapping[str, pd.DataFrame], info: Mapping[str, Any]) -> Section:
    """Show mean d of every test and region, with marks of doubt, and the pairs found."""
    weat = add_series(add_place(tables["weat"], info))
    pairs = add_place(tables["pairs"], info)
    trained = weat[weat["region"] != PRETRAINED]
    figures: list[Figure] = []
    for language in dict.fromkeys(trained["language"]):
        group = trained[trained["language"] == language]
        for series in dict.fromkeys(group["series"]):
            part = group[group["series"] == series]
            control = weat[(weat["region"] == PRETRAINED) & (weat["language"] == language)]
            mine = pairs[pairs["language"] == language]
            figures.append(_figure(part, control, mine if not figures else mine.head(0), series))
    notes = [
        f"n.s.: q is above {LEVEL:.2f} in at least one seed (Benjamini-Hochberg, one-sided: not in "
        "the direction that the test expects) or an interval holds 0. thin: "
        "too few of the test's words occur in the region's text. sign flips: d changes its sign "
        "between seeds. no control: flowers and insects (WEAT1), refused or not positive on these "
        "vectors, do not vouch for them. A faded cell carries at least one of these marks, and no claim rests on "
        "it. sd is the standard deviation over seeds. A difference of two regions below it is noise; "
        "one above it need not be real, since sd leaves out which documents were sampled.",
        "Random word sets of one subject each are often separated as well: no null band is in "
        "this run, so no single d shows a bias.",
        "Positive d means that the first target goes with the first attribute of the test, for "
        "instance male names with career. The last column is the positive control: the same "
        "tests on pretrained vectors; the row of flowers and insects is the other control, which "
        "must be positive before the vectors are believed.",
    ]
    return Section(
        "Overview",
        "overview",
        _finding(trained, pairs, weat),
        figures,
        cards=_tiles(tables, info),
        notes=notes,
    )


def _holds(control: Mapping[str, Any] | None) -> bool:
    return control is not None and is_sure(control) and control["mean"] > 0


def _finding(trained: pd.DataFrame, pairs: pd.DataFrame, weat: pd.DataFrame) -> str:
    text = _gender_scores(trained)
    found = list(dict.fromkeys(pairs.loc[pairs["rank"] > 0, "place"]))
    total = pairs["place"].nunique()
    if found:
        number_of_pairs = int((pairs["rank"] > 0).sum())
        text += (
            f"; matching makes {plural(number_of_pairs, 'topic pair')} in {len(found)} of "
            f"{plural(total, 'region')} ({listing(found)})"
        )
    elif total:
        text += f"; no topic pair was found in {plural(total, 'region')}"
    control = weat[(weat["region"] == PRETRAINED) & weat["test"].isin(GENDER_TESTS)]
    control = control[control["effect_size"].notna()]
    if len(control):
        values = listing(
            f"{number(d)} ({test})"
            for test, d in zip(control["test"], control["effect_size"], strict=True)
        )
        text += f"; pretrained vectors give d = {values}"
    return text + "."


def _gender_scores(trained: pd.DataFrame) -> str:
    """Say how many gender scores are sure, and whether their vectors pass the control."""
    cells = {
        key: summarise(part)
        for key, part in trained.groupby(["place", "series", "test"], sort=False)
    }
    gender = {key: cell for key, cell in cells.items() if key[2] in GENDER_TESTS}
    if not gender:
        return "No gender test was scored on a region's vectors"
    sure = [key for key, cell in gender.items() if is_sure(cell)]
    text = (
        f"{len(sure) or 'None'} of {plural(len(gender), 'gender score')} (WEAT 6 to 8 by region "
        f"and vectors) {'separates' if len(sure) == 1 else 'separate'} their words {SURE}"
    )
    if 0 < len(sure) <= 6:
        text += f" ({listing(f'{test} in {place} on {series}' for place, series, test in sure)})"
    text += doubts(list(gender.values()))
    unchecked = [
        place for place, series, _ in sure if not _holds(cells.get((place, series, CONTROL_TEST)))
    ]
    if unchecked:
        text += (
            "; nothing is claimed from the vectors of "
            f"{listing(dict.fromkeys(map(str, unchecked)))}, where the positive control ({CONTROL_TEST}) "
            "does not hold or could not be scored"
        )
    return text


def _tiles(tables: Mapping[str, pd.DataFrame], info: Mapping[str, Any]) -> Markup:
    topics = tables["topics"][tables["topics"]["topic"] >= 0]
    gender = tables["gender"]
    values = [
        (gender["region"].nunique(), "regions"),
        (int(gender["passages"].sum()), "passages"),
        (int(gender["female"].sum() + gender["male"].sum()), "gendered passages"),
        (len(topics), "topics"),
        (int((topics["gender"] != "none").sum()), "topics that lean"),
        (int((tables["pairs"]["rank"] > 0).sum()), "topic pairs"),
    ]
    tiles = Markup("").join(
        Markup("<div><dt>{}</dt><dd>{}</dd></div>").format(name, f"{value:,}")
        for value, name in values
    )
    warnings = [str(warning) for warning in info.get("warnings", [])]
    box = Markup("")
    if warnings:
        items = Markup("").join(Markup("<li>{}</li>").format(warning) for warning in warnings)
        box = Markup('<div class="warnings"><h3>Read with care</h3><ul>{}</ul></div>').format(items)
    return Markup('<dl class="tiles">{}</dl>{}').format(tiles, box)


def _marks(cell: Mapping[str, Any]) -> list[str]:
    if cell["refused"]:
        return ["refused"]
    names = {"thin": "thin", "flips": "sign flips"}
    marks = [text for key, text in names.items() if cell[key]]
    # A thin score gets no q, so it is neither significant nor not.
    return marks if is_significant(cell) or cell["thin"] else ["n.s.", *marks]


def _cell(row: str, column: str, part: pd.DataFrame, holds: bool = True) -> dict[str, Any]:
    cell = summarise(part)
    marks = _marks(cell)
    if not holds and not cell["refused"]:
        marks.append("no control")
    spread = f"sd {number(cell['sd'])}" if cell["sd"] is not None else ""
    return {
        "row": row,
        "column": column,
        "d": cell["mean"],
        "value": number(cell["mean"]) if cell["mean"] is not None else "",
        "spread": spread,
        "marks": " · ".join(marks) if not cell["refused"] else "",
        "none": "refused" if cell["refused"] else "",
        "sure": not marks,
        "coverage": percent(part["coverage"].min()),
        "light": not marks and cell["mean"] is not None and abs(cell["mean"]) > 1.3,
    }


def _row_name(part: pd.DataFrame, test: str) -> str:
    check = " (control)" if test == CONTROL_TEST else ""
    return f"{test}{check}\n{wrap(str(part['description'].iloc[0]), 36)}"


def _records(
    part: pd.DataFrame, control: pd.DataFrame, pairs: pd.DataFrame
) -> list[dict[str, Any]]:
    records = []
    places = list(dict.fromkeys(part["place"]))
    for test in sorted(set(part["test"]), key=rank_test):
        mine = part[part["test"] == test]
        name = _row_name(mine, test)
        for place in places:
            rows_of_place = mine[mine["place"] == place]
            if len(rows_of_place):
                checked = part[(part["place"] == place) & (part["test"] == CONTROL_TEST)]
                holds = test == CONTROL_TEST or _holds(summarise(checked))
                records.append(_cell(name, place, rows_of_place, holds))
        same = control[control["test"] == test]
        if len(same):
            records.append(_cell(name, _CONTROL, same))
    for place in dict.fromkeys(pairs["place"]):
        count = int(((pairs["place"] == place) & (pairs["rank"] > 0)).sum())
        cell = {"d": None, "spread": "", "marks": "", "none": "", "sure": True}
        cell |= {"value": str(count), "coverage": "", "light": False}
        records.append({"row": _PAIRS_ROW, "column": place, **cell})
    return records


def _figure(part: pd.DataFrame, control: pd.DataFrame, pairs: pd.DataFrame, series: str) -> Figure:
    records = _records(part, control, pairs)
    columns = list(dict.fromkeys(part["place"]))
    columns += [c for c in dict.fromkeys(r["column"] for r in records) if c not in columns]
    if _CONTROL in columns:
        columns.remove(_CONTROL)
        columns.append(_CONTROL)
    names = list(dict.fromkeys(record["row"] for record in records))
    caption = f"Mean effect size d over seeds on {series} vectors, by test and region"
    caption += ", and the number of topic pairs found." if len(pairs) else "."
    cells = {(record["row"], record["column"]): record for record in records}
    body = [
        [name.replace("\n", ": "), *(_text(cells.get((name, column))) for column in columns)]
        for name in names
    ]
    table = DataTable(["Dimension", *columns], body, summary="Numbers: the same as a table")
    return Figure(caption, _chart(records, names, columns, caption), table, title=series)


def _text(cell: Mapping[str, Any] | None) -> str:
    if cell is None:
        return ""
    parts = (cell[key] for key in ("value", "spread", "marks", "none"))
    return ", ".join(part for part in parts if part)


def _chart(
    records: list[dict[str, Any]], names: list[str], columns: list[str], caption: str
) -> dict[str, Any]:
    import altair as alt

    top = alt.Axis(
        title=None, orient="top", ticks=False, domain=False, labelAngle=0, labelLimit=150
    )
    base = alt.Chart(rows(records)).encode(
        x=alt.X("column:N", sort=columns, axis=top, scale=alt.Scale(padding=0)),
        y=alt.Y("row:N", sort=names, axis=category_axis(250), scale=alt.Scale(padding=0)),
        tooltip=tooltips(
            [
                ("column:N", "region", ""),
                ("row:N", "dimension", ""),
                ("value:N", "mean d (or pairs)", ""),
                ("spread:N", "over seeds", ""),
                ("marks:N", "marks", ""),
                ("coverage:N", "words used", ""),
            ]
        ),
    )
    ground = base.mark_rect(stroke="white", strokeWidth=2, color="#f4f4f4")
    cells = base.mark_rect(stroke="white", strokeWidth=2).encode(
        color=alt.Color(
            "d:Q",
            title="mean d",
            scale=alt.Scale(domain=[-2, -1, 0, 1, 2], range=list(_COLOURS), clamp=True),
            legend=alt.Legend(gradientLength=240, tickCount=5),
        ),
        opacity=alt.condition("datum.sure", alt.value(1), alt.value(0.45)),
    )
    ink = alt.condition("datum.light", alt.value("white"), alt.value(INK))
    alone = "datum.spread == '' && datum.marks == ''"
    values = [
        base.mark_text(dy=dy, fontSize=14, fontWeight="bold")
        .encode(text="value:N", color=ink)
        .transform_filter(test)
        for dy, test in ((-13, f"!({alone})"), (0, alone))
    ]
    spread = base.mark_text(dy=4, fontSize=11).encode(text="spread:N", color=ink)
    marks = base.mark_text(dy=18, fontSize=11).encode(text="marks:N", color=ink)
    none = base.mark_text(fontSize=11, fontStyle="italic", color="#6b6b6b").encode(text="none:N")
    layers = alt.layer(ground, cells, *values, spread, marks, none)
    return finish(layers, caption, 60 * len(names))
