"""The section personas is refused with what is wrong, and never with a key in the message."""

from __future__ import annotations

import copy
import math
from typing import Any

import pytest

from biasatlas.config import Config, validate
from biasatlas.config.personas import LanguageModel, Personas
from biasatlas.errors import InputError

MINIMAL: dict[str, Any] = {
    "regions": [{"name": "africa", "continent": "Africa"}],
    "corpora": [
        {
            "name": "discovery",
            "role": "discovery",
            "sources": [{"reader": "table", "path": "x.csv"}],
        }
    ],
}
SECRET = "sk-proj-4f9aSECRETb71"
LLAMA = {"name": "small", "backend": "llama", "asset": "smollm2_135m"}
CAUSAL = {"name": "causal", "backend": "transformers", "path": "models/mine"}
OPENAI = {"name": "gpt", "backend": "openai", "model": "gpt-4o", "key_from": "OPENAI_API_KEY"}


def config_of(*models: Any, **keys: Any) -> Config:
    values = copy.deepcopy(MINIMAL)
    values["personas"] = {"models": list(models), **keys}
    return validate(values, "my.yaml")


def problems_of(*models: Any, **keys: Any) -> tuple[str, ...]:
    with pytest.raises(InputError) as error:
        config_of(*models, **keys)
    assert SECRET not in str(error.value)
    # Nothing is chained that a traceback would print.
    assert error.value.__cause__ is None
    assert error.value.__suppress_context__
    return error.value.problems


def without(values: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key not in keys}


def test_right_models_of_every_backend():
    personas = config_of(LLAMA, CAUSAL, OPENAI).personas
    assert [one.name for one in personas.models] == ["small", "causal", "gpt"]
    assert [one.probed for one in personas.models] == [True, True, False]
    assert config_of(OPENAI | {"logprobs": True}).personas.models[0].probed
    whole = OPENAI | {
        "base_url": "http://127.0.0.1:8000/v1", "price": {"prompt": 2.5, "reply": 10},
        "per_minute": 60, "parallel": 8, "structured": "none", "revision": "2024-08-06",
    }  # fmt: skip
    model = config_of(whole).personas.models[0]
    assert model.price is not None
    assert model.model_dump(exclude_unset=True) == whole


def test_without_the_section_no_model_is_asked():
    personas = validate(MINIMAL).personas
    assert personas == Personas()
    assert personas.models == []
    assert (personas.pairs, personas.prompts, personas.runs) == ("own", ["paper"], 7)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (without(LLAMA, "asset"), "model `small`: give exactly one of `asset` and `path`"),
        (LLAMA | {"path": "x.gguf"}, "model `small`: give exactly one of `asset` and `path`"),
        (without(CAUSAL, "path"), "model `causal`: give exactly one of `asset` and `path`"),
        (CAUSAL | {"asset": "x"}, "model `causal`: give exactly one of `asset` and `path`"),
        (without(OPENAI, "model"), "model `gpt`: `model` is missing: the name by which the server knows it"),
        (OPENAI | {"model": ""}, "model `gpt`: `model` is missing: the name by which the server knows it"),
        *(
            (OPENAI | {key: "x"}, f"model `gpt`: `{key}` is for the backends llama and transformers")
            for key in ("asset", "path")
        ),
        *(
            (model | {key: value}, f"model `{model['name']}`: `{key}` is for the backend openai")
            for model in (LLAMA, CAUSAL)
            for key, value in (
                ("model", "gpt-4o"), ("base_url", "http://127.0.0.1"), ("key_from", "KEY"),
                ("price", {"prompt": 0, "reply": 0}), ("per_minute", 1), ("parallel", 4),
                ("structured", "none"), ("logprobs", False),
            )
        ),
    ],
)  # fmt: skip
def test_a_key_of_another_backend(model, said):
    assert problems_of(model) == (f"my.yaml: key `personas.models.0`: {said}",)


def test_all_keys_of_another_backend_are_told_at_once():
    (problem,) = problems_of(without(LLAMA, "asset") | {"model": "m", "per_minute": 3})
    assert problem.endswith(
        "model `small`: give exactly one of `asset` and `path`; `model` is for the backend openai; "
        "`per_minute` is for the backend openai"
    )
    (problem,) = problems_of(without(OPENAI, "model") | {"asset": "a", "path": "p"})
    assert problem.count(" is for the backends llama and transformers") == 2
    assert "`model` is missing" in problem


