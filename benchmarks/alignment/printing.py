"""Markdown tables of the studies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from alignment.evidence import clopper_pearson

if TYPE_CHECKING:
    from alignment.evidence import Discoveries


def show(head: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print one table."""
    lines = [columns, ["---"] * len(columns), *rows]
    print(f"{head}\n")
    print("\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines))
    print(flush=True)


def exact(hits: int, n: int) -> str:
    """A share with its exact interval."""
    low, high = clopper_pearson(hits, n)
    return f"{hits / n:.3f} ({low:.3f}, {high:.3f})" if n else "-"


def show_discoveries(names: Sequence[str], found: Sequence[Discoveries]) -> None:
    """Print how often a region, and a run, has any discovery where there is none."""
    rows = []
    for name, one in zip([*names, "**any of them: a run**"], found, strict=True):
        beside = "" if one.beside is None else exact(one.beside, one.shuffles)
        rows.append((name, exact(one.family, one.shuffles), exact(one.alone, one.shuffles), beside))
    show(
        f"Share of {found[0].shuffles} shuffles with any discovery at q = .10 (exact 95% interval)",
        (
            "region",
            "one family of all regions (a run)",
            "a family a region",
            "one family, only this region shuffled",
        ),
        rows,
    )
