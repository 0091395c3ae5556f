"""Counts of what was read, kept and dropped, in the columns of the corpus table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

COUNT_COLUMNS = ("region", "country", "source", "item", "unit", "n", "rule")
# From what says most about a document's fate to what says least.
FATES = (
    "kept",
    "not_sampled",
    "other_part",
    "dropped_duplicate",
    "dropped_short",
    "dropped_empty",
)


def count_region(
    name: str, inside: pl.DataFrame, outside: pl.DataFrame, passages: pl.DataFrame
) -> pd.DataFrame:
    """Count documents, passages and words by country, source, fate and rule."""
    import polars as pl

    keys = ["country", "source", "rule"]
    rank = {fate: i for i, fate in enumerate(FATES)}
    best = passages.group_by("document").agg(
        pl.col("fate").replace_strict(rank, return_dtype=pl.Int64).min().alias("rank")
    )
    fates = (
        inside.join(best, on="document", how="left")
        .with_columns(
            pl.col("rank").fill_null(rank["dropped_empty"]).replace_strict(
                dict(enumerate(FATES)), return_dtype=pl.String
            ).alias("fate")
        )
    )  # fmt: skip
    every = pl.concat([fates.select(*keys, "fate"), outside.select(*keys, "fate")])
    rows = []
    for unit, frame, amount in (
        ("document", every, pl.len()),
        ("passage", passages, pl.len()),
        ("word", passages, pl.col("words").sum()),
    ):
        by_fate = frame.group_by([*keys, "fate"]).agg(amount.cast(pl.Int64).alias("n"))
        read = by_fate.group_by(keys).agg(pl.col("n").sum()).with_columns(fate=pl.lit("read"))
        for row in [*by_fate.iter_rows(named=True), *read.iter_rows(named=True)]:
            rows.append(
                count_row(
                    region=name, country=row["country"], source=row["source"],
                    item=row["fate"], unit=unit, n=row["n"], rule=row["rule"],
                )
            )  # fmt: skip
    for unit in ("document", "passage", "word"):
        for item in ("read", "kept"):
            if not any(row["item"] == item and row["unit"] == unit for row in rows):
                rows.append(count_row(region=name, item=item, unit=unit, n=0))
    return count_frame(rows)


def count_row(
    *,
    region: str = "",
    country: str = "",
    source: str = "",
    item: str,
    unit: str = "document",
    n: int,
    rule: str = "",
) -> dict[str, Any]:
    """Make one row of the counts."""
    return {
        "region": region,
        "country": country,
        "source": source,
        "item": item,
        "unit": unit,
        "n": int(n),
        "rule": rule,
    }


def count_frame(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Put rows into a frame, one row a key; equal keys are added up."""
    import pandas as pd

    keys = ["region", "country", "source", "unit", "item", "rule"]
    frame = pd.DataFrame(rows, columns=list(COUNT_COLUMNS))
    # two sources of one name share their rows
    summed = frame.groupby(keys)["n"].sum().reset_index()
    return summed[list(COUNT_COLUMNS)]
