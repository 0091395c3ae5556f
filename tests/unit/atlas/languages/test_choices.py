"""Charts with lists to choose from: their default, their compact rows and their limits."""

from __future__ import annotations

from math import nan

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biasatlas.atlas.choices import Limits, build_choices, expand

LISTS = [("Model", "model"), ("Encoder", "encoder")]
ORDERS = {"encoder": ["first", "second"]}


def frame() -> pd.DataFrame:
    rows = [
        ("a", "second", "en", 0.12345, "few"),
        ("a", "first", "en", 0.00012345, ""),
        ("b", "first", "en", 1.0, ""),
        ("b", "first", "de", -0.5, ""),
        ("b", "second", "en", nan, "refused"),
        ("b", "second", "de", 0.25, ""),
    ]
    return pd.DataFrame(rows, columns=["model", "encoder", "language", "d", "note"])


def build(limits: Limits | None = None, rows: pd.DataFrame | None = None):  # type: ignore[no-untyped-def]
    return build_choices(
        frame() if rows is None else rows,
        LISTS,
        ("language", "d"),
        ("note",),
        orders=ORDERS,
        scored="d",
        limits=limits,
    )


def test_default_has_most_languages_with_a_score() -> None:
    choices = build()
    assert choices.default == ["b", "first"]
    assert choices.records == [
        {"language": "de", "language_at": 0, "d": -0.5, "note": "", "note_at": 0},
        {"language": "en", "language_at": 1, "d": 1, "note": "", "note_at": 0},
    ]
    assert choices.note == ""


def test_among_equals_the_first_of_the_lists_is_the_default() -> None:
    choices = build(rows=frame().query("model == 'a'"))
    assert choices.default == ["a", "first"]
    assert [one["at"] for one in choices.data["maps"]] == [[0, 0], [0, 1]]


def test_numbers_keep_three_digits_and_no_number_is_none() -> None:
    rows = {tuple(one["at"]): one["rows"] for one in build().data["maps"]}
    assert rows[(0, 0)] == [[1, 0.000123, 0]]
    assert rows[(0, 1)] == [[1, 0.123, 1]]
    assert rows[(1, 1)] == [[0, 0.25, 0], [1, None, 2]]


def test_beyond_the_limits_details_go_first_and_then_whole_choices() -> None:
    # The default has two rows; of the three that follow in order, one of a row fits as slim.
    choices = build(Limits(full=2, slim=1))
    kept = {tuple(one["at"]): one["rows"] for one in choices.data["maps"]}
    assert kept[(1, 0)] == [[0, -0.5, 0], [1, 1, 0]]
    assert kept[(0, 0)] == [[1, 0.000123]]
    assert kept[(0, 1)] is None
    assert kept[(1, 1)] is None
    assert choices.note == (
        "To keep the page small, 1 choice beyond the first 2 rows is drawn without details on "
        "hover and 2 choices beyond the first 3 rows are only in the table."
    )


def test_a_short_row_lacks_its_last_columns() -> None:
    data = {"columns": ["x", "note"], "lookups": {"note": ["thin"]}}
    assert expand(data, [[0.5], [1, 0]]) == [
        {"x": 0.5, "note": None, "note_at": None},
        {"x": 1, "note": "thin", "note_at": 0},
    ]


@settings(max_examples=15, deadline=None)
@given(st.permutations(range(6)))
def test_order_of_rows_changes_nothing(order: list[int]) -> None:
    assert build(rows=frame().iloc[list(order)]) == build()


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from("ab"), st.sampled_from(["first", "second"]), st.text(max_size=3),
            st.floats(-2, 2), st.text(max_size=3),
        ),
        min_size=1,
        max_size=12,
    )
)  # fmt: skip
def test_compact_rows_hold_every_row(rows: list[tuple[str, str, str, float, str]]) -> None:
    table = pd.DataFrame(rows, columns=["model", "encoder", "language", "d", "note"])
    data = build(rows=table).data
    options = [one["options"] for one in data["lists"]]
    found = [
        (options[0][one["at"][0]], options[1][one["at"][1]], row["language"], row["d"], row["note"])
        for one in data["maps"]
        for row in expand(data, one["rows"])
    ]
    for kept, row in zip(sorted(found, key=_order), sorted(rows, key=_order), strict=True):
        assert _order(kept)[:-1] == _order(row)[:-1]
        assert kept[3] == pytest.approx(row[3], abs=5.1e-4)


def _order(row: tuple[str, str, str, float, str]) -> tuple[str, str, str, str, float]:
    return row[0], row[1], row[2], row[4], row[3]
