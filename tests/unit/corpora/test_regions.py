"""Regions of a config."""

from __future__ import annotations

import pytest

from biasatlas.corpora import regions
from biasatlas.corpora.regions import CONTINENTS, continent_table, resolve_country, resolve_regions
from biasatlas.errors import InputError


def test_continents() -> None:
    table = continent_table().set_index("ISO3")["Continent_7"]
    assert table["NAM"] == "Africa"
    assert table["RUS"] == "Europe"
    assert table["JAM"] == "North America"
    assert table["XKX"] == "Europe"
    assert table["PLW"] == "Oceania"
    assert set(table) == set(CONTINENTS)
    assert table.index.is_unique


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("NA", "NAM"), ("no", "NOR"), ("Namibia", "NAM"), ("united  kingdom", "GBR"), ("UK", "GBR"),
        ("Russian Federation", "RUS"), ("Niger", "NER"), ("Ivory Coast", "CIV"), ("", ""),
        ("Atlantis", ""), ("South Korea", "KOR"), ("Turkey", "TUR"), ("Czech Republic", "CZE"),
    ],
)  # fmt: skip
def test_country(name: str, code: str) -> None:
    assert resolve_country(name) == code


def test_a_long_value_names_no_country() -> None:
    assert resolve_country("Ghana" + " " * 95) == "GHA"
    assert resolve_country("Ghana" + " " * 96) == ""
    before = regions._resolve.cache_info().currsize
    assert resolve_country("Ghana is a land of " + "gold " * 100) == ""
    assert regions._resolve.cache_info().currsize == before


def test_regions() -> None:
    found = resolve_regions(
        [
            {"name": "africa", "continent": "Africa", "top_countries": 3},
            {"name": "isles", "label": "The Isles", "countries": ["IE", "GBR", "Iceland"]},
            {"name": "reddit"},
        ]
    )
    assert "NGA" in found[0]["countries"]
    assert found[0]["top_countries"] == 3
    assert found[1] == {
        "name": "isles", "label": "The Isles", "countries": ["GBR", "IRL", "ISL"],
        "document_label": "isles", "top_countries": None,
    }  # fmt: skip
    assert found[2]["countries"] == []


def test_all_problems_at_once() -> None:
    with pytest.raises(InputError) as error:
        resolve_regions(
            [
                {"name": "a", "countries": ["Atlantis", "FR"]},
                {"name": "b", "countries": ["France"]},
                {"name": "c", "continent": "Middle-earth"},
                {"name": "d", "continent": "Asia", "countries": ["JP"]},
                {"name": "a", "colour": 1, "top_countries": 0},
            ]
        )
    text = "\n".join(error.value.problems)
    assert len(error.value.problems) == 7
    for part in ("Atlantis", "FRA is in a already", "allowed: Africa, Asia", "not both", "twice",
                 "'colour' is unknown", "top_countries 0"):  # fmt: skip
        assert part in text
