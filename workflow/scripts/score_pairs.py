"""Score found and published topic pairs on one or more sets of vectors."""

from functools import partial
from pathlib import Path

import pandas as pd

from biasatlas.association.collect import score_models
from biasatlas.association.region_aware import load_tests, score_pairs
from biasatlas.association.score import Settings
from biasatlas.files import write_parquet
from biasatlas.lexicons import word_lists
from biasatlas.logs import start

params, given, language = snakemake.params, snakemake.input, snakemake.wildcards.language
region = snakemake.wildcards.get("region", "pretrained")
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
    controls = word_lists.load_tests(given.controls) if given.controls else []
    settings = Settings(**dict(params.settings))
    scored = score_models(
        partial(score_pairs, tests, pair_regions, controls, settings=settings),
        [given.vectors] if isinstance(given.vectors, str) else given.vectors,
        params.models,
        region=region,
        language=language,
        corpus=params.corpus,
    )
    for name in ("scores", "words", "coverage"):
        write_parquet(getattr(scored, name), getattr(snakemake.output, name))
