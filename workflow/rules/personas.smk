"""Personas that language models invent, and the probe without generation.

Outputs: <results>/personas/{language}/{region}/ (topics, {language_model}.replies,
{language_model}.probe; all Parquet). Beside them, and no outputs: {language_model}.replies.jsonl
and {language_model}.probe.jsonl, where each answer is kept as soon as it has come.
Expects: config key personas; the tables topics and pairs, but for `pairs: paper`.
"""


# Login nodes reach the network, and compute nodes often do not.
localrules:
    ask_endpoint,
    probe_endpoint,


rule list_persona_topics:
    input:
        **own_topics(),
        neutral=file_of_language("neutral_file"),
        nouns=file_of_language("nouns_file"),
    output:
        f"{PERSONAS}/topics.parquet",
    log:
        "<logs>/list_persona_topics/{language}-{region}.log",
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("list_persona_topics"),
        pairs=PLAN.config.personas.pairs,
        folder=lambda wildcards: str(PLAN.personas.folder(wildcards.language)),
        neutral=of_language("neutral"),
        nouns=of_language("nouns_digest"),
        published=lambda wildcards: PLAN.personas.published(
            wildcards.language, wildcards.region
        ),
    message:
        "Listing the topics for language models of {wildcards.region} ({wildcards.language})"
    script:
        "../scripts/list_persona_topics.py"


rule ask_language_model:
    input:
        topics=f"{PERSONAS}/topics.parquet",
        forms=file_of_language("form_files"),
        model=language_model,
        records=language_model_record,
    output:
        f"{PERSONAS}/{{language_model}}.replies.parquet",
    log:
        "<logs>/ask_language_model/{language}-{region}-{language_model}.log",
    benchmark:
        "<benchmarks>/ask_language_model/{language}-{region}-{language_model}.tsv"
    wildcard_constraints:
        language_model=one_of(PLAN.personas.local),
    conda:
        "../../envs/personas.yaml"
    threads: 1
    resources:
        gpu=1,
        mem_mb=lambda wildcards, attempt: attempt
        * PLAN.personas.memory_mb(wildcards.language_model),
        runtime=lambda wildcards, attempt: 240 * attempt,
    params:
        code=code("ask_for_personas"),
        what="ask_language_model",
        folder=lambda wildcards: str(PLAN.personas.folder(wildcards.language)),
        prompts=PLAN.config.personas.prompts,
        forms=of_language("forms_text"),
        region=lambda wildcards: PLAN.personas.region_text(wildcards.region),
        sampled=PLAN.personas.sampled,
        model=of_model("model_keys"),
        digest=of_model("reply_digest"),
        backend=of_model("backend_settings"),
        limits=of_model("limits"),
    message:
        "Asking {wildcards.language_model} for personas of {wildcards.region} ({wildcards.language})"
    script:
        "../scripts/ask_for_personas.py"


use rule ask_language_model as ask_endpoint with:
    input:
        topics=f"{PERSONAS}/topics.parquet",
        forms=file_of_language("form_files"),
    log:
        "<logs>/ask_endpoint/{language}-{region}-{language_model}.log",
    benchmark:
        "<benchmarks>/ask_endpoint/{language}-{region}-{language_model}.tsv"
    wildcard_constraints:
        language_model=one_of(PLAN.personas.remote),
    resources:
        endpoint=1,
        mem_mb=1000,
        runtime=1440,


rule probe_language_model:
    input:
        topics=f"{PERSONAS}/topics.parquet",
        probe=file_of_language("probe_file"),
        model=language_model,
        records=language_model_record,
    output:
        f"{PERSONAS}/{{language_model}}.probe.parquet",
    log:
        "<logs>/probe_language_model/{language}-{region}-{language_model}.log",
    benchmark:
        "<benchmarks>/probe_language_model/{language}-{region}-{language_model}.tsv"
    wildcard_constraints:
        language_model=one_of(PLAN.personas.local),
    conda:
        "../../envs/personas.yaml"
    threads: 1
    resources:
        gpu=1,
        mem_mb=lambda wildcards, attempt: attempt
        * PLAN.personas.memory_mb(wildcards.language_model),
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        code=code("probe_language_model"),
        what="probe_language_model",
        folder=lambda wildcards: str(PLAN.personas.folder(wildcards.language)),
        probe=of_language("probe_text"),
        region=lambda wildcards: PLAN.personas.region_text(wildcards.region),
        model=of_model("model_keys"),
        digest=of_model("reply_digest"),
        backend=of_model("backend_settings"),
        limits=of_model("limits"),
    message:
        "Probing {wildcards.language_model} on {wildcards.region} ({wildcards.language})"
    script:
        "../scripts/probe_language_model.py"


use rule probe_language_model as probe_endpoint with:
    input:
        topics=f"{PERSONAS}/topics.parquet",
        probe=file_of_language("probe_file"),
    log:
        "<logs>/probe_endpoint/{language}-{region}-{language_model}.log",
    benchmark:
        "<benchmarks>/probe_endpoint/{language}-{region}-{language_model}.tsv"
    wildcard_constraints:
        language_model=one_of(PLAN.personas.remote),
    resources:
        endpoint=1,
        mem_mb=1000,
        runtime=1440,
