"""Find the topics of a region again: other seeds, other orders, documents drawn anew."""

import pandas as pd

from biasatlas.files import write_parquet
from biasatlas.lexicons.gender_mask import show_texts
from biasatlas.logs import start
from biasatlas.topics.matrices import stack_embeddings
from biasatlas.topics.model import TopicSettings
from biasatlas.topics.refits import refit

given, params, wildcards = snakemake.input, snakemake.params, snakemake.wildcards
with start(snakemake.log[0], f"refit_topics {wildcards.region}"):
    embeddings = pd.read_parquet(given.embeddings)
    passages = pd.read_parquet(given.passages, columns=["id", "document", "text"])
    passages = passages.set_index("id").loc[embeddings["id"]]
    texts = list(passages["text"])
    other = pd.read_parquet(given.other) if given.get("other") else None
    refits = refit(
        stack_embeddings(embeddings),
        list(embeddings["id"]),
        texts,
        list(passages["document"]),
        TopicSettings(**dict(params.settings), language=wildcards.language),
        **dict(params.refits),
        word_texts=show_texts(
            texts, params.view, given.terms, hyphen_is_letter=params.hyphen_is_letter
        ),
        other_embeddings=None if other is None else stack_embeddings(other),
    )
    write_parquet(refits, snakemake.output.refits)
