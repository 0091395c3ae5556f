"""Word vectors of each region, one model a seed, one worker a model.

Outputs: <results>/vectors/{corpus}/{language}/{region}/{algorithm}-{seed}.bin and, on documents
drawn with replacement, {algorithm}-{seed}-resampled.bin
(word2vec's or fastText's own binary format, never a pickle).
Expects: config keys vectors, stability.
"""


rule train_vectors:
    input:
        passages="<results>/corpora/{corpus}/{language}/{region}.parquet",
    output:
        vectors="<results>/vectors/{corpus}/{language}/{region}/{algorithm}-{seed}.bin",
    log:
        "<logs>/train_vectors/{corpus}-{language}-{region}-{algorithm}-{seed}.log",
    benchmark:
        "<benchmarks>/train_vectors/{corpus}-{language}-{region}-{algorithm}-{seed}.tsv"
    conda:
        "../../envs/vectors.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 120 * attempt,
    params:
        code=code("train_vectors"),
        resample=False,
        settings=lambda wildcards: sorted(
            getattr(PLAN.config.vectors, wildcards.algorithm).model_dump().items()
        ),
    message:
        "Training {wildcards.algorithm} on {wildcards.region} ({wildcards.corpus}, "
        "{wildcards.language}), seed {wildcards.seed}"
    script:
        "../scripts/train_vectors.py"


rule train_resampled_vectors:
    input:
        passages="<results>/corpora/{corpus}/{language}/{region}.parquet",
    output:
        vectors="<results>/vectors/{corpus}/{language}/{region}/{algorithm}-{seed}-resampled.bin",
    log:
        "<logs>/train_resampled_vectors/{corpus}-{language}-{region}-{algorithm}-{seed}.log",
    benchmark:
        "<benchmarks>/train_resampled_vectors/{corpus}-{language}-{region}-{algorithm}-{seed}.tsv"
    conda:
        "../../envs/vectors.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 120 * attempt,
    params:
        code=code("train_vectors"),
        resample=True,
        settings=lambda wildcards: sorted(
            getattr(PLAN.config.vectors, wildcards.algorithm).model_dump().items()
        ),
    message:
        "Training {wildcards.algorithm} on resampled documents of {wildcards.region} "
        "({wildcards.corpus}, {wildcards.language}), seed {wildcards.seed}"
    script:
        "../scripts/train_vectors.py"
