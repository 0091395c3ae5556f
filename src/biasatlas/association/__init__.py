"""Association tests on word vectors: effect size, exact p, interval, nulls, coverage."""

from biasatlas.association.api import WeatResult, weat
from biasatlas.association.permutation import PermutationResult, permutation_test
from biasatlas.association.scores import effect_size, statistic, word_associations

__all__ = [
    "PermutationResult",
    "WeatResult",
    "effect_size",
    "permutation_test",
    "statistic",
    "weat",
    "word_associations",
]
