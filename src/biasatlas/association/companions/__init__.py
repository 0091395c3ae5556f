"""Measures of the same association that do not share the faults of WEAT."""

from biasatlas.association.companions.ect import ect
from biasatlas.association.companions.interval import (
    MEASURES,
    NEUTRAL,
    Companion,
    measure_words,
)
from biasatlas.association.companions.mac import mac
from biasatlas.association.companions.pmi import log_odds_ratio, measure_documents
from biasatlas.association.companions.ripa import ripa
from biasatlas.association.companions.rnd import rnd

__all__ = [
    "MEASURES",
    "NEUTRAL",
    "Companion",
    "ect",
    "log_odds_ratio",
    "mac",
    "measure_documents",
    "measure_words",
    "ripa",
    "rnd",
]
