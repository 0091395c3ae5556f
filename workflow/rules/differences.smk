"""Differences of regions, on a la carte vectors and in the text itself: documents permuted.

Outputs: <results>/alc/{corpus}/{language}/differences.parquet,
<results>/differences/{language}.parquet (log odds of co-occurrence),
<results>/tables/differences.csv.
Expects: the names that alc.smk defines; resources/word_lists/{weat.tests}/{language}/.
"""


rule compare_regions:
    input:
        passages=expand(FOUND_PASSAGES, region=PLAN.regions, allow_missing=True),
        vectors=fetched(PLAN.config.vectors.pretrained),
        record=record(PLAN.config.vectors.pretrained),
        transform=f"{FOUND_ALC}/transform.npy",
        fit=f"{FOUND_ALC}/fit.json",
        tests=test_lists,
    output:
        f"{FOUND_ALC}/differences.parquet",
    log:
        "<logs>/compare_regions/{language}.log",
    benchmark:
        "<benchmarks>/compare_regions/{language}.tsv"
    conda:
        "../../envs/vectors.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=lambda wildcards, attempt: 120 * attempt,
    params:
        code=code("compare_regions"),
        tests=lambda wildcards: PLAN.tests_digest(wildcards.language),
        rules=ALC_RULES,
        regions=PLAN.regions,
        window=ALC.window,
        settings=[
            ("min_count", ALC.min_count),
            ("permutations", PLAN.config.stability.permutations),
            ("replicates", PLAN.config.stability.bootstrap),
            ("seed", PLAN.config.seed),
        ],
        corpus=PLAN.discovery,
        asset=PLAN.asset_digest(PLAN.config.vectors.pretrained),
    message:
        "Permuting documents between regions ({wildcards.language})"
    script:
        "../scripts/compare_regions.py"


rule compare_texts:
    input:
        passages=expand(FOUND_PASSAGES, region=PLAN.regions, allow_missing=True),
        tests=test_lists,
    output:
        "<results>/differences/{language}.parquet",
    log:
        "<logs>/compare_texts/{language}.log",
    benchmark:
        "<benchmarks>/compare_texts/{language}.tsv"
    conda:
        "../../envs/vectors.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=lambda wildcards, attempt: 120 * attempt,
    params:
        code=code("compare_texts"),
        tests=lambda wildcards: PLAN.tests_digest(wildcards.language),
        rules=[pair for pair in ALC_RULES if pair[0] != "case"],
        regions=PLAN.regions,
        window=PLAN.config.vectors.word2vec.window,
        settings=[
            ("permutations", PLAN.config.stability.permutations),
            ("replicates", PLAN.config.stability.bootstrap),
            ("seed", PLAN.config.seed),
        ],
        corpus=PLAN.discovery,
    message:
        "Comparing the text of regions ({wildcards.language})"
    script:
        "../scripts/compare_texts.py"


rule tabulate_differences:
    input:
        compared=compared_regions,
        scores=weat_scores,
    output:
        report(
            "<results>/tables/differences.csv",
            category="Tables",
            caption="../report/differences.rst",
        ),
    log:
        "<logs>/tabulate_differences.log",
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("tabulate_differences"),
    message:
        "Correcting the comparisons of regions for their number"
    script:
        "../scripts/tabulate_differences.py"
