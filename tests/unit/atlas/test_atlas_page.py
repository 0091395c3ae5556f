"""The page as a whole: self-contained, repeatable, and deaf to what its text tells it to do."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pandas as pd
import pytest

from biasatlas.atlas import build_page
from biasatlas.atlas import page as page_module
from biasatlas.atlas.page import script_json
from biasatlas.errors import InputError
from biasatlas.tables import empty_table

Tables = dict[str, pd.DataFrame]
MakeInfo = Callable[..., dict[str, Any]]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
HOSTILE = (
    "<script>document.title='taken'</script>",
    "</script><script>document.title='taken'</script>",
    "\"><img src=x onerror=document.title='taken'>",
    "{{ 7 * 7 }}<!--",
    "javascript:document.title='taken'",
)


class Page(HTMLParser):
    """Collects the elements of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append((dict(attrs), ""))

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] == "script" and self.scripts[-1][1] == "":
            self.scripts[-1] = (self.scripts[-1][0], data)


def hostile_tables(tables: Tables) -> Tables:
    """Put markup into every text column that is not a key or a choice."""
    frames = {}
    texts = {
        "corpus": ["country", "source", "rule"],
        "gender": ["both_rule", "word_list", "warning"],
        "word_lists": ["file", "place", "word", "problem"],
        "weat": ["test", "description", "x", "y", "a", "b", "model", "note"],
        "words": ["test", "model", "word"],
        "coverage": ["test", "model", "name", "missing"],
        "stability": ["test", "model", "note"],
        "alc": ["test", "note"],
        "differences": ["test", "model", "note"],
        "companions": ["test", "model"],
        "topics": ["label", "words", "keywords", "top_name", "flags", "label_phrase", "label_second", "label_note"],
        "topic_stability": [],
        "topic_examples": ["id", "document", "country", "text"],
        "topic_hierarchy": ["words"],
        "ngrams": ["ngram"],
        "common_topics": ["label", "unigrams", "bigrams"],
        "common_chance": [],
        "pair_candidates": [],
        "pair_thresholds": [],
        "pairs": ["female_label", "male_label", "female_words", "male_words", "note"],
        "evaluation": ["pair", "test", "description", "x", "note", "model"],
    }  # fmt: skip
    for name, frame in tables.items():
        changed = frame.copy()
        for place, column in enumerate(texts[name]):
            # Names that join tables must stay the same in all of them.
            joining = {"test": HOSTILE[1], "model": HOSTILE[2]}
            text = joining.get(column, HOSTILE[place % len(HOSTILE)])
            changed[column] = [f"{value}{text}" for value in changed[column]]
        frames[name] = changed
    return frames


def hostile_info(make_info: MakeInfo) -> dict[str, Any]:
    regions = ("africa", "asia", "europe", "north_america", "oceania")
    return make_info(
        title=HOSTILE[1],
        run=HOSTILE[2],
        regions={name: f"{name}{text}" for name, text in zip(regions, HOSTILE, strict=True)},
        region_rule=HOSTILE[0],
        corpus_phrase=HOSTILE[2],
        warnings=list(HOSTILE),
        settings={HOSTILE[2]: HOSTILE[0]},
        assets=[{"name": HOSTILE[0], "url": HOSTILE[4], "citation": HOSTILE[2], "sha256": "<b>"}],
        commands=[HOSTILE[1]],
    )


def own_copy(tables: Tables) -> Tables:
    return {name: frame.copy() for name, frame in tables.items()}


@pytest.fixture(scope="module")
def html(made_tables: Tables, make_info: MakeInfo) -> str:
    """The page of the made-up run, drawn once for those who only read it."""
    return build_page(own_copy(made_tables), make_info())


@pytest.fixture(scope="module")
def hostile_html(made_tables: Tables, make_info: MakeInfo) -> str:
    """The same with markup in all that it tells."""
    return build_page(hostile_tables(own_copy(made_tables)), hostile_info(make_info))


def test_same_tables_give_the_same_bytes(
    html: str, tables: Tables, made_tables: Tables, make_info: MakeInfo
) -> None:
    assert build_page(tables, make_info()) == html
    for name, frame in tables.items():
        pd.testing.assert_frame_equal(frame, made_tables[name])


def test_page_needs_nothing_else(html: str) -> None:
    page = Page(html)
    for tag, attributes in page.tags:
        assert tag not in {"img", "iframe", "link", "object", "embed", "base", "form"}
        assert "src" not in attributes
        assert not any(name.startswith("on") for name in attributes)
    style = re.search(r"<style>(.*?)</style>", html, flags=re.DOTALL)
    assert style
    assert "url(" not in style[1]
    assert "@import" not in style[1]


def test_policy_allows_the_two_scripts_of_the_page_only(html: str) -> None:
    page = Page(html)
    policy = next(a["content"] for t, a in page.tags if a.get("http-equiv"))
    assert policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe-eval" not in policy
    code = [text for attributes, text in page.scripts if not attributes]
    hashes = [base64.b64encode(hashlib.sha256(c.encode()).digest()).decode() for c in code]
    assert re.findall(r"'sha256-([^']+)'", policy) == hashes
    assert len(code) == 2


