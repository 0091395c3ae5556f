"""Association tests on word vectors: effect size, exact p, interval, coverage."""

from biasatlas.association.permutation import PermutationResult, permutation_test
from biasatlas.association.scores import effect_size, statistic, word_associations

__all__ = [
    "PermutationResult",
    "effect_size",
    "permutation_test",
    "statistic",
    "word_associations",
]
