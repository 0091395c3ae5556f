"""Draw, read and clean the documents of every source and give each its country."""

from biasatlas.assets.place import content
from biasatlas.corpora.preparation import make_preparation
from biasatlas.corpora.prepare import prepare_documents
from biasatlas.files import write_parquet
from biasatlas.logs import start

wildcards = snakemake.wildcards
with start(snakemake.log[0], f"prepare_documents {wildcards.corpus}"):
    sources = [
        (reader, content(path) if asset else path, dict(options))
        for path, (reader, options, asset, _) in zip(
            snakemake.input.sources, snakemake.params.sources, strict=True
        )
    ]
    models = snakemake.input.language_model
    documents, counts = prepare_documents(
        sources,
        wildcards.language,
        snakemake.input.gazetteer,
        make_preparation(
            dict(snakemake.params.documents) | {"batch_mb": snakemake.resources.batch_kb / 1000},
            seed=snakemake.params.seed,
            **dict(snakemake.params.boilerplate),
            language_model=content(models[0]) if models else None,
        ),
    )
    write_parquet(documents, snakemake.output.documents)
    write_parquet(counts, snakemake.output.counts)
