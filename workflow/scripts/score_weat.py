"""Score the association tests on one or more sets of vectors."""

import pandas as pd

from biasatlas.association.score import Settings, score_tests
from biasatlas.files import write_parquet
from biasatlas.lexicons.word_lists import load_tests
from biasatlas.logs import start
from biasatlas.vectors import load_vectors

region = snakemake.wildcards.get("region", snakemake.wildcards.get("name", "pretrained"))
vectors = snakemake.input.vectors
with start(snakemake.log[0], f"score_weat {region}"):
    tests = load_tests(snakemake.input.tests)
    settings = Settings(**dict(snakemake.params.settings))
    frames = []
    for path, seed in zip(
        [vectors] if isinstance(vectors, str) else vectors, snakemake.params.seeds, strict=True
    ):
        frame = score_tests(tests, load_vectors(path), settings)
        frames.append(frame.assign(seed=seed))
    scores = pd.concat(frames, ignore_index=True).assign(
        region=region,
        language=snakemake.wildcards.language,
        corpus=snakemake.params.corpus,
        model=snakemake.params.model,
    )
    write_parquet(scores, snakemake.output.scores)
