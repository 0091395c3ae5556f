"""Label the topics of a region, taking from the cache what was asked before."""

from pathlib import Path

import pandas as pd

from biasatlas.files import write_parquet
from biasatlas.language_models.replies import ReplyCache
from biasatlas.logs import start
from biasatlas.topics.labels import label_topics, make_labeller

given, digests = snakemake.input, dict(snakemake.params.models)
settings = dict(snakemake.params.settings)
with start(snakemake.log[0], f"label_topics {snakemake.wildcards.region}"):
    passages = pd.read_parquet(given.passages, columns=["id", "text"])
    first, second = (
        make_labeller(given.get(role), digests[role], given.prompts, settings, mode)
        if role in digests
        else None
        for role, mode in [("model", settings["mode"]), ("second", settings["second_mode"])]
    )
    # Not an output: Snakemake would remove it before the job that it must serve.
    cache = Path(snakemake.output.labels).with_name("label_cache.jsonl")
    with ReplyCache(cache) as replies:
        labels = label_topics(
            pd.read_parquet(given.descriptions),
            dict(zip(passages["id"], passages["text"], strict=True)),
            first,
            replies,
            second,
        )
    write_parquet(labels, snakemake.output.labels)
