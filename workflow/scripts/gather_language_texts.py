"""Gather the texts of a language: its own sources, or the passages of the run's regions."""

import pandas as pd

from biasatlas.encoders.texts import gather_texts
from biasatlas.files import write_parquet
from biasatlas.logs import start

given, params, language = snakemake.input, snakemake.params, snakemake.wildcards.language
with start(snakemake.log[0], f"gather_language_texts {language}"):
    if params.corpus:
        regions = [pd.read_parquet(path, columns=["id", "text"]) for path in given.texts]
        texts = pd.concat(regions).sort_values(["text", "id"]).drop_duplicates("text")
    else:
        sources = [
            {"reader": reader, "path": path, "options": dict(options)}
            for (reader, options, *_), path in zip(params.sources, given.texts, strict=True)
        ]
        texts = gather_texts(sources, language)
    write_parquet(texts.reset_index(drop=True), snakemake.output[0])
