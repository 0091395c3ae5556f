"""Cut the documents of one region into passages, and take its part of them."""

import polars as pl

from biasatlas.corpora.build import build_region
from biasatlas.files import write_parquet
from biasatlas.logs import start

with start(snakemake.log[0], f"build_region {snakemake.wildcards.region}"):
    settings = dict(snakemake.params.passages)
    passages, counts = build_region(
        pl.scan_parquet(snakemake.input.documents),
        dict(snakemake.params.region),
        part=snakemake.params.part,
        evaluation_share=settings["evaluation_share"],
        passage_words=settings["words"],
        min_words=settings["min_words"],
        per_country=settings["per_country"],
        max_passages=settings["per_region"],
        seed=snakemake.params.seed,
    )
    write_parquet(passages, snakemake.output.passages)
    write_parquet(counts, snakemake.output.counts)
