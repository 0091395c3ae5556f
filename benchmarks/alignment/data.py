"""Gendered passages of real regions, with their embeddings."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from biasatlas.encoders.cache import embed_with_cache
from biasatlas.encoders.sentence import SentenceEncoder
from biasatlas.errors import InputError
from biasatlas.lexicons.gender_mask import hidden_terms, mask_gender_terms
from biasatlas.lexicons.gender_terms import load_gender_pairs
from biasatlas.topics.gendered import split_passages
from biasatlas.topics.model import TopicSettings

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Region:
    """Gendered passages of one region, in the order of their ids.

    Attributes
    ----------
    texts : list of str, length n
    document : ndarray of int, shape (n,)
    female : ndarray of bool, shape (n,)
    embeddings : dict of str to ndarray, shape (n, d)
        By view, masked or visible.
    """

    name: str
    texts: list[str]
    document: NDArray[np.int64]
    female: NDArray[np.bool_]
    embeddings: dict[str, NDArray[np.float32]]


def load_run(run: Path, language: str) -> list[Region]:
    """Read the regions of a finished run that are large enough for topics, in either view."""
    import pandas as pd

    regions = []
    for path in sorted((run / "gender" / language).glob("*.used.parquet")):
        name = path.name.removesuffix(".used.parquet")
        texts = pd.read_parquet(
            run / "corpora/discovery" / language / f"{name}.parquet", columns=["id", "text"]
        )
        used = pd.read_parquet(path).merge(texts, on="id").sort_values("id")
        if len(used) < TopicSettings.min_passages:
            continue
        folder = run / "topics" / language / name
        views = {}
        for view in ("masked", "visible"):
            found = folder / f"embeddings-{view}.parquet"
            if found.is_file():
                stored = pd.read_parquet(found).drop_duplicates("id").set_index("id")["embedding"]
                views[view] = np.stack(stored.loc[used["id"]].to_list()).astype(np.float32)
        if "masked" not in views:
            raise InputError(
                f"{folder}: no embeddings-masked.parquet; the run needs topics.mask_gender_terms "
                "or topics.compare_masking"
            )
        regions.append(_region(name, used, views))
    return regions


def load_passages(
    path: Path, lists: Sequence[Path], encoder: Path, cache: Path, most: int
) -> list[Region]:
    """Read passages as lines of JSON (id, region, text), embed the gendered ones, terms hidden.

    The part of an id before ``#`` is the document. New embeddings are added to the cache.
    """
    import pandas as pd

    with gzip.open(path, "rt", encoding="utf-8") as lines:
        frame = pd.DataFrame([json.loads(line) for line in lines])
    frame["document"] = frame["id"].str.rsplit("#", n=1).str[0]
    terms, hidden = load_gender_pairs(lists[0]), hidden_terms(lists)
    make_encoder = partial(SentenceEncoder, encoder, precision="fp32")
    regions = []
    for name, passages in frame.sort_values("id").groupby("region"):
        _, used = split_passages(
            passages,
            terms,
            both="exclude",
            hyphen_is_letter=False,
            max_passages=most,
            seed=0,
        )
        used = used.merge(passages[["id", "text"]], on="id").sort_values("id")
        masked = mask_gender_terms(used["text"], hidden, hyphen_is_letter=False)
        known = pd.read_parquet(cache) if cache.is_file() else None
        embeddings, known = embed_with_cache(masked, known, make_encoder, f"passages of {name}")
        cache.parent.mkdir(parents=True, exist_ok=True)
        known.to_parquet(cache)
        regions.append(_region(str(name), used, {"masked": embeddings}))
    return regions


def _region(name: str, used: pd.DataFrame, views: dict[str, NDArray[np.float32]]) -> Region:
    import pandas as pd

    return Region(
        name,
        used["text"].to_list(),
        pd.factorize(used["document"])[0],
        (used["gender"] == "female").to_numpy(),
        views,
    )
