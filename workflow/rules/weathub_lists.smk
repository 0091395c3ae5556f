"""Word lists and texts of many languages.

Outputs: <results>/weathub/{language}/ words, problems, gendered_forms and texts (Parquet),
{model}.bin (fastText) where a model is trained on these texts.
Expects: config keys weathub, weat.tests, weathub_path; resources/word_lists/{weat.tests}/{language}/.
"""


rule read_weathub_lists:
    input:
        published=published_lists,
        record=published_record,
        own=lambda wildcards: ancient(PLAN.grid.own_files(wildcards.language)),
        gender_rules=lambda wildcards: ancient(
            PLAN.grid.gender_rules(wildcards.language)
        ),
    output:
        words=f"{WEATHUB}/words.parquet",
        problems=f"{WEATHUB}/problems.parquet",
        gendered_forms=f"{WEATHUB}/gendered_forms.parquet",
    log:
        "<logs>/read_weathub_lists/{language}.log",
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("read_weathub_lists"),
        folder=str(PLAN.grid.local or ""),
        published=lambda wildcards: PLAN.grid.lists_digest(wildcards.language),
        own=lambda wildcards: PLAN.grid.own_digest(wildcards.language),
        variants=sorted(PLAN.config.weathub.variants),
        gender_rules=lambda wildcards: PLAN.grid.gender_rules_digest(wildcards.language),
        gender_rules_folder=PLAN.grid.gender_rules_folder,
    message:
        "Reading the lists of {wildcards.language}"
    script:
        "../scripts/read_weathub_lists.py"


rule gather_language_texts:
    input:
        texts=language_texts,
        record=lambda wildcards: record(
            *[source.asset for source in PLAN.grid.sources(wildcards.language)]
        ),
    output:
        f"{WEATHUB}/texts.parquet",
    log:
        "<logs>/gather_language_texts/{language}.log",
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
    params:
        code=code("gather_language_texts"),
        sources=lambda wildcards: PLAN.grid.source_settings(wildcards.language),
        corpus=lambda wildcards: PLAN.grid.takes_corpus(wildcards.language),
    message:
        "Gathering the texts of {wildcards.language}"
    script:
        "../scripts/gather_language_texts.py"


rule train_language_vectors:
    input:
        texts=f"{WEATHUB}/texts.parquet",
    output:
        f"{WEATHUB}/{{model}}.bin",
    log:
        "<logs>/train_language_vectors/{language}-{model}.log",
    benchmark:
        "<benchmarks>/train_language_vectors/{language}-{model}.tsv"
    conda:
        "../../envs/vectors.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 120 * attempt,
    params:
        code=code("train_language_vectors"),
        settings=sorted(PLAN.config.weathub.training.model_dump().items()),
    message:
        "Training fastText on the texts of {wildcards.language}"
    script:
        "../scripts/train_language_vectors.py"
