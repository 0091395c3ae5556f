"""Differences between regions, stability, companions and coverage."""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import Any

import pandas as pd
import pytest

from biasatlas.atlas import build_page, common_topics, differences, evaluation, overview, weat
from biasatlas.atlas.page import NEEDED, SECTIONS, render_page
from biasatlas.atlas.parts import DataTable, Figure, Section
from biasatlas.tables import TABLES

Tables = dict[str, pd.DataFrame]
MakeInfo = Callable[..., dict[str, Any]]


def section(tables: Tables, info: dict[str, Any]) -> Section:
    made = differences.section(tables, info)
    assert made is not None
    return made


def table_of(made: Section, start: str) -> DataTable:
    for figure in made.figures:
        if figure.table is not None and start in (figure.title + figure.table.summary):
            return figure.table
    raise AssertionError(f"no table {start}")


def test_a_difference_counts_only_between_vectors_that_pass(
    tables: Tables, make_info: MakeInfo
) -> None:
    made = section(tables, make_info())
    gap = tables["differences"]
    gap = gap[
        (gap["region_1"] == "asia") & (gap["region_2"] == "europe") & (gap["test"] == "WEAT6")
    ]
    shown = f"{gap['difference'].iloc[0]:.2f}".replace("-", "−")
    assert made.finding.startswith(
        "1 of 60 differences between two regions (test × pair) is larger than documents dealt at "
        "random would make it"
    )
    assert f"the surest is Asia − Europe on WEAT6: {shown} [" in made.finding
    assert "4 could not be computed and 20 are thin" in made.finding
    assert failing(tables, make_info()) == ""
    frame = tables["weat"]
    frame.loc[(frame["region"] == "asia") & (frame["seed"] == 1), "control"] = "failed"
    # The table's own verdict comes first; the scores say whose vectors fail.
    assert failing(tables, make_info()) == ""
    tables["differences"]["control"] = "failed"
    assert section(tables, make_info()).finding.startswith("None of 60 differences")
    assert failing(tables, make_info()) == "Asia"
    tables["differences"] = tables["differences"].drop(columns="control")
    assert failing(tables, make_info()) == "Asia"
    frame["control"] = "passed"
    assert failing(tables, make_info()) == ""
    tables["differences"]["control"] = "failed"
    assert failing(tables, make_info()) == "Asia and Europe"


def failing(tables: Tables, info: dict[str, Any]) -> str:
    rows = table_of(section(tables, info), "Which regions").rows
    return next(str(row[7]) for row in rows if row[:2] == ["WEAT6", "Asia − Europe"])


def test_matrix_marks_what_is_found_and_what_fails(tables: Tables, make_info: MakeInfo) -> None:
    chart = section(tables, make_info()).figures[0].chart
    assert chart is not None
    values = chart["layer"][0]["data"]["values"] if "data" in chart["layer"][0] else None
    values = values or chart["data"]["values"]
    found = [(value["test"], value["pair"]) for value in values if value["found"]]
    assert found == [("WEAT6", "Asia − Europe")]
    oceania = {value["mark"] for value in values if "Oceania" in value["pair"]}
    assert oceania == {"thin ✗", "refused"}
    assert {value["mark"] for value in values if "Oceania" not in value["pair"]} == {""}


