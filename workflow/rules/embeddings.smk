"""Embeddings of the gendered passages, with gender terms hidden or shown.

Outputs: <results>/topics/{language}/{region}/embeddings-{view}.parquet, view masked or visible.
Expects: config keys topics, gender, seed.
"""

TOPICS = "<results>/topics/{language}/{region}"


wildcard_constraints:
    view="masked|visible",


rule embed_passages:
    input:
        passages=FOUND_PASSAGES,
        used="<results>/gender/{language}/{region}.used.parquet",
        encoder=lambda wildcards: fetched(PLAN.encoder(wildcards.language)),
        record=lambda wildcards: record(PLAN.encoder(wildcards.language)),
        terms=lambda wildcards: ancient(PLAN.mask_files(wildcards.language)),
    output:
        embeddings=f"{TOPICS}/embeddings-{{view}}.parquet",
    log:
        "<logs>/embed_passages/{language}-{region}-{view}.log",
    benchmark:
        "<benchmarks>/embed_passages/{language}-{region}-{view}.tsv"
    conda:
        "../../envs/topics.yaml"
    threads: 1
    resources:
        gpu=1,
        mem_mb=lambda wildcards, attempt: 3000 * attempt,
        runtime=lambda wildcards, attempt: 120 * attempt,
    params:
        code=code("embed_passages"),
        encoder=lambda wildcards: PLAN.asset_digest(PLAN.encoder(wildcards.language)),
        terms=lambda wildcards: PLAN.mask_digest(wildcards.language, wildcards.view),
        hyphen_is_letter=PLAN.config.gender.hyphen_is_letter,
        batch_size=PLAN.config.topics.batch_size,
        precision=PLAN.config.topics.precision,
    message:
        "Embedding the gendered passages of {wildcards.region} ({wildcards.language}, gender "
        "terms {wildcards.view})"
    script:
        "../scripts/embed_passages.py"
