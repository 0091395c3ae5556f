"""Find the female and male passages of a region and draw those that topics are built on."""

import pandas as pd

from biasatlas.files import write_parquet
from biasatlas.lexicons.gender_terms import load_gender_pairs
from biasatlas.logs import start
from biasatlas.topics.gendered import split_passages

with start(snakemake.log[0], f"split_gender {snakemake.wildcards.region}"):
    gender, used = split_passages(
        pd.read_parquet(snakemake.input.passages),
        load_gender_pairs(snakemake.input.terms),
        both=snakemake.params.both,
        hyphen_is_letter=snakemake.params.hyphen_is_letter,
        max_passages=snakemake.params.max_passages,
        seed=snakemake.params.seed,
    )
    write_parquet(gender, snakemake.output.gender)
    write_parquet(used, snakemake.output.used)
