"""The schema and the page are those that the models define."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from biasatlas.config.documents import configuration_page, configuration_schema
from biasatlas.config.models import Config

ROOT = Path(__file__).parents[3]
SCHEMA = yaml.safe_load(configuration_schema())


@pytest.mark.parametrize(
    ("path", "generate"),
    [
        ("docs/configuration.md", configuration_page),
        ("workflow/schemas/config.schema.yaml", configuration_schema),
    ],
)
def test_generated_files_are_up_to_date(path, generate):
    written = (ROOT / path).read_text(encoding="utf-8")
    assert written == generate(), f"run `python -m biasatlas.config` to renew {path}"


def objects(schema: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {"Config": schema, **schema["$defs"]}


def test_every_key_has_a_description():
    bare = []
    for name, one in objects(SCHEMA).items():
        for key, value in one["properties"].items():
            # A key that says just what its section says of itself leaves it to the section.
            section = SCHEMA["$defs"].get(value.get("$ref", "").rpartition("/")[2], {})
            if len((value.get("description") or section.get("description", "")).strip()) < 5:
                bare.append(f"{name}.{key}")
    assert bare == []


def test_no_mapping_takes_unknown_keys():
    for one in objects(SCHEMA).values():
        assert one["additionalProperties"] is False


def test_the_page_holds_every_key_once_a_section():
    page = configuration_page()
    for name, one in objects(SCHEMA).items():
        for key in one["properties"]:
            assert f"| `{key}` |" in page, f"{name}.{key}"
    sections = [line for line in page.splitlines() if line.startswith("## ")]
    assert len(sections) == len(set(sections)) == len(objects(SCHEMA))
    assert page.count("\n| `run` |") == 1


def test_the_page_names_types_limits_and_defaults():
    rows = {
        line.split("`")[1]: line for line in configuration_page().splitlines() if line[:3] == "| `"
    }
    assert "integer ≥ 2 or `auto` | `auto`" in rows["min_cluster_size"]
    assert "number > 0 < 1 | `0.1`" in rows["fdr"]
    assert "`exclude`, `majority`, `duplicate` | `exclude`" in rows["both"]
    assert "| required |" in rows["role"]
    # A stray bar would break the table.
    assert {line.count("|") for line in rows.values()} == {5}


@pytest.mark.parametrize(
    "path", sorted((ROOT / "config").glob("*.yaml")), ids=lambda path: path.stem
)
def test_the_schema_takes_the_shipped_configurations(path):
    default = yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))
    values = yaml.safe_load(path.read_text(encoding="utf-8"))
    jsonschema.validate({**default, **values}, SCHEMA)


def test_the_schema_refuses_an_unknown_key():
    values = yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))
    with pytest.raises(jsonschema.ValidationError, match="encodr"):
        jsonschema.validate(values | {"topics": {"encodr": "x"}}, SCHEMA)


def test_the_defaults_are_valid_by_themselves():
    """Pydantic does not check defaults; a default outside its own limits would pass unseen."""
    required = {
        "regions": [{"name": "a", "continent": "Asia"}],
        "corpora": [{"name": "c", "role": "discovery", "sources": [{"reader": "news", "asset": "x"}]}],
    }  # fmt: skip
    dumped = Config.model_validate(required).model_dump()
    assert Config.model_validate(dumped) == Config.model_validate(required)
