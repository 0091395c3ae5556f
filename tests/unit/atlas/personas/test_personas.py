"""The section on language models: what it says of the demo and of a large run, and its charts."""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import Any

import pandas as pd
import pytest

from biasatlas.atlas import page, personas
from biasatlas.atlas.parts import Figure, Section
from biasatlas.tables import empty_table

Tables = dict[str, pd.DataFrame]
Make = Callable[..., Tables]
MakeInfo = Callable[..., dict[str, Any]]
HOSTILE = "</script><img src=x onerror=alert(1)>"
PLAIN_WAY = {"models": ("alpha", "beta"), "prompts": ("paper", "told"), "source": "paper"}


def made(tables: Tables, info: dict[str, Any]) -> Section:
    section = personas.section(tables, info)
    assert section is not None
    return section


def figure(section: Section, title: str) -> Figure:
    return next(f for f in section.figures if f.title.startswith(title))


def values(shown: Figure) -> list[dict[str, Any]]:
    """Rows of a chart, wherever altair has put them."""
    assert shown.chart is not None
    sets: dict[str, list[dict[str, Any]]] = shown.chart.get("datasets", {})
    found = [rows for rows in sets.values() if "line" not in rows[0]]
    for part in (shown.chart, *shown.chart.get("layer", [])):
        found.append(part.get("data", {}).get("values", []))
    return max(found, key=len)


def test_without_tables_there_is_no_section(make_info: MakeInfo) -> None:
    from biasatlas.tables import TABLES

    assert personas in page.SECTIONS
    assert personas.section({}, make_info()) is None
    assert personas.section({name: empty_table(name) for name in TABLES}, make_info()) is None


def test_demo_says_where_there_is_no_pair_and_that_it_is_thin(
    make_personas: Make, make_info: MakeInfo
) -> None:
    section = made(make_personas(), make_info())
    assert "on 6 topics of the run's own pairs in Europe and North America" in section.finding
    assert "; thin: too few topics to tell" in section.finding
    assert "; no topic pair in Africa, Asia and Oceania; " in section.finding
    assert "Africa, Asia and Oceania: no topic pair among the run&#39;s own pairs" in section.cards
    counts = "Europe (2 female and 2 male) and North America (1 female and 1 male)"
    assert counts in section.cards
    shown = values(figure(section, "Mismatch by region"))
    notes = {row["place"]: row["note"] for row in shown}
    assert list(notes) == ["Africa", "Asia", "Europe", "North America", "Oceania", "All regions"]
    assert [place for place, note in notes.items() if note == "no topic pair"] == [
        "Africa",
        "Asia",
        "Oceania",
    ]
    assert all(row["value"] is None for row in shown if row["note"])
    assert [row["place"] for row in shown if row["thin"]] == [
        "Europe",
        "North America",
        "All regions",
    ]


def test_finding_holds_the_numbers_of_the_row_of_all_regions(
    make_personas: Make, make_info: MakeInfo
) -> None:
    tables = make_personas()
    scores = tables["persona_scores"]
    scores.loc[scores["region"] == "all", ["mismatch", "mismatch_low", "mismatch_high"]] = (
        0.25,
        0.125,
        0.5,
    )
    scores.loc[scores["region"] == "all", ["expected", "n_replies", "n_undecided"]] = 0.4, 40, 10
    finding = made(tables, make_info()).finding
    assert "in 25% (95%: 12% to 50%) of cases" in finding
    assert "answering as on neutral topics would give 40%" in finding
    assert "; 25% of 40 replies on them tell no gender. Over the run's own topics" in finding


@pytest.mark.parametrize(
    ("q", "effect", "said"),
    [
        (0.1, 0.5, "it leans as the region's text does (q 0.100)"),
        (0.1, -0.5, "it leans against what the region's text does (q 0.100)"),
        (0.11, 0.5, "no lean can be told from dealing genders at random (q 0.110)"),
    ],
)
def test_a_lean_is_found_by_q_alone(
    make_personas: Make, make_info: MakeInfo, q: float, effect: float, said: str
) -> None:
    tables = make_personas()
    scores = tables["persona_scores"]
    scores.loc[scores["region"] == "all", ["status", "q_value", "effect", "log_odds_ratio"]] = (
        "ok",
        q,
        effect,
        # Pooled over regions it may have the other sign, and is not what p tests.
        -effect,
    )
    assert said in made(tables, make_info()).finding


def test_several_models_are_counted_by_the_side_they_lean_to(
    make_personas: Make, make_info: MakeInfo
) -> None:
    section = made(make_personas(**PLAIN_WAY), make_info())
    assert section.finding.startswith("On 50 topics of the published pairs in Africa, Asia")
    assert "1 of 2 lean as the paper does (q at most 0.10), 1 against it" in section.finding
    assert "(alpha) to" in section.finding
    assert "(beta)" in section.finding
    assert "no topic pair" not in section.finding


