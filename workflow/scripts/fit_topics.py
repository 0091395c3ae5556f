"""Find the topics of a region's gendered passages; those of the last run keep their numbers."""

from pathlib import Path

import pandas as pd

from biasatlas.files import write_parquet
from biasatlas.lexicons.gender_mask import show_texts
from biasatlas.logs import start
from biasatlas.topics.matrices import stack_embeddings
from biasatlas.topics.model import TopicSettings, fit_topics
from biasatlas.topics.numbering import keep_numbers, memory_key, read_memory, write_memory

given, params, wildcards = snakemake.input, snakemake.params, snakemake.wildcards
with start(snakemake.log[0], f"fit_topics {wildcards.region}"):
    embeddings = pd.read_parquet(given.embeddings)
    texts = pd.read_parquet(given.passages, columns=["id", "text"]).set_index("id")
    texts = list(texts.loc[embeddings["id"], "text"])
    keys = {**dict(params.settings), "language": wildcards.language}
    assignments, words = fit_topics(
        texts,
        stack_embeddings(embeddings),
        TopicSettings(**keys),
        ids=list(embeddings["id"]),
        word_texts=show_texts(
            texts, params.view, given.terms, hyphen_is_letter=params.hyphen_is_letter
        ),
    )
    # Not an output: Snakemake would remove it before the job that it must serve.
    kept = Path(snakemake.output.words).with_name("topic_numbers.json")
    key = memory_key({**keys, "region": wildcards.region, "view": params.view})
    assignments, words, memory = keep_numbers(assignments, words, read_memory(kept), key)
    assignments.insert(0, "id", embeddings["id"].to_numpy())
    write_parquet(assignments, snakemake.output.assignments)
    write_parquet(words, snakemake.output.words)
    write_memory(memory, kept)
