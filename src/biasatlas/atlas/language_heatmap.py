"""Heat maps of d: language by test, or encoder by test where there is one language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from biasatlas.atlas.charts import DIVERGING, INK, category_axis, finish, heat_cells, rows, tooltips
from biasatlas.atlas.choices import Choices, Limits, build_choices, described
from biasatlas.atlas.language_names import (
    BEYOND,
    FOUND,
    WITHIN,
    add_labels,
    marks,
    number_test,
    orders,
)
from biasatlas.atlas.parts import DataTable, Figure, number, plural

if TYPE_CHECKING:
    import pandas as pd

_DRAWN = ("row", "test", "d", "mark", "q", "status")
_HOVER = ("p", "low", "high", "percentile", "sizes", "sets", "missing", "note")
_REFUSED = "#c9c9c9"
_STEP = 27
# Slanted strokes across the middle of a cell: a pattern that needs no image.
_HATCH = "M-2.6,0.9L-1.2,-0.9M-1.4,0.9L0,-0.9M-0.2,0.9L1.2,-0.9M1,0.9L2.4,-0.9"
_TEXT_CUT = 90
FULL_NOTE = (
    f"d in each cell; {BEYOND} marks q_two_sided below {FOUND:g} and d outside the null band; "
    f"{WITHIN} the same q, but d inside the band or without a null: no bias may be concluded. q is "
    "corrected (Benjamini-Hochberg) over the whole table of the run, not over what is shown. Brackets, hatching and pale colour: "
    "thin, nothing is claimed. Grey with ×: refused. White: no such test."
)


def _cut(text: str) -> str:
    return text if len(text) <= _TEXT_CUT else text[: _TEXT_CUT - 1].rstrip() + "…"


def prepare(frame: pd.DataFrame) -> pd.DataFrame:
    """Give the columns that heat maps and strips show, from rows of the table weathub."""
    texts = {
        "sizes": [
            f"{x} of {ax}, {y} of {ay}; {a} of {aa}, {b} of {ab}"
            for x, ax, y, ay, a, aa, b, ab in zip(
                *(
                    frame[f"{kind}_{side}"]
                    for side in ("x", "y", "a", "b")
                    for kind in ("n", "asked")
                ),
                strict=True,
            )
        ],
        "sets": [
            f"{x}, {y}; {a}, {b}"
            for x, y, a, b in zip(*(frame[s] for s in ("x", "y", "a", "b")), strict=True)
        ],
        "missing": [_cut(text) for text in frame["words_missing"]],
        "note": [_cut(text) for text in frame["note"]],
    }
    renamed = frame.assign(**texts).rename(
        columns={
            "effect_size": "d",
            "effect_low": "low",
            "effect_high": "high",
            "p_two_sided": "p",
            "q_two_sided": "q",
            "null_percentile": "percentile",
        }
    )
    for column in ("sizes", "sets", "missing", "note"):
        renamed[column] = renamed[column].astype("str")
    renamed["mark"] = marks(frame)
    # What is shown first is what claims most.
    renamed["claimed"] = renamed["d"].where(renamed["status"] == "ok")
    return add_labels(renamed)


def _row_names(frame: pd.DataFrame) -> tuple[pd.Series, list[str]]:
    """Give the row of each cell where rows are encoders, with the model where there are several."""
    several = frame["model"].nunique() > 1
    joined = frame["encoder"] + (" · " + frame["model"] if several else "")
    order = orders(frame)["encoder"]
    pairs = frame[["encoder", "model"]].drop_duplicates()
    rank = {name: place for place, name in enumerate(order)}
    ranked = sorted(
        zip(pairs["model"], pairs["encoder"], strict=True), key=lambda p: (p[0], rank[p[1]])
    )
    return joined, [f"{e} · {m}" if several else e for m, e in ranked]


def heat_figure(frame: pd.DataFrame, title: str, limits: Limits | None = None) -> Figure:
    """Give the heat map of rows of the table weathub.

    Parameters
    ----------
    frame : pandas.DataFrame
        Rows of `prepare`, at least one. With several languages a row of the map is a language and
        model and encoder are chosen; with one a row is an encoder.
    title : str
        Of the figure.
    limits : Limits, optional
        How much goes into the page.
    """
    order = {**orders(frame), "mark": ["", WITHIN, BEYOND]}
    if frame["language"].nunique() > 1:
        frame = frame.assign(row=frame["language_label"])
        order["row"] = order["language_label"]
        lists = [
            ("Model", "model"),
            ("Encoder", "encoder"),
            ("Space", "space_label"),
            ("Lists", "variant_label"),
        ]
        what = "language"
    else:
        names, order["row"] = _row_names(frame)
        frame = frame.assign(row=names)
        lists = [("Lists", "variant_label"), ("Space", "space_label")]
        what = "encoder"
    choices = build_choices(
        frame,
        lists,
        _DRAWN,
        _HOVER,
        orders=order,
        scored="claimed",
        limits=limits,
    )
    counts = _counts(choices.records)
    caption = (
        f"{what.capitalize()} by test, first shown: {described(choices)}; {counts}. {FULL_NOTE} "
        f"{choices.note}"
    ).rstrip()
    chart = _chart(choices, what, caption)
    return Figure(
        caption,
        chart,
        _table(choices, what),
        title=title,
        choices=choices.data,
    )


def _counts(records: Sequence[Mapping[str, Any]]) -> str:
    beyond, within = (
        sum(record["mark"] == mark for record in records) for mark in (BEYOND, WITHIN)
    )
    thin = sum(record["status"] == "thin" for record in records)
    refused = sum(record["d"] is None for record in records)
    return (
        f"{plural(len(records), 'cell')}, {beyond} marked {BEYOND}, {within} marked {WITHIN}, "
        f"{thin} thin, {refused} refused"
    )


def _columns(choices: Choices) -> int:
    """Give the number of columns of the widest map."""
    return max(
        (
            len({row[1] for row in one["rows"]})
            for one in choices.data["maps"]
            if one["rows"] is not None
        ),
        default=1,
    )


def _axes(choices: Choices, columns: int) -> tuple[Any, Any]:
    import altair as alt

    names = choices.data["lookups"]["test"]
    # A column is about 900 pixels over their number wide, a letter about 7.
    slant = max(len(name) for name in names) * 7.5 > 900 / columns
    top = alt.Axis(
        title=None,
        orient="top",
        ticks=False,
        domain=False,
        labelAngle=-35 if slant else 0,
        labelAlign="left" if slant else "center",
        labelLimit=150,
    )
    across = alt.X(
        "test:N",
        sort=alt.EncodingSortField("test_at", op="min"),
        axis=top,
        scale=alt.Scale(padding=0),
    )
    down = alt.Y(
        "row:N",
        sort=alt.EncodingSortField("row_at", op="min"),
        axis=category_axis(260),
        scale=alt.Scale(padding=0),
    )
    return across, down


def _tooltip(what: str) -> Any:
    return tooltips(
        [
            ("row:N", what, ""),
            ("test:N", "test", ""),
            ("sets:N", "X, Y; A, B", ""),
            ("said:N", "d [95% interval]", ""),
            ("p_said:N", "p, two-sided", ""),
            ("q_said:N", "q, whole table", ""),
            ("null_said:N", "percentile of the null", ""),
            ("sizes:N", "words used", ""),
            ("missing:N", "without a vector", ""),
            ("status:N", "status", ""),
            ("note:N", "note", ""),
        ]
    )


def _chart(choices: Choices, what: str, caption: str) -> dict[str, Any]:
    import altair as alt

    columns = _columns(choices)
    across, down = _axes(choices, columns)
    base = alt.Chart().encode(x=across, y=down, tooltip=_tooltip(what))
    ground, cells = heat_cells(base, "d", "d", plain="datum.status == 'ok'", faded=0.45)
    refused = base.mark_rect(stroke="white", strokeWidth=2, color=_REFUSED).transform_filter(
        "!isValid(datum.d)"
    )
    hatch = base.mark_point(
        shape=_HATCH,
        # Half the root of the size is the unit of the shape, five of which must fit a column.
        size=round(4 * min(10.0, 900 / columns / 5.5) ** 2),
        filled=False,
        stroke="#333333",
        strokeWidth=1,
        opacity=0.33,
    ).transform_filter("isValid(datum.d) && datum.status == 'thin'")
    ink = alt.condition(
        "datum.status == 'ok' && abs(datum.d) > 1.25", alt.value("white"), alt.value(INK)
    )
    text = base.mark_text(fontSize=11.5).encode(text="shown:N", color=ink)
    data = rows(choices.records)
    data.name = "cells"
    layered = (
        alt.layer(
            ground,
            cells.transform_filter("isValid(datum.d)"),
            refused,
            hatch,
            text,
            data=data,
        )
        .transform_calculate(shown=_SHOWN)
        .transform_calculate(said=_SAID)
        .transform_calculate(p_said=_small("p"), q_said=_small("q"), null_said=_NULL)
    )
    spec = finish(layered, caption, 0)
    # Choices differ in their number of rows.
    spec["height"] = {"step": _STEP}
    return spec


_SHOWN = (
    "!isValid(datum.d) ? '×' : datum.status == 'thin' ? '(' + format(datum.d, '.1f') + ')' : "
    "format(datum.d, '.1f') + datum.mark"
)
_SAID = (
    "!isValid(datum.d) ? '–' : format(datum.d, '.2f') + (isValid(datum.low) && isValid(datum.high)"
    " ? ' [' + format(datum.low, '.2f') + ', ' + format(datum.high, '.2f') + ']' : '')"
)
# A row without details on hover holds no sizes; nothing is known of its null.
_NULL = (
    "isValid(datum.percentile) ? format(datum.percentile, '.1%') : "
    "isValid(datum.d) && isValid(datum.sizes) ? 'no null' : '–'"
)


def _small(field: str) -> str:
    return f"isValid(datum.{field}) ? format(datum.{field}, '.3~g') : '–'"


def _table(choices: Choices, what: str) -> DataTable:
    tests = sorted({record["test"] for record in choices.records}, key=number_test)
    by_row: dict[str, dict[str, str]] = {}
    for record in sorted(choices.records, key=lambda one: one["row_at"]):
        if record["d"] is None:
            text = "refused"
        elif record["status"] == "thin":
            text = f"({number(record['d'])}) thin"
        else:
            text = number(record["d"]) + record["mark"]
        by_row.setdefault(record["row"], {})[record["test"]] = text
    body = [[row, *(cells.get(test, "") for test in tests)] for row, cells in by_row.items()]
    return DataTable(
        [what.capitalize(), *tests],
        body,
        frozenset(tests),
        f"Numbers: the choice first shown ({described(choices)})",
    )


def _swatch(style: str, sign: str) -> Markup:
    return Markup(
        '<svg viewBox="0 0 40 16" width="40" height="16" aria-hidden="true">{}{}</svg>'
    ).format(Markup(f'<rect x="1" y="1" width="38" height="14" {style}/>'), Markup(sign))


def heat_key() -> Markup:
    """Give the key to the heat maps, drawn once above them."""
    text = '<text x="20" y="12" font-size="11" text-anchor="middle" fill="{}">{}</text>'
    lines = "".join(f'<path d="M{x},13L{x + 9},3" stroke="#777" stroke-width="1"/>' for x in range(3, 30, 8))  # fmt: skip
    signs = (
        (_swatch(f'fill="{DIVERGING[4]}"', text.format("white", "1.4")), "X goes with A"),
        (
            _swatch(f'fill="{DIVERGING[0]}"', text.format("white", "−1.4")),
            "X goes with B: the other way round",
        ),
        (
            _swatch(f'fill="{DIVERGING[3]}"', text.format(INK, f"0.9{BEYOND}")),
            f"q two-sided under {FOUND:g} over the whole table, and d outside the null band",
        ),
        (
            _swatch(f'fill="{DIVERGING[3]}"', text.format(INK, f"0.9{WITHIN}")),
            f"q under {FOUND:g}, but d inside the null band or without a null: no evidence",
        ),
        (
            _swatch(f'fill="{DIVERGING[3]}" opacity="0.45"', lines + text.format(INK, "(0.9)")),
            "thin: few words have a vector",
        ),
        (_swatch(f'fill="{_REFUSED}"', text.format(INK, "×")), "refused; hover says why"),
    )
    items = Markup("").join(
        Markup("<li>{}<span>{}</span></li>").format(sign, said) for sign, said in signs
    )
    return Markup('<div class="key"><ul>{}</ul></div>').format(items)


def tests_table(frame: pd.DataFrame) -> DataTable:
    """Say what each test compares: its four sets, as named in the first list that has it."""
    keys = ["language", "model", "variant", "encoder", "space"]
    first = frame.sort_values(["test", *keys], kind="stable").drop_duplicates("test")
    first = first.sort_values("test", key=lambda column: column.map(number_test), kind="stable")
    body = [
        [row.test, row.description, row.x, row.y, row.a, row.b]
        for row in first.itertuples(index=False)
    ]
    return DataTable(
        ["Test", "What it compares", "X", "Y", "A", "B"],
        body,
        summary=f"What the tests are: {plural(len(body), 'test')}",
    )
