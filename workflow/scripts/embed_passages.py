"""Embed the gendered passages of a region, taking from the cache what was embedded before."""

from pathlib import Path

import pandas as pd

from biasatlas.files import write_parquet
from biasatlas.logs import start
from biasatlas.topics.cache import read_cache, write_cache
from biasatlas.topics.embedding import SentenceEncoder, embed_with_cache

params = snakemake.params
with start(snakemake.log[0], f"embed_passages {snakemake.wildcards.region}"):
    passages = pd.read_parquet(snakemake.input.passages, columns=["id", "text"])
    used = pd.read_parquet(snakemake.input.used)["id"]
    passages = passages[passages["id"].isin(used)]
    encoder = SentenceEncoder(
        snakemake.input.encoder, batch_size=params.batch_size, precision=params.precision
    )
    # Not an output: Snakemake would remove it before the job that it must serve.
    cache = Path(snakemake.output.embeddings).with_name("embedding_cache.parquet")
    key = f"{params.encoder} {encoder.precision} {params.batch_size}"
    vectors, known = embed_with_cache(
        list(passages["text"]), read_cache(cache, key), lambda: encoder, "passages"
    )
    write_parquet(
        pd.DataFrame({"id": passages["id"].to_numpy(), "embedding": list(vectors)}),
        snakemake.output.embeddings,
    )
    write_cache(known, key, cache)