def test_every_chart_has_its_place_and_its_data(html: str) -> None:
    page = Page(html)
    places = [a["id"] for t, a in page.tags if t == "div" and a.get("class") == "chart"]
    data = {a["data-for"]: text for a, text in page.scripts if a.get("class") == "chart-data"}
    assert list(data) == places
    assert len(places) > 12
    for text in data.values():
        spec = json.loads(text)
        assert spec["width"] == "container"
        assert spec["description"]
    anchors = {a["id"] for t, a in page.tags if t == "section"}
    links = {a["href"] for t, a in page.tags if t == "a" and (a.get("href") or "").startswith("#")}
    to_topics = {unquote(link[1:]) for link in links if link.startswith("#topic=")}
    ids = {a["id"] for _, a in page.tags if "id" in a}
    assert {"topic=asia/0", "topic=europe/5"} < to_topics < ids
    others = {link for link in links if not link.startswith("#topic=")}
    assert others == {f"#{anchor}" for anchor in anchors} | {"#main"}


@pytest.mark.parametrize("text", HOSTILE)
def test_script_json_cannot_end_its_element(text: str) -> None:
    made = script_json({text: [text, "\u2028\u2029&"]})
    assert not set(made) & set("<>&\u2028\u2029")
    assert json.loads(made) == {text: [text, "\u2028\u2029&"]}


def test_hostile_text_stays_text(html: str, hostile_html: str) -> None:
    plain = Page(html)
    page = Page(hostile_html)
    assert {tag for tag, _ in page.tags} <= {tag for tag, _ in plain.tags}
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    islands = [text for a, text in page.scripts if a.get("class") == "words-data"]
    assert len(islands) == 6
    words = {word for text in islands for s in json.loads(text)["lists"][0] for word in s["words"]}
    assert f"x0{HOSTILE[2]}" in words
    addresses = [a.get("href") or "" for _, a in page.tags]
    assert all(a == "" or a.startswith(("#", "https://")) for a in addresses)
    assert sum(not attributes for attributes, _ in page.scripts) == 2
    body = hostile_html.partition("<script>")[0]
    assert "<script>document" not in body
    assert "<img" not in body
    assert "{{ 7 * 7 }}" in body
    assert "&lt;img src=x" in body


