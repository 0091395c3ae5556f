"""Give the words of one region their à la carte vectors."""

import pandas as pd

from biasatlas.logs import start
from biasatlas.vectors import load_vectors, save_word2vec
from biasatlas.vectors.alc import induce, load_transform
from biasatlas.vectors.contexts import sum_contexts

given, params, wildcards = snakemake.input, snakemake.params, snakemake.wildcards
with start(snakemake.log[0], f"induce_alc {wildcards.corpus} {wildcards.region}"):
    texts = pd.read_parquet(given.passages, columns=["text"])["text"]
    contexts = sum_contexts(texts, load_vectors(given.vectors), params.window)
    transform = load_transform(given.transform, given.fit)
    save_word2vec(induce(contexts, transform, min_count=params.min_count), snakemake.output.vectors)
