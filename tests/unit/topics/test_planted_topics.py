"""Planted topics in small, and what the evidence for the alignment rule is computed with."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

# The generator is a benchmark's, not a part of the package.
sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))

from alignment.data import Region
from alignment.evidence import (
    Shuffled,
    any_discovery,
    clopper_pearson,
    hold_out,
    repeat_seeds,
    shuffle_genders,
    tell_together,
)
from alignment.fits import Fit, best_matches, fit_seeds
from alignment.masking import probe, replace_terms
from alignment.rules import (
    call_topics,
    count,
    document_strata,
    fisher_p,
    measure_topics,
    permutation_p,
    score_log_odds,
    score_paper,
    shuffle,
    shuffled_counts,
)
from planted_topics.generator import BASE, draw_gender, fill, write_corpus
from planted_topics.study import discover_nothing, find_topics, judge, name_topics

from biasatlas.lexicons.gender_mask import hidden_terms, mask_gender_terms
from biasatlas.lexicons.gender_scan import scan
from biasatlas.topics import alignment

LISTS = Path(__file__).parents[3] / "resources/word_lists/gender/en"
TERMS = hidden_terms([LISTS / "bolukbasi52.yaml", LISTS / "extended.yaml"])
PLANTED = {
    "court": "female",
    "hospital": "female",
    "music": "female",
    "football": "male",
    "banking": "male",
    "army": "male",
}


def embed(texts) -> np.ndarray:
    """Embed without a model: latent semantics of the words."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    weights = TfidfVectorizer(min_df=2, max_df=0.1).fit_transform(texts)
    vectors = TruncatedSVD(24, random_state=0).fit_transform(weights).astype(np.float32)
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


@pytest.fixture(scope="module")
def corpus():
    return write_corpus(PLANTED, np.random.default_rng(0), documents=220)


@pytest.fixture(scope="module")
def fit(corpus):
    rng = np.random.default_rng(1)
    texts = fill(corpus, draw_gender(corpus, 4.0, rng), rng)
    return find_topics(texts, embed, TERMS)


def test_the_text_around_the_terms_does_not_depend_on_gender(corpus):
    rng = np.random.default_rng(2)
    female = draw_gender(corpus, 4.0, rng)
    texts, other = fill(corpus, female, rng), fill(corpus, ~female, rng)
    for some, gender in ((texts, female), (other, ~female)):
        found = scan(some, TERMS)["gender"].to_numpy()
        assert (found == np.where(gender, "female", "male")).all()
    masked = [mask_gender_terms(some, TERMS, hyphen_is_letter=False) for some in (texts, other)]
    assert masked[0] == masked[1]


def test_shares_and_dependence_are_as_planted():
    corpus = write_corpus(PLANTED, np.random.default_rng(3), documents=1_000)
    rng = np.random.default_rng(4)
    draws = np.stack([draw_gender(corpus, 4.0, rng) for _ in range(60)])
    odds = BASE / (1 - BASE)
    for gender, factor in (("female", 4.0), ("male", 0.25), ("none", 1.0)):
        themes = [n for n, name in enumerate(corpus.themes) if PLANTED.get(name, "none") == gender]
        expected = odds * factor / (1 + odds * factor)
        assert draws[:, np.isin(corpus.theme, themes)].mean() == pytest.approx(expected, abs=0.02)
    null = np.stack([draw_gender(corpus, 1.0, rng, within_story=0.3) for _ in range(60)])
    first = np.flatnonzero(np.diff(corpus.document) == 0)
    within = np.mean([np.corrcoef(row[first], row[first + 1])[0, 1] for row in null])
    # A story's 0.3, and of what that leaves the document's 0.3.
    assert within == pytest.approx(0.3 + 0.7 * 0.3, abs=0.03)
    assert all(len({*corpus.theme[corpus.story == story]}) == 1 for story in range(50))


def test_planted_topics_are_recovered(corpus, fit):
    names = name_topics(corpus, fit)
    assert len({theme for theme in names if theme}) >= 14
    rng = np.random.default_rng(5)
    called = right = recovered = 0
    for _ in range(4):
        female = draw_gender(corpus, 12.0, rng)
        [told] = call_topics([(fit, female, corpus.document)], 499, rng)
        for gender in ("female", "male"):
            found = judge(corpus, names, told["gender"].to_numpy(), gender)
            called, right = called + found.called, right + found.right
            recovered += found.recovered
    assert right >= 0.85 * called
    assert recovered >= 0.6 * 4 * len(PLANTED)


def test_dependence_within_stories_is_seen_as_topics(corpus, fit):
    nothing = discover_nothing([corpus], [fit], 15, 6, within_story=0.0)
    stories = discover_nothing([corpus], [fit], 15, 6, within_story=0.8)
    assert nothing[1] / nothing[2] < 0.07
    assert stories[1] > 2 * nothing[1]
    assert stories[0] > nothing[0]


