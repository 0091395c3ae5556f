"""Reading and writing the tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.errors import InputError
from biasatlas.files import write_csv
from biasatlas.tables.columns import Column
from biasatlas.tables.schemas import DTYPES, check_table, find_table

if TYPE_CHECKING:
    import pandas as pd

_BOOLEANS = {"True": True, "False": False}


def empty_table(name: str) -> pd.DataFrame:
    """Give a table without rows, with the right columns and types."""
    import pandas as pd

    table = find_table(name)
    return pd.DataFrame({c.name: pd.Series([], dtype=DTYPES[c.kind]) for c in table.columns})


def _parse(column: Column, cell: str) -> Any:
    if column.kind == "boolean":
        return _BOOLEANS[cell]
    if column.kind == "integer":
        return int(cell)
    if cell == "" and column.nullable:
        return float("nan")
    return float(cell)


def _parse_column(column: Column, cells: pd.Series, where: str) -> tuple[pd.Series, list[str]]:
    import pandas as pd

    if column.kind == "text":
        return cells.astype("str"), []
    wanted = {"boolean": "True or False", "integer": "a whole number", "number": "a number"}
    empty = " or empty" if column.nullable else ""
    values, problems = [], []
    for row, cell in enumerate(cells, start=1):
        try:
            values.append(_parse(column, cell))
        except (KeyError, ValueError):
            problems.append(
                f"{where}, column {column.name}, row {row}: {cell!r}; "
                f"allowed is {wanted[column.kind]}{empty}"
            )
    if problems:
        return cells, problems
    return pd.Series(values, index=cells.index, dtype=DTYPES[column.kind]), []


def read_table(name: str, path: str | Path) -> pd.DataFrame:
    """Read a table of the workflow with the types of its schema.

    Text cells are kept as they stand (``NA`` is Namibia, an empty cell an empty text); only an
    empty cell of a number column becomes NaN.

    Parameters
    ----------
    name : str
        One of ``TABLES``.
    path : str or Path
        A CSV file as `write_table` writes it.

    Returns
    -------
    pandas.DataFrame
        The rows in the order of the file.

    Raises
    ------
    InputError
        When the file is missing or not CSV, or with every cell that does not fit the schema.
    """
    import pandas as pd

    table = find_table(name)
    where = f"table {name} in {Path(path).name}"
    try:
        raw = pd.read_csv(path, dtype=str, keep_default_na=False, na_filter=False, encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"table {name}: there is no file {path}") from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise InputError(f"{where}: not a CSV file in UTF-8 ({error})") from error
    if sorted(raw.columns) != sorted(column.name for column in table.columns):
        check_table(name, raw)
    columns, problems = {}, []
    for column in table.columns:
        columns[column.name], wrong = _parse_column(column, raw[column.name], where)
        problems += wrong
    if problems:
        raise InputError(problems)
    frame = pd.DataFrame(columns)[list(raw.columns)]
    check_table(name, frame)
    return frame


def write_table(name: str, frame: pd.DataFrame, path: str | Path) -> None:
    """Check a table, sort it by its key and write it as CSV, whole or not at all.

    Parameters
    ----------
    name : str
        One of ``TABLES``.
    frame : pandas.DataFrame
        The columns of the table in any order, and no others.
    path : str or Path
        Where the file must stand.

    Raises
    ------
    InputError
        With every problem, as `check_table` gives them; nothing is written then.
    """
    table = find_table(name)
    ordered = [column.name for column in table.columns if column.name in frame]
    frame = frame[ordered + [column for column in frame if column not in ordered]]
    check_table(name, frame)
    key = list(table.key)
    write_csv(frame.sort_values(key, kind="stable", ignore_index=True), path)
