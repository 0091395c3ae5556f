"""Null models of the effect size: random matched word sets, shuffled labels."""

from biasatlas.association.nulls.random_sets import MatchedNull, NullSampler, label_band

__all__ = ["MatchedNull", "NullSampler", "label_band"]
