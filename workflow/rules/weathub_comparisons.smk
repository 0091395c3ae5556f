"""Encoders, models and languages held against each other, and a page a language.

Outputs: <results>/tables/ agreement, model_comparison, language_clusters (CSV);
<results>/atlas/languages.html and languages/{language}.html.
Expects: <results>/tables/weathub.csv and the words of weathub_lists.smk.
"""


rule compare_encoders:
    input:
        weathub="<results>/tables/weathub.csv",
    output:
        agreement=report(
            "<results>/tables/agreement.csv",
            category="Tables",
            caption="../report/weathub.rst",
        ),
        model_comparison=report(
            "<results>/tables/model_comparison.csv",
            category="Tables",
            caption="../report/weathub.rst",
        ),
        language_clusters=report(
            "<results>/tables/language_clusters.csv",
            category="Tables",
            caption="../report/weathub.rst",
        ),
    log:
        "<logs>/compare_encoders.log",
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        code=code("compare_encoders"),
        settings=PLAN.grid.settings("bootstrap"),
    message:
        "Comparing encoders, models and languages"
    script:
        "../scripts/compare_encoders.py"


rule draw_language_pages:
    input:
        tables=expand("<results>/tables/{table}.csv", table=LANGUAGE_TABLES),
        words=every_language("words"),
    output:
        all="<results>/atlas/languages.html",
        pages=expand(LANGUAGE_PAGE, language=PLAN.grid.languages),
    log:
        "<logs>/draw_language_pages.log",
    conda:
        "../../envs/atlas.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 15 * attempt,
    params:
        code=code("draw_language_pages"),
        tables=LANGUAGE_TABLES,
        languages=PLAN.grid.languages,
        run=PLAN.config.run,
        title="Association tests of words",
        about=PLAN.grid.about,
    message:
        "Drawing a page of each language"
    script:
        "../scripts/draw_language_pages.py"
