"""Train word vectors on one region's passages, or on its documents drawn with replacement."""

import pandas as pd

from biasatlas.logs import start
from biasatlas.vectors import train
from biasatlas.vectors.resample import resample_documents

wildcards = snakemake.wildcards
name = f"{wildcards.algorithm} {wildcards.corpus} {wildcards.region} {wildcards.seed}"
with start(snakemake.log[0], f"train_vectors {name}"):
    passages = pd.read_parquet(snakemake.input.passages, columns=["document", "text"])
    seed = int(wildcards.seed)
    if snakemake.params.resample:
        passages = passages.iloc[resample_documents(passages["document"].tolist(), seed)]
    trainers = {"word2vec": train.train_word2vec, "fasttext": train.train_fasttext}
    trainers[wildcards.algorithm](
        passages["text"].tolist(),
        snakemake.output.vectors,
        seed=seed,
        **dict(snakemake.params.settings),
    )
