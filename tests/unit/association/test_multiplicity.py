"""Corrections for many tests, by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasatlas.association.multiplicity import add_corrections, benjamini_hochberg, holm


def test_benjamini_hochberg_by_hand():
    # Sorted .01 .02 .03 .9: times 4/1, 4/2, 4/3, 1, then the running minimum from the right.
    assert benjamini_hochberg(np.array([0.9, 0.01, 0.03, 0.02])) == pytest.approx(
        [0.9, 0.04, 0.04, 0.04]
    )


def test_holm_by_hand():
    # Sorted .01 .02 .03 .9: times 4, 3, 2, 1 is .04 .06 .06 .9, then the running maximum.
    assert holm(np.array([0.9, 0.01, 0.03, 0.02])) == pytest.approx([0.9, 0.04, 0.06, 0.06])
    assert holm(np.array([0.6, 0.7])) == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize("correct", [benjamini_hochberg, holm])
def test_nan_is_no_test(correct):
    adjusted = correct(np.array([np.nan, 0.02, np.nan, 0.5]))
    assert np.isnan(adjusted[[0, 2]]).all()
    assert adjusted[[1, 3]] == pytest.approx(correct(np.array([0.02, 0.5])))
    assert np.isnan(correct(np.array([np.nan]))).all()
    assert correct(np.array([])).shape == (0,)


@given(st.lists(st.floats(1e-6, 1), min_size=1, max_size=20))
def test_corrections_against_their_definitions(values):
    p = np.array(values)
    n = len(p)
    q = [min(min(1.0, n * other / np.sum(p <= other)) for other in p if other >= own) for own in p]
    assert benjamini_hochberg(p) == pytest.approx(q)
    order = np.argsort(p, kind="stable")
    steps = [min(1.0, (n - i) * p[k]) for i, k in enumerate(order)]
    expected = np.empty(n)
    expected[order] = [max(steps[: i + 1]) for i in range(n)]
    assert holm(p) == pytest.approx(expected)
    assert (holm(p) >= benjamini_hochberg(p) - 1e-12).all()


def test_families_are_corrected_apart():
    frame = pd.DataFrame(
        {
            "region": ["a", "b", "a", "b", "a"],
            "seed": [1, 1, 1, 1, 2],
            "p_value": [0.01, 0.02, 0.04, np.nan, 0.03],
            "status": ["ok", "ok", "ok", "refused", "ok"],
        }
    )
    corrected = add_corrections(frame, ["region", "seed"])
    nan = float("nan")
    assert corrected["q_value"].tolist() == pytest.approx(
        [0.02, 0.02, 0.04, nan, 0.03], nan_ok=True
    )
    assert corrected["p_holm"].tolist() == pytest.approx([0.02, 0.02, 0.04, nan, 0.03], nan_ok=True)
    assert "q_value" not in frame
    thin = add_corrections(frame.assign(status=["ok", "ok", "thin", "refused", "ok"]), ["seed"])
    assert thin["q_value"].tolist() == pytest.approx([0.02, 0.02, nan, nan, 0.03], nan_ok=True)
    assert add_corrections(frame[::-1], ["region", "seed"]).sort_index().equals(corrected)
