"""Tell which topics of a language's regions are female or male."""

import pandas as pd

from biasatlas.files import write_parquet
from biasatlas.logs import start
from biasatlas.topics.alignment import tell_genders

params = snakemake.params
with start(snakemake.log[0], f"tell_genders {snakemake.wildcards.language}"):
    tests = [pd.read_parquet(path) for path in snakemake.input.tests]
    told = tell_genders(tests, fdr=params.fdr, rule=params.alignment)
    for frame, path in zip(told, snakemake.output.alignments, strict=True):
        write_parquet(frame, path)
