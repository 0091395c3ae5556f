"""Find the topics of a region's gendered passages."""

import numpy as np
import pandas as pd

from biasatlas.files import write_parquet
from biasatlas.logs import start
from biasatlas.topics.model import TopicSettings, fit_topics

wildcards = snakemake.wildcards
with start(snakemake.log[0], f"fit_topics {wildcards.region}"):
    embeddings = pd.read_parquet(snakemake.input.embeddings)
    texts = pd.read_parquet(snakemake.input.passages, columns=["id", "text"]).set_index("id")
    settings = TopicSettings(**dict(snakemake.params.settings), language=wildcards.language)
    matrix = np.array(embeddings["embedding"].tolist(), dtype=np.float32)
    assignments, words = fit_topics(list(texts.loc[embeddings["id"], "text"]), matrix, settings)
    assignments.insert(0, "id", embeddings["id"].to_numpy())
    write_parquet(assignments, snakemake.output.assignments)
    write_parquet(words, snakemake.output.words)
