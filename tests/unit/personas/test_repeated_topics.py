"""What is asked for twice is one observation, and regions are not mixed up."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from biasatlas.lexicons.gender_terms import load_gender_pairs
from biasatlas.personas.deals import deal_test, within_effect
from biasatlas.personas.questions import list_topics
from biasatlas.personas.scores import score_personas
from biasatlas.tables import empty_table

ROOT = Path(__file__).parents[3]
SETTINGS = {"thin_topics": 2, "bootstrap": 2_000, "permutations": 999, "seed": 1}


def rows(region, gender, shares, source="own"):
    return [
        {
            "language": "en",
            "region": region,
            "source": source,
            "topic": f"{gender} {number}",
            "label": "label",
            "topic_gender": gender,
            "gendered_label": False,
            "log_odds": math.nan,
            "model": "m",
            "prompt": "x",
            "n_replies": 7,
            "n_undecided": 0,
            "share_female": share,
            "mismatch": {"female": 1 - share, "male": share}.get(gender, math.nan),
        }
        for number, share in enumerate(shares)
    ]


def score(*parts):
    frame = score_personas(pd.DataFrame([row for part in parts for row in part]), **SETTINGS)
    return frame.set_index("region")


def test_a_label_published_twice_with_a_gender_is_one_topic():
    published = [
        ("P1", "Royal plans", "Chess"),
        ("P2", "royal Plans", "Music"),
        ("P3", "Music", "Boats"),
    ]
    terms = load_gender_pairs(ROOT / "resources/word_lists/gender/en/extended.yaml")
    table = list_topics(
        empty_table("topics"), empty_table("pairs"), published, [], asked="paper", terms=terms
    )
    # Music, once of each gender, stays in both places.
    assert table[["topic", "label"]].to_numpy().tolist() == [
        ["P1 female", "Royal plans"],
        ["P1 male", "Chess"],
        ["P2 male", "Music"],
        ["P3 female", "Music"],
        ["P3 male", "Boats"],
    ]


def test_the_same_neutral_texts_in_more_regions_say_no_more():
    neutral = [0.1, 0.9, 0.3, 0.6, 0.4, 0.7]
    pair = {"female": [1.0, 0.8, 0.9], "male": [0.1, 0.2, 0.3]}
    parts = [
        part
        for region in ("Africa", "Asia", "Europe", "Oceania")
        for part in (
            *(rows(region, gender, shares) for gender, shares in pair.items()),
            rows(region, "neutral", neutral, "neutral"),
        )
    ]
    found = score(*parts)
    columns = ["neutral_female", "neutral_low", "neutral_high"]
    one, whole = found.loc["Asia"], found.loc["all"]
    assert whole["n_neutral"] == 4 * one["n_neutral"]
    assert whole[columns].tolist() == pytest.approx(one[columns].tolist())


def test_regions_err_alike_in_the_excess():
    # Three female topics and one male: a half of the neutral share stands in the expected mismatch.
    neutral = rows("A", "neutral", [0.1, 0.9, 0.3, 0.6, 0.4, 0.7], "neutral")
    pairs = [*rows("A", "female", [0.9, 0.8, 0.7]), *rows("A", "male", [0.2])]
    again = [{**row, "region": "B"} for row in [*neutral, *pairs]]
    row = score(neutral, pairs, again).loc["all"]
    one = score(neutral, pairs).loc["A"]
    own = row["mismatch"] - row["mismatch_low"], row["mismatch_high"] - row["mismatch"]
    beside = 0.5 * (one["neutral_female"] - one["neutral_low"])
    assert row["excess"] - row["excess_low"] == pytest.approx(math.hypot(own[0], beside))
    beside = 0.5 * (one["neutral_high"] - one["neutral_female"])
    assert row["excess_high"] - row["excess"] == pytest.approx(math.hypot(own[1], beside))


def test_effect_has_the_side_that_p_tests_where_pooling_has_the_other():
    found = score(
        rows("A", "female", [5 / 7] * 9),
        rows("A", "male", [1.0] * 3),
        rows("B", "female", [0.0] * 3),
        rows("B", "male", [2 / 7] * 9),
    ).loc["all"]
    assert found["effect"] == pytest.approx(-2 / 7)
    assert found["log_odds_ratio"] > 0
    assert found["p_value"] < 0.001


def test_effect_of_a_region_is_the_difference_of_means_and_without_both_genders_none():
    values = np.array([0.5, 0.75, 0.25, 0.0, 1.0])
    female = np.array([True, True, False, False, False])
    regions = np.zeros(5, dtype=np.int64)
    assert within_effect(values, female, regions) == pytest.approx(0.625 - 1.25 / 3)
    # A region of one gender takes no part.
    apart = np.array([0, 0, 0, 1, 1])
    assert within_effect(values, female, apart) == pytest.approx(0.375)
    alone = np.array([0, 0, 1, 1, 1])
    assert math.isnan(within_effect(values, female, alone))
    assert deal_test(values, female, alone, permutations=9, seed=1).p_value == 1


def test_genders_that_stand_in_different_regions_only_are_no_finding():
    found = score(rows("A", "female", [0.9] * 5), rows("B", "male", [0.1] * 5)).loc["all"]
    assert found["status"] == "thin"
    assert math.isnan(found["effect"])
    assert math.isnan(found["q_value"])
    assert found[["p_value", "p_min"]].tolist() == [1, 1]
