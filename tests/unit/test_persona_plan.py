"""What the section personas asks for, what changes it, and everything wrong with it at once."""

from __future__ import annotations

import copy
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from biasatlas import persona_plan, provenance
from biasatlas.assets.catalogue import asset_digest, load_catalogue
from biasatlas.config import validate
from biasatlas.errors import InputError
from biasatlas.language_models import install
from biasatlas.persona_plan import PersonaPlan
from biasatlas.plan import Plan
from biasatlas.plan_checks import make_plan

ROOT = Path(__file__).parents[2]
RESOURCES = ROOT / "resources"
DEFAULT = yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))
ASSETS = load_catalogue(RESOURCES / "assets.yaml")
LLAMA = {"name": "smollm2", "backend": "llama", "asset": "smollm2_135m"}
OPENAI = {"name": "gpt", "backend": "openai", "model": "gpt-4o", "key_from": "BIASATLAS_TEST_KEY"}
Values = dict[str, Any]


@pytest.fixture
def resources(tmp_path) -> Path:
    """The files that the section reads, to be edited."""
    folder = tmp_path / "resources"
    for part in ("prompts/personas", "persona_gender", "word_lists/gender/en"):
        shutil.copytree(RESOURCES / part, folder / part)
    shutil.copytree(
        RESOURCES / "word_lists" / "region_aware", folder / "word_lists" / "region_aware"
    )
    return folder


def section_of(resources: Path, *models: Values, run: Values | None = None, **keys: Any) -> Values:
    values = copy.deepcopy(DEFAULT) | (run or {})
    folder = str(resources / "prompts" / "personas")
    return values | {"personas": {"models": list(models or [LLAMA]), "folder": folder, **keys}}


def plan_of(resources: Path, *models: Values, **keys: Any) -> PersonaPlan:
    return PersonaPlan(validate(section_of(resources, *models, **keys)), resources, ASSETS)


def problems_of(*models: Values, run: Values | None = None, **keys: Any) -> tuple[str, ...]:
    """Problems of a whole plan, with the project's own lists."""
    values = section_of(RESOURCES, *models, run=run)
    values["personas"] |= keys
    with pytest.raises(InputError) as error:
        make_plan(values, RESOURCES, "my.yaml")
    return error.value.problems


def edit(path: Path, pattern: str, replacement: str) -> None:
    text = path.read_text(encoding="utf-8")
    edited, n = re.subn(pattern, replacement, text, count=1)
    assert n == 1, f"{pattern} is not in {path}"
    path.write_text(edited, encoding="utf-8")


# The default run


def test_the_default_run():
    plan = make_plan(copy.deepcopy(DEFAULT), RESOURCES, "my.yaml")
    personas = plan.personas
    assert personas.languages == ["en"]
    assert (personas.local, personas.remote, personas.probed) == (["smollm2"], [], ["smollm2"])
    assert personas.used_assets == ["smollm2_135m"]
    assert "smollm2_135m" in plan.used_assets
    assert [Path(file).is_file() for file in personas.form_files("en")] == [True]
    assert Path(personas.neutral_file("en")).is_file()
    assert Path(personas.probe_file("en")).is_file()
    assert personas.about["left_out"] == []
    assert [name for name in plan.word_list_digests() if name.startswith("personas/")] == (
        personas.digests()
    )
    assert personas.region_text("north_america") == "North America"
    assert dict(personas.sampled) == {
        "runs": 7, "temperature": 0.8, "max_tokens": 160, "seed": DEFAULT["seed"],
    }  # fmt: skip


def test_without_models_the_stage_is_left_out_and_nothing_is_read(tmp_path):
    values = copy.deepcopy(DEFAULT)
    values["personas"] = {"models": [], "folder": str(tmp_path / "none"), "prompts": ["none"]}
    plan = make_plan(values, RESOURCES, "my.yaml")
    personas = plan.personas
    assert (personas.languages, personas.digests(), personas.used_assets) == ([], [], [])
    assert (personas.about, personas.describe_models()) == ({}, [])


def test_a_region_without_a_label_is_told_by_its_name(resources):
    run = {"regions": [{"name": "north_africa", "continent": "Africa"}]}
    assert plan_of(resources, run=run).region_text("north_africa") == "north africa"


# Models


