"""What is wrong with a configuration beside its keys: names, files and word lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from biasatlas.assets.catalogue import check_asset_paths
from biasatlas.config import Source
from biasatlas.corpora.language_filter import language_labels
from biasatlas.corpora.paths import expand_paths, missing_paths
from biasatlas.corpora.readers import read_source
from biasatlas.corpora.regions import resolve_regions
from biasatlas.errors import InputError
from biasatlas.language_models.install import check_llama
from biasatlas.language_plan import find_wrong_languages
from biasatlas.persona_plan import find_wrong_personas
from biasatlas.plan import Plan


def make_plan(
    values: Mapping[str, Any],
    resources: str | Path = "resources",
    where: str = "configuration",
) -> Plan:
    """Make a plan and check all that it names.

    Parameters
    ----------
    values, resources, where
        As in `Plan`.

    Raises
    ------
    InputError
        Naming every wrong key, or every missing file, wrong option and faulty word list.
    """
    plan = Plan(values, resources, where)
    names = [*find_wrong_names(plan), *find_wrong_languages(plan.grid), *_wrong_texts(plan)]
    names += find_wrong_personas(plan.personas)
    problems = [f"{where}: {line}" for line in names]
    problems += find_wrong_lists(plan)
    if problems:
        raise InputError(problems)
    return plan


def find_wrong_names(plan: Plan) -> list[str]:
    """Find names in a configuration of which there is nothing: assets, files, countries."""
    config = plan.config
    problems = check_asset_paths({"asset_paths": config.asset_paths}, plan.assets)
    problems += [
        f"key `asset_paths.{name}`: {path}: there is no such file or folder"
        for name, path in config.asset_paths.items()
        if not Path(path).exists()
    ]
    wanted = {
        **_encoders(plan),
        "pairs.encoder": config.pairs.encoder,
        "vectors.pretrained": config.vectors.pretrained,
        "labels.model": config.labels.model,
        "labels.second": config.labels.second,
        "documents.language_model": plan.language_model,
    }
    for corpus in config.corpora:
        for source in corpus.sources:
            key = f"corpora ({corpus.name})"
            wanted[f"{key} asset of reader {source.reader}"] = source.asset
            problems += [
                f"key `{key}`: path {path}: there is no such file"
                for path in missing_paths(source.path or [])
            ]
            problems += [f"key `{key}`: {line}" for line in _wrong_source(source)]
        problems += [
            f"corpora ({corpus.name}): no source for language `{language}`; each language "
            "needs one with that `language`, or without any"
            for language in config.languages
            if not plan.sources(corpus.name, language)
        ]
    problems += [
        f"key `{key}`: value {name!r}: no such asset; allowed: {', '.join(plan.assets)}"
        for key, name in wanted.items()
        if name is not None and name not in plan.assets
    ]
    problems += [
        f"key `vectors.own.{name}`: {path}: there is no such file"
        for name, path in config.vectors.own.items()
        if not Path(path).is_file()
    ]
    problems += [
        f"key `gender.pairs`: names no list for language `{language}`"
        for language in config.languages
        if not plan.gender_list(language)
    ]
    problems += [
        f"key `topics.encoder`: names no encoder for language `{language}`"
        for language in config.languages
        if not plan.encoder(language)
    ]
    for role in ("model", "second"):
        if getattr(config.labels, role) is not None:
            problems += check_llama(f"labels.{role}")
    problems += _absent_gender_lists(plan)
    problems += _unknown_languages(plan)
    if config.ungdc_path is not None and not Path(config.ungdc_path).exists():
        problems.append(f"key `ungdc_path`: {config.ungdc_path}: there is no such file")
    try:
        resolve_regions([plan.region_spec(region) for region in plan.regions])
    except InputError as error:
        problems += error.problems
    return problems


def _encoders(plan: Plan) -> dict[str, str | None]:
    """Encoder of each language by its key."""
    if isinstance(plan.config.topics.encoder, str):
        return {"topics.encoder": plan.config.topics.encoder}
    return {
        f"topics.encoder.{language}": plan.encoder(language) or None
        for language in plan.config.languages
    }


def _absent_gender_lists(plan: Plan) -> list[str]:
    problems = []
    for language in plan.config.languages:
        file = Path(plan.gender_file(language))
        if plan.gender_list(language) and not file.is_file():
            there = ", ".join(sorted(path.stem for path in file.parent.glob("*.yaml"))) or "none"
            problems.append(
                f"key `gender.pairs`: {file}: there is no such file; lists of language "
                f"`{language}`: {there}"
            )
    return problems


def _wrong_source(source: Source) -> list[str]:
    """Let the reader check its options and the files, of which none is read."""
    problems: dict[str, None] = {}
    for path in expand_paths(source.path or []):
        try:
            read_source(source.reader, path, source.options)
        except InputError as error:
            problems |= dict.fromkeys(error.problems)
    return list(problems)


def _wrong_texts(plan: Plan) -> list[str]:
    """Check the texts of the section weathub; a language need not have any."""
    problems: dict[str, None] = {}
    for language in plan.grid.languages:
        for source in plan.grid.sources(language):
            found = _wrong_source(source)
            if source.asset is not None and source.asset not in plan.assets:
                allowed = ", ".join(plan.assets)
                found.append(f"asset {source.asset!r}: there is no such asset; allowed: {allowed}")
            problems |= dict.fromkeys(f"key `weathub.texts`: {line}" for line in found)
    return list(problems)


def _unknown_languages(plan: Plan) -> list[str]:
    if plan.language_model is None:
        return []
    problems: list[str] = []
    for language in plan.config.languages:
        try:
            language_labels(language)
        except InputError as error:
            problems += [f"key `documents.language_min`: {line}" for line in error.problems]
    return problems


def find_wrong_lists(plan: Plan) -> list[str]:
    """Find what is wrong with the word lists of a run."""
    problems: list[str] = []
    for language in plan.config.languages:
        loads: list[Callable[[str], Any]] = [plan.controls]
        loads += [plan.gender_terms] * Path(plan.gender_file(language)).is_file()
        # The corpora of a language can be looked at before it has tests.
        if plan.tests_folder(language).is_dir() or not plan.tests_folder("").is_dir():
            loads.append(plan.tests)
        for load in loads:
            try:
                load(language)
            except InputError as error:
                problems += error.problems
    # Lists of the regions' languages were read above.
    for language in sorted(set(plan.grid.languages) - set(plan.config.languages)):
        try:
            plan.grid.own_tests(language)
        except InputError as error:
            problems += error.problems
    try:
        plan.published  # noqa: B018
    except InputError as error:
        problems += error.problems
    return problems
