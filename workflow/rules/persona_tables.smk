"""Tables of the personas and of the probe.

Outputs: <results>/tables/ personas, persona_models, persona_topics, persona_scores,
persona_probe, persona_probe_scores (CSV).
Expects: the files of personas.smk.
"""


rule tabulate_personas:
    input:
        replies=every_persona_file(
            "replies", [model.name for model in PLAN.config.personas.models]
        ),
        topics=every_persona_region("topics"),
        words=ancient(
            [PLAN.personas.gender_words_file(one) for one in PLAN.personas.languages]
        ),
        nouns=ancient(
            [PLAN.personas.nouns_file(one) for one in PLAN.personas.languages]
        ),
    output:
        personas=report(
            "<results>/tables/personas.csv",
            category="Tables",
            caption="../report/personas.rst",
        ),
        models=report(
            "<results>/tables/persona_models.csv",
            category="Tables",
            caption="../report/personas.rst",
        ),
    log:
        "<logs>/tabulate_personas.log",
    benchmark:
        "<benchmarks>/tabulate_personas.tsv"
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        code=code("tabulate_personas"),
        languages=PLAN.personas.languages,
        digests=[
            PLAN.personas.gender_words_digest(one) for one in PLAN.personas.languages
        ],
        models=PLAN.personas.describe_models(),
    message:
        "Reading the gender of the personas"
    script:
        "../scripts/tabulate_personas.py"


rule score_personas:
    input:
        personas="<results>/tables/personas.csv",
        topics=every_persona_region("topics"),
    output:
        topics=report(
            "<results>/tables/persona_topics.csv",
            category="Tables",
            caption="../report/personas.rst",
        ),
        scores=report(
            "<results>/tables/persona_scores.csv",
            category="Tables",
            caption="../report/personas.rst",
        ),
    log:
        "<logs>/score_personas.log",
    benchmark:
        "<benchmarks>/score_personas.tsv"
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        code=code("score_personas"),
        settings=PLAN.personas.scoring,
    message:
        "Comparing personas with the topics of the regions"
    script:
        "../scripts/score_personas.py"


rule score_probe:
    input:
        every_persona_file("probe", PLAN.personas.probed),
    output:
        probe=report(
            "<results>/tables/persona_probe.csv",
            category="Tables",
            caption="../report/personas.rst",
        ),
        scores=report(
            "<results>/tables/persona_probe_scores.csv",
            category="Tables",
            caption="../report/personas.rst",
        ),
    log:
        "<logs>/score_probe.log",
    benchmark:
        "<benchmarks>/score_probe.tsv"
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        code=code("score_probe"),
        settings=PLAN.personas.scoring,
    message:
        "Scoring the probe"
    script:
        "../scripts/score_probe.py"
