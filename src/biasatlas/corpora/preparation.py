"""How documents are read, checked and drawn: the keys of the section documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from biasatlas.corpora.readers.batches import Limits
from biasatlas.errors import InputError


@dataclass(frozen=True)
class Preparation:
    """How documents are read, checked and drawn; the keys of the section documents.

    Attributes
    ----------
    seed : int
        Seed of the draw.
    per_country : int or None
        Documents drawn of each country, or of each region's label where documents carry labels.
    min_words, max_words : int, int or None
        A shorter or longer document is dropped.
    near_duplicates : float or None
        Similarity from which on a document is dropped as a duplicate.
    language_min : float or None
        Smallest probability that a document is in its language; None checks nothing.
    language_model : str, Path or None
        File of the language model (lid.176.ftz); needed with language_min.
    boilerplate_documents, boilerplate_share : int or None, float
        As in `drop_boilerplate`.
    limits : Limits
        Of the readers.
    """

    seed: int = 0
    per_country: int | None = None
    min_words: int = 30
    max_words: int | None = None
    near_duplicates: float | None = None
    language_min: float | None = None
    language_model: str | Path | None = None
    boilerplate_documents: int | None = None
    boilerplate_share: float = 0.0
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if self.language_min is not None and self.language_model is None:
            raise InputError("documents.language_min needs a language model")


def make_preparation(settings: Mapping[str, Any], **others: Any) -> Preparation:
    """Make a preparation of the keys of the section documents, and what stands elsewhere."""
    names = {one.name for one in fields(Limits)}
    limits = Limits(**{name: value for name, value in settings.items() if name in names})
    rest = {name: value for name, value in settings.items() if name not in names}
    return Preparation(**rest, **others, limits=limits)
