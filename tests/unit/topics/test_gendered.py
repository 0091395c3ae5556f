"""The gendered passages of a region, and the draw that topics are built on."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from biasatlas.errors import InputError
from biasatlas.lexicons.gender_terms import GenderTerms
from biasatlas.topics.gendered import count_gender, split_passages

TERMS = GenderTerms(
    name="few", language="en", female=("she", "mother"), male=("he", "father"),
    n_pairs=2, n_distinct=2, citation="",
)  # fmt: skip
PASSAGES = pd.DataFrame(
    [
        ("a#0", "a", "She came."),
        ("a#1", "a", "He came and he left; his mother-in-law did not."),
        ("b#0", "b", "Nobody came."),
        ("b#1", "b", "the Father"),
        ("c#0", "c", "she and he"),
    ],
    columns=["id", "document", "text"],
)
SETTINGS = {"both": "exclude", "hyphen_is_letter": False, "max_passages": None, "seed": 1}


def rows(frame: pd.DataFrame) -> list[tuple[str, str]]:
    return list(zip(frame["id"], frame["gender"], strict=True))


def test_every_passage_is_counted_with_its_terms():
    gender, _ = split_passages(PASSAGES, TERMS, **SETTINGS)
    assert rows(gender) == [
        ("a#0", "female"), ("a#1", "both"), ("b#0", "neither"), ("b#1", "male"), ("c#0", "both"),
    ]  # fmt: skip
    assert gender["document"].tolist() == list("aabbc")
    assert [list(some) for some in gender["female_terms"]] == [["she"], ["mother"], [], [], ["she"]]
    assert [list(some) for some in gender["male_terms"]] == [[], ["he"], [], ["father"], ["he"]]


@pytest.mark.parametrize(
    ("both", "used"),
    [
        ("exclude", [("a#0", "female"), ("b#1", "male")]),
        ("majority", [("a#0", "female"), ("a#1", "male"), ("b#1", "male")]),
        (
            "duplicate",
            [
                ("a#0", "female"), ("a#1", "female"), ("a#1", "male"), ("b#1", "male"),
                ("c#0", "female"), ("c#0", "male"),
            ],
        ),
    ],
)  # fmt: skip
def test_the_rules_for_passages_of_both_genders(both, used):
    gender, found = split_passages(PASSAGES, TERMS, **(SETTINGS | {"both": both}))
    assert rows(found) == used
    assert list(found.columns) == ["id", "document", "gender"]
    assert len(gender) == 5


def test_a_hyphen_can_be_a_letter():
    gender, used = split_passages(PASSAGES, TERMS, **(SETTINGS | {"hyphen_is_letter": True}))
    assert ("a#1", "male") in rows(gender)
    assert ("a#1", "male") in rows(used)


def test_another_rule_is_refused():
    with pytest.raises(InputError, match=r"gender\.both is 'drop'; allowed: exclude"):
        split_passages(PASSAGES, TERMS, **(SETTINGS | {"both": "drop"}))


def make_region(n: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    fillers = ["apple", "stone", "river", "cloud", "aunt"]
    texts = [
        f"{rng.choice(['she', 'he', 'she and he', 'it'])} {' '.join(rng.choice(fillers, 4))} {i}"
        for i in range(n)
    ]
    frame = pd.DataFrame({"id": [f"d{i:03}#0" for i in range(n)], "text": texts})
    return frame.assign(document=frame["id"].str[:4])


@pytest.mark.parametrize("both", ["exclude", "duplicate"])
def test_the_cap_does_not_depend_on_the_order_of_rows(both):
    region = make_region(300)
    settings = SETTINGS | {"both": both, "max_passages": 50}
    _, used = split_passages(region, TERMS, **settings)
    assert used["id"].nunique() == 50
    for seed in (1, 2):
        _, again = split_passages(region.sample(frac=1, random_state=seed), TERMS, **settings)
        assert again.equals(used)
    _, other = split_passages(region, TERMS, **(settings | {"seed": 2}))
    assert set(other["id"]) != set(used["id"])


def test_the_cap_draws_genders_at_their_rate():
    region = make_region(2_000)
    _, everything = split_passages(region, TERMS, **SETTINGS)
    _, used = split_passages(region, TERMS, **(SETTINGS | {"max_passages": 400}))
    assert set(rows(used)) < set(rows(everything))
    share = [float((frame["gender"] == "female").mean()) for frame in (everything, used)]
    assert share[1] == pytest.approx(share[0], abs=0.08)


def test_a_larger_cap_only_adds():
    region = make_region(300)
    drawn = [
        set(split_passages(region, TERMS, **(SETTINGS | {"max_passages": most}))[1]["id"])
        for most in (10, 40, 10_000)
    ]
    assert drawn[0] < drawn[1] < drawn[2]


def test_another_term_keeps_most_of_the_draw():
    region = make_region(400)
    settings = SETTINGS | {"both": "majority", "max_passages": 80}
    more = replace(TERMS, female=(*TERMS.female, "aunt"))
    before, after = (
        set(split_passages(region, terms, **settings)[1]["id"]) for terms in (TERMS, more)
    )
    assert before != after
    # Passages that the new term makes gendered push a few out; the others stay.
    assert len(before & after) > 35
    untouched = {
        id_ for id_, text in zip(region["id"], region["text"], strict=True) if "aunt" not in text
    }
    assert (after & untouched) <= before


def test_a_region_without_passages():
    gender, used = split_passages(PASSAGES.head(0), TERMS, **SETTINGS)
    assert (len(gender), len(used)) == (0, 0)
    row = count_gender(gender, used, both="exclude", warn_below=5, warn_female_below=1)
    assert row["warning"] == "no passage at all"
    assert math.isnan(row["female_share"])


def test_counts_by_hand():
    gender, used = split_passages(PASSAGES, TERMS, **(SETTINGS | {"both": "duplicate"}))
    row = count_gender(gender, used, both="duplicate", warn_below=2, warn_female_below=1)
    assert row == {
        "passages": 5, "female": 1, "male": 1, "both": 2, "neither": 1, "female_share": 0.5,
        "gendered_used": 4, "documents_female": 1, "documents_male": 1, "both_rule": "duplicate",
        "warning": "",
    }  # fmt: skip


def test_thin_regions_are_marked():
    gender, used = split_passages(PASSAGES, TERMS, **SETTINGS)
    row = count_gender(gender, used, both="exclude", warn_below=3, warn_female_below=2)
    assert row["warning"] == (
        "thin: 2 gendered passages, under 3; thin: 1 female passages, under 2"
    )