@pytest.mark.parametrize(
    ("change", "key", "said"),
    [
        ({"name": "My model"}, "name", "^[a-z][a-z0-9_]*$"),
        ({"backend": "ollama"}, "backend", "'llama', 'transformers' or 'openai'"),
        ({"structured": "xml"}, "structured", "'json_schema', 'json_object' or 'none'"),
        ({"logprobs": "yes"}, "logprobs", "boolean"),
        ({"parallel": 0}, "parallel", "greater than or equal to 1"),
        ({"parallel": 1.5}, "parallel", "integer"),
        ({"per_minute": 0}, "per_minute", "greater than or equal to 1"),
        ({"price": {"prompt": -1, "reply": 1}}, "price.prompt", "greater than or equal to 0"),
        ({"price": {"prompt": 1}}, "price.reply", "is missing"),
        ({"price": {"prompt": 1, "reply": 1, "image": 1}}, "price.image", "allowed here: prompt, reply"),
        ({"revision": 3}, "revision", "valid string"),
        ({"modle": "x"}, "modle", "did you mean `model`?"),
    ],
)  # fmt: skip
def test_a_wrong_value_of_a_model(change, key, said):
    (problem,) = problems_of(OPENAI | change)
    assert problem.startswith(f"my.yaml: key `personas.models.0.{key}`: ")
    assert said in problem


@pytest.mark.parametrize(
    ("keys", "key", "said"),
    [
        ({"pairs": "all"}, "pairs", "'own', 'paper' or 'both'"),
        ({"prompts": []}, "prompts", "at least 1 item"),
        ({"prompts": ["Told it"]}, "prompts.0", "^[a-z][a-z0-9_]*$"),
        ({"runs": 0}, "runs", "greater than or equal to 1"),
        ({"temperature": -0.1}, "temperature", "greater than or equal to 0"),
        ({"temperature": 2.1}, "temperature", "less than or equal to 2"),
        ({"temperature": math.nan}, "temperature", "value nan"),
        ({"max_tokens": 0}, "max_tokens", "greater than or equal to 1"),
        ({"context": 255}, "context", "greater than or equal to 256"),
        ({"probe": 1}, "probe", "boolean"),
        ({"bootstrap": 99}, "bootstrap", "greater than or equal to 100"),
        ({"permutations": 98}, "permutations", "greater than or equal to 99"),
        ({"requests": {"timeout": 0}}, "requests.timeout", "greater than 0"),
        ({"requests": {"longest_wait": 0}}, "requests.longest_wait", "greater than 0"),
        ({"requests": {"attempts": 0}}, "requests.attempts", "greater than or equal to 1"),
        ({"requests": {"max_requests": 0}}, "requests.max_requests", "greater than or equal to 1"),
        ({"requests": {"max_request": 5}}, "requests.max_request", "did you mean `max_requests`?"),
        ({"modles": []}, "modles", "did you mean `models`?"),
    ],
)  # fmt: skip
def test_a_wrong_value_of_the_section(keys, key, said):
    (problem,) = problems_of(LLAMA, **keys)
    assert problem.startswith(f"my.yaml: key `personas.{key}`: ")
    assert said in problem


# Keys of servers


@pytest.mark.parametrize(
    "value",
    [SECRET, SECRET.upper(), "openai_api_key", "OPENAI-API-KEY", "1KEY", "", "A KEY", "KEY\n", "ÄKEY"],
)  # fmt: skip
def test_what_is_no_variable_s_name_is_not_shown(value):
    (problem,) = problems_of(OPENAI | {"key_from": value})
    assert problem == (
        "my.yaml: key `personas.models.0.key_from`: value (not shown, it may be a key): give the "
        "name of an environment variable in capitals, such as OPENAI_API_KEY"
    )


@pytest.mark.parametrize("value", ["OPENAI_API_KEY", "KEY", "_K2"])
def test_names_of_variables(value):
    assert config_of(OPENAI | {"key_from": value}).personas.models[0].key_from == value


@pytest.mark.parametrize(
    "value",
    [
        SECRET, f"https://me:{SECRET}@host/v1", f"https://{SECRET}@host/v1", f"https://:{SECRET}@host/v1",
        f"https://host/v1?api_key={SECRET}", f"https://host/v1#{SECRET}", f"ftp://host/{SECRET}",
        f"https:///{SECRET}", f"http://[{SECRET}/v1", "host/v1", "localhost:8000", "",
        "http://host:99999/v1", "http://host:port/v1", "http://host:0/v1",
    ],
)  # fmt: skip
def test_a_wrong_address_is_not_shown(value):
    (problem,) = problems_of(OPENAI | {"base_url": value})
    assert problem == (
        "my.yaml: key `personas.models.0.base_url`: value (not shown, it may hold a key): give "
        "http:// or https://, a host and a path, without user name, password or `?`"
    )


