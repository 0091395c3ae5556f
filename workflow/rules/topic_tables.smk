"""Tables of topics: what each region or language has in files, put together.

Outputs: <results>/tables/ topics, topic_stability, topic_examples, topic_hierarchy, ngrams,
pair_candidates, pair_thresholds; common_topics, common_chance; all CSV.
Expects: these files of topics.smk, labels.smk, topic_stability.smk, topic_details.smk and pairs.smk.
"""

OF_REGIONS = ["topic_stability", "topic_examples", "topic_hierarchy", "ngrams"]
OF_REGIONS += ["pair_candidates", "pair_thresholds"]
OF_LANGUAGES = ["common_topics", "common_chance"]


rule tabulate_topics:
    input:
        alignments=every_region(f"{TOPICS}/alignment.parquet"),
        descriptions=every_region(f"{TOPICS}/descriptions.parquet"),
        labels=every_region(f"{TOPICS}/labels.parquet"),
        stability=every_region(f"{TOPICS}/stability.parquet"),
        places=every_region(f"{TOPICS}/places.parquet"),
    output:
        report(
            "<results>/tables/topics.csv",
            category="Tables",
            caption="../report/topics.rst",
        ),
    log:
        "<logs>/tabulate_topics.log",
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("tabulate_topics"),
        flags=[
            (key, getattr(PLAN.config.topics, key))
            for key in ("dominant_document_share", "dominant_name_share")
        ],
        view=PLAN.view,
    message:
        "Collecting the topics"
    script:
        "../scripts/tabulate_topics.py"


rule tabulate_topic_details:
    input:
        every_region(f"{TOPICS}/{{detail}}.parquet"),
    output:
        report(
            "<results>/tables/{detail}.csv",
            category="Tables",
            caption="../report/topic_details.rst",
        ),
    log:
        "<logs>/tabulate_topic_details/{detail}.log",
    wildcard_constraints:
        detail="|".join(OF_REGIONS),
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("collect_regions"),
    message:
        "Collecting the table {wildcards.detail}"
    script:
        "../scripts/collect_regions.py"


rule tabulate_common_topics:
    input:
        expand(
            "<results>/topics/{language}/{{common}}.parquet",
            language=PLAN.config.languages,
        ),
    output:
        report(
            "<results>/tables/{common}.csv",
            category="Tables",
            caption="../report/topic_details.rst",
        ),
    log:
        "<logs>/tabulate_common_topics/{common}.log",
    wildcard_constraints:
        common="|".join(OF_LANGUAGES),
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("collect_table"),
        table=lambda wildcards: wildcards.common,
    message:
        "Collecting the table {wildcards.common}"
    script:
        "../scripts/collect_table.py"
