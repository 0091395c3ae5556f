"""Companion measures beside the association tests: on word vectors, and on the text itself.

Outputs: <results>/companions/{language}/{region}.parquet, pretrained.parquet,
<results>/tables/companions.csv.
Expects: config keys weat, vectors; resources/word_lists/{weat.tests}/{language}/;
WEAT_SETTINGS of weat.smk.
"""

COMPANION_KEYS = ("case", "coverage_min", "min_words", "seed")
COMPANION_SETTINGS = [pair for pair in WEAT_SETTINGS if pair[0] in COMPANION_KEYS]
COMPANION_SETTINGS += [
    ("bootstrap", PLAN.config.weat.bootstrap),
    # Co-occurrence is counted in the window that word2vec sees.
    ("window", PLAN.config.vectors.word2vec.window),
]


rule score_companions:
    input:
        vectors=expand(
            f"<results>/vectors/{PLAN.discovery}/{{{{language}}}}/{{{{region}}}}/{{model}}.bin",
            model=PLAN.model_files("discovery"),
        ),
        passages=f"<results>/corpora/{PLAN.discovery}/{{language}}/{{region}}.parquet",
        tests=test_lists,
        controls=lambda wildcards: ancient(PLAN.control_files(wildcards.language)),
    output:
        scores="<results>/companions/{language}/{region}.parquet",
    log:
        "<logs>/score_companions/{language}-{region}.log",
    benchmark:
        "<benchmarks>/score_companions/{language}-{region}.tsv"
    conda:
        "../../envs/vectors.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        code=code("score_companions"),
        tests=lambda wildcards: PLAN.tests_digest(wildcards.language),
        controls=lambda wildcards: PLAN.controls_digest(wildcards.language),
        settings=COMPANION_SETTINGS,
        corpus=PLAN.discovery,
        models=PLAN.models("discovery"),
    message:
        "Scoring the companion measures on {wildcards.region} ({wildcards.language})"
    script:
        "../scripts/score_companions.py"


rule score_pretrained_companions:
    input:
        vectors=fetched(PLAN.config.vectors.pretrained),
        record=record(PLAN.config.vectors.pretrained),
        tests=test_lists,
        controls=lambda wildcards: ancient(PLAN.control_files(wildcards.language)),
    output:
        scores="<results>/companions/{language}/pretrained.parquet",
    log:
        "<logs>/score_pretrained_companions/{language}.log",
    benchmark:
        "<benchmarks>/score_pretrained_companions/{language}.tsv"
    conda:
        "../../envs/vectors.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        code=code("score_companions"),
        tests=lambda wildcards: PLAN.tests_digest(wildcards.language),
        controls=lambda wildcards: PLAN.controls_digest(wildcards.language),
        settings=COMPANION_SETTINGS,
        corpus="",
        models=[("glove", NO_SEED)],
        asset=PLAN.asset_digest(PLAN.config.vectors.pretrained),
    message:
        "Scoring the companion measures on pretrained vectors ({wildcards.language})"
    script:
        "../scripts/score_companions.py"


rule tabulate_companions:
    input:
        companions=expand(
            "<results>/companions/{language}/{region}.parquet",
            language=PLAN.config.languages,
            region=PLAN.measured,
        ),
        scores=weat_scores,
    output:
        report(
            "<results>/tables/companions.csv",
            category="Tables",
            caption="../report/companions.rst",
        ),
    log:
        "<logs>/tabulate_companions.log",
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("tabulate_companions"),
    message:
        "Collecting the companion measures"
    script:
        "../scripts/tabulate_companions.py"
