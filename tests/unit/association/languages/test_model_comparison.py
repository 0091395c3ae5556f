"""Two models on the same tests: by hand, who is compared with whom, planted differences."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from biasatlas.association.languages.model_comparison import compare_models
from biasatlas.association.languages.paired import signed_rank
from biasatlas.tables.language_tables import MODEL_COMPARISON

TESTS = ["WEAT1", "WEAT2", "WEAT6", "WEAT7", "WEAT8", "WEAT9"]


def grid(
    model: str, d: dict[str, float] | list[float], group: str = "multilingual", **cell: object
) -> pd.DataFrame:
    values = d if isinstance(d, dict) else dict(zip(TESTS, d, strict=False))
    base = {"language": "de", "model": model, "group": group, "variant": "human"}
    base |= {"encoder": "all_mean", "space": "raw", "status": "ok"} | cell
    return pd.DataFrame([base | {"test": t, "effect_size": one} for t, one in values.items()])


def test_by_hand():
    frame = pd.concat(
        [
            grid("mono", [0.5, 0.9, -0.2, 0.1], group="monolingual"),
            grid("multi", [0.6, 0.7, 0.2, 0.8]),
        ]
    )
    (row,) = compare_models(frame).to_dict("records")
    # The multilingual one comes first.
    assert (row["model"], row["other_model"]) == ("multi", "mono")
    assert (row["group"], row["other_group"]) == ("multilingual", "monolingual")
    assert row["n_tests"] == 4
    assert row["difference"] == pytest.approx((0.1 - 0.2 + 0.4 + 0.7) / 4)
    assert row["absolute_difference"] == pytest.approx(1.4 / 4)
    assert row["sign_agreement"] == 0.75
    # Ranks 3 4 1 2 and 2 3 1 4: squares of differences 1 1 0 4.
    assert row["correlation"] == pytest.approx(1 - 6 * 6 / (4 * 15))
    # Signed ranks 1 -2 3 4: 2 of the 10 go down, and W <= 2 in 3 of 16 ways, twice.
    assert row["p_value"] == pytest.approx(2 * 3 / 16)
    assert row["q_value"] == row["p_value"]
    assert row["note"] == "p over 4 tests is at least 0.12"


def test_variants_of_a_test_are_one_observation():
    up = {"WEAT1": 0.9, "WEAT2": 0.8, "WEAT6": 0.5}
    zero = dict.fromkeys(up, 0.0)
    frame = pd.concat(
        [grid(m, d, variant=v) for m, d in (("m1", up), ("m2", zero)) for v in ("gt", "human")]
    )
    (row,) = compare_models(frame).to_dict("records")
    assert row["n_tests"] == 6
    assert row["p_value"] == 2 / 2**3


def test_only_ok_rows_of_both_count():
    other = grid("m2", [0.0] * 6)
    other.loc[other["test"] == "WEAT1", "status"] = "thin"
    other.loc[other["test"] == "WEAT2", "effect_size"] = np.nan
    frame = pd.concat([grid("m1", [9.0, 9.0, 1.0, 1.0, 1.0]), other])
    (row,) = compare_models(frame).to_dict("records")
    assert (row["n_tests"], row["difference"]) == (3, 1.0)
    # One model does not vary, so there is no correlation.
    assert np.isnan(row["correlation"])
    assert compare_models(grid("m1", [1.0] * 6)).empty
    assert compare_models(frame.iloc[:0]).empty


def test_models_of_different_kinds_meet_by_their_main_encoders():
    d = [0.1, 0.2, 0.3, 0.4, 0.5, 0.7]
    frame = pd.concat(
        [
            grid("bert", d),
            grid("bert", d, encoder="cls_phrase"),
            grid("xlmr", d),
            grid("xlmr", d, encoder="cls_phrase"),
            grid("use", d, encoder="sentence"),
            grid("cc", d, group="monolingual", encoder="fasttext"),
        ]
    )
    table = compare_models(frame)
    found = set(table[["encoder", "model", "other_model"]].itertuples(index=False, name=None))
    assert found == {
        ("all_mean", "bert", "xlmr"),
        ("cls_phrase", "bert", "xlmr"),
        ("all_mean v sentence", "bert", "use"),
        ("sentence v all_mean", "use", "xlmr"),
        ("all_mean v fasttext", "bert", "cc"),
        ("all_mean v fasttext", "xlmr", "cc"),
        ("sentence v fasttext", "use", "cc"),
    }
    assert not table.duplicated(list(MODEL_COMPARISON.key)).any()
    assert list(table.columns) == [column.name for column in MODEL_COMPARISON.columns]
    shuffled = compare_models(frame.sample(frac=1, random_state=2))
    pd.testing.assert_frame_equal(table, shuffled, check_exact=True)


def test_a_planted_shift_is_found_and_noise_is_not():
    rng = np.random.default_rng(8)
    tests = [f"WEAT{n}" for n in range(1, 21)]
    d = rng.normal(size=20)
    noisy = d + rng.normal(scale=0.1, size=20)
    frames = [
        grid("m1", dict(zip(tests, d, strict=True))),
        grid("m2", dict(zip(tests, noisy, strict=True))),
        grid("m3", dict(zip(tests, noisy - 0.5, strict=True))),
    ]
    table = compare_models(pd.concat(frames)).set_index(["model", "other_model"])
    assert table.loc[("m1", "m3"), "q_value"] < 0.001
    assert table.loc[("m1", "m2"), "q_value"] > 0.05
    assert (table["correlation"] > 0.9).all()


def test_signed_rank_by_hand_and_by_counting():
    assert signed_rank(np.array([1.0, 2.0, 3.0])) == (0.25, 0.25)
    # Zeros say nothing; none left is no evidence; nothing at all is no test.
    assert signed_rank(np.array([1.0, 2.0, 3.0, 0.0, 1e-15])) == (0.25, 0.25)
    assert signed_rank(np.array([0.0, 0.0])) == (1.0, 1.0)
    assert np.isnan(signed_rank(np.array([]))).all()
    tied = np.array([0.1 + 0.2, 0.3, -0.3, 0.9, 1.2])
    ranks = stats.rankdata(np.round(np.abs(tied), 9))
    signs = 1 - 2 * ((np.arange(32)[:, None] >> np.arange(5)) & 1)
    sums, own = signs @ ranks, np.sign(tied) @ ranks
    assert signed_rank(tied)[0] == pytest.approx((np.abs(sums) >= abs(own) - 1e-9).mean())
