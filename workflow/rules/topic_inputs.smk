"""Inputs and settings that the rules of topics share.

Expects: PLAN of common.smk.
Defines: FITTED (the keys that decide which topics there are), and input functions.
"""

# What decides which topics there are, beside the embeddings.
FITTED = (
    "n_neighbors",
    "n_components",
    "min_dist",
    "metric",
    "min_cluster_size",
    "min_samples",
    "cluster_selection_method",
    "outliers",
    "outlier_threshold",
    "top_words",
    "min_passages",
)


def every_region(path):
    """A file of each language and region; other wildcards stay."""
    return expand(
        path,
        language=PLAN.config.languages,
        region=PLAN.regions,
        allow_missing=True,
    )


def regions_of_language(path):
    """A file of each region of the language at hand."""
    return expand(path, region=PLAN.regions, allow_missing=True)


def other_embeddings(wildcards):
    """Embeddings of the view that topics are compared with; none where they are not."""
    if PLAN.other_view is None:
        return []
    return f"{TOPICS}/embeddings-{PLAN.other_view}.parquet"
