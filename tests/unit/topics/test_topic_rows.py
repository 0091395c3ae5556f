"""Rows of the tables of topics, pairs, common topics and the hierarchy."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from biasatlas.topics.collect import OUTLIERS, common_rows, hierarchy_rows, pair_rows, topic_rows

NAN = float("nan")
SHARES = {"dominant_document_share": 0.25, "dominant_name_share": 0.5}


def make_alignment() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "topic": [-1, 0, 1],
            "n_female": [0, 3, 0],
            "n_male": [5, 4, 6],
            "log_odds": [-0.1, 0.5, -2.0],
            "u_mass": [NAN, -1.5, -2.5],
            "p_min_female": [NAN, 0.01, 0.01],
            "p_min_male": [NAN, 0.01, 0.01],
            "gender_tested": ["none", "female", "male"],
        }
    )


def make_descriptions() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "topic": [0, 1],
            "words": [["health", "care"], np.array(["goal", "match"])],
            "keywords": [["care"], np.array([])],
            "phrases": [["health care"], []],
            "examples": [["p"], ["q"]],
            "gender_words": [[], np.array(["man"])],
            "top_document_share": [0.25, 0.26],
            "top_name": ["Merkel", ""],
            "top_name_share": [0.6, 0.0],
        }
    )


def make_labels() -> pd.DataFrame:
    texts = {"label_phrase": "", "label_second": "", "label_note": ""}
    labels = pd.DataFrame({"topic": [0, 1], "label": ["health care", "<b>goal</b>"]})
    return labels.assign(label_by=["llm", "words"], **texts)


def make_stability(masking: float = 0.9) -> pd.DataFrame:
    figures = {"jaccard_order": 0.7, "jaccard_bootstrap": 0.6, "recovered": 0.8, "same_gender": 0.8}
    return pd.DataFrame(
        {"topic": [0, 1], "jaccard_seed": [0.8, 0.2], "stable": [True, False]}
    ).assign(jaccard_masking=masking, **figures)


def make_places() -> pd.DataFrame:
    return pd.DataFrame({"topic": [0, 1], "x": [0.0, 1.0], "y": [0.5, 0.5], "map_method": "mds"})


def rows(view: str = "masked", n: int = 3, **changes: pd.DataFrame) -> pd.DataFrame:
    parts = {
        "alignment": make_alignment().head(n),
        "descriptions": make_descriptions().head(n - 1),
        "labels": make_labels().head(n - 1),
        "stability": make_stability().head(n - 1),
        "places": make_places().head(n - 1),
    } | changes
    return topic_rows(*parts.values(), view=view, **SHARES)


def test_topic_rows_flag_what_is_doubtful() -> None:
    frame = rows()
    assert frame["label"].tolist() == [OUTLIERS, "health care", "<b>goal</b>"]
    assert frame["label_by"].tolist() == ["", "llm", "words"]
    assert frame["words"].tolist() == ["", "health; care", "goal; match"]
    assert frame["keywords"].tolist() == ["", "care", ""]
    assert frame["top_name"].tolist() == ["", "Merkel", ""]
    assert frame["stability"].tolist() == ["unknown", "stable", "unstable"]
    assert frame["flags"].tolist() == [
        "",
        "one name: Merkel in 60% of passages",
        "unstable: seldom found again; one document: 26% of passages; one gender only; "
        "gender terms among its words: man",
    ]
    assert frame["map_x"].tolist()[1:] == [0.0, 1.0]
    assert not {"phrases", "examples", "stable", "gender_tested"} & set(frame)


def test_a_topic_that_changes_with_the_hiding_of_terms_is_flagged_either_way() -> None:
    changed = make_stability(masking=0.49)
    assert "changes with gender terms shown" in rows(stability=changed)["flags"][1]
    visible = rows("visible", stability=changed)
    assert "changes with gender terms hidden" in visible["flags"][1]
    kept = rows(stability=make_stability(masking=0.5))
    assert "changes" not in kept["flags"][1]
    # The second topic changes with the seed as well, so that its change says nothing.
    assert "changes" not in rows(stability=changed)["flags"][2]
    unknown = rows(stability=make_stability(masking=NAN))
    assert "changes" not in unknown["flags"][1]


def test_topics_without_refits_are_neither_stable_nor_unstable() -> None:
    names = ["jaccard_seed", "jaccard_order", "jaccard_bootstrap", "recovered", "same_gender"]
    nothing = make_stability(masking=NAN).assign(**dict.fromkeys(names, NAN), stable=False)
    frame = rows(stability=nothing)
    assert set(frame["stability"]) == {"unknown"}
    assert not frame["flags"].str.contains("unstable").any()


def test_topic_rows_of_a_region_without_topics() -> None:
    frame = rows(n=1)
    texts = ["label", "label_by", "words", "keywords", "top_name", "stability", "flags"]
    assert frame[texts].to_numpy().tolist() == [[OUTLIERS, "", "", "", "", "unknown", ""]]


def test_pair_rows_carry_both_topics_and_an_empty_row_has_none() -> None:
    pairs = pd.DataFrame(
        {
            "selection": ["gap", "gap", "matching"],
            "rank": [1, 0, 0],
            "female_topic": [0, -1, -1],
            "male_topic": [1, -1, -1],
            "note": ["two left out", "no pair", "none"],
        }
    )
    frame = pair_rows(pairs, rows(), selection="gap", threshold=0.01)
    first, none, other = frame.to_dict("records")
    assert (first["female_label"], first["male_label"]) == ("health care", "<b>goal</b>")
    assert (first["female_words"], first["male_u_mass"]) == ("health; care", -2.5)
    assert (first["female_log_odds"], first["male_log_odds"]) == (0.5, -2.0)
    # A pair is as doubtful as its topics, and the note of its selection stays.
    assert first["note"].startswith(
        "female topic: one name: Merkel in 60% of passages; male topic:"
    )
    assert first["note"].endswith("gender terms among its words: man; two left out")
    turned = pairs.head(1).assign(female_topic=1, male_topic=0)
    (backwards,) = pair_rows(turned, rows(), selection="gap", threshold=0.01).to_dict("records")
    assert "female topic leans male by its log odds" in backwards["note"]
    assert "male topic leans female by its log odds" in backwards["note"]
    assert "leans" not in first["note"]
    assert (none["female_label"], none["male_words"], none["note"]) == ("", "", "no pair")
    assert math.isnan(none["male_log_odds"])
    assert [row["primary"] for row in (first, none, other)] == [True, True, False]
    assert set(frame["gap_threshold"]) == {0.01}


def test_common_rows_list_the_ngrams_of_each_member() -> None:
    groups = pd.DataFrame({"group": [1, 1], "region": ["a", "b"], "topic": [3, 0]})
    topics = pd.DataFrame(
        {
            "region": ["a", "b", "b"],
            "topic": [3, 0, 1],
            "label": ["war", "wars", "x"],
            "gender": ["male", "none", "none"],
            "gender_paper": ["male", "female", "none"],
        }
    )
    ngrams = pd.DataFrame(
        {
            "region": ["a", "a", "a", "b"],
            "topic": [3, 3, 3, 0],
            "n": [1, 1, 2, 1],
            "rank": [2, 1, 1, 1],
            "ngram": ["troops", "war", "civil war", "peace"],
        }
    )
    found = common_rows(groups, topics, ngrams)
    assert found["label"].tolist() == ["war", "wars"]
    assert found["unigrams"].tolist() == ["war; troops", "peace"]
    assert found["bigrams"].tolist() == ["civil war", ""]


def test_hierarchy_rows_are_text_also_where_there_is_no_topic() -> None:
    tree = pd.DataFrame(
        {"node": [4], "left": [0], "right": [3], "topics": [[0, 3]], "words": [["a", "b"]]}
    )
    row = hierarchy_rows(tree).iloc[0]
    assert (row["topics"], row["words"], row["n_topics"]) == ("0; 3", "a; b", 2)
    assert hierarchy_rows(tree.head(0)).empty
