"""Draw a page of each language."""

import pandas as pd

import biasatlas
from biasatlas.atlas.page import build_language_page, build_languages_page
from biasatlas.files import write_text
from biasatlas.logs import start
from biasatlas.tables import read_table

given, params = snakemake.input, snakemake.params
with start(snakemake.log[0], "draw_language_pages"):
    named = zip(params.tables, given.tables, strict=True)
    tables = {name: read_table(name, path) for name, path in named}
    info = {
        "title": params.title,
        "run": params.run,
        "version": biasatlas.__version__,
        "languages": params.about,
    }
    write_text(build_languages_page(tables, info), snakemake.output.all)
    pages = zip(params.languages, given.words, snakemake.output.pages, strict=True)
    for language, words, page in pages:
        write_text(build_language_page(language, pd.read_parquet(words), tables, info), page)