def test_models_of_a_job_and_of_a_server(resources):
    causal = {"name": "own", "backend": "transformers", "path": "models/own"}
    plan = plan_of(resources, OPENAI, LLAMA, causal, OPENAI | {"name": "vllm", "logprobs": True})
    assert (plan.local, plan.remote) == (["smollm2", "own"], ["gpt", "vllm"])
    assert plan.probed == ["smollm2", "own", "vllm"]
    assert plan.used_assets == ["smollm2_135m"]
    assert plan_of(resources, OPENAI, LLAMA, probe=False).probed == []


def test_how_hard_a_model_may_be_asked(resources):
    requests = {"attempts": 3, "longest_wait": 5, "max_requests": 50, "timeout": 9}
    plan = plan_of(
        resources, LLAMA, OPENAI | {"parallel": 7, "per_minute": 30}, requests=requests, context=512
    )
    # One in the job is asked once and without limit.
    assert plan.limits("smollm2") == [("attempts", 1), ("parallel", 1)]
    assert plan.limits("gpt") == [
        ("attempts", 3), ("longest_wait", 5), ("max_requests", 50), ("parallel", 7),
        ("per_minute", 30),
    ]  # fmt: skip
    assert plan.backend_settings("smollm2") == [("context", 512)]
    assert plan.backend_settings("gpt") == [("parallel", 7), ("timeout", 9)]


def test_the_table_of_models(resources):
    price = {"prompt": 2.5, "reply": 10}
    plan = plan_of(
        resources, LLAMA, OPENAI | {"price": price, "revision": "v2", "base_url": "http://h/v1"}
    )
    small, gpt = plan.describe_models()
    assert small == {
        "name": "smollm2", "backend": "llama", "source": "smollm2_135m",
        "revision": asset_digest(ASSETS["smollm2_135m"])[:12],
        "price_prompt": None, "price_reply": None,
    }  # fmt: skip
    assert gpt == {
        "name": "gpt", "backend": "openai", "source": "gpt-4o", "revision": "v2",
        "price_prompt": 2.5, "price_reply": 10,
    }  # fmt: skip


def test_keys_that_are_not_there_are_named_and_their_values_are_nowhere(resources, monkeypatch):
    plan = plan_of(resources, OPENAI, OPENAI | {"name": "b", "key_from": "BIASATLAS_TEST_B"}, LLAMA)
    monkeypatch.delenv("BIASATLAS_TEST_KEY", raising=False)
    monkeypatch.setenv("BIASATLAS_TEST_B", "")
    assert plan.absent_keys == ["BIASATLAS_TEST_B", "BIASATLAS_TEST_KEY"]
    monkeypatch.setenv("BIASATLAS_TEST_KEY", "sk-secret")
    assert plan.absent_keys == ["BIASATLAS_TEST_B"]
    told = (plan.model_keys("gpt"), plan.about, plan.describe_models(), plan.limits("gpt"))
    assert "sk-secret" not in repr((*told, plan.reply_digest("gpt"), plan.digests()))


def test_memory_grows_with_the_file(resources, tmp_path):
    file = tmp_path / "own.gguf"
    with file.open("wb") as sparse:
        sparse.truncate(100_000_000)
    folder = tmp_path / "folder"
    (folder / "deep").mkdir(parents=True)
    os.link(file, folder / "deep" / "model.safetensors")
    plan = plan_of(
        resources,
        {"name": "file", "backend": "llama", "path": str(file)},
        {"name": "folder", "backend": "transformers", "path": str(folder)},
        LLAMA,
    )
    assert plan.memory_mb("file") == plan.memory_mb("folder") == 2_130
    assert plan.memory_mb("smollm2") == 2_000 + round(1.3 * ASSETS["smollm2_135m"].size_mb)


# What changes the digests


def told(plan: PersonaPlan) -> dict[str, Any]:
    """Everything by which the workflow tells that questions or words have changed."""
    return {
        "forms": plan.forms_text("en"),
        "neutral": plan.neutral("en"),
        "probe": plan.probe_text("en"),
        "words": plan.gender_words_digest("en"),
        "nouns": plan.nouns_digest("en"),
        "whole": plan.digests(),
    }


