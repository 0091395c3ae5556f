"""Score found and published topic pairs on one or more sets of vectors."""

from pathlib import Path

import pandas as pd

from biasatlas.association.region_aware import load_tests, score_pairs
from biasatlas.association.score import Settings
from biasatlas.files import write_parquet
from biasatlas.logs import start
from biasatlas.vectors import load_vectors

params, given, language = snakemake.params, snakemake.input, snakemake.wildcards.language
region = snakemake.wildcards.get("region", "pretrained")
vectors = [given.vectors] if isinstance(given.vectors, str) else given.vectors
with start(snakemake.log[0], f"score_pairs {region}"):
    tests, pair_regions = load_tests(
        Path(given.lists[0]).parents[1],
        params.terms,
        published=params.published,
        region=region,
        language=language,
        pairs=pd.read_parquet(given.pairs) if given.get("pairs") else None,
        labels=pd.read_parquet(given.labels) if given.get("labels") else None,
    )
    settings = Settings(**dict(params.settings))
    frames = [
        score_pairs(tests, pair_regions, load_vectors(path), settings).assign(seed=seed)
        for path, seed in zip(vectors, params.seeds, strict=True)
    ]
    scores = pd.concat(frames, ignore_index=True).assign(
        region=region, language=language, corpus=params.corpus, model=params.model
    )
    write_parquet(scores, snakemake.output.scores)
