"""Label the topics of a region, find their words for region-aware WEAT, and embed them."""

import numpy as np
import pandas as pd

from biasatlas.corpora.places import place_words
from biasatlas.files import write_parquet
from biasatlas.lexicons.gender_terms import load_gender_pairs
from biasatlas.logs import start
from biasatlas.topics.describe import describe_topics, embed_topics, words_by_topic
from biasatlas.topics.embedding import SentenceEncoder

settings, given = dict(snakemake.params.settings), snakemake.input
with start(snakemake.log[0], f"describe_topics {snakemake.wildcards.region}"):
    passages = pd.read_parquet(given.passages).merge(pd.read_parquet(given.assignments), on="id")
    matrix = np.array(pd.read_parquet(given.embeddings)["embedding"].tolist(), dtype=np.float32)
    terms = load_gender_pairs(given.terms)
    words = words_by_topic(pd.read_parquet(given.words))
    encoders = {
        folder: SentenceEncoder(
            folder, batch_size=settings["batch_size"], precision=settings["precision"]
        )
        for folder in sorted({given.encoder, given.pair_encoder})
    }
    labels = describe_topics(
        passages,
        matrix,
        words,
        encoders[given.encoder],
        language=snakemake.wildcards.language,
        top_words=settings["top_words"],
        places=place_words(given.gazetteer),
        gender_terms={*terms.female, *terms.male},
        keep_shared=snakemake.params.keep_shared,
        method=settings["keywords"],
    )
    write_parquet(labels, snakemake.output.labels)
    write_parquet(
        embed_topics(words, encoders[given.pair_encoder]), snakemake.output.topic_embeddings
    )
