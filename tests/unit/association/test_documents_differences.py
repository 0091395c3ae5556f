"""Differences of regions: documents permuted between them."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from biasatlas.association.documents.differences import (
    COLUMNS,
    Settings,
    compare,
    compare_regions,
    pool_documents,
)
from biasatlas.association.product import Design

# The same small text as the tests of the bootstrap.
_spec = importlib.util.spec_from_file_location(
    "documents_text", Path(__file__).with_name("test_documents.py")
)
text = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(text)

SETTINGS = Settings(permutations=99, replicates=60, seed=2)
TEST = text.make_test()
DESIGN = Design.of([text.SETS])


def region(n_documents, seed, bias):
    return text.sums_of(*text.make_text(n_documents, seed, bias))


def test_pooled_documents_keep_their_sums():
    one, other = region(5, 1, 0.5), region(8, 2, 0.0)
    pooled, n_first = pool_documents(one, other)
    assert n_first == 5
    assert len(pooled.documents) == 13
    weights = np.zeros((13, 2))
    weights[:5, 0] = weights[5:, 1] = 1
    found = pooled.weighted(weights)
    for place, sums in enumerate((one, other)):
        alone = sums.weighted(np.ones((len(sums.documents), 1)))[0]
        np.testing.assert_allclose(found[place], alone, atol=1e-12)


def test_a_planted_difference_is_found():
    regions = {"far": region(60, 1, 1.0), "near": region(50, 2, 0.0), "too": region(40, 3, 0.0)}
    rows = compare_regions(regions, [TEST], text.TRANSFORM, text.RULES, SETTINGS)
    assert rows.columns.tolist() == list(COLUMNS)
    assert rows[["region_1", "region_2"]].to_numpy().tolist() == [
        ["far", "near"],
        ["far", "too"],
        ["near", "too"],
    ]
    first, second, _ = rows.to_dict("records")
    assert first["difference"] == pytest.approx(first["effect_1"] - first["effect_2"])
    for row in (first, second):
        assert row["difference"] > 0.5
        assert row["p_value"] == row["p_min"] == 1 / 100
        assert 0 < row["low"] < row["difference"] < row["high"] + 0.5
    assert (rows["permutations"] == 99).all()
    assert (rows["status"] == "ok").all()


def test_p_is_uniform_where_documents_come_from_one_text():
    settings = replace(SETTINGS, permutations=39, replicates=2)
    p = np.array(
        [
            compare(
                region(12, 2 * trial, 0.3),
                region(24, 2 * trial + 1, 0.3),
                DESIGN,
                text.TRANSFORM,
                settings,
                [trial],
            ).p_value[0]
            for trial in range(60)
        ]
    )
    # Beyond 14 of 60 at .1 or below with probability .001; the mean is .51 +- .04.
    assert (p <= 0.1).sum() <= 14
    assert 0.38 < p.mean() < 0.64


def test_two_regions_with_the_same_documents_do_not_differ():
    one = region(20, 1, 0.5)
    found = compare(one, one, DESIGN, text.TRANSFORM, SETTINGS)
    np.testing.assert_allclose(found.effects[0], found.effects[1])
    assert found.p_value[0] == 1


def test_only_words_of_both_regions_count():
    frame, vectors = text.make_text(30, 1, 0.5)
    without = frame.assign(text=frame["text"].str.replace("x1", "f1", regex=False))
    one, other = text.sums_of(frame, vectors), text.sums_of(without, vectors)
    rows = compare_regions(
        {"one": one, "other": other}, [TEST], text.TRANSFORM, text.RULES, SETTINGS
    )
    lacking = text.make_test(x=["x2", "x3"])
    alone = compare_regions(
        {"one": one, "other": other}, [lacking], text.TRANSFORM, text.RULES, SETTINGS
    )
    assert rows["effect_1"][0] == pytest.approx(alone["effect_1"][0])
    assert (rows["status"][0], alone["status"][0]) == ("thin", "ok")
    assert rows["note"][0].startswith("thin: 2 of 3 words of X found")


def test_short_documents_of_the_smaller_region_are_told():
    frame, vectors = text.make_text(20, 1, 0.5)
    short = frame.drop_duplicates("document").assign(text=lambda f: f["text"].str[:40])
    regions = {
        "large": text.sums_of(text.make_text(40, 2, 0.5)[0], vectors),
        "small": text.sums_of(short, vectors),
    }
    rules = replace(text.RULES, min_words=2, coverage_min=0.0)
    rows = compare_regions(regions, [TEST], text.TRANSFORM, rules, SETTINGS)
    assert "documents of small are short" in rows["note"][0]
    assert "20 documents in the smaller region" in rows["note"][0]


@pytest.mark.parametrize(
    ("transform", "n_documents", "reason"),
    [
        (text.TRANSFORM, 0, "none has no document"),
        (replace(text.TRANSFORM, matrix=np.full((3, 3), np.nan)), 20, "500 frequent words"),
    ],
)
def test_what_cannot_be_compared_is_refused(transform, n_documents, reason):
    frame, vectors = text.make_text(20)
    none = text.sums_of(frame[frame["document"] < f"d{n_documents:03d}"], vectors)
    regions = {"some": region(20, 1, 0.5), "none": none}
    tests = [TEST, text.make_test("lost", x=["never"])]
    words = [*text.WORDS, "never"]
    regions = {name: replace_words(sums, words) for name, sums in regions.items()}
    rows = compare_regions(regions, tests, transform, text.RULES, SETTINGS)
    assert (rows["status"] == "refused").all()
    assert reason in rows["note"][0]
    assert rows[["difference", "p_value", "low"]].isna().all(axis=None)


def replace_words(sums, words):
    """The same sums over more words, which no document holds."""
    more = tuple(sorted({*sums.words, *words}))
    counts = dict(zip(sums.words, np.diff(sums.starts), strict=True))
    starts = np.concatenate([[0], np.cumsum([counts.get(word, 0) for word in more])])
    return replace(sums, words=more, starts=starts)


def test_one_region_has_no_pair():
    rows = compare_regions({"one": region(5, 1, 0)}, [TEST], text.TRANSFORM, text.RULES, SETTINGS)
    assert len(rows) == 0
    assert rows.columns.tolist() == list(COLUMNS)
