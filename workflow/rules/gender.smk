"""Which passages of the discovery corpus are female, male, both or neither.

Outputs: <results>/gender/{language}/{region}.parquet (all passages) and
{region}.used.parquet (those that topics are built on), <results>/tables/gender.csv.
Expects: config keys gender, seed; resources/word_lists/gender/{language}/.
"""


rule split_gender:
    input:
        passages=f"<results>/corpora/{PLAN.discovery}/{{language}}/{{region}}.parquet",
        terms=lambda wildcards: ancient(PLAN.gender_file(wildcards.language)),
    output:
        gender="<results>/gender/{language}/{region}.parquet",
        used="<results>/gender/{language}/{region}.used.parquet",
    log:
        "<logs>/split_gender/{language}-{region}.log",
    benchmark:
        "<benchmarks>/split_gender/{language}-{region}.tsv"
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
    params:
        code=code("split_gender"),
        terms=lambda wildcards: PLAN.gender_digest(wildcards.language),
        both=PLAN.config.gender.both,
        hyphen_is_letter=PLAN.config.gender.hyphen_is_letter,
        max_passages=PLAN.config.gender.max_passages,
        seed=PLAN.config.seed,
    message:
        "Finding female and male passages of {wildcards.region} ({wildcards.language})"
    script:
        "../scripts/split_gender.py"


rule tabulate_gender:
    input:
        gender=expand(
            "<results>/gender/{language}/{region}.parquet",
            language=PLAN.config.languages,
            region=PLAN.regions,
        ),
        used=expand(
            "<results>/gender/{language}/{region}.used.parquet",
            language=PLAN.config.languages,
            region=PLAN.regions,
        ),
    output:
        report(
            "<results>/tables/gender.csv",
            category="Tables",
            caption="../report/gender.rst",
        ),
    log:
        "<logs>/tabulate_gender.log",
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("tabulate_gender"),
        both=PLAN.config.gender.both,
        word_lists=PLAN.gender_list_titles(),
        warn_below=PLAN.config.gender.warn_below,
        warn_female_below=PLAN.config.gender.warn_female_below,
    message:
        "Counting female and male passages"
    script:
        "../scripts/tabulate_gender.py"
