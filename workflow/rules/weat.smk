"""The classic association tests on each region's vectors, and on pretrained ones as control.

Outputs: <results>/weat/{language}/{region}.parquet, pretrained.parquet, own/{name}.parquet,
<results>/tables/weat.csv, and <results>/tables/own_vectors.csv (a target that needs no corpus).
Expects: config keys weat, vectors; resources/word_lists/{weat.tests}/{language}/.
"""

WEAT_SETTINGS = sorted(
    PLAN.config.weat.model_dump(exclude={"tests", "gender_tests"}).items()
)
WEAT_SETTINGS += [("seed", PLAN.config.seed)]


rule score_weat:
    input:
        vectors=expand(
            f"<results>/vectors/{PLAN.discovery}/{{{{language}}}}/{{{{region}}}}/word2vec-{{seed}}.bin",
            seed=PLAN.config.vectors.seeds,
        ),
        tests=lambda wildcards: ancient(PLAN.test_files(wildcards.language)),
    output:
        scores="<results>/weat/{language}/{region}.parquet",
    log:
        "<logs>/score_weat/{language}-{region}.log",
    benchmark:
        "<benchmarks>/score_weat/{language}-{region}.tsv"
    conda:
        "../../envs/vectors.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        code=code("score_weat"),
        tests=lambda wildcards: PLAN.tests_digest(wildcards.language),
        settings=WEAT_SETTINGS,
        model="word2vec",
        corpus=PLAN.discovery,
        seeds=PLAN.config.vectors.seeds,
    message:
        "Scoring the association tests on {wildcards.region} ({wildcards.language})"
    script:
        "../scripts/score_weat.py"


rule score_pretrained_weat:
    input:
        vectors=fetched(PLAN.config.vectors.pretrained),
        record=record(PLAN.config.vectors.pretrained),
        tests=lambda wildcards: ancient(PLAN.test_files(wildcards.language)),
    output:
        scores="<results>/weat/{language}/pretrained.parquet",
    log:
        "<logs>/score_pretrained_weat/{language}.log",
    benchmark:
        "<benchmarks>/score_pretrained_weat/{language}.tsv"
    conda:
        "../../envs/vectors.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        code=code("score_weat"),
        tests=lambda wildcards: PLAN.tests_digest(wildcards.language),
        settings=WEAT_SETTINGS,
        model="glove",
        corpus="",
        seeds=[-1],
        asset=PLAN.asset_digest(PLAN.config.vectors.pretrained),
    message:
        "Scoring the association tests on pretrained vectors ({wildcards.language})"
    script:
        "../scripts/score_weat.py"


rule score_own_weat:
    input:
        vectors=lambda wildcards: PLAN.config.vectors.own[wildcards.name],
        tests=lambda wildcards: ancient(PLAN.test_files(wildcards.language)),
    output:
        scores="<results>/weat/{language}/own/{name}.parquet",
    log:
        "<logs>/score_own_weat/{language}-{name}.log",
    conda:
        "../../envs/vectors.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        code=code("score_weat"),
        tests=lambda wildcards: PLAN.tests_digest(wildcards.language),
        settings=WEAT_SETTINGS,
        model=lambda wildcards: wildcards.name,
        corpus="",
        seeds=[-1],
    message:
        "Scoring the association tests on your vectors {wildcards.name} ({wildcards.language})"
    script:
        "../scripts/score_weat.py"


rule tabulate_weat:
    input:
        expand(
            "<results>/weat/{language}/{region}.parquet",
            language=PLAN.config.languages,
            region=PLAN.measured,
        ),
    output:
        report(
            "<results>/tables/weat.csv",
            category="Tables",
            caption="../report/weat.rst",
        ),
    log:
        "<logs>/tabulate_weat.log",
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("tabulate_weat"),
        gender_tests=sorted(PLAN.config.weat.gender_tests),
    message:
        "Correcting the association tests for their number"
    script:
        "../scripts/tabulate_weat.py"


rule tabulate_own_vectors:
    input:
        own_scores,
    output:
        "<results>/tables/own_vectors.csv",
    log:
        "<logs>/tabulate_own_vectors.log",
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("tabulate_weat"),
        gender_tests=sorted(PLAN.config.weat.gender_tests),
    message:
        "Correcting the association tests for their number"
    script:
        "../scripts/tabulate_weat.py"
