"""Permutation p-values: exact, or within certified bounds."""

from biasatlas.association.permutation.p_value import PermutationResult, permutation_test

__all__ = ["PermutationResult", "permutation_test"]
