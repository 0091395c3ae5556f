"""Collect the comparisons of regions and correct them for their number."""

import pandas as pd

from biasatlas.association.multiplicity import add_corrections
from biasatlas.logs import start
from biasatlas.tables import empty_table, write_table

with start(snakemake.log[0], "tabulate_differences"):
    frames = [pd.read_parquet(path) for path in snakemake.input]
    frames = [frame for frame in frames if len(frame)]
    rows = pd.concat(frames, ignore_index=True) if frames else empty_table("differences")
    # A reader looks through all pairs and tests of a language for the ones that differ.
    rows = add_corrections(rows, family=["language", "corpus", "model"])
    write_table("differences", rows, snakemake.output[0])
