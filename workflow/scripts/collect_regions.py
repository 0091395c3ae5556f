"""Put the rows of all regions into one table, with their language and region."""

from pathlib import Path

import pandas as pd

from biasatlas.logs import start
from biasatlas.tables import empty_table, write_table

table = snakemake.wildcards.detail
with start(snakemake.log[0], f"tabulate_{table}"):
    frames = []
    for path in snakemake.input:
        *_, language, region, _ = Path(path).parts
        frames.append(pd.read_parquet(path).assign(language=language, region=region))
    frames = [frame for frame in frames if len(frame)]
    rows = pd.concat(frames, ignore_index=True) if frames else empty_table(table)
    write_table(table, rows, snakemake.output[0])
