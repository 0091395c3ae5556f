"""Tests on a la carte vectors: documents resampled, and the text with its genders swapped.

Outputs: <results>/alc/{corpus}/{language}/{region}.parquet, <results>/tables/alc.csv.
Expects: the names that alc.smk defines; config key evaluation; resources/word_lists/.
"""

from biasatlas.lexicons.gender_swap import load_gender_swap, swap_list
from biasatlas.lexicons.digests import digest


def swapped_list(wildcards):
    """The list of pairs that the swapped text exchanges."""
    named = PLAN.gender_file(wildcards.language)
    return swap_list(os.path.dirname(named), named)


def alc_rows(wildcards):
    """The bootstraps over documents of each corpus that has a la carte vectors."""
    roles = [role for role in ("discovery", "evaluation") if PLAN.uses_alc(role)]
    return expand(
        "<results>/alc/{corpus}/{language}/{region}.parquet",
        corpus=[getattr(PLAN, role) for role in roles if getattr(PLAN, role)],
        language=PLAN.config.languages,
        region=PLAN.regions,
    )


rule bootstrap_documents:
    input:
        passages=in_corpus(PASSAGES, "discovery"),
        vectors=fetched(PLAN.config.vectors.pretrained),
        record=record(PLAN.config.vectors.pretrained),
        transform=in_corpus(ALC_MAP, "discovery") + "transform.npy",
        fit=in_corpus(ALC_MAP, "discovery") + "fit.json",
        swap=lambda wildcards: ancient(swapped_list(wildcards)),
        tests=lambda wildcards: ancient(PLAN.test_files(wildcards.language)),
        controls=lambda wildcards: ancient(PLAN.control_files(wildcards.language)),
    output:
        in_corpus(ALC_MAP, "discovery") + "{region}.parquet",
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
        swap=lambda wildcards: digest(load_gender_swap(swapped_list(wildcards))),
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
        passages=in_corpus(PASSAGES, "evaluation"),
        vectors=fetched(PLAN.config.vectors.pretrained),
        record=record(PLAN.config.vectors.pretrained),
        transform=in_corpus(ALC_MAP, "evaluation") + "transform.npy",
        fit=in_corpus(ALC_MAP, "evaluation") + "fit.json",
        swap=lambda wildcards: ancient(swapped_list(wildcards)),
        pairs="<results>/topics/{language}/{region}/pairs.parquet",
        labels="<results>/topics/{language}/{region}/labels.parquet",
        lists=ancient(PLAN.region_aware_files),
    output:
        in_corpus(ALC_MAP, "evaluation") + "{region}.parquet",
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
        swap=lambda wildcards: digest(load_gender_swap(swapped_list(wildcards))),
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
        alc_rows,
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
        code=code("collect_table"),
        table="alc",
    message:
        "Collecting the bootstraps over documents"
    script:
        "../scripts/collect_table.py"
