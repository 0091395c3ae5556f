"""Compare the genders of personas with those of their topics."""

from pathlib import Path

import pandas as pd

from biasatlas.logs import start
from biasatlas.personas.scores import score_personas
from biasatlas.personas.topic_counts import count_topics
from biasatlas.tables import read_table, write_table

given, params = snakemake.input, snakemake.params
with start(snakemake.log[0], "score_personas"):
    asked = pd.concat(
        [
            pd.read_parquet(path).assign(language=path.parts[-3], region=path.parts[-2])
            for path in map(Path, given.topics)
        ],
        ignore_index=True,
    )
    topics = count_topics(read_table("personas", given.personas), asked)
    write_table("persona_topics", topics, snakemake.output.topics)
    write_table(
        "persona_scores", score_personas(topics, **dict(params.settings)), snakemake.output.scores
    )
