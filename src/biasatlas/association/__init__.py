"""Association tests on word vectors: effect size, exact p, interval, nulls, coverage."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from biasatlas.association.api import WeatResult, weat
    from biasatlas.association.permutation.p_value import PermutationResult, permutation_test
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

# Looked up when asked for: a rule that uses one module must not hang on all of them, and a
# package's imports count as those of each of its modules.
_HOME = {
    "PermutationResult": "permutation.p_value",
    "permutation_test": "permutation.p_value",
    "WeatResult": "api",
    "weat": "api",
    "effect_size": "scores",
    "statistic": "scores",
    "word_associations": "scores",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
