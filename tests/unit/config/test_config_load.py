"""A configuration is read, merged, and refused with messages that say what to mend."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from biasatlas.config import Config, load_config, validate
from biasatlas.errors import InputError

ROOT = Path(__file__).parents[3]
MINIMAL: dict[str, Any] = {
    "regions": [
        {"name": "africa", "countries": ["NG", "GAB", "Mali"]},
        {"name": "asia", "continent": "Asia"},
    ],
    "corpora": [
        {
            "name": "discovery",
            "role": "discovery",
            "sources": [{"reader": "table", "path": "x.csv"}],
        }
    ],
}


def problems_of(change: Callable[[dict[str, Any]], object]) -> tuple[str, ...]:
    values = copy.deepcopy(MINIMAL)
    change(values)
    with pytest.raises(InputError) as error:
        validate(values, "my.yaml")
    return error.value.problems


def test_two_keys_are_enough():
    config = validate(MINIMAL)
    assert config.run == "demo"
    assert config.languages == ["en"]
    assert config.vectors.word2vec.size == 100
    assert config.regions[0].title == "africa"
    assert config.corpus("evaluation") is None
    assert config.corpus("discovery").name == "discovery"


def test_snakemake_s_own_key_is_let_through():
    assert validate({**MINIMAL, "pathvars": {"results": "x"}}) == validate(MINIMAL)


def set_key(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(values: dict[str, Any]) -> None:
        *outer, last = [int(part) if part.isdigit() else part for part in path.split(".")]
        for part in outer:
            values = values[part] if isinstance(values, list) else values.setdefault(part, {})
        values[last] = value

    return change


WRONG = [
    # key, value, key in the message, and what the message must say of it
    ("topics.encodr", "x", "topics.encodr", ["did you mean `encoder`?", "allowed here: alignment"]),
    ("topcs", {}, "topcs", ["did you mean `topics`?", "allowed here: asset_paths, common_topics, corpora"]),
    ("vectors.word2vec.sizes", 9, "vectors.word2vec.sizes", ["`size`", "epochs, min_count"]),
    ("regions.0.country", ["NG"], "regions.0.country", ["`countries`", "continent"]),
    ("corpora.0.sources.0.pth", "x", "corpora.0.sources.0.pth", ["`path`", "reader"]),
    ("zzz", 1, "zzz", ["no such key; allowed here: "]),
    ("vectors.word2vec.size", "100", "vectors.word2vec.size", ["'100'", "integer"]),
    ("vectors.seeds", "1", "vectors.seeds", ["'1'", "list"]),
    ("vectors.seeds", [], "vectors.seeds", ["[]", "at least 1 item"]),
    ("topics", 3, "topics", ["value 3", "dictionary"]),
    ("topics.min_cluster_size", "big", "topics.min_cluster_size", ["'big'", "integer", "'auto'"]),
    ("topics.fdr", 1.5, "topics.fdr", ["1.5", "less than 1"]),
    ("weat.max_exact", 60, "weat.max_exact", ["60", "less than or equal to 56"]),
    ("gender.both", "drop", "gender.both", ["'drop'", "'exclude', 'majority' or 'duplicate'"]),
    ("run", "My run", "run", ["'My run'", "^[a-z][a-z0-9_]*$"]),
    ("languages", ["english"], "languages.0", ["'english'", "^[a-z]{2,3}$"]),
    ("languages", [False], "languages.0", ["unquoted no", '"no"', "quotes"]),
    ("regions.0.countries", [False, "SE"], "regions.0.countries.0", ["unquoted no", "quotes"]),
    ("corpora.0.title", True, "corpora.0.title", ["unquoted yes", "quotes"]),
    ("corpora.0.sources.0.options", {"country": False}, "corpora.0.sources.0",
     ["`country`", "unquoted yes or no", "quotes"]),
    ("regions.0.countries", "NG", "regions.0.countries", ["'NG'", "list"]),
    ("regions.0.continent", "Atlantis", "regions.0.continent", ["'Atlantis'", "'Africa'", "'Oceania'"]),
    ("regions.0.continent", "Africa", "regions.0", ["africa", "exactly one of `countries`"]),
    ("regions.1", {"name": "mars"}, "regions.1", ["mars", "exactly one of `countries`"]),
    ("regions.1.name", "africa", "(top level)", ["regions: africa stands twice"]),
    ("regions.1.name", "pretrained", "(top level)", ["`pretrained`", "positive control"]),
    ("languages", ["en", "en"], "(top level)", ["languages: en stands twice"]),
    ("vectors.seeds", [1, 2, 1], "(top level)", ["vectors.seeds: 1 stands twice"]),
    ("corpora.0.role", "evaluation", "(top level)", ["exactly one corpus", "`discovery`"]),
    ("corpora.0.role", "discover", "corpora.0.role", ["'discover'", "'discovery' or 'evaluation'"]),
    ("corpora.0.sources.0.asset", "news", "corpora.0.sources.0", ["either `asset` or `path`"]),
    ("corpora.0.sources", [], "corpora.0.sources", ["[]", "at least 1 item"]),
    ("passages.min_words", 300, "passages", ["min_words (300)", "words (100)"]),
    ("vectors.own", {"Bad-Name": "x"}, "vectors.own.Bad-Name", ["^[a-z][a-z0-9_]*$"]),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "key", "parts"), WRONG)
def test_each_mistake_gives_one_message(path, value, key, parts):
    (problem,) = problems_of(set_key(path, value))
    assert problem.startswith(f"my.yaml: key `{key}`: ")
    assert "\n" not in problem
    for part in parts:
        assert part in problem


@pytest.mark.parametrize("key", ["regions", "corpora"])
def test_a_missing_key(key):
    assert problems_of(lambda values: values.pop(key)) == (f"my.yaml: key `{key}`: is missing",)


def test_a_missing_role():
    (problem,) = problems_of(lambda values: values["corpora"][0].pop("role"))
    assert problem == "my.yaml: key `corpora.0.role`: is missing"


def test_two_corpora_of_a_role_and_of_a_name():
    (problem,) = problems_of(lambda values: values["corpora"].append(values["corpora"][0]))
    assert "corpora: discovery stands twice" in problem
    assert "exactly one corpus must have role `discovery`" in problem


def test_all_problems_are_told_at_once():
    def change(values: dict[str, Any]) -> None:
        set_key("topics.encodr", "x")(values)
        set_key("weat.min_words", 1)(values)
        set_key("languages", [False])(values)
        values["regions"] += [values["regions"][0], {"name": "mars"}]
        values["vectors"] = {"seeds": [1, 1]}

    found = problems_of(change)
    assert len(found) == 6
    text = "\n".join(found)
    for part in ("topics.encodr", "weat.min_words", "languages.0", "regions.3"):
        assert f"key `{part}`" in text
    assert "regions: africa stands twice" in text
    assert "vectors.seeds: 1 stands twice" in text


def test_a_mistake_does_not_raise_another_that_follows_from_it():
    def change(values: dict[str, Any]) -> None:
        values["corpora"][0]["role"] = "discover"
        values["regions"] = "africa"

    assert len(problems_of(change)) == 2


@pytest.fixture
def write(tmp_path) -> Callable[[str, str], Path]:
    def to_file(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return to_file


def test_later_files_are_laid_over_earlier_ones(write):
    first = write("first.yaml", yaml.safe_dump(MINIMAL | {"topics": {"fdr": 0.2, "top_words": 7}}))
    second = write("second.yaml", "topics: {fdr: 0.05}\nregions: [{name: mars, countries: [NG]}]\n")
    config = load_config(first, second)
    assert (config.topics.fdr, config.topics.top_words) == (0.05, 7)
    assert [region.name for region in config.regions] == ["mars"]
    assert load_config(first).topics.fdr == 0.2


def test_a_message_names_the_files(write):
    first = write("first.yaml", yaml.safe_dump(MINIMAL))
    second = write("second.yaml", "seed: -1\n")
    with pytest.raises(InputError) as error:
        load_config(first, second)
    assert str(error.value).startswith(f"{first} + {second}: key `seed`: value -1: ")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("regions: [", "not YAML"),
        ("- a\n- b\n", "must be a mapping"),
        ("", "must be a mapping"),
        ("!!python/object/apply:os.system ['true']", "not YAML"),
    ],
)
def test_a_file_that_is_no_configuration(write, text, part):
    path = write("bad.yaml", text)
    with pytest.raises(InputError, match=part) as error:
        load_config(path)
    assert str(path) in str(error.value)
    assert len(error.value.problems) == 1


def test_an_absent_file(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        load_config(tmp_path / "none.yaml")


def test_an_unquoted_no_in_a_file(write):
    path = write("no.yaml", yaml.safe_dump(MINIMAL) + "languages: [no]\n")
    with pytest.raises(InputError, match="unquoted no"):
        load_config(path)
    quoted = write("quoted.yaml", yaml.safe_dump(MINIMAL) + 'languages: ["no"]\n')
    assert load_config(quoted).languages == ["no"]


@pytest.mark.parametrize(
    "path", sorted((ROOT / "config").glob("*.yaml")), ids=lambda path: path.stem
)
def test_every_shipped_configuration_is_valid(path):
    default = ROOT / "config" / "config.yaml"
    config = load_config(default) if path == default else load_config(default, path)
    assert isinstance(config, Config)
    if path != default:
        assert config.run != "demo", "its results would overwrite the default run's"
