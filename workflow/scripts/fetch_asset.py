"""Fetch one asset and record what was fetched."""

import json
from pathlib import Path

from biasatlas.assets.catalogue import load_catalogue
from biasatlas.assets.fetch import fetch
from biasatlas.assets.place import destination
from biasatlas.files import write_text
from biasatlas.logs import start

name = snakemake.wildcards.asset
with start(snakemake.log[0], f"fetch_asset {name}"):
    asset = load_catalogue(snakemake.input.catalogue)[name]
    local = Path(str(snakemake.input.local)) if snakemake.input.local else None
    record = fetch(asset, destination(asset, snakemake.output.folder, local), local_path=local)
    write_text(json.dumps(record.to_dict(), indent=2) + "\n", snakemake.output.record)
