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
    percent,
    plural,
)
from biasatlas.atlas.places import add_place

if TYPE_CHECKING:
    import pandas as pd

_RANKS = ("largest country", "second", "third", "all others")
_UNITS = ("document", "passage", "word")
_BEFORE = "Before regions"
OTHER_REGION = "dropped_other_region"


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
        kept = _kept(frame[frame["corpus"] == corpus], "document")
        sums = kept[kept["rule"] != ""].groupby("rule")["n"].sum()
        rules = [
            f"{rule} ({integer(n)})"
            for rule, n in sums.sort_values(ascending=False, kind="stable").items()
        ]
        if rules:
            notes.append(
                f"How the documents of the {corpus} corpus got their region: {'; '.join(rules)}."
            )
    return Section(title, "corpus", _finding(frame), [f for f in figures if f], notes=notes)


def _unit(part: pd.DataFrame) -> str:
    return "passage" if len(_kept(part, "passage")) else "document"


def _kept(part: pd.DataFrame, unit: str) -> pd.DataFrame:
    # Rows without a region count the documents before they are shared out.
    return part[(part["item"] == "kept") & (part["unit"] == unit) & (part["region"] != "")]


def _finding(frame: pd.DataFrame) -> str:
    if frame.empty:
        return "The run has no corpus table, so nothing can be said about its text."
    sentences = []
    for corpus in sorted(set(frame["corpus"])):
        part = frame[frame["corpus"] == corpus]
        unit = _unit(part)
        kept = _kept(part, unit)
        sizes = kept.groupby("place", sort=False)["n"].sum()
        if not len(sizes) or not sizes.sum():
            sentences.append(f"nothing was kept of the {corpus} corpus")
            continue
        text = f"the {corpus} corpus keeps {plural(int(sizes.sum()), unit)}"
        documents = int(_kept(part, "document")["n"].sum())
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
    dropped = dropped[dropped["item"] != OTHER_REGION]
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
    kept = _kept(part, unit)
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


def _segments(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    # Dozens of slivers say nothing: the countries beyond the third are one segment.
    segments = [record for record in records if record["order"] < 3]
    for place in dict.fromkeys(record["place"] for record in records):
        rest = [r for r in records if r["place"] == place and r["order"] >= 3]
        if rest:
            name = rest[0]["country"] if len(rest) == 1 else f"{len(rest)} other countries"
            sums = {key: sum(record[key] for record in rest) for key in ("n", "share")}
            segments.append({**rest[0], **sums, "country": name})
    return segments


def _kept_figure(part: pd.DataFrame, corpus: str) -> Figure | None:
    import altair as alt

    unit = _unit(part)
    records = _ranked(part, unit)
    if not records:
        return None
    places = list(dict.fromkeys(record["place"] for record in records))
    chart = (
        alt.Chart(rows(_segments(records)))
        .mark_bar(stroke="white", strokeWidth=0.6)
        .encode(
            x=alt.X("n:Q", title=f"{unit}s kept", axis=alt.Axis(format=",d", tickCount=6)),
            y=alt.Y("place:N", sort=places, axis=category_axis()),
            color=alt.Color(
                "rank:N",
                title="countries of the region",
                scale=alt.Scale(domain=list(_RANKS), range=list(SHADES)),
            ),
            order=alt.Order("order:Q"),
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


def _step_order(step: tuple[str, str]) -> tuple[bool, bool, str, int]:
    item, unit = step
    # What was read and kept comes first: on a narrow page the reasons are what scrolls away.
    return item != "read", item != "kept", item, _UNITS.index(unit)


def _drops_figure(part: pd.DataFrame, corpus: str) -> Figure:
    # Words only of what was kept: else the table is too wide to read.
    part = part[(part["unit"] != "word") | (part["item"] == "kept")]
    part = part.assign(place=part["place"].where(part["region"] != "", _BEFORE))
    sums = part.groupby(["place", "item", "unit"])["n"].sum().to_dict()
    steps = sorted(set(zip(part["item"], part["unit"], strict=True)), key=_step_order)
    places = sorted(dict.fromkeys(part["place"]), key=lambda place: place != _BEFORE)
    body = [
        [place, *(integer(sums[place, *step]) if (place, *step) in sums else "" for step in steps)]
        for place in places
    ]
    # Every region may read all documents and leave those of the others, so these do not add up.
    regional = part[(part["region"] != "") & ~part["item"].isin(["read", OTHER_REGION])]
    totals = regional.groupby(["item", "unit"])["n"].sum().to_dict()
    body.append(
        ["All regions", *(integer(totals[step]) if step in totals else "" for step in steps)]
    )
    headers = ["Region", *(f"{item.replace('_', ' ')} ({unit}s)" for item, unit in steps)]
    caption = (
        f"What was read, dropped (by reason) and kept of the {corpus} corpus. "
        "An empty cell means that the step counts nothing there."
    )
    if (part["item"] == OTHER_REGION).any():
        caption += " Each region reads all documents and leaves those of other regions to them."
    return Figure(caption, table=DataTable(headers, body, frozenset(headers[1:])))