def browse(html: str, folder: Path, hash: str = "") -> subprocess.CompletedProcess[str]:
    """Open a page in a browser and give its elements as they stand after the scripts."""
    path = folder / "index.html"
    path.write_text(html, encoding="utf-8")
    return subprocess.run(
        [
            str(CHROMIUM),
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            f"--user-data-dir={folder / 'profile'}",
            "--enable-logging=stderr",
            "--virtual-time-budget=20000",
            "--window-size=1300,2000",
            "--dump-dom",
            path.as_uri() + hash,
        ],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_browser_draws_all_charts_and_runs_nothing_foreign(
    hostile_html: str, tmp_path: Path
) -> None:
    address = quote(f"WEAT6{HOSTILE[1]}/europe/word2vec{HOSTILE[2]}")
    done = browse(hostile_html, tmp_path, f"#words={address}")
    dom = Page(done.stdout)
    charts = [a for t, a in dom.tags if t == "div" and "chart" in (a.get("class") or "").split()]
    drawn = [a for t, a in dom.tags if t == "svg" and "marks" in (a.get("class") or "")]
    assert len(charts) == len(drawn) > 12
    assert 'data-drawn="yes"' in done.stdout
    assert 'class="chart failed' not in done.stdout
    title = re.search(r"<title>(.*?)</title>", done.stdout, flags=re.DOTALL)
    assert title
    assert title[1] != "taken"
    assert "&lt;script&gt;" in title[1]
    assert "img" not in {tag for tag, _ in dom.tags}
    assert "Content Security Policy" not in done.stderr
    # The words of the score in the address are open, as text.
    opened = done.stdout.partition('class="words-lead"')[2].partition("</table>")[0]
    assert "x0&quot;&gt;&lt;img src=x" in opened or 'x0"&gt;&lt;img src=x' in opened


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_words_open_by_address(html: str, tables: Tables, tmp_path: Path) -> None:
    dom = browse(html, tmp_path, "#words=WEAT6/europe/word2vec").stdout
    opened = re.findall(r'<p class="words-lead"[^>]*>(.*?)</p>', dom)
    frame = tables["weat"]
    d = frame[
        (frame["region"] == "europe") & (frame["test"] == "WEAT6") & (frame["model"] == "word2vec")
    ]["effect_size"].mean()
    assert opened == [
        f"WEAT6, Europe, word2vec: d = {d:.2f} (means over 3 seeds). "
        "It hangs most on “x0”: without this word d changes by −0.50."
    ]
    assert "Not scored here (no vector in this text, or dropped): X: absent; Y: absent;" in dom
    assert dom.count("<select>") == len(set(frame["test"]))
    # Eleven scores and the line that asks to choose one.
    assert dom.partition("<select>")[2].partition("</select>")[0].count("<option") == 12
    assert re.findall(r'<p class="words-lead"', browse(html, tmp_path, "#words=none").stdout) == []


CLICK = """
document.addEventListener("atlas-drawn", () => {
  const said = [];
  const note = () => {
    const opened = document.querySelector(".words-lead");
    said.push(opened ? opened.textContent.split(":")[0] : "closed", location.hash);
  };
  const dot = document.querySelector("#weat .chart .mark-symbol.role-mark path");
  const box = dot.getBoundingClientRect();
  const place = { bubbles: true, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
  for (const kind of ["pointerdown", "pointerup", "click"]) dot.dispatchEvent(new MouseEvent(kind, place));
  note();
  const list = document.querySelector(".words select");
  list.selectedIndex = 2;
  list.dispatchEvent(new Event("change", { bubbles: true }));
  note();
  document.querySelector(".words button").click();
  note();
  document.title = said.join(" | ");
});
"""

SEARCH = """
document.addEventListener("atlas-drawn", () => {
  const said = [];
  const bar = document.querySelector(".topic-bar");
  const input = bar.querySelector("input");
  const note = () => {
    const shown = [...document.querySelectorAll("details.topic:not([hidden])")].map((card) => card.dataset.topic);
    said.push(bar.querySelector(".topic-count").textContent, shown.length > 3 ? "many" : shown.join(","));
  };
  const search = (text) => {
    input.value = text;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    note();
  };
  note();
  search("PRINCESS  wedd");
  said.push(document.querySelector('[data-topic="asia/1"]').closest(".topic-rest").open);
  search("no such word");
  input.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
  note();
  search("princess");
  const dot = [...document.querySelectorAll("#topics .chart .mark-symbol.role-mark path")][0];
  const box = dot.getBoundingClientRect();
  const place = { bubbles: true, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
  for (const kind of ["pointerdown", "pointerup", "click"]) dot.dispatchEvent(new MouseEvent(kind, place));
  note();
  said.push(location.hash.replace(/[0-9]+$/, "N"), document.querySelectorAll("details.topic[open]").length);
  const tree = document.querySelector("details.chart-fold");
  tree.open = true;
  tree.addEventListener("toggle", () => setTimeout(() => {
    said.push(tree.querySelector("svg").getBoundingClientRect().width > 300);
    document.title = said.join(" | ");
  }, 500));
});
"""


@pytest.fixture(scope="module")
def acting_html(made_tables: Tables, make_info: MakeInfo) -> str:
    """The page with a reader in it, who goes to the words, or with an address to the topics."""
    plain = page_module._resource
    more = {"draw.js": f'if (location.hash === "") {{{CLICK}}} else {{{SEARCH}}}'}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page_module, "_resource", lambda name: plain(name) + more.get(name, ""))
        return build_page(own_copy(made_tables), make_info())


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_words_open_on_a_click_and_by_the_list(acting_html: str, tmp_path: Path) -> None:
    dom = browse(acting_html, tmp_path).stdout
    title = re.search(r"<title>(.*?)</title>", dom)
    assert title
    assert title[1].split(" | ") == [
        "WEAT6, Africa, word2vec",
        "#words=WEAT6/africa/word2vec",
        "WEAT6, Africa, à la carte",
        "#words=WEAT6/africa/alc",
        "closed",
        "",
    ]


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_topics_are_found_by_search_click_and_address(acting_html: str, tmp_path: Path) -> None:
    dom = browse(acting_html, tmp_path, "#topic=asia/3").stdout
    title = re.search(r"<title>(.*?)</title>", dom)
    assert title
    assert title[1].split(" | ") == [
        "17 topics", "many",
        "1 of 17 topics in 1 region", "asia/1", "true",
        "0 of 17 topics", "",
        "17 topics", "many",
        "1 of 17 topics in 1 region", "asia/1",
        # A click on a dot of the map ends the search and opens its card; the address opened one.
        "17 topics", "many", "#topic=asia/N", "2",
        "true",
    ]  # fmt: skip


def test_what_is_missing_is_named_at_once(tables: Tables, make_info: MakeInfo) -> None:
    info = make_info()
    del info["title"], info["regions"]
    broken = {name: frame for name, frame in tables.items() if name != "pairs"}
    broken["gender"] = tables["gender"].assign(female=-1)
    with pytest.raises(InputError) as caught:
        build_page(broken, info)
    problems = "\n".join(caught.value.problems)
    assert "the table pairs is missing" in problems
    assert "info lacks the key 'title'" in problems
    assert "'regions'" in problems
    assert "table gender, column female, row 1: -1" in problems


def test_page_of_an_empty_run_stands(empty_tables: Tables, make_info: MakeInfo) -> None:
    page = Page(build_page(empty_tables, make_info()))
    # The sections on differences, cards and common topics are left out where they have nothing.
    assert sum(tag == "section" for tag, _ in page.tags) == 8
    assert sum(bool(attributes) for attributes, _ in page.scripts) == 0


def test_run_without_evaluation_says_so(tables: Tables, make_info: MakeInfo) -> None:
    html = build_page({**tables, "evaluation": empty_table("evaluation")}, make_info())
    assert "The run has no region-aware evaluation." in html
