"""Find the topics that the regions of a language share."""

import pandas as pd

from biasatlas.files import write_parquet
from biasatlas.logs import start
from biasatlas.topics.collect import common_rows
from biasatlas.topics.common import find_common, summarise_kinds
from biasatlas.topics.matrices import stack_embeddings

given, params, language = snakemake.input, snakemake.params, snakemake.wildcards.language
GENDERS = ["topic", "gender", "gender_paper"]


def read(paths, columns=None):
    frames = [pd.read_parquet(path, columns=columns) for path in paths]
    frames = [
        frame.assign(region=region) for frame, region in zip(frames, params.regions, strict=True)
    ]
    return pd.concat(frames, ignore_index=True)


with start(snakemake.log[0], f"match_common_topics {language}"):
    labels = read(given.labels, ["topic", "label"])
    topics = read(given.means).merge(labels, on=["region", "topic"])
    topics = topics.merge(read(given.alignments, GENDERS), on=["region", "topic"])
    groups, _ = find_common(
        topics, stack_embeddings(topics), threshold=params.similarity, closeness=params.closeness
    )
    chance = summarise_kinds(groups, topics, seed=params.seed)
    chance = chance.rename(columns={"low": "expected_low", "high": "expected_high"})
    rows = common_rows(groups, topics, read(given.ngrams))
    write_parquet(rows.assign(language=language), snakemake.output.common)
    write_parquet(chance.assign(language=language), snakemake.output.chance)
