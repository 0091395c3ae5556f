"""Section on the corpora: what was read, dropped and kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from biasatlas.atlas.charts import SHADES, category_axis, finish, rows, tooltips
from biasatlas.atlas.parts import (
    DataTable,
    Figure,
    Section,
    integer,
    listing,
    percent,
    plural,
)
from biasatlas.atlas.places import add_place

if TYPE_CHECKING:
    import pandas as pd

_RANKS = ("largest country", "second", "third", "all others")
_UNITS = ("passage", "document", "word")


def section(tables: Mapping[str, pd.DataFrame], info: Mapping[str, Any]) -> Section:
    """Show documents and passages a region and country, and what was dropped and why."""
    frame = add_place(tables["corpus"], info)
    phrase = str(info.get("corpus_phrase", ""))
    title = f"Corpus: {phrase}" if phrase else "Corpus"
    figures = []
    for corpus in sorted(set(frame["corpus"])):
        part = frame[frame["corpus"] == corpus]
        figures += [_kept_figure(part, corpus), _drops_figure(part, corpus)]
    notes = [str(info["region_rule"])] if info.get("region_rule") else []
    for corpus in sorted(set(frame["corpus"])):
        rules = sorted(set(frame.loc[frame["corpus"] == corpus, "rule"]) - {""})
        if rules:
            notes.append(f"How a document of the {corpus} corpus got its region: {listing(rules)}.")
    return Section(title, "corpus", _finding(frame), [f for f in figures if f], notes=notes)


def _unit(part: pd.DataFrame) -> str:
    kept = part[part["item"] == "kept"]
    return next((unit for unit in _UNITS if (kept["unit"] == unit).any()), "document")


def _total(part: pd.DataFrame, item: str, unit: str) -> int:
    return int(part.loc[(part["item"] == item) & (part["unit"] == unit), "n"].sum())


def _finding(frame: pd.DataFrame) -> str:
    if frame.empty:
        return "The run has no corpus table, so nothing can be said about its text."
    sentences = []
    for corpus in sorted(set(frame["corpus"])):
        part = frame[frame["corpus"] == corpus]
        unit = _unit(part)
        kept = part[(part["item"] == "kept") & (part["unit"] == unit)]
        sizes = kept.groupby("place", sort=False)["n"].sum()
        if not len(sizes) or not sizes.sum():
            sentences.append(f"nothing was kept of the {corpus} corpus")
            continue
        text = f"the {corpus} corpus keeps {plural(int(sizes.sum()), unit)}"
        documents = _total(part, "kept", "document")
        if unit != "document" and documents:
            text += f" of {plural(documents, 'document')}"
        if len(sizes) > 1:
            text += (
                f", from {integer(sizes.min())} for {sizes.idxmin()} to "
                f"{integer(sizes.max())} for {sizes.idxmax()}"
            )
        sentences.append(text + _dropped(part))
    joined = "; ".join(sentences)
    return f"{joined[0].upper()}{joined[1:]}. Regions of unequal size are unequally sure."


def _dropped(part: pd.DataFrame) -> str:
    dropped = part[part["item"].str.startswith("dropped_") & (part["unit"] == "document")]
    sums = dropped.groupby("item")["n"].sum().sort_values(ascending=False, kind="stable")
    sums = sums[sums > 0]
    if sums.empty:
        return ""
    reasons = [
        f"{str(item).removeprefix('dropped_').replace('_', ' ')} {integer(n)}"
        for item, n in sums.head(3).items()
    ]
    return f" ({plural(int(sums.sum()), 'document')} dropped: {', '.join(reasons)})"


def _ranked(part: pd.DataFrame, unit: str) -> list[dict[str, Any]]:
    kept = part[(part["item"] == "kept") & (part["unit"] == unit)]
    sums = kept.groupby(["place", "country"], sort=False)["n"].sum().reset_index()
    sums = sums[sums["n"] > 0]
    records = []
    for place in list(dict.fromkeys(sums["place"])):
        group = sums[sums["place"] == place].sort_values(
            ["n", "country"], ascending=[False, True], kind="stable"
        )
        total = int(group["n"].sum())
        for rank, (country, n) in enumerate(zip(group["country"], group["n"], strict=True)):
            records.append(
                {
                    "place": place,
                    "country": country or "(not given)",
                    "n": int(n),
                    "share": n / total,
                    "rank": _RANKS[min(rank, 3)],
                    "order": rank,
                }
            )
    return records


def _kept_figure(part: pd.DataFrame, corpus: str) -> Figure | None:
    import altair as alt

    unit = _unit(part)
    records = _ranked(part, unit)
    if not records:
        return None
    places = list(dict.fromkeys(record["place"] for record in records))
    chart = (
        alt.Chart(rows(records))
        .mark_bar(stroke="white", strokeWidth=0.6)
        .encode(
            x=alt.X("sum(n):Q", title=f"{unit}s kept", axis=alt.Axis(format=",d", tickCount=6)),
            y=alt.Y("place:N", sort=places, axis=category_axis()),
            color=alt.Color(
                "rank:N",
                title="countries of the region",
                scale=alt.Scale(domain=list(_RANKS), range=list(SHADES)),
            ),
            order=alt.Order("order:Q"),
            detail="country:N",
            tooltip=tooltips(
                [
                    ("place:N", "region", ""),
                    ("country:N", "country", ""),
                    ("n:Q", f"{unit}s", ",d"),
                    ("share:Q", "share of region", ".1%"),
                ]
            ),
        )
    )
    caption = f"{unit.capitalize()}s kept of the {corpus} corpus, by region and country."
    table = DataTable(
        ["Region", "Country", f"{unit.capitalize()}s", "Share of region"],
        [[r["place"], r["country"], integer(r["n"]), percent(r["share"], 1)] for r in records],
        frozenset({f"{unit.capitalize()}s", "Share of region"}),
        f"Numbers: {plural(len(records), 'country', 'countries')} of the {corpus} corpus",
    )
    return Figure(caption, finish(chart, caption, 30 * len(places)), table)


def _drops_figure(part: pd.DataFrame, corpus: str) -> Figure:
    sums = part.groupby(["place", "item", "unit"], sort=False)["n"].sum()
    steps = sorted(
        set(zip(part["item"], part["unit"], strict=True)),
        key=lambda step: (
            step[0] != "read",
            step[0] == "kept",
            step[0],
            ("document", "passage", "word").index(step[1]),
        ),
    )
    body = [
        [place, *(integer(sums[place, *step]) if (place, *step) in sums else "" for step in steps)]
        for place in dict.fromkeys(part["place"])
    ]
    totals = part.groupby(["item", "unit"])["n"].sum()
    body.append(["All", *(integer(totals[step]) for step in steps)])
    headers = ["Region", *(f"{item.replace('_', ' ')} ({unit}s)" for item, unit in steps)]
    caption = (
        f"What was read, dropped (by reason) and kept of the {corpus} corpus. "
        "An empty cell means that the step counts nothing there."
    )
    return Figure(caption, table=DataTable(headers, body, frozenset(headers[1:])))
