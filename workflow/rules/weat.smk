"""The classic association tests on each region's vectors, and on pretrained ones as control.

Outputs: <results>/weat/{language}/{region}.parquet, pretrained.parquet, each with
.words.parquet and .coverage.parquet, and <results>/tables/weat.csv.
Expects: config keys weat, vectors; resources/word_lists/{weat.tests}/{language}/.
"""

WEAT_SETTINGS = PLAN.scoring


rule score_weat:
    input:
        vectors=expand(
            f"<results>/vectors/{PLAN.discovery}/{{{{language}}}}/{{{{region}}}}/{{model}}.bin",
            model=PLAN.model_files("discovery"),
        ),
        tests=test_lists,
        controls=lambda wildcards: ancient(PLAN.control_files(wildcards.language)),
    output:
        scores="<results>/weat/{language}/{region}.parquet",
        words="<results>/weat/{language}/{region}.words.parquet",
        coverage="<results>/weat/{language}/{region}.coverage.parquet",
    log:
        "<logs>/score_weat/{language}-{region}.log",
    benchmark:
        "<benchmarks>/score_weat/{language}-{region}.tsv"
    conda:
        "../../envs/vectors.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 3000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        code=code("score_weat"),
        tests=lambda wildcards: PLAN.tests_digest(wildcards.language),
        controls=lambda wildcards: PLAN.controls_digest(wildcards.language),
        settings=WEAT_SETTINGS,
        corpus=PLAN.discovery,
        models=PLAN.models("discovery"),
    message:
        "Scoring the association tests on {wildcards.region} ({wildcards.language})"
    script:
        "../scripts/score_weat.py"


rule score_pretrained_weat:
    input:
        vectors=fetched(PLAN.config.vectors.pretrained),
        record=record(PLAN.config.vectors.pretrained),
        tests=test_lists,
        controls=lambda wildcards: ancient(PLAN.control_files(wildcards.language)),
    output:
        scores="<results>/weat/{language}/pretrained.parquet",
        words="<results>/weat/{language}/pretrained.words.parquet",
        coverage="<results>/weat/{language}/pretrained.coverage.parquet",
    log:
        "<logs>/score_pretrained_weat/{language}.log",
    benchmark:
        "<benchmarks>/score_pretrained_weat/{language}.tsv"
    conda:
        "../../envs/vectors.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 3000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        code=code("score_weat"),
        tests=lambda wildcards: PLAN.tests_digest(wildcards.language),
        controls=lambda wildcards: PLAN.controls_digest(wildcards.language),
        settings=WEAT_SETTINGS,
        corpus="",
        models=[("glove", NO_SEED)],
        asset=PLAN.asset_digest(PLAN.config.vectors.pretrained),
    message:
        "Scoring the association tests on pretrained vectors ({wildcards.language})"
    script:
        "../scripts/score_weat.py"


rule tabulate_weat:
    input:
        scores=expand(
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
        control_tests=PLAN.control_tests,
    message:
        "Correcting the association tests for their number"
    script:
        "../scripts/tabulate_weat.py"
