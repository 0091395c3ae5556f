"""Schemas, reading and writing of the tables."""

from __future__ import annotations

import math
import subprocess
import sys
import tempfile
from math import nan
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biasatlas.errors import InputError
from biasatlas.tables import (
    TABLES,
    check_table,
    empty_table,
    markdown,
    read_table,
    schema,
    write_table,
)

ROOT = Path(__file__).parents[3]


def filled_row(name: str) -> dict[str, object]:
    """A valid row: every number 0.5 or empty, every count 0, every text `a`."""
    row: dict[str, object] = {}
    for column in TABLES[name].columns:
        if column.kind == "text":
            row[column.name] = column.allowed[0] if column.allowed else "a"
        elif column.kind == "integer":
            row[column.name] = int(column.low or 0)
        else:
            row[column.name] = (
                False
                if column.kind == "boolean"
                else min(0.5, math.inf if column.high is None else column.high)
            )
    return row


@pytest.mark.parametrize("name", TABLES)
def test_schema_has_each_column_with_a_description(name: str) -> None:
    made = schema(name)
    assert list(made.columns) == [column.name for column in TABLES[name].columns]
    assert made.strict
    assert made.ordered
    assert all(len(column.description) > 8 for column in made.columns.values())


@pytest.mark.parametrize("name", TABLES)
def test_every_table_round_trips(name: str, tmp_path: Path) -> None:
    frame = pd.DataFrame([filled_row(name)])
    write_table(name, frame, tmp_path / "t.csv")
    pd.testing.assert_frame_equal(read_table(name, tmp_path / "t.csv"), frame)


@pytest.mark.parametrize("name", TABLES)
def test_empty_tables_round_trip(name: str, tmp_path: Path) -> None:
    write_table(name, empty_table(name), tmp_path / "t.csv")
    pd.testing.assert_frame_equal(read_table(name, tmp_path / "t.csv"), empty_table(name))


def test_text_is_kept_and_only_empty_numbers_are_missing(tmp_path: Path) -> None:
    rows = [
        {**filled_row("topics"), "topic": topic, "label": label, "log_odds": nan, "flags": ""}
        for topic, label in enumerate(["NA", "null", "", "nan", 'a "b", c\nd', "  x "])
    ]
    write_table("topics", pd.DataFrame(rows), tmp_path / "t.csv")
    back = read_table("topics", tmp_path / "t.csv")
    assert back["label"].tolist() == ["NA", "null", "", "nan", 'a "b", c\nd', "  x "]
    assert back["flags"].tolist() == [""] * 6
    assert back["log_odds"].isna().all()


def test_namibia_stays(tmp_path: Path) -> None:
    frame = pd.DataFrame([{**filled_row("corpus"), "country": "NA"}])
    write_table("corpus", frame, tmp_path / "t.csv")
    assert read_table("corpus", tmp_path / "t.csv")["country"].tolist() == ["NA"]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=6))
