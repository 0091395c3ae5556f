"""Topics that regions share: which belong together, and of which gender."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biasatlas.topics.common import (
    COLUMNS,
    KINDS,
    SUMMARY,
    find_common,
    gender_kind,
    summarise_kinds,
)


def make_topics(*rows: tuple[str, int, str]) -> pd.DataFrame:
    """Topics from (region, topic, gender); each has a label of its own."""
    frame = pd.DataFrame(rows, columns=["region", "topic", "gender"])
    label = frame["region"] + frame["topic"].astype(str)
    return frame.assign(label=label, gender_paper="none")


def at(*degrees: float) -> np.ndarray:
    turned = np.deg2rad(degrees)
    return np.stack([np.cos(turned), np.sin(turned)], axis=1)


def members(groups: pd.DataFrame) -> list[list[str]]:
    """Groups as lists such as [a0, b1]."""
    names = groups["region"] + groups["topic"].astype(str)
    return [names[groups["group"] == k].tolist() for k in sorted(set(groups["group"]))]


def cos(degrees: float) -> float:
    return float(np.cos(np.deg2rad(degrees)))


def test_two_groups_by_hand():
    topics = make_topics(
        ("a", 0, "female"), ("a", 1, "male"), ("b", 0, "male"), ("b", 4, "female"),
        ("c", 2, "female"), ("c", 3, "none"),
    )  # fmt: skip
    vectors = at(0, 90, 95, 10, 5, 180) * np.array([[1], [2], [3], [4], [5], [6]])
    groups, matching = find_common(topics, vectors, threshold=cos(20))
    assert list(groups.columns) == list(COLUMNS)
    assert members(groups) == [["a0", "b4", "c2"], ["a1", "b0"]]
    assert groups["similarity_mean"].tolist() == pytest.approx(
        [(cos(10) + cos(5)) / 2, (cos(10) + cos(5)) / 2, cos(5), cos(5), cos(5)], abs=1e-5
    )
    assert groups["similarity_min"].tolist() == pytest.approx(
        [cos(10), cos(10), cos(5), cos(5), cos(5)], abs=1e-5
    )
    assert set(groups["matched_by"]) == {"embedding"}
    assert groups["kind"].tolist() == ["same_gender"] * 5
    assert groups["kind_paper"].tolist() == ["undecided"] * 5
    assert matching["threshold"] == cos(20)
    # 4 of the 12 pairs across regions, none of the 3 within.
    assert matching["pairs_across"] == 12
    assert matching["share_across"] == pytest.approx(4 / 12)
    assert (matching["pairs_within"], matching["share_within"]) == (3, 0.0)


def test_a_chain_is_no_group():
    topics = make_topics(("a", 0, "none"), ("b", 0, "none"), ("c", 0, "none"))
    # a-b and b-c are near enough, a-c is not: the nearer pair joins.
    groups, _ = find_common(topics, at(0, 12, 22), threshold=cos(15))
    assert members(groups) == [["b0", "c0"]]
    wide, _ = find_common(topics, at(0, 12, 22), threshold=cos(23))
    assert members(wide) == [["a0", "b0", "c0"]]


def test_a_region_stands_once_in_a_group_and_its_nearest_topic_is_taken():
    topics = make_topics(("a", 0, "none"), ("a", 1, "none"), ("b", 0, "none"))
    groups, _ = find_common(topics, at(6, 3, 0), threshold=cos(30))
    assert members(groups) == [["a1", "b0"]]


def test_what_is_left_over_is_no_match():
    topics = make_topics(("a", 0, "none"), ("a", 1, "none"), ("b", 0, "none"), ("b", 1, "none"))
    # a1 and b1 are over the threshold, but each is nearer to the other region's topic 0.
    groups, _ = find_common(topics, at(0, 10, 1, -9), threshold=cos(30))
    assert members(groups) == [["a0", "b0"]]


def test_one_mutual_pair_is_enough_for_a_group_to_grow():
    topics = make_topics(
        ("a", 0, "none"), ("b", 0, "none"), ("c", 0, "none"), ("c", 1, "none"), ("d", 0, "none")
    )  # fmt: skip
    # c0 is b0's nearest in c; a0's is c1, which d0 has taken.
    groups, _ = find_common(topics, at(0, 2, 8, -5, -9), threshold=cos(10))
    assert members(groups) == [["a0", "b0", "c0"], ["c1", "d0"]]


def test_the_same_label_is_enough_and_is_told():
    topics = make_topics(("a", 0, "male"), ("b", 0, "female"), ("b", 1, "none"), ("c", 7, "none"))
    topics["label"] = ["Prime  Minister", "prime minister", "other", "third"]
    groups, _ = find_common(topics, at(0, 60, 120, 240), threshold=0.9)
    assert members(groups) == [["a0", "b0"]]
    assert groups["matched_by"].tolist() == ["label", "label"]
    assert groups["similarity_min"].tolist() == pytest.approx([0.5, 0.5])
    assert set(groups["kind"]) == {"different_gender"}
    # A nearer topic of that region comes before one that only has the label.
    nearer, _ = find_common(topics, at(0, 60, 5, 240), threshold=0.9)
    assert members(nearer) == [["a0", "b1"]]
    assert nearer["matched_by"].tolist() == ["embedding", "embedding"]


def test_one_label_for_two_topics_that_are_far_apart_is_no_match():
    topics = make_topics(("a", 0, "male"), ("b", 0, "female"), ("b", 1, "none"))
    topics["label"] = ["prime minister", "prime minister", "other"]
    # Two topics of b are 60 degrees apart: an ordinary pair.
    near, _ = find_common(topics, at(0, 59, 119), threshold=0.9)
    assert members(near) == [["a0", "b0"]]
    far, _ = find_common(topics, at(0, 61, 121), threshold=0.9)
    assert members(far) == []


def test_labels_within_one_region_are_no_match():
    topics = make_topics(("a", 0, "none"), ("a", 1, "none")).assign(label="same")
    groups, matching = find_common(topics, at(0, 1), threshold=0.5)
    assert len(groups) == 0
    assert matching["pairs_across"] == 0
    assert np.isnan(matching["share_across"])


def test_the_default_threshold_lies_between_an_ordinary_pair_and_the_same():
    topics = make_topics(*[("a", t, "none") for t in range(3)], ("b", 0, "none"))
    # Within a: 60, 90 and 30 degrees apart, cosines .5, 0 and .866.
    _, matching = find_common(topics, at(0, 60, 90, 10), closeness=0.4)
    assert matching["ordinary"] == pytest.approx(0.5)
    assert matching["threshold"] == pytest.approx(0.5 + 0.4 * 0.5)
    assert (matching["pairs_within"], matching["pairs_across"]) == (3, 3)
    # .866 is over .7 within; across only 10 degrees, not 50 (.643) and 80.
    assert matching["share_within"] == pytest.approx(1 / 3)
    assert matching["share_across"] == pytest.approx(1 / 3)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 4), st.floats(0, 3))
def test_what_all_embeddings_share_changes_no_group(seed, common):
    topics, vectors, _ = planted(seed)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    shifted = np.hstack([unit, np.full((len(unit), 1), common)])
    groups, matching = find_common(topics, unit)
    again, moved = find_common(topics, shifted)
    assert sorted(members(again)) == sorted(members(groups))
    expected = (matching["threshold"] + common**2) / (1 + common**2)
    assert moved["threshold"] == pytest.approx(expected, abs=1e-5)


def test_without_two_topics_in_a_region_only_labels_match(caplog):
    topics = make_topics(("a", 0, "none"), ("b", 0, "none"), ("c", 0, "none"))
    topics["label"] = ["same", "same", "other"]
    groups, matching = find_common(topics, at(0, 1, 2))
    assert members(groups) == [["a0", "b0"]]
    assert set(groups["matched_by"]) == {"label"}
    assert np.isnan(matching["threshold"])
    assert "only labels" in caplog.text


@pytest.mark.parametrize("topics", [make_topics(), make_topics(("a", 0, "none"))])
def test_nothing_in_common(topics):
    groups, _ = find_common(topics, np.ones((len(topics), 3)))
    full, _ = find_common(make_topics(("a", 0, "none"), ("b", 0, "none")), at(0, 0), threshold=0)
    assert len(groups) == 0
    assert groups.dtypes.equals(full.dtypes)
    assert summarise_kinds(groups, topics)["n_groups"].tolist() == [0] * 6


def planted(seed: int) -> tuple[pd.DataFrame, np.ndarray, list[list[str]]]:
    """Regions that share some themes, each with a little of its own, and themes of their own."""
    rng = np.random.default_rng(seed)
    themes = np.eye(40)
    rows, vectors, truth = [], [], {}
    for r, region in enumerate("abcde"):
        shared = [theme for theme in range(6) if rng.random() < 0.7]
        own = [6 + 5 * r + k for k in range(5)]
        for topic, theme in enumerate(rng.permutation([*shared, *own])):
            rows.append((region, int(topic), "none"))
            vectors.append(themes[theme] + 0.05 * rng.normal(size=40))
            truth.setdefault(int(theme), []).append(f"{region}{topic}")
    shared_truth = [sorted(some) for some in truth.values() if len(some) > 1]
    return make_topics(*rows), np.stack(vectors), sorted(shared_truth)


@pytest.mark.parametrize("seed", range(5))
def test_planted_common_topics_are_found(seed):
    topics, vectors, truth = planted(seed)
    groups, matching = find_common(topics, vectors)
    assert sorted(sorted(some) for some in members(groups)) == truth
    assert 0.5 < matching["threshold"] < 0.65
    sizes = [len(some) for some in members(groups)]
    assert sizes == sorted(sizes, reverse=True)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 14), st.floats(0, 0.9), st.randoms())
def test_groups_keep_their_promises_in_any_order_of_rows(seed, n, threshold, random):
    rng = np.random.default_rng(seed)
    topics = make_topics(*[("abcd"[k % 4], k // 4, "none") for k in range(n)])
    topics["label"] = rng.choice(["x", "y", "z", *(f"l{k}" for k in range(9))], size=n)
    # Coarse, so that many cosines are equal.
    vectors = rng.integers(1, 4, size=(n, 3)).astype(float) - 2 * (rng.random((n, 3)) < 0.3)
    vectors[np.all(vectors == 0, axis=1)] = 1.0
    groups, _ = find_common(topics, vectors, threshold=threshold)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    row = {
        (r, t): k for k, (r, t) in enumerate(zip(topics["region"], topics["topic"], strict=True))
    }
    seen = set()
    for _, some in groups.groupby("group"):
        ks = [row[key] for key in zip(some["region"], some["topic"], strict=True)]
        assert some["region"].is_unique
        assert len(ks) >= 2
        assert not seen & set(ks)
        seen |= set(ks)
        for i, j in combinations(ks, 2):
            alike = topics["label"][i] == topics["label"][j]
            assert alike or unit[i] @ unit[j] >= threshold - 2e-6
    order = list(range(n))
    random.shuffle(order)
    again, _ = find_common(topics.iloc[order], vectors[order], threshold=threshold)
    pd.testing.assert_frame_equal(again, groups)


@pytest.mark.parametrize(
    ("genders", "kind"),
    [
        ([], "undecided"),
        (["female", "none"], "undecided"),
        (["none", "none", "none"], "undecided"),
        (["male", "none", "male"], "same_gender"),
        (["female", "female"], "same_gender"),
        (["female", "none", "male"], "different_gender"),
        (["male", "male", "female"], "different_gender"),
    ],
)
def test_kind_of_a_group(genders, kind):
    assert gender_kind(genders) == kind


def test_the_kinds_and_what_chance_gives():
    topics = make_topics(
        ("a", 0, "female"), ("a", 1, "male"), ("b", 0, "female"), ("b", 1, "male"),
        ("b", 2, "none"),
    )  # fmt: skip
    topics["gender_paper"] = ["female", "female", "male", "male", "male"]
    groups, _ = find_common(topics, at(0, 90, 1, 91, 180), threshold=0.9)
    assert members(groups) == [["a0", "b0"], ["a1", "b1"]]
    summary = summarise_kinds(groups, topics, permutations=20_000)
    assert list(summary.columns) == list(SUMMARY)
    assert summary["kind"].tolist() == [*KINDS, *KINDS]
    assert summary["n_groups"].tolist() == [2, 0, 0, 0, 2, 0]
    # The other ways to deal b's three genders: each of two members is none in a third of them,
    # and else as often of a's gender as not.
    expected = np.mean(
        [
            [
                sum(x == y for x, y in zip(a, b, strict=False)),
                sum({x, y} == {1, -1} for x, y in zip(a, b, strict=False)),
                sum(y == 0 for y in b[:2]),
            ]
            for a, b in product(
                [(1, -1), (-1, 1)],
                [(1, -1, 0), (-1, 1, 0), (1, 0, -1), (-1, 0, 1), (0, 1, -1), (0, -1, 1)],
            )
        ],
        axis=0,
    )
    assert summary["expected"][:3].to_numpy() == pytest.approx(expected, abs=0.03)
    # Two of one gender in each region: nothing can change.
    assert summary["expected"][3:].tolist() == [0, 2, 0]
    assert summary["low"][3:].tolist() == summary["high"][3:].tolist() == [0, 2, 0]
    again = summarise_kinds(groups, topics.iloc[::-1], permutations=20_000)
    pd.testing.assert_frame_equal(again, summary)


def test_kinds_counted_in_deals_are_the_kinds_of_groups():
    topics, vectors, _ = planted(2)
    rng = np.random.default_rng(1)
    for column in ("gender", "gender_paper"):
        topics[column] = rng.choice(["female", "male", "none"], size=len(topics))
    groups, _ = find_common(topics, vectors)
    summary = summarise_kinds(groups, topics, permutations=10).set_index(["rule", "kind"])
    first = groups.drop_duplicates("group")
    for rule, column in (("tested", "kind"), ("paper", "kind_paper")):
        for kind in KINDS:
            assert summary.loc[(rule, kind), "n_groups"] == (first[column] == kind).sum()
    assert (summary["low"] <= summary["expected"]).all()
