"""Collect the association tests and correct them for their number."""

import pandas as pd

from biasatlas.association.multiplicity import add_corrections
from biasatlas.logs import start
from biasatlas.tables import write_table

gender, controls = snakemake.params.gender_tests, snakemake.params.control_tests
with start(snakemake.log[0], "tabulate_weat"):
    scores = pd.concat(
        [pd.read_parquet(path) for path in snakemake.input.scores], ignore_index=True
    )
    # A family is what one reader looks at together: the gender tests, or the others, of all
    # regions on the vectors of one seed. Tests that are sure to succeed would dilute it.
    scores["kind"] = scores["test"].map(
        lambda test: "gender" if test in gender else "control" if test in controls else "other"
    )
    scores = add_corrections(scores, family=["language", "corpus", "model", "seed", "kind"])
    write_table("weat", scores.drop(columns="kind"), snakemake.output[0])
