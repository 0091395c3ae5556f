"""Put the scores of all languages and models into one table, corrected for their number."""

import pandas as pd

from biasatlas.association.languages.corrections import correct_grid
from biasatlas.logs import start
from biasatlas.tables import write_table

with start(snakemake.log[0], "tabulate_weathub"):
    scores = pd.concat([pd.read_parquet(path) for path in snakemake.input], ignore_index=True)
    write_table("weathub", correct_grid(scores), snakemake.output[0])
