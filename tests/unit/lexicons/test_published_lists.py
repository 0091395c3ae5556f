"""The lists in resources/ hold the facts that the papers print."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pytest
import yaml

from biasatlas.lexicons.word_lists import (
    load_region_pair,
    load_region_terms,
    load_tests,
    shared_words,
)

ROOT = Path(__file__).parents[3]
LISTS = ROOT / "resources/word_lists"
SHARED = ROOT / "../shared/data/vectors"
SCHEMAS = ROOT / "src/biasatlas/lexicons/schemas"
REGIONS = ("africa", "asia", "europe", "north_america", "oceania")
EFFECTS = [1.50, 1.53, 1.41, 1.50, 1.28, 1.81, 1.06, 1.24, 1.38, 1.21]
needs_vectors = pytest.mark.skipif(not SHARED.is_dir(), reason="needs the development vectors")

WEAT = load_tests(LISTS / "weat/en")


def load_pairs(form: str):
    pairs = {}
    for region in REGIONS:
        terms = load_region_terms(LISTS / f"region_aware/terms/{region}.yaml", form)
        for number in range(1, 6):
            path = LISTS / f"region_aware/{region}/P{number}.yaml"
            test = load_region_pair(path, *terms)
            assert test.test == f"{region}-P{number}"
            pairs[test.test] = test
    return pairs


def test_weat_names_sizes_and_effects():
    assert [test.test for test in WEAT] == [f"WEAT{n}" for n in range(1, 11)]
    assert [test.published["effect_size"] for test in WEAT] == EFFECTS
    sizes = [tuple(len(getattr(test, key).words) for key in "xyab") for test in WEAT]
    assert sizes == [
        (25, 25, 25, 25), (25, 25, 25, 25), (32, 32, 25, 25), (16, 16, 25, 25), (16, 16, 8, 8),
        (8, 8, 8, 8), (8, 8, 8, 8), (8, 8, 8, 8), (6, 6, 7, 7), (8, 8, 8, 8),
    ]  # fmt: skip


def test_weat_3_to_5_use_lists_of_their_own():
    one, _, three, four, five = WEAT[:5]
    assert set(one.b.words) - set(three.b.words) == {"agony", "prison"}
    assert set(three.b.words) - set(one.b.words) == {"bomb", "evil"}
    assert (three.a, three.b) == (four.a, four.b)
    assert (four.x, four.y) == (five.x, five.y)
    assert (five.a, five.b) == (WEAT[9].a, WEAT[9].b)
    assert "Adam" in three.x.words
    assert "Adam" not in four.x.words


def test_weat_words_keep_their_case():
    assert {"Shakespeare", "poetry"} <= set(WEAT[7].y.words)
    assert {"Einstein", "NASA", "science"} <= set(WEAT[7].x.words)
    assert "short-term" in WEAT[8].a.words


@needs_vectors
def test_weat_lists_give_the_published_effects():
    np = pytest.importorskip("numpy")
    items = json.loads((SHARED / "caliskan_items.json").read_text(encoding="utf-8"))
    with gzip.open(SHARED / "glove840b_weat_items.tsv.gz", "rt", encoding="utf-8") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    vectors = {row[0]: np.array(row[1].split(), dtype=float) for row in rows}
    vectors = {word: vector / np.linalg.norm(vector) for word, vector in vectors.items()}

    def mean(words):
        return np.mean([vectors[word] for word in words], axis=0)

    for test, effect in zip(WEAT, EFFECTS, strict=True):
        axis = mean(test.a.words) - mean(test.b.words)
        x, y = ([vectors[w] @ axis for w in s.words] for s in (test.x, test.y))
        d = (np.mean(x) - np.mean(y)) / np.std([*x, *y], ddof=1)
        assert round(d, 2) == pytest.approx(effect, abs=0.011)
        found = {frozenset(group["words"]) for group in items[test.test].values()}
        assert found == {frozenset(getattr(test, key).words) for key in "xyab"}


def test_region_pairs_have_ten_words_a_topic_and_the_published_scores():
    pairs = load_pairs("paper_table")
    assert len(pairs) == 25
    for test in pairs.values():
        assert len(test.x.words) == len(test.y.words) == 10
        assert set(test.published) == {"reddit", "ungdc"}
    scores = [value for test in pairs.values() for value in test.published.values()]
    assert len(scores) == 50
    assert sum(score > 0.5 for score in scores) == 28
    assert sum(score < 0 for score in scores) == 8


def test_x_is_the_female_topic():
    pairs = load_pairs("paper_table")
    one = pairs["africa-P1"]
    assert one.x.name == "Parenting and family relationships"
    assert one.x.words[0] == "mother"
    assert one.y.name == "Nollywood Actress and Movies"
    assert one.y.words[-1] == "tv"
    assert one.published == {"reddit": 0.5, "ungdc": 0.979}
    assert one.a.words[:2] == ("sister", "mother")
    assert one.b.words[:2] == ("male", "man")
    last = pairs["oceania-P5"]
    assert (last.x.words[0], last.y.words[0]) == ("furniture", "boatbuilder")
    assert last.published == {"reddit": 0.612, "ungdc": 0.524}
    assert pairs["asia-P3"].x == pairs["asia-P4"].x
    assert pairs["europe-P4"].y.words == pairs["europe-P5"].y.words
    assert pairs["oceania-P3"].y == pairs["oceania-P5"].y


def test_topic_words_that_leak_into_the_terms():
    leaks = {
        form: {
            name: shared
            for name, test in load_pairs(form).items()
            if (shared := shared_words(test))
        }
        for form in ("paper_table", "paper_text")
    }
    assert leaks["paper_table"] == {
        "africa-P1": {("x", "a"): ("mother", "her")},
        "africa-P3": {("x", "b"): ("male",)},
        "oceania-P1": {("x", "a"): ("mother",)},
    }
    assert leaks["paper_text"] == {
        "africa-P1": {("x", "a"): ("mother", "her")},
        "africa-P3": {("x", "a"): ("woman", "female"), ("x", "b"): ("male",)},
        "oceania-P1": {("x", "a"): ("mother",), ("x", "b"): ("father",)},
    }


@pytest.mark.parametrize("region", REGIONS)
def test_region_terms(region):
    path = LISTS / f"region_aware/terms/{region}.yaml"
    table, prose = (load_region_terms(path, form) for form in ("paper_table", "paper_text"))
    n_names = 15 if region == "africa" else 10
    for printed, written, gender in zip(table, prose, ("Female", "Male"), strict=True):
        assert printed.name == written.name == f"{gender} terms"
        assert len(printed.words) == 8 + n_names
        assert len(written.words) == 11 + n_names
        assert printed.words[8:] == written.words[11:]
        assert set(printed.words) <= set(written.words)
    assert "woman" not in table[0].words
    assert "father" not in table[1].words
    assert {"woman", "girl", "female"} <= set(prose[0].words)
    assert {"father", "uncle", "grandfather"} <= set(prose[1].words)


def test_words_stand_one_a_line():
    for path in [*LISTS.glob("weat/**/*.yaml"), *LISTS.glob("region_aware/**/*.yaml")]:
        assert "[" not in path.read_text(encoding="utf-8"), path


def test_every_key_of_a_schema_is_described():
    paths = sorted(SCHEMAS.glob("*.schema.yaml"))
    assert len(paths) == 3

    def walk(node, place):
        if isinstance(node, list):
            for item in node:
                walk(item, place)
        elif isinstance(node, dict):
            if node.get("type") == "object":
                assert node.get("additionalProperties") is False, place
                for key, child in node["properties"].items():
                    assert child.get("description"), (*place, key)
            for key, child in node.items():
                walk(child, (*place, key))

    for path in paths:
        walk(yaml.safe_load(path.read_text(encoding="utf-8")), (path.name,))
    word_list, terms = (
        yaml.safe_load((SCHEMAS / f"{name}.schema.yaml").read_text(encoding="utf-8"))
        for name in ("word_list", "region_terms")
    )
    assert word_list["$defs"]["set"] == terms["$defs"]["set"]
