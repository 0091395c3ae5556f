"""Compare human and machine translation of a language's lists on one model."""

import pandas as pd

from biasatlas.association.languages.translation_grid import compare_language
from biasatlas.association.languages.translations import Settings
from biasatlas.encoders.words import read_encoded
from biasatlas.files import write_parquet
from biasatlas.logs import start

given, asked, wildcards = snakemake.input, dict(snakemake.params.settings), snakemake.wildcards
with start(snakemake.log[0], f"compare_translations {wildcards.language} {wildcards.model}"):
    rows = compare_language(
        pd.read_parquet(given.words),
        read_encoded(given.encoded),
        pd.read_parquet(given.reading),
        settings=Settings(
            asked["bootstrap"],
            asked["permutations"],
            asked["thin_words"],
            asked["coverage_min"],
            asked["seed"],
        ),
        spaces=asked["spaces"],
    )
    write_parquet(rows, snakemake.output[0])
