"""One named target a stage: snakemake --cores 8 corpora, weat, ...

Expects: WEAT_TABLES and TOPIC_TABLES of common.smk, language_results of language_inputs.smk,
persona_results of persona_inputs.smk.
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
        language_results,


rule personas:
    input:
        persona_results,
