"""Agreement of encoders: by hand, and the paper's own share of cells with both signs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from biasatlas.association.languages.agreement import agreement
from biasatlas.association.languages.published import read_published_scores
from biasatlas.tables.language_tables import AGREEMENT


def grid(d: list[float], q: list[float] | None = None, **cell: object) -> pd.DataFrame:
    base = {"language": "de", "model": "m", "group": "multilingual", "variant": "human"}
    base |= {"space": "raw", "test": "WEAT1", "status": "ok"} | cell
    q = [np.nan] * len(d) if q is None else q
    return pd.DataFrame(
        [
            base | {"encoder": f"e{place}", "effect_size": one, "q_two_sided": other}
            for place, (one, other) in enumerate(zip(d, q, strict=True))
        ]
    )


def test_one_cell_by_hand():
    d = [1.0, 0.5, 0.25, -0.5, 0.0, np.nan]
    q = [0.01, 0.05, np.nan, 0.001, 0.9, np.nan]
    (row,) = agreement(grid(d, q)).to_dict("records")
    assert (row["n_encoders"], row["n_positive"]) == (5, 3)
    assert row["share_agreeing"] == 0.6
    assert (row["d_median"], row["d_low"], row["d_high"]) == (0.25, -0.5, 1.0)
    assert (row["n_significant"], row["n_significant_positive"]) == (2, 1)


def test_most_may_be_negative_and_zero_agrees_with_none():
    assert agreement(grid([-1.0, -2.0, 0.5]))["share_agreeing"].tolist() == [2 / 3]
    assert agreement(grid([0.0, 0.0]))["share_agreeing"].tolist() == [0.0]


def test_spaces_and_models_stand_apart_and_one_encoder_has_no_row():
    frame = pd.concat(
        [
            grid([1.0, 1.0]),
            grid([1.0, -1.0], space="standardised"),
            grid([1.0], model="sentence"),
            grid([1.0, np.nan], model="refused"),
        ]
    )
    table = agreement(frame)
    assert table["space"].tolist() == ["raw", "standardised"]
    assert table["share_agreeing"].tolist() == [1.0, 0.5]
    assert list(table.columns) == [column.name for column in AGREEMENT.columns]
    shuffled = agreement(frame.sample(frac=1, random_state=3))
    pd.testing.assert_frame_equal(table, shuffled, check_exact=True)
    assert agreement(frame.iloc[:0]).empty


def test_in_74_percent_of_the_papers_cells_the_ten_disagree(shared_folder):
    table = read_published_scores(shared_folder("weathub"))
    table = table[(table["variant"] == "all") & table["model"].isin(["distilbert", "fasttext"])]
    frame = table.rename(columns={"published_d": "effect_size"}).assign(
        model="distilbert", group="multilingual", space="raw", status="ok", q_two_sided=np.nan
    )
    found = agreement(frame)
    assert len(found) == 24 * 6
    assert (found["n_encoders"] == 10).all()
    assert (found["share_agreeing"] < 1).mean() == pytest.approx(0.743, abs=0.001)
    # In two cells the others are rounded to 0.
    both_signs = (found["d_low"] < 0) & (found["d_high"] > 0)
    assert both_signs.sum() == (found["share_agreeing"] < 1).sum() - 2
