"""Compare the text of each pair of regions on each test by permuting documents between them."""

import pandas as pd

from biasatlas.association.companions.cooccurrence import find_cooccurrences
from biasatlas.association.companions.score import list_words
from biasatlas.association.documents.log_odds import compare_texts
from biasatlas.association.resolve import Rules
from biasatlas.files import write_parquet
from biasatlas.lexicons.word_lists import load_tests
from biasatlas.logs import start

given, params = snakemake.input, snakemake.params
language = snakemake.wildcards.language
with start(snakemake.log[0], f"compare_texts {language}"):
    tests = load_tests(given.tests)
    words, regions = list_words(tests), {}
    for region, path in zip(params.regions, given.passages, strict=True):
        frame = pd.read_parquet(path, columns=["document", "text"])
        text, document = frame["text"].tolist(), frame["document"].tolist()
        regions[region] = find_cooccurrences(text, document, words, params.window)
    rows = compare_texts(regions, tests, Rules(**dict(params.rules)), **dict(params.settings))
    write_parquet(
        rows.assign(language=language, corpus=params.corpus, model="corpus"), snakemake.output[0]
    )