def changed_parts(resources: Path, change: Callable[[], object]) -> set[str]:
    before = told(plan_of(resources, prompts=["paper", "told"]))
    change()
    after = told(plan_of(resources, prompts=["paper", "told"]))
    assert len(after["whole"]) == 1
    return {name for name, value in before.items() if value != after[name]}


PROMPTS = "prompts/personas/en"


@pytest.mark.parametrize(
    ("file", "pattern", "replacement", "parts"),
    [
        # What decides no reply.
        (f"{PROMPTS}/paper.yaml", r"^", "# a comment\n", set()),
        (f"{PROMPTS}/paper.yaml", r"title: ", "title: Another, ", set()),
        (f"{PROMPTS}/paper.yaml", r"about: >-\n", "about: >-\n  Another note.\n", set()),
        (f"{PROMPTS}/neutral_topics.yaml", r"^", "# a comment\n", set()),
        (f"{PROMPTS}/probe.yaml", r"^", "# a comment\n", set()),
        ("persona_gender/en.yaml", r"^", "# a comment\n", set()),
        ("word_lists/gender/en/extended.yaml", r"^", "# a comment\n", set()),
        # A form that is not asked for.
        (f"{PROMPTS}/story.yaml", "Tell me", "Please tell me", set()),
        # What does.
        (f"{PROMPTS}/paper.yaml", "Create a persona", "Make a persona", {"forms"}),
        (f"{PROMPTS}/told.yaml", "Create a persona", "Make a persona", {"forms"}),
        (f"{PROMPTS}/paper.yaml", "You invent", "You make up", {"forms"}),
        (f"{PROMPTS}/paper.yaml", r"female, male", "male, female", {"forms"}),
        (f"{PROMPTS}/neutral_topics.yaml", "good food", "bad food", {"neutral"}),
        (f"{PROMPTS}/probe.yaml", '" She"', '" Her"', {"probe"}),
        (f"{PROMPTS}/probe.yaml", "often talks", "talks", {"probe"}),
        (f"{PROMPTS}/probe.yaml", "name: reads", "name: studies", {"probe"}),
        ("persona_gender/en.yaml", "actress, ", "actress, aviatrix, ", {"words"}),
        ("persona_gender/en.yaml", "as an ai, ", "", {"words"}),
        ("word_lists/gender/en/extended.yaml", r"female: \w+", "female: zebra", {"words", "nouns"}),
    ],
)  # fmt: skip
def test_words_change_the_digests_and_comments_titles_and_notes_do_not(
    resources, file, pattern, replacement, parts
):
    found = changed_parts(resources, lambda: edit(resources / file, pattern, replacement))
    assert found == (parts | {"whole"} if parts else set())


def test_the_order_of_neutral_topics_counts(resources):
    # Their numbers are part of the seeds.
    path = resources / PROMPTS / "neutral_topics.yaml"
    pattern = r"  - everyday life\n  - the weather\n"
    swapped = "  - the weather\n  - everyday life\n"
    assert changed_parts(resources, lambda: edit(path, pattern, swapped)) == {"neutral", "whole"}


def test_the_order_of_forms_counts(resources):
    texts = [plan_of(resources, prompts=list(p)).forms_text("en") for p in
             (("paper", "told"), ("told", "paper"), ("paper",))]  # fmt: skip
    assert len(set(texts)) == 3


# What changes the replies that are kept


def test_the_files_of_a_model_change_its_digest(resources, tmp_path):
    file = tmp_path / "own.gguf"
    file.write_bytes(b"one")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"one")
    models = [
        {"name": "file", "backend": "llama", "path": str(file)},
        {"name": "folder", "backend": "transformers", "path": str(folder)},
        {"name": "asset", "backend": "llama", "asset": "smollm2_135m"},
    ]

    def digests() -> list[str]:
        plan = plan_of(resources, *models)
        return [plan.reply_digest(model["name"]) for model in models]

    before = digests()
    assert digests() == before
    assert len(set(before)) == 3
    file.write_bytes(b"another")
    after = digests()
    assert [old == new for old, new in zip(before, after, strict=True)] == [False, True, True]
    (folder / "model.safetensors").write_bytes(b"another")
    last = digests()
    assert [old == new for old, new in zip(after, last, strict=True)] == [True, False, True]


