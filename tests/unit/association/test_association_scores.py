"""Effect size and statistic: by hand, and the values that Caliskan et al. published."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biasatlas.association import effect_size, permutation_test, statistic, word_associations
from biasatlas.association.score import Settings, score_tests
from biasatlas.association.scores import cosines, unit_rows
from biasatlas.lexicons.word_lists import load_tests
from biasatlas.vectors import WordVectors, load_vectors

LISTS = Path(__file__).parents[3] / "resources" / "word_lists" / "weat" / "en"
PUBLISHED = [1.50, 1.53, 1.41, 1.50, 1.28, 1.81, 1.06, 1.24, 1.38, 1.21]
FAST = Settings(case="as_is", nulls=0)


def test_association_is_a_difference_of_mean_cosines():
    targets = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 4.0]])
    a = np.array([[1.0, 0.0], [0.0, 1.0]])
    b = np.array([[-5.0, 0.0]])
    # Mean cosines with a: .5, .5, (.6 + .8) / 2; with b: -1, 0, -.6.
    assert word_associations(targets, a, b) == pytest.approx([1.5, 0.5, 1.3])


def test_statistic_and_effect_size_by_hand():
    x, y = np.array([3.0, 1.0]), np.array([0.0, -1.0, -3.0])
    # The mean of all five is 0, their squares sum to 20, so ddof 1 gives sqrt(20 / 4).
    assert statistic(x, y) == pytest.approx(2 + 4 / 3)
    assert effect_size(x, y) == pytest.approx((10 / 3) / math.sqrt(5))
    assert effect_size(y, x) == pytest.approx(-(10 / 3) / math.sqrt(5))


def test_effect_size_of_equal_sets_stays_below_its_bound():
    for n in (1, 4, 8):
        bound = 2 * math.sqrt((2 * n - 1) / (2 * n))
        assert effect_size(np.ones(n), np.zeros(n)) == pytest.approx(bound)


@pytest.mark.parametrize("value", [0.0, 0.3, -1e6])
def test_no_effect_size_without_spread(value):
    with pytest.raises(ValueError, match="equal"):
        effect_size(np.full(3, value), np.full(4, value))


def test_cosines_refuse_vectors_without_direction():
    assert cosines(np.array([[3.0, 4.0]]), np.array([[1.0, 0.0]])) == pytest.approx(0.6)
    with pytest.raises(ValueError, match=r"rows \[1, 2\]"):
        unit_rows(np.array([[1.0, 0.0], [0.0, 0.0], [np.nan, 1.0]]))


@settings(max_examples=60, deadline=None)
@given(
    sizes=st.tuples(*[st.integers(2, 5)] * 2, *[st.integers(1, 4)] * 2),
    scale=st.floats(1e-3, 1e3),
    seed=st.integers(0, 2**31),
)
def test_scale_rotation_and_order_change_nothing_and_a_swap_mirrors(sizes, scale, seed):
    rng = np.random.default_rng(seed)
    x, y, a, b = (rng.normal(size=(n, 6)) for n in sizes)
    rotation = np.linalg.qr(rng.normal(size=(6, 6)))[0]

    def score(x, y, a, b):
        s_x, s_y = word_associations(x, a, b), word_associations(y, a, b)
        return effect_size(s_x, s_y), permutation_test(s_x, s_y)

    d, p = score(x, y, a, b)
    moved = [scale * (group[::-1] @ rotation) for group in (x, y, a, b)]
    d_moved, p_moved = score(*moved)
    assert d_moved == pytest.approx(d, abs=1e-9)
    assert p_moved == p
    for swapped in ((y, x, a, b), (x, y, b, a)):
        d_swapped, p_swapped = score(*swapped)
        assert d_swapped == pytest.approx(-d, abs=1e-9)
        # At least the mirrored sum: all partitions but those strictly above.
        assert p_swapped.p_value == pytest.approx(1 - p.p_strict)
        if sizes[0] == sizes[1] or swapped[0] is y:
            assert p_swapped.p_two_sided == p.p_two_sided


def _glove_840b(folder: Path) -> WordVectors:
    with gzip.open(folder / "glove840b_weat_items.tsv.gz", "rt", encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    matrix = np.array([row[1].split() for row in rows], dtype=np.float32)
    return WordVectors(tuple(row[0] for row in rows), matrix)


def test_the_ten_published_effect_sizes(shared_folder):
    folder = shared_folder("vectors")
    expected = json.loads((folder / "expected_glove840b.json").read_text(encoding="utf-8"))
    frame = score_tests(load_tests(LISTS), _glove_840b(folder), FAST).scores
    assert list(frame["test"]) == [f"WEAT{n}" for n in range(1, 11)]
    assert set(frame["status"]) == {"ok"}
    assert list(frame["words_missing"]) == [""] * 10
    assert frame["effect_size"].round(2).tolist() == PUBLISHED
    reference = [expected[test]["d_ddof1"] for test in frame["test"]]
    assert frame["effect_size"].tolist() == pytest.approx(reference, abs=1e-5)
    raw = [expected[test]["raw"] for test in frame["test"]]
    assert frame["statistic"].tolist() == pytest.approx(raw, abs=1e-5)


def test_the_positive_control_on_glove_6b(fetched_asset):
    vectors = load_vectors(fetched_asset("glove_6b_50d"))
    assert vectors.matrix.shape == (400_000, 50)
    tests = [test for test in load_tests(LISTS) if test.test in ("WEAT1", "WEAT6", "WEAT7")]
    frame = score_tests(tests, vectors, Settings(nulls=0)).scores
    assert frame["effect_size"].round(2).tolist() == [1.08, 1.71, 1.50]
    assert (frame["p_value"] < 0.01).all()
    assert (frame["effect_low"] < frame["effect_size"]).all()
    assert frame["effect_low"][1] > 1