@pytest.fixture(scope="module")
def shuffled(corpus, fit):
    """Two regions whose genders are shuffled, the first data first."""
    rng = np.random.default_rng(7)
    return [
        shuffle_genders(
            Region("x", [], corpus.document, draw_gender(corpus, odds, rng), {}),
            fit,
            times=200,
            permutations=499,
            rng=rng,
        )
        for odds in (12.0, 6.0)
    ]


def test_shuffled_genders_give_few_discoveries(shuffled):
    together = tell_together(shuffled)
    assert all(called[0].mean() > 0.1 for called in together)
    *_, run = any_discovery(shuffled)
    assert run.shuffles == 200
    assert clopper_pearson(run.family, 200)[0] <= 0.10
    by_passages = shuffled[0].calls["Fisher over passages, p < .05"][1:].mean()
    assert by_passages > 1.5 * shuffled[0].calls["documents, p < .05"][1:].mean()


def test_the_family_is_all_regions_of_a_shuffle(shuffled):
    together = tell_together(shuffled)
    for row in range(0, 201, 20):
        tests = [
            pd.DataFrame(
                {
                    "p_value": one.p[row],
                    "p_min": one.p[row],
                    "log_odds": one.odds[row],
                    "excess": one.excess[row],
                }
            )
            for one in shuffled
        ]
        for told, called in zip(alignment.tell_genders(tests, fdr=0.10), together, strict=True):
            assert ((told["gender"] != "none").to_numpy() == called[row]).all()


def test_a_region_beside_others_that_are_gendered_can_have_more():
    """Twenty topics of a p of .001 raise the bar of another region from .10 / 21 to .10."""
    clear, unclear = (
        Shuffled(n, {}, np.full((3, n), p), np.ones((3, n)), np.ones((3, n)))
        for n, p in ((20, 0.001), (1, 0.09))
    )
    nothing = Shuffled(20, {}, np.ones((3, 20)), np.ones((3, 20)), np.ones((3, 20)))
    assert not tell_together([nothing, unclear])[1].any()
    assert tell_together([clear, unclear])[1].all()
    # Only the first row of the others counts.
    mixed = Shuffled(20, {}, np.vstack([clear.p[:1], nothing.p[1:]]), clear.odds, clear.excess)
    assert tell_together([mixed, unclear])[1].tolist() == [[True], [False], [False]]
    first, second, run = any_discovery([mixed, unclear])
    assert (first.family, first.alone, first.beside) == (0, 0, 0)
    assert (second.family, second.alone, second.beside) == (0, 2, 2)
    assert (run.family, run.alone, run.beside) == (0, 2, None)
    # A direction that the permutations contradict is no discovery.
    against = Shuffled(20, {}, clear.p, clear.odds, -clear.excess)
    assert not tell_together([against])[0].any()


# The figures that the evidence is made of


@pytest.fixture(scope="module")
def random_fit():
    rng = np.random.default_rng(8)
    document = np.repeat(np.arange(90), rng.integers(1, 4, 90))
    n = len(document)
    female = rng.random(n) < 0.4
    return Fit(rng.integers(0, 5, n), rng.random(n), 4), female, document


def test_scores_by_hand():
    fit = Fit(np.array([0, 0, 0, 1, 1, 2]), np.array([1.0, 0.5, 0.2, 0.3, 1.0, 0.0]), 2)
    female = np.array([True, True, False, True, True, False])
    everyone = np.ones(6, dtype=bool)
    assert count(fit, female).tolist() == [2, 2, 0]
    assert score_paper(fit, female, everyone) == pytest.approx([0.75 - 0.2, np.nan], nan_ok=True)
    expected = [np.log(2.5 / 1.5 / (2.5 / 1.5)), np.log(2.5 / 0.5 / (2.5 / 2.5))]
    assert score_log_odds(fit, female, everyone) == pytest.approx(expected)


def test_p_of_many_shuffles_is_p_of_the_package(random_fit):
    fit, female, document = random_fit
    rng = np.random.default_rng(9)
    reference = shuffled_counts(fit, female, document_strata(document), 20_000, rng)
    ours = permutation_p(count(fit, female)[None, :-1], reference)[0]
    theirs, _, _ = alignment.permutation_p(
        fit.topic, female, document, 5, permutations=20_000, seed=0
    )
    assert ours == pytest.approx(theirs[:-1], abs=0.02)


