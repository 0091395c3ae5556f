"""Rows of the coverage table: what each set of a test asked for, and what has vectors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from biasatlas.association.lookup import KINDS, SetCoverage
from biasatlas.lexicons.word_lists import SETS

if TYPE_CHECKING:
    from biasatlas.lexicons.word_lists import AssociationTest


def coverage_rows(
    test: AssociationTest, coverage: Mapping[str, SetCoverage]
) -> list[dict[str, Any]]:
    """Count the words of a test, set by set, generic terms and names apart.

    Names of a region are far rarer in a corpus than ``mother`` or ``he``: one share over both
    would hide that a set is scored on its generic terms alone.

    Parameters
    ----------
    test : AssociationTest
    coverage : mapping of str to SetCoverage
        From `look_up`, by ``x``, ``y``, ``a``, ``b``.

    Returns
    -------
    list of dict
        One row a set and kind (``term``, ``name``) that the set has: test, set, name (of the
        set), kind, asked (words on the list), distinct (after case folding), found (with a
        vector of their own), share (found / distinct), missing (joined by ``"; "``, words
        composed from subwords among them).
    """
    return [
        {
            "test": test.test,
            "set": name,
            "name": getattr(test, name).name,
            "kind": kind,
            "asked": coverage[name].asked_of(kind),
            "distinct": coverage[name].distinct(kind),
            "found": len(coverage[name].own(kind)),
            "share": coverage[name].share_of(kind),
            "missing": "; ".join(coverage[name].lacking(kind)),
        }
        for name in SETS
        for kind in KINDS
        if coverage[name].distinct(kind)
    ]
