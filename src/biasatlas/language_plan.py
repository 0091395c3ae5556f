"""What a configuration asks of the tests in many languages: lists, models and texts of each."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.assets.catalogue import asset_digest, find_local_path
from biasatlas.config.weathub import Weathub, WordModel
from biasatlas.corpora.paths import expand_paths, inventory, path_digest
from biasatlas.errors import InputError
from biasatlas.lexicons.digests import digest
from biasatlas.lexicons.weathub_files import LANGUAGES, list_files, list_languages, lists_digest
from biasatlas.lexicons.word_lists import AssociationTest, load_tests
from biasatlas.provenance import file_sha256

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from biasatlas.assets.asset import Asset
    from biasatlas.config import Config, Source

LISTS = "weathub"


class LanguagePlan:
    """The section weathub of a configuration.

    Parameters
    ----------
    run : Config
        The whole configuration.
    resources : Path
        Folder of word lists and endings.
    assets : mapping of str to Asset
        The catalogue.
    """

    def __init__(self, run: Config, resources: Path, assets: Mapping[str, Asset]) -> None:
        self.run = run
        self.config: Weathub = run.weathub
        self.resources = resources
        self.assets = assets

    @cached_property
    def languages(self) -> list[str]:
        """Languages whose lists are scored; none where no model is asked for."""
        asked = self.config.languages
        named = list(LANGUAGES) if asked == "all" else list(asked)
        return named if self.config.models else []

    # Lists

    @property
    def published(self) -> bool:
        """Whether WEATHub's lists are read."""
        return bool(self.languages) and (self.config.published_lists or self.local is not None)

    @cached_property
    def local(self) -> Path | None:
        """The user's own copy of WEATHub; its files are read where they stand."""
        values = self.run.model_dump(include={"asset_paths", "weathub_path"})
        return find_local_path(self.assets[LISTS], values)

    def list_files(self, language: str) -> list[str]:
        """Files of the user's own copy for a language."""
        if self.local is None:
            return []
        return [str(file.path) for file in list_files(self.local, language)]

    def lists_digest(self, language: str) -> str:
        """Hash of what WEATHub's lists of a language say."""
        if not self.published:
            return ""
        if self.local is None:
            return asset_digest(self.assets[LISTS])
        return lists_digest(self.local, language)

    def own_folder(self, language: str) -> Path:
        """Folder of the run's own tests in a language."""
        return self.resources / "word_lists" / self.run.weat.tests / language

    def own_tests(self, language: str) -> list[AssociationTest]:
        """The run's own tests in a language; none where it has no folder."""
        folder = self.own_folder(language)
        if "own" not in self.config.variants or not folder.is_dir():
            return []
        return load_tests(folder)

    def own_files(self, language: str) -> list[str]:
        """Files of these tests."""
        return [str(test.path) for test in self.own_tests(language)]

    def own_digest(self, language: str) -> list[str]:
        """Hash of each of these tests."""
        return [f"{test.test}={digest(test)}" for test in self.own_tests(language)]

    def gender_rules_digest(self, language: str) -> str:
        """Hash of the endings by which gendered forms of a language are found; empty for none."""
        return "".join(file_sha256(path)[:16] for path in self.gender_rules(language))

    def gender_rules(self, language: str) -> list[str]:
        """File of these endings; none where the language has no such rule."""
        path = Path(self.gender_rules_folder) / f"{language}.yaml"
        return [str(path)] if path.is_file() else []

    @property
    def gender_rules_folder(self) -> str:
        """Folder of the endings of all languages."""
        return str(self.resources / "grammatical_gender")

    # Models

    def models(self, language: str) -> list[WordModel]:
        """Models that are asked for a language."""
        return [model for model in self.config.models if model.reads(language)]

    def model(self, name: str) -> WordModel:
        """The model of that name."""
        return next(model for model in self.config.models if model.name == name)

    @property
    def jobs(self) -> list[tuple[str, str]]:
        """Language and model of each job."""
        return [
            (language, model.name) for language in self.languages for model in self.models(language)
        ]

    def asset(self, name: str, language: str) -> str | None:
        """Asset of a model for a language, None where it is no asset."""
        asset = self.model(name).asset
        return None if asset is None else asset.replace("{language}", language)

    def path(self, name: str, language: str) -> str | None:
        """The user's own file or folder of a model for a language, None where there is none."""
        path = self.model(name).path
        return None if path is None else path.replace("{language}", language)

    def model_digest(self, name: str, language: str) -> list[str]:
        """What decides the vectors of a model, besides the texts that it is trained on."""
        model = self.model(name)
        asset, path = self.asset(name, language), self.path(name, language)
        if path is not None:
            return [model.kind, path, path_digest(path)]
        if asset is not None:
            return [model.kind, asset, asset_digest(self.assets[asset])]
        return [model.kind, "trained", str(sorted(self.config.training.model_dump().items()))]

    # Texts

    def sources(self, language: str) -> list[Source]:
        """Sources of the texts of a language; those without any file in it are left out."""
        found = []
        for source in self.config.texts:
            if source.language not in (None, language):
                continue
            if source.path is not None:
                paths = expand_paths(_named(source.path, language))
                if not paths:
                    continue
                source = source.model_copy(update={"path": paths, "language": language})
            found.append(source)
        return found

    def takes_corpus(self, language: str) -> bool:
        """Whether the run's discovery corpus is the text of a language."""
        return not self.config.texts and language in self.run.languages

    def has_texts(self, language: str) -> bool:
        """Whether a language has texts."""
        return bool(self.sources(language)) or self.takes_corpus(language)

    def reads_in_context(self, name: str, language: str) -> bool:
        """Whether a model reads the words of a language in its texts."""
        in_context = self.model(name).kind == "layers" and self.config.in_context.occurrences > 0
        return in_context and self.has_texts(language)

    def source_settings(self, language: str) -> list[list[Any]]:
        """What reads each file of the texts: reader, options, hash of the asset or folder."""
        return [
            [
                source.reader,
                sorted(source.options.items()),
                asset_digest(self.assets[source.asset]) if source.asset else "",
                "" if source.asset else inventory(path),
            ]
            for source in self.sources(language)
            for path in ([source.asset] if source.asset else source.path or [])
        ]

    def settings(self, *keys: str) -> list[tuple[str, Any]]:
        """The named keys of the section, and the seed of the run."""
        values = self.config.model_dump(include=set(keys))
        return [*sorted(values.items()), ("seed", self.run.seed)]

    # What the run uses, and what it leaves out

    @property
    def used_assets(self) -> list[str]:
        """Names of the assets that this section uses."""
        names = {self.asset(name, language) for language, name in self.jobs}
        if self.published:
            names.add(LISTS)
        for language in self.languages:
            names |= {source.asset for source in self.sources(language)}
        return sorted(name for name in names if name is not None)

    def digests(self) -> list[str]:
        """Hash of the word lists of every language."""
        lines = [f"weathub/{one}={self.lists_digest(one)}" for one in self.languages]
        return lines if self.published else []

    @property
    def left_out(self) -> list[str]:
        """What this run does not hold of the paper's languages, lists and models, and why."""
        if not self.languages:
            return ["No language is asked for (weathub.languages or weathub.models is empty)."]
        lines = []
        if not self.published:
            lines.append(
                "WEATHub's lists in 25 languages: no copy is given (weathub_path) and none is "
                "fetched (weathub.published_lists). Only the run's own lists are scored."
            )
        absent = [one for one in LANGUAGES if one not in self.languages]
        if absent:
            lines.append(f"Languages that the run does not ask for: {', '.join(absent)}.")
        unread = [one for one in self.languages if not self.models(one)]
        if unread:
            lines.append(f"Languages that no model is asked for: {', '.join(unread)}.")
        lines += [
            f"Occurrences of words in text (token_in_context) with model {model.name}: no texts "
            f"of {', '.join(without)}."
            for model in self.config.models
            if model.kind == "layers" and self.config.in_context.occurrences
            for without in [
                [one for one in self.languages if model.reads(one) and not self.has_texts(one)]
            ]
            if without
        ]
        return lines

    @property
    def cautions(self) -> list[str]:
        """What a reader must know of the models."""
        return [
            f"Model {model.name} was trained in this run on the texts of each language. With less "
            "than many millions of words its scores are noise: a check of the machinery, no "
            "finding about a language."
            for model in self.config.models
            if model.train
        ]

    @property
    def about(self) -> dict[str, list[str]]:
        """What the atlas says of the languages beside their numbers."""
        return {"left_out": self.left_out, "texts": self.cautions}


