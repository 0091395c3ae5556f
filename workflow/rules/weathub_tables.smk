"""Tables of the tests in many languages.

Outputs: <results>/tables/ weathub, weathub_lists, weathub_models, gendered_forms, sensitivity,
translations, translation_summary (CSV).
Expects: the files of weathub_lists.smk and weathub.smk.
"""

COLLECTED = {
    "weathub_lists": every_language("problems"),
    "weathub_models": every_job(".reading.parquet"),
    "gendered_forms": every_language("gendered_forms"),
}


rule tabulate_languages:
    input:
        lambda wildcards: COLLECTED[wildcards.table],
    output:
        report(
            "<results>/tables/{table}.csv",
            category="Tables",
            caption="../report/weathub.rst",
        ),
    log:
        "<logs>/tabulate_languages/{table}.log",
    wildcard_constraints:
        table="|".join(COLLECTED),
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("collect_table"),
        table=lambda wildcards: wildcards.table,
    message:
        "Collecting {wildcards.table}"
    script:
        "../scripts/collect_table.py"


rule tabulate_weathub:
    input:
        every_job(".parquet"),
    output:
        report(
            "<results>/tables/weathub.csv",
            category="Tables",
            caption="../report/weathub.rst",
        ),
    log:
        "<logs>/tabulate_weathub.log",
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        code=code("tabulate_weathub"),
    message:
        "Correcting the tests of all languages for their number"
    script:
        "../scripts/tabulate_weathub.py"


rule tabulate_sensitivity:
    input:
        variances=every_job(".variances.parquet"),
        figures="resources/published/weathub_sensitivity.yaml",
    output:
        report(
            "<results>/tables/sensitivity.csv",
            category="Tables",
            caption="../report/weathub.rst",
        ),
    log:
        "<logs>/tabulate_sensitivity.log",
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("tabulate_sensitivity"),
        folder=str(PLAN.grid.local or ""),
    message:
        "Measuring the sensitivity of encoders"
    script:
        "../scripts/tabulate_sensitivity.py"


rule tabulate_translations:
    input:
        every_job(".translations.parquet"),
    output:
        translations=report(
            "<results>/tables/translations.csv",
            category="Tables",
            caption="../report/weathub.rst",
        ),
        summary=report(
            "<results>/tables/translation_summary.csv",
            category="Tables",
            caption="../report/weathub.rst",
        ),
    log:
        "<logs>/tabulate_translations.log",
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("tabulate_translations"),
    message:
        "Comparing human and machine translation over languages"
    script:
        "../scripts/tabulate_translations.py"