@pytest.mark.parametrize(
    "value", ["http://127.0.0.1:8000/v1", "https://api.example.org", "http://[::1]:11434/v1"]
)
def test_addresses(value):
    assert config_of(OPENAI | {"base_url": value}).personas.models[0].base_url == value


@pytest.mark.parametrize("key", ["api_key", "key", "token", "key_form"])
def test_a_key_under_another_name_is_not_shown(key):
    (problem,) = problems_of(OPENAI | {key: SECRET})
    assert problem.startswith(f"my.yaml: key `personas.models.0.{key}`: no such key; ")
    assert "key_from" in problem


@pytest.mark.parametrize(
    "more",
    [
        # A second problem, of the model, its neighbours and the section.
        {"parallel": 0}, {"asset": "x"}, {"model": ""}, {"zzz": 1}, {"name": "A"}, {"backend": "x"},
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "secret",
    [{"key_from": SECRET}, {"base_url": f"http://h/?k={SECRET}"}, {"api_key": SECRET}],
)
def test_a_key_is_not_shown_beside_another_problem(secret, more):
    problems = problems_of(OPENAI | secret | more, LLAMA, LLAMA, temperature=0)
    assert "stands twice" in problems[-1]
    assert any(next(iter(secret)) in line for line in problems)


SHAPES = [
    [OPENAI | {"key_from": [SECRET]}],
    [OPENAI | {"base_url": [f"https://h/?k={SECRET}"]}],
    OPENAI | {"key_from": SECRET},
    {"gpt": OPENAI | {"api_key": SECRET}},
    [OPENAI | {"price": SECRET}],
    [OPENAI | {"price": {"prompt": SECRET, "reply": 1}}],
    [OPENAI | {"parallel": SECRET}],
    [OPENAI | {"logprobs": SECRET}],
    [OPENAI | {"asset": {"key": SECRET}}],
    SECRET,
    [SECRET],
    [[SECRET]],
]


@pytest.mark.parametrize("models", SHAPES)
def test_a_key_in_a_value_of_the_wrong_type_is_not_shown(models):
    values = MINIMAL | {"personas": {"models": models}}
    with pytest.raises(InputError) as error:
        validate(values, "my.yaml")
    assert SECRET not in str(error.value)


# Names


def test_a_model_and_a_prompt_form_stand_once():
    (problem,) = problems_of(OPENAI, LLAMA, OPENAI | {"model": "other"})
    assert problem.endswith("personas.models: gpt stands twice")
    (problem,) = problems_of(LLAMA, prompts=["paper", "told", "paper"])
    assert problem.endswith("personas.prompts: paper stands twice")
    (problem,) = problems_of(LLAMA, LLAMA, prompts=["told", "told"])
    assert "small stands twice; personas.prompts: told stands twice" in problem


def test_all_is_no_name_of_a_prompt_form_or_a_region():
    (problem,) = problems_of(LLAMA, prompts=["paper", "all"])
    assert "personas.prompts: `all` is the row of all prompt forms" in problem
    values = MINIMAL | {"regions": [{"name": "all", "continent": "Africa"}]}
    with pytest.raises(InputError, match="regions: `all` is the row of all regions"):
        validate(values)


def test_several_problems_are_told_at_once():
    problems = problems_of(
        OPENAI | {"parallel": 0}, LLAMA | {"path": "x"}, prompts=["all"], runs=0, pairs="x"
    )
    text = "\n".join(problems)
    for part in ("models.0.parallel", "models.1`", "`all`", "personas.runs", "personas.pairs"):
        assert part in text
    assert len(problems) == 5


# Runs


@pytest.mark.parametrize("runs", [2, 7])
def test_temperature_0_needs_one_run(runs):
    said = f"temperature 0 gives the same reply in each run: with it `runs` is 1, not {runs}"
    assert problems_of(LLAMA, temperature=0, runs=runs) == (f"my.yaml: key `personas`: {said}",)


def test_temperature_0_with_the_default_number_of_runs_is_refused():
    (problem,) = problems_of(LLAMA, temperature=0.0)
    assert "`runs` is 1, not 7" in problem


@pytest.mark.parametrize(("temperature", "runs"), [(0, 1), (0.01, 7), (2, 1)])
def test_right_temperatures(temperature, runs):
    personas = config_of(LLAMA, temperature=temperature, runs=runs).personas
    assert (personas.temperature, personas.runs) == (temperature, runs)


def test_a_path_is_expanded(monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    assert LanguageModel(name="a", backend="llama", path="~/a.gguf").path == "/home/me/a.gguf"
