"""Score the tests of a language on one model, with every encoder, raw and standardised."""

from pathlib import Path

import pandas as pd

from biasatlas.association.languages.score_grid import score_language
from biasatlas.association.score import Settings
from biasatlas.encoders.words import read_encoded
from biasatlas.files import write_parquet
from biasatlas.logs import start

given, output, wildcards = snakemake.input, snakemake.output, snakemake.wildcards
asked = dict(snakemake.params.settings)
with start(snakemake.log[0], f"score_languages {wildcards.language} {wildcards.model}"):
    scoring = {key: asked.pop(key) for key in ("coverage_min", "max_exact", "relative_width")}
    scores, variances = score_language(
        pd.read_parquet(given.words),
        read_encoded(given.encoded),
        pd.read_parquet(given.reading),
        settings=Settings(**scoring),
        # Not an output: Snakemake would remove it before the job that it must serve.
        p_cache_file=Path(output.scores).with_suffix(".p_values"),
        **asked,
    )
    write_parquet(scores, output.scores)
    write_parquet(variances, output.variances)
