"""Inputs and settings that the rules of personas share.

Expects: PLAN of common.smk.
Defines: PERSONAS (folder of a region) and input functions.
"""

from snakemake.logging import logger

PERSONAS = "<results>/personas/{language}/{region}"

for name in PLAN.personas.absent_keys:
    logger.warning(f"{name} is not set: the models that need it cannot be asked.")


def one_of(names):
    """A wildcard's pattern: these names, or nothing."""
    return "|".join(names) or "(?!)"


def own_topics():
    """The tables of the run's own topics; published pairs are asked for without a corpus."""
    if PLAN.config.personas.pairs == "paper":
        return {}
    return {name: f"<results>/tables/{name}.csv" for name in ("topics", "pairs")}


def persona_results(wildcards):
    """The tables of the stage; without a model there is nothing to make."""
    if not PLAN.config.personas.models:
        raise WorkflowError("personas.models is empty: no language model is asked for.")
    return expand("<results>/tables/{table}.csv", table=PERSONA_TABLES)


def language_model(wildcards):
    """The file or folder of a model that runs in the job."""
    model = PLAN.personas.model(wildcards.language_model)
    return ancient(model.path) if model.path else fetched(model.asset)


def language_model_record(wildcards):
    """Record of a fetched model; a user's own is read where it stands."""
    asset = PLAN.personas.model(wildcards.language_model).asset
    return record(asset) if asset else []


def of_model(method):
    """A param of the model at hand, by a method of PLAN.personas."""
    return lambda wildcards: getattr(PLAN.personas, method)(wildcards.language_model)


def of_language(method):
    """The same of the language at hand."""
    return lambda wildcards: getattr(PLAN.personas, method)(wildcards.language)


def file_of_language(method):
    """A file of the language at hand, whose content is among the params: a comment or a new time
    stamp makes nothing new."""
    return lambda wildcards: ancient(getattr(PLAN.personas, method)(wildcards.language))


def every_persona_region(name):
    """A file of each language and region."""
    return expand(
        f"{PERSONAS}/{name}.parquet",
        language=PLAN.personas.languages,
        region=PLAN.regions,
    )


def every_persona_file(suffix, models):
    """A file of each language, region and model."""
    return expand(
        f"{PERSONAS}/{{language_model}}.{suffix}.parquet",
        language=PLAN.personas.languages,
        region=PLAN.regions,
        language_model=models,
    )
