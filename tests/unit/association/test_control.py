"""The positive control marks every row, on every set of vectors."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from biasatlas.association.collect import score_models, score_with_control
from biasatlas.association.control import add_control, control_verdict
from biasatlas.association.score import Settings
from biasatlas.lexicons.word_lists import AssociationTest, WordSet
from biasatlas.vectors import WordVectors, save_word2vec


def frame(d, p, status="ok", null_high=float("nan")):
    drawn = int(null_high == null_high)
    return pd.DataFrame(
        {
            "test": ["CONTROL1", "WEAT1"],
            "effect_size": [d, -1],
            "p_value": [p, 1],
            "status": [status, "ok"],
            "null_n": [drawn, 0],
            "null_high": [null_high, 0],
        }
    )


def test_a_control_within_the_null_band_or_thin_fails():
    assert control_verdict(frame(1.2, 0.01, null_high=1.1), ["CONTROL1"]) == "passed"
    assert control_verdict(frame(1.2, 0.01, null_high=1.3), ["CONTROL1"]) == "failed"
    assert control_verdict(frame(1.2, 0.01, status="thin"), ["CONTROL1"]) == "failed"


def test_later_rows_are_marked_by_their_vectors():
    scores = pd.DataFrame(
        [
            ("en", "news", "north", "alc", -1, "passed"),
            ("en", "news", "south", "alc", -1, "failed"),
            ("en", "news", "north", "word2vec", 1, "failed"),
        ],
        columns=["language", "corpus", "region", "model", "seed", "control"],
    )
    place = {"language": "en", "corpus": "news"}
    one = [place | {"region": region} for region in ("north", "south", "west")]
    assert add_control(pd.DataFrame(one), scores)["control"].tolist() == [
        "passed",
        "failed",
        "none",
    ]
    pairs = [
        place | {"region_1": "north", "region_2": "south", "model": "alc"},
        place | {"region_1": "north", "region_2": "west", "model": "alc"},
        place | {"region_1": "north", "region_2": "south", "model": "corpus"},
    ]
    assert add_control(pd.DataFrame(pairs), scores)["control"].tolist() == [
        "failed",
        "none",
        "none",
    ]
    models = [place | {"region": "north", "model": m, "seed": s} for m, s in (("word2vec", 1),)]
    assert add_control(pd.DataFrame(models), scores)["control"].tolist() == ["failed"]


@pytest.mark.parametrize(
    ("d", "p", "verdict"),
    [
        (1.2, 0.05, "passed"),
        (1.2, 0.06, "failed"),
        (-1.2, 0.01, "failed"),
        (np.nan, np.nan, "failed"),
    ],
)
def test_verdicts(d, p, verdict):
    assert control_verdict(frame(d, p), ["CONTROL1"]) == verdict
    assert control_verdict(frame(d, p), ["CONTROL1", "CONTROL2"]) == "failed"
    assert control_verdict(frame(d, p), []) == "none"


def make_test(name, x, y, a, b):
    sets = {s: WordSet(s, tuple(words)) for s, words in zip("xyab", (x, y, a, b), strict=True)}
    return AssociationTest(test=name, description="", language="en", citation="", **sets)


def test_every_model_is_scored_and_marked_by_its_own_control(tmp_path):
    rng = np.random.default_rng(0)
    groups = [[f"{s}{n}" for n in range(5)] for s in "xyab"]
    words = tuple(word for group in groups for word in group)
    good = rng.normal(scale=0.3, size=(20, 8))
    good[:, 0] += np.repeat([1, -1, 1, -1], 5)
    good[:, 1] += 0.3 * np.repeat([-1, 1, 1, -1], 5)
    bad = good.copy()
    bad[:, 0] = 0
    for name, matrix in (("good", good), ("bad", bad)):
        save_word2vec(WordVectors(words, matrix.astype(np.float32)), tmp_path / f"{name}.bin")
    control, test = make_test("CONTROL1", *groups), make_test("T", *groups[:2], *groups[:1:-1])
    scored = score_models(
        lambda vectors: score_with_control([test], [control], vectors, Settings(nulls=0)),
        [tmp_path / "good.bin", tmp_path / "bad.bin"],
        [("word2vec", 1), ("alc", -1)],
        region="north",
    )
    for part in (scored.scores, scored.words):
        verdicts = part.groupby("model")["control"].agg(set).to_dict()
        assert verdicts == {"word2vec": {"passed"}, "alc": {"failed"}}
    for part in (scored.scores, scored.words, scored.coverage):
        assert set(part["region"]) == {"north"}
        assert {(m, s) for m, s in zip(part["model"], part["seed"], strict=True)} == {
            ("word2vec", 1),
            ("alc", -1),
        }
    assert len(scored.words) == 2 * 2 * 20
