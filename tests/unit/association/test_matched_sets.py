"""Parts of the matching: groups of like frequency, shares of the pool, positions, coherence."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from biasatlas.association.nulls.matched_sets import (
    CHOICE,
    centroids,
    coherence,
    distinct_positions,
    merge_octaves,
    octaves,
    share_out,
)


def test_octaves_by_hand() -> None:
    ranks = np.array([1, 127, 128, 255, 256, 2**18 - 1, 2**18])
    assert octaves(ranks).tolist() == [6, 6, 7, 7, 8, 17, 18]


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 12)), min_size=1, max_size=12))
def test_merged_octaves_stay_in_order_and_hold_enough(pairs: list[tuple[int, int]]) -> None:
    available, needed = zip(*pairs, strict=True)
    groups = merge_octaves(available, needed)
    assert [k for group in groups for k in group] == list(range(len(pairs)))
    for group in groups if len(groups) > 1 else []:
        assert sum(available[k] for k in group) >= CHOICE * sum(needed[k] for k in group)


@given(
    st.lists(st.tuples(st.integers(0, 900), st.integers(1, 9)), min_size=1, max_size=8),
    st.integers(0, 2_000),
)
def test_shares_use_the_pool_and_no_more_than_there_is(
    pairs: list[tuple[int, int]], total: int
) -> None:
    available, wanted = zip(*pairs, strict=True)
    shares = share_out(available, wanted, total)
    assert all(0 <= share <= held for share, held in zip(shares, available, strict=True))
    assert sum(shares) == min(total, sum(available))


def test_shares_by_hand() -> None:
    assert share_out([10, 1_000, 1_000], [1, 1, 2], 400) == [10, 130, 260]


@given(st.integers(1, 8), st.lists(st.integers(8, 60), min_size=1, max_size=5), st.integers(0, 99))
def test_positions_are_distinct_and_below_the_width(n: int, widths: list[int], seed: int) -> None:
    uniform = np.random.default_rng(seed).random((6, n))
    chosen = distinct_positions(uniform, np.array(widths))
    assert chosen.shape == (len(widths), 6, n)
    assert (np.diff(np.sort(chosen, axis=2), axis=2) > 0).all()
    assert ((chosen >= 0) & (chosen < np.array(widths)[:, None, None])).all()


def test_every_subset_of_positions_is_equally_likely() -> None:
    uniform = np.random.default_rng(0).random((12_000, 2))
    chosen = np.sort(distinct_positions(uniform, np.array([4]))[0], axis=1)
    counts = Counter(map(tuple, chosen.tolist()))
    assert len(counts) == 6
    assert stats.chisquare(list(counts.values())).pvalue > 0.01


def test_coherence_by_hand() -> None:
    sets = np.array([[[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]]])
    assert coherence(sets)[0] == pytest.approx((0 + 0.6 + 0.8) / 3)
    assert np.isnan(coherence(sets[:, :1])).all()
    np.testing.assert_allclose(centroids(sets)[0], np.array([1.6, 1.8]) / np.hypot(1.6, 1.8))
