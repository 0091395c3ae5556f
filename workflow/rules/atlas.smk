"""What the run was made of, and the page that shows what it found.

Outputs: <results>/provenance/ (configuration, versions, assets, word lists),
<results>/atlas/index.html.
Expects: the whole configuration.
"""

import json


rule record_provenance:
    input:
        records=expand("<fetched>/{asset}.json", asset=PLAN.used_assets),
    output:
        config="<results>/provenance/config.yaml",
        versions="<results>/provenance/versions.json",
        assets="<results>/provenance/assets.json",
        word_lists="<results>/provenance/word_lists.json",
    log:
        "<logs>/record_provenance.log",
    conda:
        "../../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        code=code("record_provenance"),
        config=json.dumps(PLAN.config.model_dump(mode="json"), sort_keys=True),
        word_lists=lambda wildcards: PLAN.word_list_digests(),
    message:
        "Recording what the run was made of"
    script:
        "../scripts/record_provenance.py"


rule draw_atlas:
    input:
        tables=expand("<results>/tables/{table}.csv", table=TABLES),
        config="<results>/provenance/config.yaml",
        versions="<results>/provenance/versions.json",
        assets="<results>/provenance/assets.json",
        word_lists="<results>/provenance/word_lists.json",
    output:
        report(
            "<results>/atlas/index.html",
            category="Atlas",
            caption="../report/atlas.rst",
        ),
    log:
        "<logs>/draw_atlas.log",
    benchmark:
        "<benchmarks>/draw_atlas.tsv"
    conda:
        "../../envs/atlas.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
    params:
        code=code("draw_atlas"),
        tables=TABLES,
        languages=PLAN.grid.about,
        personas=PLAN.personas.about,
    message:
        "Drawing the atlas"
    script:
        "../scripts/draw_atlas.py"
