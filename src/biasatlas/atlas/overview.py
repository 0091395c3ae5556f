"""The first section: all regions and dimensions at a glance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from biasatlas.atlas.charts import INK, category_axis, finish, heat_cells, rows, tooltips, wrap
from biasatlas.atlas.pairs import primary_pairs
from biasatlas.atlas.parts import (
    LEVEL,
    DataTable,
    Figure,
    Section,
    given,
    listing,
    number,
    percent,
    plural,
)
from biasatlas.atlas.places import (
    PRETRAINED,
    add_place,
    gender_tests,
    is_control,
    rank_test,
    region_label,
)
from biasatlas.atlas.scores import (
    BEYOND,
    add_documents,
    add_series,
    doubts,
    marks_of,
    separates,
    summarise,
    verdict,
)

if TYPE_CHECKING:
    import pandas as pd

_PAIRS_ROW = "Topic pairs\nfound in the text"
_CONTROL = region_label(PRETRAINED, {})


def section(tables: Mapping[str, pd.DataFrame], info: Mapping[str, Any]) -> Section:
    """Show mean d of every test and region, with marks of doubt, and the pairs found."""
    weat = add_series(add_place(tables["weat"], info))
    weat = add_documents(weat, given(tables, "alc"), "weat")
    pairs = primary_pairs(add_place(tables["pairs"], info))
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
        f"q > {LEVEL:.2f}: in at least one seed, or a seed has none (Benjamini-Hochberg, one-sided: not "
        "in the direction that the test expects). interval holds 0: other words of the same kind could "
        "turn d round, in at least one seed. thin: too few of the test's "
        "words occur in the region's text. sign flips: d changes its sign between seeds. control "
        "failed: these vectors do not even hold an association of frequent words that no text lacks. "
        f"in null band: d lies within {BEYOND}. pretrained?: d on à la carte vectors may come from "
        f"the pretrained vectors, as no part of the text's own was found (q ≤ {LEVEL:.2f}, on the "
        "side of d) or the test has no gendered words to exchange. A faded cell carries at least "
        "one of these marks, and no claim rests on it.",
        "À la carte vectors pass the positive control thanks to the pretrained vectors that they "
        "are built on, so there it vouches for little.",
        "sd is the standard deviation over seeds. A difference of two regions below it is noise; "
        "one above it need not be real, since sd leaves out which documents were sampled.",
        "Positive d means that the first target goes with the first attribute of the test, for "
        "instance male names with career. The last column holds the same tests on pretrained "
        "vectors, which show that lists and code work.",
    ]
    return Section(
        "Overview",
        "overview",
        _finding(trained, pairs, weat, gender_tests(info)),
        figures,
        cards=_tiles(tables, info),
        notes=notes,
    )


def _finding(
    trained: pd.DataFrame, pairs: pd.DataFrame, weat: pd.DataFrame, tests: Sequence[str]
) -> str:
    text = _gender_scores(trained, tests)
    found = list(dict.fromkeys(pairs.loc[pairs["rank"] > 0, "place"]))
    total = pairs["place"].nunique()
    if found:
        number_of_pairs = int((pairs["rank"] > 0).sum())
        way = "the paper's gap" if (pairs["selection"] == "gap").all() else "matching"
        text += (
            f"; {way} makes {plural(number_of_pairs, 'topic pair')} in {len(found)} of "
            f"{plural(total, 'region')} ({listing(found)})"
        )
    elif total:
        text += f"; no topic pair was found in {plural(total, 'region')}"
    control = weat[(weat["region"] == PRETRAINED) & weat["test"].isin(tests)]
    control = control[control["effect_size"].notna()]
    if len(control):
        values = listing(
            f"{number(d)} ({test})"
            for test, d in zip(control["test"], control["effect_size"], strict=True)
        )
        text += f"; pretrained vectors give d = {values}"
    return text + "."


def _gender_scores(trained: pd.DataFrame, tests: Sequence[str]) -> str:
    """Say how many gender scores can be relied on, and why the others cannot."""
    gender = trained[trained["test"].isin(tests)]
    keys = ["place", "series", "test"]
    cells = {key: summarise(part) for key, part in gender.groupby(keys, sort=False)}
    if not cells:
        return "No gender test was scored on a region's vectors"
    first, beyond = verdict(
        list(cells.values()), "gender score", f"{listing(tests)} by region and vectors"
    )
    held = [key for key, cell in cells.items() if separates(cell)]
    if 0 < len(held) <= 6:
        first += f" ({listing(f'{test} in {place} on {series}' for place, series, test in held)})"
    return f"{first}{beyond}{doubts(list(cells.values()))}"


def _tiles(tables: Mapping[str, pd.DataFrame], info: Mapping[str, Any]) -> Markup:
    topics = tables["topics"][tables["topics"]["topic"] >= 0]
    gender = tables["gender"]
    values = [
        (gender["region"].nunique(), "regions"),
        (int(gender["passages"].sum()), "passages"),
        (int(gender["female"].sum() + gender["male"].sum()), "gendered passages"),
        (len(topics), "topics"),
        (int((topics["gender"] != "none").sum()), "topics that lean"),
        (int((primary_pairs(tables["pairs"])["rank"] > 0).sum()), "topic pairs"),
    ]
    if (topics["stability"] != "unknown").any():
        stable = (topics["gender"] != "none") & (topics["stability"] == "stable")
        values.insert(5, (int(stable.sum()), "of these stable"))
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


def _cell(row: str, column: str, part: pd.DataFrame) -> dict[str, Any]:
    cell = summarise(part)
    marks = marks_of(cell)
    spread = f"sd {number(cell['sd'])}" if cell["sd"] is not None else ""
    return {
        "row": row,
        "column": column,
        "d": cell["mean"],
        "value": number(cell["mean"]) if cell["mean"] is not None else "",
        "spread": spread,
        "marks": " · ".join(marks) if not cell["refused"] else "",
        "lines": _in_lines(marks) if not cell["refused"] else "",
        "none": "refused" if cell["refused"] else "",
        "sure": not marks,
        "coverage": percent(part["coverage"].min()),
        "light": not marks and cell["mean"] is not None and abs(cell["mean"]) > 1.3,
    }


def _in_lines(marks: list[str]) -> str:
    """Set marks in lines that a cell can hold."""
    lines = [""]
    for mark in marks:
        longer = f"{lines[-1]} · {mark}" if lines[-1] else mark
        if len(longer) <= 20:
            lines[-1] = longer
        else:
            lines.append(mark)
    return "\n".join(lines)


def _row_name(part: pd.DataFrame, test: str) -> str:
    check = " (control)" if is_control(test) else ""
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
                records.append(_cell(name, place, rows_of_place))
        same = control[control["test"] == test]
        if len(same):
            records.append(_cell(name, _CONTROL, same))
    for place in dict.fromkeys(pairs["place"]):
        count = int(((pairs["place"] == place) & (pairs["rank"] > 0)).sum())
        cell = {"d": None, "spread": "", "marks": "", "lines": "", "none": "", "sure": True}
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
    most = max(record["lines"].count("\n") for record in records)
    lift = 6 * max(0, most - 1)
    cells = heat_cells(base, "d", "mean d", plain="datum.sure", faded=0.45)
    ink = alt.condition("datum.light", alt.value("white"), alt.value(INK))
    alone = "datum.spread == '' && datum.marks == ''"
    values = [
        base.mark_text(dy=dy, fontSize=14, fontWeight="bold")
        .encode(text="value:N", color=ink)
        .transform_filter(test)
        for dy, test in ((-18 - lift, f"!({alone})"), (0, alone))
    ]
    spread = base.mark_text(dy=-2 - lift, fontSize=11).encode(text="spread:N", color=ink)
    marks = base.mark_text(dy=13 - lift, fontSize=10.5, lineBreak="\n", lineHeight=12).encode(
        text="lines:N", color=ink
    )
    none = base.mark_text(fontSize=11, fontStyle="italic", color="#6b6b6b").encode(text="none:N")
    layers = alt.layer(*cells, *values, spread, marks, none)
    return finish(layers, caption, (66 + 2 * lift) * len(names))
