"""Compare each pair of regions on each test by permuting documents between them."""

import pandas as pd

from biasatlas.association.documents.bootstrap import words_of
from biasatlas.association.documents.differences import Settings, compare_regions
from biasatlas.association.documents.sums import sum_documents
from biasatlas.association.resolve import Rules
from biasatlas.files import write_parquet
from biasatlas.lexicons.word_lists import load_tests
from biasatlas.logs import start
from biasatlas.vectors import load_vectors
from biasatlas.vectors.alc import load_transform

given, params = snakemake.input, snakemake.params
language = snakemake.wildcards.language
with start(snakemake.log[0], f"compare_regions {language}"):
    tests = load_tests(given.tests)
    words, vectors, regions = words_of(tests), load_vectors(given.vectors), {}
    for region, path in zip(params.regions, given.passages, strict=True):
        frame = pd.read_parquet(path, columns=["document", "text"])
        text, document = frame["text"].tolist(), frame["document"].tolist()
        regions[region] = sum_documents(text, document, words, vectors, params.window)
    rows = compare_regions(
        regions,
        tests,
        load_transform(given.transform, given.fit),
        Rules(**dict(params.rules)),
        Settings(**dict(params.settings)),
    )
    write_parquet(
        rows.assign(language=language, corpus=params.corpus, model="alc"), snakemake.output[0]
    )
