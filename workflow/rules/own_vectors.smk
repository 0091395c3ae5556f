"""The association tests on vectors of the user's own: a target that needs no corpus.

Outputs: <results>/weat/{language}/own/{name}.parquet, with .words.parquet and
.coverage.parquet, and <results>/tables/own_vectors.csv.
Expects: config keys vectors.own, weat; resources/word_lists/{weat.tests}/{language}/.
"""


rule score_own_weat:
    input:
        vectors=lambda wildcards: PLAN.config.vectors.own[wildcards.name],
        tests=test_lists,
        controls=lambda wildcards: ancient(PLAN.control_files(wildcards.language)),
    output:
        scores="<results>/weat/{language}/own/{name}.parquet",
        words="<results>/weat/{language}/own/{name}.words.parquet",
        coverage="<results>/weat/{language}/own/{name}.coverage.parquet",
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
        controls=lambda wildcards: PLAN.controls_digest(wildcards.language),
        settings=WEAT_SETTINGS,
        corpus="",
        models=lambda wildcards: [(wildcards.name, NO_SEED)],
    message:
        "Scoring the association tests on your vectors {wildcards.name} ({wildcards.language})"
    script:
        "../scripts/score_weat.py"


rule tabulate_own_vectors:
    input:
        scores=own_scores,
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
        control_tests=PLAN.control_tests,
    message:
        "Correcting the association tests for their number"
    script:
        "../scripts/tabulate_weat.py"