def test_another_version_of_an_asset_is_another_model(resources):
    config = validate(section_of(resources))
    asset = ASSETS["smollm2_135m"]
    before = PersonaPlan(config, resources, ASSETS)
    other = replace(asset, sha256="0" * 64)
    after = PersonaPlan(config, resources, {**ASSETS, "smollm2_135m": other})
    assert before.reply_digest("smollm2") != after.reply_digest("smollm2")


@pytest.mark.parametrize(
    "change",
    [
        {"price": {"prompt": 1, "reply": 2}}, {"parallel": 9}, {"per_minute": 3},
        {"key_from": "ANOTHER_KEY"},
    ],
)  # fmt: skip
def test_price_and_pace_and_key_change_no_reply(resources, change):
    assert plan_of(resources, OPENAI).reply_digest("gpt") == ""
    assert plan_of(resources, OPENAI | change).reply_digest("gpt") == ""
    before, after = (plan_of(resources, OPENAI | more) for more in ({}, change))
    assert before.sampled == after.sampled
    assert before.digests() == after.digests()


def test_what_the_identity_of_a_server_s_replies_holds(monkeypatch):
    pytest.importorskip("openai")
    from biasatlas.config.personas import LanguageModel
    from biasatlas.language_models.load import make_generator

    def identity(**change: Any) -> str:
        model = LanguageModel(**OPENAI | change)
        return make_generator(model, None, "", parallel=model.parallel, timeout=5).identity

    for number, name in enumerate(("BIASATLAS_TEST_KEY", "BIASATLAS_TEST_B")):
        monkeypatch.setenv(name, f"sk-secret-{number}")
    before = identity()
    assert "sk-secret" not in before
    same: list[Values] = [
        {"price": {"prompt": 1, "reply": 2}}, {"parallel": 9}, {"per_minute": 3},
        {"key_from": "BIASATLAS_TEST_B"},
    ]  # fmt: skip
    other: list[Values] = [
        {"model": "gpt-5"}, {"revision": "b"}, {"structured": "none"},
        {"base_url": "http://127.0.0.1:9/v1"},
    ]  # fmt: skip
    assert {identity(**change) for change in same} == {before}
    assert len({before, *(identity(**change) for change in other)}) == 1 + len(other)


def test_a_price_is_no_key_of_the_model(resources):
    one, other = (plan_of(resources, OPENAI | {"price": price}).model_keys("gpt")
                  for price in (None, {"prompt": 1, "reply": 2}))  # fmt: skip
    assert one == other
    assert "price" not in one
    assert one["model"] == "gpt-4o"


@pytest.fixture
def code(tmp_path, monkeypatch) -> Callable[[str], None]:
    """A copy of the code in the place of ours; the function adds a line to a module."""
    package = tmp_path / "biasatlas"
    shutil.copytree(
        ROOT / "src" / "biasatlas", package, ignore=shutil.ignore_patterns("__pycache__")
    )
    monkeypatch.setattr(provenance, "_ROOT", package)

    def add(name: str) -> None:
        with (package / name).open("a", encoding="utf-8") as file:
            file.write("\nADDED = 1\n")

    return add


def test_replies_are_kept_under_the_code_that_draws_them(resources, tmp_path, code):
    file = tmp_path / "own"
    file.write_bytes(b"")
    causal = {"name": "own", "backend": "transformers", "path": str(file)}
    plan = plan_of(resources, LLAMA, causal, OPENAI)

    def digests() -> list[str]:
        return [plan.reply_digest(name) for name in ("smollm2", "own", "gpt")]

    def changed_by(module: str) -> list[str]:
        before = digests()
        code(module)
        after = digests()
        names = ("llama", "causal", "openai")
        return [n for n, old, new in zip(names, before, after, strict=True) if old != new]

    assert digests()[2] == ""
    for other in (
        "personas/questions.py", "personas/gender.py", "persona_plan.py", "tables/schemas.py",
        "language_models/asking.py", "language_models/store.py", "language_models/endpoint.py",
        "language_models/probing.py", "atlas/personas.py", "config/personas.py",
    ):  # fmt: skip
        assert changed_by(other) == [], other
    assert changed_by("language_models/llama_generator.py") == ["llama"]
    assert changed_by("language_models/causal.py")[-1] == "causal"
    assert "llama" in changed_by("language_models/llama.py")
    assert digests()[2] == ""


