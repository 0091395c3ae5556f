"""Rows of the coverage table."""

from __future__ import annotations

import numpy as np

from biasatlas.association.coverage import coverage_rows
from biasatlas.association.lookup import look_up
from biasatlas.lexicons.word_lists import AssociationTest, WordSet
from biasatlas.tables import TABLES
from biasatlas.vectors import WordVectors

SETS = {
    "x": WordSet("Parenting", ("mother", "Child", "child")),
    "y": WordSet("Films", ("film", "tv")),
    "a": WordSet("Female terms", ("she", "her", "Nia", "Zuri"), ("Nia", "Zuri")),
    "b": WordSet("Male names", ("Kofi", "Tunde"), ("Kofi", "Tunde")),
}
TEST = AssociationTest("africa-P1", "Made up", "en", **SETS, citation="")


def rows(*words: str):
    vectors = WordVectors(words, np.ones((len(words), 2), dtype=np.float32))
    coverage = {name: look_up(one.words, vectors, names=one.names) for name, one in SETS.items()}
    return coverage_rows(TEST, coverage)


def test_one_row_a_set_and_kind_that_it_has():
    found = rows("mother", "film", "tv", "she", "nia")
    assert [tuple(row.values())[1:] for row in found] == [
        ("x", "Parenting", "term", 3, 2, 1, 0.5, "child"),
        ("y", "Films", "term", 2, 2, 2, 1.0, ""),
        ("a", "Female terms", "term", 2, 2, 1, 0.5, "her"),
        ("a", "Female terms", "name", 2, 2, 1, 0.5, "zuri"),
        ("b", "Male names", "name", 2, 2, 0, 0.0, "kofi; tunde"),
    ]
    assert {row["test"] for row in found} == {"africa-P1"}


def test_the_columns_are_those_of_the_table():
    table = TABLES["coverage"]
    absent = {"language", "region", "corpus", "model", "seed"}
    wanted = [column.name for column in table.columns if column.name not in absent]
    assert all(list(row) == wanted for row in rows("mother"))
    assert set(table.key) - absent == {"test", "set", "kind"}
