"""Collect the companion measures and mark those on vectors that fail the control."""

import pandas as pd

from biasatlas.association.control import add_control
from biasatlas.logs import start
from biasatlas.tables import write_table

with start(snakemake.log[0], "tabulate_companions"):
    rows = pd.concat(map(pd.read_parquet, snakemake.input.companions), ignore_index=True)
    scores = pd.concat(map(pd.read_parquet, snakemake.input.scores), ignore_index=True)
    write_table("companions", add_control(rows, scores), snakemake.output[0])
