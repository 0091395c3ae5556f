"""Read and clean the documents of every source and give each its country."""

from biasatlas.assets.place import content
from biasatlas.corpora.build import prepare_documents
from biasatlas.files import write_parquet
from biasatlas.logs import start

wildcards = snakemake.wildcards
with start(snakemake.log[0], f"prepare_documents {wildcards.corpus}"):
    sources = [
        (reader, content(path) if digest else path, dict(options))
        for path, (reader, options), digest in zip(
            snakemake.input.sources, snakemake.params.sources, snakemake.params.assets, strict=True
        )
    ]
    documents, counts = prepare_documents(
        sources,
        wildcards.language,
        snakemake.input.gazetteer,
        min_words=snakemake.params.min_words,
        boilerplate_documents=snakemake.params.boilerplate_documents,
    )
    write_parquet(documents, snakemake.output.documents)
    write_parquet(counts, snakemake.output.counts)
