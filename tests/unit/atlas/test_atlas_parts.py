"""How numbers are written, and what the tables do with foreign text."""

from __future__ import annotations

from math import comb, inf, nan

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from biasatlas.atlas.charts import rows, wrap
from biasatlas.atlas.evaluation import rank_correlation
from biasatlas.atlas.parts import DataTable, interval, link, listing, number, plural, probability
from biasatlas.atlas.places import add_place, rank_test, region_order
from biasatlas.atlas.scores import (
    BEYOND,
    beyond_null,
    coverage_text,
    is_sure,
    marks_of,
    separates,
    summarise,
    verdict,
)


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (1 / 12870, "0.0000777"),
        (0.05, "0.0500"),
        (0.25, "0.250"),
        (1.0, "1.000"),
        (1 / comb(50, 25), "7.9 × 10⁻¹⁵"),
        (nan, "–"),
    ],
)
def test_p_is_written_in_full(p: float, text: str) -> None:
    assert probability(p) == text


@given(st.floats(min_value=1e-300, max_value=1.0))
def test_a_positive_p_is_never_written_as_zero(p: float) -> None:
    assert any(digit in probability(p).partition(" ×")[0] for digit in "123456789")


def test_smallest_possible_p_is_marked() -> None:
    assert probability(1 / 70, 1 / 70) == "0.0143 (smallest possible)"
    assert probability(0.02, 1 / 70) == "0.0200"
    assert probability(0.0, 1 / 70) == "< 0.0143"


def test_numbers() -> None:
    assert number(-0.004) == "0.00"
    assert number(-1.239) == "−1.24"
    assert number(None) == number(nan) == "–"
    assert interval(-0.5, 0.25) == "[−0.50, 0.25]"
    assert interval(nan, 1.0) == "–"
    assert listing([]) == ""
    assert listing(["a", "b"]) == "a and b"
    assert plural(1, "country", "countries") == "1 country"
    assert plural(1200, "country", "countries") == "1,200 countries"


def test_tables_escape_text_and_keep_markup() -> None:
    table = DataTable(["<h>"], [["<script>"], [Markup("<b>x</b>")]], frozenset({"<h>"}), "a & b")
    html = table.html()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "<b>x</b>" in html
    assert '<th scope="col" class="number">&lt;h&gt;</th>' in html
    assert "<summary>a &amp; b</summary>" in html


def test_links_only_to_the_web() -> None:
    assert link("a", "javascript:alert(1)") == "a (javascript:alert(1))"
    assert 'href="https://x.org/?a=1&amp;b=&#34;"' in link("a", 'https://x.org/?a=1&b="')
    assert link("<a>", "") == "&lt;a&gt;"


def test_gender_tests_come_first_then_by_number() -> None:
    names = ["WEAT10", "WEAT2", "x", "WEAT8", "WEAT6", "12b"]
    assert sorted(names, key=rank_test) == ["WEAT6", "WEAT8", "12b", "WEAT2", "WEAT10", "x"]


def test_regions_keep_the_order_of_the_run() -> None:
    frame = pd.DataFrame({"region": ["b", "pretrained", "z", "a", ""], "language": ["en"] * 5})
    info = {"regions": {"z": "Zed", "b": "Bee"}}
    assert region_order(frame, info) == ["z", "b", "a", "pretrained"]
    places = add_place(frame, info)["place"].tolist()
    assert places == ["Zed", "Bee", "a", "Pretrained (reference)", "(no region)"]


def test_languages_are_named_where_there_are_several() -> None:
    frame = pd.DataFrame({"region": ["a", "a"], "language": ["fr", "en"]})
    assert add_place(frame, {"regions": {"a": "A"}})["place"].tolist() == ["A · en", "A · fr"]


def test_charts_hold_no_nan() -> None:
    values = rows([{"a": nan, "b": inf, "c": 1.0, "d": "x", "e": pd.Series([3])[0]}]).values
    assert values == [{"a": None, "b": None, "c": 1.0, "d": "x", "e": 3}]


def test_wrap_keeps_words_whole() -> None:
    assert wrap("criminal justice system", 16) == "criminal justice\nsystem"
    assert wrap("a b c d", 3, lines=1) == "a …"


def scores(effects: list[float], q: list[float], status: list[str]) -> pd.DataFrame:
    frame = pd.DataFrame({"effect_size": effects, "q_value": q, "status": status})
    return frame.assign(
        effect_low=frame["effect_size"] - 0.2,
        effect_high=frame["effect_size"] + 0.2,
        null_low=-0.4,
        null_high=0.4,
        control="passed",
        model="word2vec",
        text_q=nan,
        text_part=nan,
    )


def test_summary_of_seeds() -> None:
    cell = summarise(scores([0.5, 1.5], [0.01, 0.10], ["ok", "ok"]))
    assert (cell["mean"], cell["sd"]) == (1.0, pytest.approx(0.5**0.5))
    assert (cell["significant"], cell["thin"], cell["flips"]) == (True, False, False)
    cell = summarise(scores([-0.5, 1.5, nan], [0.01, 0.11, nan], ["ok", "thin", "refused"]))
    assert (cell["seeds"], cell["significant"], cell["thin"], cell["flips"]) == (
        2,
        False,
        True,
        True,
    )
    good = scores([0.5, 1.5], [0.01, 0.10], ["ok", "ok"])
    assert is_sure(summarise(good))
    assert marks_of(summarise(good)) == []
    assert not is_sure(summarise(scores([0.1, 1.5], [0.01, 0.10], ["ok", "ok"])))
    cell = summarise(scores([nan], [nan], ["refused"]))
    assert cell["refused"]
    assert cell["mean"] is None
    assert not cell["significant"]
    assert summarise(scores([0.3], [nan], ["ok"]))["sd"] is None
    assert not summarise(scores([0.3], [nan], ["ok"]))["significant"]


