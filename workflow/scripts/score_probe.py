"""Collect the probe of all regions and models, and score it."""

from pathlib import Path

import pandas as pd

from biasatlas.logs import start
from biasatlas.personas.probe_scores import score_probe
from biasatlas.tables import write_table

with start(snakemake.log[0], "score_probe"):
    frames = []
    for path in map(Path, snakemake.input):
        language, region = path.parts[-3:-1]
        model = path.name.partition(".")[0]
        frames.append(pd.read_parquet(path).assign(language=language, region=region, model=model))
    probe = pd.concat(frames, ignore_index=True)
    write_table("persona_probe", probe, snakemake.output.probe)
    scores = score_probe(probe, **dict(snakemake.params.settings))
    write_table("persona_probe_scores", scores, snakemake.output.scores)
