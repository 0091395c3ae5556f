"""Train word vectors on one region's passages."""

import pandas as pd

from biasatlas.logs import start
from biasatlas.vectors import train

wildcards = snakemake.wildcards
name = f"{wildcards.algorithm} {wildcards.corpus} {wildcards.region} {wildcards.seed}"
with start(snakemake.log[0], f"train_vectors {name}"):
    texts = pd.read_parquet(snakemake.input.passages, columns=["text"])["text"].tolist()
    trainers = {"word2vec": train.train_word2vec, "fasttext": train.train_fasttext}
    trainers[wildcards.algorithm](
        texts,
        snakemake.output.vectors,
        seed=int(wildcards.seed),
        **dict(snakemake.params.settings),
    )
