"""What the models answered and cost, by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from biasatlas.errors import InputError
from biasatlas.personas.costs import describe_models
from biasatlas.tables.storage import write_table


def model(name, prices=(None, None)):
    return {
        "name": name,
        "backend": "openai",
        "source": f"{name}-large",
        "revision": "",
        "price_prompt": prices[0],
        "price_reply": prices[1],
    }


def replies():
    columns = (
        "language model gender reason contradicted finish prompt_tokens reply_tokens answered_by"
    )
    return pd.DataFrame(
        [
            ("en", "dear", "female", "", True, "stop", 100, 30, "dear-2"),
            ("en", "dear", "male", "", False, "length", 110, 40, "dear-1"),
            ("en", "dear", "undecided", "refusal", False, "stop", 90, 10, "dear-2"),
            ("en", "free", "undecided", "empty", False, "length", 80, 0, ""),
            ("de", "free", "undecided", "blocked", False, "stop", 70, 5, "free"),
        ],
        columns=columns.split(),
    )


def test_models_by_hand(tmp_path):
    found = describe_models(replies(), [model("free"), model("dear", (3.0, 15))])
    assert found[["language", "model"]].to_numpy().tolist() == [
        ["de", "dear"],
        ["de", "free"],
        ["en", "dear"],
        ["en", "free"],
    ]
    dear = found.iloc[2]
    counts = ["n_replies", "n_female", "n_male", "n_refusal", "n_empty", "n_contradicted", "n_cut"]
    assert dear[counts].tolist() == [3, 1, 1, 1, 0, 1, 1]
    assert dear["answered_by"] == "dear-1; dear-2"
    # 300 tokens of questions at 3 and 80 of replies at 15 a million.
    assert dear["cost"] == pytest.approx((300 * 3 + 80 * 15) / 1e6)
    assert found.iloc[3][["n_empty", "n_cut", "prompt_tokens"]].tolist() == [1, 1, 80]
    assert np.isnan(found.iloc[3]["cost"])
    assert found.iloc[1]["n_blocked"] == 1
    # A model that answered nothing in a language cost nothing there.
    assert found.iloc[0][["n_replies", "cost"]].tolist() == [0, 0]
    write_table("persona_models", found, tmp_path / "m.csv")


def test_every_unknown_model_is_named():
    with pytest.raises(InputError, match="'dear' is unknown; allowed are other") as caught:
        describe_models(replies(), [model("other")])
    assert len(caught.value.problems) == 2


def test_no_replies():
    assert describe_models(replies().iloc[:0], [model("free")]).empty
