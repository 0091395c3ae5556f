"""The pieces that sections are made of, and how numbers are written in them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

if TYPE_CHECKING:
    import pandas as pd

MINUS = "\N{MINUS SIGN}"
DASH = "\N{EN DASH}"
EMPTY = Markup("")
LEVEL = 0.10
"""Level of the false discovery rate at which anything is called found."""


@dataclass(frozen=True)
class DataTable:
    """Rows for an HTML table; cells are text, which is escaped, or Markup, which is not.

    Attributes
    ----------
    headers : sequence of str
        One a column.
    rows : sequence of sequences
        Cells in the order of the headers.
    numeric : frozenset of str
        Headers of the columns that are set flush right.
    summary : str
        Where not empty, the table is folded behind this line.
    """

    headers: Sequence[str]
    rows: Sequence[Sequence[Any]]
    numeric: frozenset[str] = frozenset()
    summary: str = ""

    def html(self) -> Markup:
        """Give the table as HTML, folded where it has a summary."""
        head = Markup("").join(
            Markup('<th scope="col"{}>{}</th>').format(self._class(name), name)
            for name in self.headers
        )
        body = Markup("\n").join(
            Markup("<tr>{}</tr>").format(
                Markup("").join(
                    Markup("<td{}>{}</td>").format(self._class(name), escape(cell))
                    for name, cell in zip(self.headers, row, strict=True)
                )
            )
            for row in self.rows
        )
        table = Markup(
            '<div class="scroll" tabindex="0"><table><thead><tr>{}</tr></thead>'
            "<tbody>\n{}\n</tbody></table></div>"
        ).format(head, body)
        if not self.summary:
            return table
        return Markup("<details><summary>{}</summary>{}</details>").format(self.summary, table)

    def _class(self, name: str) -> Markup:
        return Markup(' class="number"') if name in self.numeric else Markup("")


@dataclass(frozen=True)
class Figure:
    """A chart, its caption and the numbers behind it; either chart or table may be left out.

    `words` holds the words behind each score of the chart, for `templates/words.js`. A chart with
    `fold` is folded behind this line. `choices` holds the rows of a chart with lists to choose
    from, for `templates/choices.js`; such a chart reads its rows from the data named ``cells``.
    """

    caption: str
    chart: Mapping[str, Any] | None = None
    table: DataTable | None = None
    title: str = ""
    narrow: bool = False
    words: Mapping[str, Any] | None = None
    fold: str = ""
    choices: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Section:
    """One stage of the atlas.

    Attributes
    ----------
    title, anchor : str
        Heading, and its place in the page's address.
    finding : str
        One sentence: what was found, and how sure it is.
    figures : list of Figure
        Charts and tables in their order.
    cards : Markup
        Free HTML before the figures, already escaped.
    notes : list of str
        How to read the section, and what to beware of.
    read_more : list of (str, str)
        Text and address (http or https; other addresses are shown as text).
    """

    title: str
    anchor: str
    finding: str
    figures: list[Figure] = field(default_factory=list)
    cards: Markup = EMPTY
    notes: list[str] = field(default_factory=list)
    read_more: list[tuple[str, str]] = field(default_factory=list)


def given(tables: Mapping[str, pd.DataFrame], name: str) -> pd.DataFrame | None:
    """Give a table that a run may lack; None where it is missing or has no row."""
    frame = tables.get(name)
    return None if frame is None or frame.empty else frame


def records_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Give the rows of a frame as dictionaries."""
    return [{str(key): cell for key, cell in row.items()} for row in frame.to_dict("records")]


def missing(value: Any) -> bool:
    """Whether a cell holds no number."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def number(value: Any, digits: int = 2) -> str:
    """Write a number with fixed decimals and a true minus sign; a dash where there is none.

    >>> number(-0.5)
    '−0.50'
    """
    if missing(value):
        return DASH
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def integer(value: Any) -> str:
    """Write a count with commas between thousands."""
    return DASH if missing(value) else f"{int(value):,}".replace("-", MINUS)


def percent(value: Any, digits: int = 0) -> str:
    """Write a share as a percentage."""
    return DASH if missing(value) else f"{100 * value:.{digits}f}%"


def interval(low: Any, high: Any, digits: int = 2) -> str:
    """Write an interval in brackets; a dash where there is none."""
    if missing(low) or missing(high):
        return DASH
    return f"[{number(low, digits)}, {number(high, digits)}]"


def with_interval(value: Any, low: Any, high: Any, digits: int = 2) -> str:
    """Write a number followed by its interval."""
    if missing(value):
        return DASH
    if missing(low) or missing(high):
        return number(value, digits)
    return f"{number(value, digits)} {interval(low, high, digits)}"


def probability(p: Any, p_min: Any = None) -> str:
    """Write p with three significant digits, never as 0; say where no smaller p can be had.

    >>> probability(1 / 12870)
    '0.0000777'
    """
    if missing(p):
        return DASH
    if p == 0:
        return f"< {probability(p_min)}" if p_min else "0"
    if p < 1e-7:
        mantissa, _, exponent = f"{p:.1e}".partition("e")
        raised = str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
        text = f"{mantissa} × 10{raised}"
    else:
        decimals = max(3, 2 - math.floor(math.log10(p)))
        text = f"{p:.{decimals}f}"
    if not missing(p_min) and p_min is not None and p <= p_min * (1 + 1e-9):
        text += " (smallest possible)"
    return text


def listing(items: Iterable[str]) -> str:
    """Join words as in a sentence.

    >>> listing(["Africa", "Asia", "Europe"])
    'Africa, Asia and Europe'
    """
    words = list(items)
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def plural(count: int, noun: str, many: str = "") -> str:
    """Write a count with its noun.

    >>> plural(1, "region"), plural(2, "region")
    ('1 region', '2 regions')
    """
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"


def link(text: str, address: str) -> Markup:
    """Give a link to an http address; any other address is shown as text."""
    if not address:
        return escape(text)
    if not address.startswith(("https://", "http://")):
        return Markup("{} ({})").format(text, address)
    return Markup('<a href="{}" rel="noreferrer noopener">{}</a>').format(address, text)
