"""Compare the probabilities of a female and a male continuation, topic by topic."""

from pathlib import Path

import pandas as pd

from biasatlas.config.personas import LanguageModel
from biasatlas.files import write_parquet
from biasatlas.language_models.asking import Limits
from biasatlas.language_models.load import make_generator
from biasatlas.language_models.probing import probe_all
from biasatlas.language_models.store import ReplyStore, stored_count
from biasatlas.logs import start
from biasatlas.personas.forms import load_probe
from biasatlas.personas.rows import probe_rows, probe_texts

given, params, wildcards = snakemake.input, snakemake.params, snakemake.wildcards
output = Path(snakemake.output[0])
with start(snakemake.log[0], f"{params.what} {wildcards.region} {wildcards.language_model}"):
    probe, topics = load_probe(params.folder), pd.read_parquet(given.topics)
    model = LanguageModel(**params.model)
    generator = make_generator(model, given.get("model"), params.digest, **dict(params.backend))
    # Not an output: Snakemake would remove it before the job that it must serve.
    with ReplyStore(output.with_suffix(".jsonl")) as store:
        found = probe_all(
            generator,
            probe_texts(topics, probe, params.region),
            (probe.female, probe.male),
            store,
            limits=Limits(**dict(params.limits)),
            already=stored_count(output.parents[2].glob(f"*/*/{model.name}.*.jsonl")),
        )
    write_parquet(probe_rows(topics, probe, found), output)
