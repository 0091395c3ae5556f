"""Count the n-grams of a region's topics, join topics to broader ones, and pick examples."""

import pandas as pd

from biasatlas.files import write_parquet
from biasatlas.logs import start
from biasatlas.topics.collect import hierarchy_rows
from biasatlas.topics.examples import choose_examples
from biasatlas.topics.hierarchy import topic_hierarchy
from biasatlas.topics.matrices import stack_embeddings
from biasatlas.topics.ngrams import ngrams_by_topic
from biasatlas.topics.phrases import mean_embeddings

given, params, output = snakemake.input, snakemake.params, snakemake.output
with start(snakemake.log[0], f"detail_topics {snakemake.wildcards.region}"):
    assignments, embeddings = pd.read_parquet(given.assignments), pd.read_parquet(given.embeddings)
    matrix = stack_embeddings(embeddings)
    means = mean_embeddings(assignments, matrix)
    tree, _ = topic_hierarchy(means, pd.read_parquet(given.words), top_words=params.top_words)
    texts = pd.read_parquet(given.passages, columns=["id", "country", "text"])
    passages = pd.read_parquet(given.used).merge(assignments, on="id").merge(texts, on="id")
    # A passage of both genders stands twice, its embedding once.
    rows = pd.Index(embeddings["id"]).get_indexer(passages["id"])
    write_parquet(choose_examples(passages, matrix[rows]), output.examples)
    write_parquet(
        ngrams_by_topic(passages, snakemake.wildcards.language, top=params.ngrams), output.ngrams
    )
    write_parquet(hierarchy_rows(tree), output.hierarchy)
    write_parquet(
        pd.DataFrame({"topic": list(means), "embedding": list(means.values())}), output.means
    )
