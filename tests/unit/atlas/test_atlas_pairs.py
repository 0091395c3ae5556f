"""Pairs: the run's own selection, what it was chosen from, and the other selection beside it."""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import Any

import pandas as pd

from biasatlas.atlas import pairs, run
from biasatlas.atlas.parts import Figure, Section
from biasatlas.tables import empty_table

Tables = dict[str, pd.DataFrame]
MakeInfo = Callable[..., dict[str, Any]]


def figures_of(made: Section, start: str) -> list[Figure]:
    return [figure for figure in made.figures if figure.title.startswith(start)]


def values_of(figure: Figure) -> list[dict[str, Any]]:
    assert figure.chart is not None
    values: list[dict[str, Any]] = figure.chart["data"]["values"]
    return values


def test_cards_hold_the_primary_selection_with_its_support(
    tables: Tables, make_info: MakeInfo
) -> None:
    made = pairs.section(tables, make_info())
    assert str(made.cards).count('class="pair"') == 4
    assert (
        "paired again in 60% (95%: 39% to 78%) of 20 document draws; both topics come again, "
        "leaning their way, in 70%" in made.cards
    )
    assert "no pair passes" not in made.cards
    assert "2 pass the paper&#39;s rule, 1.7 by chance (95%: 0 to 4)" in made.cards
    assert "2 of 4 come again in at least half of the document draws" in made.finding
    other = next(f for f in made.figures if f.table and f.table.summary.startswith("Beside it"))
    assert other.table is not None
    assert other.table.summary == "Beside it: pairs by the paper's gap"
    assert [row[0] for row in other.table.rows] == ["Africa", "Asia", "Europe", "Oceania"]
    again = [other.table.headers.index(name) for name in ("Paired again", "Topics again")]
    assert [[row[k] for k in again] for row in other.table.rows][:2] == [["–", "–"], ["–", "70%"]]


def test_unmeasured_support_is_said(tables: Tables, make_info: MakeInfo) -> None:
    unknown = ["support", "support_low", "support_high", "support_topics"]
    tables["pairs"][[*unknown, "chance_low", "chance_high"]] = nan
    made = pairs.section(tables, make_info())
    assert "document draws" not in made.finding
    assert "paired again" not in made.cards
    assert "95%" not in made.cards
    assert any("was not measured in this run" in note for note in made.notes)


def test_matrix_holds_every_candidate_and_outlines_the_chosen(
    tables: Tables, make_info: MakeInfo
) -> None:
    made = pairs.section(tables, make_info())
    figures = figures_of(made, "Possible pairs")
    assert [figure.title for figure in figures] == [
        "Possible pairs: Asia",
        "Possible pairs: Europe",
    ]
    cells = values_of(figures[0])
    assert len(cells) == 4
    chosen = {(cell["female"], cell["male"]) for cell in cells if cell["chosen"] == "yes"}
    assert chosen == {("family planning", "trade talks"), ("royal wedding", "border security")}
    assert {cell["text"] for cell in cells} == {"60%", "10%"}
    assert [cell["female"] for cell in cells] == ["family planning"] * 2 + ["royal wedding"] * 2


def test_matrix_without_support_is_coloured_by_weight(tables: Tables, make_info: MakeInfo) -> None:
    tables["pair_candidates"]["support"] = nan
    figure = figures_of(pairs.section(tables, make_info()), "Possible pairs")[0]
    cells = values_of(figure)
    assert max(cell["value"] for cell in cells) == 1
    assert min(cell["value"] for cell in cells) > 0
    assert "darkest where largest" in figure.caption


def test_long_names_stay_apart_in_the_matrix(tables: Tables, make_info: MakeInfo) -> None:
    tables["topics"]["label"] = [
        f"the same very long beginning of a name {n}" for n in range(len(tables["topics"]))
    ]
    cells = values_of(figures_of(pairs.section(tables, make_info()), "Possible pairs")[0])
    assert len({(cell["female"], cell["male"]) for cell in cells}) == 4


def test_thresholds_stand_beside_chance(tables: Tables, make_info: MakeInfo) -> None:
    made = pairs.section(tables, make_info())
    figures = figures_of(made, "The paper's threshold")
    # Africa has no candidate, so nothing to draw.
    assert [figure.title.partition(": ")[2] for figure in figures] == ["Asia", "Europe"]
    asia = values_of(figures[0])
    beyond = {(value["rule"], value["threshold"]) for value in asia if value["beyond"]}
    assert beyond == {(rule, 0.05) for rule in ("either gap", "same gap", "both gaps")}
    assert "lies outside its band: 3 of 9" in figures[0].caption
    assert "lies outside its band: 0 of 9" in figures[1].caption


def test_pairs_stand_without_candidates_and_thresholds(tables: Tables, make_info: MakeInfo) -> None:
    for name in ("pair_candidates", "pair_thresholds"):
        tables[name] = empty_table(name)
    made = pairs.section(tables, make_info())
    assert not figures_of(made, "Possible") + figures_of(made, "The paper's threshold")


def test_a_selection_by_gap_is_the_cards_where_it_is_primary(
    tables: Tables, make_info: MakeInfo
) -> None:
    tables["pairs"] = tables["pairs"].assign(primary=tables["pairs"]["selection"] == "gap")
    made = pairs.section(tables, make_info())
    assert str(made.cards).count('class="pair"') == 1
    assert made.finding.startswith("1 topic pair in Asia")
    assert "no pair passes" in made.cards
    # The paper's rule cannot be applied in the draws, so only the topics are followed.
    assert "paired again" not in made.cards
    assert "both topics come again, leaning their way, in 70% of 20 document draws" in made.cards
    assert "both topics of 1 of 1 come again in at least half" in made.finding
    assert any("nothing can be said of the pair itself" in note for note in made.notes)


def test_warnings_repeat_notes_of_the_primary_selection_only(tables: Tables) -> None:
    config = {
        "run": "demo",
        "regions": [{"name": "north_america", "label": "North America"}],
        "corpora": [{"role": "discovery", "title": "t", "about": "a", "phrase": "p"}],
    }
    made = run.describe_run(tables, config, versions={}, assets=[], word_lists={})
    warnings = made["warnings"]
    assert "North America (en): no significant male topic" in warnings
    assert not any("no pair passes" in warning for warning in warnings)