def _named(path: str | list[str], language: str) -> list[str]:
    paths = [path] if isinstance(path, str) else path
    return [one.replace("{language}", language) for one in paths]


def find_wrong_languages(plan: LanguagePlan) -> list[str]:
    """Find what the section weathub names of which there is nothing: lists, models, texts.

    Parameters
    ----------
    plan : LanguagePlan

    Returns
    -------
    list of str
        One line a problem: key, value, what is allowed.
    """
    config = plan.config
    published, problems = _published_languages(plan)
    own = {path.name for path in plan.own_folder("").glob("*") if path.is_dir()}
    takes_own = "own" in config.variants
    allowed = sorted({*published, *(own if takes_own else ())})
    problems += [
        f"key `weathub.languages`: value {language!r}: there is no list in it; allowed: "
        f"{', '.join(allowed) or 'none'}"
        + ("" if plan.published else ", and with `weathub_path` all 25 of WEATHub")
        for language in plan.languages
        # Where there is no folder of own lists the section weat says so.
        if language not in allowed and (allowed or not takes_own)
    ]
    if plan.languages and not plan.jobs:
        problems.append(
            "key `weathub.models`: none is asked for any language of `weathub.languages` "
            f"({', '.join(plan.languages)}); an empty list leaves this stage out"
        )
    known = {*allowed, *LANGUAGES}
    for model in config.models:
        problems += [
            f"key `weathub.models` ({model.name}): language {language!r}: there is no list in it; "
            f"allowed: {', '.join(sorted(known))}"
            for language in model.languages or ()
            if language not in known
        ]
    problems += _wrong_models(plan)
    return problems


