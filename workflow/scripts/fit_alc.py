"""Fit the map from context means to word vectors on the text of all regions."""

import pandas as pd

from biasatlas.logs import start
from biasatlas.vectors import load_vectors
from biasatlas.vectors.alc import fit_transform, save_transform
from biasatlas.vectors.contexts import pool, sum_contexts

given, params, wildcards = snakemake.input, snakemake.params, snakemake.wildcards
with start(snakemake.log[0], f"fit_alc {wildcards.corpus} {wildcards.language}"):
    vectors = load_vectors(given.vectors)
    contexts = pool(
        sum_contexts(pd.read_parquet(path, columns=["text"])["text"], vectors, params.window)
        for path in given.passages
    )
    transform = fit_transform(contexts, vectors, min_count=params.min_count)
    save_transform(transform, snakemake.output.transform, snakemake.output.fit)
