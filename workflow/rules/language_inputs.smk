"""Inputs of the rules of the tests in many languages.

Expects: PLAN, LANGUAGE_TABLES and LANGUAGE_PAGE of common.smk, FOUND_PASSAGES of inputs.smk.
Defines: WEATHUB (folder of a language) and input functions.
"""

WEATHUB = "<results>/weathub/{language}"


def published_lists(wildcards):
    """WEATHub's lists: the user's own files of the language, or the fetched folder."""
    if PLAN.grid.local is not None:
        return ancient(PLAN.grid.list_files(wildcards.language))
    return fetched("weathub") if PLAN.grid.published else []


def published_record(wildcards):
    """Record of the fetched lists; own ones are read where they stand."""
    return record("weathub") if PLAN.grid.published and not PLAN.grid.local else []


def language_texts(wildcards):
    """Files of the texts of a language: own, fetched, or the passages of the run's regions."""
    if PLAN.grid.takes_corpus(wildcards.language):
        return expand(FOUND_PASSAGES, region=PLAN.regions, language=wildcards.language)
    return [
        path
        for source in PLAN.grid.sources(wildcards.language)
        for path in ([fetched(source.asset)] if source.asset else source.path)
    ]


def word_model(wildcards):
    """The folder or file of a model: trained here, the user's own, or fetched."""
    language, name = wildcards.language, wildcards.model
    if PLAN.grid.model(name).train:
        return f"{WEATHUB}/{{model}}.bin"
    path = PLAN.grid.path(name, language)
    return ancient(path) if path else fetched(PLAN.grid.asset(name, language))


def every_job(suffix):
    """A file of every language and model."""
    return [
        f"<results>/weathub/{language}/{model}{suffix}"
        for language, model in PLAN.grid.jobs
    ]


def every_language(name):
    """A file of every language."""
    return expand(
        "<results>/weathub/{language}/{name}.parquet",
        language=PLAN.grid.languages,
        name=name,
    )


def language_results(wildcards):
    """Tables and pages of the stage; without a language or a model there is nothing to make."""
    if not PLAN.grid.jobs:
        raise WorkflowError(
            "keys `weathub.languages`, `weathub.models`: one of them is empty; "
            "name a language and a model there, see docs/weathub.md"
        )
    return [
        *expand("<results>/tables/{table}.csv", table=LANGUAGE_TABLES),
        "<results>/atlas/languages.html",
        *expand(LANGUAGE_PAGE, language=PLAN.grid.languages),
    ]
