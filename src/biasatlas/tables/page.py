"""The page that describes the tables, made from their columns."""

from __future__ import annotations

from biasatlas.tables.catalogue import TABLES
from biasatlas.tables.columns import Column, Table

_HEAD = """\
# Tables

<!-- Made by `python -m biasatlas.tables > docs/tables.md` from src/biasatlas/tables/. -->

Every run writes these files to `results/{run}/tables/`. They are UTF-8 CSV files, one row an
observation, sorted by the columns marked as key, which identify a row. Read them with
`biasatlas.tables.read_table`, or without turning `NA` (Namibia) into a missing value
(`pandas.read_csv(..., keep_default_na=False)`): text cells are never missing, and only a cell of a
number column may be empty, where no number can be given.
"""


def _allowed(column: Column) -> str:
    if column.kind == "boolean":
        return "`True`, `False`"
    if column.allowed:
        return ", ".join(f"`{value}`" for value in column.allowed)
    below = ">" if column.above_low else ">="
    parts = []
    if column.low is not None:
        parts.append(f"{below} {column.low:g}")
    if column.high is not None:
        parts.append(f"<= {column.high:g}")
    if column.nullable:
        parts.append("or empty")
    if column.filled:
        parts.append("not empty")
    return " ".join(parts)


def _section(table: Table) -> str:
    lines = [
        f"## {table.name}.csv",
        "",
        table.description,
        "",
        "| column | type | key | allowed | meaning |",
        "|---|---|---|---|---|",
    ]
    for column in table.columns:
        cells = (
            f"`{column.name}`",
            column.kind,
            "yes" if column.name in table.key else "",
            _allowed(column),
            column.description.replace("|", "\\|"),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def markdown() -> str:
    """Give the page ``docs/tables.md``: every table, its columns, types and allowed values."""
    return "\n".join([_HEAD, *(_section(table) for table in TABLES.values())])
