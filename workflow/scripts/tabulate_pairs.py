"""Collect the topic pairs of all regions."""

from pathlib import Path

import pandas as pd

from biasatlas.logs import start
from biasatlas.tables import read_table, write_table
from biasatlas.topics.collect import pair_rows

with start(snakemake.log[0], "tabulate_pairs"):
    topics = read_table("topics", snakemake.input.topics)
    frames = []
    for path in snakemake.input.pairs:
        *_, language, region, _ = Path(path).parts
        rows = pair_rows(
            pd.read_parquet(path),
            topics[(topics["language"] == language) & (topics["region"] == region)],
            selection=snakemake.params.selection,
            threshold=snakemake.params.threshold,
        )
        frames.append(rows.assign(language=language, region=region))
    write_table("pairs", pd.concat(frames, ignore_index=True), snakemake.output[0])
