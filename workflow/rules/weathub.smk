"""Association tests in many languages: words encoded, then scored, one job a language and model.

Outputs: <results>/weathub/{language}/{model}.encoded.parquet (vectors of the words),
{model}.reading.parquet (what the model can read), {model}.parquet (scores),
{model}.variances.parquet and {model}.translations.parquet.
Expects: config key weathub.
"""


rule encode_words:
    input:
        words=f"{WEATHUB}/words.parquet",
        model=word_model,
        record=lambda wildcards: record(
            PLAN.grid.asset(wildcards.model, wildcards.language)
        ),
        texts=lambda wildcards: (
            [f"{WEATHUB}/texts.parquet"]
            if PLAN.grid.reads_in_context(wildcards.model, wildcards.language)
            else []
        ),
    output:
        encoded=f"{WEATHUB}/{{model}}.encoded.parquet",
        reading=f"{WEATHUB}/{{model}}.reading.parquet",
    log:
        "<logs>/encode_words/{language}-{model}.log",
    benchmark:
        "<benchmarks>/encode_words/{language}-{model}.tsv"
    conda:
        "../../envs/topics.yaml"
    threads: 1
    resources:
        gpu=1,
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=lambda wildcards, attempt: 120 * attempt,
    params:
        code=code("encode_words"),
        kind=lambda wildcards: PLAN.grid.model(wildcards.model).kind,
        group=lambda wildcards: PLAN.grid.model(wildcards.model).group,
        key=lambda wildcards: PLAN.grid.model_digest(
            wildcards.model, wildcards.language
        ),
        trained=lambda wildcards: PLAN.grid.model(wildcards.model).train,
        settings=PLAN.grid.settings("batch_size", "readable_min", "in_context"),
    message:
        "Encoding the words of {wildcards.language} with {wildcards.model}"
    script:
        "../scripts/encode_words.py"


rule score_languages:
    input:
        words=f"{WEATHUB}/words.parquet",
        encoded=f"{WEATHUB}/{{model}}.encoded.parquet",
        reading=f"{WEATHUB}/{{model}}.reading.parquet",
    output:
        scores=f"{WEATHUB}/{{model}}.parquet",
        variances=f"{WEATHUB}/{{model}}.variances.parquet",
    log:
        "<logs>/score_languages/{language}-{model}.log",
    benchmark:
        "<benchmarks>/score_languages/{language}-{model}.tsv"
    conda:
        "../../envs/vectors.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 3000 * attempt,
        runtime=lambda wildcards, attempt: 120 * attempt,
    params:
        code=code("score_languages"),
        settings=PLAN.grid.settings(
            "coverage_min",
            "max_exact",
            "min_words",
            "nulls",
            "p_values",
            "relative_width",
            "spaces",
            "thin_words",
        ),
    message:
        "Scoring the tests of {wildcards.language} on {wildcards.model}"
    script:
        "../scripts/score_languages.py"


rule compare_translations:
    input:
        words=f"{WEATHUB}/words.parquet",
        encoded=f"{WEATHUB}/{{model}}.encoded.parquet",
        reading=f"{WEATHUB}/{{model}}.reading.parquet",
    output:
        f"{WEATHUB}/{{model}}.translations.parquet",
    log:
        "<logs>/compare_translations/{language}-{model}.log",
    benchmark:
        "<benchmarks>/compare_translations/{language}-{model}.tsv"
    conda:
        "../../envs/vectors.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 3000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        code=code("compare_translations"),
        settings=PLAN.grid.settings(
            "bootstrap", "coverage_min", "permutations", "spaces", "thin_words"
        ),
    message:
        "Comparing human and machine translation of {wildcards.language} on {wildcards.model}"
    script:
        "../scripts/compare_translations.py"
