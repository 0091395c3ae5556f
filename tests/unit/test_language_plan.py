"""What the section weathub asks for, and everything wrong with it at once."""

from __future__ import annotations

import copy
import json
import runpy
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from biasatlas.encoders.static import open_static
from biasatlas.encoders.texts import train_language_vectors
from biasatlas.encoders.words import read_encoded
from biasatlas.errors import InputError
from biasatlas.lexicons.weathub_files import LANGUAGES
from biasatlas.plan import Plan
from biasatlas.plan_checks import make_plan

ROOT = Path(__file__).parents[2]
DEFAULT = yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))
Values = dict[str, Any]
GLOVE = {"name": "glove", "kind": "static", "asset": "glove_6b_50d"}


@pytest.fixture
def lists(tmp_path) -> Path:
    """A copy of WEATHub with one test in two languages."""
    for language, word in (("hi_gt", "फूल"), ("fr_human", "fleur")):
        folder = tmp_path / "lists" / "data" / language
        folder.mkdir(parents=True)
        sets = {key: {"category": key, "examples": [word, f"{key} 2"]} for key in SETS}
        (folder / "weat1.json").write_text(json.dumps(sets, ensure_ascii=False), "utf-8")
    return tmp_path / "lists"


SETS = ("targ1", "targ2", "attr1", "attr2")


def plan_of(**section: Any) -> Plan:
    return changed(lambda values: values["weathub"].update(section))


def changed(change: Callable[[Values], object]) -> Plan:
    values = copy.deepcopy(DEFAULT)
    change(values)
    return make_plan(values, ROOT / "resources", "my.yaml")


def problems_of(**section: Any) -> tuple[str, ...]:
    with pytest.raises(InputError) as error:
        plan_of(**section)
    return error.value.problems


def test_the_default_scores_the_project_s_own_english_lists():
    grid = plan_of().grid
    assert grid.jobs == [("en", "minilm"), ("en", "minilm_sentence"), ("en", "glove")]
    assert not grid.published
    assert [test.test for test in grid.own_tests("en")][:2] == ["WEAT1", "WEAT2"]
    # The run's own passages are the text in which MiniLM reads words.
    assert grid.takes_corpus("en")
    assert grid.reads_in_context("minilm", "en")
    assert not grid.reads_in_context("glove", "en")
    assert any("weathub_path" in line for line in grid.left_out)


def test_a_copy_of_the_lists_joins_the_run_and_its_files_are_read_where_they_stand(lists):
    plan = changed(
        lambda values: values.update(
            weathub_path=str(lists), weathub=DEFAULT["weathub"] | {"languages": ["fr", "hi"]}
        )
    )
    assert plan.grid.published
    assert [Path(path).parent.name for path in plan.grid.list_files("hi")] == ["hi_gt"]
    assert "weathub" in plan.used_assets
    assert plan.languages == ["en", "fr", "hi"]
    before = {one: plan.grid.lists_digest(one) for one in ("fr", "hi")}
    file = lists / "data" / "hi_gt" / "weat1.json"
    file.write_text(file.read_text("utf-8").replace("फूल", "फल"), "utf-8")
    after = {one: plan.grid.lists_digest(one) for one in ("fr", "hi")}
    assert before["fr"] == after["fr"]
    assert before["hi"] != after["hi"]


def test_all_languages_are_the_25_of_the_paper():
    plan = changed(lambda values: values["weathub"].update(languages="all", published_lists=True))
    assert plan.grid.languages == list(LANGUAGES)
    assert len(set(LANGUAGES)) == 25
    assert not [line for line in plan.grid.left_out if "does not ask" in line]


@pytest.mark.parametrize("key", ["languages", "models"])
def test_no_language_or_no_model_leaves_the_stage_out(key):
    plan = plan_of(**{key: []})
    assert plan.grid.jobs == []
    assert plan.grid.left_out == [
        "No language is asked for (weathub.languages or weathub.models is empty)."
    ]


def test_the_language_stands_in_assets_and_paths(tmp_path):
    (tmp_path / "en.bin").write_bytes(b"")
    models = [
        {"name": "own", "kind": "static", "path": f"{tmp_path}/{{language}}.bin"},
        {"name": "cc", "kind": "static", "asset": "cc_{language}_300"},
    ]
    grid = plan_of(models=models).grid
    assert grid.path("own", "en") == f"{tmp_path}/en.bin"
    assert grid.asset("cc", "en") == "cc_en_300"


def test_another_file_under_the_same_name_is_another_model(tmp_path):
    file = tmp_path / "own.bin"
    file.write_bytes(b"one")
    grid = plan_of(models=[{"name": "own", "kind": "static", "path": str(file)}]).grid
    before = grid.model_digest("own", "en")
    assert grid.model_digest("own", "en") == before
    file.write_bytes(b"another")
    assert grid.model_digest("own", "en") != before


