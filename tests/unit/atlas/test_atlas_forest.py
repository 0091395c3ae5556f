"""Forest plots: what each point carries, and the words behind it."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import nan
from typing import Any

import pandas as pd
import pytest

from biasatlas.atlas import evaluation, weat, words
from biasatlas.atlas.forest import forest_chart, forest_records, row_labels, series_colours
from biasatlas.atlas.page import script_json
from biasatlas.atlas.parts import Figure
from biasatlas.atlas.places import add_place
from biasatlas.atlas.scores import add_documents, add_series

Tables = dict[str, pd.DataFrame]
MakeInfo = Callable[..., dict[str, Any]]


def placed(tables: Tables, info: dict[str, Any], test: str) -> pd.DataFrame:
    frame = words.add_keys(add_series(add_place(tables["weat"], info)))
    frame = add_documents(frame, tables.get("alc"), "weat")
    return frame[frame["test"] == test]


def panel(tables: Tables, info: dict[str, Any], test: str) -> Figure:
    made = weat.section(tables, info)
    return next(figure for figure in made.figures if figure.title.startswith(test))


def test_each_point_carries_its_band_its_documents_and_its_mark(
    tables: Tables, make_info: MakeInfo
) -> None:
    part = placed(tables, make_info(), "WEAT6")
    points, means = forest_records(part, "place")
    assert len(points) == 31
    assert {(p["null_low"], p["null_median"], p["null_high"]) for p in points} == {
        (-0.8, 0.05, 0.9)
    }
    of_alc = [p for p in points if p["series"] == "à la carte"]
    assert all(p["documents_low"] == pytest.approx(ends(tables, p)[0]) for p in of_alc)
    others = [p for p in points if p["series"] != "à la carte"]
    assert all(p["documents_low"] != p["documents_low"] for p in others)
    assert all(p["documents"] == "–" for p in others)
    assert {p["mark"] for p in points if p["row"].startswith("Oceania")} == {"failed"}
    assert {p["mark"] for p in points if not p["row"].startswith("Oceania")} == {"ok"}
    assert len(means) == 10
    first = means[0]
    effects = part[(part["place"] == "Africa") & (part["series"] == first["series"])]["effect_size"]
    assert (first["low"], first["high"]) == (effects.min(), effects.max())


def ends(tables: Tables, point: dict[str, Any]) -> tuple[float, float]:
    region = point["key"].split("/")[1]
    alc = tables["alc"]
    row = alc[(alc["region"] == region) & (alc["test"] == "WEAT6")].iloc[0]
    return row["documents_low"], row["documents_high"]


def test_lanes_of_a_row_keep_apart(tables: Tables, make_info: MakeInfo) -> None:
    points, _ = forest_records(placed(tables, make_info(), "WEAT6"), "place")
    for row in {point["row"] for point in points}:
        lanes = [point["offset"] for point in points if point["row"] == row]
        assert len(set(lanes)) == len(lanes)
        assert all(abs(lane) < 0.5 for lane in lanes)


def test_labels_tell_coverage_and_failed_controls(tables: Tables, make_info: MakeInfo) -> None:
    part = placed(tables, make_info(), "WEAT6").copy()
    labels = row_labels(part, "place")
    assert labels["Africa"] == "Africa"
    assert labels["Oceania"] == (
        "Oceania\nthin: 100% of terms, 50% of names\n✗ control: word2vec and à la carte"
    )
    part.loc[part["region"] == "oceania", "coverage_names"] = nan
    assert "thin: 50% of words" in row_labels(part, "place")["Oceania"]


def test_charts_hold_the_points_once_and_draw_each_mark(
    tables: Tables, make_info: MakeInfo
) -> None:
    part = placed(tables, make_info(), "WEAT6")
    chart = forest_chart(part, "place", series_colours(part), "caption")
    text = json.dumps(chart)
    assert text.count('"WEAT6/pretrained/glove"') == 1
    for field in ("null_low", "null_median", "documents_low"):
        assert f'"field": "{field}"' in text
    assert "datum.mark == 'failed'" in text
    assert "datum.mark == 'thin'" not in text
    bare = part.assign(null_low=nan, null_median=nan, null_high=nan, documents_low=nan)
    text = json.dumps(forest_chart(bare, "place", series_colours(part), "caption"))
    assert '"field": "null_low"' not in text
    assert '"field": "documents_low"' not in text


def test_alc_keeps_its_colour_beside_other_vectors(tables: Tables, make_info: MakeInfo) -> None:
    frame = add_series(add_place(tables["weat"], make_info()))
    one = series_colours(frame)
    alone = series_colours(frame[frame["model"] != "word2vec"])
    other = series_colours(
        add_series(add_place(tables["weat"].replace("word2vec", "fasttext"), make_info()))
    )
    assert one["à la carte"] == alone["à la carte"] == other["à la carte"]
    assert one["word2vec"] == other["fastText"] != one["à la carte"]


def test_refused_vectors_are_named_where_others_have_a_score(
    tables: Tables, make_info: MakeInfo
) -> None:
    frame = tables["weat"]
    chosen = (frame["region"] == "asia") & (frame["test"] == "WEAT7") & (frame["model"] == "alc")
    frame.loc[chosen, ["effect_size", "q_value"]] = nan
    frame.loc[chosen, ["status", "note"]] = ["refused", "too few words"]
    assert "Refused: à la carte in Asia." in panel(tables, make_info(), "WEAT7").caption
    assert "Refused: Oceania." in panel(tables, make_info(), "WEAT2").caption


def test_words_are_means_over_seeds_in_thousandths(tables: Tables, make_info: MakeInfo) -> None:
    island = panel(tables, make_info(), "WEAT6").words
    assert island is not None
    [sets] = island["lists"]
    assert [one["name"] for one in sets] == ["Male names", "Female names", "Career", "Family"]
    assert sets[0]["words"] == ["absent", "x0", "x1", "x2", "x3"]
    assert len(island["scores"]) == 11
    score = next(s for s in island["scores"] if s["key"] == "WEAT6/europe/word2vec")
    frame = tables["words"]
    mine = frame[
        (frame["region"] == "europe") & (frame["model"] == "word2vec") & (frame["test"] == "WEAT6")
    ]
    mean = mine[mine["word"] == "y2"]["score"].mean()
    assert score["values"][1][sets[1]["words"].index("y2")] == round(1000 * mean)
    assert score["influence"][0] == [None, -500, 10, 20, 30]
    assert score["seeds"] == 3
    assert score["label"] == "Europe, word2vec"


def test_a_word_listed_with_a_capital_is_not_listed_twice(
    tables: Tables, make_info: MakeInfo
) -> None:
    island = panel(tables, make_info(), "WEAT2").words
    assert island is not None
    assert island["lists"][0][0]["words"] == ["absent", "x0", "x1", "x2", "x3"]
    assert not any("oceania" in score["key"] for score in island["scores"])


def test_hostile_words_cannot_leave_their_island(tables: Tables, make_info: MakeInfo) -> None:
    hostile = "</script><script>document.title='taken'</script><!--"
    tables["words"]["word"] += hostile
    island = panel(tables, make_info(), "WEAT6").words
    text = script_json(island)
    assert not set(text) & set("<>&\u2028\u2029")
    assert f"x0{hostile}" in json.loads(text)["lists"][0][0]["words"]


def test_keys_name_language_and_corpus_only_where_there_are_several(tables: Tables) -> None:
    frame = tables["weat"]
    frame = frame[(frame["region"] == "africa") & (frame["test"] == "WEAT6")].iloc[[0]]
    both = pd.concat([frame, frame.assign(language="fr", corpus="evaluation")])
    key = "WEAT6/africa/word2vec"
    assert words.add_keys(frame)["key"].tolist() == [key]
    keys = [f"{key}/en/discovery", f"{key}/fr/evaluation"]
    assert words.add_keys(both)["key"].tolist() == keys


def test_languages_keep_their_own_words(tables: Tables, make_info: MakeInfo) -> None:
    french = {name: tables[name].assign(language="fr") for name in ("weat", "words", "coverage")}
    french["words"] = french["words"].assign(word="mot " + french["words"]["word"])
    both = {name: pd.concat([tables[name], frame]) for name, frame in french.items()}
    island = panel({**tables, **both}, make_info(), "WEAT6").words
    assert island is not None
    assert island["lists"][1][0]["words"] == ["absent", "mot x0", "mot x1", "mot x2", "mot x3"]
    assert {score["list"] for score in island["scores"]} == {0, 1}


def test_without_words_there_is_nothing_to_click(tables: Tables, make_info: MakeInfo) -> None:
    del tables["words"]
    made = weat.section(tables, make_info())
    assert all(figure.words is None for figure in made.figures)
    assert "Click a dot" not in made.cards


def test_thick_bars_are_given_in_numbers(tables: Tables, make_info: MakeInfo) -> None:
    frame = tables["weat"]
    frame.loc[frame["model"] == "word2vec", "effect_size"] = 0.5 + 0.2 * frame["seed"]
    cards = weat.section(tables, make_info()).cards
    assert "0.40 over seeds on word2vec vectors" in cards
    assert "0.25 over documents on à la carte vectors" in cards
    del tables["alc"]
    assert "over documents" not in weat.section(tables, make_info()).cards.partition("Median")[2]


def test_found_pairs_get_their_interval_over_documents(tables: Tables, make_info: MakeInfo) -> None:
    frame = tables["evaluation"]
    mine = frame[(frame["origin"] == "found") & (frame["seed"] == 0)]
    alc = tables["alc"].iloc[: len(mine)].assign(
        origin="found", region=mine["region"].to_numpy(), test=mine["test"].to_numpy(),
        corpus="evaluation", documents_low=0.123, documents_high=0.456,
    )  # fmt: skip
    tables["evaluation"] = pd.concat([frame, mine.assign(model="alc")], ignore_index=True)
    made = evaluation.section({**tables, "alc": alc}, make_info())
    points = made.figures[0].chart["data"]["values"]  # type: ignore[index]
    of_alc = [point for point in points if point["series"] == "à la carte"]
    assert len(of_alc) == len(mine)
    assert {point["documents"] for point in of_alc} == {"[0.12, 0.46]"}
    assert all(point["documents_low"] is None for point in points if point not in of_alc)


def test_evaluation_counts_pairs_beyond_the_null_on_vectors_that_pass(
    tables: Tables, make_info: MakeInfo
) -> None:
    frame = tables["evaluation"]
    found = frame["origin"] == "found"
    frame.loc[found, ["effect_size", "effect_low", "effect_high", "q_value"]] = [
        1.2,
        0.5,
        1.5,
        0.01,
    ]
    frame.loc[found, "null_p_two_sided"] = 0.01
    finding = evaluation.section(tables, make_info()).finding
    assert (
        "(4 significant in every seed, 4 of these on vectors that pass the control and 4 of those "
        "beyond what random word sets"
    ) in finding
    frame.loc[found & (frame["pair_region"] == "asia"), "control"] = "failed"
    frame.loc[found & (frame["pair"] == "europe-P1"), "null_high"] = 1.9
    finding = evaluation.section(tables, make_info()).finding
    assert "2 of these on vectors that pass the control and 1 of those beyond" in finding


def test_words_of_found_pairs_share_one_list(tables: Tables, make_info: MakeInfo) -> None:
    assert "Click a dot" not in evaluation.section(tables, make_info()).cards
    frame = tables["evaluation"]
    found = frame[(frame["origin"] == "found") & (frame["seed"] == 0)]
    keys = ["language", "region", "corpus", "model", "seed", "test"]
    rows = [
        {**row, "set": side, "word": f"{side} of {row['test']}", "kind": "term"}
        for row in found[keys].to_dict("records")
        for side in "xyab"
    ]
    more = pd.DataFrame(rows).assign(score=0.1, influence=-0.2)
    both = pd.concat([tables["words"], more], ignore_index=True)
    made = evaluation.section({**tables, "words": both}, make_info())
    assert "Click a dot" in made.cards
    island = made.figures[0].words
    assert island is not None
    assert len(island["scores"]) == len(found)
    for score in island["scores"]:
        test = score["key"].partition("/")[0]
        assert score["label"].startswith(f"{test}, ")
        assert island["lists"][score["list"]][0]["words"] == [f"x of {test}"]
