"""Gender-bias dimensions of regions: from their own text to an atlas.

`snakemake --cores 8` makes everything; `snakemake --list-target-rules` names the stages.
"""

from snakemake.utils import min_version

min_version("9.14")


configfile: "config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/inputs.smk"
include: "workflow/rules/assets.smk"
include: "workflow/rules/lexicons.smk"
include: "workflow/rules/corpora.smk"
include: "workflow/rules/gender.smk"
include: "workflow/rules/vectors.smk"
include: "workflow/rules/alc.smk"
include: "workflow/rules/weat.smk"
include: "workflow/rules/own_vectors.smk"
include: "workflow/rules/documents.smk"
include: "workflow/rules/differences.smk"
include: "workflow/rules/stability.smk"
include: "workflow/rules/companions.smk"
include: "workflow/rules/topic_inputs.smk"
include: "workflow/rules/embeddings.smk"
include: "workflow/rules/topics.smk"
include: "workflow/rules/labels.smk"
include: "workflow/rules/topic_stability.smk"
include: "workflow/rules/topic_details.smk"
include: "workflow/rules/pairs.smk"
include: "workflow/rules/topic_tables.smk"
include: "workflow/rules/evaluation.smk"
include: "workflow/rules/words.smk"
include: "workflow/rules/language_inputs.smk"
include: "workflow/rules/weathub_lists.smk"
include: "workflow/rules/weathub.smk"
include: "workflow/rules/weathub_tables.smk"
include: "workflow/rules/weathub_comparisons.smk"
include: "workflow/rules/persona_inputs.smk"
include: "workflow/rules/personas.smk"
include: "workflow/rules/persona_tables.smk"
include: "workflow/rules/atlas.smk"
include: "workflow/rules/targets.smk"


report: "workflow/report/workflow.rst"


rule all:
    default_target: True
    input:
        "<results>/atlas/index.html",
        expand(LANGUAGE_PAGE, language=PLAN.grid.languages),
        expand("<results>/tables/{table}.csv", table=TABLES),
