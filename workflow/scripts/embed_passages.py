"""Embed the gendered passages of a region, taking from the cache what was embedded before."""

from pathlib import Path

import pandas as pd

from biasatlas.encoders.cache import embed_with_cache, read_cache, write_cache
from biasatlas.encoders.load import load_encoder
from biasatlas.files import write_parquet
from biasatlas.lexicons.gender_mask import show_texts
from biasatlas.logs import start

given, params, view = snakemake.input, snakemake.params, snakemake.wildcards.view
with start(snakemake.log[0], f"embed_passages {snakemake.wildcards.region} {view}"):
    passages = pd.read_parquet(given.passages, columns=["id", "text"])
    passages = passages[passages["id"].isin(pd.read_parquet(given.used)["id"])]
    texts = show_texts(
        passages["text"], view, given.terms, hyphen_is_letter=params.hyphen_is_letter
    )
    options = {"batch_size": params.batch_size, "precision": params.precision}
    # Not an output: Snakemake would remove it before the job that it must serve.
    cache = Path(snakemake.output.embeddings).with_name(f"embedding_cache-{view}.parquet")
    # With the code: what a mended encoder gave before it was mended is not taken.
    key = f"{params.code} {params.encoder} {params.precision} {params.batch_size}"
    vectors, known = embed_with_cache(
        texts,
        read_cache(cache, key),
        lambda: load_encoder(given.encoder, **options),
        "passages",
    )
    write_parquet(
        pd.DataFrame({"id": passages["id"].to_numpy(), "embedding": list(vectors)}),
        snakemake.output.embeddings,
    )
    write_cache(known, key, cache)
