"""Charts whose rows are chosen by lists (model, encoder, ...), and the data of all choices.

The page holds a chart's default choice in full. All choices stand beside it in a compact form,
which `templates/choices.js` turns into rows; `expand` is the same in Python.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from biasatlas.atlas.parts import listing, plural

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Limits:
    """How many rows a page holds of one figure.

    Attributes
    ----------
    full : int
        Rows with all columns.
    slim : int
        Further rows, with the columns that are drawn but not those that only a hover shows.
    """

    full: int = 18_000
    slim: int = 30_000


@dataclass(frozen=True)
class Choices:
    """The data of a chart for every choice.

    Attributes
    ----------
    data : mapping
        What `templates/choices.js` reads.
    records : list of dict
        Rows of the default choice.
    default : list of str
        Its values, in the order of the lists.
    note : str
        What had to be left out of the page, and by what rule; may be empty.
    """

    data: Mapping[str, Any]
    records: list[dict[str, Any]]
    default: list[str]
    note: str


def _ordered(values: pd.Series, order: Sequence[str]) -> list[str]:
    present = set(values)
    known = [value for value in order if value in present]
    return known + sorted(present - set(known))


def _rounded(values: pd.Series) -> list[Any]:
    """Give numbers with at most three decimals, small ones with three digits, None for no number."""
    result: list[Any] = []
    for value in values.tolist():
        if isinstance(value, str) or value is None:
            result.append(value)
        elif not math.isfinite(value):
            result.append(None)
        elif isinstance(value, int):
            result.append(int(value))
        else:
            short = float(f"{value:.3g}") if abs(value) < 0.1 else round(value, 3)
            result.append(int(short) if short == int(short) else short)
    return result


def _trim(row: list[Any]) -> list[Any]:
    while row and row[-1] is None:
        row.pop()
    return row


def expand(data: Mapping[str, Any], rows: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
    """Turn compact rows into records; a coded column gives its text, and its place as ``_at``."""
    records = []
    for row in rows:
        record: dict[str, Any] = {}
        for place, name in enumerate(data["columns"]):
            value = row[place] if place < len(row) else None
            if name in data["lookups"]:
                record[f"{name}_at"] = value
                value = None if value is None else data["lookups"][name][value]
            record[name] = value
        records.append(record)
    return records


def build_choices(
    frame: pd.DataFrame,
    lists: Sequence[tuple[str, str]],
    drawn: Sequence[str],
    hover: Sequence[str] = (),
    *,
    orders: Mapping[str, Sequence[str]],
    scored: str,
    limits: Limits | None = None,
) -> Choices:
    """Gather the rows of every choice.

    Parameters
    ----------
    frame : pandas.DataFrame
        Rows of all choices, at least one, in any order; ``language`` is among the columns.
    lists : sequence of (str, str)
        Label and column of each list to choose from, the first decides what the next offer.
    drawn, hover : sequence of str
        Columns that are drawn, and those that only a hover shows. Columns of text are written
        once and then by their place.
    orders : mapping
        Order of the values of a column; others are sorted.
    scored : str
        The default is the choice with most languages among rows where this column holds a number,
        and of these the first in the order of the lists; so on the page of one language the first
        with such a row. Choices go into the page in this order until its limits are reached.
    limits : Limits, optional

    Returns
    -------
    Choices
    """
    limits = limits or Limits()
    columns = [*drawn, *hover]
    coded = [name for name in columns if frame[name].dtype.kind not in "fiub"]
    lookups = {name: _ordered(frame[name], orders.get(name, ())) for name in coded}
    options = [_ordered(frame[column], orders.get(column, ())) for _, column in lists]
    places = {name: {value: n for n, value in enumerate(lookups[name])} for name in coded}
    compact = frame.assign(
        **{name: frame[name].map(place).astype("int64") for name, place in places.items()}
    )
    groups = []
    for values, part in compact.groupby([column for _, column in lists], sort=True):
        at = [option.index(str(value)) for option, value in zip(options, values, strict=True)]
        languages = part.loc[part[scored].notna(), "language"].nunique()
        groups.append(((-languages, at), part))
    groups.sort(key=lambda group: group[0])
    data: dict[str, Any] = {
        "lists": [
            {"label": label, "options": option}
            for (label, _), option in zip(lists, options, strict=True)
        ],
        "columns": columns,
        "lookups": lookups,
        "maps": [],
    }
    slim, left_out = _fill(data, groups, columns, len(drawn), limits)
    first = data["maps"][0]
    return Choices(
        data,
        expand(data, first["rows"]),
        [option[at] for option, at in zip(options, first["at"], strict=True)],
        _note(slim, left_out, limits),
    )


def _fill(
    data: dict[str, Any],
    groups: list[tuple[Any, pd.DataFrame]],
    columns: list[str],
    n_drawn: int,
    limits: Limits,
) -> tuple[int, int]:
    """Put choices into the data until the limits; give how many are slim and how many left out."""
    full, slim, n_slim, left_out = limits.full, limits.slim, 0, 0
    for place, ((_, at), part) in enumerate(groups):
        kept = columns
        if place == 0 or len(part) <= full:
            full -= len(part)
        elif len(part) <= slim:
            slim -= len(part)
            kept = columns[:n_drawn]
            n_slim += 1
        else:
            data["maps"].append({"at": at, "rows": None})
            left_out += 1
            continue
        cells = [_rounded(part[name]) for name in kept]
        # Sorted, so that the order of the table's rows changes no byte.
        rows = sorted((list(row) for row in zip(*cells, strict=True)), key=repr)
        data["maps"].append({"at": at, "rows": [_trim(row) for row in rows]})
    return n_slim, left_out


def _note(slim: int, left_out: int, limits: Limits) -> str:
    said = []
    if slim:
        said.append(
            f"{plural(slim, 'choice')} beyond the first {limits.full:,} rows "
            f"{'is' if slim == 1 else 'are'} drawn without details on hover"
        )
    if left_out:
        said.append(
            f"{plural(left_out, 'choice')} beyond the first {limits.full + limits.slim:,} rows "
            f"{'is' if left_out == 1 else 'are'} only in the table"
        )
    return f"To keep the page small, {listing(said)}." if said else ""


def described(choices: Choices) -> str:
    """Name the default choice, as in a caption; empty where there is nothing to choose."""
    return ", ".join(choices.default)
