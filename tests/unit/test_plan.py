"""What a configuration asks for, and everything wrong with it at once."""

from __future__ import annotations

import copy
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from biasatlas import plan_checks
from biasatlas.errors import InputError
from biasatlas.plan import Plan

ROOT = Path(__file__).parents[2]
DEFAULT = yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))
Values = dict[str, Any]


@pytest.fixture
def resources(tmp_path) -> Path:
    ignored = shutil.ignore_patterns("fetched")
    return Path(shutil.copytree(ROOT / "resources", tmp_path / "resources", ignore=ignored))


def make_plan(resources: Path, change: Callable[[Values], object] = lambda values: None) -> Plan:
    values = copy.deepcopy(DEFAULT)
    change(values)
    return plan_checks.make_plan(values, resources, "my.yaml")


def problems_of(resources: Path, change: Callable[[Values], object]) -> tuple[str, ...]:
    with pytest.raises(InputError) as error:
        make_plan(resources, change)
    return error.value.problems


def edit(path: Path, pattern: str, replacement: str) -> None:
    text = path.read_text(encoding="utf-8")
    edited, n = re.subn(pattern, replacement, text, count=1)
    assert n == 1, f"{pattern} is not in {path}"
    path.write_text(edited, encoding="utf-8")


def test_the_default_run(resources):
    plan = make_plan(resources)
    assert plan.regions == ["africa", "asia", "europe", "north_america", "oceania"]
    assert plan.region("asia").continent == "Asia"
    assert (plan.discovery, plan.evaluation) == ("discovery", "evaluation")
    # Both corpora cut the same documents, so these are prepared once.
    assert plan.documents_of("evaluation") == plan.documents_of("discovery") == "discovery"
    assert {source.asset for source in plan.sources("discovery")} <= set(plan.used_assets)
    assert plan.used_assets == sorted(plan.used_assets)
    assert {plan.config.topics.encoder, "glove_6b_50d"} <= set(plan.used_assets)
    assert [Path(path).stem for path in plan.test_files("en")] == [f"WEAT{n}" for n in range(1, 11)]
    assert len(plan.published) == 25
    assert Path(plan.gender_file("en")).is_file()
    assert plan.local_copy("ungdc") is None


def test_everything_wrong_is_told_at_once(resources, tmp_path):
    edit(resources / "word_lists/weat/en/WEAT1.yaml", r"- aster\n", "- aster\n      - aster\n")
    edit(resources / "word_lists/region_aware/asia/P2.yaml", r"description:", "descriptoin:")

    def change(values: Values) -> None:
        values["topics"]["encoder"] = "no_such_model"
        values["vectors"]["own"] = {"mine": str(tmp_path / "none.bin")}
        values["languages"] = ["en", "de", "fr"]
        values["asset_paths"] = {"no_such_asset": "x"}
        values["corpora"][0]["sources"] = [
            {"reader": "table", "path": str(tmp_path / "none.csv"), "language": "en"},
            {"reader": "news", "asset": "no_such_news", "language": "de"},
        ]
        values["gender"]["pairs"] = "no_such_list"
        values["ungdc_path"] = str(tmp_path / "none.tar")

    text = "\n".join(problems_of(resources, change))
    for part in (
        "my.yaml: key `topics.encoder`: value 'no_such_model': no such asset; allowed: ",
        "my.yaml: key `vectors.own.mine`",
        "my.yaml: asset_paths.no_such_asset: no such asset",
        "my.yaml: key `corpora (discovery)`",
        "value 'no_such_news'",
        "my.yaml: key `ungdc_path`",
        "corpora (discovery): no source for language `fr`",
        "gender/en/no_such_list.yaml: there is no such file",
        "gender/de/no_such_list.yaml: there is no such file",
        "WEAT1.yaml:",
        "P2.yaml:",
    ):
        assert part in text