def test_topics_are_called_as_the_package_calls_them(corpus, fit):
    rng = np.random.default_rng(10)
    female = draw_gender(corpus, 12.0, rng)
    other = draw_gender(corpus, 1.0, rng)
    [ours, _] = call_topics(
        [(fit, female, corpus.document), (fit, other, corpus.document)], 20_000, rng
    )
    genders, p = ours["gender"].to_numpy(), ours["p_value"].to_numpy()
    frame = pd.DataFrame(
        {
            "topic": np.where(fit.topic == fit.n_topics, -1, fit.topic),
            "probability": fit.probability,
            "gender": np.where(female, "female", "male"),
            "document": corpus.document,
        }
    )
    frames = [frame, frame.assign(gender=np.where(other, "female", "male"))]
    tests = [
        alignment.measure_genders(one, permutations=20_000, bootstrap=2).query("topic != -1")
        for one in frames
    ]
    theirs = alignment.tell_genders(tests)[0]
    assert ours["log_odds"].to_numpy() == pytest.approx(theirs["log_odds"].to_numpy())
    excess = measure_topics(fit, female, corpus.document, 99, rng)["excess"].to_numpy()
    assert excess == pytest.approx(tests[0]["excess"].to_numpy())
    # Two sets of permutations: five standard errors of a p near 1, and of one near 0.
    expected = theirs["p_value"].to_numpy()
    assert p == pytest.approx(expected, abs=0.05)
    assert p[expected < 0.1] == pytest.approx(expected[expected < 0.1], abs=0.016)
    clear = np.abs(theirs["q_value"].to_numpy() - 0.10) > 0.03
    assert (genders == theirs["gender"].to_numpy())[clear].all()
    assert {"female", "male", "none"} == set(genders[clear])


def test_fisher_is_that_of_scipy(random_fit):
    fit, female, _ = random_fit
    f, m = count(fit, female), count(fit, ~female)
    p = fisher_p(f[None, :-1], (f + m)[:-1], int(female.sum()), len(female))[0]
    expected = [
        stats.fisher_exact([[f[k], m[k]], [f.sum() - f[k], m.sum() - m[k]]]).pvalue
        for k in range(4)
    ]
    assert p == pytest.approx(expected)


def test_a_shuffle_keeps_the_genders_of_documents_together(random_fit):
    _, female, document = random_fit
    shuffled = shuffle(female, document_strata(document), np.random.default_rng(0))

    def patterns(genders):
        return sorted(tuple(genders[document == one]) for one in np.unique(document))

    assert patterns(shuffled) == patterns(female)
    assert (shuffled != female).any()


def test_matches_by_hand():
    one = Fit(np.array([0, 0, 0, 1, 1, 2]), np.ones(6), 2)
    other = Fit(np.array([1, 1, 0, 0, 0, 2]), np.ones(6), 2)
    place, jaccard = best_matches(one, other)
    assert place.tolist() == [1, 0]
    assert jaccard == pytest.approx([2 / 3, 2 / 3])
    place, jaccard = best_matches(one, Fit(np.zeros(6, dtype=int), np.ones(6), 0))
    assert jaccard.tolist() == [0, 0]


def test_a_fit_is_that_of_a_run(corpus, fit):
    rng = np.random.default_rng(1)
    texts = fill(corpus, draw_gender(corpus, 4.0, rng), rng)
    masked = mask_gender_terms(texts, TERMS, hyphen_is_letter=False)
    [ours] = fit_seeds(masked, embed(masked), range(1, 2))
    assert (ours.topic == fit.topic).all()
    assert ours.probability == pytest.approx(fit.probability)
    assert ours.n_topics == fit.n_topics


def test_a_density_that_says_nothing_agrees_by_chance_and_counts_do_not():
    rng = np.random.default_rng(2)
    n = 4_000
    topic = rng.integers(0, 20, n)
    female = rng.random(n) < np.linspace(0.1, 0.9, 20)[topic]
    region = Region("x", [], np.arange(n), female, {})
    fits = [Fit(topic, rng.random(n), 20) for _ in range(6)]
    repeat = repeat_seeds(region, fits)
    assert (repeat.topics, repeat.matched, repeat.silent) == (300, 300, 0)
    assert repeat.agree["log odds"] == 300
    assert repeat.agree["paper"] < 220
    splits = hold_out(region, fits, 12, rng)
    rho = {
        name: np.mean([stats.spearmanr(one[name], one["share"]).statistic for one in splits])
        for name in ("log odds", "paper")
    }
    assert rho["log odds"] > 0.9
    assert abs(rho["paper"]) < 0.3


def test_interval_of_a_share_is_exact():
    expected = stats.binomtest(7, 200).proportion_ci(method="exact")
    assert clopper_pearson(7, 200) == pytest.approx((expected.low, expected.high))
    assert clopper_pearson(0, 20)[0] == 0
    assert clopper_pearson(20, 20)[1] == 1


def test_a_probe_tells_what_is_there():
    import polars as pl

    rng = np.random.default_rng(3)
    female, document = rng.random(200) < 0.5, np.arange(200)
    noise = rng.normal(size=(200, 4)).astype(np.float32)
    assert probe(noise, female, document)[0] < 0.65
    assert probe(noise + 4 * female[:, None], female, document)[0] > 0.95
    assert replace_terms(pl.Series(["é she, him", "x"]), TERMS, "person") == [
        "é person, person",
        "x",
    ]
