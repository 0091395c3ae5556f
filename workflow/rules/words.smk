"""Which words were found, and which of them drive a score.

Outputs: <results>/tables/words.csv, <results>/tables/coverage.csv.
Expects: the scores of weat.smk and evaluation.smk.
"""


rule tabulate_words:
    input:
        scored_files("words"),
    output:
        report(
            "<results>/tables/words.csv",
            category="Tables",
            caption="../report/words.rst",
        ),
    log:
        "<logs>/tabulate_words.log",
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("collect_table"),
        table="words",
    message:
        "Collecting the words that drive the scores"
    script:
        "../scripts/collect_table.py"


rule tabulate_coverage:
    input:
        scored_files("coverage"),
    output:
        report(
            "<results>/tables/coverage.csv",
            category="Tables",
            caption="../report/coverage.rst",
        ),
    log:
        "<logs>/tabulate_coverage.log",
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("collect_table"),
        table="coverage",
    message:
        "Collecting which words were found"
    script:
        "../scripts/collect_table.py"