def test_stability_says_which_vectors_tell_regions_apart(
    tables: Tables, make_info: MakeInfo
) -> None:
    finding = section(tables, make_info()).finding
    assert (
        "on word2vec vectors they do in 0 of 5 tests, where the noise of one model's d has a "
        "standard deviation of 0.30 (1 more cannot be told: 1 × refused); on à la carte vectors "
        "they do in 1 of 5 tests"
    ) in finding
    assert "Where they do, the texts differ, which is no sign of bias." in finding
    frame = tables["stability"]
    frame["verdict"] = "unknown"
    frame.loc[frame["test"] == "WEAT6", "note"] = (
        "vectors fail the control in oceania; no verdict: regions have 9 to 90 documents, and d "
        "shrinks with less text"
    )
    finding = section(tables, make_info()).finding
    assert "on word2vec vectors no test can tell (" in finding
    assert "1 × regions have 9 to 90 documents, and d shrinks with less text" in finding
    assert "1 × refused" in finding
    assert "4 × for the reason in its note" in finding
    assert "the texts differ, which" not in finding
    table = table_of(section(tables, make_info()), "What makes")
    assert ["WEAT6", "word2vec", "5", "3", "3", "0.20", "0.30"] in [row[:7] for row in table.rows]


def test_bars_of_variance_add_up(tables: Tables, make_info: MakeInfo) -> None:
    figure = next(f for f in section(tables, make_info()).figures if f.title.startswith("What"))
    segments = figure.chart["layer"][0]["data"]["values"]  # type: ignore[index]
    mine = [s for s in segments if s["row"] == "WEAT6 · word2vec"]
    assert [s["from"] for s in mine] == pytest.approx([0, 0.04, 0.13, 0.14])
    assert mine[-1]["to"] == pytest.approx(0.19)
    assert [s["part"] for s in segments if s["row"] == "WEAT2 · word2vec"] == [
        "words (the same in every region)"
    ]


def test_text_part_counts_clear_and_usable_scores(tables: Tables, make_info: MakeInfo) -> None:
    made = section(tables, make_info())
    assert (
        "12 of 15 gender scores turn with them by more than chance (q ≤ 0.10), 12 of them in the "
        "direction of the test; 3 are thin or on vectors that fail the control."
    ) in made.finding
    titles = [figure.title for figure in made.figures if "own part" in figure.title]
    assert titles == [f"WEAT{n}: the text's own part" for n in (6, 7, 8)]
    frame = tables["alc"]
    frame.loc[frame["text_part"].notna(), "text_q"] = 0.11
    assert "none of 15 gender scores turn with them" in section(tables, make_info()).finding


def test_text_part_counts_neither_controls_nor_what_the_exchange_leaves(
    tables: Tables, make_info: MakeInfo
) -> None:
    frame = tables["alc"]
    frame.loc[frame["test"].isin(["WEAT1", "WEAT2"]), ["text_part", "text_p", "text_q"]] = [
        0.2, 0.01, 0.02,
    ]  # fmt: skip
    control = frame[frame["test"] == "WEAT1"].assign(test="CONTROL1")
    tables["alc"] = frame = pd.concat([frame, control], ignore_index=True)
    frame.loc[frame["test"] == "WEAT6", ["text_p", "text_q"]] = nan
    made = section(tables, make_info())
    assert "8 of 10 gender scores turn with them" in made.finding
    assert (
        "5 more could not be tested, as the exchange touches none of their words." in made.finding
    )
    titles = [figure.title for figure in made.figures if "own part" in figure.title]
    assert titles == [f"WEAT{n}: the text's own part" for n in (7, 8)]
    table = next(f.table for f in made.figures if f.caption.startswith("Scores before and after"))
    assert table is not None
    assert {row[0] for row in table.rows} == {"WEAT6", "WEAT7", "WEAT8"}
    named = make_info(settings={"weat": {"gender_tests": ["WEAT1"]}})
    assert "4 of 5 gender scores turn with them" in section(tables, named).finding
    frame[["text_p", "text_q"]] = nan
    assert "None of 15 gender scores on à la carte vectors could be tested" in (
        section(tables, make_info()).finding
    )


def rows(figure: Figure, test: str) -> list[list[Any]]:
    assert figure.table is not None
    return [list(row) for row in figure.table.rows if row[0] == test]


