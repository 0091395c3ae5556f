"""Near-duplicates by MinHash: texts that share most of their runs of words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from biasatlas.tokens import tokenize

SHINGLE = 5
N_PERMUTATIONS = 128
# Bands of four: at a similarity of .8 a pair is missed with probability below 1e-7, at .5 it is .13.
N_BANDS = 32
SEED = 1


class NearDuplicates:
    """Texts taken so far, and whether a new one is nearly one of them.

    Similarity is the share of five-word runs that two texts have in common (Jaccard), estimated
    from 128 MinHash values, so with a standard error of at most .045.

    Parameters
    ----------
    threshold : float
        In (0, 1]; from this estimated similarity on, a text is a near-duplicate.

    Notes
    -----
    Broder 1997, "On the resemblance and containment of documents"; the signatures and the index
    are rensa's.
    """

    def __init__(self, threshold: float) -> None:
        from rensa import RMinHashLSH

        self.threshold = threshold
        self._taken: dict[int, Any] = {}
        self._index = RMinHashLSH(threshold=threshold, num_perm=N_PERMUTATIONS, num_bands=N_BANDS)

    def signatures(self, texts: Sequence[str]) -> list[Any]:
        """MinHash signature of each text; it depends on nothing but the text."""
        from rensa import RMinHash

        sets = [shingles(text) for text in texts]
        return RMinHash.from_token_sets(sets, N_PERMUTATIONS, SEED) if sets else []

    def holds(self, signature: Any) -> bool:
        """Whether a text taken before is as similar as the threshold asks."""
        return any(
            self._taken[number].jaccard(signature) >= self.threshold
            for number in self._index.query(signature)
        )

    def take(self, signature: Any) -> None:
        """Remember a text."""
        number = len(self._taken)
        self._taken[number] = signature
        self._index.insert(number, signature)


def shingles(text: str) -> list[str]:
    """All runs of five words, case folded; a shorter text is one run."""
    words = tokenize(text)
    return [" ".join(words[i : i + SHINGLE]) for i in range(max(1, len(words) - SHINGLE + 1))]
