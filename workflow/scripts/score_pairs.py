"""Score found and published topic pairs on one or more sets of vectors."""

from functools import partial

from biasatlas.association.collect import score_models
from biasatlas.association.region_aware import read_tests, score_pairs
from biasatlas.association.score import Settings
from biasatlas.files import write_parquet
from biasatlas.lexicons import word_lists
from biasatlas.logs import start

FOUND = ("pairs", "descriptions", "labels")
params, given, language = snakemake.params, snakemake.input, snakemake.wildcards.language
region = snakemake.wildcards.get("region", "pretrained")
with start(snakemake.log[0], f"score_pairs {region}"):
    tests, pair_regions = read_tests(
        given.lists,
        params.terms,
        published=params.published,
        region=region,
        language=language,
        files={name: given[name] for name in FOUND if given.get(name)},
        selection=params.get("selection", ""),
    )
    controls = word_lists.load_tests(given.controls) if given.controls else []
    settings = Settings(**dict(params.settings))
    scored = score_models(
        partial(score_pairs, tests, pair_regions, controls, settings=settings),
        [given.vectors] if isinstance(given.vectors, str) else given.vectors,
        params.models,
        region=region,
        language=language,
        corpus=params.corpus,
    )
    for name in ("scores", "words", "coverage"):
        write_parquet(getattr(scored, name), getattr(snakemake.output, name))
