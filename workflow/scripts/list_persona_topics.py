"""List the topics of a region that language models are asked about."""

import logging

from biasatlas.files import write_parquet
from biasatlas.lexicons.gender_terms import load_gender_pairs
from biasatlas.logs import start
from biasatlas.personas.forms import load_neutral_topics
from biasatlas.personas.questions import list_topics
from biasatlas.tables import empty_table, read_table

given, params, wildcards = snakemake.input, snakemake.params, snakemake.wildcards
with start(snakemake.log[0], f"list_persona_topics {wildcards.region}"):
    tables = [
        read_table(name, given.get(name)) if given.get(name) else empty_table(name)
        for name in ("topics", "pairs")
    ]
    topics = list_topics(
        *(
            one[(one["language"] == wildcards.language) & (one["region"] == wildcards.region)]
            for one in tables
        ),
        params.published,
        load_neutral_topics(params.folder),
        asked=params.pairs,
        terms=load_gender_pairs(given.nouns),
    )
    asked = topics["source"][topics["asked"]].value_counts()
    logging.getLogger(__name__).info("topics that personas are asked for: %s", asked.to_dict())
    write_parquet(topics, snakemake.output[0])
