"""Test the gender of a region's topics, and measure their coherence."""

import pandas as pd

from biasatlas.files import write_parquet
from biasatlas.logs import start
from biasatlas.topics.alignment import align_topics
from biasatlas.topics.coherence import u_mass
from biasatlas.topics.describe import words_by_topic

settings = dict(snakemake.params.settings)
with start(snakemake.log[0], f"align_topics {snakemake.wildcards.region}"):
    assignments = pd.read_parquet(snakemake.input.assignments)
    used = pd.read_parquet(snakemake.input.used).merge(assignments, on="id").sort_values("id")
    alignment = align_topics(
        used,
        permutations=settings["permutations"],
        bootstrap=settings["bootstrap"],
        fdr=settings["fdr"],
        rule=settings["alignment"],
        seed=settings["seed"],
    )
    texts = pd.read_parquet(snakemake.input.passages, columns=["id", "text"])
    texts = texts.loc[texts["id"].isin(assignments["id"]), "text"]
    coherence = u_mass(words_by_topic(pd.read_parquet(snakemake.input.words)), list(texts))
    alignment["u_mass"] = alignment["topic"].map(coherence).astype("float64")
    write_parquet(alignment, snakemake.output.alignment)
