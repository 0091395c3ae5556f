"""Check of all word lists under resources, used by the run or not.

Outputs: <results>/tables/word_lists.csv, and nothing where a list has an error.
Expects: resources/word_lists/, resources/gazetteer/.
"""


rule lint_word_lists:
    input:
        lists=ancient(PLAN.all_list_files),
        gazetteer=ancient(PLAN.gazetteer),
    output:
        report(
            "<results>/tables/word_lists.csv",
            category="Tables",
            caption="../report/word_lists.rst",
        ),
    log:
        "<logs>/lint_word_lists.log",
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("lint_word_lists"),
        lists=PLAN.all_lists_digest(),
        gazetteer=PLAN.gazetteer_digest(),
    message:
        "Checking the word lists"
    script:
        "../scripts/lint_word_lists.py"
