"""Configuration, path variables and wildcards that every stage shares.

Expects: the merged configuration (docs/configuration.md says what is allowed).
Defines: PLAN (what the configuration asks for), TABLES, the path variables <results>,
<fetched>, <logs>, <benchmarks> and the wildcard constraints.
"""

import os

from snakemake.exceptions import WorkflowError

try:
    from biasatlas.errors import InputError
    from biasatlas.plan import NO_SEED
    from biasatlas.plan_checks import make_plan
except ImportError as error:
    raise WorkflowError(
        f"The library of this workflow is not installed ({error}). Run `make install`, or "
        "`pip install -e .` in the environment that runs snakemake."
    )


def config_files():
    """The configuration files, each laid over those behind it; the Snakefile's own comes last."""
    *given, base = dict.fromkeys(workflow.configfiles)
    return [*reversed(given), base]


try:
    PLAN = make_plan(
        config,
        resources="resources",
        where=" over ".join(map(os.path.relpath, config_files())),
    )
except InputError as error:
    raise WorkflowError(str(error))

# Tables of the association tests on the discovery corpus, which need no topics.
WEAT_TABLES = ["weat", "stability", "companions", "differences"]
TOPIC_TABLES = [
    "topics",
    "topic_stability",
    "topic_examples",
    "topic_hierarchy",
    "ngrams",
]
TOPIC_TABLES += ["common_topics", "common_chance"]
TOPIC_TABLES += ["pairs", "pair_candidates", "pair_thresholds"]
TABLES = ["corpus", "gender", "word_lists", *WEAT_TABLES, "words", "coverage"]
if PLAN.uses_alc("discovery") or (PLAN.evaluation and PLAN.uses_alc("evaluation")):
    TABLES.append("alc")
TABLES += TOPIC_TABLES
if PLAN.evaluation:
    TABLES.append("evaluation")
# Tables of the association tests in many languages.
LANGUAGE_TABLES = ["weathub", "weathub_lists", "weathub_models", "gendered_forms"]
LANGUAGE_TABLES += ["sensitivity", "translations", "translation_summary"]
LANGUAGE_TABLES += ["agreement", "model_comparison", "language_clusters"]
if PLAN.grid.jobs:
    TABLES += LANGUAGE_TABLES
# Tables of the personas that language models invent, and of the probe.
PERSONA_TABLES = ["personas", "persona_models", "persona_topics", "persona_scores"]
if PLAN.personas.probed:
    PERSONA_TABLES += ["persona_probe", "persona_probe_scores"]
if PLAN.config.personas.models:
    TABLES += PERSONA_TABLES
LANGUAGE_PAGE = "<results>/atlas/languages/{language}.html"


pathvars:
    results=f"results/{PLAN.config.run}",
    fetched="resources/fetched",
    logs=f"results/{PLAN.config.run}/logs",
    benchmarks=f"results/{PLAN.config.run}/benchmarks",


wildcard_constraints:
    asset="|".join(PLAN.assets),
    corpus="|".join(corpus.name for corpus in PLAN.config.corpora),
    language="|".join(PLAN.languages),
    region="|".join(PLAN.regions),
    algorithm="word2vec|fasttext",
    seed=r"\d+",
    model="|".join(model.name for model in PLAN.config.weathub.models) or "none",


def code(name):
    """Hash of the library code that a script uses: Snakemake sees edits of scripts only."""
    return PLAN.code(workflow.source_path(f"../scripts/{name}.py"))


def fetched(name):
    """The folder of an asset as an input; a new time stamp alone makes nothing new."""
    return ancient(f"<fetched>/{name}")


def record(*names):
    """What was fetched. Snakemake skips whatever hangs on a rerun job by ancient files only, so
    each rule that reads an asset has its record as an input too."""
    return expand(
        "<fetched>/{asset}.json", asset=sorted({name for name in names if name})
    )


def topic_settings(*keys):
    """The named keys of the section topics, and the seed."""
    values = PLAN.config.topics.model_dump()
    return sorted((key, values[key]) for key in keys) + [("seed", PLAN.config.seed)]
