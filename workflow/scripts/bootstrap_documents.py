"""Score tests on a region's à la carte vectors, resample its documents, and swap the genders."""

import pandas as pd

from biasatlas.association import region_aware
from biasatlas.association.documents.bootstrap import Settings, bootstrap_tests
from biasatlas.association.resolve import Rules
from biasatlas.files import write_parquet
from biasatlas.lexicons.gender_swap import load_gender_swap
from biasatlas.lexicons.word_lists import load_tests
from biasatlas.logs import start
from biasatlas.vectors import load_vectors
from biasatlas.vectors.alc import load_transform

given, params, wildcards = snakemake.input, snakemake.params, snakemake.wildcards
place = {"language": wildcards.language, "region": wildcards.region}
with start(snakemake.log[0], f"bootstrap_documents {params.corpus} {wildcards.region}"):
    if given.get("pairs"):
        files = {name: given[name] for name in ("pairs", "descriptions", "labels")}
        options = {"published": params.published, "selection": params.selection} | place
        tests, _ = region_aware.read_tests(given.lists, params.terms, files=files, **options)
    else:
        tests = {"weat": [*load_tests(given.controls), *load_tests(given.tests)]}
    rows = bootstrap_tests(
        pd.read_parquet(given.passages, columns=["document", "text"]),
        tests,
        load_vectors(given.vectors),
        load_transform(given.transform, given.fit),
        Rules(**dict(params.rules)),
        Settings(**dict(params.settings)),
        load_gender_swap(given.swap),
    )
    write_parquet(rows.assign(corpus=params.corpus, **place), snakemake.output[0])
