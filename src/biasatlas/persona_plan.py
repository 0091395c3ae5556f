"""What a configuration asks of language models: models, questions and files of each language."""

from __future__ import annotations

import os
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.assets.catalogue import asset_digest
from biasatlas.config.personas import LanguageModel, Personas
from biasatlas.corpora.paths import path_digest
from biasatlas.errors import InputError
from biasatlas.language_models.install import check_llama
from biasatlas.lexicons.digests import digest
from biasatlas.lexicons.gender_swap import swap_list
from biasatlas.lexicons.gender_terms import load_gender_pairs
from biasatlas.lexicons.region_aware import load_published_pairs
from biasatlas.personas.forms import (
    NEUTRAL_TOPICS,
    PROBE,
    Form,
    forms_text,
    load_forms,
    load_neutral_topics,
    load_probe,
    probe_text,
)
from biasatlas.personas.gender_words import GenderWords, fold, load_gender_words
from biasatlas.provenance import code_version

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from biasatlas.assets.asset import Asset
    from biasatlas.config import Config

# The module that draws the replies of a model that runs in the job.
GENERATORS = {"llama": "language_models.llama_generator", "transformers": "language_models.causal"}
SAMPLED = ("runs", "temperature", "max_tokens")


class PersonaPlan:
    """The section personas of a configuration.

    Parameters
    ----------
    run : Config
        The whole configuration.
    resources : Path
        Folder of word lists.
    assets : mapping of str to Asset
        The catalogue.
    """

    def __init__(self, run: Config, resources: Path, assets: Mapping[str, Asset]) -> None:
        self.run = run
        self.config: Personas = run.personas
        self.resources = resources
        self.assets = assets

    @property
    def languages(self) -> list[str]:
        """Languages of the run in which there are questions; none where no model is asked."""
        if not self.config.models:
            return []
        return [one for one in self.run.languages if self.folder(one).is_dir()]

    # Models

    @property
    def local(self) -> list[str]:
        """Models that run in the job."""
        return [model.name for model in self.config.models if model.backend != "openai"]

    @property
    def remote(self) -> list[str]:
        """Models that a server runs."""
        return [model.name for model in self.config.models if model.backend == "openai"]

    @property
    def probed(self) -> list[str]:
        """Models whose probabilities are compared."""
        return [one.name for one in self.config.models if self.config.probe and one.probed]

    def model(self, name: str) -> LanguageModel:
        """The model of that name."""
        return next(model for model in self.config.models if model.name == name)

    def model_digest(self, name: str) -> str:
        """Hash of a model's files; empty for one that a server runs."""
        model = self.model(name)
        if model.asset is not None:
            return asset_digest(self.assets[model.asset])
        return "" if model.path is None else f"{model.path} {path_digest(model.path)}"

    def reply_digest(self, name: str) -> str:
        """Under what replies are kept: a model's files, and the code that draws replies of them.

        Replies of a server outlive the code: they may have cost money.
        """
        module = GENERATORS.get(self.model(name).backend)
        if module is None:
            return ""
        return f"{self.model_digest(name)} {code_version(module)}"

    def model_keys(self, name: str) -> dict[str, Any]:
        """The keys of a model, without its price."""
        return self.model(name).model_dump(exclude={"price"}, exclude_defaults=True)

    def backend_settings(self, name: str) -> list[tuple[str, Any]]:
        """What the backend of a model is made with."""
        if self.model(name).backend != "openai":
            return [("context", self.config.context)]
        timeout, parallel = self.config.requests.timeout, self.model(name).parallel
        return [("parallel", parallel), ("timeout", timeout)]

    def limits(self, name: str) -> list[tuple[str, Any]]:
        """How hard a model may be asked; one in the job is asked once and without limit."""
        model = self.model(name)
        if model.backend != "openai":
            return [("attempts", 1), ("parallel", 1)]
        values = self.config.requests.model_dump(exclude={"timeout"})
        values |= {"parallel": model.parallel, "per_minute": model.per_minute}
        return sorted(values.items())

    def describe_models(self) -> list[dict[str, Any]]:
        """What the table of models says of each beside its replies."""
        return [
            {
                "name": model.name,
                "backend": model.backend,
                "source": model.asset or model.path or model.model,
                "revision": model.revision
                or (asset_digest(self.assets[model.asset])[:12] if model.asset else ""),
                "price_prompt": None if model.price is None else model.price.prompt,
                "price_reply": None if model.price is None else model.price.reply,
            }
            for model in self.config.models
        ]

    @property
    def absent_keys(self) -> list[str]:
        """Environment variables that hold no key though a model needs it."""
        names = {model.key_from for model in self.config.models if model.key_from}
        return sorted(name for name in names if not os.environ.get(name))

    def memory_mb(self, name: str) -> int:
        """Memory of a job: the model, its context, and Python with what reads it."""
        model = self.model(name)
        size = 0.0 if model.asset is None else self.assets[model.asset].size_mb
        if model.path is not None:
            files = [Path(model.path), *Path(model.path).rglob("*")]
            size = sum(file.stat().st_size for file in files if file.is_file()) / 1e6
        return 2_000 + round(1.3 * size)

    @property
    def used_assets(self) -> list[str]:
        """Names of the assets that this section uses."""
        return sorted({model.asset for model in self.config.models if model.asset is not None})

    # Questions

    def region_text(self, name: str) -> str:
        """A region as a language model is told it."""
        label = next(region.label for region in self.run.regions if region.name == name)
        return label or name.replace("_", " ")

    def folder(self, language: str) -> Path:
        """Folder of the prompt forms of a language."""
        return Path(self.config.folder) / language

    def forms(self, language: str) -> list[Form]:
        """The prompt forms of a language, in the order of the configuration."""
        return load_forms(self.folder(language), self.config.prompts)

    def form_files(self, language: str) -> list[str]:
        """Files of these forms."""
        return [str(self.folder(language) / f"{name}.yaml") for name in self.config.prompts]

    def forms_text(self, language: str) -> str:
        """What the forms say, without titles and comments."""
        return forms_text(self.forms(language))

    def neutral_file(self, language: str) -> str:
        """File of the neutral topics."""
        return str(self.folder(language) / f"{NEUTRAL_TOPICS}.yaml")

    def neutral(self, language: str) -> list[str]:
        """The neutral topics of a language."""
        return load_neutral_topics(self.folder(language))

    def probe_file(self, language: str) -> str:
        """File of the probe."""
        return str(self.folder(language) / f"{PROBE}.yaml")

    def probe_text(self, language: str) -> str:
        """What the probe says, without comments."""
        return probe_text(load_probe(self.folder(language)))

    @property
    def sampled(self) -> list[tuple[str, Any]]:
        """How replies are drawn."""
        values = self.config.model_dump(include=set(SAMPLED))
        return [*sorted(values.items()), ("seed", self.run.seed)]

    @property
    def scoring(self) -> list[tuple[str, Any]]:
        """How personas and probe are scored."""
        values = self.config.model_dump(include={"bootstrap", "permutations", "thin_topics"})
        return [*sorted(values.items()), ("seed", self.run.seed)]

    @cached_property
    def _published(self) -> dict[str, list[tuple[str, str, str]]]:
        folder = self.resources / "word_lists" / "region_aware"
        found: dict[str, list[tuple[str, str, str]]] = {}
        for pair in load_published_pairs(folder, self.run.evaluation.terms):
            labels = (pair.path.stem, pair.x.name, pair.y.name)
            found.setdefault(f"{pair.language}/{pair.path.parent.name}", []).append(labels)
        return found

    def published(self, language: str, region: str) -> list[tuple[str, str, str]]:
        """Published pairs of a region: number, female and male label; none for other names."""
        return self._published.get(f"{language}/{region}", [])

    # Words by which a gender is read

    @property
    def gender_words_folder(self) -> str:
        """Folder of the words by which a gender is read, a file a language."""
        return str(self.resources / "persona_gender")

    def gender_words_file(self, language: str) -> str:
        """File of these words: values of the field gender, pronouns, titles, refusals."""
        return str(Path(self.gender_words_folder) / f"{language}.yaml")

    def nouns_file(self, language: str) -> str:
        """File of the gendered nouns: the longer list of gender pairs where there is one."""
        pairs = self.run.gender.pairs
        name = pairs if isinstance(pairs, str) else pairs.get(language, "")
        folder = self.resources / "word_lists" / "gender" / language
        return swap_list(folder, folder / f"{name}.yaml")

    def nouns_digest(self, language: str) -> str:
        """Hash of the gendered nouns."""
        return digest(load_gender_pairs(self.nouns_file(language)))

    def gender_words_digest(self, language: str) -> str:
        """Hash of both files as parsed."""
        return digest(self.gender_words(language))

    def gender_words(self, language: str) -> GenderWords:
        """The words of both files."""
        nouns = load_gender_pairs(self.nouns_file(language))
        return load_gender_words(self.gender_words_folder, language, nouns)

    def check_genders(self, language: str) -> None:
        """Check that the genders that the forms allow can be read.

        Raises
        ------
        InputError
            With every gender that the gender words do not know.
        """
        words = self.gender_words(language)
        known = {*words.stated.female, *words.stated.male, *words.stated.other}
        problems = [
            f"{self.folder(language) / form.name}.yaml: genders: {gender!r} stands in no list "
            f"`stated` of {self.gender_words_file(language)}, so it could not be read"
            for form in self.forms(language)
            for gender in form.genders
            if fold(gender) not in known
        ]
        if problems:
            raise InputError(problems)

    def digests(self) -> list[str]:
        """Hash of every file of words that the section uses."""
        return [
            f"personas/{language}={digest(text)}"
            for language in self.languages
            for text in [
                [
                    self.forms_text(language),
                    " / ".join(self.neutral(language)),
                    self.probe_text(language),
                    self.gender_words_digest(language),
                ]
            ]
        ]

    # For the atlas

    @property
    def about(self) -> dict[str, Any]:
        """What the atlas says of the questions beside the numbers."""
        if not self.config.models:
            return {}
        forms = {form.name: form for one in self.languages for form in self.forms(one)}
        without = [one for one in self.run.languages if one not in self.languages]
        return {
            "runs": self.config.runs,
            "temperature": self.config.temperature,
            "left_out": [
                f"Language models are not asked in {', '.join(without)}: there are no prompt forms "
                f"in {self.config.folder}."
            ]
            if without
            else [],
            "prompts": {
                name: {
                    "title": form.title,
                    "system": form.system,
                    "message": form.message,
                    "genders": list(form.genders),
                }
                for name, form in forms.items()
            },
        }


