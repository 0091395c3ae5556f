"""Collect the comparisons of regions and correct them for their number."""

import pandas as pd

from biasatlas.association.control import add_control
from biasatlas.association.multiplicity import add_corrections
from biasatlas.logs import start
from biasatlas.tables import empty_table, write_table

with start(snakemake.log[0], "tabulate_differences"):
    frames = [pd.read_parquet(path) for path in snakemake.input.compared]
    scores = pd.concat(map(pd.read_parquet, snakemake.input.scores), ignore_index=True)
    frames = [frame for frame in frames if len(frame)]
    rows = pd.concat(frames, ignore_index=True) if frames else empty_table("differences")
    # Log odds in the text and d on vectors are two questions, the first the primary one. A reader looks through all pairs and tests of a language for the ones that differ.
    rows = add_corrections(rows, family=["language", "corpus", "model"])
    write_table("differences", add_control(rows, scores), snakemake.output[0])
