"""Test the gender of a region's topics, and measure their coherence."""

import pandas as pd

from biasatlas.files import write_parquet
from biasatlas.logs import start
from biasatlas.topics.alignment import measure_genders
from biasatlas.topics.coherence import c_v, u_mass
from biasatlas.topics.describe import words_by_topic

settings, language = dict(snakemake.params.settings), snakemake.wildcards.language
with start(snakemake.log[0], f"align_topics {snakemake.wildcards.region}"):
    assignments = pd.read_parquet(snakemake.input.assignments)
    used = pd.read_parquet(snakemake.input.used).merge(assignments, on="id").sort_values("id")
    tests = measure_genders(used, **settings)
    moved = used[used["moved"]].groupby("topic").size()
    tests["n_moved"] = tests["topic"].map(moved).fillna(0).astype("int64")
    texts = pd.read_parquet(snakemake.input.passages, columns=["id", "text"])
    texts = list(texts.loc[texts["id"].isin(assignments["id"]), "text"])
    words = words_by_topic(pd.read_parquet(snakemake.input.words))
    for name, measure in (("u_mass", u_mass), ("c_v", c_v)):
        coherence = measure(words, texts, language)
        tests[name] = tests["topic"].map(coherence).astype("float64")
    write_parquet(tests, snakemake.output.tests)
