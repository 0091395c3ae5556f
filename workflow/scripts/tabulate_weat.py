"""Collect the association tests and correct them for their number."""

import pandas as pd

from biasatlas.association.multiplicity import add_corrections
from biasatlas.logs import start
from biasatlas.tables import write_table

with start(snakemake.log[0], "tabulate_weat"):
    scores = pd.concat([pd.read_parquet(path) for path in snakemake.input], ignore_index=True)
    # A family is what one reader looks at together: all tests and regions of one seed's vectors.
    scores = add_corrections(scores, family=["language", "corpus", "model", "seed"])
    write_table("weat", scores, snakemake.output[0])
