"""Count female and male passages of each region."""

from pathlib import Path

import pandas as pd

from biasatlas.logs import start
from biasatlas.tables import write_table
from biasatlas.topics.gendered import count_gender

with start(snakemake.log[0], "tabulate_gender"):
    rows = []
    lists = dict(snakemake.params.word_lists)
    for gender, used in zip(snakemake.input.gender, snakemake.input.used, strict=True):
        counts = count_gender(
            pd.read_parquet(gender),
            pd.read_parquet(used),
            both=snakemake.params.both,
            warn_below=snakemake.params.warn_below,
            warn_female_below=snakemake.params.warn_female_below,
        )
        place = {"language": Path(gender).parent.name, "region": Path(gender).stem}
        rows.append({**place, **counts, "word_list": lists[place["language"]]})
    write_table("gender", pd.DataFrame(rows), snakemake.output[0])
