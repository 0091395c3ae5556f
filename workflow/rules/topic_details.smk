"""What the passages of topics hold, where topics lie, and which ones regions share.

Outputs: <results>/topics/{language}/{region}/ (ngrams, topic_hierarchy, topic_examples, means,
places), <results>/topics/{language}/common_topics.parquet and common_chance.parquet; all Parquet.
Expects: config keys common_topics, seed; the topics of topics.smk, labels of labels.smk.
"""


rule detail_topics:
    input:
        passages=FOUND_PASSAGES,
        used="<results>/gender/{language}/{region}.used.parquet",
        embeddings=MAIN_EMBEDDINGS,
        assignments=f"{TOPICS}/assignments.parquet",
        words=f"{TOPICS}/words.parquet",
    output:
        ngrams=f"{TOPICS}/ngrams.parquet",
        hierarchy=f"{TOPICS}/topic_hierarchy.parquet",
        examples=f"{TOPICS}/topic_examples.parquet",
        means=f"{TOPICS}/means.parquet",
    log:
        "<logs>/detail_topics/{language}-{region}.log",
    conda:
        "../../envs/topics.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
    params:
        code=code("detail_topics"),
        ngrams=PLAN.config.common_topics.ngrams,
        top_words=PLAN.config.topics.top_words,
    message:
        "Counting what the topics of {wildcards.region} ({wildcards.language}) hold"
    script:
        "../scripts/detail_topics.py"


rule place_topics:
    input:
        means=regions_of_language(f"{TOPICS}/means.parquet"),
    output:
        places=regions_of_language(f"{TOPICS}/places.parquet"),
    log:
        "<logs>/place_topics/{language}.log",
    conda:
        "../../envs/topics.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
    params:
        code=code("place_topics"),
        regions=PLAN.regions,
        seed=PLAN.config.seed,
    message:
        "Drawing the map of topics ({wildcards.language})"
    script:
        "../scripts/place_topics.py"


rule match_common_topics:
    input:
        means=regions_of_language(f"{TOPICS}/means.parquet"),
        labels=regions_of_language(f"{TOPICS}/labels.parquet"),
        alignments=regions_of_language(f"{TOPICS}/alignment.parquet"),
        ngrams=regions_of_language(f"{TOPICS}/ngrams.parquet"),
    output:
        common="<results>/topics/{language}/common_topics.parquet",
        chance="<results>/topics/{language}/common_chance.parquet",
    log:
        "<logs>/match_common_topics/{language}.log",
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
    params:
        code=code("match_common_topics"),
        regions=PLAN.regions,
        similarity=PLAN.config.common_topics.similarity,
        closeness=PLAN.config.common_topics.closeness,
        seed=PLAN.config.seed,
    message:
        "Finding topics that regions share ({wildcards.language})"
    script:
        "../scripts/match_common_topics.py"
