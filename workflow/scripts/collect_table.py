"""Put the rows of all jobs into one table."""

import pandas as pd

from biasatlas.logs import start
from biasatlas.tables import empty_table, write_table

table = snakemake.params.table
with start(snakemake.log[0], f"tabulate_{table}"):
    frames = [pd.read_parquet(path) for path in snakemake.input]
    frames = [frame for frame in frames if len(frame)]
    rows = pd.concat(frames, ignore_index=True) if frames else empty_table(table)
    write_table(table, rows, snakemake.output[0])
