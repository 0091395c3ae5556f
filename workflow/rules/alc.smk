"""A la carte vectors: a mean over contexts in pretrained vectors, one linear map for all regions.

Outputs: <results>/alc/{corpus}/{language}/transform.npy and fit.json (the map, how good it is),
<results>/vectors/{corpus}/{language}/{region}/alc-0.bin.
Expects: config keys vectors.alc, stability, weat.
Defines: paths and settings that documents.smk and differences.smk share.
"""

ALC = PLAN.config.vectors.alc
PASSAGES = "<results>/corpora/{corpus}/{language}/{region}.parquet"
ALC_FOLDER = "<results>/alc/{corpus}/{language}"
ALC_RULES = sorted(
    PLAN.config.weat.model_dump(include={"case", "coverage_min", "min_words"}).items()
)
ALC_BOOTSTRAP = {
    "window": ALC.window,
    "min_count": ALC.min_count,
    "replicates": PLAN.config.stability.bootstrap,
    "seed": PLAN.config.seed,
}


rule fit_alc:
    input:
        passages=expand(PASSAGES, region=PLAN.regions, allow_missing=True),
        vectors=fetched(PLAN.config.vectors.pretrained),
        record=record(PLAN.config.vectors.pretrained),
    output:
        transform=f"{ALC_FOLDER}/transform.npy",
        fit=f"{ALC_FOLDER}/fit.json",
    log:
        "<logs>/fit_alc/{corpus}-{language}.log",
    benchmark:
        "<benchmarks>/fit_alc/{corpus}-{language}.tsv"
    conda:
        "../../envs/vectors.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 3000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        code=code("fit_alc"),
        window=ALC.window,
        min_count=ALC.fit_min_count,
        asset=PLAN.asset_digest(PLAN.config.vectors.pretrained),
    message:
        "Fitting the map of a la carte vectors ({wildcards.corpus}, {wildcards.language})"
    script:
        "../scripts/fit_alc.py"


rule induce_alc:
    input:
        passages=PASSAGES,
        vectors=fetched(PLAN.config.vectors.pretrained),
        record=record(PLAN.config.vectors.pretrained),
        transform=f"{ALC_FOLDER}/transform.npy",
        fit=f"{ALC_FOLDER}/fit.json",
    output:
        vectors="<results>/vectors/{corpus}/{language}/{region}/alc-0.bin",
    log:
        "<logs>/induce_alc/{corpus}-{language}-{region}.log",
    benchmark:
        "<benchmarks>/induce_alc/{corpus}-{language}-{region}.tsv"
    conda:
        "../../envs/vectors.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        code=code("induce_alc"),
        window=ALC.window,
        min_count=ALC.min_count,
        asset=PLAN.asset_digest(PLAN.config.vectors.pretrained),
    message:
        "Making a la carte vectors of {wildcards.region} ({wildcards.corpus}, "
        "{wildcards.language})"
    script:
        "../scripts/induce_alc.py"
