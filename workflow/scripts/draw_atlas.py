"""Draw the atlas from the tables of the run."""

import json
from pathlib import Path

import yaml

from biasatlas.atlas.page import build_page
from biasatlas.atlas.run import describe_run
from biasatlas.files import write_text
from biasatlas.logs import start
from biasatlas.tables import TABLES, empty_table, read_table

with start(snakemake.log[0], "draw_atlas"):
    paths = dict(zip(snakemake.params.tables, snakemake.input.tables, strict=True))
    tables = {
        name: read_table(name, paths[name]) if name in paths else empty_table(name)
        for name in TABLES
    }
    info = describe_run(
        tables,
        yaml.safe_load(Path(snakemake.input.config).read_text("utf-8")),
        versions=json.loads(Path(snakemake.input.versions).read_text("utf-8")),
        assets=json.loads(Path(snakemake.input.assets).read_text("utf-8")),
        word_lists=json.loads(Path(snakemake.input.word_lists).read_text("utf-8")),
        languages=snakemake.params.languages,
        personas=snakemake.params.personas,
    )
    write_text(build_page(tables, info), snakemake.output[0])
