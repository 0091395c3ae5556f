"""Near-duplicates by MinHash: texts that share most of their runs of words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from biasatlas.tokens import tokenize

SHINGLE = 5
N_PERMUTATIONS = 126
SEED = 1
# A pair right at the threshold is missed with at most this probability.
MISSED = 0.005


class NearDuplicates:
    """Texts taken so far, and whether a new one is nearly one of them.

    Similarity is the share of five-word runs that two texts have in common (Jaccard), estimated
    from 126 MinHash values: standard error .036 at .8, .045 at .5.

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
        self._index = RMinHashLSH(
            threshold=threshold, num_perm=N_PERMUTATIONS, num_bands=n_bands(threshold)
        )

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


def n_bands(threshold: float) -> int:
    """Fewest bands that still find a pair at the threshold, so that few others are compared.

    A pair of similarity s meets in one of b bands of r values with probability 1 - (1 - s^r)^b.
    """
    divisors = [n for n in range(1, N_PERMUTATIONS + 1) if N_PERMUTATIONS % n == 0]
    return min(b for b in divisors if (1 - threshold ** (N_PERMUTATIONS // b)) ** b <= MISSED)


def shingles(text: str) -> list[str]:
    """All runs of five words, case folded; a shorter text is one run."""
    words = tokenize(text)
    return [" ".join(words[i : i + SHINGLE]) for i in range(max(1, len(words) - SHINGLE + 1))]
