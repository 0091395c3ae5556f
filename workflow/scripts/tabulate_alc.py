"""Collect the bootstraps over documents, correct the text's part, and mark failed controls."""

import pandas as pd

from biasatlas.association.control import add_control
from biasatlas.association.multiplicity import add_q
from biasatlas.logs import start
from biasatlas.tables import empty_table, write_table

with start(snakemake.log[0], "tabulate_alc"):
    frames = [pd.read_parquet(path) for path in snakemake.input.bootstraps]
    frames = [frame for frame in frames if len(frame)]
    scores = pd.concat(map(pd.read_parquet, snakemake.input.scores), ignore_index=True)
    rows = empty_table("alc")
    if frames:
        rows = pd.concat(frames, ignore_index=True)
        rows = add_q(rows, "text_p", "text_q", family=["language", "corpus", "origin"])
        rows = add_control(rows, scores)
    write_table("alc", rows, snakemake.output[0])