def test_a_language_without_tests_can_have_corpora(resources):
    def change(values: Values) -> None:
        values["languages"] = ["en", "de"]
        values["gender"]["pairs"] = {"en": "bolukbasi52", "de": "basic"}

    plan = make_plan(resources, change)
    assert Path(plan.gender_file("de")).parent.name == "de"
    with pytest.raises(InputError, match="word_lists/weat/de: there is no such folder"):
        plan.tests("de")
    (problem,) = problems_of(resources, lambda v: v["weat"].update(tests="no_such_tests"))
    assert "no_such_tests" in problem


def test_each_language_needs_a_list_of_gender_pairs(resources):
    def change(values: Values) -> None:
        values["languages"] = ["en", "de"]
        values["gender"]["pairs"] = {"en": "bolukbasi52"}

    (problem,) = problems_of(resources, change)
    assert problem == "my.yaml: key `gender.pairs`: names no list for language `de`"


def test_a_wrong_configuration_comes_before_the_files(resources):
    (problem,) = problems_of(resources, lambda values: values["topics"].update(encodr="x"))
    assert problem.startswith("my.yaml: key `topics.encodr`")


def test_a_faulty_list_is_named_with_its_line(resources):
    path = resources / "word_lists/weat/en/WEAT1.yaml"
    edit(path, r"- aster\n", '- "nan"\n')
    line = 1 + path.read_text(encoding="utf-8").split('- "nan"')[0].count("\n")
    (problem,) = problems_of(resources, lambda values: None)
    assert problem.startswith(f"{path}:{line}: ")


def test_faulty_published_pairs_do_not_matter_where_they_are_left_out(resources):
    edit(resources / "word_lists/region_aware/asia/P2.yaml", r"description:", "descriptoin:")
    assert "P2.yaml" in problems_of(resources, lambda values: None)[0]
    plan = make_plan(resources, lambda values: values["evaluation"].update(published_pairs=False))
    assert plan.published == []


@pytest.mark.parametrize("key", ["topics.encoder", "pairs.encoder", "vectors.pretrained"])
def test_an_asset_that_is_not_in_the_catalogue(resources, key):
    section, name = key.split(".")
    if key == "vectors.pretrained":
        text = (resources / "assets.yaml").read_text(encoding="utf-8")
        entries = yaml.safe_load(text)
        del entries["glove_6b_50d"]
        (resources / "assets.yaml").write_text(yaml.safe_dump(entries), encoding="utf-8")
        problem, other = problems_of(resources, lambda values: None)
        assert other.startswith("my.yaml: key `weathub.models` (glove): asset 'glove_6b_50d'")
    else:
        (problem,) = problems_of(resources, lambda v: v.setdefault(section, {}).update({name: "x"}))
    assert f"key `{key}`: value '" in problem
    assert re.search(r"allowed: .*\bbge_small_en\b", problem)


def test_an_encoder_a_language(resources):
    def change(values):
        values["topics"] = {"encoder": {"de": "bge_small_en", "en": "nobody"}}

    (problem,) = problems_of(resources, change)
    assert "key `topics.encoder.en`: value 'nobody': no such asset" in problem
    plan = make_plan(resources, lambda v: v.update(topics={"encoder": {"en": "bge_small_en"}}))
    assert plan.encoder("en") == "bge_small_en"
    assert "bge_small_en" in plan.used_assets
    (problem,) = problems_of(resources, lambda v: v.update(topics={"encoder": {"de": "x"}}))
    assert "key `topics.encoder`: names no encoder for language `en`" in problem


def test_the_view_of_the_encoder_and_the_one_it_is_compared_with(resources):
    plan = make_plan(resources, lambda values: None)
    assert (plan.view, plan.other_view) == ("masked", "visible")
    assert plan.mask_digest("en", "visible") == []
    assert len(plan.mask_digest("en", "masked")) == len(plan.mask_files("en")) == 2
    shown = {"mask_gender_terms": False, "compare_masking": False}
    plan = make_plan(resources, lambda values: values.update(topics=shown))
    assert (plan.view, plan.other_view) == ("visible", None)


