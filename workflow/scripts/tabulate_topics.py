"""Collect the topics of all regions."""

from pathlib import Path

import pandas as pd

from biasatlas.logs import start
from biasatlas.tables import write_table
from biasatlas.topics.collect import topic_rows

given, params = snakemake.input, snakemake.params
KINDS = ("alignments", "descriptions", "labels", "stability", "places")
with start(snakemake.log[0], "tabulate_topics"):
    frames = []
    for paths in zip(*(given[kind] for kind in KINDS), strict=True):
        rows = topic_rows(
            *(pd.read_parquet(path) for path in paths), view=params.view, **dict(params.flags)
        )
        *_, language, region, _ = Path(paths[0]).parts
        frames.append(rows.assign(language=language, region=region))
    write_table("topics", pd.concat(frames, ignore_index=True), snakemake.output[0])
