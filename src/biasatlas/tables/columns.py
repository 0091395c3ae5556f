"""What a column and a table are, and the short forms in which the tables are written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["text", "integer", "number", "boolean"]


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    name : str
        Its name in the file.
    kind : {'text', 'integer', 'number', 'boolean'}
        What a cell holds. Only numbers may be empty, and only where `nullable`.
    description : str
        What the column means, with its unit.
    allowed : tuple of str
        The only values that a text cell may have; empty where any text goes.
    low, high : float or None
        Smallest and largest number allowed.
    above_low : bool
        Whether `low` itself is not allowed.
    nullable : bool
        Whether a cell may be empty (NaN).
    filled : bool
        Whether a text cell must not be empty.
    """

    name: str
    kind: Kind
    description: str
    allowed: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    above_low: bool = False
    nullable: bool = False
    filled: bool = False


@dataclass(frozen=True)
class Table:
    """One table: its purpose, its columns in order and the columns that identify a row."""

    name: str
    description: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]

    @property
    def names(self) -> set[str]:
        """Names of the columns."""
        return {column.name for column in self.columns}


def text(name: str, description: str, *allowed: str, filled: bool = False) -> Column:
    """Text; with `allowed`, one of these values."""
    return Column(name, "text", description, allowed=allowed, filled=filled)


def key(name: str, description: str) -> Column:
    """Text that is never empty."""
    return text(name, description, filled=True)


def count(name: str, description: str, low: int = 0) -> Column:
    """A whole number of at least `low`."""
    return Column(name, "integer", description, low=low)


def number(
    name: str, description: str, low: float | None = None, high: float | None = None
) -> Column:
    """A number or an empty cell."""
    return Column(name, "number", description, low=low, high=high, nullable=True)


def share(name: str, description: str) -> Column:
    """A number from 0 to 1 or an empty cell."""
    return number(name, description, 0.0, 1.0)


def positive_share(name: str, description: str) -> Column:
    """A number above 0, at most 1, or an empty cell."""
    return Column(name, "number", description, low=0.0, high=1.0, above_low=True, nullable=True)


LANGUAGE = key("language", "ISO 639 code of the language of the text, such as `en`.")
REGION = key("region", "Name of the region, as in the configuration.")