def test_own_files_are_found(resources, tmp_path):
    (tmp_path / "own.bin").write_bytes(b"x")
    (tmp_path / "own.csv").write_text("text\n")
    (tmp_path / "TXT").mkdir()

    def change(values: Values) -> None:
        values["vectors"]["own"] = {"mine": str(tmp_path / "own.bin")}
        values["corpora"][1]["sources"] = [
            {"reader": "table", "path": str(tmp_path / "own.csv"), "options": {"text": "text"}}
        ]
        values["ungdc_path"] = str(tmp_path / "TXT")
        values["asset_paths"] = {"minilm_l6_v2": str(tmp_path / "TXT")}

    plan = make_plan(resources, change)
    assert plan.local_copy("ungdc") == tmp_path / "TXT"
    assert plan.local_copy("minilm_l6_v2") == tmp_path / "TXT"
    assert plan.documents_of("evaluation") == "evaluation"


def test_a_home_path_is_expanded(resources, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "ungdc").mkdir()
    plan = make_plan(resources, lambda values: values.update(ungdc_path="~/ungdc"))
    assert plan.local_copy("ungdc") == tmp_path / "ungdc"


def test_comments_and_word_order_change_no_digest(resources):
    before = make_plan(resources).word_list_digests()
    for pattern in ("weat/en/WEAT1", "gender/en/bolukbasi52", "region_aware/asia/P1"):
        path = resources / "word_lists" / f"{pattern}.yaml"
        path.write_text("# a comment\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    weat = resources / "word_lists/weat/en/WEAT1.yaml"
    edit(weat, r"- aster\n( +)- clover\n", r"- clover\n\1- aster\n")
    assert make_plan(resources).word_list_digests() == before


def changed(before: list[str], after: list[str]) -> set[str]:
    assert [line.split("=")[0] for line in before] == [line.split("=")[0] for line in after]
    return {old.split("=")[0] for old, new in zip(before, after, strict=True) if old != new}


def test_a_word_changes_the_digest_of_its_own_list_alone(resources):
    plan = make_plan(resources)
    lists, tests = plan.word_list_digests(), plan.tests_digest("en")
    edit(resources / "word_lists/weat/en/WEAT1.yaml", r"- aster\n", "- asterisk\n")
    plan = make_plan(resources)
    assert changed(lists, plan.word_list_digests()) == {"weat/en/WEAT1"}
    assert changed(tests, plan.tests_digest("en")) == {"WEAT1"}


def test_gender_terms_pairs_and_gazetteer_have_digests_of_their_own(resources):
    before = make_plan(resources).word_list_digests()
    edit(resources / "word_lists/gender/en/bolukbasi52.yaml", "female: convent", "female: nunnery")
    path = resources / "word_lists/region_aware/asia/P1.yaml"
    edit(path, r"words:\n( +)- ", r"words:\n\1- zebra\n\1- ")
    gazetteer = resources / "gazetteer/en.csv"
    gazetteer.write_text(gazetteer.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert changed(before, make_plan(resources).word_list_digests()) == {
        "gender/en/bolukbasi52", "region_aware/asia-P1", "gazetteer",
    }  # fmt: skip


def test_assets_have_digests(resources):
    plan = make_plan(resources)
    digests = [plan.asset_digest(name) for name in plan.used_assets]
    assert len(set(digests)) == len(digests)
    assert all(re.fullmatch("[0-9a-f]{16}", one) for one in digests)


def test_the_code_of_a_script_is_hashed():
    scripts = ROOT / "workflow" / "scripts"
    one, again, other = (
        Plan.code(scripts / f"{name}.py") for name in ("score_weat", "score_weat", "train_vectors")
    )
    assert one == again != other
    assert re.fullmatch("[0-9a-f]{16}", one)
    assert Plan.code(str(scripts / "score_weat.py")) == one
