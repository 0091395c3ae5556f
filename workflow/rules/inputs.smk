"""Inputs of rules that hang on what the configuration asks for.

Expects: PLAN of common.smk.
Defines: paths of a la carte vectors by corpus, and input functions.
"""

from biasatlas.corpora.paths import expand_paths, inventory

# The discovery corpus, in which dimensions are found, and the evaluation corpus, the later text.
FOUND_PASSAGES = f"<results>/corpora/{PLAN.discovery}/{{language}}/{{region}}.parquet"
LATER_PASSAGES = f"<results>/corpora/{PLAN.evaluation}/{{language}}/{{region}}.parquet"
FOUND_ALC = f"<results>/alc/{PLAN.discovery}/{{language}}"
LATER_ALC = f"<results>/alc/{PLAN.evaluation}/{{language}}"


def source_list(wildcards):
    """Reader, options, asset and paths of each source that a corpus has in a language."""
    sources = PLAN.sources(wildcards.corpus, wildcards.language)
    return [
        (
            source.reader,
            sorted(source.options.items()),
            source.asset,
            [fetched(source.asset)] if source.asset else expand_paths(source.path),
        )
        for source in sources
    ]


def source_files(wildcards):
    """Fetched folders and own files of all sources, in the configuration's order."""
    return [path for *_, paths in source_list(wildcards) for path in paths]


def source_records(wildcards):
    """Records of the fetched sources of a corpus, and of the model that tells languages apart."""
    assets = [asset for _, _, asset, _ in source_list(wildcards)]
    return record(*assets, PLAN.language_model)


def language_model(wildcards):
    """The model that tells languages apart, where documents are checked."""
    return [fetched(PLAN.language_model)] if PLAN.language_model else []


def source_settings(wildcards):
    """What reads each file of `source_files`: reader, options, hash of the asset or of the folder."""
    return [
        [
            reader,
            options,
            PLAN.asset_digest(asset) if asset else "",
            "" if asset else inventory(path),
        ]
        for reader, options, asset, paths in source_list(wildcards)
        for path in paths
    ]


def test_lists(wildcards):
    """Word lists of the association tests of a language."""
    try:
        return ancient(PLAN.test_files(wildcards.language))
    except InputError as error:
        raise WorkflowError(
            f"{error}; write tests for language {wildcards.language} there. "
            "The target `corpora` needs none."
        )


def own_scores(wildcards):
    """Scores of the user's own vectors; without any there is nothing to make."""
    if not PLAN.config.vectors.own:
        raise WorkflowError(
            "key `vectors.own`: is empty; name your vectors there (name: file), see docs/vectors.md"
        )
    return expand(
        "<results>/weat/{language}/own/{name}.parquet",
        language=PLAN.config.languages,
        name=sorted(PLAN.config.vectors.own),
    )


def scored_files(kind=""):
    """All scores of the run, or the files of one kind (words, coverage) beside them."""
    ending = f"{kind}.parquet" if kind else "parquet"
    files = expand(
        f"<results>/weat/{{language}}/{{region}}.{ending}",
        language=PLAN.config.languages,
        region=PLAN.measured,
    )
    if PLAN.evaluation:
        files += expand(
            f"<results>/evaluation/{{language}}/{{region}}.{ending}",
            language=PLAN.config.languages,
            region=PLAN.evaluated,
        )
    return files


def weat_scores(wildcards):
    """Scores on the regions' own vectors and on pretrained ones, with the control's verdict."""
    return expand(
        "<results>/weat/{language}/{region}.parquet",
        language=PLAN.config.languages,
        region=PLAN.measured,
    )


def resampled_scores(wildcards):
    """Scores on resampled documents; none where no trained model is resampled."""
    if not PLAN.resampled:
        return []
    return expand(
        "<results>/stability/{language}/{region}.parquet",
        language=PLAN.config.languages,
        region=PLAN.regions,
    )


def discovery_bootstraps(wildcards):
    """The bootstrap over documents of a la carte vectors, where there are such vectors."""
    if not PLAN.uses_alc("discovery"):
        return []
    return expand(
        f"<results>/alc/{PLAN.discovery}/{{language}}/{{region}}.parquet",
        language=PLAN.config.languages,
        region=PLAN.regions,
    )


def alc_rows(wildcards):
    """The bootstraps over documents of each corpus that has a la carte vectors."""
    roles = [role for role in ("discovery", "evaluation") if PLAN.uses_alc(role)]
    return expand(
        "<results>/alc/{corpus}/{language}/{region}.parquet",
        corpus=[getattr(PLAN, role) for role in roles if getattr(PLAN, role)],
        language=PLAN.config.languages,
        region=PLAN.regions,
    )


def compared_regions(wildcards):
    """What was compared: the text always, a la carte vectors where there are such."""
    paths = ["<results>/differences/{language}.parquet"]
    if PLAN.uses_alc("discovery"):
        paths.append(f"{FOUND_ALC}/differences.parquet")
    return expand(paths, language=PLAN.config.languages)
