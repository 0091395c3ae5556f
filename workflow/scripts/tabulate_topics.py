"""Collect the topics of all regions."""

from pathlib import Path

import pandas as pd

from biasatlas.logs import start
from biasatlas.tables import write_table
from biasatlas.topics.collect import topic_rows

with start(snakemake.log[0], "tabulate_topics"):
    settings = dict(snakemake.params.settings)
    frames = []
    for alignment, labels in zip(snakemake.input.alignments, snakemake.input.labels, strict=True):
        rows = topic_rows(
            pd.read_parquet(alignment),
            pd.read_parquet(labels),
            dominant_document_share=settings["dominant_document_share"],
            dominant_name_share=settings["dominant_name_share"],
        )
        *_, language, region, _ = Path(alignment).parts
        frames.append(rows.assign(language=language, region=region))
    write_table("topics", pd.concat(frames, ignore_index=True), snakemake.output[0])
