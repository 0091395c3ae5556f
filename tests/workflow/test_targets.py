"""Named targets, and what every rule must have."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest
import yaml
from project import ROOT, WEAT_WORDS, make_project, planned_jobs, snakemake, write_config

from biasatlas.tables import read_table
from biasatlas.vectors import WordVectors, save_word2vec

RULES = [
    (path.stem, match["name"], match["body"])
    for path in sorted((ROOT / "workflow/rules").glob("*.smk"))
    if path.stem != "targets"  # They have no job of their own.
    for match in re.finditer(
        r"(?m)^rule (?P<name>\w+):\n(?P<body>(?:[ ].*\n|\n)+)", path.read_text("utf-8")
    )
]


def test_own_vectors_are_scored_without_a_corpus(assets: Path, tmp_path: Path) -> None:
    project = make_project(tmp_path, assets)
    matrix = np.random.default_rng(1).normal(size=(len(WEAT_WORDS), 10)).astype(np.float32)
    save_word2vec(WordVectors(tuple(WEAT_WORDS), matrix), project / "mine.bin")
    write_config(project, assets, vectors={"own": {"mine": "mine.bin"}})
    assert planned_jobs(project, "own_vectors") == {
        "score_own_weat": 1,
        "tabulate_own_vectors": 1,
        "own_vectors": 1,
    }
    result = snakemake(project, "--cores", "1", "own_vectors")
    assert result.returncode == 0, result.stdout + result.stderr
    scores = read_table("weat", project / "results/small/tables/own_vectors.csv")
    assert set(scores["model"]) == {"mine"}
    tests = {f"WEAT{number}" for number in range(1, 11)}
    assert set(scores["test"]) == {"CONTROL1", *tests}


def test_asking_for_own_vectors_without_any_says_which_key(assets: Path, tmp_path: Path) -> None:
    project = make_project(tmp_path, assets)
    result = snakemake(project, "--cores", "1", "own_vectors")
    assert result.returncode != 0
    assert "vectors.own" in result.stdout + result.stderr


def test_rules_were_found() -> None:
    assert len(RULES) > 15


@pytest.mark.parametrize(("file", "name", "body"), RULES, ids=[rule[1] for rule in RULES])
def test_a_rule_has_all_that_a_rule_must_have(file: str, name: str, body: str) -> None:
    for directive in ("log", "conda", "threads", "resources", "params", "message", "script"):
        assert re.search(rf"(?m)^    {directive}:", body), directive
    for resource in ("mem_mb", "runtime"):
        assert f"{resource}=" in body
    assert re.search(rf'"<logs>/{name}[/.]', body)
    for benchmark in re.findall(r'"<benchmarks>/(\w+)', body):
        assert benchmark == name
    environment = re.search(r'"\.\./\.\./(envs/\w+\.yaml)"', body)
    assert environment
    assert (ROOT / environment[1]).is_file()
    script = re.search(r'"\.\./scripts/(\w+)\.py"', body)
    assert script
    assert (ROOT / f"workflow/scripts/{script[1]}.py").is_file()
    if name != "fetch_asset":
        assert f'code=code("{script[1]}")' in body


@pytest.mark.parametrize(
    "name",
    [
        *("embed_passages", "fit_topics", "refit_topics", "describe_topics", "label_topics"),
        *("encode_words", "ask_language_model", "probe_language_model"),
    ],
)
def test_rules_that_use_a_gpu_say_so(name: str) -> None:
    body = next(body for _, rule, body in RULES if rule == name)
    assert re.search(r"gpu=1,", body)


def test_every_script_belongs_to_a_rule_and_is_thin() -> None:
    used = {name for _, _, body in RULES for name in re.findall(r"scripts/(\w+)\.py", body)}
    scripts = {path.stem: path for path in (ROOT / "workflow/scripts").glob("*.py")}
    assert set(scripts) == used
    for path in scripts.values():
        assert len(path.read_text("utf-8").splitlines()) <= 45, path.name


def _requirements(lines: list[str]) -> dict[str, str]:
    parts = (re.fullmatch(r"([\w.-]+)(.*)", line) for line in lines)
    return {re.sub(r"[-_.]+", "-", part[1].lower()): part[2] for part in parts if part}


def test_conda_environments_ask_for_what_the_project_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = _requirements(project["dependencies"] + project["optional-dependencies"]["llm"])
    wanted["python"] = project["requires-python"]
    for path in sorted((ROOT / "envs").glob("*.yaml")):
        *plain, pip = yaml.safe_load(path.read_text("utf-8"))["dependencies"]
        listed = _requirements([line for line in [*plain, *pip["pip"]] if line != "pip"])
        conda_names = {"python-xxhash": "xxhash", "python-isal": "isal"}
        renamed = {conda_names.get(name, name): pin for name, pin in listed.items()}
        for name, pin in renamed.items():
            assert wanted.get(name) == pin, f"{path.name}: {name}{pin}"


def test_the_lock_file_pins_every_requirement_and_names_no_place() -> None:
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    pinned = _requirements(lock.split())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    for name in _requirements(project["dependencies"] + extras["dev"]):
        assert pinned[name].startswith("=="), name
    for file, names in (("extras", ("reddit", "segmentation")), ("llm", ("llm",))):
        text = (ROOT / f"requirements-{file}.lock").read_text("utf-8")
        lock += text
        for name in _requirements([line for extra in names for line in extras[extra]]):
            assert _requirements(text.split())[name].startswith("=="), name
    assert "://" not in lock
    assert "+cpu" not in lock


@pytest.mark.parametrize("script", ["embed_passages", "encode_words"])
def test_what_is_kept_between_runs_is_kept_under_the_code_that_made_it(script: str) -> None:
    text = (ROOT / "workflow/scripts" / f"{script}.py").read_text("utf-8")
    (key,) = re.findall(r'(?m)key (?::)?= f"(.*?)"', text)
    assert "{params.code}" in key
