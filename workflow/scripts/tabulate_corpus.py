"""Collect the counts of documents, passages and words of every corpus."""

from pathlib import Path

import pandas as pd

from biasatlas.logs import start
from biasatlas.tables import write_table

with start(snakemake.log[0], "tabulate_corpus"):
    frames = []
    for path in map(Path, [*snakemake.input.documents, *snakemake.input.regions]):
        # documents/{corpus}/{language}.counts.parquet, corpora/{corpus}/{language}/{region}...
        corpus, language = path.parts[-2:] if "documents" in path.parts else path.parts[-3:-1]
        frame = pd.read_parquet(path)
        frames.append(
            frame.assign(corpus=corpus, language=language.removesuffix(".counts.parquet"))
        )
    write_table("corpus", pd.concat(frames, ignore_index=True), snakemake.output[0])
