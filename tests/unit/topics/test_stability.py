"""Topics set beside refits: by hand, against slow references, and planted."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from biasatlas.errors import InputError
from biasatlas.topics.alignment import align_topics
from biasatlas.topics.stability import (
    UsedPassages,
    adjusted_rand,
    assess_region,
    assess_topics,
    compare_refits,
    was_assessed,
)

NOTHING = pd.DataFrame({"kind": [], "replicate": [], "id": [], "topic": []})


def main_fit(topics: list[int]) -> pd.DataFrame:
    return pd.DataFrame({"id": [f"p{i}" for i in range(len(topics))], "topic": topics})


def refit(kind: str, replicate: int, topics: dict[int, int]) -> pd.DataFrame:
    """A refit from passage number to topic."""
    ids = [f"p{i}" for i in topics]
    return pd.DataFrame(
        {"kind": kind, "replicate": replicate, "id": ids, "topic": list(topics.values())}
    )


def all_of(topics: list[int]) -> dict[int, int]:
    return dict(enumerate(topics))


def use(genders: str) -> pd.DataFrame:
    """Used passages, one document each, from letters f and m."""
    names = {"f": "female", "m": "male"}
    rows = [(f"p{i}", f"d{i}", names[letter]) for i, letter in enumerate(genders)]
    return pd.DataFrame(rows, columns=["id", "document", "gender"])


# Topics 3 (p0-p3) and 7 (p4-p7), p8 and p9 in none; topic 3 is of women.
MAIN = main_fit([3, 3, 3, 3, 7, 7, 7, 7, -1, -1])
USED = use("fffmmmmfmf")


def test_jaccard_by_hand():
    refits = pd.concat(
        [
            # 3 is 4 of 4 passages with 5: 4/5. 7 is cut in halves: 2/4.
            refit("seed", 0, all_of([5, 5, 5, 5, 1, 1, 2, 2, 5, -1])),
            # All topics gone.
            refit("seed", 1, all_of([-1] * 10)),
            refit("order", 0, all_of([0, 0, 0, 0, 9, 9, 9, -1, -1, -1])),
            # Of the passages that took part, 3 is whole again; 7 shares 1 of 2 passages.
            refit("bootstrap", 0, {9: -1, 1: 4, 0: 4, 4: 6, 5: -1}),
        ]
    )
    found = assess_topics(MAIN, refits, USED).set_index("topic")
    assert found.index.tolist() == [3, 7]
    assert found["jaccard_seed"].tolist() == pytest.approx([0.4, 0.25])
    assert found["jaccard_order"].tolist() == pytest.approx([1.0, 0.75])
    assert found["jaccard_bootstrap"].tolist() == pytest.approx([1.0, 0.5])
    assert found["recovered"].tolist() == [1.0, 1.0]
    assert found["jaccard_masking"].isna().all()
    assert found["stable"].tolist() == [False, False]
    lower = assess_topics(MAIN, refits, USED, stable_min=0.4)
    assert lower["stable"].tolist() == [True, False]


def test_a_topic_without_a_passage_in_a_refit_is_not_recovered():
    refits = pd.concat(
        [
            refit("bootstrap", 0, {0: 4, 1: 4, 8: -1}),
            refit("bootstrap", 2, {0: 4, 1: 4, 4: 5, 5: 5}),
        ]
    )
    found = assess_topics(MAIN, refits, USED).set_index("topic")
    assert found.loc[7, ["jaccard_bootstrap", "recovered"]].tolist() == [0.5, 0.5]
    assert found.loc[3, ["jaccard_bootstrap", "recovered"]].tolist() == [1.0, 1.0]


def test_the_same_gender_is_the_sign_of_the_log_odds_there():
    whole = {0: 4, 1: 4, 3: 4, 4: 5, 5: 5, 8: -1}
    # Of topic 3 only a man is drawn, and of the rest a woman: its sign turns.
    turned = {3: 4, 7: 5, 8: -1}
    refits = pd.concat([refit("bootstrap", 0, whole), refit("bootstrap", 2, turned)])
    found = assess_topics(MAIN, refits, USED).set_index("topic")
    assert found["recovered"].tolist() == [1.0, 1.0]
    assert found["same_gender"].tolist() == [0.5, 0.5]
    # As many women as men in topic and rest, here and there: no direction to keep.
    same = refit("bootstrap", 0, all_of(MAIN["topic"].tolist()))
    even = assess_topics(MAIN, same, use("ffmmffmmfm"))
    assert even["recovered"].tolist() == [1.0, 1.0]
    assert even["same_gender"].tolist() == [0.0, 0.0]


def test_draws_of_odd_number_say_nothing_of_a_topic():
    whole, nothing = all_of([5, 5, 5, 5, 1, 1, 1, 1, -1, -1]), all_of([-1] * 10)
    draws = [whole, nothing, whole, nothing, nothing]
    refits = pd.concat([refit("bootstrap", k, one) for k, one in enumerate(draws)])
    found = assess_topics(MAIN, refits, USED)
    for name in ("recovered", "jaccard_bootstrap", "same_gender"):
        assert found[name].tolist() == pytest.approx([2 / 3, 2 / 3])
    assert found["stable"].all()
    turned = assess_topics(MAIN, refits.assign(replicate=refits["replicate"] + 1), USED)
    assert turned["recovered"].tolist() == [0.0, 0.0]
    assert not turned["stable"].any()
    # The other kinds are read whole, and so is every draw for the region.
    seeds = assess_topics(MAIN, refits.assign(kind="seed"), USED)
    assert seeds["jaccard_seed"].tolist() == pytest.approx([0.4, 0.4])
    assert assess_region(MAIN, refits)["n_replicates"].tolist() == [5]
    assert assess_region(MAIN, refits)["n_lost"].tolist() == [2]
    odd = assess_topics(MAIN, refits[refits["replicate"] == 1], USED)
    assert odd["recovered"].isna().all()
    assert not odd["stable"].any()


def test_a_passage_that_was_moved_into_a_topic_counts_as_none():
    refits = pd.concat(
        [refit(kind, 0, all_of([5, 5, 5, 5, 1, 1, 1, 1, -1, -1])) for kind in ("seed", "bootstrap")]
    )
    # p8 and p9 of MAIN, women and men, are moved to topic 3.
    moved = MAIN.assign(topic=[3] * 4 + [7] * 4 + [3] * 2, moved=[False] * 8 + [True] * 2)
    expected = assess_topics(MAIN, refits, USED)
    assert (expected["jaccard_seed"] == 1).all()
    pd.testing.assert_frame_equal(assess_topics(moved, refits, USED), expected)
    pd.testing.assert_frame_equal(assess_region(moved, refits), assess_region(MAIN, refits))
    without = assess_topics(moved.drop(columns="moved"), refits, USED)
    assert without["jaccard_seed"].tolist() == pytest.approx([4 / 6, 1.0])


def test_the_best_match_by_hand():
    # 7 shares its passages with 2 and, less, with 4; 3 was not drawn.
    (one,) = compare_refits(MAIN, refit("seed", 0, {4: 4, 5: 2, 6: 2, 8: 4}))
    value, column = one.best()
    assert value.tolist() == pytest.approx([0.0, 2 / 3])
    assert column.tolist() == [-1, 0]


def test_a_match_that_is_too_poor_keeps_no_gender():
    # 7's best match has 1 of 4 passages.
    refits = refit("bootstrap", 0, all_of([1, 1, 1, 1, 2, -1, -1, -1, -1, -1]))
    found = assess_topics(MAIN, refits, USED).set_index("topic")
    assert found["recovered"].tolist() == [1.0, 0.0]
    assert found["same_gender"].tolist() == [1.0, 0.0]


def test_a_passage_of_both_genders_counts_twice():
    twice = pd.concat([USED, USED.iloc[[3]].assign(gender="female")])
    refits = refit("bootstrap", 0, all_of([1, 1, 1, 1, 2, 2, 2, 2, -1, -1]))
    pd.testing.assert_frame_equal(
        assess_topics(MAIN, refits, twice), assess_topics(MAIN, refits, USED)
    )
    passages = UsedPassages.read(twice.sample(frac=1, random_state=1), MAIN)
    assert passages.row.tolist() == [0, 1, 2, 3, 3, 4, 5, 6, 7, 8, 9]
    assert passages.female[3:5].tolist() == [True, False]
    (one,) = compare_refits(MAIN, refit("bootstrap", 0, {3: 1, 4: -1}))
    column, female, document = passages.taken(one, len(MAIN))
    assert column.tolist() == [0, 0, 1]
    assert female.tolist() == [True, False, False]
    assert document[0] == document[1] != document[2]


@pytest.mark.parametrize(
    ("kinds", "stable"),
    [
        ({"seed": 1.0}, True),
        ({"seed": 0.5, "order": 1.0}, True),
        ({"seed": 0.25, "order": 1.0, "bootstrap": 1.0}, False),
        ({"order": 0.25}, False),
        ({"seed": 1.0, "bootstrap": 0.25}, False),
        # Masking marks a topic, it does not decide.
        ({"seed": 1.0, "masking": 0.25}, True),
        ({"masking": 1.0}, False),
        ({}, False),
    ],
)
def test_what_was_not_run_does_not_decide(kinds, stable):
    """Topic of four passages; in each kind a refit finds the share of it that is given."""
    frames = [
        refit(kind, 0, {i: 0 if i < 4 * share else -1 for i in range(10)})
        for kind, share in kinds.items()
    ]
    found = assess_topics(main_fit([3] * 4 + [-1] * 6), pd.concat([NOTHING, *frames]), USED)
    assert found["stable"].tolist() == [stable]
    assert was_assessed(found).tolist() == [bool(set(kinds) - {"masking"})]


def slow_best(main: dict[str, int], other: dict[str, int]) -> dict[int, float]:
    """Best Jaccard index of each main topic, with sets."""
    best = {}
    for topic in sorted(set(main.values()) - {-1}):
        mine = {i for i in other if main[i] == topic}
        groups = [{i for i in other if other[i] == t} for t in set(other.values()) - {-1}]
        best[topic] = max([len(mine & g) / len(mine | g) for g in groups], default=0.0)
    return best


@st.composite
def fits(draw):
    n = draw(st.integers(1, 25))
    main = draw(st.lists(st.sampled_from([-1, 0, 2, 5]), min_size=n, max_size=n))
    others = []
    for _ in range(draw(st.integers(1, 3))):
        taken = sorted(draw(st.sets(st.integers(0, n - 1), min_size=1)))
        topics = draw(
            st.lists(st.sampled_from([-1, 1, 2, 4]), min_size=len(taken), max_size=len(taken))
        )
        others.append(dict(zip(taken, topics, strict=True)))
    genders = draw(st.text("fm", min_size=n, max_size=n))
    return main, others, genders


@settings(max_examples=60, deadline=None)
@given(fits())
def test_topics_and_regions_equal_slow_references(drawn):
    topics, others, genders = drawn
    main, used = main_fit(topics), use(genders)
    refits = pd.concat([refit("bootstrap", k, other) for k, other in enumerate(others)])
    known = dict(zip(main["id"], main["topic"], strict=True))
    taken = [{f"p{i}": topic for i, topic in other.items()} for other in others]
    slow = pd.DataFrame([slow_best(known, other) for other in taken])
    shuffled = refits.sample(frac=1, random_state=len(refits))
    found = assess_topics(main, shuffled, used)
    even = slow.iloc[::2]
    assert found["topic"].tolist() == sorted(slow.columns)
    assert found["jaccard_bootstrap"].tolist() == pytest.approx(even.mean().tolist())
    assert found["recovered"].tolist() == pytest.approx((even >= 0.5).mean().tolist())
    assert (found["same_gender"] <= found["recovered"]).all()
    pd.testing.assert_frame_equal(assess_topics(main, refits, used), found)

    (row,) = assess_region(main, refits).to_dict("records")
    pairs = [[(known[i], topic) for i, topic in other.items()] for other in taken]
    whole = [adjusted_rand_score(*zip(*some, strict=True)) for some in pairs]
    both = [[(a, b) for a, b in some if a != -1 and b != -1] for some in pairs]
    clustered = [adjusted_rand_score(*zip(*some, strict=True)) for some in both if some]
    assert (row["kind"], row["n_replicates"]) == ("bootstrap", len(others))
    assert row["n_topics"] == len(set(topics) - {-1})
    assert row["topics_mean"] == pytest.approx(
        np.mean([len(set(other.values()) - {-1}) for other in taken])
    )
    outliers = [np.mean([topic == -1 for topic in other.values()]) for other in taken]
    assert row["outlier_share_mean"] == pytest.approx(np.mean(outliers))
    assert row["outlier_share"] == pytest.approx(topics.count(-1) / len(topics))
    assert row["ari_mean"] == pytest.approx(np.mean(whole))
    assert (row["ari_min"], row["ari_max"]) == pytest.approx((min(whole), max(whole)))
    expected = np.mean(clustered) if clustered else math.nan
    assert row["ari_clustered"] == pytest.approx(expected, nan_ok=True)
    assert row["n_lost"] == int((slow.mean() < 0.5).sum())


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30),
)
def test_the_adjusted_rand_index_is_sklearn_s(pairs):
    table = np.zeros((4, 4), dtype=np.int64)
    for a, b in pairs:
        table[a, b] += 1
    assert adjusted_rand(table) == pytest.approx(adjusted_rand_score(*zip(*pairs, strict=True)))


def test_the_adjusted_rand_index_of_nothing():
    assert math.isnan(adjusted_rand(np.zeros((2, 3), dtype=np.int64)))


def test_kinds_have_a_row_each_and_only_if_run():
    refits = pd.concat(
        [
            refit("masking", 0, all_of([1] * 10)),
            refit("seed", 0, all_of([3, 3, 3, 3, 7, 7, 7, 7, -1, -1])),
            refit("seed", 1, all_of([0] * 5 + [-1] * 5)),
        ]
    )
    found = assess_region(MAIN, refits)
    assert found["kind"].tolist() == ["seed", "masking"]
    assert found["n_replicates"].tolist() == [2, 1]
    assert found["topics_mean"].tolist() == [1.5, 1.0]
    assert found["outlier_share_mean"].tolist() == pytest.approx([0.35, 0.0])
    assert found["ari_max"].tolist() == [1.0, 0.0]
    assert assess_region(MAIN, NOTHING).dtypes.to_dict() == found.dtypes.to_dict()


def test_a_region_without_topics():
    alone = main_fit([-1] * 10)
    refits = pd.concat([refit("seed", 0, all_of([0] * 10)), refit("bootstrap", 0, {1: -1})])
    assert len(assess_topics(alone, refits, USED)) == 0
    found = assess_region(alone, refits)
    assert found["n_topics"].tolist() == [0, 0]
    assert found["n_lost"].tolist() == [0, 0]


def test_the_sign_is_that_of_the_alignment():
    rng = np.random.default_rng(0)
    main = main_fit(rng.integers(-1, 5, 200).tolist())
    used = use("".join(rng.choice(["f", "m"], 200)))
    aligned = align_topics(
        used.merge(main, on="id").assign(probability=1.0), permutations=99, bootstrap=50
    )
    assert (aligned["log_odds"] > 0).any()
    # A refit that is the main fit but for the labels: each topic keeps the sign that it has,
    # and a turned gender turns every sign.
    again = refit("bootstrap", 0, all_of([t if t == -1 else 9 - t for t in main["topic"]]))
    assert (assess_topics(main, again, used)["same_gender"] == 1).all()
    signs = np.sign(aligned.set_index("topic")["log_odds"].drop(-1))
    (one,) = compare_refits(main, again)
    passages = UsedPassages.read(used, main)
    assert one.best()[1].tolist() == [4, 3, 2, 1, 0]
    column, female, _ = passages.taken(one, len(main))
    for topic, sign in signs.items():
        mine, rest = column == 4 - topic, column != 4 - topic
        odds = [(female[s].sum() + 0.5) / ((~female)[s].sum() + 0.5) for s in (mine, rest)]
        assert np.sign(math.log(odds[0] / odds[1])) == sign


@pytest.mark.parametrize(
    ("refits", "words"),
    [
        (refit("seeds", 0, {0: 1}), "kind 'seeds' is none of seed, order, bootstrap, masking"),
        (refit("seed", 0, {0: 1, 99: 1}), "passage 'p99' is not in the main fit"),
        (pd.concat([refit("seed", 0, {0: 1, 1: 2})] * 2), "a passage stands twice"),
    ],
)
def test_refits_that_do_not_belong_to_the_fit(refits, words):
    with pytest.raises(InputError, match=words):
        assess_topics(MAIN, refits, USED)
    with pytest.raises(InputError, match=words):
        assess_region(MAIN, refits)


def test_a_used_passage_without_a_topic():
    with pytest.raises(InputError, match="'p10' is not in the topic assignments"):
        assess_topics(MAIN, NOTHING, use("f" * 11))