def test_every_backend_in_the_job_has_its_code():
    from biasatlas.provenance import imported_modules

    assert set(persona_plan.GENERATORS) == {"llama", "transformers"}
    for module in persona_plan.GENERATORS.values():
        assert f"biasatlas.{module}" in imported_modules(module)


# Languages


def test_a_language_without_prompt_forms_is_left_out_and_said(resources):
    plan = plan_of(resources, run={"languages": ["en", "de", "fr"]})
    assert plan.languages == ["en"]
    assert [line.split("=")[0] for line in plan.digests()] == ["personas/en"]
    (line,) = plan.about["left_out"]
    folder = resources / "prompts" / "personas"
    assert line == (
        "Language models are not asked in de, fr: there are no prompt forms in " + f"{folder}."
    )


def test_a_language_with_prompt_forms_has_digests_of_its_own(resources):
    plan = plan_of(resources)
    before = plan.digests()
    for part in ("prompts/personas", "word_lists/gender"):
        shutil.copytree(resources / part / "en", resources / part / "de")
    for path in (resources / "word_lists/gender/de").glob("*.yaml"):
        edit(path, "language: en", "language: de")
    words = resources / "persona_gender"
    shutil.copy(words / "en.yaml", words / "de.yaml")
    edit(words / "de.yaml", "language: en", "language: de")
    edit(resources / "prompts/personas/de/paper.yaml", "Create a persona", "Mach eine Persona")
    both = plan_of(resources, run={"languages": ["de", "en"]})
    assert both.languages == ["de", "en"]
    assert both.about["left_out"] == []
    german, english = both.digests()
    assert [english] == before
    assert german.partition("=")[2] != english.partition("=")[2]


def test_no_language_with_prompt_forms_is_an_error(tmp_path):
    (tmp_path / "fr").mkdir()
    (tmp_path / "de").mkdir()
    (problem,) = problems_of(folder=str(tmp_path))
    assert problem == (
        f"my.yaml: key `personas.folder`: value {str(tmp_path)!r}: has no folder for a language of "
        "the run (en); languages there: de, fr. Without `personas.models` the stage is left out"
    )
    (problem,) = problems_of(folder=str(tmp_path / "none"))
    assert "languages there: none." in problem


# Published pairs


def test_published_pairs_of_a_region(resources):
    plan = plan_of(resources)
    pairs = plan.published("en", "africa")
    assert pairs[0] == (
        "P1", "Parenting and family relationships", "Nollywood Actress and Movies",
    )  # fmt: skip
    numbers = {r["name"]: len(plan.published("en", r["name"])) for r in DEFAULT["regions"]}
    assert sum(numbers.values()) == 25
    assert set(numbers.values()) == {5}
    assert plan.published("en", "atlantis") == plan.published("de", "africa") == []


@pytest.mark.parametrize("pairs", ["paper", "both"])
def test_published_pairs_without_a_region_that_has_any_are_an_error(pairs):
    run = {
        "regions": [
            {"name": "north", "continent": "Africa"},
            {"name": "south", "continent": "Asia"},
        ]
    }
    (problem,) = problems_of(run=run, pairs=pairs)
    assert problem == (
        f"my.yaml: key `personas.pairs`: value {pairs!r}: none of the regions (north, south) has "
        "published pairs; regions that have: africa, asia, europe, north_america, oceania"
    )


@pytest.mark.parametrize("pairs", ["own", "paper", "both"])
def test_one_known_region_is_enough_and_own_pairs_need_none(pairs):
    regions = [{"name": "north", "continent": "Africa"}]
    if pairs != "own":
        regions.append({"name": "asia", "continent": "Asia"})
    run = {"regions": regions}
    values = section_of(RESOURCES, run=run, pairs=pairs)
    assert isinstance(make_plan(values, RESOURCES, "my.yaml"), Plan)


# What is wrong


def test_an_asset_that_is_not_in_the_catalogue():
    (problem,) = problems_of(LLAMA | {"asset": "no_such_model"})
    allowed = ", ".join(ASSETS)
    assert problem == (
        "my.yaml: key `personas.models (smollm2)`: asset 'no_such_model': no such asset; "
        f"allowed: {allowed}"
    )


