"""Pairs in drawn documents: by hand, and planted."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biasatlas.topics.alignment import align_topics
from biasatlas.topics.matching import match_by_strength
from biasatlas.topics.pair_support import Recurrence, follow_topics
from biasatlas.topics.stability import assess_topics

NAN = float("nan")
QUICK = {"fdr": 0.1, "permutations": 199, "seed": 3}


def test_shares_by_hand():
    # Topics 1 and 4 are female, 6 and 9 male.
    odds = np.array(
        [
            [3.0, 1.0, -1.0, -2.0],  # 1 with 9, 4 with 6
            [1.0, 3.0, -1.0, -2.0],  # 4 with 9, 1 with 6
            [3.0, NAN, 0.5, -2.0],  # only 1 and 9
            [NAN, 1.0, -1.0, 0.0],  # only 4 and 6: 0 leans nowhere
        ]
    )
    partner = np.array([[3, -1, -1, -1], [2, 3, -1, -1], [-1, -1, -1, -1], [-1, 2, -1, -1]])
    found = Recurrence(np.array([1, 4, 6, 9]), odds, partner)
    female, male = np.array([4, 1]), np.array([9, 6])
    assert found.leaning_again(female, male).tolist() == [[0.5, 0.75], [0.75, 0.5]]
    assert found.paired_again(female, male).tolist() == [[0.25, 0.5], [0.5, 0.25]]
    assert found.tested_again(female, male).tolist() == [[0.25, 0.25], [0.25, 0.25]]
    # A candidate less leaves its partner to another.
    assert found.paired_again(np.array([1]), male).tolist() == [[0.75, 0.0]]


def shares(low_high: tuple[float, float]) -> list[float]:
    return [round(value, 4) for value in low_high]


def test_intervals_by_hand():
    # Wilson at z = 1.96: centre (k + z^2 / 2) / (n + z^2).
    ten, twenty = (Recurrence(np.arange(1), *[np.zeros((n, 1))] * 2) for n in (10, 20))
    assert (ten.n_draws, twenty.n_draws) == (10, 20)
    assert shares(ten.interval(0.5)) == [0.2366, 0.7634]
    assert shares(twenty.interval(0.0)) == [0.0, 0.1611]
    assert shares(twenty.interval(0.55)) == [0.3421, 0.7418]
    assert np.isnan(twenty.interval(NAN)).all()


def test_without_refits_nothing_is_known():
    none = np.empty((0, 3))
    found = Recurrence(np.array([0, 1, 2]), none, none.astype(np.int64))
    assert found.n_draws == 0
    assert np.isnan(found.interval(NAN)).all()
    for share in (found.leaning_again, found.paired_again, found.tested_again):
        assert np.isnan(share(np.array([0, 1]), np.array([2]))).tolist() == [[True], [True]]
        assert share(np.array([], dtype=int), np.array([2])).shape == (0, 1)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 3), st.integers(1, 4))
def test_paired_again_equals_trying_every_join(seed, n_female, n_male):
    rng = np.random.default_rng(seed)
    k = n_female + n_male
    odds = np.where(rng.random((4, k)) < 0.3, NAN, rng.normal(size=(4, k)))
    odds[:, :n_female] += 1
    odds[:, n_female:] -= 1
    topics = np.arange(k)
    found = Recurrence(topics, odds, np.full((4, k), -1))
    counts = np.zeros((n_female, n_male))
    for row in odds:
        f = [i for i in range(n_female) if row[i] > 0]
        m = [j for j in range(n_female, k) if row[j] < 0]
        short, long = (f, m) if len(f) <= len(m) else (m, f)
        best = max(
            permutations(long, len(short)),
            key=lambda order, row=row, short=short: sum(
                abs(row[a] * row[b]) for a, b in zip(short, order, strict=True)
            ),
        )
        for a, b in zip(short, best, strict=True):
            counts[min(a, b), max(a, b) - n_female] += 1
    female, male = topics[:n_female], topics[n_female:]
    assert found.paired_again(female, male).tolist() == (counts / 4).tolist()
    assert (found.paired_again(female, male) <= found.leaning_again(female, male)).all()


def planted(seed: int = 0) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Topics 0 (all women), 1 (most), 2 (mixed), 5 (most men), 8 (all men), and none: 40 of each.

    A document has one passage.
    """
    rng = np.random.default_rng(seed)
    shares = {0: 1.0, 1: 0.7, 2: 0.5, 5: 0.3, 8: 0.0, -1: 0.5}
    rows = [(topic, share > (i + 0.5) / 40) for topic, share in shares.items() for i in range(40)]
    order = rng.permutation(len(rows))
    ids = [f"p{i:03}" for i in range(len(rows))]
    main = pd.DataFrame({"id": ids, "topic": [rows[i][0] for i in order]})
    used = pd.DataFrame(
        {
            "id": ids,
            "document": [f"d{i}" for i in range(len(ids))],
            "gender": ["female" if rows[i][1] else "male" for i in order],
        }
    )
    return main, used


