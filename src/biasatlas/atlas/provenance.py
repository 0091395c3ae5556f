"""The last section: how the page was made, how to read it, and its limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from biasatlas.atlas.parts import DASH, DataTable, Figure, Section, given, link, plural, records_of

if TYPE_CHECKING:
    import pandas as pd

_HOW_TO_READ = [
    "d is an effect size in standard deviations, between −2 and 2: how much more the target words "
    "X than Y go with A rather than B. It describes the words of a list in one set of vectors, "
    "not people.",
    "p is the share of the ways to split the target words that give at least this association. It "
    "cannot be smaller than one over the number of splits, so small lists never give a tiny p. q "
    "is p after the Benjamini-Hochberg correction over all tests of the run, Holm p is stricter.",
    "Intervals of d are over words, and for à la carte vectors also over documents; those of log "
    "odds are over documents. None holds the spread between seeds, which is shown as separate dots.",
    "The null band is the range of d of random word sets with the frequency and the coherence of "
    "the test's own: a d inside it says no more about its words than any other words would.",
]
_LIMITS = [
    "Word lists name two genders: by construction nothing here can say anything of anyone else.",
    "Lists made in one culture are applied to all regions; a low score may mean that the list, "
    "not the bias, is missing from the region's text.",
    "A region is a set of documents, not a population; small ones give thin tests and few topics.",
    "Topics, labels and words come from documents and models, and can be wrong or offensive.",
]


def section(tables: Mapping[str, pd.DataFrame], info: Mapping[str, Any]) -> Section:
    """Show settings, versions and assets of the run, and how to read d and p."""
    assets = list(info.get("assets", []))
    figures = []
    if info.get("settings"):
        body = [[name, _flat(value)] for name, value in _leaves(info["settings"])]
        table = DataTable(["Setting", "Value"], body, summary=plural(len(body), "setting"))
        figures.append(Figure("The settings of this run.", table=table, title="Settings"))
    if assets:
        figures.append(_assets(assets))
    figures += _word_lists(given(tables, "word_lists"))
    if info.get("commands"):
        figures.append(_commands(info["commands"]))
    finding = (
        f"This page was made by biasatlas {info.get('version', '')} from the tables of the run "
        f"{info.get('run', '')!r}, with {plural(len(assets), 'external asset')}; the same inputs "
        "and seeds give the same page."
    )
    return Section(
        "How it was made", "provenance", finding, figures, notes=[*_HOW_TO_READ, *_LIMITS]
    )


def _leaves(settings: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    leaves: list[tuple[str, Any]] = []
    for name, value in settings.items():
        path = f"{prefix}{name}"
        if isinstance(value, Mapping) and value:
            leaves += _leaves(value, f"{path}.")
        else:
            leaves.append((path, value))
    return leaves


def _flat(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(_flat(item) for item in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_flat(item)}" for name, item in value.items()) or DASH
    return DASH if value is None else str(value)


def _assets(assets: list[Mapping[str, Any]]) -> Figure:
    headers = ["Asset", "Version", "Licence", "Citation", "SHA-256"]
    body = [
        [
            _named(asset),
            asset.get("version") or asset.get("revision") or DASH,
            asset.get("licence") or DASH,
            asset.get("citation") or DASH,
            _hashes(asset.get("sha256")),
        ]
        for asset in assets
    ]
    return Figure(
        "Models and data that the run fetched.", table=DataTable(headers, body), title="Assets"
    )


def _named(asset: Mapping[str, Any]) -> Markup:
    name = link(str(asset.get("name", "")), str(asset.get("url") or ""))
    if not asset.get("source"):
        return name
    return Markup('{}<br><code class="hash">{}</code>').format(name, asset["source"])


def _hashes(given: Mapping[str, str] | str | None) -> Markup:
    files = given if isinstance(given, Mapping) else {"": given or DASH}
    lines = [f"{name}: {value}" if name else str(value) for name, value in files.items()]
    shown = Markup("<br>").join(Markup('<code class="hash">{}</code>').format(x) for x in lines)
    if len(lines) < 3:
        return shown
    return Markup("<details><summary>{} files</summary>{}</details>").format(len(lines), shown)


def _word_lists(frame: pd.DataFrame | None) -> list[Figure]:
    """Show what the check of the word lists found."""
    if frame is None:
        return []
    counts = frame["severity"].value_counts()
    said = " and ".join(
        plural(int(counts.get(severity, 0)), severity) for severity in ("error", "warning")
    )
    files = frame["file"].nunique()
    body = [
        [f"{row['file']}:{row['line']}", row["place"], row["word"], row["problem"], row["severity"]]
        for row in records_of(frame.sort_values(["severity", "file", "line"], kind="stable"))
    ]
    headers = ["File and line", "Place", "Word", "Problem", "Severity"]
    table = DataTable(headers, body, summary=f"{said} in {plural(files, 'file')}")
    caption = (
        "What the check of the word lists found. Warnings are often wilful: a published list is "
        "kept as it was printed, with its repeated words."
    )
    return [Figure(caption, table=table, title="Word lists")]


def _commands(commands: list[str] | str) -> Figure:
    lines = [commands] if isinstance(commands, str) else list(commands)
    body = [[Markup("<code>{}</code>").format(line)] for line in lines]
    return Figure("How to make this page again.", table=DataTable(["Command"], body), title="Again")
