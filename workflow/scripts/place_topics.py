"""Place the topics of all regions of a language on one map."""

import pandas as pd

from biasatlas.files import write_parquet
from biasatlas.logs import start
from biasatlas.topics.matrices import stack_embeddings
from biasatlas.topics.topic_map import map_topics

regions = snakemake.params.regions
with start(snakemake.log[0], f"place_topics {snakemake.wildcards.language}"):
    frames = [
        pd.read_parquet(path).assign(region=region)
        for path, region in zip(snakemake.input.means, regions, strict=True)
    ]
    topics = pd.concat(frames, ignore_index=True)
    places = map_topics(topics, stack_embeddings(topics), seed=snakemake.params.seed)
    for path, region in zip(snakemake.output.places, regions, strict=True):
        write_parquet(places[places["region"] == region].drop(columns="region"), path)
