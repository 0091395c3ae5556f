"""Collect the region-aware tests and correct them for their number."""

import pandas as pd

from biasatlas.association.multiplicity import add_corrections
from biasatlas.logs import start
from biasatlas.tables import empty_table, write_table

with start(snakemake.log[0], "tabulate_evaluation"):
    frames = [pd.read_parquet(path) for path in snakemake.input]
    frames = [frame for frame in frames if len(frame)]
    scores = pd.concat(frames, ignore_index=True) if frames else empty_table("evaluation")
    # Found and published pairs answer different questions, so each is a family of its own.
    scores = add_corrections(scores, family=["language", "corpus", "model", "seed", "origin"])
    write_table("evaluation", scores, snakemake.output[0])
