"""Score the companion measures on a region's word vectors and on its text."""

import pandas as pd

from biasatlas.association.companions.score import Settings, score_corpus, score_vectors
from biasatlas.files import write_parquet
from biasatlas.lexicons.word_lists import load_tests
from biasatlas.logs import start
from biasatlas.vectors import load_vectors

given, params, wildcards = snakemake.input, snakemake.params, snakemake.wildcards
region = wildcards.get("region", "pretrained")
paths = [given.vectors] if isinstance(given.vectors, str) else given.vectors
with start(snakemake.log[0], f"score_companions {region}"):
    tests = load_tests([*given.tests, *given.controls])
    settings = Settings(**dict(params.settings))
    frames = []
    for path, (model, seed) in zip(paths, params.models, strict=True):
        frame = score_vectors(tests, load_vectors(path), settings)
        frames.append(frame.assign(model=model, seed=seed))
    # Pretrained vectors come without the text that they were trained on.
    if given.get("passages"):
        text = pd.read_parquet(given.passages, columns=["document", "text"])
        frame = score_corpus(tests, text["text"].tolist(), text["document"].tolist(), settings)
        frames.append(frame.assign(model="corpus", seed=-1))
    scores = pd.concat(frames, ignore_index=True).assign(
        region=region, language=wildcards.language, corpus=params.corpus
    )
    write_parquet(scores, snakemake.output.scores)