def test_numbers_come_back_to_the_last_bit(values: list[float]) -> None:
    rows = [{**filled_row("topics"), "topic": i, "u_mass": v} for i, v in enumerate(values)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        write_table("topics", pd.DataFrame(rows), path)
        assert read_table("topics", path)["u_mass"].tolist() == values


def test_rows_are_sorted_by_key_whatever_their_order(tmp_path: Path) -> None:
    rows = [
        {**filled_row("topics"), "region": region, "topic": topic}
        for region in ("asia", "africa")
        for topic in (3, -1, 10)
    ]
    write_table("topics", pd.DataFrame(rows), tmp_path / "a.csv")
    write_table("topics", pd.DataFrame(rows[::-1]), tmp_path / "b.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    back = read_table("topics", tmp_path / "a.csv")
    assert back["region"].tolist() == ["africa"] * 3 + ["asia"] * 3
    assert back["topic"].tolist() == [-1, 3, 10] * 2


def test_all_problems_are_named_at_once(tmp_path: Path) -> None:
    good = filled_row("topics")
    rows = [
        {**good, "topic": 1, "gender": "woman"},
        {**good, "topic": 2, "q_value": 1.5, "region": ""},
        {**good, "topic": 3, "p_value": 0.0, "u_mass": float("inf")},
        {**good, "topic": 4, "log_odds_low": 2.0, "log_odds_high": 1.0},
        {**good, "topic": 4},
    ]
    with pytest.raises(InputError) as caught:
        write_table("topics", pd.DataFrame(rows), tmp_path / "t.csv")
    problems = "\n".join(caught.value.problems)
    assert len(caught.value.problems) == 8
    assert "table topics, column gender, row 1: 'woman'; allowed is one of female" in problems
    assert "table topics, column q_value, row 2: 1.5; allowed is a number of at most 1" in problems
    assert "table topics, column region, row 2: ''; allowed is text that is not empty" in problems
    assert "table topics, column p_value, row 3: 0.0; allowed is a number above 0" in problems
    assert "table topics, column u_mass, row 3: inf; allowed is a finite number" in problems
    assert "table topics, column log_odds_low, row 4: 2.0; allowed is at most" in problems
    assert "table topics, row 5: the key" in problems
    assert not (tmp_path / "t.csv").exists()


def test_columns_missing_unknown_or_out_of_order_are_refused() -> None:
    frame = pd.DataFrame([filled_row("gender")])
    with pytest.raises(InputError, match="column both is missing") as caught:
        check_table("gender", frame.rename(columns={"both": "botch"}))
    assert any("column 'botch' is unknown" in problem for problem in caught.value.problems)
    with pytest.raises(InputError, match="must stand in the order"):
        check_table("gender", frame[frame.columns[::-1]])


def test_wrong_types_are_refused() -> None:
    frame = pd.DataFrame([{**filled_row("gender"), "female": "many"}])
    with pytest.raises(InputError, match=r"column female.*type int64"):
        check_table("gender", frame)


def test_missing_values_are_refused_in_counts_and_texts() -> None:
    frame = pd.DataFrame([{**filled_row("pairs"), "n_passing": nan, "note": None}])
    with pytest.raises(InputError) as caught:
        check_table("pairs", frame)
    problems = "\n".join(caught.value.problems)
    assert "column n_passing" in problems
    assert "column note" in problems


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"effect_size": nan}, "column effect_size, row 1: nan; allowed is a number where status"),
        ({"status": "refused"}, "allowed is empty where status is refused"),
        ({"status": "refused", "effect_size": nan, "note": ""}, "a reason where status is refused"),
        ({"p_value": 0.01}, "column p_value, row 1: 0.01; allowed is at least p_min"),
    ],
)
def test_scores_agree_with_their_status(change: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_table("weat", pd.DataFrame([{**filled_row("weat"), **change}]))


def test_gender_counts_must_add_up() -> None:
    with pytest.raises(InputError, match="column passages, row 1: 3; allowed is the sum"):
        check_table("gender", pd.DataFrame([{**filled_row("gender"), "passages": 3}]))


def test_cells_that_cannot_be_read_are_all_named(tmp_path: Path) -> None:
    write_table("pairs", pd.DataFrame([filled_row("pairs")]), tmp_path / "t.csv")
    text = (tmp_path / "t.csv").read_text()
    (tmp_path / "t.csv").write_text(text.replace(",0,False,-1,", ",x,perhaps,,"))
    with pytest.raises(InputError) as caught:
        read_table("pairs", tmp_path / "t.csv")
    problems = "\n".join(caught.value.problems)
    assert "column primary, row 1: 'perhaps'; allowed is True or False" in problems
    assert "column rank, row 1: 'x'; allowed is a whole number" in problems
    assert "column female_topic, row 1: ''; allowed is a whole number" in problems


def test_files_that_are_no_tables(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no file"):
        read_table("weat", tmp_path / "none.csv")
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(InputError, match="not a CSV file"):
        read_table("weat", tmp_path / "empty.csv")
    (tmp_path / "other.csv").write_text("first,b\n1,2\n")
    with pytest.raises(InputError, match="column 'first' is unknown"):
        read_table("weat", tmp_path / "other.csv")
    with pytest.raises(InputError, match="'weet' is unknown; allowed are corpus"):
        read_table("weet", tmp_path / "other.csv")


def test_many_problems_are_counted() -> None:
    rows = [{**filled_row("topics"), "topic": i, "gender": "x"} for i in range(80)]
    with pytest.raises(InputError) as caught:
        check_table("topics", pd.DataFrame(rows))
    assert len(caught.value.problems) == 51
    assert caught.value.problems[-1] == "table topics: and 30 more"


def test_page_is_up_to_date() -> None:
    stored = (ROOT / "docs" / "tables.md").read_text(encoding="utf-8")
    assert stored == markdown(), "run: python -m biasatlas.tables > docs/tables.md"


def test_module_prints_the_page() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "biasatlas.tables"],
        capture_output=True,
        check=True,
        encoding="utf-8",
        env={"PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "utf-8"},
    )
    assert done.stdout == markdown()
