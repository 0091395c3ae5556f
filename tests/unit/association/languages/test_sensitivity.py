"""Sensitivity: by hand, its interval, and the figures of the paper beside it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasatlas.association.languages.published import Published
from biasatlas.association.languages.sensitivity import mean_and_interval, sensitivity
from biasatlas.lexicons.weathub_files import SIX_TESTS
from biasatlas.tables.language_tables import SENSITIVITY

NONE = Published({}, {})


def variances(values: dict[str, float], **cell: object) -> pd.DataFrame:
    base = {"language": "de", "model": "m", "group": "multilingual", "variant": "human"}
    base |= {"encoder": "all_mean", "space": "raw", "n_sets": 4} | cell
    return pd.DataFrame([base | {"test": t, "variance": v} for t, v in values.items()])


def test_rho_by_hand():
    frame = variances({"WEAT1": 1.0, "WEAT2": 2.0, "WEAT6": 6.0, "WEAT11": 99.0, "WEAT7": np.nan})
    (row,) = sensitivity(frame, NONE).to_dict("records")
    assert (row["rho"], row["n_tests"]) == (3.0, 3)
    # sd = sqrt(7), its error sqrt(7 / 3) = 1.5275; t of 2 degrees is 4.3027.
    assert row["rho_high"] == pytest.approx(3 + 4.3027 * 1.5275, abs=1e-3)
    assert row["rho_low"] == 0.0
    assert row["note"] == "3 of the paper's 6 tests are scored"
    assert np.isnan(row["published_rho"])


def test_the_interval_is_the_jackknife_spelt_out():
    values = np.array([3.0, 3.5, 4.5, 2.5, 3.2, 4.1])
    without = np.array([np.delete(values, place).mean() for place in range(6)])
    error = np.sqrt(5 / 6 * np.square(without - without.mean()).sum())
    mean, low, high = mean_and_interval(values)
    assert (high - mean) / error == pytest.approx(2.570582, abs=1e-5)
    assert mean - low == pytest.approx(high - mean)
    assert np.isnan(mean_and_interval(values[:1])[1:]).all()


def test_the_interval_holds_the_mean_as_often_as_it_says():
    rng = np.random.default_rng(5)
    inside = 0
    for _ in range(2_000):
        _, low, high = mean_and_interval(rng.normal(10, 1, 6))
        inside += low <= 10 <= high
    assert inside / 2_000 == pytest.approx(0.95, abs=0.015)


def test_published_figures_stand_beside_raw_vectors_only():
    values = dict.fromkeys(SIX_TESTS, 0.5)
    frame = pd.concat(
        [
            variances(values, space=space, language=language)
            for space in ("raw", "standardised")
            for language in ("de", "en")
        ]
    )
    table = sensitivity(frame, Published({("de", "all_mean"): 0.7}, {"all_mean": 0.6}))
    rho = table.set_index(["language", "space"])
    assert rho.loc[("de", "raw"), ["published_rho", "published_mean"]].tolist() == [0.7, 0.6]
    assert np.isnan(rho.loc[("en", "raw"), "published_rho"])
    assert rho.loc[("en", "raw"), "published_mean"] == 0.6
    standard = rho.xs("standardised", level="space")[["published_rho", "published_mean"]]
    assert standard.isna().all(axis=None)
    assert (table["note"] == "").all()


def test_each_cell_has_its_row_and_short_tests_are_said():
    frame = pd.concat(
        [
            variances(dict.fromkeys(SIX_TESTS, 1.0), variant="gt"),
            variances(dict.fromkeys(SIX_TESTS, 1.0), n_sets=3, encoder="cls_phrase"),
            variances({"WEAT11": 1.0, "WEAT16": 1.0}, variant="new"),
        ]
    )
    table = sensitivity(frame, NONE)
    assert list(table.columns) == [column.name for column in SENSITIVITY.columns]
    assert table["variant"].tolist() == ["gt", "human"]
    assert table["note"].tolist() == [
        "",
        "fewer than 4 sets in WEAT1, WEAT2, WEAT6, WEAT7, WEAT8, WEAT9",
    ]
    assert sensitivity(frame.iloc[:0], NONE).empty


@given(st.lists(st.floats(0, 10), min_size=6, max_size=6), st.permutations(range(6)))
def test_order_of_rows_does_not_matter(values, order):
    frame = variances(dict(zip(SIX_TESTS, values, strict=True)))
    first = sensitivity(frame, NONE)
    pd.testing.assert_frame_equal(first, sensitivity(frame.iloc[order], NONE), check_exact=True)
    assert first["rho_low"].ge(0).all()
    assert first["rho"].iloc[0] == pytest.approx(np.mean(values))
