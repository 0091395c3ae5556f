"""Scores of the probe by hand, and a planted effect."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from biasatlas.personas.probe_scores import score_probe
from biasatlas.tables.storage import empty_table, write_table

SETTINGS = {"thin_topics": 2, "bootstrap": 400, "permutations": 999, "seed": 1}
KEY = ["region", "source", "model", "template"]


def make_probe(rows, templates=("t",)):
    columns = ["region", "source", "topic", "topic_gender", "log_odds", *templates]
    frame = pd.DataFrame(rows, columns=columns)
    frame = frame.melt(columns[:5], var_name="template", value_name="difference")
    frame = frame.assign(language="en", label="x", gendered_label=False, model="a")
    frame["log_p_male"] = -20.0
    return frame.assign(log_p_female=frame["difference"] - 20)


TOPICS = [
    ("Asia", "own", "1", "female", 0.9, 1.0, 3.0),
    ("Asia", "own", "2", "female", 0.5, -1.0, 1.0),
    ("Asia", "own", "3", "male", -0.5, -2.0, -1.0),
    ("Asia", "own", "4", "male", -0.8, 0.5, 0.5),
    ("Asia", "own", "5", "none", 0.1, -0.5, 0.0),
    ("Asia", "own", "6", "male", -0.9, 1.0, math.nan),
    ("Asia", "neutral", "neutral 1", "neutral", math.nan, 0.0, 1.0),
    ("Asia", "neutral", "neutral 2", "neutral", math.nan, -1.0, 0.0),
    ("Europe", "own", "1", "female", 0.6, 11.0, 11.0),
    ("Europe", "own", "2", "male", -0.6, 10.0, 10.0),
    ("Europe", "neutral", "neutral 1", "neutral", math.nan, 10.5, 10.5),
    ("Oceania", "own", "1", "none", 0.2, 1.0, 1.0),
    ("Oceania", "own", "2", "none", 0.1, 0.5, 0.5),
    ("Oceania", "own", "3", "none", -0.1, 0.0, 0.0),
    ("Oceania", "own", "4", "none", -0.2, -1.0, -1.0),
]


def score(rows, templates=("t", "u"), **changes):
    return score_probe(make_probe(rows, templates), **(SETTINGS | changes)).set_index(KEY)


def test_scores_by_hand(tmp_path):
    row = score(TOPICS).loc[("Asia", "own", "a", "u")]
    counts = ["n_female", "n_male", "n_dropped", "n_neutral"]
    assert row[counts].tolist() == [2, 2, 1, 2]
    # Female 3 and 1, male -1 and .5, neutral 1 and 0.
    means = ["mean_female", "mean_male", "mean_neutral", "effect"]
    assert row[means].tolist() == pytest.approx([2.0, -0.25, 0.5, 2.25])
    assert row["auc"] == 1
    # Against .5 none leans to the other gender; .5 itself does not lean.
    assert row["mismatch"] == 0
    assert row[["p_value", "p_min"]].tolist() == pytest.approx([1 / 3, 1 / 3])
    # The topic without a gender takes part: 3 1 -1 .5 0 with .9 .5 -.5 -.8 .1.
    assert row["correlation"] == pytest.approx(1 - 6 * (0 + 0 + 1 + 4 + 1) / (5 * 24))
    assert np.isnan(row["effect_low"])
    frame = score_probe(make_probe(TOPICS, ("t", "u")), **SETTINGS)
    write_table("persona_probe_scores", frame, tmp_path / "p.csv")


def test_mismatch_and_auc_of_another_template():
    row = score(TOPICS).loc[("Asia", "own", "a", "t")]
    assert row[["n_female", "n_male", "n_dropped"]].tolist() == [2, 3, 0]
    # Female 1 -1, male -2 .5 1 (one tie): 1 > -2, .5; 1 = 1; -1 > -2.
    assert row["auc"] == pytest.approx(3.5 / 6)
    # Neutral mean -.5: female -1 and male .5 and 1 lean the other way.
    assert row["mismatch"] == pytest.approx(3 / 5)


def test_all_templates_need_every_difference():
    row = score(TOPICS).loc[("Asia", "own", "a", "all")]
    assert row[["n_female", "n_male", "n_dropped"]].tolist() == [2, 2, 1]
    # Means 2, 0 and -1.5, .5; neutral .5 and -.5.
    assert row[["effect", "mean_neutral"]].tolist() == pytest.approx([1.5, 0.0], abs=1e-12)
    # A template of which the model says nothing is no reason to drop every topic.
    silent = [(*row[:6], math.nan) for row in TOPICS]
    assert score(silent).loc[("Asia", "own", "a", "all"), "n_male"] == 3
    assert score(silent).loc[("Asia", "own", "a", "u"), "status"] == "refused"


def test_all_regions_by_hand():
    row = score(TOPICS).loc[("all", "own", "a", "u")]
    # Effects 2.25 and 1, weighted by 2 x 2 / 4 and 1 x 1 / 2.
    assert row["effect"] == pytest.approx((2.25 + 0.5) / 1.5)
    # Pairs of one region only: 4 in Asia and 1 in Europe, all right.
    assert row["auc"] == 1
    assert row["mean_female"] == pytest.approx(5)
    # 12 deals, of which the observed one and its mirror.
    assert row["p_value"] == pytest.approx(1 / 6)


def test_a_region_without_genders_keeps_its_correlation():
    row = score(TOPICS).loc[("Oceania", "own", "a", "t")]
    assert row["status"] == "refused"
    assert row["correlation"] == pytest.approx(1)
    assert row[["effect", "auc", "mismatch", "p_value"]].isna().all()
    assert score_probe(empty_table("persona_probe"), **SETTINGS).empty


def test_q_of_the_correlation_is_over_regions_whatever_their_status():
    rows = score([row for row in TOPICS if row[0] != "Europe"], ("t", "u"))
    one, other = (rows.loc[(region, "own", "a", "t")] for region in ("Asia", "Oceania"))
    assert one["status"] != other["status"]
    small, large = sorted((one["correlation_p"], other["correlation_p"]))
    # Benjamini-Hochberg with two tests.
    assert min(one["correlation_q"], other["correlation_q"]) == min(2 * small, large)
    assert max(one["correlation_q"], other["correlation_q"]) == large
    both = rows.loc[("all", "own", "a", "t")]
    assert both["correlation_q"] == both["correlation_p"]


def test_a_planted_effect_is_found_whatever_the_level_of_a_region():
    rng = np.random.default_rng(6)
    rows = []
    for region, level, n in (("Asia", -9, 8), ("Europe", 50, 5), ("Oceania", 0, 1)):
        for i, gender in enumerate(["female"] * n + ["male"] * (n + 2)):
            value = level + (gender == "female") + 0.4 * rng.normal()
            rows.append((region, "own", str(i), gender, math.nan, value))
    row = score(rows, ("t",)).loc[("all", "own", "a", "t")]
    assert 0 < row["effect_low"] < 1 < row["effect_high"] < 2
    assert row["p_value"] < 0.01
    assert np.isnan(row["mismatch"])  # there are no neutral topics
    mixed = make_probe(rows).sample(frac=1, random_state=1)
    pd.testing.assert_frame_equal(
        score_probe(mixed, **SETTINGS), score_probe(make_probe(rows), **SETTINGS)
    )
