"""One named target a stage: snakemake --cores 8 corpora, weat, ...

Expects: WEAT_TABLES, TOPIC_TABLES and LANGUAGE_TABLES of common.smk.
"""


rule assets:
    input:
        expand("<fetched>/{asset}.json", asset=PLAN.used_assets),


rule corpora:
    input:
        "<results>/tables/corpus.csv",
        "<results>/tables/gender.csv",


rule word_lists:
    input:
        "<results>/tables/word_lists.csv",


rule weat:
    input:
        expand("<results>/tables/{table}.csv", table=WEAT_TABLES),


rule own_vectors:
    input:
        "<results>/tables/own_vectors.csv",


rule topics:
    input:
        expand("<results>/tables/{table}.csv", table=["gender", *TOPIC_TABLES]),


rule weathub:
    input:
        expand("<results>/tables/{table}.csv", table=LANGUAGE_TABLES),
        "<results>/atlas/languages.html",
        expand(LANGUAGE_PAGE, language=PLAN.grid.languages),