@pytest.mark.parametrize(
    ("changes", "separated", "marks"),
    [
        ({"null_high": 0.6}, True, ["in null band"]),
        ({"null_low": [-0.4, nan], "null_high": [0.4, nan]}, True, ["no null band"]),
        ({"control": ["passed", "failed"]}, False, ["control failed"]),
        ({"control": ["passed", "none"]}, False, ["no control"]),
        ({"effect_low": -0.1}, False, ["interval holds 0"]),
        ({"status": "thin", "q_value": nan}, False, ["thin"]),
        ({"effect_size": [0.5, nan]}, False, ["q > 0.10", "seed refused"]),
        ({"model": "alc"}, True, ["pretrained?"]),
        ({"model": "alc", "text_q": [0.01, 0.11], "text_part": 0.3}, True, ["pretrained?"]),
        ({"model": "alc", "text_q": 0.01, "text_part": -0.3}, True, ["pretrained?"]),
    ],
)
def test_one_doubt_is_enough(changes: dict, separated: bool, marks: list[str]) -> None:
    cell = summarise(scores([0.5, 1.5], [0.01, 0.10], ["ok", "ok"]).assign(**changes))
    assert separates(cell) is separated
    assert not is_sure(cell)
    assert marks_of(cell) == marks


def test_an_alc_score_with_its_own_text_is_sure() -> None:
    frame = scores([0.5, 1.5], [0.01, 0.10], ["ok", "ok"])
    cell = summarise(frame.assign(model="alc", text_q=0.10, text_part=0.2))
    assert is_sure(cell)
    assert marks_of(cell) == []


def test_a_point_in_its_band_is_never_beyond_it() -> None:
    frame = scores([-0.5, 0.39, 0.41, nan], [0.01] * 4, ["ok"] * 4)
    assert beyond_null(frame).tolist() == [True, False, True, False]
    assert not beyond_null(frame.assign(null_low=nan, null_high=nan)).any()


def test_the_verdict_is_true_of_any_number() -> None:
    good = summarise(scores([0.5, 1.5], [0.01, 0.10], ["ok", "ok"]))
    inside, untested = {**good, "beyond": False}, {**good, "beyond": False, "null": False}
    poor = {**good, "thin": True}
    lent = {**good, "own_text": False}
    score = "à la carte score"
    source = "that may come from the pretrained vectors"

    def said(*cells: dict) -> tuple[str, str]:
        first, second = verdict(cells, "score", "all")
        return first.split(" their words")[0], second

    assert said() == ("None of 0 scores (all) separate", "")
    assert said(poor) == ("None of 1 score (all) separate", "")
    assert said(good, poor) == ("1 of 2 scores (all) separates", f"; it lies beyond {BEYOND}")
    assert said(inside)[1] == f"; it does not lie beyond {BEYOND}"
    assert said(good, inside)[1] == f"; 1 of these lies beyond {BEYOND}"
    assert said(good, good)[1] == f"; 2 of these lie beyond {BEYOND}"
    assert said(inside, inside)[1] == f"; none of these lie beyond {BEYOND}"
    assert said(lent)[1] == f"; it lies beyond {BEYOND}, and it is an {score} {source}"
    assert said(lent, inside)[1] == (
        f"; 1 of these lies beyond {BEYOND}, and it is an {score} {source}"
    )
    assert said(good, lent)[1] == (
        f"; 2 of these lie beyond {BEYOND}, and 1 of those is an {score} {source}"
    )
    assert said(lent, lent, good)[1] == (
        f"; 3 of these lie beyond {BEYOND}, and 2 of those are {score}s {source}"
    )
    borrowed = {**inside, "own_text": False}
    assert said(borrowed, inside)[1] == (
        f"; none of these lie beyond {BEYOND}, and 1 of these is an {score} {source}"
    )
    assert said(untested)[1] == f"; whether that goes beyond {BEYOND} was not tested"


def test_coverage_is_split_only_where_it_differs() -> None:
    assert coverage_text(0.9, 0.25, 0.25) == "90% of terms, 25% of names"
    assert coverage_text(0.9, nan, 0.9) == "90% of words"
    assert coverage_text(0.5, 0.5, 0.5) == "50% of words"


def test_rank_correlation() -> None:
    rho = rank_correlation([1, 2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5, 7, 6])
    assert rho is not None
    # 1 - 6 * 2 / (7 * 48)
    assert rho[0] == pytest.approx(1 - 12 / 336)
    assert rho[1] < rho[0] < rho[2] < 1
    assert rank_correlation([1, 2, 3, 4], [1, 2, 3, 4]) is None
    assert rank_correlation([1, 1, 1, 1, 1], [1, 2, 3, 4, 5]) is None
