"""Record the configuration, versions, assets and word lists of the run."""

import json
from pathlib import Path

import yaml

from biasatlas.files import write_text
from biasatlas.logs import start
from biasatlas.provenance import versions

output = snakemake.output
with start(snakemake.log[0], "record_provenance"):
    assets = [json.loads(Path(path).read_text("utf-8")) for path in snakemake.input.records]
    lists = dict(line.rsplit("=", 1) for line in snakemake.params.word_lists)
    config = yaml.safe_dump(
        json.loads(snakemake.params.config), sort_keys=False, allow_unicode=True
    )
    write_text(config, output.config)
    write_text(json.dumps(versions(), indent=2) + "\n", output.versions)
    write_text(json.dumps(assets, indent=2) + "\n", output.assets)
    write_text(json.dumps(lists, indent=2) + "\n", output.word_lists)
