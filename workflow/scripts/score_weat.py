"""Score the association tests on one or more sets of vectors."""

from functools import partial

from biasatlas.association.collect import score_models, score_with_control
from biasatlas.association.score import Settings
from biasatlas.files import write_parquet
from biasatlas.lexicons.word_lists import load_tests
from biasatlas.logs import start

given, params, wildcards = snakemake.input, snakemake.params, snakemake.wildcards
region = wildcards.get("region", wildcards.get("name", "pretrained"))
with start(snakemake.log[0], f"score_weat {region}"):
    score = partial(
        score_with_control,
        load_tests(given.tests),
        load_tests(given.controls) if given.controls else [],
        settings=Settings(**dict(params.settings)),
    )
    scored = score_models(
        score,
        [given.vectors] if isinstance(given.vectors, str) else given.vectors,
        params.models,
        region=region,
        language=wildcards.language,
        corpus=params.corpus,
    )
    for name in ("scores", "words", "coverage"):
        write_parquet(getattr(scored, name), getattr(snakemake.output, name))
