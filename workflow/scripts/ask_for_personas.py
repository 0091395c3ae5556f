"""Ask a language model for the personas of a region; what was asked before is not asked again."""

from pathlib import Path

import pandas as pd

from biasatlas.config.personas import LanguageModel
from biasatlas.files import write_parquet
from biasatlas.language_models.asking import Limits, ask_all
from biasatlas.language_models.load import make_generator
from biasatlas.language_models.store import ReplyStore, stored_count
from biasatlas.logs import start
from biasatlas.personas.forms import load_forms
from biasatlas.personas.questions import draw_questions, write_questions
from biasatlas.personas.rows import reply_rows

given, params, wildcards = snakemake.input, snakemake.params, snakemake.wildcards
sampled, output = dict(params.sampled), Path(snakemake.output[0])
with start(snakemake.log[0], f"{params.what} {wildcards.region} {wildcards.language_model}"):
    forms = load_forms(params.folder, params.prompts)
    drawn = draw_questions(
        pd.read_parquet(given.topics),
        forms,
        language=wildcards.language,
        region=wildcards.region,
        runs=sampled["runs"],
        seed=sampled["seed"],
    )
    model = LanguageModel(**params.model)
    generator = make_generator(model, given.get("model"), params.digest, **dict(params.backend))
    # Not an output: Snakemake would remove it before the job that it must serve.
    with ReplyStore(output.with_suffix(".jsonl")) as store:
        replies = ask_all(
            generator,
            write_questions(drawn, forms, params.region),
            store,
            temperature=sampled["temperature"],
            max_tokens=sampled["max_tokens"],
            limits=Limits(**dict(params.limits)),
            already=stored_count(output.parents[2].glob(f"*/*/{model.name}.*.jsonl")),
        )
    write_parquet(reply_rows(drawn, replies), output)
