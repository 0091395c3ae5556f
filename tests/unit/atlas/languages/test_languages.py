"""The section on languages of the main page."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from html import unescape
from math import nan
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from biasatlas.atlas import build_page
from biasatlas.atlas import page as page_module
from biasatlas.atlas.language_heatmap import heat_figure, heat_key, prepare
from biasatlas.atlas.language_lists import _ACTIONS, PROBLEMS
from biasatlas.atlas.language_models import cluster_figure, plain_figure, space_figure
from biasatlas.atlas.language_names import (
    ENCODERS,
    SPACES,
    VARIANTS,
    language_label,
    language_order,
    marks,
    number_test,
)
from biasatlas.atlas.languages import TABLES, counts, section
from biasatlas.atlas.multiverse import agreement_figure, disagreeing, strip_figure
from biasatlas.atlas.page import script_json
from biasatlas.atlas.translation_chart import smallest_q, translation_figures
from biasatlas.encoders.layers import CLS, LAYER_ENCODERS
from biasatlas.tables import TABLES as ALL_TABLES

Tables = dict[str, pd.DataFrame]
Make = Callable[..., Any]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
HOSTILE = "</script><script>document.title='taken'</script>"


def test_every_value_that_a_table_allows_has_a_name() -> None:
    allowed = {
        (name, column.name): set(column.allowed)
        for name in ("weathub", "weathub_lists")
        for column in ALL_TABLES[name].columns
    }
    assert set(PROBLEMS) == allowed["weathub_lists", "problem"]
    assert set(_ACTIONS) == allowed["weathub_lists", "action"]
    assert set(VARIANTS) == allowed["weathub", "variant"]
    assert set(SPACES) == allowed["weathub", "space"]
    assert set(ENCODERS) >= {*LAYER_ENCODERS, CLS, "token_in_context", "sentence", "fasttext"}


def test_no_tables_and_nothing_left_out_gives_no_section(empty_tables: Tables) -> None:
    assert section({}, {}) is None
    assert section(empty_tables, {"languages": {"left_out": []}}) is None


def test_what_was_left_out_is_said_without_any_score(empty_tables: Tables) -> None:
    made = section(empty_tables, {"languages": {"left_out": ["No lists: <b>fetch</b> them."]}})
    assert made is not None
    assert made.figures == []
    assert "No lists: &lt;b&gt;fetch&lt;/b&gt; them." in made.cards
    assert made.finding == "The run has no association scores by language and encoder."


def test_vectors_of_little_text_are_warned_of(make_tables: Make) -> None:
    made = section(make_tables(["ar", "hi"]), {"languages": {"texts": ["40,000 words only"]}})
    assert made is not None
    assert made.cards.index("40,000 words only") < made.cards.index("A page for each language")


def test_every_table_may_be_missing(make_tables: Make) -> None:
    tables = make_tables(["ar", "hi"], variants=("human",))
    for name in TABLES:
        made = section({key: frame for key, frame in tables.items() if key != name}, {})
        assert made is not None
        assert f"tables/{name}.csv" not in made.cards
    whole = section(tables, {})
    assert whole is not None
    assert all(f'href="../tables/{name}.csv"' in whole.cards for name in TABLES)
    assert 'href="languages/hi.html">Hindi (hi)</a>' in whole.cards


def test_finding_counts_what_the_table_holds(make_tables: Make) -> None:
    tables = make_tables(["ar", "hi"])
    scores, agreement = tables["weathub"], tables["agreement"]
    made = section(tables, {})
    assert made is not None
    found = scores[(scores["status"] == "ok") & (scores["q_two_sided"] < 0.05)]
    beyond = (~found["effect_size"].between(-0.8, 0.9)).sum()
    combinations = len(set(zip(found["language"], found["model"], found["test"], strict=True)))
    assert 0 < beyond < len(found)
    thin, refused = ((scores["status"] == name).sum() for name in ("thin", "refused"))
    both = agreement[agreement["n_encoders"] > 1]
    split = ((both["n_positive"] > 0) & (both["n_positive"] < both["n_encoders"])).sum()
    assert made.finding.startswith("2 languages, 13 tests, 10 encoders, 2 models; 760 scores: ")
    assert (
        f"{len(found)} separate their words (q under 0.05, two-sided, over the whole table) in "
        f"{combinations} combinations of language, model and test"
    ) in made.finding
    assert (
        f"{beyond} of the {len(found)} lie beyond pairs of other topics, {len(found) - beyond} "
        f"within, 0 have no such null; {thin} thin, {refused} refused"
    ) in made.finding
    assert f"{100 * split / len(both):.0f}% of {len(both)} cells (the paper's" in made.finding
    assert "not of the same mix: ten encoders of multilingual DistilBERT" in made.finding


MARKED = [
    # d, q, null_low, null_high, null_n, status, mark
    (1.2, 0.01, -0.9, 1.0, 200, "ok", "*"),
    (-1.2, 0.01, -0.9, 1.0, 200, "ok", "*"),
    (1.0, 0.01, -0.9, 1.0, 200, "ok", "°"),
    (0.9, 0.01, -0.9, 1.0, 200, "ok", "°"),
    (1.8, 0.001, nan, nan, 0, "ok", "°"),
    (1.8, 0.05, -0.9, 1.0, 200, "ok", ""),
    (1.8, nan, -0.9, 1.0, 200, "ok", ""),
    (1.8, 0.01, -0.9, 1.0, 200, "thin", ""),
    (nan, nan, nan, nan, 0, "refused", ""),
]


@pytest.fixture
def marked(fill: Make) -> pd.DataFrame:
    """A cell of each kind, which differ in the test; the second language has only the last."""
    names = ("effect_size", "q_two_sided", "null_low", "null_high", "null_n", "status")
    same = {"model": "m", "group": "other", "variant": "all", "encoder": "last_mean", "space": "raw", "description": "", "case": "as_is"}  # fmt: skip
    rows = [
        {**same, "language": "es", "test": f"T{n}", "null_percentile": 0.5 if row[4] else nan, **dict(zip(names, row[:-1], strict=True))}
        for n, row in enumerate(MARKED)
    ]  # fmt: skip
    return fill("weathub", [*rows, {**rows[-1], "language": "hi"}])


def test_only_d_outside_its_null_band_has_the_star(marked: pd.DataFrame) -> None:
    assert marks(marked).tolist() == [*(row[-1] for row in MARKED), ""]
    figure = heat_figure(prepare(marked.sample(frac=1, random_state=4)), "")
    assert figure.table is not None
    assert figure.chart is not None
    assert figure.table.rows[1] == ["Spanish (es)", "1.20*", "−1.20*", "1.00°", "0.90°", "1.80°", "1.80", "1.80", "(1.80) thin", "refused"]  # fmt: skip
    drawn = {one["test"]: one["mark"] for one in figure.chart["data"]["values"] if one["row"] == "Spanish (es)"}  # fmt: skip
    assert drawn == {f"T{n}": row[-1] for n, row in enumerate(MARKED)}
    assert "10 cells, 2 marked *, 3 marked °, 1 thin, 2 refused" in figure.caption
    assert all(f">0.9{mark}</text>" in heat_key() for mark in "*°")


def test_headline_counts_scores_beyond_within_and_without_a_null(marked: pd.DataFrame) -> None:
    again = pd.concat([marked, marked.assign(encoder="all_mean")])
    assert counts(again) == (
        "20 scores: 10 separate their words (q under 0.05, two-sided, over the whole table) in 5 "
        "combinations of language, model and test, as lists, encoders and spaces repeat one "
        "another: 4 of the 10 lie beyond pairs of other topics, 4 within, 2 have no such null; "
        "2 thin, 4 refused"
    )
    none = marked.assign(q_two_sided=0.5)
    assert counts(none) == (
        "10 scores: 0 separate their words (q under 0.05, two-sided, over the whole table); 1 "
        "thin, 2 refused"
    )


def test_smallest_q_is_that_of_the_whole_table(make_tables: Make) -> None:
    table = make_tables(["ar", "hi"])["translations"]
    table.loc[0, "p_min"] = 0.0002
    # A thin row and one without q count nowhere.
    table.loc[1, ["status", "p_min", "q_value"]] = ["thin", 1e-9, nan]
    assert len(table) == 108
    said = "The smallest q that one comparison alone could reach is 0.0214. "
    assert smallest_q(table) == said
    assert smallest_q(table.assign(p_min=0.04)).endswith(" 1.000. ")
    assert smallest_q(table.assign(q_value=nan)) == ""
    caption = translation_figures(table, None)[0].caption
    assert said in caption
    assert "held 0 in 98 to 100%" in caption
    # One language of the table does not say how many comparisons there are.
    own = translation_figures(table[table["language"] == "ar"], None, whole=False)[0].caption
    assert "smallest q" not in own


def test_rows_are_languages_by_name_or_encoders_of_the_only_one(make_weathub: Make) -> None:
    several = heat_figure(prepare(make_weathub(["hi", "ar", "xx"])), "")
    assert several.choices is not None
    assert several.choices["lookups"]["row"] == ["Arabic (ar)", "Hindi (hi)", "xx"]
    assert [one["label"] for one in several.choices["lists"]] == ["Model", "Encoder", "Space", "Lists"]  # fmt: skip
    one = heat_figure(prepare(make_weathub(["hi"])), "")
    assert one.choices is not None
    rows = one.choices["lookups"]["row"]
    assert rows[0] == "layer0_mean · minilm"
    assert rows[-1] == "fasttext · vectors"
    assert len(rows) == 10


def test_cells_show_what_the_table_holds(make_weathub: Make) -> None:
    scores = make_weathub(["hi", "ar"], variants=("human",))
    figure = heat_figure(prepare(scores), "")
    assert figure.chart is not None
    records = figure.chart["data"]["values"]
    assert figure.chart["data"]["name"] == "cells"
    first = scores[(scores["model"] == "minilm") & (scores["encoder"] == "layer0_mean") & (scores["space"] == "raw")]  # fmt: skip
    assert len(records) == len(first) == 12
    for record in records:
        code = {"Arabic (ar)": "ar", "Hindi (hi)": "hi"}[record["row"]]
        row = first[(first["language"] == code) & (first["test"] == record["test"])].iloc[0]
        assert record["status"] == row["status"]
        assert record["sizes"] == "8 of 8, 7 of 9; 10 of 10, 11 of 11"
        if row["status"] == "refused":
            assert record["d"] is None
            assert record["note"] == "X has 1 word with a vector"
        else:
            assert record["d"] == pytest.approx(row["effect_size"], abs=5.1e-4)
            assert record["p"] == pytest.approx(row["p_two_sided"], rel=0.006)
            assert record["missing"] == "one; two"


def test_thin_and_refused_cells_are_never_marked(fill: Make, make_weathub: Make) -> None:
    scores = make_weathub(["ar"], encoders=("last_mean",), variants=("human",), model="m")
    scores = scores[scores["encoder"] == "last_mean"].assign(
        q_two_sided=0.001, effect_size=1.0, status=["ok", "ok", "thin", "thin"] * 3
    )
    figure = heat_figure(prepare(scores), "")
    assert figure.table is not None
    texts = {cell for row in figure.table.rows for cell in row[1:]}
    assert texts == {"1.00*", "(1.00) thin"}
    assert ", 3 marked *, 0 marked °, 3 thin, 0 refused" in figure.caption


def test_a_language_opens_on_its_first_lists_with_a_row_that_is_ok(make_weathub: Make) -> None:
    scores = make_weathub(["hi"], variants=("new", "human", "gt")).query("status != 'refused'")
    lists, encoder, test = scores["variant"], scores["encoder"], scores["test"]
    # Of the human lists one row is ok, of the new ones all are.
    one = (lists == "human") & (encoder == "last_mean") & (test == "WEAT6")
    scores = scores.assign(status=(one | (lists == "new")).map({True: "ok", False: "thin"}))
    prepared = prepare(scores)
    strips = strip_figure(prepared)
    assert strips is not None
    assert "first shown: human translation, raw;" in heat_figure(prepared, "").caption
    assert "first shown: minilm, raw, human translation." in strips.caption
    # Without it nothing human is ok, nor of the machine's, which come next.
    fewer = prepare(scores[~one])
    strips = strip_figure(fewer)
    assert strips is not None
    assert "first shown: new dimensions, raw;" in heat_figure(fewer, "").caption
    assert "first shown: minilm, raw, new dimensions." in strips.caption


def test_strips_leave_out_models_of_one_encoder(make_weathub: Make) -> None:
    prepared = prepare(make_weathub(["ar", "hi"]))
    figure = strip_figure(prepared)
    assert figure is not None
    assert figure.choices is not None
    assert figure.choices["lists"][0]["options"] == ["minilm"]
    assert strip_figure(prepared[prepared["model"] == "vectors"]) is None


def test_disagreement_is_counted_where_two_encoders_score() -> None:
    cells = pd.DataFrame({"n_encoders": [10, 10, 1, 2], "share_agreeing": [1.0, 0.6, 1.0, 0.5]})
    assert disagreeing(cells) == (2, 3)


def test_agreement_lists_variants_in_their_order(make_tables: Make) -> None:
    # By the letter it would be the other way round.
    figure = agreement_figure(make_tables(["ar"], variants=("human", "india"))["agreement"])
    assert figure is not None
    assert figure.table is not None
    assert [row[1:4] for row in figure.table.rows] == [
        [space, VARIANTS[name], "6"]
        for space in ("raw", "standardised")
        for name in ("human", "india")
    ]


def planted(fill: Make, column: str, values: tuple[str, str]) -> pd.DataFrame:
    """Three tests under two spaces or variants; one changes sign, one is thin."""
    rows = []
    for name, effects in zip(values, ((1.0, -0.5, 0.2), (1.0, 0.5, -0.2)), strict=True):
        for test, d in enumerate(effects):
            row = {"language": "es", "model": "m", "group": "other", "variant": "all", "encoder": "last_mean", "space": "raw", "test": f"T{test}", "description": "", "case": "as_is", "effect_size": d, "q_two_sided": 0.04 if d > 0.9 else 0.5, "status": "thin" if test == 2 else "ok"}  # fmt: skip
            rows.append({**row, column: name})
    return fill("weathub", rows)


def test_raw_and_standardised_side_by_side(fill: Make) -> None:
    figure = space_figure(planted(fill, "space", ("raw", "standardised")))
    assert figure is not None
    assert figure.table is not None
    assert figure.table.rows == [["m", "last_mean", "2", "1", "50%", "0.75", "0.75", "–", "1", "1"]]  # fmt: skip
    alone = planted(fill, "space", ("raw", "standardised")).query("space == 'raw'")
    assert space_figure(alone) is None


def test_lists_with_and_without_gendered_forms(fill: Make, make_tables: Make) -> None:
    scores = planted(fill, "variant", ("all", "all_plain"))
    figures = plain_figure(scores, make_tables(["es"])["gendered_forms"])
    tables = [figure.table.rows for figure in figures if figure.table is not None]
    assert tables[0] == [["m", "last_mean", "2", "1", "50%", "0.75", "0.75", "–", "1", "1"]]
    assert tables[1] == [["Spanish (es)", "1", "1", "-o -a", "niño / niña"]]
    assert plain_figure(planted(fill, "space", ("raw", "standardised")), None) == []


def test_clusters_name_languages_along_the_tree(fill: Make) -> None:
    same = {
        "model": "m",
        "encoder": "all_mean",
        "space": "raw",
        "n_tests": 6,
        "cophenetic": 0.8,
        "structure_p": 0.04,
    }
    rows = [
        {**same, "language": "ur", "place": 1, "cluster": 1, "silhouette": 0.4, "support": 0.9},
        {**same, "language": "hi", "place": 2, "cluster": 1, "silhouette": 0.4, "support": 0.7},
        {**same, "language": "ar", "place": 3, "cluster": 2, "silhouette": 0.1},
    ]
    figure = cluster_figure(fill("language_clusters", rows))
    assert figure is not None
    assert figure.table is not None
    assert figure.table.rows[0][3:] == ["6", "2", "0.30", "0.04", "0.80", "Urdu (ur), Hindi (hi) (80%) | Arabic (ar) (–)"]  # fmt: skip


def test_order_of_languages_and_tests() -> None:
    assert language_label("ckb") == "Central Kurdish (ckb)"
    assert language_order(["zh", "xx", "hi", "ar", "hi"]) == ["ar", "zh", "hi", "xx"]
    names = ["WEAT13b", "WEAT2", "WEAT13", "WEAT12", "WEAT7", "career"]
    assert sorted(names, key=number_test) == ["WEAT2", "WEAT7", "WEAT12", "WEAT13", "WEAT13b", "career"]  # fmt: skip


def hostile(tables: Tables) -> Tables:
    """Put markup into texts that are no choice among given ones."""
    texts = {"weathub": ["model", "test", "x", "note", "words_missing", "description"], "agreement": ["model", "test"], "weathub_models": ["note"], "weathub_lists": ["word", "note", "file"], "sensitivity": ["note", "model"], "translations": ["note", "test"], "gendered_forms": ["word", "other", "rule"], "language_clusters": ["model"], "model_comparison": ["other_model"]}  # fmt: skip
    changed = {}
    for name, frame in tables.items():
        changed[name] = frame.assign(
            **{column: frame[column] + HOSTILE for column in texts.get(name, [])}
        )
    return changed


@pytest.fixture
def whole(tables: Tables, make_tables: Make, make_info: Make) -> tuple[Tables, dict[str, Any]]:
    info = make_info(languages={"left_out": [HOSTILE], "texts": [HOSTILE]})
    return {**tables, **hostile(make_tables(["ar", "hi"]))}, info


def test_page_is_repeatable_and_keeps_text_as_text(whole: tuple[Tables, dict[str, Any]]) -> None:
    tables, info = whole
    html = build_page(tables, info)
    mixed = {name: frame.sample(frac=1, random_state=1) for name, frame in tables.items() if name in TABLES}  # fmt: skip
    assert build_page({**tables, **mixed}, info) == html
    assert "<script>document" not in html.partition("<script>")[0]
    assert html.count("<script>") == 2
    assert "&lt;/script&gt;&lt;script&gt;document" in html
    for text in re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', html, re.DOTALL):
        assert json.loads(text) is not None
    specs = re.findall(r'class="chart-data" data-for="languages-[^>]*>(.*?)</script>', html, re.DOTALL)  # fmt: skip
    assert len(specs) == 4
    assert all(json.loads(spec)["description"] for spec in specs)


def test_full_grid_stays_small(make_weathub: Make) -> None:
    scores = make_weathub([f"l{n}" for n in range(24)])
    assert len(scores) == 24 * 19 * 10 * 2
    made = section({"weathub": scores}, {})
    assert made is not None
    islands = [text for one in made.figures for text in (one.chart, one.choices) if text]
    assert sum(len(script_json(text).encode()) for text in islands) < 1_200_000


CHOOSE = """
document.addEventListener("atlas-drawn", async () => {
  const said = [];
  const note = () => {
    const marks = document.querySelector("#languages-chart-1 svg");
    const texts = [...marks.querySelectorAll("text")].map((one) => one.textContent);
    said.push(texts.filter((one) => /^WEAT/.test(one)).join(","), texts.filter((one) => /\\(..\\)$/.test(one)).join(","));
  };
  const bar = document.getElementById("languages-chart-1-choices");
  const [model, encoder, , lists] = bar.querySelectorAll("select");
  const choose = async (select, text) => {
    select.value = [...select.options].find((one) => one.textContent === text).value;
    select.dispatchEvent(new Event("change", { bubbles: true }));
    await new Promise((done) => setTimeout(done, 200));
  };
  note();
  said.push([...document.querySelectorAll("#languages-chart-1 svg text")].map((one) => one.textContent.slice(-1)).filter((one) => "*°".includes(one)).sort().join(""));
  await choose(lists, "new dimensions");
  note();
  await choose(model, "vectors");
  said.push([...encoder.options].map((one) => one.textContent).join(","), encoder.disabled, lists.selectedOptions[0].textContent);
  said.push(bar.querySelector(".choices-status").textContent, bar.hidden);
  document.title = said.join(" | ");
});
"""


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_choices_change_the_map_in_a_browser(
    tables: Tables,
    make_tables: Make,
    make_info: Make,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain = page_module._resource
    more = {"draw.js": CHOOSE}
    monkeypatch.setattr(page_module, "_resource", lambda name: plain(name) + more.get(name, ""))
    path = tmp_path / "index.html"
    few = {name: frame.head(0) for name, frame in tables.items()}
    path.write_text(build_page({**few, **make_tables(["ar", "hi"])}, make_info()), encoding="utf-8")
    done = subprocess.run(
        [str(CHROMIUM), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=20000", "--dump-dom", path.as_uri()],
        capture_output=True, encoding="utf-8", timeout=120, check=False,
    )  # fmt: skip
    heat = section(make_tables(["ar", "hi"]), {}).figures[0]  # type: ignore[union-attr]
    assert ", 1 marked *, 2 marked °, " in heat.caption
    title = re.search(r"<title>(.*?)</title>", done.stdout)
    assert title
    both = "Arabic (ar),Hindi (hi)"
    assert unescape(title[1]).split(" | ") == [
        "WEAT1,WEAT2,WEAT6,WEAT7,WEAT8,WEAT9",
        both,
        "*°°",
        "WEAT11,WEAT12,WEAT12b,WEAT13,WEAT13b,WEAT14,WEAT15",
        both,
        "fasttext",
        "true",
        "new dimensions",
        "Shown: vectors, fasttext, raw, new dimensions (14 rows)",
        "false",
    ]
    assert 'class="chart failed' not in done.stdout
