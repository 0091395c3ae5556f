"""Documents of every source, and the passages of each region.

Outputs: <results>/documents/{corpus}/{language}.parquet,
<results>/corpora/{corpus}/{language}/{region}.parquet, <results>/tables/corpus.csv.
Expects: config keys corpora, documents, regions, passages, seed.
"""


rule prepare_documents:
    input:
        sources=source_files,
        records=source_records,
        gazetteer=ancient(PLAN.gazetteer),
        language_model=language_model,
    output:
        documents="<results>/documents/{corpus}/{language}.parquet",
        counts="<results>/documents/{corpus}/{language}.counts.parquet",
    log:
        "<logs>/prepare_documents/{corpus}-{language}.log",
    benchmark:
        "<benchmarks>/prepare_documents/{corpus}-{language}.tsv"
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
        # a resource: it changes no result, so a change reruns nothing
        batch_kb=PLAN.config.documents.batch_kb,
    params:
        code=code("prepare_documents"),
        gazetteer=PLAN.gazetteer_digest(),
        sources=source_settings,
        documents=sorted(
            PLAN.config.documents.model_dump(
                exclude={"language_model", "batch_kb"}
            ).items()
        ),
        boilerplate=PLAN.boilerplate,
        seed=PLAN.config.seed,
    message:
        "Reading and cleaning the documents of {wildcards.corpus} ({wildcards.language})"
    script:
        "../scripts/prepare_documents.py"


rule build_region:
    input:
        documents=lambda wildcards: "<results>/documents/"
        f"{PLAN.documents_of(wildcards.corpus)}/{wildcards.language}.parquet",
    output:
        passages="<results>/corpora/{corpus}/{language}/{region}.parquet",
        counts="<results>/corpora/{corpus}/{language}/{region}.counts.parquet",
    log:
        "<logs>/build_region/{corpus}-{language}-{region}.log",
    benchmark:
        "<benchmarks>/build_region/{corpus}-{language}-{region}.tsv"
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        code=code("build_region"),
        region=lambda wildcards: sorted(PLAN.region_spec(wildcards.region).items()),
        part=lambda wildcards: PLAN.corpus(wildcards.corpus).part,
        passages=sorted(
            PLAN.config.passages.model_dump(exclude=set(PLAN.BOILERPLATE)).items()
        ),
        seed=PLAN.config.seed,
    message:
        "Cutting the passages of {wildcards.region} ({wildcards.corpus}, {wildcards.language})"
    script:
        "../scripts/build_region.py"


rule tabulate_corpus:
    input:
        documents=expand(
            "<results>/documents/{corpus}/{language}.counts.parquet",
            corpus=sorted(
                {PLAN.documents_of(corpus.name) for corpus in PLAN.config.corpora}
            ),
            language=PLAN.config.languages,
        ),
        regions=expand(
            "<results>/corpora/{corpus}/{language}/{region}.counts.parquet",
            corpus=[corpus.name for corpus in PLAN.config.corpora],
            language=PLAN.config.languages,
            region=PLAN.regions,
        ),
    output:
        report(
            "<results>/tables/corpus.csv",
            category="Tables",
            caption="../report/corpus.rst",
        ),
    log:
        "<logs>/tabulate_corpus.log",
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("tabulate_corpus"),
    message:
        "Counting what was kept and what was dropped"
    script:
        "../scripts/tabulate_corpus.py"
