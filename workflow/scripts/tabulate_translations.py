"""Put the comparisons of human and machine translation together, and sum them up over languages."""

import pandas as pd

from biasatlas.association.languages.corrections import correct_translations
from biasatlas.association.languages.translation_summary import summarise_translations
from biasatlas.logs import start
from biasatlas.tables import write_table

with start(snakemake.log[0], "tabulate_translations"):
    rows = pd.concat([pd.read_parquet(path) for path in snakemake.input], ignore_index=True)
    rows = correct_translations(rows)
    write_table("translations", rows, snakemake.output.translations)
    write_table("translation_summary", summarise_translations(rows), snakemake.output.summary)