def draw(main: pd.DataFrame, n: int, names: dict[int, int], seed: int = 0) -> pd.DataFrame:
    """Bootstrap refits that find the main topics again, by other names; -1 is lost.

    Their numbers are odd: those of even number chose the stable topics.
    """
    rng = np.random.default_rng(seed)
    frames = []
    for replicate in range(n):
        rows = np.unique(rng.integers(0, len(main), len(main)))
        frames.append(
            pd.DataFrame(
                {
                    "kind": "bootstrap",
                    "replicate": 2 * replicate + 1,
                    "id": main["id"].to_numpy()[rows],
                    "topic": [names.get(t, -1) for t in main["topic"].to_numpy()[rows]],
                }
            )
        )
    return pd.concat(frames)


def test_planted_pairs_come_again():
    main, used = planted()
    refits = draw(main, 10, {0: 7, 1: 3, 2: 5, 5: 1, 8: 0})
    found = follow_topics(main, refits, used, **QUICK)
    female, male = np.array([0, 1]), np.array([5, 8])
    assert found.leaning_again(female, male).min() == 1.0
    assert found.paired_again(female, male).tolist() == [[0, 1], [1, 0]]
    tested = found.tested_again(female, male)
    assert tested[0, 1] == 1.0
    assert tested[0, 0] == 0.0
    # The weaker two are not significant in every draw.
    assert 0 < tested[1, 0] < 1
    # The other way round none leans so.
    assert found.leaning_again(male, female).max() == 0.0


def test_a_topic_that_is_lost_or_torn_has_no_support():
    main, used = planted()
    lost = draw(main, 4, {1: 3, 2: 5, 5: 1, 8: 0})
    found = follow_topics(main, lost, used, **QUICK)
    assert found.leaning_again(np.array([0]), np.array([8])).tolist() == [[0.0]]
    assert found.paired_again(np.array([0, 1]), np.array([8])).tolist() == [[0.0], [1.0]]
    whole = draw(main, 4, {0: 7, 1: 3, 2: 5, 5: 1, 8: 0})
    # Topic 8 is torn into three parts.
    torn = whole.assign(
        topic=np.where(whole["topic"] == 0, 20 + np.arange(len(whole)) % 3, whole["topic"])
    )
    found = follow_topics(main, torn, used, **QUICK)
    assert found.tested_again(np.array([0]), np.array([8])).tolist() == [[0.0]]
    assert found.leaning_again(np.array([0]), np.array([5])).tolist() == [[1.0]]


@pytest.mark.parametrize("seed", [0, 1, 4, 5])
def test_refits_are_tested_as_the_main_fit_is(seed):
    """A refit equal to the main fit gives the main fit's odds, genders and matching."""
    rng = np.random.default_rng(seed)
    n, k = 600, 12
    topic = rng.integers(-1, k, n)
    lean = np.append(np.linspace(0.33, 0.67, k), 0.5)
    main = pd.DataFrame({"id": [f"p{i:03}" for i in range(n)], "topic": topic})
    used = pd.DataFrame(
        {
            "id": main["id"],
            "document": np.sort(rng.integers(0, 200, n)),
            "gender": np.where(rng.random(n) < lean[topic], "female", "male"),
        }
    )
    whole = main.assign(kind="bootstrap", replicate=1)
    # A refit's seed is the run's and its number: that of the test below.
    found = follow_topics(main, whole, used, **{**QUICK, "seed": 2})
    aligned = align_topics(
        used.merge(main, on="id").assign(probability=1.0),
        permutations=199, bootstrap=50, fdr=0.1, seed=3,
    ).iloc[1:]  # fmt: skip
    odds, gender = aligned["log_odds"].to_numpy(), aligned["gender_tested"].to_numpy()
    assert found.odds[0].tolist() == pytest.approx(odds.tolist())
    # Some topics are significant only as long as nobody counts the tests.
    assert (aligned["p_value"] <= 0.1).sum() > (aligned["q_value"] <= 0.1).sum()
    female, male = np.flatnonzero(gender == "female"), np.flatnonzero(gender == "male")
    expected = np.zeros((k, k))
    for i, j in match_by_strength(np.abs(odds[female]), np.abs(odds[male])):
        expected[female[i], male[j]] = 1.0
    numbers = aligned["topic"].to_numpy()
    np.testing.assert_array_equal(found.tested_again(numbers, numbers), expected)


