"""Female-male topic pairs of each region.

Outputs: <results>/topics/{language}/{region}/pairs.parquet, <results>/tables/pairs.csv.
Expects: config key pairs.
"""


rule match_pairs:
    input:
        alignment=f"{TOPICS}/alignment.parquet",
        topic_embeddings=f"{TOPICS}/topic_embeddings.parquet",
    output:
        pairs=f"{TOPICS}/pairs.parquet",
    log:
        "<logs>/match_pairs/{language}-{region}.log",
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("match_pairs"),
        settings=sorted(PLAN.config.pairs.model_dump(exclude={"encoder"}).items()),
    message:
        "Pairing female and male topics of {wildcards.region} ({wildcards.language})"
    script:
        "../scripts/match_pairs.py"


rule tabulate_pairs:
    input:
        pairs=expand(
            f"{TOPICS}/pairs.parquet",
            language=PLAN.config.languages,
            region=PLAN.regions,
        ),
        topics="<results>/tables/topics.csv",
    output:
        report(
            "<results>/tables/pairs.csv",
            category="Tables",
            caption="../report/pairs.rst",
        ),
    log:
        "<logs>/tabulate_pairs.log",
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("tabulate_pairs"),
        selection=PLAN.config.pairs.selection,
        threshold=PLAN.config.pairs.gap_threshold,
    message:
        "Collecting the topic pairs"
    script:
        "../scripts/tabulate_pairs.py"
