"""Topics of the gendered passages, what they are about, and their gender.

Outputs: <results>/topics/{language}/{region}/ (assignments, words, descriptions, topic embeddings,
gender tests, alignment; all Parquet).
Expects: config keys topics, pairs.encoder, seed; the embeddings of embeddings.smk.
"""

MAIN_EMBEDDINGS = f"{TOPICS}/embeddings-{PLAN.view}.parquet"


rule fit_topics:
    input:
        passages=FOUND_PASSAGES,
        embeddings=MAIN_EMBEDDINGS,
        terms=lambda wildcards: ancient(PLAN.mask_files(wildcards.language)),
    output:
        assignments=f"{TOPICS}/assignments.parquet",
        words=f"{TOPICS}/words.parquet",
    log:
        "<logs>/fit_topics/{language}-{region}.log",
    benchmark:
        "<benchmarks>/fit_topics/{language}-{region}.tsv"
    conda:
        "../../envs/topics.yaml"
    threads: 1
    resources:
        gpu=1,
        mem_mb=lambda wildcards, attempt: 6000 * attempt,
        runtime=lambda wildcards, attempt: 120 * attempt,
    params:
        code=code("fit_topics"),
        settings=topic_settings(*FITTED),
        view=PLAN.view,
        terms=lambda wildcards: PLAN.mask_digest(wildcards.language, PLAN.view),
        hyphen_is_letter=PLAN.config.gender.hyphen_is_letter,
    message:
        "Finding the topics of {wildcards.region} ({wildcards.language})"
    script:
        "../scripts/fit_topics.py"


rule describe_topics:
    input:
        passages=FOUND_PASSAGES,
        embeddings=MAIN_EMBEDDINGS,
        assignments=f"{TOPICS}/assignments.parquet",
        words=f"{TOPICS}/words.parquet",
        encoder=lambda wildcards: fetched(PLAN.encoder(wildcards.language)),
        pair_encoder=fetched(PLAN.config.pairs.encoder),
        records=lambda wildcards: record(
            PLAN.encoder(wildcards.language), PLAN.config.pairs.encoder
        ),
        gazetteer=ancient(PLAN.gazetteer),
        terms=lambda wildcards: ancient(PLAN.mask_files(wildcards.language)),
    output:
        descriptions=f"{TOPICS}/descriptions.parquet",
        topic_embeddings=f"{TOPICS}/topic_embeddings.parquet",
    log:
        "<logs>/describe_topics/{language}-{region}.log",
    benchmark:
        "<benchmarks>/describe_topics/{language}-{region}.tsv"
    conda:
        "../../envs/topics.yaml"
    threads: 1
    resources:
        gpu=1,
        mem_mb=lambda wildcards, attempt: 3000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        code=code("describe_topics"),
        encoders=lambda wildcards: [
            PLAN.asset_digest(PLAN.encoder(wildcards.language)),
            PLAN.asset_digest(PLAN.config.pairs.encoder),
        ],
        gazetteer=PLAN.gazetteer_digest(),
        terms=lambda wildcards: PLAN.mask_digest(wildcards.language, "masked"),
        settings=topic_settings("batch_size", "precision", "keywords", "top_words"),
        keep_shared=PLAN.config.evaluation.keep_shared,
        view=PLAN.view,
    message:
        "Describing the topics of {wildcards.region} ({wildcards.language})"
    script:
        "../scripts/describe_topics.py"


rule align_topics:
    input:
        passages=FOUND_PASSAGES,
        used="<results>/gender/{language}/{region}.used.parquet",
        assignments=f"{TOPICS}/assignments.parquet",
        words=f"{TOPICS}/words.parquet",
    output:
        tests=f"{TOPICS}/gender_tests.parquet",
    log:
        "<logs>/align_topics/{language}-{region}.log",
    benchmark:
        "<benchmarks>/align_topics/{language}-{region}.tsv"
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        code=code("align_topics"),
        settings=topic_settings("permutations", "bootstrap"),
    message:
        "Testing the gender of the topics of {wildcards.region} ({wildcards.language})"
    script:
        "../scripts/align_topics.py"


rule tell_genders:
    input:
        tests=regions_of_language(f"{TOPICS}/gender_tests.parquet"),
    output:
        alignments=regions_of_language(f"{TOPICS}/alignment.parquet"),
    log:
        "<logs>/tell_genders/{language}.log",
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("tell_genders"),
        regions=PLAN.regions,
        fdr=PLAN.config.topics.fdr,
        alignment=PLAN.config.topics.alignment,
    message:
        "Correcting the genders of topics for the number of tests ({wildcards.language})"
    script:
        "../scripts/tell_genders.py"
