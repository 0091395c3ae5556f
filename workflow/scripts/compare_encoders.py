"""Hold encoders, models and languages against each other."""

from biasatlas.association.languages.agreement import agreement
from biasatlas.association.languages.clusters import cluster_languages
from biasatlas.association.languages.model_comparison import compare_models
from biasatlas.logs import start
from biasatlas.tables import read_table, write_table

settings, output = dict(snakemake.params.settings), snakemake.output
with start(snakemake.log[0], "compare_encoders"):
    scores = read_table("weathub", snakemake.input.weathub)
    clusters = cluster_languages(scores, seed=settings["seed"], bootstraps=settings["bootstrap"])
    write_table("agreement", agreement(scores), output.agreement)
    write_table("model_comparison", compare_models(scores), output.model_comparison)
    write_table("language_clusters", clusters, output.language_clusters)