def test_vectors_trained_on_other_texts_are_not_taken_from_the_cache(tmp_path):
    word = "rose"
    pd.DataFrame({"word": [word]}).to_parquet(tmp_path / "words.parquet")
    settings = {"size": 4, "window": 2, "min_count": 1, "epochs": 1, "buckets": 10}
    read = []
    for text in ("a rose is a rose", "no rose without a thorn"):
        train_language_vectors([text], tmp_path / "trained.bin", settings, 1, "en")
        job = SimpleNamespace(
            input=SimpleNamespace(
                words=tmp_path / "words.parquet", model=str(tmp_path / "trained.bin"), texts=[]
            ),
            output=SimpleNamespace(
                encoded=str(tmp_path / "encoded.parquet"),
                reading=str(tmp_path / "reading.parquet"),
            ),
            params=SimpleNamespace(
                code="", kind="static", group="other", key=["static", "trained"], trained=True,
                settings=[("batch_size", 8), ("readable_min", 0.5), ("seed", 1)],
            ),
            wildcards=SimpleNamespace(language="en", model="trained"),
            log=[str(tmp_path / "log")],
        )  # fmt: skip
        script = ROOT / "workflow/scripts/encode_words.py"
        runpy.run_path(str(script), init_globals={"snakemake": job})
        read.append(read_encoded(tmp_path / "encoded.parquet")["fasttext"][0])
    trained = open_static(tmp_path / "trained.bin", "en").encode([word]).vectors[0]
    np.testing.assert_array_equal(read[1], trained)
    assert (read[0] != read[1]).any()


def test_each_language_takes_the_texts_that_it_has(tmp_path):
    (tmp_path / "en.txt").write_text("one text\n", "utf-8")
    texts = [{"reader": "lines", "path": f"{tmp_path}/{{language}}.txt"}]
    trained = {"name": "trained", "kind": "static", "train": True}
    plan = plan_of(texts=texts, models=[trained])
    assert plan.grid.sources("en")[0].path == [f"{tmp_path}/en.txt"]
    assert not plan.grid.takes_corpus("en")
    assert not plan.grid.has_texts("fr")
    assert plan.grid.cautions


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({"languages": ["xx"]}, "value 'xx': there is no list in it; allowed: en"),
        ({"languages": ["hi"]}, "with `weathub_path` all 25"),
        (
            {"variants": ["human"]},
            "value 'en': there is no list in it; allowed: none, and with `weathub_path` all 25",
        ),
        ({"languages": ["en", "en"]}, "weathub.languages: en stands twice"),
        ({"models": [GLOVE, GLOVE]}, "weathub.models: glove stands twice"),
        ({"models": [GLOVE | {"asset": "glove"}]}, "asset 'glove': there is no such asset"),
        ({"models": [GLOVE | {"path": "x"}]}, "exactly one of `asset`, `path` and `train: true`"),
        ({"models": [{"name": "glove", "kind": "static"}]}, "exactly one of"),
        (
            {"models": [{"name": "own", "kind": "layers", "path": "no/such/folder"}]},
            "path no/such/folder: there is no such file or folder",
        ),
        (
            {"models": [{"name": "own", "kind": "layers", "train": True}]},
            "its kind is `static`, not `layers`",
        ),
        ({"models": [GLOVE | {"languages": ["qq"]}]}, "language 'qq': there is no list in it"),
        (
            {"models": [GLOVE | {"languages": ["de"]}]},
            "`weathub.models`: none is asked for any language of `weathub.languages` (en)",
        ),
        (
            {"texts": [{"reader": "table", "asset": "absent"}]},
            "`weathub.texts`: asset 'absent': there is no such asset; allowed: ",
        ),
        (
            {"texts": [{"reader": "lines", "path": __file__, "options": {"column": "a"}}]},
            "`weathub.texts`: reader lines: option 'column' is unknown; allowed: ",
        ),
        ({"models": [GLOVE | {"kind": "bert"}]}, "'layers', 'sentence' or 'static'"),
        ({"variants": ["human", "robot"]}, "robot"),
    ],
)
def test_what_is_wrong_is_named_with_what_is_allowed(section, said):
    assert any(said in line for line in problems_of(**section))


def test_training_needs_texts(lists):
    def change(values: Values) -> None:
        values["weathub_path"] = str(lists)
        values["weathub"] |= {
            "languages": ["hi"],
            "models": [{"name": "trained", "kind": "static", "train": True}],
        }

    with pytest.raises(InputError, match="`train` needs texts"):
        changed(change)


def test_a_copy_of_its_own_languages_is_taken_and_others_are_refused(lists):
    for old, new in (("hi_gt", "sv_gt"), ("fr_human", "da_human")):
        (lists / "data" / old).rename(lists / "data" / new)
    copy_of = {"weathub_path": str(lists)}

    def asked(*languages: str) -> Plan:
        section = DEFAULT["weathub"] | {"languages": list(languages)}
        return changed(lambda values: values.update(copy_of, weathub=section))

    assert asked("da", "en", "sv").grid.languages == ["da", "en", "sv"]
    with pytest.raises(InputError, match="value 'hi': there is no list in it; allowed: da, en, sv"):
        asked("hi")


def test_a_wrong_copy_is_named_by_the_key_that_gives_it(tmp_path):
    copies = DEFAULT.get("asset_paths", {}) | {"weathub": str(tmp_path)}
    with pytest.raises(InputError, match=r"key `asset_paths\.weathub`: .* holds lists"):
        changed(lambda values: values.update(asset_paths=copies))


@pytest.mark.parametrize(("name", "said"), [("absent", "no such folder"), (".", "weathub_path")])
def test_a_folder_without_lists_is_named(tmp_path, name, said):
    with pytest.raises(InputError, match=said):
        changed(lambda values: values.update(weathub_path=str(tmp_path / name)))
