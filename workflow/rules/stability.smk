"""How much a score depends on seeds and documents, and whether regions differ by more.

Outputs: <results>/stability/{language}/{region}.parquet (models on resampled documents),
<results>/tables/stability.csv.
Expects: config keys stability, vectors, weat; the scores of weat.smk and alc.smk.
"""

RULES = ("case", "coverage_min", "min_words")


rule score_resampled:
    input:
        vectors=[
            f"<results>/vectors/{PLAN.discovery}/{{language}}/{{region}}/{model}-{seed}-resampled.bin"
            for model, seed in PLAN.resampled
        ],
        passages=FOUND_PASSAGES,
        tests=test_lists,
        controls=lambda wildcards: ancient(PLAN.control_files(wildcards.language)),
    output:
        "<results>/stability/{language}/{region}.parquet",
    log:
        "<logs>/score_resampled/{language}-{region}.log",
    conda:
        "../../envs/vectors.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
    params:
        code=code("score_resampled"),
        tests=lambda wildcards: PLAN.tests_digest(wildcards.language),
        controls=lambda wildcards: PLAN.controls_digest(wildcards.language),
        rules=[pair for pair in WEAT_SETTINGS if pair[0] in RULES],
        corpus=PLAN.discovery,
        models=PLAN.resampled,
    message:
        "Scoring the association tests on resampled documents of {wildcards.region} "
        "({wildcards.language})"
    script:
        "../scripts/score_resampled.py"


rule tabulate_stability:
    input:
        scores=expand(
            "<results>/weat/{language}/{region}.parquet",
            language=PLAN.config.languages,
            region=PLAN.regions,
        ),
        words=expand(
            "<results>/weat/{language}/{region}.words.parquet",
            language=PLAN.config.languages,
            region=PLAN.regions,
        ),
        resampled=resampled_scores,
        documents=discovery_bootstraps,
    output:
        report(
            "<results>/tables/stability.csv",
            category="Tables",
            caption="../report/stability.rst",
        ),
    log:
        "<logs>/tabulate_stability.log",
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("tabulate_stability"),
        gender_tests=sorted(PLAN.config.weat.gender_tests),
        control_tests=PLAN.control_tests,
    message:
        "Splitting the variance of the scores"
    script:
        "../scripts/tabulate_stability.py"
