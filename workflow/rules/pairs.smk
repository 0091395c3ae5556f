"""Female-male topic pairs of each region.

Outputs: <results>/topics/{language}/{region}/ (pairs, pair_candidates, pair_thresholds; all
Parquet), <results>/tables/pairs.csv.
Expects: config keys pairs, topics.fdr, topics.refits, seed.
"""


rule match_pairs:
    input:
        used="<results>/gender/{language}/{region}.used.parquet",
        assignments=f"{TOPICS}/assignments.parquet",
        alignment=f"{TOPICS}/alignment.parquet",
        stability=f"{TOPICS}/stability.parquet",
        refits=f"{TOPICS}/refits.parquet",
        topic_embeddings=f"{TOPICS}/topic_embeddings.parquet",
    output:
        pairs=f"{TOPICS}/pairs.parquet",
        candidates=f"{TOPICS}/pair_candidates.parquet",
        thresholds=f"{TOPICS}/pair_thresholds.parquet",
    log:
        "<logs>/match_pairs/{language}-{region}.log",
    benchmark:
        "<benchmarks>/match_pairs/{language}-{region}.tsv"
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        code=code("match_pairs"),
        settings=sorted(
            PLAN.config.pairs.model_dump(exclude={"encoder", "selection"}).items()
        ),
        fdr=PLAN.config.topics.fdr,
        permutations=PLAN.config.topics.refits.permutations,
        seed=PLAN.config.seed,
    message:
        "Pairing female and male topics of {wildcards.region} ({wildcards.language})"
    script:
        "../scripts/match_pairs.py"


rule tabulate_pairs:
    input:
        pairs=every_region(f"{TOPICS}/pairs.parquet"),
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
