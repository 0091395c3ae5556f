"""Pair the female and male topics of a region, by either selection."""

import pandas as pd

from biasatlas.files import write_parquet
from biasatlas.logs import start
from biasatlas.topics.matrices import stack_embeddings
from biasatlas.topics.pair_support import follow_topics
from biasatlas.topics.pairs import PairSettings, find_pairs

given, params, keys = snakemake.input, snakemake.params, dict(snakemake.params.settings)
with start(snakemake.log[0], f"match_pairs {snakemake.wildcards.region}"):
    topics = pd.read_parquet(given.alignment)
    topics = topics[topics["topic"] != -1].merge(pd.read_parquet(given.stability), on="topic")
    vectors = pd.read_parquet(given.topic_embeddings).set_index("key")
    recurrence = follow_topics(
        pd.read_parquet(given.assignments),
        pd.read_parquet(given.refits),
        pd.read_parquet(given.used),
        fdr=params.fdr,
        permutations=params.permutations,
        seed=params.seed,
    )
    found = find_pairs(
        topics,
        stack_embeddings(vectors.loc[topics["topic"].astype(str)]).astype("float64"),
        vectors.at["she", "embedding"].astype("float64"),
        vectors.at["he", "embedding"].astype("float64"),
        recurrence,
        PairSettings(
            rule=keys["gap_rule"],
            threshold=keys["gap_threshold"],
            candidates=keys["candidates"],
            top=keys["top"],
            seed=params.seed,
        ),
    )
    for name in ("pairs", "candidates", "thresholds"):
        write_parquet(getattr(found, name), getattr(snakemake.output, name))