@pytest.mark.parametrize("backend", ["llama", "transformers"])
def test_a_file_that_is_not_there(tmp_path, backend):
    path = str(tmp_path / "none.gguf")
    (problem,) = problems_of({"name": "own", "backend": backend, "path": path})
    assert problem == (
        f"my.yaml: key `personas.models (own)`: {path}: there is no such file or folder"
    )


def test_a_form_that_is_not_there():
    (problem,) = problems_of(prompts=["paper", "no_such_form"])
    folder = RESOURCES / "prompts" / "personas"
    assert problem == f"my.yaml: {folder}/en/no_such_form.yaml: there is no such file"


def test_genders_of_a_form_must_be_readable(resources):
    edit(resources / PROMPTS / "paper.yaml", r"\[female, male, non-binary\]", "[female, dog]")
    (problem,) = problems_of(folder=str(resources / "prompts" / "personas"))
    assert "paper.yaml: genders: 'dog' stands in no list `stated` of" in problem


@pytest.mark.parametrize("name", ["neutral_topics", "probe"])
def test_neutral_topics_and_the_probe_must_be_there(resources, name):
    (resources / PROMPTS / f"{name}.yaml").unlink()
    folder = str(resources / "prompts" / "personas")
    (problem,) = problems_of(folder=folder)
    assert problem == f"my.yaml: {folder}/en/{name}.yaml: there is no such file"


@pytest.mark.parametrize("keys", [{"probe": False}, {"models": [OPENAI]}])
def test_without_a_probe_its_file_is_not_needed_by_the_checks(resources, keys):
    (resources / PROMPTS / "probe.yaml").write_text("nonsense: 1\n", encoding="utf-8")
    folder = str(resources / "prompts" / "personas")
    assert "probe.yaml" in problems_of(folder=folder)[0]
    values = section_of(RESOURCES)
    values["personas"] |= {"folder": folder, **keys}
    assert isinstance(make_plan(values, RESOURCES, "my.yaml"), Plan)


def test_missing_programs_are_named_with_how_to_install_them(monkeypatch):
    monkeypatch.setattr(install, "find_spec", lambda name: None)
    monkeypatch.setattr(persona_plan, "find_spec", lambda name: None)
    values = section_of(RESOURCES, LLAMA, OPENAI)
    values["labels"] = {"model": None}
    with pytest.raises(InputError) as error:
        make_plan(values, RESOURCES, "my.yaml")
    llama, openai = error.value.problems
    assert llama.startswith("my.yaml: key `personas.models (smollm2)`: needs llama-cpp-python")
    assert "make llm" in llama
    assert openai == (
        "my.yaml: key `personas.models (gpt)`: needs the package openai; run `make install`"
    )


def test_everything_wrong_is_told_at_once(resources, tmp_path):
    edit(resources / PROMPTS / "told.yaml", r"\{topic\}", "{theme}")
    edit(resources / PROMPTS / "neutral_topics.yaml", "good food", "the weather")
    edit(resources / PROMPTS / "probe.yaml", "name: reads", "name: talks")
    problems = problems_of(
        LLAMA | {"asset": "absent"},
        {"name": "own", "backend": "transformers", "path": str(tmp_path / "none")},
        run={"regions": [{"name": "north", "continent": "Africa"}]},
        folder=str(resources / "prompts" / "personas"),
        prompts=["told", "absent_form"],
        pairs="paper",
    )
    expected = [
        "personas.models (smollm2)", "personas.models (own)", "unknown placeholder {theme}",
        "placeholder {topic} is missing", "absent_form.yaml: there is no such file",
        "'the weather' stands twice", "template talks stands twice", "personas.pairs",
    ]  # fmt: skip
    assert len(problems) == len(expected)
    for line, part in zip(problems, expected, strict=True):
        assert line.startswith("my.yaml: ")
        assert part in line


def test_what_the_atlas_says_of_the_questions(resources):
    about = plan_of(resources, prompts=["story", "paper"], runs=3, temperature=1.5).about
    assert (about["runs"], about["temperature"], about["left_out"]) == (3, 1.5, [])
    assert list(about["prompts"]) == ["story", "paper"]
    assert about["prompts"]["story"]["title"] == "Free text"
    assert "{topic}" in about["prompts"]["story"]["message"]
