"""Collect the association tests and correct them for their number."""

import pandas as pd

from biasatlas.association.multiplicity import add_corrections
from biasatlas.logs import start
from biasatlas.tables import write_table

with start(snakemake.log[0], "tabulate_weat"):
    scores = pd.concat([pd.read_parquet(path) for path in snakemake.input], ignore_index=True)
    # A family is what one reader looks at together: the gender tests, or the others, of all
    # regions on the vectors of one seed. Tests that are sure to succeed would dilute it.
    scores["kind"] = scores["test"].isin(snakemake.params.gender_tests)
    scores = add_corrections(scores, family=["language", "corpus", "model", "seed", "kind"])
    write_table("weat", scores.drop(columns="kind"), snakemake.output[0])
