"""Tabulate how far apart each encoder puts the words of a set, beside the paper's figures."""

from pathlib import Path

import pandas as pd

from biasatlas.association.languages.published import read_published
from biasatlas.association.languages.sensitivity import sensitivity
from biasatlas.logs import start
from biasatlas.tables import write_table

given, params = snakemake.input, snakemake.params
with start(snakemake.log[0], "tabulate_sensitivity"):
    # The paper's files by language stand in a copy of the repository; only lists are fetched.
    folder = Path(params.folder) if params.folder else None
    published = read_published(folder, Path(given.figures))
    frames = [pd.read_parquet(path) for path in given.variances]
    rows = sensitivity(pd.concat(frames, ignore_index=True), published)
    write_table("sensitivity", rows, snakemake.output[0])
