"""Read the gender of every persona, and sum up the models."""

from pathlib import Path

import pandas as pd

from biasatlas.lexicons.gender_terms import load_gender_pairs
from biasatlas.logs import start
from biasatlas.personas.costs import describe_models
from biasatlas.personas.gender_words import load_gender_words
from biasatlas.personas.rows import persona_rows
from biasatlas.tables import write_table

given, params = snakemake.input, snakemake.params
with start(snakemake.log[0], "tabulate_personas"):
    words = {
        language: load_gender_words(Path(file).parent, language, load_gender_pairs(nouns))
        for language, file, nouns in zip(params.languages, given.words, given.nouns, strict=True)
    }
    frames = []
    for path in map(Path, given.replies):
        language, region = path.parts[-3:-1]
        rows = persona_rows(
            pd.read_parquet(path),
            pd.read_parquet(path.with_name("topics.parquet")),
            words[language],
        )
        model = path.name.partition(".")[0]
        frames.append(rows.assign(language=language, region=region, model=model))
    personas = pd.concat(frames, ignore_index=True)
    write_table("personas", personas, snakemake.output.personas)
    write_table("persona_models", describe_models(personas, params.models), snakemake.output.models)
