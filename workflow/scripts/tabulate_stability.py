"""Variance components of every test, and whether regions differ by more than the noise."""

import pandas as pd

from biasatlas.association.multiplicity import kind_of_test
from biasatlas.association.stability.rows import correct, stability_rows
from biasatlas.logs import start
from biasatlas.tables import empty_table, write_table

given = snakemake.input


def read(paths, columns):
    """Put frames together; with none, an empty frame that has the columns."""
    frames = [pd.read_parquet(path) for path in ([paths] if isinstance(paths, str) else paths)]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=columns)


with start(snakemake.log[0], "tabulate_stability"):
    keys = ["language", "corpus", "model", "region", "test"]
    rows = stability_rows(
        read(given.scores, []),
        read(given.words, []),
        read(given.resampled, [*keys, "effect_size", "n_documents"]),
        read(given.documents, list(empty_table("alc").columns)),
    )
    params = snakemake.params
    kind = kind_of_test(rows["test"], params.gender_tests, params.control_tests)
    rows = correct(rows.assign(kind=kind)).drop(columns="kind")
    write_table("stability", rows, snakemake.output[0])
