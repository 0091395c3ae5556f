"""Collect the association tests and correct them for their number."""

import pandas as pd

from biasatlas.association.multiplicity import add_corrections, kind_of_test
from biasatlas.logs import start
from biasatlas.tables import write_table

params = snakemake.params
with start(snakemake.log[0], "tabulate_weat"):
    scores = pd.concat(map(pd.read_parquet, snakemake.input.scores), ignore_index=True)
    kind = kind_of_test(scores["test"], params.gender_tests, params.control_tests)
    family = ["language", "corpus", "model", "seed", "kind"]
    scores = add_corrections(scores.assign(kind=kind), family=family)
    write_table("weat", scores.drop(columns="kind"), snakemake.output[0])
