"""Every configuration key with its type, limits, default and meaning.

The models are the one source: the JSON schema in ``workflow/schemas`` and the page
``docs/configuration.md`` are generated from them (``python -m biasatlas.config``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeGuard

from pydantic import Field, model_validator

from biasatlas.config.corpora import Corpus, Documents, Gender, Passages, Region
from biasatlas.config.labels import Labels
from biasatlas.config.measures import Evaluation, Stability, Vectors, Weat
from biasatlas.config.personas import Personas
from biasatlas.config.section import Language, Name, PathText, Section, Seed
from biasatlas.config.topics import CommonTopics, Pairs, Topics
from biasatlas.config.weathub import Weathub


class Config(Section):
    """The whole configuration."""

    run: Name = "demo"
    """Name of the run; everything lands in results/{run}."""
    seed: Seed = 1
    """Seed of sampling, UMAP, permutations and bootstraps."""
    languages: Annotated[list[Language], Field(min_length=1)] = ["en"]
    """ISO 639 codes; write \"no\" in quotes."""
    regions: Annotated[list[Region], Field(min_length=1)]
    """The regions; a list in a second configuration file replaces this one."""
    corpora: Annotated[list[Corpus], Field(min_length=1)]
    """The corpora; a list in a second configuration file replaces this one."""
    asset_paths: dict[Name, PathText] = {}
    """Files put there by hand: asset name -> path."""
    ungdc_path: PathText | None = None
    """A local copy of the UN General Debate Corpus (folder or archive); else its DOI is fetched."""
    weathub_path: PathText | None = None
    """A local copy of WEATHub (the folder that holds data/); its lists then join the run."""
    documents: Documents = Documents()
    """How documents are read, checked and drawn."""
    passages: Passages = Passages()
    """How documents become passages."""
    gender: Gender = Gender()
    """Which passages count as female or male."""
    vectors: Vectors = Vectors()
    """Word vectors of each region."""
    weat: Weat = Weat()
    """Word Embedding Association Tests."""
    stability: Stability = Stability()
    """How much a score depends on seeds and documents."""
    topics: Topics = Topics()
    """Topics and their gender."""
    labels: Labels = Labels()
    """What writes or chooses the labels of topics."""
    common_topics: CommonTopics = CommonTopics()
    """Topics that several regions share."""
    pairs: Pairs = Pairs()
    """Female-male topic pairs."""
    evaluation: Evaluation = Evaluation()
    """Region-aware WEAT."""
    weathub: Weathub = Weathub()
    """Association tests in many languages and encoders."""
    personas: Personas = Personas()
    """Personas that language models invent."""

    @model_validator(mode="before")
    @classmethod
    def _drop_workflow_keys(cls, values: Any) -> Any:
        # Snakemake itself reads `pathvars` from the configuration.
        return {key: value for key, value in values.items() if key != "pathvars"}

    @model_validator(mode="after")
    def _consistent(self) -> Config:
        problems = find_contradictions(self.model_dump())
        if problems:
            raise ValueError("; ".join(problems))
        return self

    def corpus(self, role: str) -> Corpus | None:
        """The corpus with that role, or None."""
        return next((corpus for corpus in self.corpora if corpus.role == role), None)


def find_contradictions(values: Mapping[str, Any]) -> list[str]:
    """Problems between keys that are each right, found also where other keys are wrong.

    Parameters
    ----------
    values : mapping
        A configuration as read; what has not the right form is passed over.
    """
    regions, corpora = (_mappings(values.get(kind)) for kind in ("regions", "corpora"))
    vectors = values.get("vectors")
    weathub = values.get("weathub")
    weathub = weathub if isinstance(weathub, Mapping) else {}
    personas = values.get("personas")
    personas = personas if isinstance(personas, Mapping) else {}
    problems = []
    for kind, names in (
        ("regions", [region.get("name") for region in regions]),
        ("corpora", [corpus.get("name") for corpus in corpora]),
        ("languages", values.get("languages")),
        ("vectors.seeds", vectors.get("seeds") if isinstance(vectors, Mapping) else None),
        ("weathub.languages", weathub.get("languages")),
        ("weathub.models", [model.get("name") for model in _mappings(weathub.get("models"))]),
        ("personas.models", [model.get("name") for model in _mappings(personas.get("models"))]),
        ("personas.prompts", personas.get("prompts")),
    ):
        written = [str(name) for name in names if name is not None] if _is_list(names) else []
        twice = sorted({name for name in written if written.count(name) > 1})
        if twice:
            problems.append(f"{kind}: {', '.join(twice)} stands twice")
    roles = [corpus.get("role") for corpus in corpora]
    if roles and all(role in ("discovery", "evaluation") for role in roles):
        if roles.count("discovery") != 1:
            problems.append("corpora: exactly one corpus must have role `discovery`")
        if roles.count("evaluation") > 1:
            problems.append("corpora: at most one corpus may have role `evaluation`")
    problems += _alc_without_pretrained(values)
    if any(region.get("name") == "pretrained" for region in regions):
        problems.append("regions: `pretrained` is the name of the positive control")
    if any(region.get("name") == "all" for region in regions):
        problems.append("regions: `all` is the row of all regions in the tables of personas")
    if "all" in (prompts if _is_list(prompts := personas.get("prompts")) else []):
        problems.append("personas.prompts: `all` is the row of all prompt forms in the tables")
    return problems


def _alc_without_pretrained(values: Mapping[str, Any]) -> list[str]:
    """À la carte vectors start from pretrained ones."""
    vectors = values.get("vectors")
    if not isinstance(vectors, Mapping) or vectors.get("pretrained", "") is not None:
        return []
    problems = []
    for section in ("vectors", "evaluation"):
        keys = values.get(section)
        names = keys.get("algorithms") if isinstance(keys, Mapping) else None
        if _is_list(names) and "alc" in names:
            problems.append(
                f"{section}.algorithms: alc needs pretrained vectors, and vectors.pretrained is empty"
            )
    return problems


def _mappings(values: Any) -> list[Mapping[str, Any]]:
    return [one for one in values if isinstance(one, Mapping)] if _is_list(values) else []


def _is_list(values: Any) -> TypeGuard[list[Any]]:
    return isinstance(values, list)
