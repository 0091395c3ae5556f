"""Effect sizes on vectors of documents drawn with replacement."""

import pandas as pd

from biasatlas.association.resolve import Rules
from biasatlas.association.stability.rows import effects_of_model
from biasatlas.files import write_parquet
from biasatlas.lexicons.word_lists import load_tests
from biasatlas.logs import start
from biasatlas.vectors import load_vectors

given, params, wildcards = snakemake.input, snakemake.params, snakemake.wildcards
with start(snakemake.log[0], f"score_resampled {wildcards.region}"):
    tests = load_tests([*given.tests, *given.controls])
    paths = [given.vectors] if isinstance(given.vectors, str) else given.vectors
    rows = [
        {"model": model, "seed": seed, "test": test, "effect_size": effect}
        for path, (model, seed) in zip(paths, params.models, strict=True)
        for test, effect in effects_of_model(
            tests, load_vectors(path), Rules(**dict(params.rules))
        ).items()
    ]
    documents = pd.read_parquet(given.passages, columns=["document"])["document"].nunique()
    write_parquet(
        pd.DataFrame(rows).assign(
            language=wildcards.language,
            region=wildcards.region,
            corpus=params.corpus,
            n_documents=documents,
        ),
        snakemake.output[0],
    )
