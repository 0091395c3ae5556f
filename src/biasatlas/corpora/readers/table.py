"""Tables with a column of text: csv, tsv, jsonl or parquet."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.corpora.readers.common import (
    broken_as_input_error,
    check_file,
    check_options,
    decode_lines,
    document_frame,
    read_bytes,
)
from biasatlas.corpora.readers.news import iso_date, parse_csv
from biasatlas.errors import InputError

if TYPE_CHECKING:
    import polars as pl

COLUMN_OPTIONS = ("text", "id", "title", "country", "region", "source", "date")
FORMATS = ("csv", "tsv", "jsonl", "parquet")


def read_table(
    path: Path, options: Mapping[str, Any]
) -> tuple[pl.DataFrame, dict[tuple[str, str], int]]:
    """Read documents from a csv, tsv, jsonl (each plain or ``.gz``) or parquet file.

    Parameters
    ----------
    path : Path
        The file; its ending tells the format.
    options : mapping
        Names of the file's columns: text (required), id (default: the row's number), title,
        country (ISO2, ISO3 or name), region, source, date; and name (id prefix; default: the
        file's stem) and outlet_country, one value for all.

    Returns
    -------
    documents, counts
        As in `read_source`; ``country_unknown`` counts the values that name no country
        (such documents have the country "").

    Raises
    ------
    InputError
        Missing, empty or damaged file, unknown ending, missing column, a line that is no JSON
        object, or an id that comes twice.
    """
    from biasatlas.corpora.regions import resolve_countries, resolve_country

    check_options("table", options, (*COLUMN_OPTIONS, "name", "outlet_country"))
    table, fallback = _load(path)
    _check_columns(path, options, table.columns)
    name = str(options.get("name") or path.name.split(".")[0])
    n = table.height

    def column(option: str) -> list[str]:
        if not options.get(option):
            return [""] * n
        return ["" if v is None else str(v) for v in table[options[option]].to_list()]

    ids = column("id") if options.get("id") else [str(i) for i in range(1, n + 1)]
    named = column("country")
    countries = resolve_countries(named)
    frame = document_frame(
        {
            "document": [f"{name}-{i}" for i in ids],
            "title": column("title"),
            "text": column("text"),
            "country": countries,
            "region": column("region"),
            "source": [source or name for source in column("source")],
            "outlet_country": [resolve_country(str(options.get("outlet_country") or ""))] * n,
            "date": [_date(value) for value in column("date")],
        }
    )
    _check_unique(path, options, frame["document"])
    unknown = sum(bool(a.strip()) and not b for a, b in zip(named, countries, strict=True))
    return frame, {
        ("read", "document"): n,
        ("decoded_by_fallback", "document"): fallback,
        ("country_unknown", "document"): unknown,
    }


def _check_unique(path: Path, options: Mapping[str, Any], ids: pl.Series) -> None:
    repeated = ids.filter(ids.is_duplicated()).sort()
    if len(repeated):
        raise InputError(
            f"{path}: column {options.get('id')!r} must be unique, but {repeated[0]!r} comes twice"
        )


def _date(value: str) -> str:
    value = value.strip()
    return value if len(value) == 4 and value.isdigit() else iso_date(value)


def _check_columns(path: Path, options: Mapping[str, Any], columns: list[str]) -> None:
    has = f"it has {', '.join(columns) or 'none'}"
    problems = [
        f"{path}: no column {options[option]!r} (option {option}); {has}"
        for option in COLUMN_OPTIONS
        if options.get(option) and options[option] not in columns
    ]
    if not options.get("text"):
        problems.append(f"{path}: option text is required: the column that holds the text; {has}")
    if problems:
        raise InputError(problems)


def _load(path: Path) -> tuple[pl.DataFrame, int]:
    import polars as pl

    suffixes = [suffix.lstrip(".").lower() for suffix in path.suffixes]
    kind = suffixes[-2] if suffixes[-1:] == ["gz"] and len(suffixes) > 1 else suffixes[-1:]
    kind = kind if isinstance(kind, str) else "".join(kind)
    if kind not in FORMATS:
        raise InputError(f"{path}: unknown format {kind!r}; allowed: {', '.join(FORMATS)}")
    if kind == "parquet":
        check_file(path)
        try:
            with broken_as_input_error(path):
                return pl.read_parquet(path), 0
        except pl.exceptions.PolarsError as error:
            raise InputError(f"{path}: is not a readable parquet file ({error})") from error
    text, fallback = decode_lines(read_bytes(path))
    if kind == "jsonl":
        return _parse_jsonl(text, path), fallback
    return parse_csv(text, path, "\t" if kind == "tsv" else ","), fallback


def _parse_jsonl(text: str, path: Path) -> pl.DataFrame:
    import polars as pl

    rows: list[dict[str, Any]] = []
    problems: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            problems.append(f"{path}, line {number}: is not JSON ({error})")
            continue
        if isinstance(row, dict):
            rows.append(row)
        else:
            problems.append(f"{path}, line {number}: must be a JSON object")
    if problems:
        more = [f"{path}: and {len(problems) - 20} more lines"] if len(problems) > 20 else []
        raise InputError(problems[:20] + more)
    columns = list(dict.fromkeys(key for row in rows for key in row))
    values = {
        key: [
            None if row.get(key) is None else str(row[key]).encode("utf-8", "replace").decode()
            for row in rows
        ]
        for key in columns
    }
    return pl.DataFrame(values, schema=dict.fromkeys(columns, pl.String))
