"""Train fastText on the texts of a language."""

import pandas as pd

from biasatlas.encoders.texts import train_language_vectors
from biasatlas.logs import start

language = snakemake.wildcards.language
with start(snakemake.log[0], f"train_language_vectors {language}"):
    texts = pd.read_parquet(snakemake.input.texts)["text"].tolist()
    settings = dict(snakemake.params.settings)
    seed = settings.pop("seed")
    train_language_vectors(texts, snakemake.output[0], settings, seed, language)
