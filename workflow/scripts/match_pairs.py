"""Pair the female and male topics of a region."""

import numpy as np
import pandas as pd

from biasatlas.files import write_parquet
from biasatlas.logs import start
from biasatlas.topics.pairs import find_pairs

settings = dict(snakemake.params.settings)
with start(snakemake.log[0], f"match_pairs {snakemake.wildcards.region}"):
    topics = pd.read_parquet(snakemake.input.alignment)
    topics = topics[topics["topic"] != -1]
    vectors = pd.read_parquet(snakemake.input.topic_embeddings).set_index("key")["embedding"]
    pairs = find_pairs(
        topics,
        np.array([vectors[str(topic)] for topic in topics["topic"]], dtype=np.float64),
        vectors["she"].astype(np.float64),
        vectors["he"].astype(np.float64),
        selection=settings["selection"],
        rule=settings["gap_rule"],
        threshold=settings["gap_threshold"],
        candidates=settings["candidates"],
        top=settings["top"],
    )
    write_parquet(pairs, snakemake.output.pairs)
