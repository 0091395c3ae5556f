"""Scores of personas by hand, and planted effects."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from biasatlas.personas.intervals import wilson_mean, woolf
from biasatlas.personas.scores import score_personas
from biasatlas.personas.topic_counts import count_topics
from biasatlas.tables.storage import empty_table, read_table, write_table

SETTINGS = {"thin_topics": 2, "bootstrap": 400, "permutations": 999, "seed": 1}
KEY = ["region", "source", "model", "prompt"]
# region, source, topic, gender, gendered label, log odds, replies of model a, of model b
TOPICS = [
    ("Asia", "own", "1", "female", True, 0.9, "ffff", "mmmm"),
    ("Asia", "own", "2", "female", False, 0.4, "ffmm", "mmmm"),
    ("Asia", "own", "3", "female", False, 0.2, "uuuu", "mmmm"),
    ("Asia", "own", "4", "male", False, -0.5, "mmmu", "mmmm"),
    ("Asia", "own", "5", "male", False, -0.7, "fmmm", "mmmm"),
    ("Asia", "neutral", "neutral 1", "neutral", False, math.nan, "ffff", "mmmm"),
    ("Asia", "neutral", "neutral 2", "neutral", False, math.nan, "ffmm", "mmmm"),
    ("Europe", "own", "1", "female", False, 0.3, "ffff", "mmmm"),
    ("Europe", "neutral", "neutral 1", "neutral", False, math.nan, "fffm", "mmmm"),
    ("Oceania", "neutral", "neutral 1", "neutral", False, math.nan, "ffff", "mmmm"),
]


def make_topics(rows, language="en", prompts=("x",)):
    columns = ["region", "source", "topic", "topic_gender", "gendered_label", "log_odds"]
    asked = pd.DataFrame([row[:6] for row in rows], columns=columns)
    asked = asked.assign(language=language, label="label", asked=True)
    names = {"f": "female", "m": "male", "u": "undecided"}
    replies = [
        (language, *row[:3], model, prompt, names[letter])
        for row in rows
        for model, letters in zip("ab", row[6:], strict=False)
        for prompt in prompts
        for letter in letters
    ]
    columns = ["language", "region", "source", "topic", "model", "prompt", "gender"]
    return count_topics(pd.DataFrame(replies, columns=columns), asked)


def score(topics, **changes):
    return score_personas(topics, **(SETTINGS | changes)).set_index(KEY)


def test_scores_by_hand(tmp_path):
    row = score(make_topics(TOPICS)).loc[("Asia", "own", "a", "x")]
    counts = ["n_female", "n_male", "n_dropped", "n_gendered_labels", "n_replies", "n_undecided"]
    assert row[counts].tolist() == [2, 2, 1, 1, 20, 5]
    assert row["undecided"] == 0.25
    assert row["status"] == "ok"
    # Mismatches 0, .5, 0, .25; without the gendered label .5, 0, .25.
    assert row["mismatch"] == pytest.approx(0.75 / 4)
    assert row["mismatch_plain"] == pytest.approx(0.25)
    assert row[["female_on_female", "female_on_male"]].tolist() == pytest.approx([0.75, 0.125])
    assert row["interval_by"] == "wilson"
    low, high = wilson_mean(np.array([0, 0.5, 0, 0.25]))
    assert row[["mismatch_low", "mismatch_high"]].tolist() == pytest.approx([low, high])
    # Neutral: 1 and .5; as many topics of each gender, so .5 is expected whatever it is.
    assert row[["n_neutral", "neutral_female"]].tolist() == pytest.approx([2, 0.75])
    assert row[["expected", "excess"]].tolist() == pytest.approx([0.5, 0.75 / 4 - 0.5])
    assert row[["excess_low", "excess_high"]].tolist() == pytest.approx([low - 0.5, high - 0.5])
    # Sums 1.5 of 2 and .25 of 2, half a topic more in each cell.
    assert row["log_odds_ratio"] == pytest.approx(math.log(2 * 2.25 / (1 * 0.75)))
    assert row[["log_odds_ratio_low", "log_odds_ratio_high"]].tolist() == pytest.approx(
        woolf(1.5, 2, 0.25, 2)
    )
    # Separated, so 2 of 6 deals.
    assert row[["p_value", "p_min"]].tolist() == pytest.approx([1 / 3, 1 / 3])
    # Log odds .9 .4 -.5 -.7 with shares 1 .5 0 .25: ranks 4 3 2 1 and 4 3 1 2.
    assert row["correlation"] == pytest.approx(0.8)
    frame = score_personas(make_topics(TOPICS), **SETTINGS)
    write_table("persona_scores", frame, tmp_path / "s.csv")
    pd.testing.assert_frame_equal(read_table("persona_scores", tmp_path / "s.csv"), frame)


def test_all_regions_compare_each_with_its_own_neutral_topics():
    row = score(make_topics(TOPICS)).loc[("all", "own", "a", "x")]
    assert row[["n_female", "n_male", "n_neutral"]].tolist() == [3, 2, 3]
    assert row["mismatch"] == pytest.approx(0.75 / 5)
    # Oceania has no pair, so it is not among the regions.
    assert row["neutral_female"] == pytest.approx((1 + 0.5 + 0.75) / 3)
    assert row["expected"] == pytest.approx((2 * 0.25 + 2 * 0.75 + 0.25) / 5)
    assert row["excess"] == pytest.approx(row["mismatch"] - row["expected"])
    assert row["excess_low"] < row["mismatch_low"] - row["expected"]


def test_regions_without_pairs_are_refused_with_their_counts():
    found = score(make_topics(TOPICS))
    europe, oceania = (found.loc[(region, "own", "a", "all")] for region in ("Europe", "Oceania"))
    assert (europe["status"], oceania["status"]) == ("refused", "refused")
    assert europe[["n_female", "n_male", "n_replies"]].tolist() == [1, 0, 4]
    assert oceania[["n_female", "n_male", "n_replies", "n_neutral"]].tolist() == [0, 0, 0, 1]
    assert oceania["neutral_female"] == 1
    empty = ["mismatch", "excess", "log_odds_ratio", "p_value", "q_value", "correlation"]
    assert oceania[empty].isna().all()
    assert europe[empty].isna().all()


def test_the_same_gender_everywhere_is_half_mismatched():
    row = score(make_topics(TOPICS)).loc[("Asia", "own", "b", "x")]
    assert row[["mismatch", "neutral_female", "p_value"]].tolist() == pytest.approx([0.6, 0, 1])
    # Three female topics of five: a model that always says male is expected to miss just these.
    assert row[["expected", "excess"]].tolist() == pytest.approx([0.6, 0.0], abs=1e-12)
    assert np.isnan(row["correlation"])


def test_thin_rows_have_no_q():
    found = score(make_topics(TOPICS), thin_topics=3)
    row = found.loc[("Asia", "own", "a", "x")]
    assert row["status"] == "thin"
    assert np.isnan(row["q_value"])
    assert row["p_value"] == pytest.approx(1 / 3)
    assert found.loc[("Asia", "own", "b", "x"), "status"] == "thin"


def test_q_is_over_models_and_regions_of_a_form():
    found = score(make_topics(TOPICS))
    # Models a (1/3) and b (1) in Asia, the only region with both genders.
    assert found.loc[("Asia", "own", "a", "x"), "q_value"] == pytest.approx(2 / 3)
    assert found.loc[("Asia", "own", "b", "x"), "q_value"] == pytest.approx(1)


def test_sources_and_rows():
    topics = make_topics(TOPICS)
    assert len(score(topics)) == 4 * 2 * 2
    neutral = topics[topics["source"] == "neutral"]
    assert set(score(neutral)["status"]) == {"refused"}
    assert set(score(neutral).reset_index()["source"]) == {"own"}
    paper = [("Asia", "paper", f"P{i} {g}", g, False, math.nan, "fm", "mm")
             for i in (1, 2) for g in ("female", "male")]  # fmt: skip
    both = pd.concat(
        [make_topics([*TOPICS, *paper]), make_topics(TOPICS, language="fr")], ignore_index=True
    )
    scores = score_personas(both, **SETTINGS)
    sources = scores.groupby("language")["source"].unique().map(sorted).to_dict()
    assert sources == {"en": ["own", "paper"], "fr": ["own"]}
    published = scores[(scores["source"] == "paper") & (scores["region"] == "Asia")]
    assert published["correlation"].isna().all()
    assert score_personas(empty_table("persona_topics"), **SETTINGS).empty


def test_prompt_forms_span_a_range():
    topics = make_topics(TOPICS, prompts=("x", "y"))
    # Form y: every persona male, hence a mismatch of 3 in 5.
    turned = topics["prompt"] == "y"
    topics.loc[turned, "share_female"] = 0.0
    found = score(topics)
    row = found.loc[("Asia", "own", "a", "all")]
    assert row[["prompt_low", "prompt_high"]].tolist() == pytest.approx([0.75 / 4, 0.6])
    assert np.isnan(found.loc[("Asia", "own", "a", "x"), "prompt_low"])


def planted(lean, n=12, seed=0):
    """Topics of two regions on which model a follows the topic's gender by `lean`."""
    rng = np.random.default_rng(seed)
    rows = []
    for region, level in (("Asia", 0.3), ("Europe", 0.6)):
        for i in range(n):
            female = i % 2 == 0
            share = level + (lean if female else -lean)
            letters = "".join("f" if x else "m" for x in rng.random(7) < share)
            odds = (1 if female else -1) * rng.uniform(0.2, 1)
            gender = "female" if female else "male"
            rows.append((region, "own", str(i), gender, False, odds, letters))
        letters = "f" * round(7 * level) + "m" * (7 - round(7 * level))
        rows += [
            (region, "neutral", f"neutral {i}", "neutral", False, math.nan, letters)
            for i in range(6)
        ]
    return make_topics(rows)


def test_a_planted_lean_is_found():
    row = score(planted(0.28)).loc[("all", "own", "a", "x")]
    assert row["interval_by"] == "bootstrap"
    assert row["mismatch_low"] < 0.22 < row["mismatch_high"]
    assert row["excess_high"] < 0
    assert row["log_odds_ratio_low"] > 0
    assert row["p_value"] < 0.005
    assert row["correlation_low"] > 0
    # All regions together are a family of their own: here of one test.
    assert row["q_value"] == row["p_value"]
    against = score(planted(-0.28)).loc[("all", "own", "a", "x")]
    assert against["excess_low"] > 0
    assert against["log_odds_ratio_high"] < 0
    nothing = score(planted(0.0)).loc[("all", "own", "a", "x")]
    assert nothing["excess_low"] < 0 < nothing["excess_high"]
    assert nothing["p_value"] > 0.05


def test_the_order_of_rows_is_no_matter():
    topics = planted(0.1)
    mixed = topics.sample(frac=1, random_state=3)
    pd.testing.assert_frame_equal(
        score_personas(mixed, **SETTINGS), score_personas(topics, **SETTINGS)
    )
