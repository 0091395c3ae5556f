"""Describe the topics of a region: phrases, examples, words for region-aware WEAT, embeddings."""

import pandas as pd

from biasatlas.corpora.places import place_words
from biasatlas.encoders.load import load_encoder
from biasatlas.files import write_parquet
from biasatlas.lexicons.gender_mask import hidden_terms
from biasatlas.logs import start
from biasatlas.topics.describe import describe_topics, embed_topics, words_by_topic
from biasatlas.topics.matrices import stack_embeddings

settings, given, params = dict(snakemake.params.settings), snakemake.input, snakemake.params
with start(snakemake.log[0], f"describe_topics {snakemake.wildcards.region}"):
    passages = pd.read_parquet(given.passages).merge(pd.read_parquet(given.assignments), on="id")
    terms = hidden_terms(given.terms)
    words = words_by_topic(pd.read_parquet(given.words))
    options = {key: settings[key] for key in ("batch_size", "precision")}
    encoders = {
        folder: load_encoder(folder, **options)
        for folder in sorted({given.encoder, given.pair_encoder})
    }
    described = describe_topics(
        passages,
        stack_embeddings(pd.read_parquet(given.embeddings)),
        words,
        encoders[given.encoder],
        language=snakemake.wildcards.language,
        top_words=settings["top_words"],
        places=place_words(given.gazetteer),
        gender_terms={*terms.female, *terms.male},
        hide_terms=params.view == "masked",
        keep_shared=params.keep_shared,
        method=settings["keywords"],
    )
    write_parquet(described, snakemake.output.descriptions)
    write_parquet(
        embed_topics(words, encoders[given.pair_encoder]), snakemake.output.topic_embeddings
    )