def find_wrong_personas(plan: PersonaPlan) -> list[str]:
    """Find what the section personas names of which there is nothing, and what is not installed.

    Returns
    -------
    list of str
        One line a problem: key, value, what is allowed.
    """
    if not plan.config.models:
        return []
    problems = [line for model in plan.config.models for line in _wrong_model(plan, model)]
    if not plan.languages:
        folder = Path(plan.config.folder)
        there = ", ".join(sorted(path.name for path in folder.glob("*") if path.is_dir()))
        problems.append(
            f"key `personas.folder`: value {plan.config.folder!r}: has no folder for a language of "
            f"the run ({', '.join(plan.run.languages)}); languages there: {there or 'none'}. Without "
            "`personas.models` the stage is left out"
        )
    for language in plan.languages:
        loads: list[Callable[[str], Any]] = [plan.forms, plan.neutral]
        loads += [plan.probe_text] * bool(plan.probed)
        loads += [plan.gender_words_digest, plan.check_genders]
        for load in loads:
            try:
                load(language)
            except InputError as error:
                problems += error.problems
    # What is wrong with a form is found by each that reads it.
    return list(dict.fromkeys([*problems, *_no_published(plan)]))


def _no_published(plan: PersonaPlan) -> list[str]:
    if plan.config.pairs == "own":
        return []
    regions = [region.name for region in plan.run.regions]
    try:
        found = any(plan.published(lang, one) for lang in plan.languages for one in regions)
        known = ", ".join(sorted({name.partition("/")[2] for name in plan._published}))
    except InputError as error:
        return list(error.problems)
    if found:
        return []
    return [
        f"key `personas.pairs`: value {plan.config.pairs!r}: none of the regions "
        f"({', '.join(regions)}) has published pairs; regions that have: {known}"
    ]


def _wrong_model(plan: PersonaPlan, model: LanguageModel) -> list[str]:
    key = f"personas.models ({model.name})"
    if model.asset is not None and model.asset not in plan.assets:
        return [
            f"key `{key}`: asset {model.asset!r}: no such asset; allowed: {', '.join(plan.assets)}"
        ]
    if model.path is not None and not Path(model.path).exists():
        return [f"key `{key}`: {model.path}: there is no such file or folder"]
    if model.backend == "llama":
        return check_llama(key)
    if model.backend == "openai" and find_spec("openai") is None:
        return [f"key `{key}`: needs the package openai; run `make install`"]
    return []
