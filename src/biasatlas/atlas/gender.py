"""Section on the gender split of the passages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from biasatlas.atlas.charts import GENDERS, category_axis, finish, rows, tooltips
from biasatlas.atlas.parts import (
    DataTable,
    Figure,
    Section,
    integer,
    listing,
    percent,
    plural,
    records_of,
)
from biasatlas.atlas.places import add_place

if TYPE_CHECKING:
    import pandas as pd


def section(tables: Mapping[str, pd.DataFrame], info: Mapping[str, Any]) -> Section:
    """Show female, male, both and neither a region, as table 6 of the paper does."""
    frame = add_place(tables["gender"], info)
    notes = [
        "A passage is female (male) when it holds female (male) terms only, by lists of gendered "
        "words; the lists know two genders, and no other can be seen.",
    ]
    rules = sorted(set(frame["both_rule"]) - {""})
    if rules:
        notes.append(f"Rule for passages with terms of both genders: {listing(rules)}.")
    lists = sorted(set(frame["word_list"]) - {""})
    notes.append(f"Lists of gendered words: {listing(lists)}.")
    if any("not validated" in name for name in lists):
        notes.append(
            "A list that is not validated was written by the makers of this workflow and checked "
            "by nobody who speaks the language: do not publish on it before someone has."
        )
    notes += [
        f"{place}: {warning}"
        for place, warning in zip(frame["place"], frame["warning"], strict=True)
        if warning
    ]
    figures = [_figure(frame)] if len(frame) else []
    return Section(
        "Gendered passages",
        "gender",
        _finding(frame),
        figures,
        notes=notes,
        read_more=[
            (
                "Word pairs: Bolukbasi et al. 2016, Man is to computer programmer",
                "https://arxiv.org/abs/1607.06520",
            )
        ],
    )


def _finding(frame: pd.DataFrame) -> str:
    known = frame[frame["female_share"].notna()]
    if known.empty:
        return "No region has a gendered passage, so no gender can be compared."
    shares = records_of(known.sort_values("female_share", kind="stable"))
    low, high = shares[0], shares[-1]
    if len(known) == 1:
        text = (
            f"{percent(low['female_share'])} of the gendered passages of {low['place']} are female"
        )
    elif percent(low["female_share"]) == percent(high["female_share"]):
        text = f"In every region {percent(low['female_share'])} of the gendered passages are female"
    else:
        text = (
            f"Of the gendered passages, {percent(low['female_share'])} ({low['place']}) to "
            f"{percent(high['female_share'])} ({high['place']}) are female"
        )
    thin = [
        f"{place} ({plural(int(n), 'female passage')})"
        for place, n, warning in zip(frame["place"], frame["female"], frame["warning"], strict=True)
        if warning
    ]
    if thin:
        return (
            f"{text}; {listing(thin)} {'is' if len(thin) == 1 else 'are'} thin, so read with care."
        )
    return f"{text}; no region is thin."


def _figure(frame: pd.DataFrame) -> Figure:
    import altair as alt

    kinds = list(GENDERS)
    records = [
        {
            "place": row["place"],
            "kind": kind,
            "n": row[kind],
            "share": row[kind] / row["passages"] if row["passages"] else None,
            "order": order,
        }
        for row in records_of(frame)
        for order, kind in enumerate(kinds)
    ]
    chart = (
        alt.Chart(rows(records))
        .mark_bar(stroke="white", strokeWidth=0.6)
        .encode(
            x=alt.X("n:Q", title="passages", axis=alt.Axis(format=",d", tickCount=6)),
            y=alt.Y("place:N", sort=list(frame["place"]), axis=category_axis()),
            color=alt.Color(
                "kind:N",
                title="terms in the passage",
                scale=alt.Scale(domain=kinds, range=list(GENDERS.values())),
            ),
            order=alt.Order("order:Q"),
            tooltip=tooltips(
                [
                    ("place:N", "region", ""),
                    ("kind:N", "terms", ""),
                    ("n:Q", "passages", ",d"),
                    ("share:Q", "share", ".1%"),
                ]
            ),
        )
    )
    caption = "Passages by the gender of the terms in them, by region."
    return Figure(
        caption,
        finish(chart, caption, 30 * len(frame)),
        _table(frame),
    )


def _table(frame: pd.DataFrame) -> DataTable:
    headers = [
        "Region",
        "Passages",
        "Female",
        "Male",
        "Both",
        "Neither",
        "Female share",
        "Used for topics",
        "Female documents",
        "Male documents",
        "Warning",
    ]
    body = [
        [
            row["place"],
            *(integer(row[name]) for name in ("passages", "female", "male", "both", "neither")),
            percent(row["female_share"], 1),
            *(
                integer(row[name])
                for name in ("gendered_used", "documents_female", "documents_male")
            ),
            row["warning"],
        ]
        for row in records_of(frame)
    ]
    return DataTable(headers, body, frozenset(headers[1:-1]))
