"""Labels of topics, by a language model that runs on this machine or by the nearest phrase.

Outputs: <results>/topics/{language}/{region}/labels.parquet.
Expects: config keys labels, seed; the descriptions of topics.smk.
"""

# The models by the part that they play; without one the nearest phrase is the label.
LABEL_MODELS = {
    role: name
    for role, name in [
        ("model", PLAN.config.labels.model),
        ("second", PLAN.config.labels.second),
    ]
    if name
}
LABEL_PROMPTS = [
    f"{PLAN.config.labels.prompts}/{mode}/{name}"
    for mode in sorted(
        {
            {
                "model": PLAN.config.labels.mode,
                "second": PLAN.config.labels.second_mode,
            }[role]
            for role in LABEL_MODELS
        }
    )
    for name in ["system.txt", "example.yaml", "main.txt"]
]
# A model in memory, its context, and Python with pandas.
LABEL_MEMORY = 2000 + round(
    1.3 * sum(PLAN.assets[name].size_mb for name in LABEL_MODELS.values())
)


rule label_topics:
    input:
        **{role: fetched(name) for role, name in LABEL_MODELS.items()},
        passages=FOUND_PASSAGES,
        descriptions=f"{TOPICS}/descriptions.parquet",
        prompts=LABEL_PROMPTS,
        records=record(*LABEL_MODELS.values()),
    output:
        labels=f"{TOPICS}/labels.parquet",
    log:
        "<logs>/label_topics/{language}-{region}.log",
    benchmark:
        "<benchmarks>/label_topics/{language}-{region}.tsv"
    conda:
        "../../envs/llm.yaml"
    threads: 1
    resources:
        gpu=1,
        mem_mb=lambda wildcards, attempt: LABEL_MEMORY * attempt,
        runtime=lambda wildcards, attempt: 120 * attempt,
    params:
        code=code("label_topics"),
        settings=sorted(
            (key, value)
            for key, value in PLAN.config.labels.model_dump().items()
            if key != "prompts"
        )
        + [("seed", PLAN.config.seed)],
        models=sorted(
            (role, PLAN.asset_digest(name)) for role, name in LABEL_MODELS.items()
        ),
    message:
        "Labelling the topics of {wildcards.region} ({wildcards.language})"
    script:
        "../scripts/label_topics.py"
