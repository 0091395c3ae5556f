"""Mentions of countries and the choice of one."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from biasatlas.corpora.gazetteer import (
    GIVEN,
    MOST,
    NONE,
    NOWHERE,
    TIE,
    Gazetteer,
    assign_country,
    count_mentions,
    load_gazetteer,
)
from biasatlas.corpora.regions import continent_table
from biasatlas.errors import InputError

PATH = Path(__file__).parents[3] / "resources" / "gazetteer" / "en.csv"


@pytest.fixture(scope="module")
def gazetteer() -> Gazetteer:
    return load_gazetteer(PATH)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Nigeria's Nigerians and a Nigerian", {"NGA": 3}),
        ("South Sudan and the South Sudanese, not Sudan", {"SSD": 2, "SDN": 1}),
        ("Papua New Guinea, Equatorial Guinea, Guinea", {"PNG": 1, "GNQ": 1, "GIN": 1}),
        ("Guinea-Bissau and New Guinea", {"GNB": 1}),
        ("Northern Ireland and the Northern Irish", {"GBR": 2}),
        ("New Mexico, New Jersey, Jersey, Georgia, New England", {}),
        ("South American, Latin Americans, an African American, Native Americans", {}),
        ("American Samoa and Samoa", {"ASM": 1, "WSM": 1}),
        ("the US, the U.S., U.S.-led, USA; tell us, Us", {"USA": 4}),
        ("the UK and U.K. and Britons, English", {"GBR": 4}),
        ("in English, Al Jazeera English, English-language", {}),
        ("DR Congo, the Republic of Congo, Congo", {"COD": 1, "COG": 1}),
        ("the Niger Delta, Niger, the Niger River, Nigeriens", {"NGA": 1, "NER": 2}),
        ("New South Wales, Wales, British Columbia", {"AUS": 1, "GBR": 1, "CAN": 1}),
        ("Dominicans, Dominica", {"DOM": 1, "DMA": 1}),
        ("Michael Jordan, Jordan Peele, Chad Smith, Jim Holland", {}),
        ("In Jordan they met Jordan's king; Chad and Jordan.", {"JOR": 3, "TCD": 1}),
        ("Indiana, Romance, Mali, malian, turkey", {"MLI": 1}),
        ("North Korea, South Koreans, Korea", {"PRK": 1, "KOR": 1}),
        ("C\u00f4te d'Ivoire and Cote d'Ivoire", {"CIV": 2}),
    ],
)
def test_mentions(text: str, expected: dict[str, int], gazetteer: Gazetteer) -> None:
    found = count_mentions(pl.Series(["", text]), gazetteer)
    assert {code: n for row, code, n in found.rows()} == expected
    assert set(found["row"]) <= {1}


def test_gazetteer_codes_are_known_and_un_members_complete(gazetteer: Gazetteer) -> None:
    known = set(continent_table()["ISO3"])
    codes = (set(gazetteer.country.values()) | set(gazetteer.guarded.values())) - {""}
    assert codes <= known
    assert len(codes & known) >= 205
    assert {"TWN", "HKG", "XKX", "PSE", "NAM", "TCD", "JOR"} <= codes


def frame(*rows: tuple[str, str, str, str]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "document": [str(i) for i in range(len(rows))],
            "title": [row[0] for row in rows],
            "text": [row[1] for row in rows],
            "country": [row[2] for row in rows],
            "region": [""] * len(rows),
            "outlet_country": [row[3] for row in rows],
        }
    )


def test_assign(gazetteer: Gazetteer) -> None:
    documents = frame(
        ("Ghana", "Ghana and Kenya", "", "USA"),
        ("", "Ghana and Kenya", "", "IRL"),
        ("", "Nobody", "", "IRL"),
        ("", "Ghana and Kenya", "", ""),
        ("", "Ghana", "FRA", "IRL"),
    )
    result = assign_country(documents, gazetteer)
    assert result["country"].to_list() == ["GHA", "IRL", "IRL", "", "FRA"]
    assert result["how"].to_list() == [MOST, TIE, NONE, NOWHERE, GIVEN]
    assert result["document"].to_list() == documents["document"].to_list()
    assert assign_country(documents, None)["how"].to_list() == [NONE, NONE, NONE, NOWHERE, GIVEN]
    assert assign_country(documents.head(0), gazetteer).height == 0


def test_bad_gazetteer(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    with pytest.raises(InputError, match="not found"):
        load_gazetteer(path)
    path.write_text("iso3,names\nGHA,Ghana\n")
    with pytest.raises(InputError, match="no column demonyms, abbreviations, guarded; it has iso3"):
        load_gazetteer(path)
    path.write_text(
        "iso3,names,demonyms,abbreviations,guarded\ngh,A,,,\nGHA,Ghana,,,\nKEN,Ghana,,,\n"
    )
    with pytest.raises(InputError, match="2 problems") as error:
        load_gazetteer(path)
    assert "line 4: 'Ghana' is under 'GHA' already" in error.value.problems[1]
