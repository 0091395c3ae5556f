"""Compare the topics of a region with those of its refits."""

import pandas as pd

from biasatlas.files import write_parquet
from biasatlas.logs import start
from biasatlas.topics.stability import assess_region, assess_topics

given = snakemake.input
with start(snakemake.log[0], f"assess_topics {snakemake.wildcards.region}"):
    assignments, refits = pd.read_parquet(given.assignments), pd.read_parquet(given.refits)
    used, least = pd.read_parquet(given.used), snakemake.params.stable_min
    topics = assess_topics(assignments, refits, used, stable_min=least)
    region = assess_region(assignments, refits).assign(n_stable=int(topics["stable"].sum()))
    write_parquet(topics, snakemake.output.topics)
    write_parquet(region, snakemake.output.region)