def _published_languages(plan: LanguagePlan) -> tuple[Sequence[str], list[str]]:
    """Languages of WEATHub's lists, those of the user's own copy where there is one."""
    given = plan.run.weathub_path
    if given is not None and not Path(given).is_dir():
        return LANGUAGES, [f"key `weathub_path`: {given}: there is no such folder"]
    if plan.local is None or not plan.languages:
        return LANGUAGES if plan.published else (), []
    key = f"asset_paths.{LISTS}" if LISTS in plan.run.asset_paths else "weathub_path"
    try:
        return list_languages(plan.local), []
    except InputError as error:
        return LANGUAGES, [f"key `{key}`: {line}" for line in error.problems]


def _wrong_models(plan: LanguagePlan) -> list[str]:
    problems: dict[str, None] = {}
    assets = plan.assets
    for language, name in plan.jobs:
        where = f"key `weathub.models` ({name})"
        asset, path = plan.asset(name, language), plan.path(name, language)
        if asset is not None and asset not in assets:
            line = f"{where}: asset {asset!r}: there is no such asset; allowed: {', '.join(assets)}"
            problems[line] = None
        if path is not None and not Path(path).exists():
            problems[f"{where}: path {path}: there is no such file or folder"] = None
        if plan.model(name).train and not plan.has_texts(language):
            problems[
                f"{where}: language {language!r}: `train` needs texts; `weathub.texts` names no file of it"
            ] = None
    return list(problems)
