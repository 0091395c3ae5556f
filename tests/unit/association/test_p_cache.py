"""P-values kept between runs: what is taken from the file, and when it is not."""

from __future__ import annotations

import logging
import math
from dataclasses import astuple

import numpy as np
import pandas as pd
import pytest

from biasatlas.association import p_cache, permutation_test
from biasatlas.association.p_cache import CachedPermutation
from biasatlas.association.permutation.saddlepoint import saddlepoint_p

RNG = np.random.default_rng(0)
TESTS = [(RNG.normal(size=5 + k), RNG.normal(size=6)) for k in range(4)]


def test_the_first_time_worked_out_and_then_known(tmp_path, monkeypatch):
    first = CachedPermutation(tmp_path / "p.parquet")
    results = [first(x, y) for x, y in TESTS]
    assert results == [permutation_test(x, y) for x, y in TESTS]
    assert (first.hits, first.misses) == (0, 4)
    # In any order of words, in the same run too.
    assert first(TESTS[0][0][::-1], TESTS[0][1]) == results[0]
    assert (first.hits, first.misses) == (1, 4)
    first.save()
    monkeypatch.setattr(p_cache, "permutation_test", None)
    second = CachedPermutation(tmp_path / "p.parquet")
    assert [second(x, y) for x, y in TESTS] == results
    assert (second.hits, second.misses) == (4, 0)


def test_x_and_y_are_not_each_other(tmp_path):
    cached = CachedPermutation(None)
    x, y = TESTS[1]
    assert cached(y, x) == permutation_test(y, x)
    assert cached(x, y) == permutation_test(x, y)
    # Nor are words that went from one set to the other.
    moved = np.append(x, y[0]), y[1:]
    assert cached(*moved) == permutation_test(*moved)
    assert (cached.hits, cached.misses) == (0, 3)
    cached.save()
    assert not list(tmp_path.iterdir())


def test_a_score_that_moved_by_its_last_bit_is_another():
    cached = CachedPermutation(None)
    x, y = TESTS[0]
    cached(x, y)
    cached(np.nextafter(x, np.inf), y)
    assert cached.misses == 2
    zeros = CachedPermutation(None)
    zeros(np.array([0.0, 1.0]), np.array([2.0]))
    zeros(np.array([-0.0, 1.0]), np.array([2.0]))
    assert (zeros.hits, zeros.misses) == (1, 1)


def test_what_a_run_did_not_use_is_dropped_and_the_bytes_have_no_order(tmp_path):
    path = tmp_path / "p.parquet"
    first = CachedPermutation(path)
    for x, y in TESTS:
        first(x, y)
    first.save()
    whole = path.read_bytes()
    assert len(pd.read_parquet(path)) == 4
    second = CachedPermutation(path)
    for x, y in reversed(TESTS):
        second(x, y)
    second.save()
    assert path.read_bytes() == whole
    third = CachedPermutation(path)
    third(*TESTS[2])
    third.save()
    assert len(pd.read_parquet(path)) == 1
    CachedPermutation(path).save()
    assert len(pd.read_parquet(path)) == 0
    assert CachedPermutation(path)(*TESTS[0]) == permutation_test(*TESTS[0])


@pytest.mark.parametrize(
    "changed", [{"max_exact": 10}, {"relative_width": 1e-2}, {"mode": "saddlepoint"}], ids=str
)
def test_other_settings_do_not_take_these_p_values(tmp_path, changed):
    path = tmp_path / "p.parquet"
    first = CachedPermutation(path)
    first(*TESTS[0])
    first.save()
    other = CachedPermutation(path, **changed)
    other(*TESTS[0])
    assert (other.hits, other.misses) == (0, 1)


def test_other_code_does_not_take_these_p_values(tmp_path, monkeypatch):
    path = tmp_path / "p.parquet"
    first = CachedPermutation(path)
    first(*TESTS[0])
    first.save()
    monkeypatch.setattr(p_cache, "code_version", lambda *names: "mended")
    second = CachedPermutation(path)
    second(*TESTS[0])
    assert (second.hits, second.misses) == (0, 1)


def test_approximated_beyond_24_words_only(tmp_path):
    path = tmp_path / "p.parquet"
    # Of the small one the certified methods give another last bit.
    rng = np.random.default_rng(4)
    small, large = (
        (rng.normal(-0.3, 1, size=14), rng.normal(size=10)),
        (rng.normal(size=13), rng.normal(size=12)),
    )
    cached = CachedPermutation(path, mode="saddlepoint")
    assert cached(*small) == permutation_test(*small)
    close = cached(*large)
    assert close.method == "saddlepoint"
    assert close.p_value == saddlepoint_p(*large).p_value
    cached.save()
    # A band that is not there comes back as such.
    known = CachedPermutation(path, mode="saddlepoint")(*large)
    assert math.isnan(known.p_lower)
    assert math.isnan(known.p_upper)
    assert repr(astuple(known)) == repr(astuple(close))
    # Settings of the other methods do not matter: the file is of use under them, and small tests
    # are counted all the same.
    others = {"max_exact": 8, "relative_width": 1e-2, "mode": "saddlepoint"}
    again = CachedPermutation(path, **others)
    again(*large)
    assert again.hits == 1
    assert CachedPermutation(None, **others)(*small) == permutation_test(*small)


@pytest.mark.parametrize("damage", ["cut", "text", "other table"])
def test_a_damaged_file_is_worked_out_anew_with_a_warning(tmp_path, caplog, damage):
    path = tmp_path / "p.parquet"
    first = CachedPermutation(path)
    expected = first(*TESTS[0])
    first.save()
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:-20])
    elif damage == "text":
        path.write_text("p")
    else:
        pd.DataFrame({"scores": [1]}).to_parquet(path)
    with caplog.at_level(logging.WARNING):
        second = CachedPermutation(path)
    assert "p.parquet" in caplog.text
    assert second(*TESTS[0]) == expected
    assert second.misses == 1
    second.save()
    assert CachedPermutation(path)(*TESTS[0]) == expected


def test_an_unknown_mode():
    with pytest.raises(ValueError, match="certified, saddlepoint"):
        CachedPermutation(None, mode="sampled")  # type: ignore[arg-type]


def test_a_test_that_cannot_be_done_is_not_remembered():
    cached = CachedPermutation(None)
    for _ in range(2):
        with pytest.raises(ValueError, match="scores are equal"):
            cached(np.ones(3), np.ones(3))
    assert (cached.hits, cached.misses) == (0, 0)