def test_companions_agree_or_contradict(tables: Tables, make_info: MakeInfo) -> None:
    made = weat.section(tables, make_info())
    figure = next(f for f in made.figures if f.title == "The same by other measures")
    scores = int(tables["weat"].groupby(["region", "model", "test"])["effect_size"].mean().count())
    # Six scores on pretrained vectors and four whose PMI is 0 have RIPA alone.
    said = f"RIPA and PMI log odds, where given, all have the sign of d in 10 of {scores} scores."
    assert said in figure.caption
    assert figure.table is not None
    assert figure.table.headers[3:] == ["d", "RIPA", "MAC", "PMI log odds", "Same direction"]
    assert {row[-1] for row in figure.table.rows if "–" not in row[3]} == {"1 of 2", "1 of 1"}
    assert all(" ✗" in row[3] for row in figure.table.rows if row[1] == "Oceania")
    # A refused score shows what the text itself says.
    assert ["WEAT2", "Oceania", "word2vec", "– ✗", "–", "–", "0.50 [0.40, 0.60]", "–"] in rows(
        figure, "WEAT2"
    )
    frame = tables["companions"]
    frame.loc[frame["model"] != "corpus", "control"] = "passed"
    trusted = weat.section(tables, make_info())
    figure = next(f for f in trusted.figures if f.title == "The same by other measures")
    assert all(" ✗" not in row[3] for row in figure.table.rows if row[0] != "WEAT2")  # type: ignore[union-attr]
    only = weat.section({**tables, "companions": frame[frame["measure"] == "ripa"]}, make_info())
    figure = next(f for f in only.figures if f.title == "The same by other measures")
    assert f"RIPA, where given, has the sign of d in {scores} of {scores} scores." in figure.caption
    none = weat.section({**tables, "companions": frame[frame["measure"] == "mac"]}, make_info())
    figure = next(f for f in none.figures if f.title == "The same by other measures")
    assert "sign of d" not in figure.caption


def test_coverage_keeps_terms_and_names_apart(tables: Tables, make_info: MakeInfo) -> None:
    frame = tables["coverage"]
    worse = (frame["region"] == "asia") & (frame["kind"] == "name") & (frame["seed"] == 1)
    frame.loc[worse, ["found", "share"]] = [2, 0.4]
    made = weat.section(tables, make_info())
    table = table_of(made, "words with a vector")
    column = table.headers.index("WEAT6")
    rows = {tuple(row[:3]): row[column] for row in table.rows}
    assert rows["Asia", "word2vec", "names"] == "4/10 (40%)"
    assert rows["Asia", "word2vec", "terms"] == "8/10 (80%)"
    mine = table_of(made, "Oceania: each set")
    refused = [row for row in mine.rows if row[0] == "WEAT2" and row[1].startswith("X")]
    assert refused == [
        ["WEAT2", "X = Instruments", "names", "word2vec, à la carte", 6, "0/5", "X0; x1; x2; x3; absent"]
    ]  # fmt: skip


OPTIONAL = [name for name in TABLES if name not in ("corpus", "gender", "weat", "topics", "pairs", "evaluation")]  # fmt: skip


class Recording(dict[str, pd.DataFrame]):
    """Tables that remember which of them were asked for."""

    def __init__(self, tables: Tables) -> None:
        super().__init__(tables)
        self.asked: set[str] = set()

    def __getitem__(self, name: str) -> pd.DataFrame:
        self.asked.add(name)
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self.asked.add(str(name))
        return super().__contains__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self.asked.add(name)
        return super().get(name, default)


def test_a_missing_table_is_passed_over(tables: Tables, make_info: MakeInfo) -> None:
    readers: dict[str, list[Any]] = {name: [] for name in OPTIONAL}
    for module in SECTIONS:
        recording = Recording(tables)
        whole = module.section(recording, make_info())
        for name in recording.asked & set(OPTIONAL):
            readers[name].append((module, whole))
    assert all(readers.values()), "a table that no section reads"
    for name, found in readers.items():
        fewer = {other: table for other, table in tables.items() if other != name}
        for module, whole in found:
            made = module.section(fewer, make_info())
            # Only a section that is about this table alone goes with it.
            gone = whole is not None and made is None
            assert gone == (name == "common_topics" and module is common_topics)
    assert build_page({name: tables[name] for name in NEEDED}, make_info())


