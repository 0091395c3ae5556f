"""Region-aware WEAT: found and published topic pairs on vectors of the evaluation corpus.

Outputs: <results>/evaluation/{language}/{region}.parquet and pretrained.parquet,
<results>/tables/evaluation.csv.
Expects: config keys evaluation, vectors, weat; resources/word_lists/region_aware/.
"""

EVALUATION_SETTINGS = dict(WEAT_SETTINGS) | {
    "compose_missing": PLAN.config.vectors.compose_missing,
    "drop_shared": not PLAN.config.evaluation.keep_shared,
}


rule score_pairs:
    input:
        vectors=expand(
            f"<results>/vectors/{PLAN.evaluation}/{{{{language}}}}/{{{{region}}}}/{{model}}.bin",
            model=PLAN.model_files("evaluation"),
        ),
        pairs=f"{TOPICS}/pairs.parquet",
        descriptions=f"{TOPICS}/descriptions.parquet",
        labels=f"{TOPICS}/labels.parquet",
        lists=ancient(PLAN.region_aware_files),
        controls=lambda wildcards: ancient(PLAN.control_files(wildcards.language)),
    output:
        scores="<results>/evaluation/{language}/{region}.parquet",
        words="<results>/evaluation/{language}/{region}.words.parquet",
        coverage="<results>/evaluation/{language}/{region}.coverage.parquet",
    log:
        "<logs>/score_pairs/{language}-{region}.log",
    benchmark:
        "<benchmarks>/score_pairs/{language}-{region}.tsv"
    conda:
        "../../envs/vectors.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 3000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        code=code("score_pairs"),
        lists=PLAN.region_aware_digest(),
        controls=lambda wildcards: PLAN.controls_digest(wildcards.language),
        terms=PLAN.config.evaluation.terms,
        published=PLAN.config.evaluation.published_pairs,
        selection=PLAN.config.pairs.selection,
        settings=sorted(EVALUATION_SETTINGS.items()),
        corpus=PLAN.evaluation,
        models=PLAN.models("evaluation"),
    message:
        "Scoring topic pairs on the later text of {wildcards.region} ({wildcards.language})"
    script:
        "../scripts/score_pairs.py"


rule score_pretrained_pairs:
    input:
        vectors=fetched(PLAN.config.vectors.pretrained),
        record=record(PLAN.config.vectors.pretrained),
        lists=ancient(PLAN.region_aware_files),
        controls=lambda wildcards: ancient(PLAN.control_files(wildcards.language)),
    output:
        scores="<results>/evaluation/{language}/pretrained.parquet",
        words="<results>/evaluation/{language}/pretrained.words.parquet",
        coverage="<results>/evaluation/{language}/pretrained.coverage.parquet",
    log:
        "<logs>/score_pretrained_pairs/{language}.log",
    benchmark:
        "<benchmarks>/score_pretrained_pairs/{language}.tsv"
    conda:
        "../../envs/vectors.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 3000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        code=code("score_pairs"),
        lists=PLAN.region_aware_digest(),
        controls=lambda wildcards: PLAN.controls_digest(wildcards.language),
        terms=PLAN.config.evaluation.terms,
        published=PLAN.config.evaluation.published_pairs,
        settings=sorted(EVALUATION_SETTINGS.items()),
        corpus="",
        models=[("glove", NO_SEED)],
        asset=PLAN.asset_digest(PLAN.config.vectors.pretrained),
    message:
        "Scoring the published topic pairs on pretrained vectors ({wildcards.language})"
    script:
        "../scripts/score_pairs.py"


rule tabulate_evaluation:
    input:
        expand(
            "<results>/evaluation/{language}/{region}.parquet",
            language=PLAN.config.languages,
            region=PLAN.evaluated,
        ),
    output:
        report(
            "<results>/tables/evaluation.csv",
            category="Tables",
            caption="../report/evaluation.rst",
        ),
    log:
        "<logs>/tabulate_evaluation.log",
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("tabulate_evaluation"),
    message:
        "Correcting the region-aware tests for their number"
    script:
        "../scripts/tabulate_evaluation.py"
