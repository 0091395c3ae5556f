"""What the atlas says of the run itself, from its provenance and tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import biasatlas

if TYPE_CHECKING:
    import pandas as pd


def describe_run(
    tables: Mapping[str, pd.DataFrame],
    config: Mapping[str, Any],
    *,
    versions: Mapping[str, str],
    assets: list[dict[str, Any]],
    word_lists: Mapping[str, str],
    languages: Mapping[str, list[str]] | None = None,
    personas: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Gather what `build_page` wants to know of a run.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        The tables; their warnings are repeated on top of the page.
    config : mapping
        The merged configuration, as recorded.
    versions, assets, word_lists
        As recorded by the run.
    languages : mapping, optional
        What was left out of the tests in many languages, and what a reader must know of them.
    personas : mapping, optional
        What language models were asked: runs, temperature, and the prompt forms.
    """
    corpus = next(one for one in config["corpora"] if one["role"] == "discovery")
    regions = {region["name"]: region["label"] or region["name"] for region in config["regions"]}
    return {
        "title": corpus["title"],
        "run": config["run"],
        "version": biasatlas.__version__,
        "regions": regions,
        "region_rule": corpus["about"],
        "corpus_phrase": corpus["phrase"],
        "warnings": _warnings(tables, regions),
        "settings": {**config, "versions": dict(versions), "word_lists": dict(word_lists)},
        "assets": assets,
        "commands": [],
        "languages": dict(languages or {}),
        "personas": dict(personas or {}),
    }


def _warnings(tables: Mapping[str, pd.DataFrame], regions: Mapping[str, str]) -> list[str]:
    found = [(row, "warning") for row in tables["gender"].to_dict("records")]
    pairs = tables["pairs"]
    pairs = pairs[pairs["primary"].astype(bool)]
    found += [(row, "note") for row in pairs.to_dict("records") if row["rank"] == 0]
    return [
        f"{regions.get(row['region'], row['region'])} ({row['language']}): {row[column]}"
        for row, column in found
        if row[column]
    ]
