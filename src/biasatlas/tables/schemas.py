"""Pandera schemas of the tables, and one list of all that is wrong with a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biasatlas.errors import InputError
from biasatlas.tables.catalogue import TABLES
from biasatlas.tables.columns import Column, Table

if TYPE_CHECKING:
    import pandas as pd
    import pandera.pandas as pa

DTYPES = {"text": "str", "integer": "int64", "number": "float64", "boolean": "bool"}
SHOWN = 50


def find_table(name: str) -> Table:
    """Give the table called `name`.

    Raises
    ------
    InputError
        When there is none.
    """
    if name not in TABLES:
        raise InputError(f"table: {name!r} is unknown; allowed are {', '.join(TABLES)}")
    return TABLES[name]


def _column_checks(column: Column) -> list[pa.Check]:
    import numpy as np
    import pandera.pandas as pa

    checks = []
    if column.allowed:
        allowed = f"one of {', '.join(column.allowed)}"
        checks.append(pa.Check.isin(list(column.allowed), error=allowed))
    if column.filled:
        checks.append(pa.Check(lambda s: s != "", error="text that is not empty"))
    low, high = column.low, column.high
    if low is not None:
        if column.above_low:
            checks.append(pa.Check.gt(low, error=f"a number above {low:g}"))
        else:
            checks.append(pa.Check.ge(low, error=f"a number of at least {low:g}"))
    if high is not None:
        checks.append(pa.Check.le(high, error=f"a number of at most {high:g}"))
    if column.kind == "number":
        checks.append(pa.Check(lambda s: np.isfinite(s), error="a finite number"))
    return checks


# Lower and upper ends, wherever a table has both.
INTERVALS = (
    ("effect_low", "effect_high"),
    ("p_lower", "p_upper"),
    ("null_low", "null_high"),
    ("label_low", "label_high"),
    ("documents_low", "documents_high"),
    ("swapped_low", "swapped_high"),
    ("text_low", "text_high"),
    ("log_odds_low", "log_odds_high"),
    ("log_odds_ratio_low", "log_odds_ratio_high"),
    ("mismatch_low", "mismatch_high"),
    ("neutral_low", "neutral_high"),
    ("excess_low", "excess_high"),
    ("correlation_low", "correlation_high"),
    ("share_low", "share_high"),
    ("prompt_low", "prompt_high"),
    ("chance_low", "chance_high"),
    ("expected_low", "expected_high"),
    ("support_low", "support_high"),
    ("low", "high"),
)


def _filled(frame: pd.DataFrame, value: str, status: str) -> Any:
    return frame[value].notna() | (frame["status"] != status)


def _empty(frame: pd.DataFrame, value: str, status: str) -> Any:
    return frame[value].isna() | (frame["status"] != status)


def _ordered(low: str, high: str) -> Any:
    return lambda frame: ~(frame[low] > frame[high])


# Rules between columns: the column at fault, what is allowed, and a test that is true where it is.
def _row_rules(name: str) -> list[tuple[str, str, Any]]:
    rules: list[tuple[str, str, Any]] = []
    scored = {
        "weat": "effect_size",
        "evaluation": "effect_size",
        "alc": "effect_size",
        "differences": "difference",
        "companions": "value",
    }
    if name in scored:
        value = scored[name]
        rules += [
            (value, "a number where status is ok", lambda f: _filled(f, value, "ok")),
            (value, "empty where status is refused", lambda f: _empty(f, value, "refused")),
            (
                "note",
                "a reason where status is refused",
                lambda f: (f["note"] != "") | (f["status"] != "refused"),
            ),
        ]
    if "p_min" in TABLES[name].names:
        rules.append(
            ("p_value", "at least p_min", lambda f: ~(f["p_value"] < f["p_min"] * (1 - 1e-9)))
        )
    for low, high in INTERVALS:
        if {low, high} <= TABLES[name].names:
            rules.append((low, f"at most {high}", _ordered(low, high)))
    if name == "gender":
        rules.append(
            (
                "passages",
                "the sum of female, male, both and neither",
                lambda f: f["passages"] == f[["female", "male", "both", "neither"]].sum(axis=1),
            )
        )
    if name == "pairs":
        rules.append(
            ("note", "a reason where rank is 0", lambda f: (f["note"] != "") | (f["rank"] != 0))
        )
    return rules


def schema(name: str) -> pa.DataFrameSchema:
    """Give the pandera schema of a table: strict, ordered, with types and allowed values.

    Parameters
    ----------
    name : str
        One of ``TABLES``.

    Returns
    -------
    pandera.DataFrameSchema
        Each column carries its description.

    Raises
    ------
    InputError
        When there is no such table.
    """
    import pandera.pandas as pa

    table = find_table(name)
    columns = {
        column.name: pa.Column(
            DTYPES[column.kind],
            checks=_column_checks(column),
            nullable=column.nullable,
            description=column.description,
            metadata={"kind": column.kind, "key": column.name in table.key},
        )
        for column in table.columns
    }
    return pa.DataFrameSchema(
        columns,
        checks=[
            pa.Check(rule, name=f"{column}: {allowed}")
            for column, allowed, rule in _row_rules(name)
        ],
        strict=True,
        ordered=True,
        name=table.name,
        description=table.description,
    )


def _header_problems(table: Table, frame: pd.DataFrame) -> list[str]:
    names = [column.name for column in table.columns]
    given = list(frame.columns)
    allowed = ", ".join(names)
    problems = [
        f"table {table.name}: column {name!r} is unknown; allowed are {allowed}"
        for name in given
        if name not in names
    ]
    problems += [
        f"table {table.name}: column {name} is missing" for name in names if name not in given
    ]
    repeated = sorted({name for name in given if given.count(name) > 1}, key=str)
    problems += [f"table {table.name}: column {name!r} stands there twice" for name in repeated]
    if not problems and given != names:
        problems = [f"table {table.name}: columns must stand in the order {allowed}"]
    return problems


def _cell_problem(table: Table, column: str, row: Any, value: Any, allowed: str) -> str:
    where = f" row {row}:" if row is not None else ""
    return f"table {table.name}, column {column},{where} {value!r}; allowed is {allowed}"


def _failure_problems(table: Table, frame: pd.DataFrame, failures: pd.DataFrame) -> list[str]:
    kinds = {column.name: column for column in table.columns}
    problems: dict[str, None] = {}
    # A rule between columns cannot run where one of them has a wrong type, which is named anyway.
    unchecked: list[str] = []
    for failure in failures.to_dict("records"):
        column, check, row = str(failure["column"]), str(failure["check"]), failure["index"]
        value = failure["failure_case"]
        if failure["schema_context"] == "DataFrameSchema":
            column, _, check = check.partition(": ")
            if row is None or row != row:
                unchecked.append(f"table {table.name}, column {column}: not {check} ({value})")
                continue
            value = frame[column].iloc[int(row)]
        elif check == "not_nullable":
            check = "never empty"
        elif check.startswith("dtype("):
            check = f"type {DTYPES[kinds[column].kind]}"
            row = None
        row = None if row is None or row != row else int(row) + 1
        value = value.item() if hasattr(value, "item") else value
        problems.setdefault(_cell_problem(table, column, row, value, check))
    return list(problems) or unchecked


def _key_problems(table: Table, frame: pd.DataFrame) -> list[str]:
    repeated = frame.duplicated(list(table.key))
    return [
        f"table {table.name}, row {row + 1}: the key "
        f"{dict(zip(table.key, values, strict=True))} stands there twice"
        for row, values in zip(
            repeated.to_numpy().nonzero()[0],
            frame.loc[repeated, list(table.key)].itertuples(index=False, name=None),
            strict=True,
        )
    ]


def check_table(name: str, frame: pd.DataFrame) -> None:
    """Check a frame against the schema of its table.

    Parameters
    ----------
    name : str
        One of ``TABLES``.
    frame : pandas.DataFrame
        The rows; their order does not matter.

    Raises
    ------
    InputError
        With every problem: the table, column, row (from 1, without the header), value and what
        is allowed. At most 50 are spelt out and the others counted.
    """
    import pandera.errors

    table = find_table(name)
    problems = _header_problems(table, frame)
    if not problems:
        frame = frame.reset_index(drop=True)
        try:
            schema(name).validate(frame, lazy=True)
        except pandera.errors.SchemaErrors as error:
            problems = _failure_problems(table, frame, error.failure_cases)
        problems += _key_problems(table, frame)
    if problems:
        rest = len(problems) - SHOWN
        more = [f"table {name}: and {rest} more"] if rest > 0 else []
        raise InputError(problems[:SHOWN] + more)
