"""The lists in resources/ hold the facts that the papers print."""

from __future__ import annotations

import csv
import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
import yaml

from biasatlas.lexicons.word_lists import (
    load_region_pair,
    load_region_terms,
    load_tests,
    shared_words,
)
from biasatlas.tokens import tokenize

ROOT = Path(__file__).parents[3]
LISTS = ROOT / "resources/word_lists"
SHARED = ROOT / "../shared/data/vectors"
SCHEMAS = ROOT / "src/biasatlas/lexicons/schemas"
REGIONS = ("africa", "asia", "europe", "north_america", "oceania")
EFFECTS = [1.50, 1.53, 1.41, 1.50, 1.28, 1.81, 1.06, 1.24, 1.38, 1.21]
needs_vectors = pytest.mark.skipif(not SHARED.is_dir(), reason="needs the development vectors")

WEAT = load_tests(LISTS / "weat/en")


@pytest.fixture(scope="module")
def demo_counts() -> dict[str, Counter[str]]:
    """Tokens of the demo's corpora, pooled over the regions."""
    folder = ROOT / "results/demo/corpora"
    pl = pytest.importorskip("polars")
    counts: dict[str, Counter[str]] = {}
    for corpus in ("discovery", "evaluation"):
        paths = [p for p in sorted(folder.glob(f"{corpus}/en/*.parquet")) if p.name.count(".") == 1]
        if not paths:
            pytest.skip("needs the corpora of the demo, which a run makes")
        counts[corpus] = Counter(
            token
            for path in paths
            for text in pl.read_parquet(path)["text"]
            for token in tokenize(text)
        )
    return counts


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


def test_names_of_weat():
    names = {
        (test.test, key): len(getattr(test, key).names)
        for test in WEAT
        for key in "xyab"
        if getattr(test, key).names
    }
    assert names == {
        ("WEAT3", "x"): 32, ("WEAT3", "y"): 32, ("WEAT4", "x"): 16, ("WEAT4", "y"): 16,
        ("WEAT5", "x"): 16, ("WEAT5", "y"): 16, ("WEAT6", "x"): 8, ("WEAT6", "y"): 8,
        ("WEAT10", "x"): 8, ("WEAT10", "y"): 8,
    }  # fmt: skip
    for test in WEAT:
        assert all(one.names in ((), one.words) for one in (test.x, test.y))
    # The order of the papers, as it was before names had a key of their own.
    assert WEAT[2].x.words[:3] == ("Adam", "Harry", "Josh")
    assert WEAT[5].y.words[-2:] == ("Ann", "Donna")
    assert sum(len(getattr(test, key).words) for test in WEAT for key in "xyab") == 598


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
        assert printed.words[8:] == written.words[11:] == printed.names == written.names
        assert all(name[0].isupper() for name in printed.names)
        assert "".join(printed.words[:8]).islower()
        assert set(printed.words) <= set(written.words)
    assert "woman" not in table[0].words
    assert "father" not in table[1].words
    assert {"woman", "girl", "female"} <= set(prose[0].words)
    assert {"father", "uncle", "grandfather"} <= set(prose[1].words)


def test_oddities_of_the_printed_names():
    africa, asia, oceania = (
        load_region_terms(LISTS / f"region_aware/terms/{region}.yaml", "paper_table")
        for region in ("africa", "asia", "oceania")
    )
    assert {"Mandela", "Moyo", "Keita"} <= set(africa[1].names)
    assert "Mika" in asia[0].names
    assert "Mika" in oceania[1].names
    general = load_region_terms(LISTS / "region_aware/terms/general.yaml", "paper_table")
    assert general[0].names == general[1].names == ()


def test_the_positive_control_is_of_frequent_words_without_overlap():
    (control,) = load_tests(LISTS / "control/en")
    assert control.test == "CONTROL1"
    assert "authors of this project" in control.citation
    assert shared_words(control) == {}
    assert control.published == {}
    for key in "xyab":
        words = getattr(control, key)
        assert len(words.words) == 10
        assert words.names == ()
        assert all(tokenize(word) == [word] for word in words.words)
    # A weekday lies near "day" by its letters alone, where vectors are built from subwords.
    attributes = {word for key in "ab" for word in getattr(control, key).words}
    targets = {word for key in "xy" for word in getattr(control, key).words}
    assert not [word for word in targets for other in attributes if other in word]


def test_words_of_the_control_stand_in_the_demo_corpora(demo_counts):
    (control,) = load_tests(LISTS / "control/en")
    words = [word for key in "xyab" for word in getattr(control, key).words]
    for corpus, counts in demo_counts.items():
        rare = {word: counts[word] for word in words if counts[word] < 20}
        assert rare == {}, corpus


def test_words_stand_one_a_line():
    kinds = ("weat", "control", "region_aware")
    for path in [path for kind in kinds for path in LISTS.glob(f"{kind}/**/*.yaml")]:
        assert "[" not in path.read_text(encoding="utf-8"), path


def test_every_key_of_a_schema_is_described():
    paths = sorted(SCHEMAS.glob("*.schema.yaml"))
    assert len(paths) == 7

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
