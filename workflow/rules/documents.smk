"""Tests on a la carte vectors: documents resampled, and the text with its genders swapped.

Outputs: <results>/alc/{corpus}/{language}/{region}.parquet, <results>/tables/alc.csv.
Expects: the names that alc.smk defines; config key evaluation; resources/word_lists/.
"""


rule bootstrap_documents:
    input:
        passages=FOUND_PASSAGES,
        vectors=fetched(PLAN.config.vectors.pretrained),
        record=record(PLAN.config.vectors.pretrained),
        transform=f"{FOUND_ALC}/transform.npy",
        fit=f"{FOUND_ALC}/fit.json",
        swap=lambda wildcards: ancient(PLAN.swap_file(wildcards.language)),
        tests=test_lists,
        controls=lambda wildcards: ancient(PLAN.control_files(wildcards.language)),
    output:
        f"{FOUND_ALC}/{{region}}.parquet",
    log:
        "<logs>/bootstrap_documents/{language}-{region}.log",
    benchmark:
        "<benchmarks>/bootstrap_documents/{language}-{region}.tsv"
    conda:
        "../../envs/vectors.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        code=code("bootstrap_documents"),
        tests=lambda wildcards: PLAN.tests_digest(wildcards.language),
        controls=lambda wildcards: PLAN.controls_digest(wildcards.language),
        swap=lambda wildcards: PLAN.swap_digest(wildcards.language),
        rules=ALC_RULES,
        settings=sorted(ALC_BOOTSTRAP.items()),
        corpus=PLAN.discovery,
        asset=PLAN.asset_digest(PLAN.config.vectors.pretrained),
    message:
        "Resampling the documents of {wildcards.region} ({wildcards.language})"
    script:
        "../scripts/bootstrap_documents.py"


rule bootstrap_pairs:
    input:
        passages=LATER_PASSAGES,
        vectors=fetched(PLAN.config.vectors.pretrained),
        record=record(PLAN.config.vectors.pretrained),
        transform=f"{LATER_ALC}/transform.npy",
        fit=f"{LATER_ALC}/fit.json",
        swap=lambda wildcards: ancient(PLAN.swap_file(wildcards.language)),
        pairs="<results>/topics/{language}/{region}/pairs.parquet",
        descriptions="<results>/topics/{language}/{region}/descriptions.parquet",
        labels="<results>/topics/{language}/{region}/labels.parquet",
        lists=ancient(PLAN.region_aware_files),
    output:
        f"{LATER_ALC}/{{region}}.parquet",
    log:
        "<logs>/bootstrap_pairs/{language}-{region}.log",
    benchmark:
        "<benchmarks>/bootstrap_pairs/{language}-{region}.tsv"
    conda:
        "../../envs/vectors.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        code=code("bootstrap_documents"),
        lists=PLAN.region_aware_digest(),
        terms=PLAN.config.evaluation.terms,
        published=PLAN.config.evaluation.published_pairs,
        selection=PLAN.config.pairs.selection,
        swap=lambda wildcards: PLAN.swap_digest(wildcards.language),
        rules=[*ALC_RULES, ("drop_shared", not PLAN.config.evaluation.keep_shared)],
        settings=sorted(ALC_BOOTSTRAP.items()),
        corpus=PLAN.evaluation,
        asset=PLAN.asset_digest(PLAN.config.vectors.pretrained),
    message:
        "Resampling the later documents of {wildcards.region} ({wildcards.language})"
    script:
        "../scripts/bootstrap_documents.py"


rule tabulate_alc:
    input:
        bootstraps=alc_rows,
        scores=scored_files(),
    output:
        report(
            "<results>/tables/alc.csv",
            category="Tables",
            caption="../report/alc.rst",
        ),
    log:
        "<logs>/tabulate_alc.log",
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("tabulate_alc"),
    message:
        "Collecting the bootstraps over documents"
    script:
        "../scripts/tabulate_alc.py"
