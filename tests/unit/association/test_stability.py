"""Variance components: hand-computed, planted, and honest when nothing differs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from biasatlas.association.stability.components import (
    RegionEffects,
    variance_components,
    verdict,
    welch,
    words_variance,
)
from biasatlas.association.stability.rows import correct, stability_rows


def region(effects, resampled=(), words=0.1):
    return RegionEffects.of_models(np.array(effects), np.array(resampled, dtype=float), words)


def test_components_by_hand():
    first = region([1.0, 1.2], [0.8, 1.4], words=0.1)  # var_seed .02, var_noise .18
    second = region([0.0, 0.4], [0.0, 0.4], words=0.3)  # var_seed .08, var_noise .08
    parts = variance_components([first, second])
    assert parts.var_seed == pytest.approx(0.05)
    assert parts.var_documents == pytest.approx(0.13 - 0.05)
    assert parts.var_words == pytest.approx(0.2)
    assert parts.noise_sd == pytest.approx(np.sqrt(0.13))
    assert parts.var_region == pytest.approx(np.var([1.1, 0.2], ddof=1) - 0.13)


def test_welch_of_two_means_is_the_t_test_of_unequal_variances():
    rng = np.random.default_rng(5)
    one, two = rng.normal(0, 1, 6), rng.normal(1, 3, 9)
    means = np.array([one.mean(), two.mean()])
    variances = np.array([one.var(ddof=1) / 6, two.var(ddof=1) / 9])
    statistic, p = welch(means, variances, np.array([5, 8]))
    expected = stats.ttest_ind(one, two, equal_var=False)
    assert statistic == pytest.approx(expected.statistic**2)
    assert p == pytest.approx(expected.pvalue)


def test_regions_that_do_not_differ_are_seldom_told_apart():
    rng = np.random.default_rng(0)
    seed_sd, document_sd = 0.5, np.array([0.2, 0.3, 0.4, 0.7, 1.2])
    found = 0
    for _ in range(400):
        regions = []
        for sd in document_sd:
            centre = rng.normal(0, sd)
            effects = centre + rng.normal(0, seed_sd, 5)
            resampled = centre + rng.normal(0, np.hypot(sd, seed_sd), 5)
            regions.append(region(effects, resampled))
        found += variance_components(regions).p_value <= 0.05
    assert found / 400 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)


def test_regions_that_differ_by_far_more_than_the_noise_are_told_apart():
    rng = np.random.default_rng(1)
    regions = [region(m + rng.normal(0, 0.1, 5), m + rng.normal(0, 0.15, 5)) for m in (0, 1, 2)]
    parts = variance_components(regions)
    assert parts.p_value < 1e-3
    assert parts.var_region == pytest.approx(1.0, abs=0.3)


def test_without_resampled_models_the_noise_is_that_of_seeds():
    parts = variance_components([region([1.0, 1.2]), region([0.0, 0.4])])
    assert np.isnan(parts.var_documents)
    assert parts.noise_sd == pytest.approx(np.sqrt(0.05))


def test_a_bootstrap_has_no_seeds():
    one = RegionEffects.of_bootstrap(0.5, 0.2, 1000, 0.1, 200)
    # As many degrees of freedom as documents can give, however many replicates there are.
    assert one.degrees == 199
    parts = variance_components([one, RegionEffects.of_bootstrap(0.5, 0.4, 1000, 0.1, 200)])
    assert parts.var_seed == 0
    assert parts.var_documents == pytest.approx(0.1)
    assert parts.var_region == 0
    assert parts.f_statistic == pytest.approx(0, abs=1e-12)


def test_one_model_has_no_noise_to_test_against():
    parts = variance_components([region([1.0]), region([0.0])])
    assert np.isnan(parts.p_value)
    assert verdict("ok", "", parts.p_value) == "unknown"


@pytest.mark.parametrize(
    ("status", "note", "q", "expected"),
    [
        ("ok", "", 0.10, "exceeds"),
        ("ok", "", 0.11, "within"),
        ("ok", "no verdict: sizes", 0.01, "unknown"),
        ("thin", "", 0.01, "unknown"),
        ("refused", "", float("nan"), "unknown"),
    ],
)
def test_verdicts(status, note, q, expected):
    assert verdict(status, note, q) == expected


def make_rows(documents, control="passed", effects=(0.0, 2.0)):
    """Two regions with three seeds each and what the table is made of."""
    rng = np.random.default_rng(4)
    named = {"language": "en", "corpus": "news", "model": "word2vec", "test": "T"}
    scores, words, resampled = [], [], []
    for region, centre, n in zip(("north", "south"), effects, documents, strict=True):
        verdict_ = control if region == "south" else "passed"
        for seed in (1, 2, 3):
            row = named | {"region": region, "seed": seed}
            drawn = centre + rng.normal(scale=0.05, size=2)
            scores.append(row | {"effect_size": drawn[0], "status": "ok", "control": verdict_})
            resampled.append(row | {"effect_size": drawn[1], "n_documents": n})
            words += [row | {"set": "x", "influence": 0.1}, row | {"set": "x", "influence": 0.2}]
    frames = [pd.DataFrame(part) for part in (scores, words, resampled)]
    rows = stability_rows(*frames, pd.DataFrame(columns=["test"]))
    return correct(rows.assign(kind="gender")).iloc[0]


def test_regions_of_like_size_that_differ_exceed_the_noise():
    row = make_rows((100, 140))
    assert (row["verdict"], row["status"], row["regions"], row["seeds"]) == ("exceeds", "ok", 2, 3)
    assert row["q_value"] == row["p_value"] < 0.01


def test_regions_of_unequal_size_have_no_verdict():
    row = make_rows((100, 160))
    assert row["verdict"] == "unknown"
    assert "100 to 160 documents" in row["note"]
    assert np.isnan(row["p_value"])
    assert np.isnan(row["q_value"])


def test_vectors_that_fail_the_control_are_left_out_and_named():
    row = make_rows((100, 100), control="failed")
    assert (row["status"], row["regions"], row["verdict"]) == ("refused", 1, "unknown")
    assert "fail the control in south" in row["note"]


def test_variance_over_words_is_the_jackknife_of_a_mean():
    values = np.array([0.3, 0.5, 1.0, 0.1])
    n = len(values)
    without = (values.sum() - values) / (n - 1) - values.mean()
    frame = pd.DataFrame({"set": "x", "influence": without})
    assert words_variance(frame) == pytest.approx(values.var(ddof=1) / n)