def test_tick_and_dot_are_those_of_the_table(make_personas: Make, make_info: MakeInfo) -> None:
    tables = make_personas(**PLAIN_WAY)
    scores = tables["persona_scores"]
    row = scores[
        (scores["region"] == "asia") & (scores["model"] == "beta") & (scores["prompt"] == "all")
    ].iloc[0]
    section = made(tables, make_info())
    names = {"value": "mismatch", "low": "mismatch_low", "high": "mismatch_high"}
    shown = [
        one
        for one in values(figure(section, "Mismatch by region"))
        if (one["place"], one["model"]) == ("Asia", "beta")
    ]
    assert len(shown) == 1
    for name, column in {**names, "tick": "expected", "undecided": "undecided"}.items():
        assert shown[0][name] == pytest.approx(row[column], abs=1e-8)
    neutral = [
        one["value"]
        for one in values(figure(section, "Neutral topics"))
        if (one["place"], one["model"]) == ("Asia", "beta")
    ]
    assert neutral == [pytest.approx(row["neutral_female"], abs=1e-8)]


def test_neutral_topics_and_correlation_stand_in_regions_without_a_pair(
    make_personas: Make, make_info: MakeInfo
) -> None:
    section = made(make_personas(), make_info())
    for title in ("Neutral topics", "Probe and text"):
        shown = values(figure(section, title))
        assert len(shown) == 6
        assert all(row["value"] is not None and not row["note"] for row in shown)
        assert not any(row["thin"] for row in shown)
    effect = values(figure(section, "The probe"))
    assert [row["place"] for row in effect if row["value"] is None] == ["Africa", "Asia", "Oceania"]


def test_prompt_forms_are_compared_where_there_are_several(
    make_personas: Make, make_info: MakeInfo
) -> None:
    one = made(make_personas(), make_info())
    assert not any(f.title.startswith("Prompt forms") for f in one.figures)
    shown = values(figure(made(make_personas(**PLAIN_WAY), make_info()), "Prompt forms"))
    # Five regions and all of them, by two models and two forms.
    assert len(shown) == 24
    assert {row["prompt"] for row in shown} == {"paper", "told"}
    assert shown[0]["row"] == "Africa, alpha"


def test_models_show_why_replies_tell_no_gender(make_personas: Make, make_info: MakeInfo) -> None:
    tables = make_personas()
    reasons = ["n_no_gender", "n_other_gender", "n_both_genders", "n_refusal", "n_blocked"]
    tables["persona_models"][[*reasons, "n_empty"]] = 3, 0, 0, 1_200, 0, 0
    tables["persona_models"]["cost"] = nan
    table = figure(made(tables, make_info()), "Models").table
    assert table is not None
    row = dict(zip(table.headers, table.rows[0], strict=True))
    assert row["No gender"] == "1,203"
    assert row["Why no gender"] == "no gender is said: 3; the model refuses: 1,200"
    assert row["Cost"] == "–"


def test_a_gender_without_answers_is_no_missing_pair(
    make_personas: Make, make_info: MakeInfo
) -> None:
    tables = make_personas()
    scores = tables["persona_scores"]
    at = scores["region"] == "europe"
    scores.loc[at, ["status", "n_female", "n_male", "n_dropped"]] = "refused", 0, 0, 4
    scores.loc[at, ["mismatch", "expected"]] = nan
    section = made(tables, make_info())
    assert "want of answers that tell a gender" in section.cards
    assert "smollm2 in Europe" in section.cards
    notes = {row["place"]: row["note"] for row in values(figure(section, "Mismatch"))}
    assert notes["Europe"] == "a gender has no topic with an answer"


def test_probe_alone_makes_a_section(make_personas: Make, make_info: MakeInfo) -> None:
    tables = make_personas()
    kept = {n: f for n, f in tables.items() if n not in ("persona_scores", "personas")}
    kept |= {n: empty_table(n) for n in ("persona_topics", "persona_models")}
    section = made(kept, make_info())
    assert section.finding.startswith(
        "Over the run's own topics the probe's rank correlation with the text's log odds is "
    )
    assert "no topic pair among" in section.cards


def test_order_of_rows_does_not_matter(make_personas: Make, make_info: MakeInfo) -> None:
    from biasatlas.tables import TABLES

    tables = make_personas(models=("alpha", "beta"), prompts=("paper", "told"))
    mixed = {name: frame.sample(frac=1, random_state=5) for name, frame in tables.items()}
    mixed = {name: frame.sort_values(list(TABLES[name].key)) for name, frame in mixed.items()}
    plain = {name: frame.sort_values(list(TABLES[name].key)) for name, frame in tables.items()}
    assert made(mixed, make_info()) == made(plain, make_info())


def test_hostile_text_stays_text(make_personas: Make, make_info: MakeInfo) -> None:
    tables = make_personas(models=("alpha", "beta"))
    for name, columns in {
        "personas": ("label", "model", "name", "reply", "prompt", "answered_by"),
        "persona_topics": ("label", "model"),
        "persona_scores": ("model",),
        "persona_probe_scores": ("model",),
        "persona_models": ("model", "source", "revision", "answered_by"),
    }.items():
        for column in columns:
            tables[name][column] = tables[name][column] + HOSTILE
    regions = {name: f"{name}{HOSTILE}" for name in tables["personas"]["region"].unique()}
    section = made(tables, make_info(regions=regions))
    html = page.render_page([section], make_info()).partition("<script>window")[0]
    body = html[html.index("<main") : html.index("</main>")]
    assert "<img" not in body
    assert body.count("&lt;img src=x onerror=alert(1)&gt;") > 50
    assert "\\u003cimg src=x" in body
    # Every element that is opened as a script is one of data.
    assert body.count("<script") == body.count('<script type="application/json"')
    assert body.count("<script") == body.count("</script>")