def test_draws_that_chose_the_topics_give_no_support():
    main, used = planted()
    good, bad = draw(main, 4, {0: 7, 1: 3, 2: 5, 5: 1, 8: 0}), draw(main, 4, {})
    ends = np.array([0]), np.array([8])
    for odd, even, share in ((good, bad, 1.0), (bad, good, 0.0)):
        refits = pd.concat([odd, even.assign(replicate=even["replicate"] - 1)])
        found = follow_topics(main, refits, used, **QUICK)
        assert found.n_draws == 4
        for again in (found.leaning_again, found.paired_again, found.tested_again):
            assert again(*ends).tolist() == [[share]]
        assert (assess_topics(main, refits, used)["recovered"] == 1 - share).all()
    # One draw alone says something of the topics and nothing of pairs.
    first = good[good["replicate"] == 1].assign(replicate=0)
    found = follow_topics(main, first, used, **QUICK)
    assert found.n_draws == 0
    assert np.isnan(found.paired_again(*ends)).all()
    assert (assess_topics(main, first, used)["recovered"] == 1).all()


def test_support_of_topics_that_come_again_by_luck_is_luck():
    """Each topic is found in a draw or not, at even odds: any two are in a quarter of draws."""
    n, size, draws = 60, 3, 12
    topic = np.repeat(np.arange(n), size)
    main = pd.DataFrame({"id": [f"p{i:03}" for i in range(n * size)], "topic": topic})
    used = main[["id"]].assign(
        document=main["id"], gender=np.where(topic < n // 2, "female", "male")
    )
    rng = np.random.default_rng(1)
    lost = rng.random((draws, n)) < 0.5
    refits = pd.concat(
        main.assign(kind="bootstrap", replicate=k, topic=np.where(lost[k, topic], -1, topic))
        for k in range(draws)
    )
    chosen = assess_topics(main, refits, used, stable_min=0.6).query("stable")["topic"].to_numpy()
    ends = chosen[chosen < n // 2], chosen[chosen >= n // 2]
    assert min(len(some) for some in ends) >= 5
    quick = {**QUICK, "permutations": 9}
    support = follow_topics(main, refits, used, **quick).leaning_again(*ends).mean()
    assert support == pytest.approx(0.25, abs=0.05)
    # The draws that chose them would say far more.
    swapped = refits.assign(replicate=refits["replicate"] + 1)
    assert follow_topics(main, swapped, used, **quick).leaning_again(*ends).mean() > 0.4


@pytest.mark.parametrize(("n_mixed", "share"), [(6, 1.0), (10, 0.0)])
def test_the_permutations_bound_the_topics_among_which_two_are_told(n_mixed, share):
    """Two topics at p = 2 / 100 are told by fdr 2 / n of .1 up to ten topics, however clear."""
    rows = [(0, True)] * 20 + [(1, False)] * 20
    rows += [(2 + k, i % 2 == 0) for k in range(n_mixed) for i in range(20)]
    main = pd.DataFrame(
        {"id": [f"p{i:03}" for i in range(len(rows))], "topic": [t for t, _ in rows]}
    )
    used = main[["id"]].assign(
        document=main["id"], gender=["female" if female else "male" for _, female in rows]
    )
    refits = main.assign(kind="bootstrap", replicate=1)
    found = follow_topics(main, refits, used, fdr=0.1, permutations=99, seed=3)
    assert found.leaning_again(np.array([0]), np.array([1])).tolist() == [[1.0]]
    assert found.tested_again(np.array([0]), np.array([1])).tolist() == [[share]]


def test_only_bootstrap_refits_count_and_twice_gives_the_same():
    main, used = planted()
    refits = draw(main, 3, {0: 7, 8: 0})
    others = pd.concat(
        [refits, draw(main, 2, {}).assign(kind="seed"), draw(main, 1, {}).assign(kind="masking")]
    )
    one, other = (follow_topics(main, some, used, **QUICK) for some in (refits, others))
    assert one.odds.shape == (3, 5)
    np.testing.assert_array_equal(one.odds, other.odds)
    np.testing.assert_array_equal(one.partner, other.partner)
    again = follow_topics(main, others.sample(frac=1, random_state=1), used, **QUICK)
    np.testing.assert_array_equal(again.partner, one.partner)


def test_a_region_without_topics_or_refits():
    main, used = planted()
    found = follow_topics(main.assign(topic=-1), draw(main, 2, {0: 1}), used, **QUICK)
    assert found.odds.shape == (2, 0)
    refits = draw(main, 1, {}).iloc[:0]
    assert follow_topics(main, refits, used, **QUICK).odds.shape == (0, 5)