def refuse_all(tables: Tables) -> None:
    scored = [
        c.name for c in TABLES["weat"].columns if c.kind == "number" and "coverage" not in c.name
    ]
    for name in ("weat", "evaluation"):
        tables[name][scored] = nan
        tables[name]["null_n"] = 0
        tables[name][["method", "status", "note"]] = ["", "refused", "no words"]
    for name, empty in (
        ("differences", ["difference", "effect_1", "effect_2", "low", "high", "p_value", "p_min", "q_value", "p_holm"]),
        ("alc", [c.name for c in TABLES["alc"].columns if c.kind == "number"]),
        ("companions", ["value", "low", "high"]),
    ):  # fmt: skip
        tables[name][empty] = nan
        tables[name][["status", "note"]] = ["refused", "no words"]
    tables["words"] = tables["words"].iloc[:0]


def keep(name: str, value: Any) -> Callable[[Tables], None]:
    def change(tables: Tables) -> None:
        for table in ("weat", "words", "coverage", "companions", "evaluation", "stability", "alc"):
            if name in tables[table]:
                frame = tables[table]
                tables[table] = frame[frame[name].isin([value, "pretrained", -1])]
        if name == "region":
            tables["differences"] = tables["differences"].iloc[:0]

    return change


def control(value: str) -> Callable[[Tables], None]:
    def change(tables: Tables) -> None:
        for table in ("weat", "evaluation", "alc", "differences", "companions"):
            tables[table]["control"] = value

    return change


def no_null(tables: Tables) -> None:
    columns = [name for name in tables["weat"] if name.startswith("null_") and name != "null_n"]
    for table in ("weat", "evaluation"):
        tables[table][columns] = nan
        tables[table]["null_n"] = 0


@pytest.mark.parametrize(
    "change",
    [
        refuse_all,
        keep("region", "asia"),
        keep("region", "pretrained"),
        keep("seed", 0),
        keep("model", "word2vec"),
        control("none"),
        control("failed"),
        no_null,
    ],
    ids=["refused", "one-region", "pretrained-only", "one-seed", "no-alc", "no-control", "all-fail", "no-null"],
)  # fmt: skip
def test_findings_stand_on_any_content(
    change: Callable[[Tables], None], tables: Tables, make_info: MakeInfo
) -> None:
    change(tables)
    made = {module: module.section(tables, make_info()) for module in SECTIONS}
    for module in (overview, weat, differences, evaluation):
        section = made[module]
        if section is not None:
            assert section.finding.endswith(".")
            assert "nan" not in section.finding
            assert "  " not in section.finding
    assert render_page([section for section in made.values() if section], make_info())


def test_no_control_vouches_for_nothing(tables: Tables, make_info: MakeInfo) -> None:
    control("none")(tables)
    finding = weat.section(tables, make_info()).finding
    assert finding.startswith("None of 60 scores")
    assert "no positive control was run, so no vectors can be vouched for" in finding
    control("failed")(tables)
    finding = weat.section(tables, make_info()).finding
    assert "the positive control fails even on pretrained vectors" in finding
    assert "it passes on 0 of 10 sets of the regions' own vectors" in finding


def test_the_control_itself_is_no_finding(tables: Tables, make_info: MakeInfo) -> None:
    frame = tables["weat"]
    control_rows = frame[frame["test"] == "WEAT1"].assign(test="CONTROL1")
    tables["weat"] = pd.concat([frame, control_rows], ignore_index=True)
    made = weat.section(tables, make_info())
    assert " of 60 scores" in made.finding
    assert any(figure.title.startswith("CONTROL1 (positive control)") for figure in made.figures)
