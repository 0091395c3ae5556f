"""Topics of the gendered passages: embeddings, clusters, labels and words, gender.

Outputs: <results>/topics/{language}/{region}/ (embeddings, assignments, words, labels, keywords,
topic embeddings, alignment; all Parquet), <results>/tables/topics.csv.
Expects: config keys topics, pairs.encoder, seed.
"""

TOPICS = "<results>/topics/{language}/{region}"


rule embed_passages:
    input:
        passages=f"<results>/corpora/{PLAN.discovery}/{{language}}/{{region}}.parquet",
        used="<results>/gender/{language}/{region}.used.parquet",
        encoder=fetched(PLAN.config.topics.encoder),
        record=record(PLAN.config.topics.encoder),
    output:
        embeddings=f"{TOPICS}/embeddings.parquet",
    log:
        "<logs>/embed_passages/{language}-{region}.log",
    benchmark:
        "<benchmarks>/embed_passages/{language}-{region}.tsv"
    conda:
        "../../envs/topics.yaml"
    threads: 1
    resources:
        gpu=1,
        mem_mb=lambda wildcards, attempt: 3000 * attempt,
        runtime=lambda wildcards, attempt: 120 * attempt,
    params:
        code=code("embed_passages"),
        encoder=PLAN.asset_digest(PLAN.config.topics.encoder),
        batch_size=PLAN.config.topics.batch_size,
        precision=PLAN.config.topics.precision,
    message:
        "Embedding the gendered passages of {wildcards.region} ({wildcards.language})"
    script:
        "../scripts/embed_passages.py"


rule fit_topics:
    input:
        passages=f"<results>/corpora/{PLAN.discovery}/{{language}}/{{region}}.parquet",
        embeddings=f"{TOPICS}/embeddings.parquet",
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
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=lambda wildcards, attempt: 120 * attempt,
    params:
        code=code("fit_topics"),
        settings=topic_settings(
            "n_neighbors",
            "n_components",
            "min_cluster_size",
            "cluster_selection_method",
            "top_words",
            "min_passages",
        ),
    message:
        "Finding the topics of {wildcards.region} ({wildcards.language})"
    script:
        "../scripts/fit_topics.py"


rule describe_topics:
    input:
        passages=f"<results>/corpora/{PLAN.discovery}/{{language}}/{{region}}.parquet",
        embeddings=f"{TOPICS}/embeddings.parquet",
        assignments=f"{TOPICS}/assignments.parquet",
        words=f"{TOPICS}/words.parquet",
        encoder=fetched(PLAN.config.topics.encoder),
        pair_encoder=fetched(PLAN.config.pairs.encoder),
        records=record(PLAN.config.topics.encoder, PLAN.config.pairs.encoder),
        gazetteer=ancient(PLAN.gazetteer),
        terms=lambda wildcards: ancient(PLAN.gender_file(wildcards.language)),
    output:
        labels=f"{TOPICS}/labels.parquet",
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
        encoders=[PLAN.asset_digest(PLAN.config.topics.encoder)]
        + [PLAN.asset_digest(PLAN.config.pairs.encoder)],
        gazetteer=PLAN.gazetteer_digest(),
        terms=lambda wildcards: PLAN.gender_digest(wildcards.language),
        settings=topic_settings("batch_size", "precision", "keywords", "top_words"),
        keep_shared=PLAN.config.evaluation.keep_shared,
    message:
        "Labelling the topics of {wildcards.region} ({wildcards.language})"
    script:
        "../scripts/describe_topics.py"


rule align_topics:
    input:
        passages=f"<results>/corpora/{PLAN.discovery}/{{language}}/{{region}}.parquet",
        used="<results>/gender/{language}/{region}.used.parquet",
        assignments=f"{TOPICS}/assignments.parquet",
        words=f"{TOPICS}/words.parquet",
    output:
        alignment=f"{TOPICS}/alignment.parquet",
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
        settings=topic_settings("alignment", "fdr", "permutations", "bootstrap"),
    message:
        "Testing the gender of the topics of {wildcards.region} ({wildcards.language})"
    script:
        "../scripts/align_topics.py"


rule tabulate_topics:
    input:
        alignments=expand(
            f"{TOPICS}/alignment.parquet",
            language=PLAN.config.languages,
            region=PLAN.regions,
        ),
        labels=expand(
            f"{TOPICS}/labels.parquet",
            language=PLAN.config.languages,
            region=PLAN.regions,
        ),
    output:
        report(
            "<results>/tables/topics.csv",
            category="Tables",
            caption="../report/topics.rst",
        ),
    log:
        "<logs>/tabulate_topics.log",
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("tabulate_topics"),
        settings=topic_settings("dominant_document_share", "dominant_name_share"),
    message:
        "Collecting the topics"
    script:
        "../scripts/tabulate_topics.py"
