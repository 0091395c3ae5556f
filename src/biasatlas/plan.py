"""What a configuration asks for: the files, hashes and settings that the rules hang on.

The rule files ask this module and nothing else of the package; it runs before any job, so
whatever is wrong with the configuration or the word lists is said here, all at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from biasatlas.assets.catalogue import (
    asset_digest,
    find_local_path,
    load_catalogue,
)
from biasatlas.association.control import NO_SEED
from biasatlas.config import Config, Corpus, Region, Source, validate
from biasatlas.language_plan import LanguagePlan
from biasatlas.lexicons.gender_swap import load_gender_swap, swap_list
from biasatlas.lexicons.gender_terms import load_gender_pairs
from biasatlas.lexicons.region_aware import load_all_terms, load_published_pairs
from biasatlas.lexicons.word_lists import AssociationTest, digest, load_tests
from biasatlas.persona_plan import PersonaPlan
from biasatlas.provenance import code_version, file_sha256


class Plan:
    """A validated configuration and what follows from it.

    Parameters
    ----------
    values : mapping
        The merged configuration.
    resources : str or Path
        Folder of word lists, gazetteer and asset catalogue.
    where : str
        Names of the configuration files, for messages.

    Raises
    ------
    InputError
        Naming every wrong key. `plan_checks.make_plan` also looks at names, files and word lists.
    """

    BOILERPLATE = ("boilerplate_documents", "boilerplate_share")

    def __init__(
        self,
        values: Mapping[str, Any],
        resources: str | Path = "resources",
        where: str = "configuration",
    ) -> None:
        self.config: Config = validate(values, where)
        self.resources = Path(resources)
        self.assets = load_catalogue(self.resources / "assets.yaml")
        self._read: dict[tuple[str, str], Any] = {}

    def _once(self, load: Callable[..., Any], path: str | Path) -> Any:
        """Read a word list once, however many rules hang on it."""
        key = (load.__name__, str(path))
        if key not in self._read:
            self._read[key] = load(path)
        return self._read[key]

    @cached_property
    def grid(self) -> LanguagePlan:
        """What the section weathub asks for."""
        return LanguagePlan(self.config, self.resources, self.assets)

    @cached_property
    def personas(self) -> PersonaPlan:
        """What the section personas asks for."""
        return PersonaPlan(self.config, self.resources, self.assets)

    @property
    def languages(self) -> list[str]:
        """Languages of the regions' text and of the tests in many languages."""
        return list(dict.fromkeys([*self.config.languages, *self.grid.languages]))

    # Regions and corpora

    @property
    def regions(self) -> list[str]:
        """Names of the regions."""
        return [region.name for region in self.config.regions]

    @property
    def measured(self) -> list[str]:
        """Regions whose vectors are scored, and `pretrained` where there is a control."""
        return [*self.regions, *["pretrained"] * (self.config.vectors.pretrained is not None)]

    @property
    def evaluated(self) -> list[str]:
        """The same for region-aware tests; pretrained vectors have published pairs only."""
        return self.measured if self.config.evaluation.published_pairs else self.regions

    def region(self, name: str) -> Region:
        """The region of that name."""
        return next(region for region in self.config.regions if region.name == name)

    def region_spec(self, name: str) -> dict[str, Any]:
        """What decides which documents are a region's: its keys without the label."""
        return self.region(name).model_dump(exclude={"label"}, exclude_defaults=True)

    def corpus(self, name: str) -> Corpus:
        """The corpus of that name."""
        return next(corpus for corpus in self.config.corpora if corpus.name == name)

    @property
    def discovery(self) -> str:
        """Name of the discovery corpus."""
        return self._of_role("discovery").name  # type: ignore[union-attr]

    @property
    def evaluation(self) -> str | None:
        """Name of the evaluation corpus, None where there is none."""
        corpus = self._of_role("evaluation")
        return None if corpus is None else corpus.name

    def _of_role(self, role: str) -> Corpus | None:
        return self.config.corpus(role)

    def documents_of(self, corpus: str) -> str:
        """The corpus whose prepared documents serve `corpus`: the first with the same sources."""
        sources = self.sources(corpus)
        return next(other.name for other in self.config.corpora if other.sources == sources)

    @property
    def boilerplate(self) -> list[tuple[str, Any]]:
        """The keys of the section passages that prepare whole documents."""
        return sorted(self.config.passages.model_dump(include=set(self.BOILERPLATE)).items())

    def sources(self, corpus: str, language: str | None = None) -> list[Source]:
        """Sources of a corpus, or those of them that are read for a language."""
        return [
            source
            for source in self.corpus(corpus).sources
            if language is None or source.language in (None, language)
        ]

    @property
    def language_model(self) -> str | None:
        """Asset that tells languages apart; None where documents are not checked."""
        documents = self.config.documents
        return None if documents.language_min is None else documents.language_model

    def models(self, role: str) -> list[tuple[str, int]]:
        """Algorithm and seed of every set of vectors that a region is scored on.

        Parameters
        ----------
        role : {"discovery", "evaluation"}
            The corpus behind the vectors.
        """
        section = self.config.vectors if role == "discovery" else self.config.evaluation
        return [
            (algorithm, seed)
            for algorithm in section.algorithms
            for seed in ([NO_SEED] if algorithm == "alc" else self.config.vectors.seeds)
        ]

    def model_files(self, role: str) -> list[str]:
        """The stem of each of these files, in the same order."""
        return [f"{algorithm}-{max(seed, 0)}" for algorithm, seed in self.models(role)]

    @property
    def scoring(self) -> list[tuple[str, Any]]:
        """How tests are scored: the keys of the section weat that decide it, and the seed."""
        keys = {"case", "coverage_min", "min_words", "max_exact", "relative_width", "nulls"}
        values = self.config.weat.model_dump(include=keys)
        return [*sorted(values.items()), ("seed", self.config.seed)]

    @property
    def resampled(self) -> list[tuple[str, int]]:
        """Trained models of the discovery corpus that have a twin on resampled documents."""
        if not self.config.stability.resample_documents:
            return []
        return [model for model in self.models("discovery") if model[0] != "alc"]

    def uses_alc(self, role: str) -> bool:
        """Whether a corpus has à la carte vectors."""
        return ("alc", NO_SEED) in self.models(role)

    # Topics

    def encoder(self, language: str) -> str:
        """Asset that embeds the passages of a language; empty where none is named."""
        encoder = self.config.topics.encoder
        return encoder if isinstance(encoder, str) else encoder.get(language, "")

    @property
    def view(self) -> str:
        """How the encoder reads passages: gender terms `masked` or `visible`."""
        return "masked" if self.config.topics.mask_gender_terms else "visible"

    @property
    def other_view(self) -> str | None:
        """The view that topics are compared with; None where they are not."""
        other = {"masked": "visible", "visible": "masked"}[self.view]
        return other if self.config.topics.compare_masking else None

    def mask_files(self, language: str) -> list[str]:
        """Files of the gender terms that are hidden: the run's list, and the longer one."""
        return list(dict.fromkeys([self.gender_file(language), self.swap_file(language)]))

    def mask_digest(self, language: str, view: str) -> list[str]:
        """Hash of the terms that a view hides; none where it shows them."""
        if view == "visible":
            return []
        return [digest(self._once(load_gender_pairs, path)) for path in self.mask_files(language)]

    # Assets

    def asset_digest(self, name: str | None) -> str:
        """Hash of what decides the bytes of an asset; empty for none."""
        return asset_digest(self.assets[name]) if name else ""

    def local_copy(self, name: str) -> Path | None:
        """The user's own copy of an asset, None where it is fetched."""
        values = self.config.model_dump(include={"asset_paths", "ungdc_path", "weathub_path"})
        return find_local_path(self.assets[name], values)

    @property
    def used_assets(self) -> list[str]:
        """Names of the assets that the run uses."""
        config = self.config
        names = {source.asset for corpus in config.corpora for source in corpus.sources}
        names |= {self.encoder(language) or None for language in config.languages}
        names |= {config.pairs.encoder, config.vectors.pretrained, self.language_model}
        names |= {config.labels.model, config.labels.second, *self.grid.used_assets}
        names |= set(self.personas.used_assets)
        return sorted(name for name in names if name is not None)

    # Word lists

    def tests(self, language: str) -> list[AssociationTest]:
        """The association tests of a language."""
        return list(self._once(load_tests, self.tests_folder(language)))

    def tests_folder(self, language: str) -> Path:
        """Folder that holds the tests of a language."""
        return self.resources / "word_lists" / self.config.weat.tests / language

    def test_files(self, language: str) -> list[str]:
        """Files of the tests of a language, in the order of their tests."""
        return [str(test.path) for test in self.tests(language)]

    def tests_digest(self, language: str) -> list[str]:
        """Hash of each test's parsed content; comments and word order leave it as it is."""
        return [f"{test.test}={digest(test)}" for test in self.tests(language)]

    def controls(self, language: str) -> list[AssociationTest]:
        """The positive control of a language; none where there is no list in it."""
        folder = self.resources / "word_lists" / str(self.config.weat.control) / language
        if self.config.weat.control is None or not folder.is_dir():
            return []
        return list(self._once(load_tests, folder))

    def control_files(self, language: str) -> list[str]:
        """Files of the positive control of a language."""
        return [str(test.path) for test in self.controls(language)]

    def controls_digest(self, language: str) -> list[str]:
        """Hash of each control's parsed content."""
        return [f"{test.test}={digest(test)}" for test in self.controls(language)]

    @property
    def control_tests(self) -> list[str]:
        """Names of the positive controls of all languages."""
        names = {test.test for one in self.config.languages for test in self.controls(one)}
        return sorted(names)

    @property
    def all_list_files(self) -> list[str]:
        """Every word list under resources, used by the run or not."""
        return sorted(str(path) for path in (self.resources / "word_lists").rglob("*.y*ml"))

    def all_lists_digest(self) -> list[str]:
        """Hash of what each word list says, used by the run or not, as YAML reads it."""
        return [f"{path}={_yaml_digest(path)}" for path in self.all_list_files]

    def gender_file(self, language: str) -> str:
        """File of the gender pairs."""
        folder = self.resources / "word_lists" / "gender" / language
        return str(folder / f"{self.gender_list(language)}.yaml")

    def gender_list(self, language: str) -> str:
        """Name of the list of gender pairs of a language; empty where none is named."""
        pairs = self.config.gender.pairs
        return pairs if isinstance(pairs, str) else pairs.get(language, "")

    def gender_terms(self, language: str) -> Any:
        """The gender terms of a language."""
        return self._once(load_gender_pairs, self.gender_file(language))

    def gender_list_titles(self) -> list[tuple[str, str]]:
        """Language and list of each language, with `(not validated)` where nobody checked it."""
        titles = []
        for language in self.config.languages:
            checked = self.gender_terms(language).validated
            title = self.gender_list(language) + ("" if checked else " (not validated)")
            titles.append((language, title))
        return titles

    def gender_digest(self, language: str) -> str:
        """Hash of the gender terms."""
        return digest(self.gender_terms(language))

    def swap_file(self, language: str) -> str:
        """File of the pairs that a swapped text exchanges."""
        named = Path(self.gender_file(language))
        return swap_list(named.parent, named)

    def swap_digest(self, language: str) -> str:
        """Hash of these pairs."""
        return digest(self._once(load_gender_swap, self.swap_file(language)))

    @cached_property
    def published(self) -> list[AssociationTest]:
        """The published region-aware pairs; none where the configuration leaves them out."""
        if not self.config.evaluation.published_pairs:
            return []
        return load_published_pairs(self._region_aware, self.config.evaluation.terms)

    @property
    def _region_aware(self) -> Path:
        return self.resources / "word_lists" / "region_aware"

    @property
    def region_aware_files(self) -> list[str]:
        """Files of the published pairs and of the regions' gender terms."""
        return sorted(str(path) for path in self._region_aware.glob("*/*.yaml"))

    def region_aware_digest(self) -> list[str]:
        """Hash of each published pair and of each region's gender terms, as parsed."""
        return list(self._region_aware_digest)

    @cached_property
    def _region_aware_digest(self) -> list[str]:
        terms = load_all_terms(self._region_aware, self.config.evaluation.terms)
        return [f"{name}={digest(pair)}" for name, pair in terms.items()] + [
            f"{test.test}={digest(test)}" for test in self.published
        ]

    def word_list_digests(self) -> list[str]:
        """Hash of every word list that the run uses."""
        lists = []
        for language in self.config.languages:
            lists += [f"weat/{language}/{line}" for line in self.tests_digest(language)]
            lists += [f"control/{language}/{line}" for line in self.controls_digest(language)]
            lists.append(
                f"gender/{language}/{self.gender_list(language)}={self.gender_digest(language)}"
            )
        lists += [f"region_aware/{line}" for line in self.region_aware_digest()]
        lists += [*self.grid.digests(), *self.personas.digests()]
        return [*lists, f"gazetteer={self.gazetteer_digest()}"]

    @property
    def gazetteer(self) -> str:
        """File of the country names."""
        return str(self.resources / "gazetteer" / "en.csv")

    def gazetteer_digest(self) -> str:
        """Hash of the gazetteer's bytes."""
        return file_sha256(self.gazetteer)[:16]

    # Code

    @staticmethod
    def code(script: str | Path) -> str:
        """Hash of the package's code that a script imports, directly or not."""
        return code_version(Path(script))


def _yaml_digest(path: str) -> str:
    """Hash of a file's content without comments; of its bytes where it is no YAML."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return digest(yaml.load(Path(path).read_text(encoding="utf-8"), Loader=loader))
    except (yaml.YAMLError, UnicodeDecodeError, TypeError):
        return file_sha256(path)[:16]
