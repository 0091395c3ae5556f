"""Which topics come again when the seed, the order, the documents or the hiding of terms change.

Outputs: <results>/topics/{language}/{region}/ (refits, stability of each topic,
topic_stability of the region; all Parquet).
Expects: config keys topics, seed; the topics of topics.smk.
"""


rule refit_topics:
    input:
        passages=FOUND_PASSAGES,
        used="<results>/gender/{language}/{region}.used.parquet",
        embeddings=MAIN_EMBEDDINGS,
        other=other_embeddings,
        terms=lambda wildcards: ancient(PLAN.mask_files(wildcards.language)),
    output:
        refits=f"{TOPICS}/refits.parquet",
    log:
        "<logs>/refit_topics/{language}-{region}.log",
    benchmark:
        "<benchmarks>/refit_topics/{language}-{region}.tsv"
    conda:
        "../../envs/topics.yaml"
    threads: 1
    resources:
        gpu=1,
        mem_mb=lambda wildcards, attempt: 6000 * attempt,
        runtime=lambda wildcards, attempt: 480 * attempt,
    params:
        code=code("refit_topics"),
        settings=topic_settings(*FITTED),
        refits=[
            (kind, getattr(PLAN.config.topics.refits, kind))
            for kind in ("seeds", "orders", "bootstraps")
        ],
        view=PLAN.view,
        terms=lambda wildcards: PLAN.mask_digest(wildcards.language, PLAN.view),
        hyphen_is_letter=PLAN.config.gender.hyphen_is_letter,
    message:
        "Finding the topics of {wildcards.region} ({wildcards.language}) again and again"
    script:
        "../scripts/refit_topics.py"


rule assess_topics:
    input:
        used="<results>/gender/{language}/{region}.used.parquet",
        assignments=f"{TOPICS}/assignments.parquet",
        refits=f"{TOPICS}/refits.parquet",
    output:
        topics=f"{TOPICS}/stability.parquet",
        region=f"{TOPICS}/topic_stability.parquet",
    log:
        "<logs>/assess_topics/{language}-{region}.log",
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
    params:
        code=code("assess_topics"),
        stable_min=PLAN.config.topics.refits.stable_min,
    message:
        "Comparing the topics of {wildcards.region} ({wildcards.language}) with those found again"
    script:
        "../scripts/assess_topics.py"
